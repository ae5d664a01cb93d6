//! Small readings: self-atari, ladders, and the vital points of small eye spaces.

use super::{
    board::{BORDER, Board, EMPTY},
    point::{Color, Point},
};

/// Most moves a ladder is followed; a diagonal of a 25x25 board takes about twice its length.
const LADDER_PLIES: usize = 120;

/// Largest eye space with a vital point (the rabbity six).
const LARGEST_NAKADE: usize = 6;

/// Liberties, counted up to three, that a stone of `color` on this empty cell would have. A move that
/// takes a chain of three or more is said to have three, though it may have fewer.
pub fn liberties_after(board: &Board, color: Color, cell: usize) -> usize {
    let own = color as u8;
    let mut found = [0_usize; 3];
    let mut count = 0;
    let mut add = |liberty: usize| {
        if liberty != cell && !found[..count].contains(&liberty) && count < 3 {
            found[count] = liberty;
            count += 1;
        }
        count >= 3
    };
    for near in board.neighbours(cell) {
        match board.cell(near) {
            EMPTY => {
                if add(near) {
                    return 3;
                }
            }
            BORDER => {}
            stone if stone == own => {
                if board.liberties(near).len() > 3 {
                    return 3;
                }
                for &liberty in board.liberties(near) {
                    if add(liberty as usize) {
                        return 3;
                    }
                }
            }
            _ => {
                if board.in_atari(near) {
                    // What is taken leaves its place free.
                    if add(near) || board.chain_size(near) > 2 {
                        return 3;
                    }
                    // The other of two is a liberty if it lies beside a chain that is joined.
                    if let Some(other) = board.chain_cells(near).nth(1)
                        && touches_joined(board, own, cell, other)
                        && add(other)
                    {
                        return 3;
                    }
                }
            }
        }
    }
    count
}

/// Whether a chain of `own` beside `cell` has a stone beside `other`.
fn touches_joined(board: &Board, own: u8, cell: usize, other: usize) -> bool {
    let chain = |near: usize| (board.cell(near) == own).then(|| board.chain(near));
    let joined = board.neighbours(cell).map(chain);
    board.neighbours(other).into_iter().filter_map(chain).any(|chain| joined.contains(&Some(chain)))
}

/// Whether a stone of `color` here would be in atari at once, with its chain, and takes nothing.
pub fn is_self_atari(board: &Board, color: Color, cell: usize) -> bool {
    liberties_after(board, color, cell) < 2
}

/// Stones that would be lost by a self-atari here: the new stone and the chains it joins.
pub fn stones_joined(board: &Board, color: Color, cell: usize) -> usize {
    let mut seen = [usize::MAX; 4];
    let mut stones = 1;
    for (i, near) in board.neighbours(cell).into_iter().enumerate() {
        if board.cell(near) == color as u8 && !seen.contains(&board.chain(near)) {
            seen[i] = board.chain(near);
            stones += board.chain_size(near);
        }
    }
    stones
}

/// Whether the chain on `cell`, in atari and to move, is caught in a ladder whatever it does.
pub fn is_ladder_caught(board: &Board, cell: usize) -> bool {
    let mut board = Box::new(board.clone());
    let mut budget = LADDER_PLIES;
    escaper_loses(&mut board, cell, &mut budget)
}

/// Whether `hunter` playing on `cell`, a liberty of the two-liberty chain `prey`, starts a ladder that works.
pub fn ladder_works(board: &Board, hunter: Color, cell: usize, prey: usize) -> bool {
    let mut board = Box::new(board.clone());
    if !board.is_playable(hunter, cell) {
        return false;
    }
    board.play(hunter, Point::new(cell));
    let mut budget = LADDER_PLIES;
    board.cell(prey) == hunter.other() as u8
        && board.in_atari(prey)
        && escaper_loses(&mut board, prey, &mut budget)
}

fn escaper_loses(board: &mut Board, prey: usize, budget: &mut usize) -> bool {
    let color = if board.cell(prey) == 1 { Color::Black } else { Color::White };
    let mut tries = [usize::MAX; 5];
    let mut count = 0;
    tries[count] = board.liberties(prey)[0] as usize;
    count += 1;
    // Taking one of the hunters is the other way out.
    'stones: for stone in board.chain_cells(prey) {
        for near in board.neighbours(stone) {
            if board.cell(near) == color.other() as u8 && board.in_atari(near) {
                let liberty = board.liberties(near)[0] as usize;
                if !tries.contains(&liberty) {
                    tries[count] = liberty;
                    count += 1;
                    if count == tries.len() {
                        break 'stones;
                    }
                }
            }
        }
    }
    for &cell in &tries[..count] {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        if !board.is_playable(color, cell) {
            continue;
        }
        let single = count == 1;
        let mut copy;
        let next: &mut Board = if single {
            &mut *board
        } else {
            copy = Box::new(board.clone());
            &mut copy
        };
        next.play(color, Point::new(cell));
        if !hunter_wins(next, prey, budget) {
            return false;
        }
    }
    true
}

fn hunter_wins(board: &mut Board, prey: usize, budget: &mut usize) -> bool {
    let color = if board.cell(prey) == 1 { Color::Black } else { Color::White };
    let liberties = board.liberties(prey);
    match *liberties {
        [] | [_] => true,
        [a, b] => {
            let moves = [a as usize, b as usize];
            // The side where the runner would get most room comes first.
            let room = |cell: usize| {
                board.neighbours(cell).iter().filter(|&&near| board.cell(near) == EMPTY).count()
            };
            let order = if room(moves[1]) > room(moves[0]) { [1, 0] } else { [0, 1] };
            for i in order {
                let cell = moves[i];
                if *budget == 0 || !board.is_playable(color.other(), cell) {
                    continue;
                }
                *budget -= 1;
                if is_self_atari(board, color.other(), cell) {
                    continue;
                }
                let mut copy = Box::new(board.clone());
                copy.play(color.other(), Point::new(cell));
                if copy.in_atari(prey) && escaper_loses(&mut copy, prey, budget) {
                    return true;
                }
            }
            false
        }
        _ => false,
    }
}

/// The vital point of the empty region around `cell` (Berlekamp's and Landman's dead shapes: bent or
/// straight three, pyramid four, bulky and crossed five, rabbity six), if it is one of these and no
/// stone of `color` is at its edge.
pub fn vital_point(board: &Board, color: Color, cell: usize) -> Option<usize> {
    if board.touches(cell, color) {
        return None;
    }
    let mut region = [0_usize; LARGEST_NAKADE];
    region[0] = cell;
    let mut count = 1;
    let mut at = 0;
    let mut degrees = [0_usize; 5];
    while at < count {
        let cell = region[at];
        degrees[board.room(cell) as usize] += 1;
        for near in board.neighbours(cell) {
            if board.cell(near) == EMPTY && !region[..count].contains(&near) {
                if count == LARGEST_NAKADE || board.touches(near, color) {
                    return None;
                }
                region[count] = near;
                count += 1;
            }
        }
        at += 1;
    }
    let wanted = match (count, degrees) {
        (3, _) => 2,
        (4, [_, 3, _, 1, _]) | (5, [_, 1, 3, 1, _]) => 3,
        (5, [_, 4, _, _, 1]) | (6, [_, 2, 3, _, 1]) => 4,
        _ => return None,
    };
    region[..count].iter().copied().find(|&cell| board.room(cell) == wanted)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::SmallRng};

    use super::*;

    fn set(board: &mut Board, color: Color, points: &str) {
        for name in points.split_whitespace() {
            board.play(color, Point::parse(name, board.size()).unwrap());
        }
    }

    #[test]
    fn a_ladder_works_unless_a_stone_breaks_it() {
        let mut board = Board::new(9);
        set(&mut board, Color::White, "C3");
        set(&mut board, Color::Black, "B3 C2 D2 B4");
        let c3 = Point::parse("C3", 9).unwrap().cell();
        let (c4, d3) =
            (Point::parse("C4", 9).unwrap().cell(), Point::parse("D3", 9).unwrap().cell());
        assert!(
            ladder_works(&board, Color::Black, c4, c3)
                || ladder_works(&board, Color::Black, d3, c3)
        );
        set(&mut board, Color::White, "G7 F6 E6 F5");
        assert!(!ladder_works(&board, Color::Black, c4, c3));
    }

    #[test]
    fn three_in_a_row_have_a_vital_point() {
        let mut board = Board::new(9);
        set(&mut board, Color::Black, "A2 B2 C2 D1");
        let a1 = Point::parse("A1", 9).unwrap().cell();
        assert_eq!(
            vital_point(&board, Color::White, a1),
            Some(Point::parse("B1", 9).unwrap().cell())
        );
    }

    /// Against the move played on a copy. Three is the most that is counted, and said of every move
    /// that takes three stones or more.
    #[test]
    fn liberties_after_a_move_are_those_it_has_when_it_is_played() {
        let mut rng = SmallRng::seed_from_u64(2);
        let mut pairs = 0;
        for game in 0..70 {
            let mut board = Board::new(3 + game % 7);
            let mut after = board.clone();
            for ply in 0..2 * board.area() {
                let color = Color::BOTH[ply % 2];
                for &cell in board.empties() {
                    let point = Point::new(cell as usize);
                    if board.check(color, point, false).is_err() {
                        continue;
                    }
                    let said = liberties_after(&board, color, point.cell());
                    after.copy_from(&board);
                    let taken = after.play(color, point);
                    let found = after.liberty_count(point.cell()).min(3);
                    // Two chains may be taken at once.
                    let largest = board
                        .neighbours(point.cell())
                        .into_iter()
                        .filter(|&near| board.cell(near) == color.other() as u8)
                        .filter(|&near| board.in_atari(near))
                        .map(|near| board.chain_size(near))
                        .max();
                    let expected = if largest > Some(2) { 3 } else { found };
                    assert_eq!(said, expected, "{board:?}{color} {}", point.name(board.size()));
                    pairs += usize::from(taken == 2);
                }
                let at = rng.next_u64() as usize % board.empties().len().max(1);
                let Some(&cell) = board.empties().get(at) else { break };
                if board.check(color, Point::new(cell as usize), false).is_ok() {
                    board.play(color, Point::new(cell as usize));
                }
            }
        }
        assert!(pairs > 20, "{pairs}");
    }

    #[test]
    fn a_stone_without_a_second_liberty_is_self_atari() {
        let mut board = Board::new(9);
        set(&mut board, Color::Black, "A2 C1");
        assert!(!is_self_atari(&board, Color::White, Point::parse("B1", 9).unwrap().cell()));
        assert!(is_self_atari(&board, Color::White, Point::parse("A1", 9).unwrap().cell()));
    }
}
