//! Blind tic-tac-toe: nobody sees the other's marks. Who tries a square that is taken learns so and
//! moves again.

use rand::{Rng, RngExt};

use crate::game::{Deterministic, Game, Hidden, Payoffs, Player, Properties, ZeroSum};

use super::{Squares, TicTacToe};

/// A position: the board, and each player's tries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlindTicTacToe {
    board: TicTacToe,
    /// Each player's tries in order, with whether the square was free.
    tries: [Vec<(u8, bool)>; 2],
}

impl BlindTicTacToe {
    /// The true board, which no player sees.
    pub const fn board(&self) -> &TicTacToe {
        &self.board
    }

    fn tried(&self, player: Player) -> u64 {
        self.tries[player].iter().fold(0, |set, (square, _)| set | 1 << square)
    }

    /// Goes on from `self` to a position in which `player` has made exactly `tries`, choosing the
    /// opponent's moves at random; false, and `self` unchanged, if there is no way.
    fn relive<R: Rng>(&mut self, player: Player, tries: &[(u8, bool)], rng: &mut R) -> bool {
        let made = self.tries[player].len();
        if made == tries.len() && self.board.to_move() == player {
            return true;
        }
        if self.board.outcome().is_some() {
            return false;
        }
        let mut moves: Vec<u8> = if self.board.to_move() == player {
            tries.get(made).map(|(square, _)| *square).into_iter().collect()
        } else {
            self.legal_moves().collect()
        };
        while !moves.is_empty() {
            let mv = moves.swap_remove(rng.random_range(..moves.len()));
            let mut child = self.clone();
            child.play(mv);
            if tries.starts_with(&child.tries[player]) && child.relive(player, tries, rng) {
                *self = child;
                return true;
            }
        }
        false
    }
}

impl Game for BlindTicTacToe {
    type Move = u8;
    type Moves = Squares;

    fn properties(&self) -> Properties {
        Properties { perfect_information: false, ..Properties::CLASSICAL }
    }

    fn to_move(&self) -> Player {
        self.board.to_move()
    }

    /// Squares not yet tried.
    fn legal_moves(&self) -> Squares {
        Squares(!self.tried(self.to_move()) & 0o777)
    }

    fn play(&mut self, square: u8) {
        let player = self.to_move();
        let free = (self.board.stones(0) | self.board.stones(1)) >> square & 1 == 0;
        self.tries[player].push((square, free));
        if free {
            self.board.play(square);
        }
    }

    fn outcome(&self) -> Option<Payoffs> {
        self.board.outcome()
    }
}

impl ZeroSum for BlindTicTacToe {}
impl Deterministic for BlindTicTacToe {}

impl Hidden for BlindTicTacToe {
    type Information = (Player, Vec<(u8, bool)>);

    fn information(&self, player: Player) -> Self::Information {
        (player, self.tries[player].clone())
    }

    fn resample<R: Rng>(&self, player: Player, rng: &mut R) -> Self {
        let mut deal = Self::default();
        let found = deal.relive(player, &self.tries[player], rng);
        debug_assert!(found, "the true course of the game is one way");
        deal
    }
}

impl std::fmt::Display for BlindTicTacToe {
    /// What the player to move knows.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (player, mine, theirs) =
            if self.to_move() == 0 { (0, 'X', 'O') } else { (1, 'O', 'X') };
        for square in 0..9 {
            let known = self.tries[player].iter().find(|(tried, _)| *tried == square);
            let mark = match known {
                Some((_, true)) => mine,
                Some((_, false)) => theirs,
                None => '?',
            };
            write!(f, "{mark}")?;
            if square % 3 == 2 {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
