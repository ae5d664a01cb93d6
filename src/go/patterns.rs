//! What makes a move likely: features of a candidate and their learned weights. The strength of a
//! move is the product of the weights of its features, and the chance that it is played its share
//! of the sum over all candidates (Coulom 2007, "Computing Elo ratings of move patterns in the game of
//! Go"). One set of weights drives the playouts, another the priors of the tree.

use std::fmt;

use super::{
    board::{BORDER, Board, EMPTY},
    point::{Color, Point},
    tactics::{is_ladder_caught, ladder_works, liberties_after, stones_joined},
};

/// Number of 3x3 codes; a feature below this is a pattern, by its least code among eight symmetries.
pub const CODES: usize = 1 << 16;

/// Features beyond the patterns, in the order of their numbers from [`CODES`]. No candidate is given
/// `take-ladder` or `after-pass`, whose weights are 1; they are named because the tables name them.
pub const NAMES: [&str; 46] = [
    "take1",
    "take2",
    "take3",
    "escape1-1",
    "escape1-2",
    "escape1-3",
    "escape2-1",
    "escape2-2",
    "escape2-3",
    "escape3-1",
    "escape3-2",
    "escape3-3",
    "selfatari1",
    "selfatari2",
    "selfatari3",
    "near2",
    "near3",
    "near4",
    "near5",
    "near6",
    "near7",
    "near8",
    "near9",
    "second2",
    "second3",
    "second4",
    "second5",
    "second6",
    "second7",
    "answer-escape",
    "answer-take",
    "answer-last",
    "defend-two",
    "attack-two",
    "line1",
    "line2",
    "line3",
    "line4",
    "line5",
    "ladder-caught",
    "ladder-works",
    "take-ladder",
    "after-pass",
    "corner1",
    "atari",
    "pass",
];

const TAKE: usize = CODES;
const ESCAPE: usize = CODES + 3;
const SELF_ATARI: usize = CODES + 12;
const NEAR: usize = CODES + 15;
const SECOND: usize = CODES + 23;
const ANSWER_ESCAPE: usize = CODES + 29;
const ANSWER_TAKE: usize = CODES + 30;
const ANSWER_LAST: usize = CODES + 31;
const DEFEND_TWO: usize = CODES + 32;
const ATTACK_TWO: usize = CODES + 33;
const LINE: usize = CODES + 34;
const LADDER_CAUGHT: usize = CODES + 39;
const LADDER_WORKS: usize = CODES + 40;
const CORNER: usize = CODES + 43;
const ATARI: usize = CODES + 44;

/// Number of features.
pub const FEATURES: usize = CODES + NAMES.len();

/// Most features a candidate has.
pub const MAX_FEATURES: usize = 16;

/// The learned tables, each with the record of its making in its head: of games on 9x9, and on 19x19.
const TABLES: [&str; 2] = [include_str!("weights9.txt"), include_str!("weights19.txt")];

/// Largest board that is played by what 9x9 games teach.
const SMALL: usize = 11;

/// A list of features of one candidate.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    list: [u32; MAX_FEATURES],
    count: usize,
}

impl Features {
    const fn new() -> Self {
        Self { list: [0; MAX_FEATURES], count: 0 }
    }

    fn add(&mut self, feature: usize) {
        if self.count < MAX_FEATURES {
            self.list[self.count] = feature as u32;
            self.count += 1;
        }
    }

    /// The features.
    pub fn as_slice(&self) -> &[u32] {
        &self.list[..self.count]
    }
}

/// Why a table of weights was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError(usize);

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the weights is not a name and two numbers", self.0)
    }
}

impl std::error::Error for TableError {}

/// Weights of every feature.
pub struct Weights {
    /// By 3x3 code, for Black and for White: weight in playouts, in units of [`Weights::UNIT`].
    playout: Box<[[u32; 2]]>,
    /// By feature: weight in the tree.
    tree: Box<[f32]>,
    /// By number from [`CODES`]: weight in playouts.
    local: [f32; NAMES.len()],
}

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Weights").field("local", &self.local).finish_non_exhaustive()
    }
}

impl Weights {
    /// Weight 1 in playouts, as an integer.
    pub const UNIT: f32 = 256.0;
    /// Greatest weight in playouts, so that the sum over a board of 625 points fits 32 bits.
    const MOST: f32 = 4_000_000.0;

    /// Number of the table for boards of this size.
    pub const fn table_for(size: usize) -> usize {
        if size <= SMALL { 0 } else { 1 }
    }

    /// The embedded weights for boards of this size.
    ///
    /// # Panics
    /// Never: a test reads the tables.
    pub fn of_size(size: usize) -> Self {
        Self::parse(TABLES[Self::table_for(size)]).expect("the embedded tables are read by a test")
    }

    /// Reads lines `name playout tree`, where the name is one of [`NAMES`] or `p` and four hexadecimal
    /// digits; `#` begins a comment.
    ///
    /// # Errors
    /// The first line that is neither.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut pattern = vec![1.0_f32; CODES];
        let mut tree = vec![1.0_f32; FEATURES];
        let mut local = [1.0_f32; NAMES.len()];
        for (number, line) in text.lines().enumerate() {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(name) = words.next() else { continue };
            let error = || TableError(number + 1);
            let mut weight = || words.next().and_then(|w| w.parse::<f32>().ok()).ok_or_else(error);
            let (in_playout, in_tree) = (weight()?, weight()?);
            if let Some(at) = NAMES.iter().position(|&known| known == name) {
                local[at] = in_playout;
                tree[CODES + at] = in_tree;
            } else {
                let code = name
                    .strip_prefix('p')
                    .and_then(|digits| u16::from_str_radix(digits, 16).ok())
                    .ok_or_else(error)?;
                pattern[code as usize] = in_playout;
                tree[code as usize] = in_tree;
            }
        }
        let mut playout = vec![[0; 2]; CODES];
        for code in 0..=u16::MAX {
            let least = canonical(code) as usize;
            tree[code as usize] = tree[least];
            if !is_eye(code, Color::Black) {
                let weight = Self::integer(pattern[least]);
                playout[code as usize][0] = weight;
                playout[swap_colors(code) as usize][1] = weight;
            }
        }
        Ok(Self { playout: playout.into_boxed_slice(), tree: tree.into_boxed_slice(), local })
    }

    fn integer(weight: f32) -> u32 {
        (weight * Self::UNIT).clamp(1.0, Self::MOST) as u32
    }

    /// Weights of an empty point in a playout for Black and for White, wherever the last move was; 0
    /// for an own eye and for suicide.
    #[inline]
    pub fn of_point(&self, board: &Board, cell: usize) -> [u32; 2] {
        let code = board.code(cell);
        let weights = self.playout[code as usize];
        if board.is_beside_atari(cell) {
            return Color::BOTH
                .map(|color| self.beside_atari(board, color, cell, weights[color.index()]));
        }
        // No chain here is about to be taken, so a point without room is suicide for whom all stones
        // beside it are hostile: a stone or the edge has the enemy's bit, on all four sides.
        let sides = code & 0xff;
        [
            if sides & 0xaa == 0xaa { 0 } else { weights[0] },
            if sides & 0x55 == 0x55 { 0 } else { weights[1] },
        ]
    }

    /// [`Weights::of_point`] beside a chain in atari, whose pattern alone weighs `weight`.
    fn beside_atari(&self, board: &Board, color: Color, cell: usize, weight: u32) -> u32 {
        if weight == 0 || board.is_suicide(color, cell) {
            return 0;
        }
        let mut factor = 1.0;
        let mut seen = [usize::MAX; 4];
        for (i, near) in board.neighbours(cell).into_iter().enumerate() {
            let stone = board.cell(near);
            if stone == EMPTY
                || stone == BORDER
                || !board.in_atari(near)
                || seen.contains(&board.chain(near))
            {
                continue;
            }
            seen[i] = board.chain(near);
            let size = board.chain_size(near).min(3);
            factor *= if stone == color as u8 {
                let liberties = liberties_after(board, color, cell).clamp(1, 3);
                self.local[ESCAPE - CODES + 3 * (size - 1) + liberties - 1]
            } else {
                self.local[TAKE - CODES + size - 1]
            };
        }
        (weight as f32 * factor).clamp(1.0, Self::MOST) as u32
    }

    /// Factor for a point beside the last move (0) or diagonal to it (1) in a playout.
    #[inline]
    pub fn near(&self, diagonal: usize) -> f32 {
        self.local[NEAR - CODES + diagonal]
    }

    /// Chance to keep a self-atari of so many stones in a playout.
    #[inline]
    pub fn keep_self_atari(&self, stones: usize) -> f32 {
        self.local[SELF_ATARI - CODES + stones.min(3) - 1]
    }

    /// Factor of an [`Answer`] in a playout.
    #[inline]
    pub const fn answer(&self, answer: Answer) -> f32 {
        self.local[answer as usize - CODES]
    }

    /// Strength of a candidate in the tree.
    pub fn in_tree(&self, features: &Features) -> f32 {
        features.as_slice().iter().map(|&feature| self.tree[feature as usize]).product()
    }

    /// Strength of a pass in the tree.
    pub fn of_pass(&self) -> f32 {
        self.tree[CODES + NAMES.len() - 1]
    }
}

/// What a point does about the last move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Answer {
    /// Extends a chain that the last move put in atari.
    Escape = ANSWER_ESCAPE,
    /// Takes a chain beside one that the last move put in atari.
    Take = ANSWER_TAKE,
    /// Takes the chain of the last move.
    Last = ANSWER_LAST,
    /// A liberty of an own chain that the last move left two.
    DefendTwo = DEFEND_TWO,
    /// A liberty of the last move's chain, which has two.
    AttackTwo = ATTACK_TWO,
}

/// Calls `found` with each point that answers the last move, at `last`, for `color` to move. A point
/// may come more than once.
#[inline]
pub fn answers(board: &Board, color: Color, last: usize, mut found: impl FnMut(usize, Answer)) {
    let own = color as u8;
    if board.cell(last) != color.other() as u8 {
        return;
    }
    match *board.liberties(last) {
        [liberty] => found(liberty as usize, Answer::Last),
        [a, b] => {
            found(a as usize, Answer::AttackTwo);
            found(b as usize, Answer::AttackTwo);
        }
        _ => {}
    }
    let mut seen = [usize::MAX; 4];
    for (i, near) in board.neighbours(last).into_iter().enumerate() {
        if board.cell(near) != own || seen.contains(&board.chain(near)) {
            continue;
        }
        seen[i] = board.chain(near);
        match *board.liberties(near) {
            [liberty] => {
                found(liberty as usize, Answer::Escape);
                takes(board, color, near, &mut found);
            }
            [a, b] => {
                found(a as usize, Answer::DefendTwo);
                found(b as usize, Answer::DefendTwo);
            }
            _ => {}
        }
    }
}

fn takes(board: &Board, color: Color, cell: usize, found: &mut impl FnMut(usize, Answer)) {
    let mut last = usize::MAX;
    for stone in board.chain_cells(cell) {
        for near in board.neighbours(stone) {
            if board.cell(near) == color.other() as u8 && board.in_atari(near) {
                let liberty = board.liberties(near)[0] as usize;
                if liberty != last {
                    last = liberty;
                    found(liberty, Answer::Take);
                }
            }
        }
    }
}

/// What the features of a position's candidates depend on besides the board.
#[derive(Debug)]
pub struct Context {
    color: Color,
    size: usize,
    last: Option<Point>,
    second: Option<Point>,
    answers: Vec<(usize, Answer)>,
}

impl Context {
    /// `color` is to move after `last`, which answered `second`.
    pub fn new(board: &Board, color: Color, last: Option<Point>, second: Option<Point>) -> Self {
        let mut list = Vec::new();
        if let Some(last) = last {
            answers(board, color, last.cell(), |cell, answer| {
                if !list.contains(&(cell, answer)) {
                    list.push((cell, answer));
                }
            });
        }
        Self { color, size: board.size(), last, second, answers: list }
    }

    /// Features of a legal candidate. `deep` adds those that only the tree uses.
    pub fn features(&self, board: &Board, point: Point, deep: bool) -> Features {
        let cell = point.cell();
        let color = self.color;
        let mut features = Features::new();
        let code = board.code(cell);
        features
            .add(canonical(if color == Color::Black { code } else { swap_colors(code) }) as usize);
        let liberties = liberties_after(board, color, cell);
        self.chains(board, cell, liberties, deep, &mut features);
        if liberties < 2 {
            features.add(SELF_ATARI + stones_joined(board, color, cell).min(3) - 1);
        }
        for &(at, answer) in &self.answers {
            if at == cell {
                features.add(answer as usize);
            }
        }
        if let Some(last) = self.last {
            let d = distance(point, last, self.size);
            if d <= if deep { 9 } else { 3 } {
                features.add(NEAR + d - 2);
            }
        }
        if deep {
            if let Some(d) = self.second.map(|second| distance(point, second, self.size))
                && (2..=7).contains(&d)
            {
                features.add(SECOND + d - 2);
            }
            let (x, y) = point.xy(self.size);
            let line = |x: usize| x.min(self.size - 1 - x);
            features.add(LINE + line(x).min(line(y)).min(4));
            if line(x).max(line(y)) < 2 {
                features.add(CORNER);
            }
        }
        features
    }

    fn chains(
        &self,
        board: &Board,
        cell: usize,
        liberties: usize,
        deep: bool,
        features: &mut Features,
    ) {
        let color = self.color;
        let mut seen = [usize::MAX; 4];
        for (i, near) in board.neighbours(cell).into_iter().enumerate() {
            let stone = board.cell(near);
            if stone == EMPTY || stone == BORDER || seen.contains(&board.chain(near)) {
                continue;
            }
            seen[i] = board.chain(near);
            let size = board.chain_size(near).min(3);
            if board.in_atari(near) {
                if stone == color as u8 {
                    features.add(ESCAPE + 3 * (size - 1) + liberties.clamp(1, 3) - 1);
                    if deep && liberties == 2 && is_ladder_caught(board, near) {
                        features.add(LADDER_CAUGHT);
                    }
                } else {
                    features.add(TAKE + size - 1);
                }
            } else if deep && stone != color as u8 && board.liberties(near).len() == 2 {
                features.add(ATARI);
                if ladder_works(board, color, cell, near) {
                    features.add(LADDER_WORKS);
                }
            }
        }
    }
}

/// Distance on the board as Coulom measures it: dx + dy + max(dx, dy); 2 beside, 3 diagonal.
pub fn distance(a: Point, b: Point, size: usize) -> usize {
    let ((ax, ay), (bx, by)) = (a.xy(size), b.xy(size));
    let (dx, dy) = (ax.abs_diff(bx), ay.abs_diff(by));
    (dx + dy + dx.max(dy)).max(2)
}

/// The code with the colours exchanged.
#[inline]
pub const fn swap_colors(code: u16) -> u16 {
    ((code & 0x5555) << 1) | ((code >> 1) & 0x5555)
}

/// The least of the eight codes that rotations and reflections make of this one.
pub fn canonical(code: u16) -> u16 {
    let turn = |code: u16| {
        let (sides, corners) = (code & 0xff, code >> 8);
        let roll = |half: u16| ((half << 2) | (half >> 6)) & 0xff;
        roll(sides) | roll(corners) << 8
    };
    let mirror = |code: u16| {
        let at = |i: u16| code >> (2 * i) & 3;
        // East and west change places, and with them NE and NW, SE and SW.
        [2, 1, 0, 3, 5, 4, 7, 6]
            .into_iter()
            .enumerate()
            .fold(0, |out, (to, from)| out | at(from) << (2 * to))
    };
    let mut least = u16::MAX;
    let mut rotated = code;
    for _ in 0..4 {
        rotated = turn(rotated);
        least = least.min(rotated).min(mirror(rotated));
    }
    least
}

/// Whether a point with this code is an eye of `color`: own stones or edge beside it, and of the
/// diagonals at most one, at the edge none, with the enemy. Filling one never saves a chain in atari
/// beside it: each diagonal that is not the enemy's joins the stones beside it or is a liberty of them, so
/// that chain is all around, and without a liberty then.
pub const fn is_eye(code: u16, color: Color) -> bool {
    let mut edge = false;
    let mut enemies = 0;
    let mut i = 0;
    while i < 8 {
        let content = (code >> (2 * i) & 3) as u8;
        if i < 4 {
            if content != color as u8 && content != BORDER {
                return false;
            }
        } else if content == color.other() as u8 {
            enemies += 1;
        }
        edge |= content == BORDER;
        i += 1;
    }
    enemies < if edge { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::SmallRng};

    use super::*;

    #[test]
    fn the_embedded_weights_are_read() {
        for table in TABLES {
            let weights = Weights::parse(table).unwrap();
            let all = weights.tree.iter().chain(&weights.local);
            assert!(all.clone().all(|weight| weight.is_finite() && *weight > 0.0));
        }
    }

    #[test]
    fn a_code_and_its_mirror_images_have_one_canonical_code() {
        let mut board = Board::new(5);
        let at = |x, y| Point::at(x, y, 5);
        board.play(Color::Black, at(1, 2));
        board.play(Color::White, at(1, 3));
        let code = board.code(at(2, 2).cell());
        for (black, white) in
            [((3, 2), (3, 1)), ((2, 1), (1, 1)), ((2, 3), (1, 3)), ((1, 2), (1, 1))]
        {
            let mut image = Board::new(5);
            image.play(Color::Black, at(black.0, black.1));
            image.play(Color::White, at(white.0, white.1));
            assert_eq!(canonical(image.code(at(2, 2).cell())), canonical(code));
        }
        assert_eq!(swap_colors(swap_colors(code)), code);
    }

    #[test]
    fn an_eye_beside_an_own_chain_in_atari_is_suicide_to_fill() {
        let mut rng = SmallRng::seed_from_u64(6);
        let mut found = 0;
        for game in 0..100 {
            let mut board = Board::new(1 + game % 7);
            for ply in 0..3 * board.area() {
                let color = Color::BOTH[ply % 2];
                for &cell in board.empties() {
                    let cell = cell as usize;
                    let own = |near: &usize| board.cell(*near) == color as u8;
                    let mut beside = board.neighbours(cell).into_iter().filter(own);
                    if is_eye(board.code(cell), color) && beside.any(|near| board.in_atari(near)) {
                        assert!(board.is_suicide(color, cell), "{board:?}");
                        found += 1;
                    }
                }
                let at = rng.next_u64() as usize % board.empties().len().max(1);
                let Some(&cell) = board.empties().get(at) else { break };
                if board.check(color, Point::new(cell as usize), false).is_ok() {
                    board.play(color, Point::new(cell as usize));
                }
            }
        }
        assert!(found > 10, "{found}");
    }

    #[test]
    fn an_eye_in_the_corner_needs_its_diagonal() {
        let mut board = Board::new(5);
        board.play(Color::Black, Point::at(1, 0, 5));
        board.play(Color::Black, Point::at(0, 1, 5));
        let corner = Point::at(0, 0, 5).cell();
        assert!(is_eye(board.code(corner), Color::Black));
        board.play(Color::White, Point::at(1, 1, 5));
        assert!(!is_eye(board.code(corner), Color::Black));
    }
}
