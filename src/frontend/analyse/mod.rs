//! `tegenspel analyse`: every move of games judged, as an annotated PGN and as a page to look at.
//!
//! What has been worked out is kept in a journal beside the file, a line a position, so that an
//! analysis that was interrupted goes on where it was.

mod game;
mod journal;
mod judge;
mod page;

use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    io::{self, Write, stderr},
    path::{Path, PathBuf, absolute},
    time::Duration,
};

use crossbeam_channel::unbounded;
use indicatif::{ProgressBar, ProgressStyle};

use self::{
    game::{Game, Note},
    journal::Journal,
    judge::{Evaluation, Judgement, Verdict, eval_text, judge},
};
use super::Outcome;
use crate::{
    chess::{Position, Record, Root, Searcher, Settings, score::mated_in},
    engine::{Limits, Report, Signals},
};

/// How it is called.
pub(super) const USAGE: &str = "\
analyse FILE.pgn... [--time MILLISECONDS | --nodes N | --depth N] [--threads N] [--hash MIB]

Judges every move of the games' main lines. GAME.pgn becomes GAME.analysed.pgn, with scores, marks
(?!, ?, ??) and better moves, and GAME.analysed.html, which needs no network. Interrupted, it goes on
where it was when it is started again with the same words; with others it begins anew, and keeps what
it had found beside the file.";

/// Moves of a better line that are written.
const LONGEST_LINE: usize = 10;

/// What the command line says.
#[derive(Debug, Clone)]
struct Options {
    files: Vec<PathBuf>,
    limits: Limits,
    settings: Settings,
}

impl Options {
    fn parse(words: &[OsString]) -> Result<Self, String> {
        let settings = Settings { hash: 64, analyse_mode: true, ..Settings::default() };
        let mut options = Self { files: Vec::new(), limits: Limits::default(), settings };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            // The name of a file need not be text.
            let Some(word) = word.to_str().filter(|word| word.starts_with('-')) else {
                options.files.push(word.into());
                continue;
            };
            let text = words.next().ok_or_else(|| format!("{word}: a value is missing"))?;
            let text = text.to_string_lossy();
            let number: u64 = text
                .parse()
                .ok()
                .filter(|&number| number > 0)
                .ok_or_else(|| format!("{word}: '{text}' is not a positive number"))?;
            match word {
                "--time" => options.limits.move_time = Some(Duration::from_millis(number)),
                "--nodes" => options.limits.nodes = Some(number),
                "--depth" => options.limits.depth = Some(number.min(u32::MAX.into()) as u32),
                "--threads" => options.settings.threads = number.min(1024) as usize,
                "--hash" => options.settings.hash = number.min(1 << 25) as usize,
                _ => return Err(format!("no option '{word}'\n{USAGE}")),
            }
        }
        if options.files.is_empty() {
            return Err(format!("no file is named\n{USAGE}"));
        }
        keep_apart(&options.files)?;
        let Limits { move_time, nodes, depth, .. } = options.limits;
        if (move_time, nodes, depth) == (None, None, None) {
            options.limits.move_time = Some(Duration::from_millis(500));
        }
        Ok(options)
    }

    /// What must be the same for a journal to be gone on with, in words.
    fn budget(&self) -> String {
        let Limits { move_time, nodes, depth, .. } = self.limits;
        format!("time {move_time:?} nodes {nodes:?} depth {depth:?}")
    }
}

/// What is written beside one file must not be written over for another.
fn keep_apart(files: &[PathBuf]) -> Result<(), String> {
    let mut places = HashMap::new();
    for file in files {
        let place = absolute(file).unwrap_or_else(|_| file.clone()).with_extension("");
        if let Some(other) = places.insert(place, file) {
            let (one, two) = (other.display(), file.display());
            return Err(format!("{one} and {two}: both would be written to the same files"));
        }
    }
    Ok(())
}

/// Analyses the files, one after the other.
///
/// # Errors
/// If the command line is wrong, a file cannot be read, or nothing can be written beside it.
pub(super) fn run(words: &[OsString]) -> io::Result<Outcome> {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return super::print(USAGE);
    }
    let options = Options::parse(words).map_err(io::Error::other)?;
    let mut searcher = Searcher::new(&options.settings).map_err(io::Error::other)?;
    for path in &options.files {
        analyse(path, &options, &mut searcher)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    }
    Ok(Outcome::Done)
}

fn analyse(path: &Path, options: &Options, searcher: &mut Searcher) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let games = game::read(&bytes)?;
    if games.is_empty() {
        return Err(io::Error::other("there is no game in it"));
    }
    for (index, game) in games.iter().enumerate() {
        if let Some(fault) = &game.fault {
            let number = index + 1;
            tell(&format!("{}, game {number}: {fault}; judged up to there", path.display()));
        }
    }
    let mut journal =
        Journal::open(&path.with_extension("analysed.part"), &bytes, &options.budget())?;
    if let Some(kept) = &journal.set_aside {
        let (path, kept) = (path.display(), kept.display());
        tell(&format!("{path}: begun anew; what was found under other conditions is in {kept}"));
    }
    let positions: usize = games.iter().map(|game| game.moves.len() + 1).sum();
    let progress = progress_bar(positions as u64);
    let mut analysed = Vec::with_capacity(games.len());
    for (index, game) in games.into_iter().enumerate() {
        progress.set_message(format!("game {}", index + 1));
        let evaluations = evaluate(&game, index, options, searcher, &mut journal, &progress)?;
        analysed.push(Analysed::new(game, evaluations));
    }
    progress.finish_and_clear();
    let pgn: String = analysed.iter().map(Analysed::pgn).collect();
    replace(&path.with_extension("analysed.pgn"), &pgn)?;
    let title = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    replace(&path.with_extension("analysed.html"), &page::write(&title, &analysed))?;
    journal.remove()?;
    println(path, &analysed)
}

/// Tells who looks, past the standard output.
fn tell(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

/// What was found, a line a game.
fn println(path: &Path, analysed: &[Analysed]) -> io::Result<()> {
    let percent = |accuracy: Option<f64>| accuracy.map_or("-".into(), |a| format!("{a:.0} %"));
    for (index, game) in analysed.iter().enumerate() {
        let [white, black] = game.accuracies().map(percent);
        let blunders =
            game.judgements.iter().filter(|judged| judged.verdict == Verdict::Blunder).count();
        let names = format!("{} - {}", game.game.tag("White"), game.game.tag("Black"));
        let number = index + 1;
        super::print(&format!(
            "{} {number}: {names}: accuracy {white}, {black}; {blunders} blunders",
            path.display()
        ))?;
    }
    Ok(())
}

fn progress_bar(positions: u64) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{msg:10} {wide_bar} {pos}/{len} positions, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(positions).with_style(style)
}

/// Every position of a game, the last first: what is found there helps before it.
fn evaluate(
    game: &Game,
    index: usize,
    options: &Options,
    searcher: &mut Searcher,
    journal: &mut Journal,
    progress: &ProgressBar,
) -> io::Result<Vec<Evaluation>> {
    let records = game.records();
    searcher.forget();
    let mut evaluations = Vec::with_capacity(records.len());
    for (ply, record) in records.iter().enumerate().rev() {
        let position = record.position();
        let evaluation = if let Some(known) = journal.known(index, ply, position) {
            known
        } else {
            let found = search(record, &options.limits, searcher);
            journal.note(index, ply, position, &found)?;
            found
        };
        evaluations.push(evaluation);
        progress.inc(1);
    }
    evaluations.reverse();
    Ok(evaluations)
}

fn search(record: &Record, limits: &Limits, searcher: &mut Searcher) -> Evaluation {
    let position = record.position();
    if position.legal_moves().is_empty() {
        let score = if position.in_check() { mated_in(0) } else { 0 };
        return Evaluation { score, line: Vec::new() };
    }
    let (sender, reports) = unbounded();
    let root = Root { record: record.clone(), search_moves: Vec::new() };
    let limits = Limits { start: std::time::Instant::now(), ..limits.clone() };
    searcher.search(&root, &limits, &Signals::default(), &sender);
    let mut last = Evaluation { score: 0, line: Vec::new() };
    for report in reports.try_iter() {
        if let Report::Info(info) = report {
            last = Evaluation { score: info.score, line: info.pv };
        }
    }
    last
}

/// Writes beside the old file and puts the new one in its place: an interruption leaves one of them.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let fresh = path.with_extension("new");
    fs::write(&fresh, text)?;
    fs::rename(&fresh, path)
}

/// A game with what was found.
#[derive(Debug)]
struct Analysed {
    game: Game,
    /// Before the first move, after it, and so on.
    positions: Vec<Position>,
    evaluations: Vec<Evaluation>,
    judgements: Vec<Judgement>,
}

impl Analysed {
    fn new(game: Game, evaluations: Vec<Evaluation>) -> Self {
        let positions: Vec<Position> =
            game.records().iter().map(|record| record.position().clone()).collect();
        let at = |ply: usize| (&positions[ply], &evaluations[ply]);
        let judgements = (0..game.moves.len())
            .map(|ply| judge(at(ply), at(ply + 1), game.moves[ply].mv))
            .collect();
        Self { game, positions, evaluations, judgements }
    }

    /// White's and Black's.
    fn accuracies(&self) -> [Option<f64>; 2] {
        let first = self.game.start.side_to_move();
        crate::chess::Color::ALL.map(|side| judge::mean_accuracy(&self.judgements, first, side))
    }

    /// The score of the position after `ply` moves, for White, as `[%eval]` writes it.
    fn eval(&self, ply: usize) -> String {
        eval_text(&self.positions[ply], self.evaluations[ply].score)
    }

    /// The best line after `ply` moves, as far as it is shown.
    fn line(&self, ply: usize) -> &[crate::chess::Move] {
        let line = &self.evaluations[ply].line;
        &line[..line.len().min(LONGEST_LINE)]
    }

    fn note(&self, ply: usize) -> Note {
        let verdict = self.judgements[ply].verdict;
        let is_over = self.evaluations[ply + 1].line.is_empty();
        Note {
            nags: verdict.nag().into_iter().collect(),
            comment: if is_over {
                String::new()
            } else {
                format!("[%eval {}]", self.eval(ply + 1))
            },
            instead: if verdict == Verdict::Sound { Vec::new() } else { self.line(ply).to_vec() },
        }
    }

    fn pgn(&self) -> String {
        let notes: Vec<Note> = (0..self.judgements.len()).map(|ply| self.note(ply)).collect();
        let annotator = concat!("Tegenspel ", env!("CARGO_PKG_VERSION"));
        let mut tags = Vec::new();
        if self.game.tag("Annotator").is_empty() {
            tags.push(("Annotator".to_owned(), annotator.to_owned()));
        }
        game::write(&self.game, &tags, &notes) + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn without_a_budget_each_move_gets_half_a_second() {
        let options = parse("a.pgn b.pgn --threads 2").unwrap();
        assert_eq!(options.limits.move_time, Some(Duration::from_millis(500)));
        assert_eq!((options.files.len(), options.settings.threads), (2, 2));
        let options = parse("a.pgn --nodes 1000").unwrap();
        assert_eq!((options.limits.nodes, options.limits.move_time), (Some(1000), None));
    }

    #[test]
    fn wrong_words_are_named() {
        assert!(parse("--nodes 10").unwrap_err().contains("no file"));
        assert!(parse("a.pgn --nodes x").unwrap_err().contains("'x'"));
        assert!(parse("a.pgn --speed 3").unwrap_err().contains("'--speed'"));
    }

    #[test]
    fn files_that_would_be_written_over_are_refused() {
        for files in ["a.pgn a.txt", "a.pgn b.pgn ./a", "/a.pgn /a.pgn"] {
            let reason = parse(files).unwrap_err();
            assert!(reason.contains("same files") && reason.lines().count() == 1, "{reason}");
        }
        assert!(parse("a.pgn b.pgn c/a.pgn a.b.pgn").is_ok());
    }

    /// Légal's mate after a greedy queen: the capture of the queen is the blunder.
    #[test]
    fn the_losing_move_of_a_game_is_marked() {
        let text = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0";
        let game = game::read(text.as_bytes()).unwrap().remove(0);
        let limits = Limits { depth: Some(10), ..Limits::default() };
        let mut searcher = Searcher::new(&Settings { hash: 1, ..Settings::default() }).unwrap();
        let backwards = game.records().into_iter().rev();
        let mut evaluations: Vec<_> =
            backwards.map(|record| search(&record, &limits, &mut searcher)).collect();
        evaluations.reverse();
        let analysed = Analysed::new(game, evaluations);
        assert_eq!(analysed.judgements[9].verdict, Verdict::Blunder);
        assert_eq!(analysed.judgements[12].verdict, Verdict::Sound);
        let pgn = analysed.pgn();
        assert!(pgn.contains("Bxd1 $4") && pgn.contains("[%eval #1]"), "{pgn}");
        assert!(page::write("x", &[analysed]).contains("blunder"));
    }
}
