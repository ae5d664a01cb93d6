//! What an analysis has found so far, in a file, a line of JSON a position.

use std::{
    collections::HashMap,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::judge::Evaluation;
use crate::chess::Position;

/// The first line: what the others are about.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    /// Of the program: another one judges otherwise.
    version: String,
    budget: String,
    /// Of the file that is analysed.
    hash: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    game: usize,
    ply: usize,
    score: i32,
    /// In UCI's words, castling as king takes rook.
    best: Vec<String>,
}

/// An open journal.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    known: HashMap<(usize, usize), Line>,
}

impl Journal {
    /// Opens the journal at `path`; one about something else is begun anew.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn open(path: &Path, input: &[u8], budget: &str) -> io::Result<Self> {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        let head = Head {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            budget: budget.to_owned(),
            hash: hasher.finish(),
        };
        let old = fs::read_to_string(path).unwrap_or_default();
        let mut lines = old.lines();
        let is_same = lines
            .next()
            .and_then(|line| serde_json::from_str::<Head>(line).ok())
            .is_some_and(|old| old == head);
        // The last line may have been cut: what cannot be read is worked out again.
        let known: HashMap<_, _> = lines
            .filter(|_| is_same)
            .filter_map(|line| serde_json::from_str::<Line>(line).ok())
            .map(|line| ((line.game, line.ply), line))
            .collect();
        // Written anew without what could not be read: a cut line would spoil the next.
        let mut journal = Self { path: path.to_owned(), file: File::create(path)?, known };
        journal.line(&head)?;
        let known = std::mem::take(&mut journal.known);
        for line in known.values() {
            journal.line(line)?;
        }
        journal.known = known;
        Ok(journal)
    }

    fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(value).map_err(io::Error::other)?;
        self.file.write_all(format!("{text}\n").as_bytes())
    }

    /// What is known of the position after `ply` moves of a game.
    pub(super) fn known(&self, game: usize, ply: usize, position: &Position) -> Option<Evaluation> {
        let known = self.known.get(&(game, ply))?;
        let mut position = position.clone();
        let mut line = Vec::new();
        for text in &known.best {
            let mv = position.parse_move(text)?;
            position.play(mv);
            line.push(mv);
        }
        Some(Evaluation { score: known.score, line })
    }

    /// Keeps what was found.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn note(
        &mut self,
        game: usize,
        ply: usize,
        position: &Position,
        found: &Evaluation,
    ) -> io::Result<()> {
        let mut position = position.clone();
        let mut best = Vec::new();
        for &mv in &found.line {
            best.push(position.move_text(mv, true));
            position.play(mv);
        }
        self.line(&Line { game, ply, score: found.score, best })
    }

    /// The analysis is finished.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub(super) fn remove(self) -> io::Result<()> {
        drop(self.file);
        fs::remove_file(self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_analysis_is_gone_on_with_and_another_is_not() {
        let path = std::env::temp_dir().join(format!("tegenspel-journal-{}", std::process::id()));
        let position = Position::start();
        let found = Evaluation { score: 17, line: vec![position.parse_move("e2e4").unwrap()] };
        let mut journal = Journal::open(&path, b"game", "depth 5").unwrap();
        journal.note(0, 0, &position, &found).unwrap();
        drop(journal);
        // Killed in the middle of a line.
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{{\"game\":0,\"pl")).unwrap();
        for _ in 0..2 {
            let journal = Journal::open(&path, b"game", "depth 5").unwrap();
            assert_eq!(journal.known(0, 0, &position), Some(found.clone()));
            assert_eq!(journal.known(0, 1, &position), None);
        }
        let other = Journal::open(&path, b"game", "depth 6").unwrap();
        assert_eq!(other.known(0, 0, &position), None);
        other.remove().unwrap();
        assert!(!path.exists());
    }
}
