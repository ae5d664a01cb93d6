//! Moves in the order of their promise, made no sooner than they are asked for.

use arrayvec::ArrayVec;

use super::{
    history::{Context, Histories},
    tunables::{order_check, order_threat_minor, order_threat_queen, order_threat_rook},
};
use crate::chess::{
    attacks::{bishop_attacks, knight_attacks, pawn_attacks, rook_attacks},
    bitboard::Bitboard,
    moves::{MAX_MOVES, Move, MoveList},
    piece::PieceKind,
    position::Position,
    see::SEE_VALUES,
};

/// Quiet moves below this in the order come after the captures that lose material.
const GOOD_QUIET: i32 = -9_000;
/// A capture counts as good if it loses no more than its place in the order divided by this.
const GOOD_NOISY_DIVISOR: i32 = 48;

/// Where the picker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    MakeNoisy,
    GoodNoisy,
    Killer,
    MakeQuiet,
    GoodQuiet,
    BadNoisy,
    BadQuiet,
}

/// What the picker is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// All moves.
    Main,
    /// Captures and queen promotions that win at least so many centipawns by exchanges.
    Noisy(i32),
}

#[derive(Debug, Clone, Copy)]
struct Scored {
    mv: Move,
    score: i32,
}

/// Yields each legal move once.
#[derive(Debug)]
pub(super) struct MovePicker {
    stage: Stage,
    purpose: Purpose,
    table_move: Option<Move>,
    killer: Option<Move>,
    skip_quiets: bool,
    moves: ArrayVec<Scored, MAX_MOVES>,
    next: usize,
    /// Captures that lose material, best first.
    bad: ArrayVec<Move, 64>,
    next_bad: usize,
}

impl MovePicker {
    /// All moves. `table_move` and `killer` must be legal or absent.
    pub(super) fn new(table_move: Option<Move>, killer: Option<Move>) -> Self {
        Self {
            stage: Stage::Table,
            purpose: Purpose::Main,
            table_move,
            killer: killer.filter(|&mv| Some(mv) != table_move),
            skip_quiets: false,
            moves: ArrayVec::new(),
            next: 0,
            bad: ArrayVec::new(),
            next_bad: 0,
        }
    }

    /// Captures and queen promotions only, and of these only such as win at least `threshold`
    /// centipawns by exchanges; the table's move always.
    pub(super) fn noisy(table_move: Option<Move>, threshold: i32) -> Self {
        let table_move = table_move.filter(|mv| mv.is_noisy());
        let purpose = Purpose::Noisy(threshold);
        Self { purpose, skip_quiets: true, ..Self::new(table_move, None) }
    }

    /// From now on no quiet moves.
    pub(super) const fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub(super) fn next(
        &mut self,
        position: &Position,
        histories: &Histories,
        context: &Context,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::MakeNoisy;
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::MakeNoisy => {
                    self.make_noisy(position, histories);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => {
                    if let Some(mv) = self.good_noisy(position) {
                        return Some(mv);
                    }
                    self.stage = Stage::Killer;
                }
                Stage::Killer => {
                    self.stage = Stage::MakeQuiet;
                    if self.killer.is_some() && !self.skip_quiets {
                        return self.killer;
                    }
                }
                Stage::MakeQuiet => {
                    if !self.skip_quiets {
                        self.make_quiet(position, histories, context);
                    }
                    self.stage = Stage::GoodQuiet;
                }
                Stage::GoodQuiet => {
                    if let Some(mv) = self.quiet(GOOD_QUIET) {
                        return Some(mv);
                    }
                    self.stage = Stage::BadNoisy;
                }
                Stage::BadNoisy => {
                    if let Some(&mv) = self.bad.get(self.next_bad) {
                        self.next_bad += 1;
                        return Some(mv);
                    }
                    self.stage = Stage::BadQuiet;
                }
                Stage::BadQuiet => return self.quiet(i32::MIN),
            }
        }
    }

    fn make_noisy(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        position.noisy_moves(&mut list);
        let score = |mv: Move| {
            let victim = position.captured(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
            let promotion = mv.promotion().map_or(0, |kind| SEE_VALUES[kind.index()]);
            16 * (victim + promotion) + histories.noisy(position, mv)
        };
        self.moves.extend(
            list.iter()
                .filter(|&&mv| Some(mv) != self.table_move)
                .map(|&mv| Scored { mv, score: score(mv) }),
        );
    }

    fn good_noisy(&mut self, position: &Position) -> Option<Move> {
        while let Some(scored) = self.take_best(i32::MIN) {
            let threshold = match self.purpose {
                Purpose::Main => -scored.score / GOOD_NOISY_DIVISOR,
                Purpose::Noisy(threshold) => threshold,
            };
            if position.see_ge(scored.mv, threshold) {
                return Some(scored.mv);
            }
            if self.purpose == Purpose::Main {
                // Past the capacity, which no sane position fills, it comes at once.
                if self.bad.try_push(scored.mv).is_err() {
                    return Some(scored.mv);
                }
            }
        }
        None
    }

    fn make_quiet(&mut self, position: &Position, histories: &Histories, context: &Context) {
        let mut list = MoveList::new();
        position.quiet_moves(&mut list);
        let checks = CheckSquares::new(position);
        let orders = histories.quiet_orders(context);
        self.moves.clear();
        self.next = 0;
        for &mv in &list {
            if Some(mv) == self.table_move || Some(mv) == self.killer {
                continue;
            }
            let piece = position.moved(mv);
            let kind = piece.kind();
            let score = orders.of(piece, mv)
                + threat_bonus(context, kind, mv)
                + order_check() * i32::from(checks.of(kind).contains(mv.to()));
            self.moves.push(Scored { mv, score });
        }
    }

    fn quiet(&mut self, least: i32) -> Option<Move> {
        if self.skip_quiets { None } else { self.take_best(least).map(|scored| scored.mv) }
    }

    /// Selection sort, one step: a cutoff usually comes before the rest need an order.
    fn take_best(&mut self, least: i32) -> Option<Scored> {
        let rest = &mut self.moves[self.next..];
        let mut best = *rest.first()?;
        let mut place = 0;
        for (i, &scored) in rest.iter().enumerate().skip(1) {
            if scored.score > best.score {
                (best, place) = (scored, i);
            }
        }
        if best.score < least {
            return None;
        }
        rest.swap(0, place);
        self.next += 1;
        Some(best)
    }
}

/// A piece that a lesser one attacks is well moved, and badly put where one would (Stockfish).
fn threat_bonus(context: &Context, kind: PieceKind, mv: Move) -> i32 {
    let worth = match kind {
        PieceKind::Queen => order_threat_queen(),
        PieceKind::Rook => order_threat_rook(),
        PieceKind::Knight | PieceKind::Bishop => order_threat_minor(),
        PieceKind::Pawn | PieceKind::King => return 0,
    };
    let attacked = context.threats.to(kind);
    worth * (i32::from(attacked.contains(mv.from())) - i32::from(attacked.contains(mv.to())))
}

/// From where each kind would check the other king.
struct CheckSquares([Bitboard; 6]);

impl CheckSquares {
    fn new(position: &Position) -> Self {
        let them = !position.side_to_move();
        let king = position.king(them);
        let occupied = position.occupied();
        let (bishop, rook) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        let knight = knight_attacks(king);
        Self([pawn_attacks(them, king), knight, bishop, rook, bishop | rook, Bitboard::EMPTY])
    }

    const fn of(&self, kind: PieceKind) -> Bitboard {
        self.0[kind.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::search::history::Threats;

    fn context(position: &Position) -> Context {
        Context::new(position, 0, [None; 4], Threats::new(position))
    }

    /// Every legal move comes once, whatever the table and killer moves are.
    #[test]
    fn the_picker_yields_the_legal_moves_once_each() {
        let histories = Histories::new();
        for fen in crate::chess::samples::POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            let legal = position.legal_moves();
            let table = legal.iter().copied().next();
            let killer = legal.iter().copied().rev().find(|mv| mv.is_quiet());
            let mut picker = MovePicker::new(table, killer);
            let mut seen = Vec::new();
            while let Some(mv) = picker.next(&position, &histories, &context(&position)) {
                seen.push(mv);
            }
            let mut sorted: Vec<u16> = seen.iter().map(|mv| mv.raw()).collect();
            let mut wanted: Vec<u16> = legal.iter().map(|mv| mv.raw()).collect();
            sorted.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(sorted, wanted, "{fen}");
        }
    }

    #[test]
    fn quiescence_sees_no_quiet_move_and_no_losing_capture() {
        let histories = Histories::new();
        for fen in crate::chess::samples::POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            let mut picker = MovePicker::noisy(None, 0);
            while let Some(mv) = picker.next(&position, &histories, &context(&position)) {
                assert!(mv.is_noisy() && position.see_ge(mv, 0), "{fen}");
            }
        }
    }
}
