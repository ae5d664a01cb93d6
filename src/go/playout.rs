//! Playouts: games to the end by weighted chance, every move's share given by its learned weight.

use rand::{Rng, rngs::SmallRng};

use super::{
    board::{Board, EMPTY},
    patterns::{Weights, answers},
    point::{Color, MAX_CELLS, MAX_SIZE, Point},
    tactics::{liberties_after, stones_joined, vital_point},
};

/// Chance to take the vital point of an eye space beside the last move (Pachi's playouts use the same).
const NAKADE: f32 = 0.8;

/// A playout is cut after this many moves a point: long kos only.
const LONGEST: usize = 3;

/// Most points that get a factor for the last move.
const MAX_LOCAL: usize = 32;

/// A board with the playout weight of every point for both colours, kept up with every move. Only an
/// escape from atari may have its weight of some moves ago: that counts liberties of the chains it joins,
/// and to hear of each change of these took a tenth of the speed.
#[derive(Debug, Clone)]
pub struct Weighted {
    /// The stones.
    pub board: Board,
    weights: [[u32; MAX_CELLS]; 2],
    rows: [[u32; MAX_SIZE + 2]; 2],
    totals: [u32; 2],
    /// 65,536 divided by the cells of a row, rounded up: a cell's row without a division.
    per_row: u32,
}

impl Weighted {
    /// Weighs every point of a board.
    pub fn new(board: &Board, table: &Weights) -> Self {
        let mut state = Self {
            board: board.clone(),
            weights: [[0; MAX_CELLS]; 2],
            rows: [[0; MAX_SIZE + 2]; 2],
            totals: [0; 2],
            per_row: (1_u32 << 16).div_ceil(board.size() as u32 + 1),
        };
        state.weigh_all(table);
        state
    }

    /// Becomes a copy of `other`.
    pub fn copy_from(&mut self, other: &Self) {
        self.board.copy_from(&other.board);
        let n = other.board.cell_count();
        for (to, from) in self.weights.iter_mut().zip(&other.weights) {
            to[..n].copy_from_slice(&from[..n]);
        }
        self.rows = other.rows;
        self.totals = other.totals;
        self.per_row = other.per_row;
    }

    /// Plays on an empty point; returns how many enemy stones were taken.
    #[inline]
    pub fn play(&mut self, color: Color, cell: usize, table: &Weights) -> usize {
        self.board.forget_touched();
        let taken = self.board.play(color, Point::new(cell));
        if self.board.touched_all() {
            self.weigh_all(table);
        } else {
            for i in 0..self.board.touched().len() {
                let cell = self.board.touched()[i] as usize;
                self.weigh(cell, table);
            }
        }
        taken
    }

    fn weigh_all(&mut self, table: &Weights) {
        for point in self.board.points() {
            self.weigh(point.cell(), table);
        }
    }

    #[inline]
    fn weigh(&mut self, cell: usize, table: &Weights) {
        let weights =
            if self.board.cell(cell) == EMPTY { table.of_point(&self.board, cell) } else { [0; 2] };
        for color in Color::BOTH {
            self.put(color, cell, weights[color.index()]);
        }
    }

    #[inline]
    fn put(&mut self, color: Color, cell: usize, weight: u32) {
        let old = std::mem::replace(&mut self.weights[color.index()][cell], weight);
        let change = weight.wrapping_sub(old);
        let row = (cell as u32 * self.per_row) >> 16;
        let sum = &mut self.rows[color.index()][row as usize];
        *sum = sum.wrapping_add(change);
        let total = &mut self.totals[color.index()];
        *total = total.wrapping_add(change);
    }

    /// The point at which the running sum of `color`'s weights passes `at`, below the total.
    fn find(&self, color: Color, mut at: u32) -> usize {
        let rows = &self.rows[color.index()];
        let mut row = 1;
        while at >= rows[row] {
            at -= rows[row];
            row += 1;
        }
        let mut cell = row * (self.board.size() + 1) + 1;
        let weights = &self.weights[color.index()];
        while at >= weights[cell] {
            at -= weights[cell];
            cell += 1;
        }
        cell
    }
}

/// Points that the last move makes more likely, with what that adds to their weight; a factor below one
/// adds nothing, and takes nothing away.
struct Local {
    cells: [u16; MAX_LOCAL],
    factors: [f32; MAX_LOCAL],
    extra: [u32; MAX_LOCAL],
    count: usize,
}

impl Local {
    const fn new() -> Self {
        Self { cells: [0; MAX_LOCAL], factors: [1.0; MAX_LOCAL], extra: [0; MAX_LOCAL], count: 0 }
    }

    /// Begins with the empty points around the last move.
    #[inline]
    fn start(&mut self, board: &Board, last: usize, table: &Weights) {
        let code = board.code(last);
        for (direction, near) in board.neighbours8(last).into_iter().enumerate() {
            self.cells[self.count] = near as u16;
            self.factors[self.count] = table.near(usize::from(direction > 3));
            self.count += usize::from(code >> (2 * direction) & 3 == u16::from(EMPTY));
        }
    }

    #[inline]
    fn multiply(&mut self, cell: usize, factor: f32) {
        for i in 0..self.count {
            if self.cells[i] as usize == cell {
                self.factors[i] *= factor;
                return;
            }
        }
        if self.count < MAX_LOCAL {
            self.cells[self.count] = cell as u16;
            self.factors[self.count] = factor;
            self.count += 1;
        }
    }
}

/// Plays out from `state`, `color` to move after `last`; calls `played` with every move but passes.
pub fn play_out(
    state: &mut Weighted,
    color: Color,
    last: Option<usize>,
    table: &Weights,
    rng: &mut SmallRng,
    mut played: impl FnMut(Color, usize),
) {
    let mut color = color;
    let mut last = last;
    let mut taken_from = false;
    let mut passes = 0;
    for _ in 0..LONGEST * state.board.area() {
        if let Some(cell) = choose(state, color, last, taken_from, table, rng) {
            passes = 0;
            played(color, cell);
            taken_from = state.play(color, cell, table) > 2;
            last = Some(cell);
        } else {
            passes += 1;
            if passes == 2 {
                return;
            }
            state.board.pass();
            last = None;
            taken_from = false;
        }
        color = color.other();
    }
}

/// A playout move for `color`; `None` is a pass.
fn choose(
    state: &mut Weighted,
    color: Color,
    last: Option<usize>,
    taken_from: bool,
    table: &Weights,
    rng: &mut SmallRng,
) -> Option<usize> {
    let mut local = Local::new();
    if let Some(last) = last {
        if let Some(cell) = nakade(&state.board, color, last, taken_from, rng) {
            return Some(cell);
        }
        local.start(&state.board, last, table);
        answers(&state.board, color, last, |cell, answer| {
            local.multiply(cell, table.answer(answer));
        });
        for i in 0..local.count {
            let weight = state.weights[color.index()][local.cells[i] as usize];
            local.extra[i] = (weight as f32 * (local.factors[i] - 1.0)).clamp(0.0, 4e7) as u32;
        }
    }
    let mut banned = [0_usize; 16];
    let mut bans = 0;
    let chosen = loop {
        let extra: u32 = local.extra[..local.count].iter().sum();
        let total = u64::from(state.totals[color.index()]) + u64::from(extra);
        if total == 0 || bans == banned.len() {
            break None;
        }
        let mut at = (((rng.next_u64() >> 32) * total) >> 32) as u32;
        let mut cell = 0;
        if at < extra {
            for i in 0..local.count {
                if at < local.extra[i] {
                    cell = local.cells[i] as usize;
                    break;
                }
                at -= local.extra[i];
            }
        } else {
            cell = state.find(color, at - extra);
        }
        if is_sensible(&state.board, color, cell, table, rng) {
            break Some(cell);
        }
        banned[bans] = cell;
        bans += 1;
        state.put(color, cell, 0);
        for i in 0..local.count {
            if local.cells[i] as usize == cell {
                local.extra[i] = 0;
            }
        }
    };
    for &cell in &banned[..bans] {
        let weights = table.of_point(&state.board, cell);
        state.put(color, cell, weights[color.index()]);
    }
    chosen
}

/// Legal, and if a self-atari then one that chance lets pass.
#[inline]
fn is_sensible(
    board: &Board,
    color: Color,
    cell: usize,
    table: &Weights,
    rng: &mut SmallRng,
) -> bool {
    if board.room(cell) >= 2 {
        return true;
    }
    if !board.is_playable(color, cell) {
        return false;
    }
    if liberties_after(board, color, cell) >= 2 {
        return true;
    }
    let keep = table.keep_self_atari(stones_joined(board, color, cell));
    keep >= 1.0 || chance(rng, keep)
}

/// The vital point of an eye space that the last move made or shut, mostly.
fn nakade(
    board: &Board,
    color: Color,
    last: usize,
    taken_from: bool,
    rng: &mut SmallRng,
) -> Option<usize> {
    for near in board.neighbours(last) {
        // Only where the last move left little room beside it, or took stones and so made some.
        if board.cell(near) == EMPTY
            && (taken_from || board.room(near) < 3)
            && let Some(cell) = vital_point(board, color, near)
            && board.is_playable(color, cell)
            && chance(rng, NAKADE)
        {
            return Some(cell);
        }
    }
    None
}

#[inline]
fn chance(rng: &mut SmallRng, probability: f32) -> bool {
    ((rng.next_u64() >> 40) as f32) < probability * (1 << 24) as f32
}

/// Black's points less White's after a playout: stones, and empty points by their neighbours.
pub fn count(board: &Board, mut owner: impl FnMut(usize, u8)) -> i32 {
    let mut score = 0;
    for point in board.points() {
        let cell = point.cell();
        let mut content = board.cell(cell);
        if content == EMPTY {
            let touched = board.neighbours(cell).iter().fold(0, |touched, &near| {
                touched
                    | if board.cell(near) == super::board::BORDER { 0 } else { board.cell(near) }
            });
            content = if touched == 3 { 0 } else { touched };
        }
        score += match content {
            1 => 1,
            2 => -1,
            _ => 0,
        };
        owner(cell, content);
    }
    score
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    /// Whether `color` has a chain in atari beside an empty cell.
    fn is_escape(board: &Board, color: Color, cell: usize) -> bool {
        let own = |near: &usize| board.cell(*near) == color as u8;
        board.neighbours(cell).into_iter().filter(own).any(|near| board.in_atari(near))
    }

    #[test]
    fn weights_kept_up_equal_weights_worked_out_anew() {
        let table = Weights::of_size(9);
        let mut rng = SmallRng::seed_from_u64(3);
        for size in [5, 9, 13].repeat(10) {
            let mut state = Weighted::new(&Board::new(size), &table);
            let mut color = Color::Black;
            for _ in 0..2 * size * size {
                let Some(cell) = choose(&mut state, color, None, false, &table, &mut rng) else {
                    break;
                };
                state.play(color, cell, &table);
                let fresh = Weighted::new(&state.board, &table);
                for color in Color::BOTH {
                    let (kept, fresh) =
                        (&state.weights[color.index()], &fresh.weights[color.index()]);
                    for cell in state.board.points().map(Point::cell) {
                        let same = kept[cell] == fresh[cell];
                        assert!(
                            same || is_escape(&state.board, color, cell),
                            "{:?}{color} {cell}",
                            state.board
                        );
                    }
                    assert_eq!(kept.iter().sum::<u32>(), state.totals[color.index()]);
                }
                color = color.other();
            }
        }
    }

    #[test]
    fn a_playout_ends_and_fills_no_own_eye() {
        let table = Weights::of_size(9);
        let mut rng = SmallRng::seed_from_u64(4);
        for size in [2, 3, 9, 19] {
            let mut state = Weighted::new(&Board::new(size), &table);
            let mut moves = 0;
            play_out(&mut state, Color::Black, None, &table, &mut rng, |_, _| moves += 1);
            assert!((size * size / 2..=LONGEST * size * size).contains(&moves), "{size}: {moves}");
            count(&state.board, |_, _| {});
        }
    }
}
