//! A game: where it began, the moves, and what the rules ask about its past.

use super::{moves::Move, position::Position};

/// A position with the moves that led to it.
#[derive(Debug, Clone)]
pub struct Record {
    start: Position,
    current: Position,
    moves: Vec<Move>,
    /// Keys of the positions before the current one, oldest first.
    keys: Vec<u64>,
}

impl Record {
    /// A game that begins here.
    pub fn new(start: Position) -> Self {
        Self { current: start.clone(), start, moves: Vec::new(), keys: Vec::new() }
    }

    /// The position now.
    pub const fn position(&self) -> &Position {
        &self.current
    }

    /// The first position.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Keys of all positions before the current one, oldest first.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Plays a legal move.
    pub fn push(&mut self, mv: Move) {
        self.keys.push(self.current.key());
        self.current.play(mv);
        self.moves.push(mv);
    }

    /// Takes the last move back; false if there is none.
    pub fn pop(&mut self) -> bool {
        if self.moves.pop().is_none() {
            return false;
        }
        let mut moves = std::mem::take(&mut self.moves);
        *self = Self::new(self.start.clone());
        moves.drain(..).for_each(|mv| self.push(mv));
        true
    }

    /// How often the position has stood on the board, this time included (FIDE 9.2.3).
    pub fn occurrences(&self) -> usize {
        let reversible = self.current.halfmove_clock() as usize;
        let key = self.current.key();
        1 + self.keys.iter().rev().take(reversible).filter(|&&earlier| earlier == key).count()
    }

    /// A draw may be claimed by threefold repetition (FIDE 9.2).
    pub fn is_threefold(&self) -> bool {
        self.occurrences() >= 3
    }

    /// The game is drawn by fivefold repetition (FIDE 9.6.1).
    pub fn is_fivefold(&self) -> bool {
        self.occurrences() >= 5
    }

    /// A draw may be claimed by the fifty-move rule (FIDE 9.3), mate taking precedence.
    pub fn is_fifty_moves(&self) -> bool {
        self.current.halfmove_clock() >= 100 && !self.is_checkmate()
    }

    /// The game is drawn by the seventy-five-move rule (FIDE 9.6.2).
    pub fn is_seventy_five_moves(&self) -> bool {
        self.current.halfmove_clock() >= 150 && !self.is_checkmate()
    }

    /// Checkmate (FIDE 5.1.1).
    pub fn is_checkmate(&self) -> bool {
        self.current.in_check() && self.current.count_legal_moves() == 0
    }

    /// Stalemate (FIDE 5.2.1).
    pub fn is_stalemate(&self) -> bool {
        !self.current.in_check() && self.current.count_legal_moves() == 0
    }
}
