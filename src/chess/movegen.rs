//! Legal moves.
//!
//! One generator writes into a [`Sink`]: a list, or a counter that takes whole sets of squares at
//! once. Only legal moves are made: pins and checks narrow the targets beforehand.

use super::{
    attacks::{
        between, bishop_attacks, bishop_rays, king_attacks, knight_attacks, knight_set_attacks,
        line, pawn_attacks, pawn_set_attacks, rook_attacks, rook_rays,
    },
    bitboard::Bitboard,
    castling::{CastlingRights, Wing},
    moves::{Move, MoveKind, MoveList},
    piece::{Color, PieceKind},
    position::{Position, piece_attacks, wing_of},
    square::Square,
};

/// Promotions of a set of pawn moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Promotions {
    All,
    Queen,
    Under,
}

/// Takes moves.
trait Sink {
    /// Moves of one piece.
    fn piece(&mut self, from: Square, targets: Bitboard, enemies: Bitboard);
    /// Moves of pawns, each `step` squares away.
    fn pawns(&mut self, targets: Bitboard, step: i8, kind: MoveKind);
    /// Promotions of pawns.
    fn promotions(&mut self, targets: Bitboard, step: i8, capture: bool, which: Promotions);
    /// One move.
    fn single(&mut self, from: Square, to: Square, kind: MoveKind);
}

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard, enemies: Bitboard) {
        for to in targets & enemies {
            self.push(Move::new(from, to, MoveKind::Capture));
        }
        for to in targets - enemies {
            self.push(Move::new(from, to, MoveKind::Quiet));
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8, kind: MoveKind) {
        for to in targets {
            self.push(Move::new(origin(to, step), to, kind));
        }
    }

    fn promotions(&mut self, targets: Bitboard, step: i8, capture: bool, which: Promotions) {
        for to in targets {
            let from = origin(to, step);
            let mut push =
                |kind| self.push(Move::new(from, to, MoveKind::promotion(kind, capture)));
            if which != Promotions::Under {
                push(PieceKind::Queen);
            }
            if which != Promotions::Queen {
                push(PieceKind::Knight);
                push(PieceKind::Rook);
                push(PieceKind::Bishop);
            }
        }
    }

    #[inline]
    fn single(&mut self, from: Square, to: Square, kind: MoveKind) {
        self.push(Move::new(from, to, kind));
    }
}

/// Counts moves.
struct Counter(u32);

impl Sink for Counter {
    #[inline]
    fn piece(&mut self, _from: Square, targets: Bitboard, _enemies: Bitboard) {
        self.0 += targets.count();
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _step: i8, _kind: MoveKind) {
        self.0 += targets.count();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _step: i8, _capture: bool, which: Promotions) {
        self.0 += targets.count()
            * match which {
                Promotions::All => 4,
                Promotions::Queen => 1,
                Promotions::Under => 3,
            };
    }

    #[inline]
    fn single(&mut self, _from: Square, _to: Square, _kind: MoveKind) {
        self.0 += 1;
    }
}

#[inline]
const fn origin(to: Square, step: i8) -> Square {
    Square::new((to.index() as i8 - step) as u8)
}

/// The generator: which moves to make and where they may go.
struct Generator<'a, S, const WHITE: bool, const NOISY: bool, const QUIET: bool> {
    position: &'a Position,
    sink: &'a mut S,
    us: Bitboard,
    them: Bitboard,
    occupied: Bitboard,
    king: Square,
    /// Squares that end a check: the checker's and those between; all when there is none.
    rescue: Bitboard,
    /// Squares that pieces may go to, for the kinds of moves wanted.
    targets: Bitboard,
}

impl<'a, S: Sink, const WHITE: bool, const NOISY: bool, const QUIET: bool>
    Generator<'a, S, WHITE, NOISY, QUIET>
{
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const NORTH: i8 = if WHITE { 8 } else { -8 };

    #[inline]
    fn run(position: &'a Position, sink: &'a mut S) {
        let us = position.by_color(Self::US);
        let them = position.by_color(!Self::US);
        let occupied = us | them;
        let king = position.king(Self::US);
        let wanted = match (NOISY, QUIET) {
            (true, true) => !us,
            (true, false) => them,
            _ => !occupied,
        };
        let checkers = position.checkers;
        let rescue = if checkers.is_empty() {
            Bitboard::FULL
        } else {
            between(king, checkers.lowest()) | checkers
        };
        let targets = wanted & rescue;
        let mut this = Self { position, sink, us, them, occupied, king, rescue, targets };
        let castles = this.king_moves(wanted);
        if checkers.has_several() {
            return;
        }
        this.pieces();
        this.all_pawns();
        for rook in castles.into_iter().flatten() {
            this.sink.single(king, rook, MoveKind::Castle);
        }
    }

    /// Moves of the king; returns the rooks he may castle with, since both ask which squares are
    /// attacked.
    #[inline]
    fn king_moves(&mut self, wanted: Bitboard) -> [Option<Square>; 2] {
        let steps = king_attacks(self.king) & wanted;
        let may_castle = QUIET && self.position.checkers.is_empty();
        let castles = if may_castle { self.open_castles() } else { [None; 2] };
        let ways = castles.iter().flatten().fold(Bitboard::EMPTY, |all, &(_, way)| all | way);
        let attacked = self.position.attacked_among::<WHITE>(steps | ways);
        self.sink.piece(self.king, steps - attacked, self.them);
        castles.map(|castle| {
            castle.filter(|&(_, way)| (way & attacked).is_empty()).map(|(rook, _)| rook)
        })
    }

    /// Castling moves with nothing in the way: the rook, and the squares the king crosses.
    #[inline]
    fn open_castles(&self) -> [Option<(Square, Bitboard)>; 2] {
        Wing::ALL.map(|wing| {
            let rook = self.position.castling.rook(Self::US, wing)?;
            Some((rook, self.position.open_way(wing, rook)?))
        })
    }

    #[inline]
    fn pieces(&mut self) {
        let position = self.position;
        let pinned = position.pinned;
        for from in position.pieces(PieceKind::Knight) & (self.us - pinned) {
            self.sink.piece(from, knight_attacks(from) & self.targets, self.them);
        }
        let diagonal = position.diagonal_sliders() & self.us;
        for from in diagonal - pinned {
            self.sink.piece(from, bishop_attacks(from, self.occupied) & self.targets, self.them);
        }
        let straight = position.straight_sliders() & self.us;
        for from in straight - pinned {
            self.sink.piece(from, rook_attacks(from, self.occupied) & self.targets, self.them);
        }
        if position.checkers.any() {
            return; // a pinned piece never ends a check
        }
        for from in diagonal & pinned {
            let targets = bishop_attacks(from, self.occupied) & self.targets;
            self.sink.piece(from, targets & line(self.king, from), self.them);
        }
        for from in straight & pinned {
            let targets = rook_attacks(from, self.occupied) & self.targets;
            self.sink.piece(from, targets & line(self.king, from), self.them);
        }
    }

    #[inline]
    fn all_pawns(&mut self) {
        let pawns = self.position.pieces(PieceKind::Pawn) & self.us;
        let pinned = pawns & self.position.pinned;
        self.pawns(pawns - pinned, self.rescue);
        for from in pinned {
            self.pawns(from.bitboard(), self.rescue & line(self.king, from));
        }
        if NOISY && let Some(to) = self.position.en_passant {
            for from in pawn_attacks(!Self::US, to) & pawns {
                if self.position.is_en_passant_safe(from, to) {
                    self.sink.single(from, to, MoveKind::EnPassant);
                }
            }
        }
    }

    /// Moves of pawns that may go to `allowed`.
    #[inline]
    fn pawns(&mut self, pawns: Bitboard, allowed: Bitboard) {
        let last = Bitboard::RANKS[if WHITE { 7 } else { 0 }];
        let third = Bitboard::RANKS[if WHITE { 2 } else { 5 }];
        let ahead = pawns.forward(Self::US);
        let pushes = ahead - self.occupied;
        let doubles = (pushes & third).forward(Self::US) - self.occupied;
        let promotions = pushes & last & allowed;
        if QUIET {
            self.sink.pawns((pushes - last) & allowed, Self::NORTH, MoveKind::Quiet);
            self.sink.pawns(doubles & allowed, 2 * Self::NORTH, MoveKind::DoublePush);
        }
        if promotions.any() {
            let which = match (NOISY, QUIET) {
                (true, true) => Promotions::All,
                (true, false) => Promotions::Queen,
                _ => Promotions::Under,
            };
            self.sink.promotions(promotions, Self::NORTH, false, which);
        }
        if NOISY {
            let victims = self.them & allowed;
            for (captures, step) in [
                (ahead.shift_west() & victims, Self::NORTH - 1),
                (ahead.shift_east() & victims, Self::NORTH + 1),
            ] {
                self.sink.pawns(captures - last, step, MoveKind::Capture);
                if (captures & last).any() {
                    self.sink.promotions(captures & last, step, true, Promotions::All);
                }
            }
        }
    }
}

impl Position {
    #[inline]
    fn generate<S: Sink, const NOISY: bool, const QUIET: bool>(&self, sink: &mut S) {
        match self.side {
            Color::White => Generator::<S, true, NOISY, QUIET>::run(self, sink),
            Color::Black => Generator::<S, false, NOISY, QUIET>::run(self, sink),
        }
    }

    /// Every legal move.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate::<_, true, true>(&mut list);
        list
    }

    /// Adds the legal captures and the promotions to a queen.
    pub fn noisy_moves(&self, list: &mut MoveList) {
        self.generate::<_, true, false>(list);
    }

    /// Adds the other legal moves.
    pub fn quiet_moves(&self, list: &mut MoveList) {
        self.generate::<_, false, true>(list);
    }

    /// How many legal moves there are, without making them.
    pub fn count_legal_moves(&self) -> u64 {
        let mut counter = Counter(0);
        self.generate::<_, true, true>(&mut counter);
        u64::from(counter.0)
    }

    /// Which of some squares the side that is not to move attacks, or would if the king of the side
    /// to move stepped aside.
    #[inline]
    fn attacked_among<const WHITE: bool>(&self, squares: Bitboard) -> Bitboard {
        if squares.is_empty() {
            return squares;
        }
        let us = if WHITE { Color::White } else { Color::Black };
        let them = self.by_color(!us);
        let occupied = self.occupied().without(self.king(us));
        let mut attacked = pawn_set_attacks(!us, self.pieces(PieceKind::Pawn) & them)
            | knight_set_attacks(self.pieces(PieceKind::Knight) & them)
            | king_attacks(self.king(!us));
        for slider in self.diagonal_sliders() & them {
            if (bishop_rays(slider) & squares).any() {
                attacked |= bishop_attacks(slider, occupied);
            }
        }
        for slider in self.straight_sliders() & them {
            if (rook_rays(slider) & squares).any() {
                attacked |= rook_attacks(slider, occupied);
            }
        }
        attacked & squares
    }

    /// The squares a castling king crosses or ends on, if no piece is in the way of king or rook
    /// (FIDE 3.8.2.2.2). `None` also if the rook shields the king, which happens in Chess960.
    #[inline]
    fn open_way(&self, wing: Wing, rook: Square) -> Option<Bitboard> {
        let us = self.side;
        let king = self.king(us);
        let (king_to, rook_to) = CastlingRights::destinations(us, wing);
        let way = between(king, king_to).with(king_to);
        let both = king.bitboard() | rook.bitboard();
        let empty = (way | between(rook, rook_to).with(rook_to)) - both;
        let is_open = (empty & self.occupied()).is_empty() && !self.pinned.contains(rook);
        is_open.then(|| way.without(king))
    }

    /// Whether the side to move, not in check, may castle with the rook on `rook` (FIDE 3.8.2).
    fn may_castle(&self, wing: Wing, rook: Square) -> bool {
        let attacked = |way| match self.side {
            Color::White => self.attacked_among::<true>(way),
            Color::Black => self.attacked_among::<false>(way),
        };
        self.open_way(wing, rook).is_some_and(|way| attacked(way).is_empty())
    }

    /// Whether a move, from wherever it comes, is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_on(from).filter(|piece| piece.color() == us) else {
            return false;
        };
        if mv.is_castle() {
            return piece.kind() == PieceKind::King
                && !self.in_check()
                && self.castling.rook(us, wing_of(mv)) == Some(to)
                && self.may_castle(wing_of(mv), to);
        }
        let takes = self.by_color(!us).contains(to) || mv.is_en_passant();
        if self.by_color(us).contains(to) || takes != mv.is_capture() {
            return false;
        }
        match piece.kind() {
            PieceKind::Pawn => self.is_legal_pawn_move(mv),
            PieceKind::King => {
                matches!(mv.kind(), MoveKind::Quiet | MoveKind::Capture)
                    && king_attacks(from).contains(to)
                    && !self.is_attacked_through(to, !us, self.occupied().without(from))
            }
            kind => {
                matches!(mv.kind(), MoveKind::Quiet | MoveKind::Capture)
                    && piece_attacks(kind, from, self.occupied()).contains(to)
                    && self.keeps_king_safe(from, to)
            }
        }
    }

    fn is_legal_pawn_move(&self, mv: Move) -> bool {
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        if mv.is_en_passant() {
            return self.en_passant == Some(to)
                && pawn_attacks(us, from).contains(to)
                && self.is_en_passant_safe(from, to);
        }
        if mv.promotion().is_some() != (to.relative_to(us).rank() == 7) {
            return false;
        }
        let reaches = match mv.kind() {
            MoveKind::DoublePush => {
                let way = from.bitboard().forward(us);
                let both = way | way.forward(us);
                from.relative_to(us).rank() == 1
                    && way.forward(us).contains(to)
                    && (both & self.occupied()).is_empty()
            }
            _ if mv.is_capture() => pawn_attacks(us, from).contains(to),
            _ => from.bitboard().forward(us).contains(to),
        };
        reaches && self.keeps_king_safe(from, to)
    }

    /// A piece other than the king leaves no check unanswered and no pin.
    #[inline]
    fn keeps_king_safe(&self, from: Square, to: Square) -> bool {
        let king = self.king(self.side);
        if self.pinned.contains(from) && !line(king, from).contains(to) {
            return false;
        }
        match self.checkers.first() {
            None => true,
            Some(checker) => {
                !self.checkers.has_several()
                    && (between(king, checker).contains(to) || checker == to)
            }
        }
    }
}
