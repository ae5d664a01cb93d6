//! The hidden layers of the line that the search is looking at.
//!
//! A move only notes what it changes; the sums are made when an evaluation asks for them, all
//! changes of a move at once. When a king crosses the middle of the board its side's inputs all
//! change: the layer then comes from the last one seen with the king on that half, and what differs
//! from it (the "Finny table" of L. Finny, as Stockfish and Alexandria have it).

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::{
    features::{bucket, input, is_mirrored},
    network::Network,
    simd::{Block, Kernel, Work, add, dispatch, subtract, update},
};
use crate::chess::{
    bitboard::Bitboard,
    castling::{CastlingRights, Wing},
    moves::Move,
    piece::{Color, Piece, PieceKind},
    position::Position,
    score::Score,
    square::Square,
};

type Men = ArrayVec<(Piece, Square), 2>;

/// One position of the line.
#[derive(Debug, Default, Clone)]
struct Entry {
    /// Men that its last move put down and took away.
    added: Men,
    taken: Men,
    /// By colour: the side sees the board mirrored.
    mirrored: [bool; 2],
    /// By colour: the view was turned by the last move, so that nothing before it is of use.
    turned: [bool; 2],
    /// By colour: the layer is up to date.
    ready: [bool; 2],
}

/// The last layer seen by a side with its king on one half of the board.
#[derive(Debug)]
struct Seen {
    pieces: [Bitboard; 12],
    layer: Vec<Block>,
}

/// One thread's hidden layers.
#[derive(Debug)]
pub struct Accumulators {
    network: Arc<Network>,
    line: Vec<Entry>,
    /// Two layers for each position of the line, White's first.
    layers: Vec<Block>,
    /// By colour and half of the board.
    seen: [[Seen; 2]; 2],
}

impl Accumulators {
    /// Those of a network, for no position yet.
    pub fn new(network: Arc<Network>) -> Self {
        let nothing = || Seen { pieces: [Bitboard::EMPTY; 12], layer: network.biases.clone() };
        let seen = [(); 2].map(|()| [(); 2].map(|()| nothing()));
        let mut new = Self { network, line: Vec::new(), layers: Vec::new(), seen };
        new.reset(&Position::start());
        new
    }

    /// The network.
    pub const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Begins a new line.
    pub fn reset(&mut self, root: &Position) {
        self.line.clear();
        let mirrored = Color::ALL.map(|color| is_mirrored(root.king(color)));
        self.push(Entry { mirrored, turned: [true; 2], ..Entry::default() });
    }

    /// `mv` is about to be played on `position`, the last of the line.
    pub fn make(&mut self, position: &Position, mv: Move) {
        let us = position.side_to_move();
        let moved = position.moved(mv);
        let (from, to) = (mv.from(), mv.to());
        let mut entry = self.next();
        let mut king_to = to;
        entry.taken.push((moved, from));
        if mv.is_castle() {
            let wing = if to > from { Wing::King } else { Wing::Queen };
            let rook = Piece::new(us, PieceKind::Rook);
            let (king, rook_to) = CastlingRights::destinations(us, wing);
            king_to = king;
            entry.taken.push((rook, to));
            entry.added.push((moved, king));
            entry.added.push((rook, rook_to));
        } else {
            let placed = mv.promotion().map_or(moved, |kind| Piece::new(us, kind));
            entry.added.push((placed, to));
            if let Some(kind) = position.captured(mv) {
                let square =
                    if mv.is_en_passant() { Square::at(to.file(), from.rank()) } else { to };
                entry.taken.push((Piece::new(!us, kind), square));
            }
        }
        if moved.kind() == PieceKind::King {
            let mirrored = is_mirrored(king_to);
            entry.turned[us.index()] = mirrored != entry.mirrored[us.index()];
            entry.mirrored[us.index()] = mirrored;
        }
        self.push(entry);
    }

    /// A null move is about to be played.
    pub fn make_null(&mut self) {
        let entry = self.next();
        self.push(entry);
    }

    /// The last move is taken back.
    pub fn unmake(&mut self) {
        debug_assert!(self.line.len() > 1, "the root was not reached by a move");
        self.line.pop();
    }

    /// Centipawns for the side to move of `position`, the last of the line.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        let level = self.network.level;
        dispatch(level, Evaluation { accumulators: self, position })
    }

    /// An entry like the last, without a change.
    fn next(&self) -> Entry {
        let mirrored = self.line.last().map_or([false; 2], |last| last.mirrored);
        Entry { mirrored, ..Entry::default() }
    }

    fn push(&mut self, entry: Entry) {
        self.line.push(entry);
        let needed = 2 * self.network.blocks * self.line.len();
        if self.layers.len() < needed {
            self.layers.resize(needed, Block::ZERO);
        }
    }

    /// Brings the last layer of a side up to date.
    #[inline(always)]
    fn bring_up(&mut self, viewer: Color, position: &Position) {
        let side = viewer.index();
        let last = self.line.len() - 1;
        let mut first = last;
        while !self.line[first].ready[side] {
            if self.line[first].turned[side] {
                self.refresh(viewer, position);
                return;
            }
            first -= 1;
        }
        for index in first + 1..=last {
            self.advance(viewer, index);
        }
    }

    /// Makes a layer from the one before it.
    #[inline(always)]
    fn advance(&mut self, viewer: Color, index: usize) {
        let (blocks, side) = (self.network.blocks, viewer.index());
        let (before, after) = self.layers.split_at_mut(2 * blocks * index);
        let source = &before[2 * blocks * (index - 1) + side * blocks..][..blocks];
        let target = &mut after[side * blocks..][..blocks];
        let entry = &mut self.line[index];
        entry.ready[side] = true;
        let mirrored = entry.mirrored[side];
        let network = &*self.network;
        let row = |&(piece, square): &(Piece, Square)| {
            network.row(input(viewer, mirrored, piece, square))
        };
        match (&entry.added[..], &entry.taken[..]) {
            ([a], [x]) => update(target, source, [row(a)], [row(x)]),
            ([a], [x, y]) => update(target, source, [row(a)], [row(x), row(y)]),
            ([a, b], [x, y]) => update(target, source, [row(a), row(b)], [row(x), row(y)]),
            _ => target.copy_from_slice(source),
        }
    }

    /// Makes the last layer of a side from the one it saw last with its king on that half.
    #[inline(always)]
    fn refresh(&mut self, viewer: Color, position: &Position) {
        let (blocks, side) = (self.network.blocks, viewer.index());
        let last = self.line.len() - 1;
        let entry = &mut self.line[last];
        entry.ready[side] = true;
        let mirrored = entry.mirrored[side];
        let seen = &mut self.seen[side][usize::from(mirrored)];
        for (piece, old) in Piece::ALL.into_iter().zip(&mut seen.pieces) {
            let new = position.of(piece.color(), piece.kind());
            let row = |square| self.network.row(input(viewer, mirrored, piece, square));
            for square in new - *old {
                add(&mut seen.layer, row(square));
            }
            for square in *old - new {
                subtract(&mut seen.layer, row(square));
            }
            *old = new;
        }
        self.layers[2 * blocks * last + side * blocks..][..blocks].copy_from_slice(&seen.layer);
    }
}

struct Evaluation<'a> {
    accumulators: &'a mut Accumulators,
    position: &'a Position,
}

impl Work for Evaluation<'_> {
    type Output = Score;

    #[inline(always)]
    fn run<K: Kernel>(self) -> Score {
        let Self { accumulators, position } = self;
        accumulators.bring_up(Color::White, position);
        accumulators.bring_up(Color::Black, position);
        let blocks = accumulators.network.blocks;
        let last = 2 * blocks * (accumulators.line.len() - 1);
        let (white, black) = accumulators.layers[last..][..2 * blocks].split_at(blocks);
        let layer = bucket(position.occupied().count());
        match position.side_to_move() {
            Color::White => accumulators.network.output::<K>(white, black, layer),
            Color::Black => accumulators.network.output::<K>(black, white, layer),
        }
    }
}
