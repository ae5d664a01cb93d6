//! A position: everything the rules ask for, in one value that is copied rather than unmade.

use super::{
    attacks::{
        between, bishop_attacks, bishop_rays, king_attacks, knight_attacks, line, pawn_attacks,
        rook_attacks, rook_rays,
    },
    bitboard::Bitboard,
    castling::{CastlingRights, Wing},
    moves::{Move, MoveKind},
    piece::{Color, Piece, PieceKind},
    square::Square,
    zobrist,
};

/// Zobrist keys over parts of a position, kept up to date by every move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) full: u64,
    pub(super) pawn: u64,
    pub(super) non_pawn: [u64; 2],
    pub(super) minor: u64,
    pub(super) major: u64,
    pub(super) material: u64,
}

/// A position of chess or Chess960, without the moves that led to it (see
/// [`Record`](super::record::Record)).
#[derive(Clone)]
pub struct Position {
    pub(super) board: [Option<Piece>; 64],
    pub(super) kinds: [Bitboard; 6],
    pub(super) colors: [Bitboard; 2],
    pub(super) keys: Keys,
    /// Pieces that give check to the side to move.
    pub(super) checkers: Bitboard,
    /// Pieces of the side to move that shield its king from a slider.
    pub(super) pinned: Bitboard,
    pub(super) castling: CastlingRights,
    /// Only when such a capture is legal.
    pub(super) en_passant: Option<Square>,
    pub(super) side: Color,
    pub(super) halfmoves: u16,
    pub(super) fullmoves: u32,
}

impl Position {
    /// A board without pieces; to be filled by the FEN reader.
    pub(super) const fn empty() -> Self {
        Self {
            board: [None; 64],
            kinds: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            keys: Keys { full: 0, pawn: 0, non_pawn: [0; 2], minor: 0, major: 0, material: 0 },
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling: CastlingRights::EMPTY,
            en_passant: None,
            side: Color::White,
            halfmoves: 0,
            fullmoves: 1,
        }
    }

    /// Who is to move.
    #[inline]
    pub const fn side_to_move(&self) -> Color {
        self.side
    }

    /// The piece on a square.
    #[inline]
    pub const fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// The kind of the piece on a square.
    #[inline]
    pub fn kind_on(&self, square: Square) -> Option<PieceKind> {
        self.piece_on(square).map(Piece::kind)
    }

    /// All pieces of a kind.
    #[inline]
    pub const fn pieces(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// All pieces of a colour.
    #[inline]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// All pieces of a colour and kind.
    #[inline]
    pub fn of(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.by_color(color) & self.pieces(kind)
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Bishops and queens.
    #[inline]
    pub(super) fn diagonal_sliders(&self) -> Bitboard {
        self.pieces(PieceKind::Bishop) | self.pieces(PieceKind::Queen)
    }

    /// Rooks and queens.
    #[inline]
    pub(super) fn straight_sliders(&self) -> Bitboard {
        self.pieces(PieceKind::Rook) | self.pieces(PieceKind::Queen)
    }

    /// Where a king stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.of(color, PieceKind::King).lowest()
    }

    /// Pieces that give check to the side to move.
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// The side to move is in check.
    #[inline]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Pieces of `color` that shield its king from a slider.
    pub fn pinned(&self, color: Color) -> Bitboard {
        if color == self.side { self.pinned } else { self.blockers(color) & self.by_color(color) }
    }

    /// Pieces of either colour that alone stand between the king of `color` and a hostile slider.
    pub(super) fn blockers(&self, color: Color) -> Bitboard {
        let king = self.king(color);
        let occupied = self.occupied();
        let mut blockers = Bitboard::EMPTY;
        for slider in self.snipers(king, color) {
            let shield = between(king, slider) & occupied;
            if !shield.has_several() {
                blockers |= shield;
            }
        }
        blockers
    }

    /// Hostile sliders that would attack the king of `color` on `king` were the board empty.
    #[inline]
    fn snipers(&self, king: Square, color: Color) -> Bitboard {
        (bishop_rays(king) & self.diagonal_sliders() | rook_rays(king) & self.straight_sliders())
            & self.by_color(!color)
    }

    /// Half-moves since the last capture or pawn move (FIDE 9.3).
    #[inline]
    pub const fn halfmove_clock(&self) -> u32 {
        self.halfmoves as u32
    }

    /// Number of the move to be made, from 1, counted up after each of Black's.
    pub const fn fullmove_number(&self) -> u32 {
        self.fullmoves
    }

    /// The square on which a pawn may be taken in passing; only when such a capture is legal.
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// The castling rights.
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// Zobrist key of the position: pieces, side, castling rights, en passant.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.keys.full
    }

    /// Zobrist key of the pawns alone.
    #[inline]
    pub const fn pawn_key(&self) -> u64 {
        self.keys.pawn
    }

    /// Zobrist key of one side's pieces that are no pawns.
    #[inline]
    pub const fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawn[color.index()]
    }

    /// Zobrist key of knights, bishops and kings.
    #[inline]
    pub const fn minor_key(&self) -> u64 {
        self.keys.minor
    }

    /// Zobrist key of rooks, queens and kings.
    #[inline]
    pub const fn major_key(&self) -> u64 {
        self.keys.major
    }

    /// Key of how many of each piece there are.
    #[inline]
    pub const fn material_key(&self) -> u64 {
        self.keys.material
    }

    /// Key of the position after a move, castling rights and en passant aside: good enough to
    /// fetch a table entry early.
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let moved = self.moved(mv);
        let mut key = self.keys.full ^ zobrist::SIDE;
        key ^= zobrist::piece(moved, mv.from()) ^ zobrist::piece(moved, mv.to());
        if let Some(captured) = self.board[mv.to().index()] {
            key ^= zobrist::piece(captured, mv.to());
        }
        if let Some(square) = self.en_passant {
            key ^= zobrist::en_passant(square.file());
        }
        key
    }

    /// What a move takes.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<PieceKind> {
        if !mv.is_capture() {
            None
        } else if mv.is_en_passant() {
            Some(PieceKind::Pawn)
        } else {
            self.kind_on(mv.to())
        }
    }

    /// What a move moves; in castling, the king.
    ///
    /// # Panics
    /// If the move's square of origin is empty: the move is not one of this position.
    #[inline]
    pub fn moved(&self, mv: Move) -> Piece {
        self.board[mv.from().index()].expect("a legal move moves a piece")
    }

    /// Pieces of both sides that attack a square, given the occupied squares.
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        pawn_attacks(Color::Black, square) & self.of(Color::White, PieceKind::Pawn)
            | pawn_attacks(Color::White, square) & self.of(Color::Black, PieceKind::Pawn)
            | knight_attacks(square) & self.pieces(PieceKind::Knight)
            | king_attacks(square) & self.pieces(PieceKind::King)
            | bishop_attacks(square, occupied) & self.diagonal_sliders()
            | rook_attacks(square, occupied) & self.straight_sliders()
    }

    /// Whether a side attacks a square.
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        self.is_attacked_through(square, by, self.occupied())
    }

    /// Whether a side attacks a square, given the occupied squares.
    #[inline]
    pub(super) fn is_attacked_through(
        &self,
        square: Square,
        by: Color,
        occupied: Bitboard,
    ) -> bool {
        let them = self.by_color(by);
        (pawn_attacks(!by, square) & self.pieces(PieceKind::Pawn) & them
            | knight_attacks(square) & self.pieces(PieceKind::Knight) & them
            | king_attacks(square) & self.pieces(PieceKind::King) & them)
            .any()
            || (bishop_attacks(square, occupied) & self.diagonal_sliders() & them).any()
            || (rook_attacks(square, occupied) & self.straight_sliders() & them).any()
    }

    /// Squares attacked by all pieces of a kind.
    pub fn attacks_by(&self, color: Color, kind: PieceKind) -> Bitboard {
        let pieces = self.of(color, kind);
        let occupied = self.occupied();
        if kind == PieceKind::Pawn {
            return super::attacks::pawn_set_attacks(color, pieces);
        }
        pieces.into_iter().fold(Bitboard::EMPTY, |attacks, square| {
            attacks | piece_attacks(kind, square, occupied)
        })
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let them = !self.side;
        let king = self.king(them);
        let (from, to) = (mv.from(), mv.to());
        let occupied = self.occupied().without(from);
        let direct = match (mv.kind(), mv.promotion()) {
            (MoveKind::Castle, _) => {
                let wing = wing_of(mv);
                let (king_to, rook_to) = CastlingRights::destinations(self.side, wing);
                let occupied = occupied.without(to).with(king_to).with(rook_to);
                return rook_attacks(king, occupied).contains(rook_to);
            }
            (_, Some(promoted)) => piece_attacks(promoted, to, occupied).contains(king),
            (_, None) => match self.moved(mv).kind() {
                PieceKind::Pawn => pawn_attacks(self.side, to).contains(king),
                PieceKind::King => false,
                kind => piece_attacks(kind, to, occupied).contains(king),
            },
        };
        if direct {
            return true;
        }
        if mv.is_en_passant() {
            let taken = Square::at(to.file(), from.rank());
            let occupied = occupied.without(taken).with(to);
            let ours = self.by_color(self.side);
            return (bishop_attacks(king, occupied) & self.diagonal_sliders() & ours).any()
                || (rook_attacks(king, occupied) & self.straight_sliders() & ours).any();
        }
        self.blockers(them).contains(from) && !line(king, from).contains(to)
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        let moved = self.moved(mv);
        let rights = self.castling.bits();
        self.halfmoves = self.halfmoves.saturating_add(1);
        if let Some(square) = self.en_passant.take() {
            self.keys.full ^= zobrist::en_passant(square.file());
        }
        let mut double_push = false;
        match mv.kind() {
            MoveKind::Castle => self.castle(mv),
            kind => {
                if mv.is_capture() {
                    let square = if kind == MoveKind::EnPassant {
                        Square::at(to.file(), from.rank())
                    } else {
                        to
                    };
                    self.take(square);
                }
                match mv.promotion() {
                    Some(promoted) => self.promote(from, to, moved, promoted),
                    None => self.shift(moved, from, to),
                }
                if moved.kind() == PieceKind::Pawn {
                    self.halfmoves = 0;
                    double_push = kind == MoveKind::DoublePush;
                }
            }
        }
        if rights != 0 {
            if moved.kind() == PieceKind::King {
                self.castling.revoke_all(us);
            } else {
                self.castling.revoke_rook(us, from);
            }
            self.castling.revoke_rook(!us, to);
            self.keys.full ^= zobrist::castling(rights) ^ zobrist::castling(self.castling.bits());
        }
        self.fullmoves = self.fullmoves.saturating_add(us as u32);
        self.side = !us;
        self.keys.full ^= zobrist::SIDE;
        self.refresh();
        if double_push {
            self.allow_en_passant(Square::new(
                i32::midpoint(from.index() as i32, to.index() as i32) as u8,
            ));
        }
    }

    /// Passes the move. Not in check.
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check());
        if let Some(square) = self.en_passant.take() {
            self.keys.full ^= zobrist::en_passant(square.file());
        }
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.fullmoves = self.fullmoves.saturating_add(self.side as u32);
        self.side = !self.side;
        self.keys.full ^= zobrist::SIDE;
        self.refresh();
    }

    fn castle(&mut self, mv: Move) {
        let us = self.side;
        let (king, rook) = (Piece::new(us, PieceKind::King), Piece::new(us, PieceKind::Rook));
        let (king_to, rook_to) = CastlingRights::destinations(us, wing_of(mv));
        // In Chess960 either may stand where the other goes: both are lifted first.
        self.toggle(king, mv.from());
        self.toggle(rook, mv.to());
        self.board[mv.from().index()] = None;
        self.board[mv.to().index()] = None;
        self.toggle(king, king_to);
        self.toggle(rook, rook_to);
        self.board[king_to.index()] = Some(king);
        self.board[rook_to.index()] = Some(rook);
    }

    fn promote(&mut self, from: Square, to: Square, pawn: Piece, promoted: PieceKind) {
        let piece = Piece::new(self.side, promoted);
        self.remove(pawn, from);
        self.put(piece, to);
    }

    fn take(&mut self, square: Square) {
        let captured = self.board[square.index()].expect("a capture takes a piece");
        self.remove(captured, square);
        self.halfmoves = 0;
    }

    /// Moves a piece to an empty square.
    #[inline]
    fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        let both = from.bitboard() | to.bitboard();
        self.kinds[piece.kind().index()] ^= both;
        self.colors[piece.color().index()] ^= both;
        self.toggle_key(piece, zobrist::piece(piece, from) ^ zobrist::piece(piece, to));
        self.board[from.index()] = None;
        self.board[to.index()] = Some(piece);
    }

    /// Puts a piece on an empty square.
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        let count = self.of(piece.color(), piece.kind()).count();
        self.keys.material ^= zobrist::material(piece, count);
        self.toggle(piece, square);
        self.board[square.index()] = Some(piece);
    }

    fn remove(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
        self.board[square.index()] = None;
        let count = self.of(piece.color(), piece.kind()).count();
        self.keys.material ^= zobrist::material(piece, count);
    }

    #[inline]
    fn toggle(&mut self, piece: Piece, square: Square) {
        self.kinds[piece.kind().index()] ^= square.bitboard();
        self.colors[piece.color().index()] ^= square.bitboard();
        self.toggle_key(piece, zobrist::piece(piece, square));
    }

    #[inline]
    fn toggle_key(&mut self, piece: Piece, number: u64) {
        self.keys.full ^= number;
        match piece.kind() {
            PieceKind::Pawn => self.keys.pawn ^= number,
            kind => {
                self.keys.non_pawn[piece.color().index()] ^= number;
                if matches!(kind, PieceKind::Knight | PieceKind::Bishop | PieceKind::King) {
                    self.keys.minor ^= number;
                }
                if matches!(kind, PieceKind::Rook | PieceKind::Queen | PieceKind::King) {
                    self.keys.major ^= number;
                }
            }
        }
    }

    /// Finds checkers and pinned pieces of the side to move.
    pub(super) fn refresh(&mut self) {
        let king = self.king(self.side);
        let them = self.by_color(!self.side);
        let occupied = self.occupied();
        let mut checkers = pawn_attacks(self.side, king) & self.pieces(PieceKind::Pawn) & them
            | knight_attacks(king) & self.pieces(PieceKind::Knight) & them;
        let mut pinned = Bitboard::EMPTY;
        for slider in self.snipers(king, self.side) {
            let shield = between(king, slider) & occupied;
            if shield.is_empty() {
                checkers = checkers.with(slider);
            } else if !shield.has_several() {
                pinned |= shield;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned & self.by_color(self.side);
    }

    /// Notes that a pawn has just passed `square`, if it may be taken there.
    pub(super) fn allow_en_passant(&mut self, square: Square) {
        let pawns = pawn_attacks(!self.side, square) & self.of(self.side, PieceKind::Pawn);
        if pawns.into_iter().any(|from| self.is_en_passant_safe(from, square)) {
            self.en_passant = Some(square);
            self.keys.full ^= zobrist::en_passant(square.file());
        }
    }

    /// Whether the pawn on `from` may take in passing on `to` without leaving its king attacked:
    /// two pawns leave the rank at once, so pins do not tell (FIDE 3.9.2).
    pub(super) fn is_en_passant_safe(&self, from: Square, to: Square) -> bool {
        let taken = Square::at(to.file(), from.rank());
        let occupied = self.occupied().without(from).without(taken).with(to);
        let attackers = self.attackers_to(self.king(self.side), occupied);
        (attackers & self.by_color(!self.side)).without(taken).is_empty()
    }

    /// A dead position for want of material (FIDE 5.2.2): bare kings, a single minor piece, or
    /// bishops all on squares of one colour.
    pub fn has_insufficient_material(&self) -> bool {
        let heavy = self.pieces(PieceKind::Pawn)
            | self.pieces(PieceKind::Rook)
            | self.pieces(PieceKind::Queen);
        if heavy.any() {
            return false;
        }
        let knights = self.pieces(PieceKind::Knight);
        let bishops = self.pieces(PieceKind::Bishop);
        match knights.count() {
            0 => (bishops & Bitboard::DARK).is_empty() || (bishops - Bitboard::DARK).is_empty(),
            1 => bishops.is_empty(),
            _ => false,
        }
    }

    /// Whether a side has a piece besides king and pawns.
    #[inline]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        let others = self.pieces(PieceKind::Pawn) | self.pieces(PieceKind::King);
        (self.by_color(color) - others).any()
    }

    /// Whether the castling rights need Chess960 notation: a king or rook off its usual square.
    pub fn is_chess960_setup(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            Wing::ALL.into_iter().any(|wing| {
                let usual = Square::at(if wing == Wing::King { 7 } else { 0 }, 7 * color as u8);
                let king = Square::at(4, 7 * color as u8);
                self.castling
                    .rook(color, wing)
                    .is_some_and(|rook| rook != usual || self.king(color) != king)
            })
        })
    }
}

/// On which wing a castling move castles: the rook's side of the king.
#[inline]
pub(super) const fn wing_of(mv: Move) -> Wing {
    if mv.to().index() > mv.from().index() { Wing::King } else { Wing::Queen }
}

/// Squares that a piece other than a pawn attacks.
#[inline]
pub(super) fn piece_attacks(kind: PieceKind, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Pawn => Bitboard::EMPTY,
        PieceKind::Knight => knight_attacks(square),
        PieceKind::Bishop => bishop_attacks(square, occupied),
        PieceKind::Rook => rook_attacks(square, occupied),
        PieceKind::Queen => super::attacks::queen_attacks(square, occupied),
        PieceKind::King => king_attacks(square),
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Position({self})")
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.keys == other.keys
            && self.board == other.board
            && self.castling == other.castling
            && self.en_passant == other.en_passant
            && self.side == other.side
            && self.halfmoves == other.halfmoves
            && self.fullmoves == other.fullmoves
    }
}

impl Eq for Position {}
