//! What the search asks of the endgame tables: the verdict on a node, and the order of the root's
//! moves. Both follow Stockfish in what is looked up and when.

use std::sync::atomic::Ordering::Relaxed;

use super::{alphabeta::Node, tt::Entry, worker::Worker};
use crate::{
    chess::{
        moves::Move,
        position::Position,
        record::Record,
        score::{DRAW, Score, TB_WIN},
        settings::Settings,
        tablebase::{Tables, Wdl},
    },
    engine::{Bound, Report},
};

/// Depth that a verdict of the tables is worth above the node's own: it is not to be displaced by
/// searches of the same position.
const WORTH: i32 = 6;

/// What is looked up during a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Probing<'a> {
    tables: &'a Tables,
    /// Most men of a position that is looked up inside the tree; 0 for none.
    men: u32,
    /// Positions of as many men as the user's limit are looked up from this depth on, those of fewer
    /// men always: it is the largest tables that lie on slow disks.
    depth: i32,
    limit: u32,
    /// Wins that the fifty-move rule turns into draws count as draws.
    fifty_moves: bool,
}

impl<'a> Probing<'a> {
    pub(super) fn new(tables: &'a Tables, settings: &Settings) -> Self {
        Self {
            tables,
            men: tables.found().men.min(settings.syzygy_probe_limit),
            depth: settings.syzygy_probe_depth,
            limit: settings.syzygy_probe_limit,
            fifty_moves: settings.syzygy_fifty_moves,
        }
    }

    /// Whether a node is looked up. Only right after a capture or pawn move: elsewhere a win may be
    /// one that the fifty-move rule turns into a draw.
    fn reaches(&self, position: &Position, depth: i32) -> bool {
        let men = position.occupied().count();
        men <= self.men
            && (men < self.limit || depth >= self.depth)
            && position.halfmove_clock() == 0
            && position.castling().is_empty()
    }

    /// The score of a verdict `ply` plies from the root. A win is at least one: its mate may yet be
    /// found, and is better.
    fn score(&self, wdl: Wdl, ply: usize) -> (Score, Bound) {
        let win = TB_WIN - ply as Score;
        match wdl {
            Wdl::Win => (win, Bound::Lower),
            Wdl::CursedWin if !self.fifty_moves => (win, Bound::Lower),
            Wdl::BlessedLoss if !self.fifty_moves => (-win, Bound::Upper),
            Wdl::Loss => (-win, Bound::Upper),
            // The opponent may err: a draw that he must find is a little better.
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => (DRAW + wdl as Score, Bound::Exact),
        }
    }
}

impl Worker<'_> {
    /// The verdict of the tables on a node, if it settles the node. If not, a node of the principal
    /// variation is searched on within what the verdict leaves open: how near is the mate?
    pub(super) fn probe_tables(&mut self, position: &Position, node: &mut Node) -> Option<Score> {
        let probing = &self.shared.probing;
        if node.excluded.is_some() || !probing.reaches(position, node.depth) {
            return None;
        }
        // A look-up may have to wait for a disk.
        self.clock_is_due = true;
        let Some(wdl) = probing.tables.wdl(position) else {
            if let Some(fault) = probing.tables.take_fault() {
                let _ = self.shared.reports.send(Report::Message(fault));
            }
            return None;
        };
        self.shared.counters[self.index].tb_hits.fetch_add(1, Relaxed);
        let (score, bound) = probing.score(wdl, node.ply);
        let entry = Entry {
            mv: None,
            score,
            eval: node.raw,
            depth: node.depth + WORTH,
            bound: Some(bound),
            was_pv: node.was_pv,
        };
        if entry.decides(node.alpha, node.beta) {
            self.shared.tt.store(position.key(), node.ply, entry);
            return Some(score);
        }
        if node.pv && bound == Bound::Lower {
            node.floor = score;
            node.alpha = node.alpha.max(score);
        } else if node.pv {
            node.ceiling = score;
        }
        None
    }
}

/// What the tables say of a move of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Better moves have a higher rank; only moves of the highest are searched for the best one.
    pub(super) rank: i32,
    /// What is shown unless the search finds a mate.
    pub(super) score: Score,
}

/// Rank of a win that the fifty-move rule cannot spoil, whichever way it is played.
const SURE: i32 = 1 << 18;
/// Rank of a win no plies away that must be played with care; a ply of distance costs one.
const HARD: i32 = 1 << 17;

/// Plies since the last capture or pawn move during which the search is free to win as it likes. After
/// them, or when a position has been repeated, it has shown that it knows no way, and the shortest way
/// of the table is taken.
const FREE: i32 = 20;

/// The verdicts on all moves of the root.
#[derive(Debug)]
pub(super) struct RootVerdicts {
    pub(super) of_moves: Vec<Verdict>,
    /// They tell distances, not only who wins.
    exact: bool,
}

impl Probing<'_> {
    /// What the tables say of `moves`, and what is left to be looked up inside the tree; `None` if
    /// the root is in no table.
    ///
    /// Where distances are known, the root move alone keeps the result, and the search is free to
    /// look for the shortest mate; without them, wins must be looked up further on.
    pub(super) fn rank_root(&mut self, record: &Record, moves: &[Move]) -> Option<RootVerdicts> {
        let position = record.position();
        if position.occupied().count() > self.men || !position.castling().is_empty() {
            return None;
        }
        let children: Vec<Record> = moves
            .iter()
            .map(|&mv| {
                let mut child = record.clone();
                child.push(mv);
                child
            })
            .collect();
        let verdicts = self.rank_by_distance(record, &children);
        let verdicts = verdicts.or_else(|| self.rank_by_result(&children))?;
        let best = verdicts.of_moves.iter().max_by_key(|verdict| verdict.rank);
        if verdicts.exact || best.is_some_and(|best| best.score <= DRAW) {
            self.men = 0;
        }
        Some(verdicts)
    }

    fn rank_by_distance(&self, record: &Record, children: &[Record]) -> Option<RootVerdicts> {
        let clock = record.position().halfmove_clock() as i32;
        let led = clock >= FREE || has_repeated(record);
        let of_moves = children
            .iter()
            .map(|child| {
                let rank = rank(self.distance(child)?, clock, led);
                Some(Verdict { rank, score: self.score_of_rank(rank) })
            })
            .collect::<Option<_>>()?;
        Some(RootVerdicts { of_moves, exact: true })
    }

    /// Plies from the root to the next capture or pawn move, by way of `child`, positive if we win.
    fn distance(&self, child: &Record) -> Option<i32> {
        let position = child.position();
        if position.halfmove_clock() == 0 {
            // The move itself is one; what follows counts from nought.
            return Some(match self.tables.wdl(position)? {
                Wdl::Loss => 1,
                Wdl::BlessedLoss => 101,
                Wdl::Draw => 0,
                Wdl::CursedWin => -101,
                Wdl::Win => -1,
            });
        }
        if child.is_checkmate() {
            return Some(1);
        }
        if self.is_drawn(child) {
            return Some(0);
        }
        let dtz = -self.tables.dtz(position)?;
        Some(dtz + dtz.signum())
    }

    fn rank_by_result(&self, children: &[Record]) -> Option<RootVerdicts> {
        let of_moves = children
            .iter()
            .map(|child| {
                let drawn = self.is_drawn(child) && !child.is_checkmate();
                let wdl = if drawn { Wdl::Draw } else { self.tables.wdl(child.position())? };
                let rank = match wdl {
                    Wdl::Loss => SURE,
                    Wdl::BlessedLoss => HARD - 101,
                    Wdl::Draw => 0,
                    Wdl::CursedWin => 101 - HARD,
                    Wdl::Win => -SURE,
                };
                Some(Verdict { rank, score: self.score_of_rank(rank) })
            })
            .collect::<Option<_>>()?;
        Some(RootVerdicts { of_moves, exact: false })
    }

    /// Drawn as the rules have it, mate aside.
    fn is_drawn(&self, record: &Record) -> bool {
        record.is_threefold() || self.fifty_moves && record.position().halfmove_clock() >= 100
    }

    fn score_of_rank(&self, rank: i32) -> Score {
        // Beyond a hundred plies the fifty-move rule draws.
        let win = if self.fifty_moves { HARD - 100 } else { 1 };
        match rank {
            rank if rank >= win => TB_WIN,
            rank if rank <= -win => -TB_WIN,
            rank => DRAW + rank.signum(),
        }
    }
}

/// The rank of a move with the fifty-move counter at `clock`.
///
/// All wins that the rule cannot spoil are one rank, until the table must lead the way. A side that
/// loses takes any move, too, unless the rule may save it.
fn rank(distance: i32, clock: i32, led: bool) -> i32 {
    match distance {
        // One ply less than the rule gives: distances may be one too short.
        1.. if distance + clock <= 99 && !led => SURE,
        1.. => HARD - (distance + clock),
        0 => 0,
        _ if clock - 2 * distance < 100 => -SURE,
        _ => clock - distance - HARD,
    }
}

/// Some position since the last capture or pawn move has been on the board twice.
fn has_repeated(record: &Record) -> bool {
    let keys = record.keys();
    let reversible = (record.position().halfmove_clock() as usize).min(keys.len());
    let mut recent = keys[keys.len() - reversible..].to_vec();
    recent.push(record.position().key());
    recent.sort_unstable();
    recent.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

    fn record(fen: &str, moves: &str) -> Record {
        let mut record = Record::new(Position::from_fen(fen).unwrap());
        for text in moves.split_whitespace() {
            record.push(record.position().parse_move(text).unwrap());
        }
        record
    }

    fn best_moves(record: &Record, settings: &Settings) -> (Vec<String>, Score, u32) {
        let (tables, _) = Tables::open(FOLDER);
        let mut probing = Probing::new(&tables, settings);
        let moves = record.position().legal_moves();
        let verdicts = probing.rank_root(record, &moves).unwrap().of_moves;
        let best = *verdicts.iter().max_by_key(|verdict| verdict.rank).unwrap();
        let names = moves
            .iter()
            .zip(&verdicts)
            .filter(|(_, verdict)| verdict.rank == best.rank)
            .map(|(mv, _)| record.position().move_text(*mv, false))
            .collect();
        (names, best.score, probing.men)
    }

    /// With king on e6 and pawn on e5 against a king on e8, all but two moves draw.
    #[test]
    fn only_winning_moves_share_the_first_rank() {
        let root = record("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "");
        let (mut moves, score, men) = best_moves(&root, &Settings::default());
        moves.sort();
        assert_eq!((moves, score, men), (vec!["e6d6".into(), "e6f6".into()], TB_WIN, 0));
    }

    /// FIDE 9.3: at 29 plies from mate with 72 of the hundred plies gone, no move wins any more; with 70
    /// gone only the shortest ways do.
    #[test]
    fn the_counter_of_fifty_moves_decides_what_still_wins() {
        let at = |clock| record(&format!("8/8/8/8/4k3/8/8/KR6 w - - {clock} 90"), "");
        let all = best_moves(&at(0), &Settings::default());
        let few = best_moves(&at(70), &Settings::default());
        assert!(all.0.len() > few.0.len() && few.1 == TB_WIN, "{all:?} {few:?}");
        assert!(best_moves(&at(72), &Settings::default()).1.abs() <= 1);
        let free = Settings { syzygy_fifty_moves: false, ..Settings::default() };
        assert_eq!(best_moves(&at(72), &free).1, TB_WIN);
    }

    #[test]
    fn after_a_repetition_the_table_shows_the_way() {
        let fen = "8/8/8/8/4k3/8/8/KR6 w - - 0 1";
        let once = best_moves(&record(fen, ""), &Settings::default());
        let moves = "b1b2 e4e5 b2b1 e5e4";
        let twice = best_moves(&record(fen, moves), &Settings::default());
        assert!(twice.0.len() < once.0.len() && twice.1 == TB_WIN, "{twice:?}");
    }

    #[test]
    fn a_side_that_loses_takes_the_move_that_the_rule_may_save() {
        assert_eq!(rank(-4, 0, false), -SURE);
        assert!(rank(-60, 50, false) > rank(-40, 50, false));
        assert!(rank(-60, 50, false) < 0);
    }
}
