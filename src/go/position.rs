//! A game so far: board, player to move, and the history that superko and undo need.

use super::{
    board::{Board, Illegal},
    point::{Color, Move, Point},
    rules::{Ko, Rules},
};

/// Added to the key when White is to move, for situational superko.
const WHITE_TO_MOVE: u64 = 0x5851_f42d_4c95_7f2d;

/// Board, player to move and every earlier position.
#[derive(Debug, Clone)]
pub struct Position {
    /// The stones.
    pub board: Board,
    /// Who moves next.
    pub to_move: Color,
    /// The rules in force.
    pub rules: Rules,
    /// Points White receives.
    pub komi: f32,
    /// Black's handicap stones.
    pub handicap: usize,
    /// The moves that led here, without set-up stones; the last two decide the end of the game.
    pub moves: Vec<(Color, Move)>,
    /// Keys of every position so far, this one included, for [`Position::repeats`].
    seen: Vec<u64>,
}

impl Position {
    /// An empty board.
    pub fn new(size: usize) -> Self {
        let mut position = Self {
            board: Board::new(size),
            to_move: Color::Black,
            rules: Rules::default(),
            komi: 7.5,
            handicap: 0,
            moves: Vec::new(),
            seen: Vec::new(),
        };
        position.remember();
        position
    }

    /// Points of `komi` and handicap together: what White is ahead on a divided board.
    pub const fn white_bonus(&self) -> f32 {
        self.komi + self.rules.handicap_bonus(self.handicap)
    }

    /// The last move, if any.
    pub fn last_move(&self) -> Option<Move> {
        self.moves.last().map(|&(_, mv)| mv)
    }

    /// Whether the last two moves were passes.
    pub fn is_over(&self) -> bool {
        matches!(self.moves[..], [.., (_, Move::Pass), (_, Move::Pass)])
    }

    /// Whether `color` may make this move under the rules in force.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn check(&self, color: Color, mv: Move) -> Result<(), Illegal> {
        let Move::Play(point) = mv else { return Ok(()) };
        self.board.check(color, point, self.rules.suicide)?;
        if self.repeats(color, point) { Err(Illegal::Superko) } else { Ok(()) }
    }

    /// Whether this move, legal otherwise, would bring back an earlier position in the sense of the
    /// ko rule in force.
    pub fn repeats(&self, color: Color, point: Point) -> bool {
        let key = self.board.hash_after(color, point.cell());
        match self.rules.ko {
            Ko::Simple => false,
            Ko::Positional => {
                self.seen.iter().any(|&seen| seen == key || seen == key ^ WHITE_TO_MOVE)
            }
            Ko::Situational => self.seen.contains(&situation(key, color.other())),
        }
    }

    /// Plays a move whose legality is the caller's affair, except that the point is empty.
    pub fn play(&mut self, color: Color, mv: Move) {
        match mv {
            Move::Pass => self.board.pass(),
            Move::Play(point) => {
                self.board.play(color, point);
            }
        }
        self.to_move = color.other();
        self.moves.push((color, mv));
        self.remember();
    }

    /// Puts a set-up stone on the board; false, and no change, if the point is taken or the stone
    /// would have no liberty or take one.
    pub fn set_up(&mut self, color: Color, point: Point) -> bool {
        let legal = self.board.check(color, point, false).is_ok()
            && !self.board.captures(color, point.cell());
        if legal {
            self.board.play(color, point);
            self.remember();
        }
        legal
    }

    /// The moves `color` may make, passes aside.
    pub fn legal_points(&self, color: Color) -> Vec<Point> {
        self.board.points().filter(|&point| self.check(color, Move::Play(point)).is_ok()).collect()
    }

    /// Keys of the stones of every position so far, whoever was to move (and some that stand for
    /// none: each comes with and without the mark of White's turn).
    pub fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.seen.iter().flat_map(|&seen| [seen, seen ^ WHITE_TO_MOVE])
    }

    /// Keys of every position so far with who was to move, this one included.
    pub fn situations(&self) -> impl Iterator<Item = u64> + '_ {
        self.seen.iter().copied()
    }

    /// What the ko rule in force compares of stones with the key `hash` when `to_move` moves next.
    pub const fn ko_key(&self, hash: u64, to_move: Color) -> u64 {
        match self.rules.ko {
            Ko::Situational => situation(hash, to_move),
            Ko::Positional | Ko::Simple => hash,
        }
    }

    fn remember(&mut self) {
        self.seen.push(situation(self.board.hash(), self.to_move));
    }
}

const fn situation(key: u64, to_move: Color) -> u64 {
    match to_move {
        Color::Black => key,
        Color::White => key ^ WHITE_TO_MOVE,
    }
}

/// A game as a record: how it began and its moves, from which any of its positions is rebuilt.
#[derive(Debug, Clone)]
pub struct Record {
    /// Set-up before the first move: the position every replay starts from.
    pub start: Position,
    /// Where the game stands.
    pub now: Position,
}

impl Record {
    /// A game on an empty board.
    pub fn new(size: usize) -> Self {
        let start = Position::new(size);
        Self { now: start.clone(), start }
    }

    /// Plays a move that the caller has checked.
    pub fn play(&mut self, color: Color, mv: Move) {
        self.now.play(color, mv);
        self.now.handicap = self.handicap();
    }

    /// Handicap stones: those set, or the stones that Black played before White's first if there are two
    /// or more, as some controllers send a handicap.
    fn handicap(&self) -> usize {
        let stone = |&&(color, mv): &&(Color, Move)| color == Color::Black && mv != Move::Pass;
        let stones = self.now.moves.iter().take_while(stone).count();
        if self.start.handicap == 0 && stones > 1 { stones } else { self.start.handicap }
    }

    /// Takes back `count` moves; false, and no change, if there are fewer.
    pub fn undo(&mut self, count: usize) -> bool {
        let Some(keep) = self.now.moves.len().checked_sub(count) else { return false };
        let moves: Vec<_> = self.now.moves[..keep].to_vec();
        let mut position = self.start.clone();
        position.rules = self.now.rules;
        position.komi = self.now.komi;
        for (color, mv) in moves {
            position.play(color, mv);
        }
        self.now = position;
        self.now.handicap = self.handicap();
        true
    }

    /// Sets komi; the history stays.
    pub const fn set_komi(&mut self, komi: f32) {
        self.start.komi = komi;
        self.now.komi = komi;
    }

    /// Sets the rules; the history stays.
    pub const fn set_rules(&mut self, rules: Rules) {
        self.start.rules = rules;
        self.now.rules = rules;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(position: &mut Position, moves: &str) {
        for (i, word) in moves.split_whitespace().enumerate() {
            let color = Color::BOTH[i % 2];
            let mv = Move::parse(word, position.board.size()).unwrap();
            assert_eq!(position.check(color, mv), Ok(()), "{word}");
            position.play(color, mv);
        }
    }

    /// Tromp-Taylor rule 6: "a move that doesn't repeat an earlier grid coloring".
    #[test]
    fn a_move_that_recreates_the_board_before_is_illegal() {
        let mut position = Position::new(9);
        position.rules = Rules::TROMP_TAYLOR;
        // Sending two stones and returning one: Black's capture at B1 would bring back the board
        // before he threw in at A1.
        play(&mut position, "D1 A2 C2 B2 B1 pass A1 C1");
        let b1 = Move::parse("B1", 9).unwrap();
        assert_eq!(position.check(Color::Black, b1), Err(Illegal::Superko));
        position.rules.ko = Ko::Simple;
        assert_eq!(position.check(Color::Black, b1), Ok(()));
    }

    /// Japanese rules, article 6: a ko may not be retaken at once, but after a move elsewhere.
    #[test]
    fn a_ko_may_be_retaken_only_after_another_move() {
        let mut position = Position::new(9);
        position.rules = Rules::JAPANESE;
        play(&mut position, "C5 D5 B4 E4 C3 D3 D4 C4");
        let d4 = Move::parse("D4", 9).unwrap();
        assert_eq!(position.check(Color::Black, d4), Err(Illegal::Ko));
        play(&mut position, "H8 H7");
        assert_eq!(position.check(Color::Black, d4), Ok(()));
    }

    /// Legal positions of n x n go, n = 1, 2, 3 (Tromp & Farnebäck 2006, "Combinatorics of Go",
    /// table 1; OEIS A094777): all of them are reached by play, and no others.
    #[test]
    fn play_reaches_as_many_positions_as_published() {
        for (size, expected) in [(1_usize, 1), (2, 57), (3, 12675)] {
            let rules = Rules { ko: Ko::Simple, ..Rules::TROMP_TAYLOR };
            let stones = |board: &Board| -> Vec<u8> {
                board.points().map(|point| board.cell(point.cell())).collect()
            };
            let mut board = Board::new(size);
            let mut next = Board::new(size);
            let mut seen = std::collections::HashSet::from([stones(&board)]);
            let mut todo: Vec<Vec<u8>> = seen.iter().cloned().collect();
            let empty = Board::new(size);
            while let Some(position) = todo.pop() {
                board.copy_from(&empty);
                for (point, &cell) in empty.points().zip(&position) {
                    match cell {
                        1 => drop(board.play(Color::Black, point)),
                        2 => drop(board.play(Color::White, point)),
                        _ => {}
                    }
                }
                board.pass();
                for color in Color::BOTH {
                    for point in empty.points() {
                        if board.check(color, point, rules.suicide).is_ok() {
                            next.copy_from(&board);
                            next.play(color, point);
                            if seen.insert(stones(&next)) {
                                todo.push(stones(&next));
                            }
                        }
                    }
                }
            }
            assert_eq!(seen.len(), expected);
        }
    }

    #[test]
    fn undo_restores_board_ko_and_player() {
        let mut record = Record::new(9);
        let before = record.now.board.hash();
        record.play(Color::Black, Move::parse("E5", 9).unwrap());
        assert!(record.undo(1));
        assert!(!record.undo(1));
        assert_eq!((record.now.board.hash(), record.now.to_move), (before, Color::Black));
    }
}
