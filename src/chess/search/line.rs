//! The line of play to the position that is looked at: what has been there, and what could be again.

use crate::chess::{cycle::is_one_move, position::Position, record::Record, zobrist::SIDE};

/// Keys of the positions before the one looked at, those of the game first.
#[derive(Debug)]
pub(super) struct Line {
    keys: Vec<u64>,
    /// How many of the keys are the game's; the next is the root's.
    game_length: usize,
    /// Where the keys begin that moves alone have reached: behind each pass of the line.
    past_passes: Vec<usize>,
}

impl Line {
    /// The line to the position of a game.
    pub(super) fn new(record: &Record) -> Self {
        let keys = record.keys().to_vec();
        Self { game_length: keys.len(), keys, past_passes: Vec::new() }
    }

    /// A move is made at `position`.
    pub(super) fn push(&mut self, position: &Position) {
        self.keys.push(position.key());
    }

    /// The last move is taken back.
    pub(super) fn pop(&mut self) {
        self.keys.pop();
    }

    /// A pass is made at `position`. What lies before it cannot be reached again by moves: it is no
    /// repetition, which would be one by a move of the wrong side.
    pub(super) fn push_pass(&mut self, position: &Position) {
        self.push(position);
        self.past_passes.push(self.keys.len());
    }

    /// The last pass is taken back.
    pub(super) fn pop_pass(&mut self) {
        self.past_passes.pop();
        self.pop();
    }

    /// How many plies back there may be a position that `position` repeats.
    fn reversible(&self, position: &Position) -> usize {
        let past_pass = self.past_passes.last().copied().unwrap_or(0);
        (position.halfmove_clock() as usize).min(self.keys.len() - past_pass)
    }

    /// Whether `position`, the one looked at, is drawn by repetition.
    ///
    /// One repetition is enough when both positions lie within the search: what could be reached
    /// twice can be reached a third time. Positions of the game count as the rules count them.
    pub(super) fn repeats(&self, position: &Position) -> bool {
        let length = self.keys.len();
        let mut of_the_game = 0;
        for back in (4..=self.reversible(position)).step_by(2) {
            let index = length - back;
            if self.keys[index] == position.key() {
                if index > self.game_length {
                    return true;
                }
                of_the_game += 1;
                if of_the_game == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the side to move can go back to a position that this search has looked at: then it
    /// has a draw at least.
    pub(super) fn can_repeat(&self, position: &Position) -> bool {
        let length = self.keys.len();
        let reversible = self.reversible(position);
        if reversible < 3 {
            return false;
        }
        // What the other side's moves since then change: nothing, where it has its men back.
        let mut theirs = position.key() ^ self.keys[length - 1] ^ SIDE;
        for index in (3..=reversible).step_by(2).map(|back| length - back) {
            if index <= self.game_length {
                return false;
            }
            theirs ^= self.keys[index + 1] ^ self.keys[index] ^ SIDE;
            let change = position.key() ^ self.keys[index];
            if theirs == 0 && is_one_move(change, position.occupied()) {
                return true;
            }
        }
        false
    }

    /// Whether the game has seen this position since the last move that cannot be taken back.
    pub(super) fn is_of_the_game(&self, position: &Position) -> bool {
        let game = &self.keys[..self.game_length];
        game.iter().rev().take(position.halfmove_clock() as usize).any(|&key| key == position.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line from a root along moves, `pass` among them, and the position at its end.
    fn line(fen: &str, moves: &str) -> (Line, Position) {
        let mut position = Position::from_fen(fen).unwrap();
        let mut line = Line::new(&Record::new(position.clone()));
        for text in moves.split_whitespace() {
            if text == "pass" {
                line.push_pass(&position);
                position.play_null();
            } else {
                line.push(&position);
                position.play(position.parse_move(text).unwrap());
            }
        }
        (line, position)
    }

    const ROOK: &str = "4k3/8/8/8/8/8/8/R3K3 b - - 0 1";

    #[test]
    fn one_repetition_within_the_search_is_enough() {
        for (moves, repeats) in [
            ("e8f8 a1a2 f8e8 a2a1 e8f8", true),
            ("e8f8 a1a2 f8e8 a2a3 e8f8", false),
            // The root is the game's: it must come a third time.
            ("e8f8 a1a2 f8e8 a2a1", false),
        ] {
            let (line, position) = line(ROOK, moves);
            assert_eq!(line.repeats(&position), repeats, "{moves}");
        }
    }

    /// FIDE 9.2: the same position for the third time.
    #[test]
    fn positions_of_the_game_count_as_the_rules_count_them() {
        let mut record = Record::new(Position::from_fen(ROOK).unwrap());
        let there_and_back = ["e8f8", "a1a2", "f8e8", "a2a1"];
        for (round, repeats) in [(1, false), (2, true)] {
            for text in there_and_back {
                record.push(record.position().parse_move(text).unwrap());
            }
            assert_eq!(Line::new(&record).repeats(record.position()), repeats, "round {round}");
        }
    }

    /// Without the barrier it would be a draw that Black had for nothing: he moved once less.
    #[test]
    fn nothing_before_a_pass_is_repeated() {
        let (mut line, position) = line(ROOK, "e8f8 a1a2 pass a2a3 f8e8 a3a1 e8f8");
        assert!(line.keys.contains(&position.key()) && !line.repeats(&position));
        // With the pass taken back, what is left of the line has none.
        for _ in 0..4 {
            line.pop();
        }
        line.pop_pass();
        assert!(line.past_passes.is_empty() && line.keys.len() == 2);
    }

    #[test]
    fn a_move_back_is_one_of_the_side_to_move() {
        for (moves, can) in [
            ("e8f8 a1a2 f8e8 a2a1", true),
            // The rook could go back, but it is Black's turn.
            ("e8f8 a1a2 f8e8 a2a4 e8f8 a4a3", false),
            ("e8f8 a1a2 f8e8 a2a3", false),
        ] {
            let (line, position) = line(ROOK, moves);
            assert_eq!(line.can_repeat(&position), can, "{moves}");
        }
    }
}
