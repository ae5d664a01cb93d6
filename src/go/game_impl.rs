//! Go as a [`Game`]: what the generic searches are run on.

use crate::game::{Deterministic, Game, Keyed, Payoffs, Player, Properties, ZeroSum};

use super::{Color, Move, Position, score::area_score};

impl Game for Position {
    type Move = Move;
    type Moves = Vec<Move>;

    fn properties(&self) -> Properties {
        Properties::CLASSICAL
    }

    fn to_move(&self) -> Player {
        match self.to_move {
            Color::Black => 0,
            Color::White => 1,
        }
    }

    /// The points that the rules in force allow, then the pass.
    fn legal_moves(&self) -> Vec<Move> {
        let points = self.legal_points(self.to_move).into_iter().map(Move::Play);
        points.chain([Move::Pass]).collect()
    }

    fn play(&mut self, mv: Move) {
        self.play(self.to_move, mv);
    }

    /// After two passes all stones count as alive, as the Tromp-Taylor rules say: what is dead must be
    /// taken before.
    fn outcome(&self) -> Option<Payoffs> {
        let ahead = || f64::from(area_score(&self.board) as f32 - self.white_bonus());
        self.is_over().then(|| match ahead() {
            points if points > 0.0 => Payoffs::zero_sum(1.0),
            points if points < 0.0 => Payoffs::zero_sum(-1.0),
            _ => Payoffs::zero_sum(0.0),
        })
    }
}

impl ZeroSum for Position {}
impl Deterministic for Position {}

impl Keyed for Position {
    type Key = u64;

    /// Stones, player, ko, whether the last move was a pass, and, as superko forbids what has been,
    /// the set of all earlier positions.
    fn key(&self) -> u64 {
        let passed = u64::from(self.last_move() == Some(Move::Pass));
        let ko = self.board.ko().map_or(0, |point| 2 * point.cell() as u64 + 2);
        let past = self.keys().map(mixed).fold(0, u64::wrapping_add);
        let player = Game::to_move(self) as u64;
        mixed(self.board.hash() ^ mixed(passed | ko << 1 | player << 32)).wrapping_add(past)
    }
}

/// The finisher of splitmix64 (Steele, Lea & Flood 2014): sums of its results tell sets apart.
const fn mixed(key: u64) -> u64 {
    let key = (key ^ key >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let key = (key ^ key >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    key ^ key >> 31
}
