//! Position suites in EPD (S. J. Edwards 1994, section 16.2.5): `bm` best moves, `am` moves to
//! avoid, `dm` mate in so many moves, and points by move in `c0` (Strategic Test Suite, D. Corbit
//! & S. Mally) as in `c0 "Nf3=10, Nc3=7"`.

use std::{fs, path::Path, time::Duration};

use anyhow::{Context, Result, anyhow, bail};
use shakmaty::{Chess, Move, san::SanPlus, uci::UciMove};

use crate::{
    book,
    client::{Client, Fault, Score, Thought},
    game,
};

/// A position with what is known about it.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its `id`, or its number.
    pub name: String,
    /// The position.
    pub fen: String,
    /// Whether castling is written as in Chess960.
    pub chess960: bool,
    board: Chess,
    best: Vec<Move>,
    avoid: Vec<Move>,
    mate: Option<i32>,
    points: Vec<(Move, u32)>,
}

/// What an engine made of a task.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Its move, as it wrote it; what went wrong, if no move came.
    pub answer: Result<String, Fault>,
    /// Whether the task is solved.
    pub solved: bool,
    /// Points: of those given in the task, else 1 if solved.
    pub points: u32,
    /// From when on the engine stayed with its move.
    pub settled: Duration,
    /// All its time.
    pub time: Duration,
    /// Its score.
    pub score: Option<Score>,
    /// Depth and nodes.
    pub effort: (u32, u64),
}

/// The tasks of a file.
///
/// # Errors
/// If it cannot be read; if a line is no EPD, asks nothing, or names a move that is not legal.
pub fn read(path: &Path, chess960: bool) -> Result<Vec<Task>> {
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse_all(&String::from_utf8_lossy(&text), chess960).with_context(|| path.display().to_string())
}

fn parse_all(text: &str, chess960: bool) -> Result<Vec<Task>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let tasks: Result<Vec<Task>> = lines
        .filter(|(_, line)| !line.starts_with('#'))
        .map(|(i, line)| parse(line, i + 1, chess960).with_context(|| format!("line {}", i + 1)))
        .collect();
    match tasks {
        Ok(tasks) if tasks.is_empty() => bail!("no position"),
        tasks => tasks,
    }
}

fn parse(line: &str, number: usize, chess960: bool) -> Result<Task> {
    let fen = book::fen_of_line(line);
    let board = game::position(&fen, chess960).map_err(|error| anyhow!(error))?;
    let mut task = Task {
        name: number.to_string(),
        fen,
        chess960,
        board,
        best: Vec::new(),
        avoid: Vec::new(),
        mate: None,
        points: Vec::new(),
    };
    for (code, value) in operations(line) {
        match code {
            "bm" => task.best = task.moves(value)?,
            "am" => task.avoid = task.moves(value)?,
            "dm" => task.mate = Some(value.parse().with_context(|| format!("dm {value}"))?),
            "id" => value.trim_matches('"').clone_into(&mut task.name),
            "c0" => task.points = task.graded(value.trim_matches('"')),
            _ => {}
        }
    }
    let asks = !(task.best.is_empty() && task.avoid.is_empty() && task.points.is_empty());
    if asks || task.mate.is_some() { Ok(task) } else { bail!("it has none of bm, am, dm, c0") }
}

/// The operations behind the four fields of the position: an opcode and the text up to a `;` that
/// is not quoted.
fn operations(line: &str) -> Vec<(&str, &str)> {
    let mut rest = line.trim();
    for _ in 0..4 {
        rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    // A FEN's two counters may stand before the operations.
    while let Some((word, behind)) = rest.split_once(char::is_whitespace) {
        if word.parse::<u32>().is_err() {
            break;
        }
        rest = behind.trim_start();
    }
    let mut quoted = false;
    rest.split(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    })
    .filter_map(|operation| operation.trim().split_once(char::is_whitespace))
    .map(|(code, value)| (code, value.trim()))
    .collect()
}

impl Task {
    fn parse_move(&self, text: &str) -> Option<Move> {
        let san = text.trim_end_matches(['!', '?', ',']);
        let by_san = san.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(&self.board).ok());
        by_san.or_else(|| san.parse::<UciMove>().ok().and_then(|mv| mv.to_move(&self.board).ok()))
    }

    fn moves(&self, text: &str) -> Result<Vec<Move>> {
        text.split_whitespace()
            .map(|word| {
                self.parse_move(word).ok_or_else(|| anyhow!("'{word}' is not a legal move"))
            })
            .collect()
    }

    /// Moves with points; other comments in `c0` give none.
    fn graded(&self, text: &str) -> Vec<(Move, u32)> {
        text.split(',')
            .filter_map(|part| {
                let (mv, points) = part.trim().rsplit_once('=')?;
                Some((self.parse_move(mv)?, points.trim().parse().ok()?))
            })
            .collect()
    }

    /// Most points to be had.
    pub fn most_points(&self) -> u32 {
        self.points.iter().map(|&(_, points)| points).max().unwrap_or(1)
    }

    /// Lets an engine try: `go` is the whole command, `patience` the longest time.
    pub fn attempt(&self, client: &mut Client, go: &str, patience: Duration) -> Attempt {
        let position = format!("position fen {}", self.fen);
        let thought =
            client.new_game(self.chess960).and_then(|()| client.think(&position, go, patience));
        match thought {
            Ok(thought) => self.judge(thought),
            Err(fault) => Attempt {
                answer: Err(fault),
                solved: false,
                points: 0,
                settled: Duration::ZERO,
                time: Duration::ZERO,
                score: None,
                effort: (0, 0),
            },
        }
    }

    fn judge(&self, thought: Thought) -> Attempt {
        let mv = self.parse_uci(&thought.best);
        let known = |mv: Move| {
            (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
        };
        let graded = mv.and_then(|mv| self.points.iter().find(|(other, _)| *other == mv));
        let asks_for_move = !(self.best.is_empty() && self.avoid.is_empty());
        let mates = self.mate.is_none_or(
            |distance| matches!(thought.info.score, Some(Score::Mate(n)) if n > 0 && n <= distance),
        );
        let solved = match mv {
            None => false,
            Some(mv) if asks_for_move => known(mv) && mates,
            Some(_) if self.mate.is_some() => mates,
            Some(_) => graded.is_some_and(|&(_, points)| points == self.most_points()),
        };
        let points = if self.points.is_empty() {
            solved.into()
        } else {
            graded.map_or(0, |&(_, points)| points)
        };
        let answer = match mv {
            Some(_) => Ok(thought.best),
            None => Err(Fault::IllegalMove(thought.best)),
        };
        Attempt {
            answer,
            solved,
            points,
            settled: thought.settled,
            time: thought.time,
            score: thought.info.score,
            effort: (thought.info.depth, thought.info.nodes),
        }
    }

    fn parse_uci(&self, text: &str) -> Option<Move> {
        text.parse::<UciMove>().ok().and_then(|mv| mv.to_move(&self.board).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Info;

    fn thought(best: &str, score: Score) -> Thought {
        Thought {
            best: best.into(),
            time: Duration::from_millis(5),
            info: Info { score: Some(score), ..Info::default() },
            settled: Duration::ZERO,
            garbage: 0,
        }
    }

    fn task(line: &str) -> Task {
        parse(line, 1, false).unwrap()
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    #[test]
    fn any_best_move_solves_and_any_avoided_move_fails() {
        let best = task(&format!("{START} bm e4 Nf3; id \"a; b\";"));
        assert_eq!(best.name, "a; b");
        assert!(best.judge(thought("g1f3", Score::Centipawns(0))).solved);
        assert!(!best.judge(thought("d2d4", Score::Centipawns(0))).solved);
        let avoid = task(&format!("{START} 0 1 am f3;"));
        assert!(avoid.judge(thought("e2e4", Score::Centipawns(0))).solved);
        assert!(!avoid.judge(thought("f2f3", Score::Centipawns(0))).solved);
        assert!(!avoid.judge(thought("e2e5", Score::Centipawns(0))).solved);
    }

    #[test]
    fn graded_moves_give_their_points() {
        let task = task(&format!("{START} bm e4; c0 \"e4=10, d4=7, Nf3=3\";"));
        assert_eq!(task.most_points(), 10);
        let attempt = task.judge(thought("d2d4", Score::Centipawns(0)));
        assert_eq!((attempt.points, attempt.solved), (7, false));
    }

    #[test]
    fn a_mate_must_be_announced_in_time() {
        let task = task("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - dm 1;");
        assert!(task.judge(thought("a1a8", Score::Mate(1))).solved);
        assert!(!task.judge(thought("a1a8", Score::Mate(2))).solved);
        assert!(!task.judge(thought("a1a8", Score::Centipawns(900))).solved);
    }

    #[test]
    fn a_task_that_cannot_be_judged_is_refused() {
        for end in ["", "bm e5;", "id \"x\";", "dm x;"] {
            assert!(parse(&format!("{START} {end}"), 1, false).is_err(), "{end}");
        }
        assert!(parse_all("# nothing\n", false).is_err());
    }
}
