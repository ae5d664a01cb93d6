//! A tournament: who plays whom from which opening, on several boards at once, and a journal that
//! makes an interruption harmless.
//!
//! The journal is one line of JSON a game, written to the disk before the game counts. A line cut
//! short by a crash is no game: it is dropped and the game is played again. The PGN file is
//! written anew from the journal when a tournament is resumed.

use std::{
    collections::{BTreeSet, HashMap},
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use anyhow::{Context, Result, bail};
use crossbeam_channel::{Sender, unbounded};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::{
    client::{Client, EngineSpec, Fault},
    clock::TimeControl,
    elo::Outcome,
    game::{self, Game, Rules},
    pgn,
    standings::Played,
};

/// What makes two runs the same tournament: all that decides which game has which number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The players.
    pub engines: Vec<EngineSpec>,
    /// Time control of those without their own.
    pub control: TimeControl,
    /// Only the first player meets the others.
    pub gauntlet: bool,
    /// FENs, in the order of use; each is played twice.
    pub openings: Vec<String>,
    /// Chess960.
    pub chess960: bool,
}

/// One game to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairing {
    /// Indices of White and Black among the engines.
    pub players: [usize; 2],
    /// Index of the opening.
    pub opening: usize,
    /// Number of the pair of games, from 0.
    pub pair: u64,
}

impl Plan {
    /// The players' names, in the user's order: the first is the one that a test is about.
    pub fn names(&self) -> Vec<String> {
        self.engines.iter().map(|engine| engine.name.clone()).collect()
    }

    /// Pairings of two players that meet.
    fn meetings(&self) -> Vec<[usize; 2]> {
        let n = self.engines.len();
        let first = if self.gauntlet { 1 } else { n };
        (0..first).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect()
    }

    /// Games of `rounds` pairs of each two players that meet.
    pub fn games(&self, rounds: u64) -> u64 {
        2 * rounds * self.meetings().len() as u64
    }

    /// The game with this number, from 0. Both games of a pair have the same opening, and so have
    /// all pairs of a round.
    pub fn pairing(&self, number: u64) -> Pairing {
        let meetings = self.meetings();
        let pair = number / 2;
        let [a, b] = meetings[(pair % meetings.len() as u64) as usize];
        let round = pair / meetings.len() as u64;
        Pairing {
            players: if number.is_multiple_of(2) { [a, b] } else { [b, a] },
            opening: (round % self.openings.len() as u64) as usize,
            pair,
        }
    }

    /// The time control of a player.
    pub fn control(&self, player: usize) -> TimeControl {
        self.engines[player].control.unwrap_or(self.control)
    }

    fn check(&self) -> Result<()> {
        if self.engines.len() < 2 {
            bail!("a match needs two engines");
        }
        let names: BTreeSet<&str> = self.engines.iter().map(|engine| &*engine.name).collect();
        if names.len() < self.engines.len() {
            bail!("two engines have the same name");
        }
        if self.openings.is_empty() {
            bail!("there is no opening");
        }
        if (0..self.engines.len()).any(|player| !self.control(player).is_limited()) {
            bail!("an engine has no time control");
        }
        Ok(())
    }
}

/// What is kept of a game.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Its number in the plan.
    pub number: u64,
    /// Indices of White and Black.
    pub players: [usize; 2],
    /// Index of the opening.
    pub opening: usize,
    /// Half points of White.
    pub half_points: u8,
    /// How it ended.
    pub reason: String,
    /// Index of the player that failed, and how.
    pub fault: Option<(usize, String)>,
    /// Smaller offences, White first.
    pub warnings: [u32; 2],
    /// Milliseconds of each move.
    pub times: Vec<u32>,
    /// Depth of each move.
    pub depths: Vec<u32>,
    /// The game.
    pub pgn: String,
}

impl Record {
    /// For White.
    pub const fn outcome(&self) -> Outcome {
        match self.half_points {
            0 => Outcome::Loss,
            1 => Outcome::Draw,
            _ => Outcome::Win,
        }
    }

    /// For standings.
    pub fn played(&self, plan: &Plan) -> Played {
        let name = |side: usize| plan.engines[self.players[side]].name.clone();
        let pair = (self.number / 2).to_string();
        Played { white: name(0), black: name(1), outcome: self.outcome(), pair }
    }
}

/// The games played so far, on disk.
#[derive(Debug)]
pub struct Journal {
    file: File,
    pgn: Option<PathBuf>,
    /// In the order in which they ended.
    pub records: Vec<Record>,
}

impl Journal {
    /// Opens the journal of a tournament, new or interrupted, for this process alone.
    ///
    /// # Errors
    /// If the plan cannot be played; if the journal belongs to another plan, is in use, is damaged
    /// before its last line, or cannot be read or written.
    pub fn open(path: &Path, plan: &Plan, pgn: Option<&Path>) -> Result<Self> {
        // Before a file is there that would have to be removed by hand.
        plan.check()?;
        let context = || format!("journal {}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .with_context(context)?;
        if file.try_lock().is_err() {
            bail!("{} is in use by another match", path.display());
        }
        let (valid, header, records) = read_lines(&file).with_context(context)?;
        file.set_len(valid).with_context(context)?;
        file.seek(SeekFrom::End(0)).with_context(context)?;
        match header {
            None => {
                if let Some(pgn) = pgn.filter(|pgn| pgn.exists()) {
                    fs::remove_file(path).with_context(context)?;
                    bail!("{} is there already, without its journal", pgn.display());
                }
                write_line(&mut file, &serde_json::to_string(plan)?).with_context(context)?;
            }
            Some(old) if old == *plan => {}
            Some(_) => bail!("{} belongs to another tournament", path.display()),
        }
        if let Some(pgn) = pgn {
            // Rename is atomic: the old file or the new one, never half of one.
            let fresh = pgn.with_extension("pgn.new");
            let text: String = records.iter().map(|record| record.pgn.as_str()).collect();
            fs::write(&fresh, text).with_context(context)?;
            fs::rename(&fresh, pgn).with_context(context)?;
        }
        Ok(Self { file, pgn: pgn.map(Path::to_owned), records })
    }

    fn add(&mut self, record: Record) -> Result<()> {
        write_line(&mut self.file, &serde_json::to_string(&record)?)?;
        if let Some(pgn) = &self.pgn {
            let mut pgn = OpenOptions::new().append(true).create(true).open(pgn)?;
            pgn.write_all(record.pgn.as_bytes())?;
        }
        self.records.push(record);
        Ok(())
    }
}

fn write_line(file: &mut File, line: &str) -> std::io::Result<()> {
    file.write_all(format!("{line}\n").as_bytes())?;
    file.sync_data()
}

/// Length of the sound part, the plan, and the games, each number once.
fn read_lines(file: &File) -> Result<(u64, Option<Plan>, Vec<Record>)> {
    let mut reader = BufReader::new(file);
    let (mut valid, mut plan, mut records) = (0, None, Vec::new());
    let mut numbers = BTreeSet::new();
    loop {
        let mut line = Vec::new();
        let length = reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok((valid, plan, records)); // the end, or a line cut short
        }
        if plan.is_none() {
            plan = Some(serde_json::from_slice(&line).context("no plan in its first line")?);
        } else {
            let record: Record = serde_json::from_slice(&line)
                .with_context(|| format!("damaged at byte {valid}"))?;
            if numbers.insert(record.number) {
                records.push(record);
            }
        }
        valid += length as u64;
    }
}

/// Plays the games that are missing among the first `games`, on `boards` boards. After each game
/// `after` is told; when it says false, no new game begins.
///
/// # Errors
/// If the journal cannot be written.
pub fn run(
    plan: &Plan,
    rules: &Rules,
    journal: &mut Journal,
    games: u64,
    boards: usize,
    mut after: impl FnMut(&[Record]) -> bool,
) -> Result<()> {
    let done: BTreeSet<u64> = journal.records.iter().map(|record| record.number).collect();
    let queue = Mutex::new((0..games).filter(|number| !done.contains(number)));
    let stop = AtomicBool::new(false);
    let (sender, finished) = unbounded();
    thread::scope(|scope| {
        for _ in 0..boards.max(1) {
            let sender = sender.clone();
            let (queue, stop) = (&queue, &stop);
            scope.spawn(move || board(plan, rules, &|| queue.lock().next(), stop, &sender));
        }
        drop(sender);
        for record in finished {
            if let Err(error) = journal.add(record) {
                stop.store(true, Relaxed);
                return Err(error.context("the journal cannot be written"));
            }
            if !after(&journal.records) {
                stop.store(true, Relaxed);
            }
        }
        Ok(())
    })
}

fn board(
    plan: &Plan,
    rules: &Rules,
    next: &dyn Fn() -> Option<u64>,
    stop: &AtomicBool,
    sender: &Sender<Record>,
) {
    let mut clients: HashMap<usize, Client> = HashMap::new();
    while !stop.load(Relaxed) {
        let Some(number) = next() else { break };
        let pairing = plan.pairing(number);
        clients.retain(|player, _| pairing.players.contains(player));
        let game = play(plan, rules, &pairing, &mut clients);
        if let Some((color, _)) = &game.fault {
            let side = usize::from(*color == Color::Black);
            clients.remove(&pairing.players[side]); // a new process for the next game
        }
        if sender.send(record(plan, number, &pairing, game)).is_err() {
            break;
        }
    }
}

fn play(
    plan: &Plan,
    rules: &Rules,
    pairing: &Pairing,
    clients: &mut HashMap<usize, Client>,
) -> Game {
    let fen = &plan.openings[pairing.opening];
    let mut pair = Vec::new();
    for (player, color) in pairing.players.into_iter().zip([Color::White, Color::Black]) {
        let client =
            clients.remove(&player).map_or_else(|| Client::start(&plan.engines[player]), Ok);
        match client {
            Ok(client) => pair.push(client),
            Err(fault) => return unstarted(fen, color, fault),
        }
    }
    let controls = pairing.players.map(|player| plan.control(player));
    let [white, black] = &mut pair[..] else { unreachable!("both players were pushed") };
    let game = game::play([white, black], controls, fen, rules);
    clients.extend(pairing.players.into_iter().zip(pair));
    game
}

fn unstarted(fen: &str, color: Color, fault: Fault) -> Game {
    let outcome = if color == Color::White { Outcome::Loss } else { Outcome::Win };
    let reason = format!("{color:?} {fault}");
    let fault = Some((color, fault));
    Game { fen: fen.to_owned(), plies: Vec::new(), outcome, reason, fault, warnings: [0; 2] }
}

fn record(plan: &Plan, number: u64, pairing: &Pairing, game: Game) -> Record {
    let players = pairing.players;
    let controls = players.map(|player| plan.control(player).to_string());
    let control =
        if controls[0] == controls[1] { controls[0].clone() } else { controls.join(" : ") };
    let tags = pgn::Tags {
        event: "Tegenspel match",
        round: pairing.pair + 1,
        players: players.map(|player| plan.engines[player].name.as_str()),
        control: &control,
        chess960: plan.chess960,
    };
    Record {
        number,
        players,
        opening: pairing.opening,
        half_points: game.outcome.half_points() as u8,
        pgn: pgn::write(&game, &tags),
        fault: game
            .fault
            .map(|(color, fault)| (players[usize::from(color == Color::Black)], fault.to_string())),
        warnings: game.warnings,
        times: game.plies.iter().map(|ply| ply.time.as_millis() as u32).collect(),
        depths: game.plies.iter().map(|ply| ply.depth).collect(),
        reason: game.reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(players: usize, gauntlet: bool) -> Plan {
        let engine = |i| EngineSpec::from_words(["cmd=x", &format!("name=E{i}")]).unwrap();
        Plan {
            engines: (0..players).map(engine).collect(),
            control: "1+0".parse().unwrap(),
            gauntlet,
            openings: vec!["a".into(), "b".into()],
            chess960: false,
        }
    }

    #[test]
    fn every_pair_meets_with_both_colours_from_the_same_opening() {
        let plan = plan(4, false);
        assert_eq!(plan.games(3), 36);
        for number in (0..36).step_by(2) {
            let (first, second) = (plan.pairing(number), plan.pairing(number + 1));
            assert_eq!(first.opening, second.opening);
            assert_eq!(first.players, [second.players[1], second.players[0]]);
        }
    }

    #[test]
    fn in_a_gauntlet_the_first_player_meets_all_others() {
        let plan = plan(4, true);
        assert_eq!(plan.games(1), 6);
        assert!((0..6).all(|number| plan.pairing(number).players.contains(&0)));
    }

    fn record(number: u64) -> Record {
        Record {
            number,
            players: [0, 1],
            opening: 0,
            half_points: 1,
            reason: "x".into(),
            fault: None,
            warnings: [0; 2],
            times: vec![1],
            depths: vec![2],
            pgn: format!("[Round \"{number}\"]\n\n*\n\n"),
        }
    }

    #[test]
    fn a_plan_that_cannot_be_played_leaves_no_journal_behind() {
        let path = std::env::temp_dir().join(format!("no-journal-{}", std::process::id()));
        let mut plan = plan(2, false);
        plan.engines[1].name = "E0".into();
        assert!(Journal::open(&path, &plan, None).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn a_journal_cut_in_the_middle_of_a_line_loses_that_game_only() {
        let path = std::env::temp_dir().join(format!("journal-{}", std::process::id()));
        let (plan, pgn) = (plan(2, false), path.with_extension("pgn"));
        let mut journal = Journal::open(&path, &plan, Some(&pgn)).unwrap();
        journal.add(record(0)).unwrap();
        journal.add(record(3)).unwrap();
        assert!(Journal::open(&path, &plan, None).is_err(), "it is in use");
        drop(journal);
        let length = fs::metadata(&path).unwrap().len();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 5).unwrap();
        let journal = Journal::open(&path, &plan, Some(&pgn)).unwrap();
        assert_eq!(journal.records.len(), 1);
        assert_eq!(fs::read_to_string(&pgn).unwrap(), record(0).pgn);
        drop(journal);
        let other = Plan { chess960: true, ..plan };
        assert!(Journal::open(&path, &other, Some(&pgn)).is_err(), "another tournament");
        fs::remove_file(&path).unwrap();
        fs::remove_file(&pgn).unwrap();
    }
}
