//! What an analysis has found so far, in a file, a line of JSON a position.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{judge::Evaluation, replace};
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
    /// Where the journal is now that was at `path`, if it was about something else.
    pub(super) set_aside: Option<PathBuf>,
}

impl Journal {
    /// Opens the journal at `path`; one about something else is set aside. An interruption leaves
    /// the old journal or the new one.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub(super) fn open(path: &Path, input: &[u8], budget: &str) -> io::Result<Self> {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        let head = Head {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            budget: budget.to_owned(),
            hash: hasher.finish(),
        };
        let old = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let old = String::from_utf8_lossy(&old);
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
        let set_aside = (!is_same && !old.is_empty()).then(|| spare(path));
        if let Some(spare) = &set_aside {
            fs::rename(path, spare)?;
        }
        // Written anew without what could not be read: a cut line would spoil the next.
        let mut text = as_line(&head)?;
        for line in known.values() {
            text.push_str(&as_line(line)?);
        }
        replace(path, &text)?;
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Self { path: path.to_owned(), file, known, set_aside })
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
        let line = as_line(&Line { game, ply, score: found.score, best })?;
        self.file.write_all(line.as_bytes())
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

fn as_line(value: &impl Serialize) -> io::Result<String> {
    serde_json::to_string(value).map(|text| text + "\n").map_err(io::Error::other)
}

/// The first name beside a journal's that is free.
fn spare(path: &Path) -> PathBuf {
    let mut number = 1;
    loop {
        let spare = path.with_extension(format!("part.{number}"));
        if !spare.exists() {
            return spare;
        }
        number += 1;
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
        // The work of hours may be in the one that was there.
        let kept = other.set_aside.clone().unwrap();
        other.remove().unwrap();
        assert!(!path.exists());
        fs::rename(&kept, &path).unwrap();
        let journal = Journal::open(&path, b"game", "depth 5").unwrap();
        assert_eq!(journal.known(0, 0, &position), Some(found));
        assert_eq!(journal.set_aside, None);
        journal.remove().unwrap();
    }

    /// A file that is cut and written again is lost if the program is killed in between.
    #[cfg(unix)]
    #[test]
    fn a_journal_is_replaced_as_a_whole() {
        use std::os::unix::fs::MetadataExt;
        let name = format!("tegenspel-journal-whole-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        drop(Journal::open(&path, b"game", "depth 5").unwrap());
        let before = File::open(&path).unwrap();
        let journal = Journal::open(&path, b"game", "depth 5").unwrap();
        assert_ne!(before.metadata().unwrap().ino(), fs::metadata(&path).unwrap().ino());
        journal.remove().unwrap();
    }
}
