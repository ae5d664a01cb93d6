//! Move histories: what worked elsewhere in the tree is tried first here.
//!
//! Four memories of quiet moves, each blind where another sees: by squares and threats (butterfly),
//! by piece under a pawn structure, by piece after each of the moves 1, 2, 4 and 6 plies ago
//! (continuations; Stockfish), and, near the root, by ply. One memory of captures.

use super::tunables::{
    history_bonus_most, history_bonus_slope, history_malus_most, history_malus_slope,
};
use crate::chess::{
    bitboard::Bitboard,
    moves::Move,
    piece::{Color, Piece, PieceKind},
    position::Position,
};

/// Bound of every history value.
pub(super) const HISTORY_MAX: i32 = 16_384;

/// Plies back of the moves that a continuation continues.
pub(super) const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];

/// Pawn structures told apart: a power of two.
const PAWN_SLOTS: usize = 512;

/// Plies from the root that have a memory of their own.
const LOW_PLIES: usize = 4;

/// A piece that comes to a square, as an index: 64 squares for each of 12 pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival(u16);

impl Arrival {
    const COUNT: usize = 12 * 64;

    #[inline]
    pub(super) fn new(piece: Piece, mv: Move) -> Self {
        Self((piece.index() * 64 + mv.to().index()) as u16)
    }

    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the other side attacks, in the order of what may be lost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Threats {
    /// By pawns.
    pub(super) pawn: Bitboard,
    /// By pawns, knights and bishops.
    pub(super) minor: Bitboard,
    /// By all those and rooks.
    pub(super) rook: Bitboard,
    /// By anything.
    pub(super) all: Bitboard,
}

impl Threats {
    pub(super) fn new(position: &Position) -> Self {
        let them = !position.side_to_move();
        let by = |kind| position.attacks_by(them, kind);
        let pawn = by(PieceKind::Pawn);
        let minor = pawn | by(PieceKind::Knight) | by(PieceKind::Bishop);
        let rook = minor | by(PieceKind::Rook);
        Self { pawn, minor, rook, all: rook | by(PieceKind::Queen) | by(PieceKind::King) }
    }

    /// Where a piece of this kind is attacked by a lesser one.
    #[inline]
    pub(super) const fn to(&self, kind: PieceKind) -> Bitboard {
        match kind {
            PieceKind::Knight | PieceKind::Bishop => self.pawn,
            PieceKind::Rook => self.minor,
            PieceKind::Queen => self.rook,
            PieceKind::Pawn | PieceKind::King => Bitboard::EMPTY,
        }
    }
}

/// Where a node stands, as far as the histories care.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) color: Color,
    pub(super) threats: Threats,
    /// The moves that led here, 1, 2, 4 and 6 plies ago; `None` for a null move or before the root.
    pub(super) continued: [Option<Arrival>; 4],
    pawns: usize,
    ply: usize,
}

impl Context {
    pub(super) fn new(
        position: &Position,
        ply: usize,
        continued: [Option<Arrival>; 4],
        threats: Threats,
    ) -> Self {
        let pawns = position.pawn_key() as usize % PAWN_SLOTS;
        Self { color: position.side_to_move(), threats, continued, pawns, ply }
    }
}

/// Moves `value` towards its bound, `LIMIT` either way: the nearer it is, the less a bonus adds
/// ("history gravity").
#[inline]
pub(super) fn gravitate<const LIMIT: i32>(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// Whether origin and target of a move are attacked, as indices.
#[inline]
fn exposed(threats: Bitboard, mv: Move) -> (usize, usize) {
    (usize::from(threats.contains(mv.from())), usize::from(threats.contains(mv.to())))
}

/// What a cutoff at `depth` is worth to the move that made it.
pub(super) fn bonus(depth: i32) -> i32 {
    (history_bonus_slope() * depth - 80).min(history_bonus_most())
}

/// What a cutoff at `depth` takes from the moves tried before the one that made it.
pub(super) fn malus(depth: i32) -> i32 {
    (history_malus_slope() * depth - 80).min(history_malus_most())
}

/// A table by arriving piece.
type ByArrival = [i16; Arrival::COUNT];
/// A table by the squares of a move.
type BySquares = [i16; 64 * 64];

/// After no move nothing is known.
static NOTHING: ByArrival = [0; Arrival::COUNT];

/// The rows of the tables that belong to one node, looked up once for all its moves.
#[derive(Debug)]
pub(super) struct QuietOrders<'a> {
    butterfly: &'a [[BySquares; 2]],
    threats: Bitboard,
    pawn: &'a ByArrival,
    continuation: [&'a ByArrival; 4],
    low_ply: Option<(&'a BySquares, i32)>,
}

impl QuietOrders<'_> {
    /// How well a quiet move did.
    #[inline]
    pub(super) fn of(&self, piece: Piece, mv: Move) -> i32 {
        let arrival = Arrival::new(piece, mv).index();
        let squares = Histories::squares(mv);
        let (from, to) = exposed(self.threats, mv);
        let doubled = i32::from(self.butterfly[from][to][squares]) + i32::from(self.pawn[arrival]);
        let continued: i32 = self.continuation.iter().map(|row| i32::from(row[arrival])).sum();
        let low =
            self.low_ply.map_or(0, |(table, divisor)| 8 * i32::from(table[squares]) / divisor);
        2 * doubled + continued + low
    }
}

/// The histories of one thread, kept from search to search.
#[derive(Debug)]
pub(super) struct Histories {
    /// By colour and whether the origin is attacked; whether the target is; from and to.
    butterfly: Vec<[BySquares; 2]>,
    /// By pawn structure and arriving piece.
    pawn: Vec<ByArrival>,
    /// By an earlier arrival and this one.
    continuation: Vec<ByArrival>,
    /// By ply from the root, from and to; emptied before each search.
    low_ply: Vec<BySquares>,
    /// By arriving piece and captured kind.
    noisy: Vec<[i16; 6]>,
}

impl Histories {
    pub(super) fn new() -> Self {
        Self {
            butterfly: vec![[[0; 64 * 64]; 2]; 4],
            pawn: vec![[0; Arrival::COUNT]; PAWN_SLOTS],
            continuation: vec![[0; Arrival::COUNT]; Arrival::COUNT],
            low_ply: vec![[0; 64 * 64]; LOW_PLIES],
            noisy: vec![[0; 6]; Arrival::COUNT],
        }
    }

    /// Forgets everything, in place: a new game costs no new memory.
    pub(super) fn clear(&mut self) {
        self.butterfly.as_flattened_mut().as_flattened_mut().fill(0);
        self.pawn.as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
        self.noisy.as_flattened_mut().fill(0);
        self.new_root();
    }

    /// A new search begins: its root is another.
    pub(super) fn new_root(&mut self) {
        self.low_ply.iter_mut().for_each(|table| table.fill(0));
    }

    #[inline]
    const fn squares(mv: Move) -> usize {
        mv.from().index() * 64 + mv.to().index()
    }

    #[inline]
    fn butterfly_of(&self, context: &Context, mv: Move) -> i32 {
        let (from, to) = exposed(context.threats.all, mv);
        self.butterfly[2 * context.color.index() + from][to][Self::squares(mv)].into()
    }

    #[inline]
    fn continuation_of(&self, context: &Context, back: usize, arrival: Arrival) -> i32 {
        context.continued[back]
            .map_or(0, |earlier| self.continuation[earlier.index()][arrival.index()].into())
    }

    /// The tables that say how well a node's quiet moves did, for their order.
    pub(super) fn quiet_orders(&self, context: &Context) -> QuietOrders<'_> {
        QuietOrders {
            butterfly: &self.butterfly[2 * context.color.index()..][..2],
            threats: context.threats.all,
            pawn: &self.pawn[context.pawns],
            continuation: context.continued.map(|earlier| {
                earlier.map_or(&NOTHING, |earlier| &self.continuation[earlier.index()])
            }),
            low_ply: self.low_ply.get(context.ply).map(|table| (table, 1 + 2 * context.ply as i32)),
        }
    }

    /// How well a quiet move did, for reductions: three tables' worth.
    pub(super) fn quiet_worth(&self, context: &Context, piece: Piece, mv: Move) -> i32 {
        let arrival = Arrival::new(piece, mv);
        self.butterfly_of(context, mv)
            + self.continuation_of(context, 0, arrival)
            + self.continuation_of(context, 1, arrival)
    }

    /// How well a quiet move did here and after the last two moves, for prunings.
    pub(super) fn quiet_follow_up(&self, context: &Context, piece: Piece, mv: Move) -> i32 {
        let arrival = Arrival::new(piece, mv);
        self.continuation_of(context, 0, arrival)
            + self.continuation_of(context, 1, arrival)
            + i32::from(self.pawn[context.pawns][arrival.index()])
    }

    /// How well a capture or promotion did.
    #[inline]
    pub(super) fn noisy(&self, position: &Position, mv: Move) -> i32 {
        let (arrival, captured) = noisy_index(position, mv);
        self.noisy[arrival.index()][captured].into()
    }

    /// Rewards or, with a negative bonus, punishes a quiet move.
    pub(super) fn update_quiet(&mut self, context: &Context, piece: Piece, mv: Move, bonus: i32) {
        let arrival = Arrival::new(piece, mv);
        self.update_squares(context.color, context.threats.all, mv, bonus);
        gravitate::<HISTORY_MAX>(&mut self.pawn[context.pawns][arrival.index()], bonus);
        if context.ply < LOW_PLIES {
            gravitate::<HISTORY_MAX>(&mut self.low_ply[context.ply][Self::squares(mv)], bonus);
        }
        self.update_continuations(&context.continued, arrival, bonus);
    }

    /// Rewards or punishes an arrival after the moves that it continues.
    pub(super) fn update_continuations(
        &mut self,
        continued: &[Option<Arrival>; 4],
        arrival: Arrival,
        bonus: i32,
    ) {
        for earlier in continued.iter().flatten() {
            gravitate::<HISTORY_MAX>(
                &mut self.continuation[earlier.index()][arrival.index()],
                bonus,
            );
        }
    }

    /// Rewards or punishes the squares of a quiet move alone, in whatever context.
    pub(super) fn update_squares(&mut self, color: Color, threats: Bitboard, mv: Move, bonus: i32) {
        let (from, to) = exposed(threats, mv);
        gravitate::<HISTORY_MAX>(
            &mut self.butterfly[2 * color.index() + from][to][Self::squares(mv)],
            bonus,
        );
    }

    /// Rewards or punishes a capture or promotion.
    pub(super) fn update_noisy(&mut self, position: &Position, mv: Move, bonus: i32) {
        let (arrival, captured) = noisy_index(position, mv);
        gravitate::<HISTORY_MAX>(&mut self.noisy[arrival.index()][captured], bonus);
    }
}

/// A promotion without capture is filed under the captured kings that there never are.
#[inline]
fn noisy_index(position: &Position, mv: Move) -> (Arrival, usize) {
    let captured = position.captured(mv).unwrap_or(PieceKind::King);
    (Arrival::new(position.moved(mv), mv), captured.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_bonuses_leaves_the_bounds() {
        let mut value = 0;
        for _ in 0..1000 {
            gravitate::<HISTORY_MAX>(&mut value, 1800);
        }
        assert!(value > 12_000 && i32::from(value) <= HISTORY_MAX);
        for _ in 0..1000 {
            gravitate::<HISTORY_MAX>(&mut value, -HISTORY_MAX * 3);
        }
        assert!(i32::from(value) >= -HISTORY_MAX);
    }

    /// A move is known again after the moves that it once continued, not after others.
    #[test]
    fn a_continuation_is_remembered_with_what_it_continues() {
        let mut histories = Histories::new();
        let position = Position::start();
        let mv = position.parse_move("e2e4").unwrap();
        let piece = position.moved(mv);
        let before = Some(Arrival(77));
        let threats = Threats::new(&position);
        let here = Context::new(&position, 9, [before, None, None, None], threats);
        let elsewhere = Context { continued: [Some(Arrival(78)), None, None, None], ..here };
        histories.update_continuations(&here.continued, Arrival::new(piece, mv), 1000);
        assert!(histories.quiet_orders(&here).of(piece, mv) > 0);
        assert_eq!(histories.quiet_orders(&elsewhere).of(piece, mv), 0);
    }
}
