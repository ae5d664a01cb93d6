//! The board: chains in circular lists, liberties, captures, simple ko, and for every point the
//! colours of its eight neighbours as a 16-bit code that is kept up to date with every stone.

use std::fmt;

use super::point::{Color, MAX_CELLS, MAX_SIZE, Point};

/// What a cell holds: nothing. The values of [`Color`] are the stones.
pub const EMPTY: u8 = 0;
/// What a cell holds: the edge of the board.
pub const BORDER: u8 = 3;

/// Liberties listed for a chain. Past this the list is cut and marked so. Eight fill a vector register.
const LISTED: usize = 8;

/// A cut list is filled again when it falls below this, so that up to three liberties a list is
/// always exact.
const REFILL: usize = 4;

/// Most points whose neighbourhood one move is remembered to have changed.
const MAX_TOUCHED: usize = 512;

/// Why a move cannot be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Illegal {
    /// A stone is there.
    Occupied,
    /// It would take back the ko at once.
    Ko,
    /// It would leave its own chain without liberties, and the rules forbid that.
    Suicide,
    /// It would repeat an earlier position.
    Superko,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Occupied => "occupied",
            Self::Ko => "ko",
            Self::Suicide => "suicide",
            Self::Superko => "superko",
        })
    }
}

impl std::error::Error for Illegal {}

/// Stones of one colour that share their liberties. Unused places of the list hold 0, which is border,
/// so that the whole list can be compared at once.
#[derive(Debug, Clone, Copy)]
struct Chain {
    liberties: [u16; LISTED],
    listed: u8,
    /// Whether there are liberties beyond those listed.
    cut: bool,
    stones: u16,
}

impl Chain {
    const NONE: Self = Self { liberties: [0; LISTED], listed: 0, cut: false, stones: 0 };

    fn list(&self) -> &[u16] {
        &self.liberties[..self.listed as usize]
    }

    fn add(&mut self, cell: u16) {
        if self.liberties.iter().filter(|&&liberty| liberty == cell).count() > 0 {
            return;
        }
        if (self.listed as usize) < LISTED {
            self.liberties[self.listed as usize] = cell;
            self.listed += 1;
        } else {
            self.cut = true;
        }
    }

    fn remove(&mut self, cell: u16) {
        let at = (0..LISTED as u16)
            .fold(0, |at, i| at.max(if self.liberties[i as usize] == cell { i + 1 } else { 0 }));
        if at > 0 {
            self.listed -= 1;
            let last = (self.listed as usize).min(LISTED - 1);
            self.liberties[at as usize - 1] = self.liberties[last];
            self.liberties[last] = 0;
        }
    }
}

/// Stones, chains and the ko point of a board from 1x1 to 25x25.
pub struct Board {
    size: u16,
    stride: u16,
    cells: [u8; MAX_CELLS],
    /// Colours of the eight neighbours, two bits each, in the order of [`Board::neighbours8`].
    codes: [u16; MAX_CELLS],
    head: [u16; MAX_CELLS],
    next: [u16; MAX_CELLS],
    chains: [Chain; MAX_CELLS],
    /// How many chains have this cell as their only liberty.
    ataris: [u8; MAX_CELLS],
    empties: [u16; MAX_SIZE * MAX_SIZE],
    empty_at: [u16; MAX_CELLS],
    empty_count: u16,
    ko: Option<Point>,
    hash: u64,
    captured: [u32; 2],
    touched: [u16; MAX_TOUCHED],
    touched_count: u16,
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..self.size()).rev() {
            for x in 0..self.size() {
                let cell = self.cells[Point::at(x, y, self.size()).cell()];
                write!(f, " {}", [".", "X", "O", "#"][cell as usize])?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Clone for Board {
    fn clone(&self) -> Self {
        let mut board = Self::new(self.size());
        board.copy_from(self);
        board
    }
}

impl Board {
    /// An empty board. `size` is from 1 to [`MAX_SIZE`].
    ///
    /// # Panics
    /// If it is not.
    pub fn new(size: usize) -> Self {
        assert!((1..=MAX_SIZE).contains(&size), "a board is from 1x1 to 25x25");
        let mut board = Self {
            size: size as u16,
            stride: size as u16 + 1,
            cells: [BORDER; MAX_CELLS],
            codes: [0; MAX_CELLS],
            head: [0; MAX_CELLS],
            next: [0; MAX_CELLS],
            chains: [Chain::NONE; MAX_CELLS],
            ataris: [0; MAX_CELLS],
            empties: [0; MAX_SIZE * MAX_SIZE],
            empty_at: [0; MAX_CELLS],
            empty_count: 0,
            ko: None,
            hash: 0,
            captured: [0; 2],
            touched: [0; MAX_TOUCHED],
            touched_count: 0,
        };
        for y in 0..size {
            for x in 0..size {
                let cell = Point::at(x, y, size).cell();
                board.cells[cell] = EMPTY;
                board.add_empty(cell);
            }
        }
        for y in 0..size {
            for x in 0..size {
                let cell = Point::at(x, y, size).cell();
                let around = board.neighbours8(cell);
                board.codes[cell] = (0..8).fold(0, |code, direction| {
                    code | u16::from(board.cells[around[direction]]) << (2 * direction)
                });
            }
        }
        board
    }

    /// Becomes a copy of `other`, moving only the cells that a board of its size has.
    pub fn copy_from(&mut self, other: &Self) {
        let n = other.cell_count();
        self.size = other.size;
        self.stride = other.stride;
        self.cells[..n].copy_from_slice(&other.cells[..n]);
        self.codes[..n].copy_from_slice(&other.codes[..n]);
        self.head[..n].copy_from_slice(&other.head[..n]);
        self.next[..n].copy_from_slice(&other.next[..n]);
        self.chains[..n].copy_from_slice(&other.chains[..n]);
        self.ataris[..n].copy_from_slice(&other.ataris[..n]);
        self.empty_at[..n].copy_from_slice(&other.empty_at[..n]);
        let k = other.empty_count as usize;
        self.empties[..k].copy_from_slice(&other.empties[..k]);
        self.empty_count = other.empty_count;
        self.ko = other.ko;
        self.hash = other.hash;
        self.captured = other.captured;
        self.touched_count = 0;
    }

    /// Points on a side.
    #[inline]
    pub const fn size(&self) -> usize {
        self.size as usize
    }

    /// Cells with the border.
    #[inline]
    pub const fn cell_count(&self) -> usize {
        (self.size as usize + 1) * (self.size as usize + 2) + 1
    }

    /// Number of points, `size` squared.
    #[inline]
    pub const fn area(&self) -> usize {
        self.size as usize * self.size as usize
    }

    /// Every point, from the lower left, row by row.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let size = self.size();
        (0..size * size).map(move |i| Point::at(i % size, i / size, size))
    }

    /// What is on a cell: [`EMPTY`], a colour's number, or [`BORDER`].
    #[inline]
    pub const fn cell(&self, cell: usize) -> u8 {
        self.cells[cell]
    }

    /// The stone on a point.
    #[inline]
    pub const fn stone(&self, point: Point) -> Option<Color> {
        match self.cells[point.cell()] {
            1 => Some(Color::Black),
            2 => Some(Color::White),
            _ => None,
        }
    }

    /// The empty points, in no order that means anything.
    #[inline]
    pub fn empties(&self) -> &[u16] {
        &self.empties[..self.empty_count as usize]
    }

    /// Colours of the eight neighbours of a cell, two bits each.
    #[inline]
    pub const fn code(&self, cell: usize) -> u16 {
        self.codes[cell]
    }

    /// Empty cells among the four beside a cell.
    #[inline]
    pub const fn room(&self, cell: usize) -> u32 {
        let sides = self.codes[cell] as u32 & 0xff;
        4 - ((sides | sides >> 1) & 0x55).count_ones()
    }

    /// Whether a stone of `color` is among the four cells beside a cell.
    #[inline]
    pub const fn touches(&self, cell: usize, color: Color) -> bool {
        let sides = self.codes[cell] as u32 & 0xff;
        let (own, other) = match color {
            Color::Black => (sides, sides >> 1),
            Color::White => (sides >> 1, sides),
        };
        own & !other & 0x55 != 0
    }

    /// The point that may not be retaken at once.
    #[inline]
    pub const fn ko(&self) -> Option<Point> {
        self.ko
    }

    /// Key of the stones alone (Zobrist 1970): the same for the same position, whoever moves.
    #[inline]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Stones that `color` has captured.
    #[inline]
    pub const fn captured_by(&self, color: Color) -> u32 {
        self.captured[color.index()]
    }

    /// Points whose neighbourhood changed since the last [`Board::forget_touched`]; with repeats.
    #[inline]
    pub fn touched(&self) -> &[u16] {
        &self.touched[..self.touched_count as usize]
    }

    /// Whether [`Board::touched`] overflowed, so that any point may have changed.
    #[inline]
    pub const fn touched_all(&self) -> bool {
        self.touched_count as usize >= MAX_TOUCHED
    }

    /// Starts the list of changed points anew.
    #[inline]
    pub fn forget_touched(&mut self) {
        self.touched_count = 0;
    }

    /// The four cells beside a cell: east, north, west, south.
    #[inline]
    pub const fn neighbours(&self, cell: usize) -> [usize; 4] {
        let s = self.stride as usize;
        [cell + 1, cell + s, cell - 1, cell - s]
    }

    /// The eight cells around a cell: the four beside it, then NE, NW, SW, SE.
    #[inline]
    pub const fn neighbours8(&self, cell: usize) -> [usize; 8] {
        let s = self.stride as usize;
        [
            cell + 1,
            cell + s,
            cell - 1,
            cell - s,
            cell + s + 1,
            cell + s - 1,
            cell - s - 1,
            cell - s + 1,
        ]
    }

    /// Name of the chain on an occupied cell: one of its cells.
    #[inline]
    pub const fn chain(&self, cell: usize) -> usize {
        self.head[cell] as usize
    }

    /// Stones of the chain on an occupied cell.
    #[inline]
    pub const fn chain_size(&self, cell: usize) -> usize {
        self.chains[self.head[cell] as usize].stones as usize
    }

    /// The cells of the chain on an occupied cell.
    pub fn chain_cells(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        let first = cell;
        let mut at = Some(cell);
        std::iter::from_fn(move || {
            let current = at?;
            let next = self.next[current] as usize;
            at = (next != first).then_some(next);
            Some(current)
        })
    }

    /// Liberties of the chain on an occupied cell, those listed: all of them up to three, and at
    /// least four if there are more.
    #[inline]
    pub fn liberties(&self, cell: usize) -> &[u16] {
        self.chains[self.head[cell] as usize].list()
    }

    /// The exact number of liberties of the chain on an occupied cell.
    pub fn liberty_count(&self, cell: usize) -> usize {
        let chain = &self.chains[self.head[cell] as usize];
        if !chain.cut {
            return chain.listed as usize;
        }
        let mut seen = vec![false; self.cell_count()];
        let mut count = 0;
        for stone in self.chain_cells(cell) {
            for near in self.neighbours(stone) {
                if self.cells[near] == EMPTY && !std::mem::replace(&mut seen[near], true) {
                    count += 1;
                }
            }
        }
        count
    }

    /// Whether the chain on an occupied cell has one liberty.
    #[inline]
    pub const fn in_atari(&self, cell: usize) -> bool {
        self.chains[self.head[cell] as usize].listed == 1
    }

    /// Whether a chain beside this empty cell has no other liberty.
    #[inline]
    pub const fn is_beside_atari(&self, cell: usize) -> bool {
        self.ataris[cell] > 0
    }

    /// Whether `color` may play here by the rules of capture and simple ko.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn check(&self, color: Color, point: Point, suicide: bool) -> Result<(), Illegal> {
        if self.cells[point.cell()] != EMPTY {
            return Err(Illegal::Occupied);
        }
        if self.ko == Some(point) && self.captures(color, point.cell()) {
            return Err(Illegal::Ko);
        }
        if self.is_suicide(color, point.cell()) {
            // One stone that takes its own last liberty leaves the board as it was: a pass in disguise,
            // which every superko rule forbids.
            let alone =
                self.neighbours(point.cell()).iter().all(|&near| self.cells[near] != color as u8);
            if alone || !suicide {
                return Err(Illegal::Suicide);
            }
        }
        Ok(())
    }

    /// [`Board::check`] for playouts: no suicide of any kind, point known to be empty.
    #[inline]
    pub fn is_playable(&self, color: Color, cell: usize) -> bool {
        if self.ko.is_some_and(|ko| ko.cell() == cell) && self.captures(color, cell) {
            return false;
        }
        !self.is_suicide(color, cell)
    }

    /// Whether a stone of `color` on this empty cell would take something.
    #[inline]
    pub fn captures(&self, color: Color, cell: usize) -> bool {
        let enemy = color.other() as u8;
        self.is_beside_atari(cell)
            && self
                .neighbours(cell)
                .iter()
                .any(|&near| self.cells[near] == enemy && self.in_atari(near))
    }

    /// Whether a stone of `color` on this empty cell would have no liberty after captures.
    #[inline]
    pub fn is_suicide(&self, color: Color, cell: usize) -> bool {
        if self.room(cell) > 0 {
            return false;
        }
        if !self.is_beside_atari(cell) {
            return !self.touches(cell, color);
        }
        self.neighbours(cell).iter().all(|&near| match self.cells[near] {
            EMPTY => false,
            BORDER => true,
            stone if stone == color as u8 => self.in_atari(near),
            _ => !self.in_atari(near),
        })
    }

    /// The key after `color` played on this empty cell.
    pub fn hash_after(&self, color: Color, cell: usize) -> u64 {
        let mut hash = self.hash ^ zobrist(color, cell);
        let mut taken = [usize::MAX; 4];
        for (i, near) in self.neighbours(cell).into_iter().enumerate() {
            if self.cells[near] == color.other() as u8 && self.in_atari(near) {
                let chain = self.chain(near);
                if !taken.contains(&chain) {
                    taken[i] = chain;
                    for stone in self.chain_cells(near) {
                        hash ^= zobrist(color.other(), stone);
                    }
                }
            }
        }
        if self.is_suicide(color, cell) {
            hash ^= zobrist(color, cell);
            let mut gone = [usize::MAX; 4];
            for (i, near) in self.neighbours(cell).into_iter().enumerate() {
                if self.cells[near] == color as u8 && !gone.contains(&self.chain(near)) {
                    gone[i] = self.chain(near);
                    for stone in self.chain_cells(near) {
                        hash ^= zobrist(color, stone);
                    }
                }
            }
        }
        hash
    }

    /// Lifts the ban on retaking a ko, as a pass does.
    #[inline]
    pub fn pass(&mut self) {
        if let Some(ko) = self.ko.take() {
            self.touch(ko.cell());
        }
    }

    /// Puts a stone of `color` on an empty cell, removes what has no liberty (enemies first, then the
    /// stone's own chain), and returns how many enemy stones were taken.
    pub fn play(&mut self, color: Color, point: Point) -> usize {
        let cell = point.cell();
        debug_assert_eq!(self.cells[cell], EMPTY);
        self.pass();
        self.remove_empty(cell);
        self.set(cell, color as u8);
        self.hash ^= zobrist(color, cell);
        self.head[cell] = cell as u16;
        self.next[cell] = cell as u16;
        self.chains[cell] = Chain { stones: 1, ..Chain::NONE };
        let around = self.neighbours(cell);
        for near in around {
            if self.cells[near] == EMPTY {
                self.chains[cell].add(near as u16);
            }
        }
        self.enter_atari(cell);
        let mut taken = 0;
        let mut last_taken = cell;
        for near in around {
            if self.cells[near] == color.other() as u8 {
                self.drop_liberty(near, cell);
                if self.liberties(near).is_empty() {
                    taken += self.remove_chain(near);
                    last_taken = near;
                }
            }
        }
        for near in around {
            if self.cells[near] == color as u8 {
                self.join(cell, near);
            }
        }
        self.captured[color.index()] += taken as u32;
        let listed = self.liberties(cell).len();
        if listed == 0 {
            let lost = self.remove_chain(cell);
            self.captured[color.other().index()] += lost as u32;
        } else if listed == 1 && taken == 1 && self.chain_size(cell) == 1 {
            self.ko = Some(Point::new(last_taken));
        }
        taken
    }

    fn set(&mut self, cell: usize, content: u8) {
        // As seen from the neighbour in direction d this cell lies the other way.
        const BACK: [usize; 8] = [2, 3, 0, 1, 6, 7, 4, 5];
        let change = u16::from(self.cells[cell] ^ content);
        self.cells[cell] = content;
        for (direction, near) in self.neighbours8(cell).into_iter().enumerate() {
            self.codes[near] ^= change << (2 * BACK[direction]);
            if self.cells[near] == EMPTY {
                self.touch(near);
            }
        }
        self.touch(cell);
    }

    #[inline]
    fn touch(&mut self, cell: usize) {
        if let Some(slot) = self.touched.get_mut(self.touched_count as usize) {
            *slot = cell as u16;
            self.touched_count += 1;
        }
    }

    /// To be called before the liberties of the chain `head` change.
    #[inline]
    fn leave_atari(&mut self, head: usize) {
        let chain = &self.chains[head];
        if chain.listed == 1 {
            let liberty = chain.liberties[0] as usize;
            self.ataris[liberty] -= 1;
            self.touch(liberty);
        }
    }

    /// To be called after they have changed.
    #[inline]
    fn enter_atari(&mut self, head: usize) {
        let chain = &self.chains[head];
        if chain.listed == 1 {
            let liberty = chain.liberties[0] as usize;
            self.ataris[liberty] += 1;
            self.touch(liberty);
        }
    }

    /// Takes a liberty from the chain on `cell`.
    #[inline]
    fn drop_liberty(&mut self, cell: usize, liberty: usize) {
        let head = self.chain(cell);
        self.leave_atari(head);
        self.chains[head].remove(liberty as u16);
        if self.chains[head].cut && (self.chains[head].listed as usize) < REFILL {
            self.refill(head);
        }
        self.enter_atari(head);
    }

    /// Gives a liberty to the chain on `cell`.
    #[inline]
    fn give_liberty(&mut self, cell: usize, liberty: usize) {
        let head = self.chain(cell);
        self.leave_atari(head);
        self.chains[head].add(liberty as u16);
        self.enter_atari(head);
    }

    #[cold]
    fn refill(&mut self, head: usize) {
        let mut chain = Chain { stones: self.chains[head].stones, ..Chain::NONE };
        let mut stone = head;
        loop {
            for near in self.neighbours(stone) {
                if self.cells[near] == EMPTY {
                    chain.add(near as u16);
                }
            }
            stone = self.next[stone] as usize;
            if stone == head || chain.cut {
                break;
            }
        }
        self.chains[head] = chain;
    }

    /// Joins the chains of `new` (just played) and `old`, if they are two.
    fn join(&mut self, new: usize, old: usize) {
        let (a, b) = (self.chain(new), self.chain(old));
        if a == b {
            return;
        }
        self.leave_atari(a);
        self.leave_atari(b);
        self.chains[b].remove(new as u16);
        let (big, small) =
            if self.chains[a].stones > self.chains[b].stones { (a, b) } else { (b, a) };
        let mut stone = small;
        loop {
            self.head[stone] = big as u16;
            stone = self.next[stone] as usize;
            if stone == small {
                break;
            }
        }
        self.next.swap(big, small);
        let other = self.chains[small];
        let chain = &mut self.chains[big];
        chain.stones += other.stones;
        for &liberty in other.list() {
            chain.add(liberty);
        }
        chain.cut |= other.cut;
        if chain.cut && (chain.listed as usize) < REFILL {
            self.refill(big);
        }
        self.enter_atari(big);
    }

    /// Takes the chain on `cell` off the board; returns its size.
    fn remove_chain(&mut self, cell: usize) -> usize {
        let color = if self.cells[cell] == 1 { Color::Black } else { Color::White };
        let enemy = color.other() as u8;
        let mut count = 0;
        let mut stone = cell;
        loop {
            let next = self.next[stone] as usize;
            self.set(stone, EMPTY);
            self.hash ^= zobrist(color, stone);
            self.add_empty(stone);
            for near in self.neighbours(stone) {
                if self.cells[near] == enemy {
                    self.give_liberty(near, stone);
                }
            }
            count += 1;
            stone = next;
            if stone == cell {
                return count;
            }
        }
    }

    fn add_empty(&mut self, cell: usize) {
        self.empty_at[cell] = self.empty_count;
        self.empties[self.empty_count as usize] = cell as u16;
        self.empty_count += 1;
    }

    fn remove_empty(&mut self, cell: usize) {
        self.empty_count -= 1;
        let last = self.empties[self.empty_count as usize];
        let at = self.empty_at[cell];
        self.empties[at as usize] = last;
        self.empty_at[last as usize] = at;
    }
}

/// Key of a stone on a cell (Zobrist 1970), by the finaliser of splitmix64 (Steele, Lea & Flood 2014).
#[inline]
pub const fn zobrist(color: Color, cell: usize) -> u64 {
    ZOBRIST[color as usize - 1][cell]
}

static ZOBRIST: [[u64; MAX_CELLS]; 2] = {
    let mut table = [[0; MAX_CELLS]; 2];
    let mut i = 0;
    while i < 2 * MAX_CELLS {
        let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        table[i / MAX_CELLS][i % MAX_CELLS] = z ^ (z >> 31);
        i += 1;
    }
    table
};

#[cfg(test)]
impl Board {
    /// A board from its rows, the uppermost first: `X` is Black's, `O` White's.
    pub(super) fn of_rows(rows: &[&str]) -> Self {
        let mut board = Self::new(rows.len());
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, c) in row.bytes().enumerate() {
                let point = Point::at(x, y, rows.len());
                match c {
                    b'X' => drop(board.play(Color::Black, point)),
                    b'O' => drop(board.play(Color::White, point)),
                    _ => {}
                }
            }
        }
        board
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::{Rng, SeedableRng, rngs::SmallRng};

    use super::*;

    /// Chains, liberties, codes and key of a board worked out anew from its stones.
    fn assert_consistent(board: &Board) {
        let mut hash = 0;
        let mut empties = BTreeSet::new();
        for point in board.points() {
            let cell = point.cell();
            let code = board
                .neighbours8(cell)
                .iter()
                .enumerate()
                .fold(0, |code, (d, &near)| code | u16::from(board.cell(near)) << (2 * d));
            assert_eq!(board.code(cell), code);
            let Some(color) = board.stone(point) else {
                empties.insert(cell as u16);
                continue;
            };
            hash ^= zobrist(color, cell);
            let mut stones = BTreeSet::from([cell]);
            let mut liberties = BTreeSet::new();
            let mut todo = vec![cell];
            while let Some(stone) = todo.pop() {
                for near in board.neighbours(stone) {
                    if board.cell(near) == EMPTY {
                        liberties.insert(near as u16);
                    } else if board.cell(near) == color as u8 && stones.insert(near) {
                        todo.push(near);
                    }
                }
            }
            assert_eq!(board.chain_cells(cell).collect::<BTreeSet<_>>(), stones);
            assert_eq!(board.chain_size(cell), stones.len());
            assert_eq!(board.liberty_count(cell), liberties.len());
            let listed: BTreeSet<u16> = board.liberties(cell).iter().copied().collect();
            assert!(listed.is_subset(&liberties));
            assert!(listed == liberties || listed.len() >= REFILL);
        }
        for &cell in board.empties() {
            let chains: BTreeSet<usize> = board
                .neighbours(cell as usize)
                .into_iter()
                .filter(|&near| board.cell(near) != EMPTY && board.cell(near) != BORDER)
                .filter(|&near| board.liberty_count(near) == 1)
                .map(|near| board.chain(near))
                .collect();
            assert_eq!(board.ataris[cell as usize] as usize, chains.len());
        }
        assert_eq!(board.hash(), hash);
        assert_eq!(board.empties().iter().copied().collect::<BTreeSet<_>>(), empties);
    }

    #[test]
    fn random_play_keeps_chains_liberties_and_key_exact() {
        let mut rng = SmallRng::seed_from_u64(1);
        for size in [1, 2, 3, 5, 7, 9, 13, 19, 25] {
            let mut board = Board::new(size);
            for ply in 0..3 * size * size {
                let color = Color::BOTH[ply % 2];
                let k = rng.next_u64() as usize % board.empties().len().max(1);
                let Some(&cell) = board.empties().get(k) else { break };
                if board.check(color, Point::new(cell as usize), ply % 3 == 0).is_ok() {
                    let after = board.hash_after(color, cell as usize);
                    board.play(color, Point::new(cell as usize));
                    assert_eq!(board.hash(), after);
                    if ply % 29 == 0 || size < 6 {
                        assert_consistent(&board);
                    }
                }
            }
            assert_consistent(&board);
            assert_consistent(&board.clone());
        }
    }
}
