//! Seki: chains that live without two eyes because whoever plays on the liberty both sides share puts
//! himself in atari.

use super::{
    board::{Board, EMPTY},
    point::{Color, MAX_CELLS, Point},
    tactics::is_self_atari,
};

/// The stones in seki on a board whose dead stones were taken off, `true` at each: those of chains
/// beside a point that touches both colours and on which either would put himself in atari.
pub fn in_seki(board: &Board) -> [bool; MAX_CELLS] {
    let mut found = [false; MAX_CELLS];
    for point in board.points() {
        if !is_shared(board, point) || Color::BOTH.iter().any(|&color| dares(board, color, point)) {
            continue;
        }
        for near in board.neighbours(point.cell()) {
            if matches!(board.cell(near), 1 | 2) {
                for cell in board.chain_cells(near) {
                    found[cell] = true;
                }
            }
        }
    }
    found
}

fn is_shared(board: &Board, point: Point) -> bool {
    let cell = point.cell();
    let beside =
        |color: Color| board.neighbours(cell).iter().any(|&near| board.cell(near) == color as u8);
    board.cell(cell) == EMPTY && Color::BOTH.into_iter().all(beside)
}

/// Whether `color` may play here and is not in atari then.
fn dares(board: &Board, color: Color, point: Point) -> bool {
    board.check(color, point, false).is_ok() && !is_self_atari(board, color, point.cell())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two chains without an eye and two liberties that both share: the commonest seki.
    #[test]
    fn chains_that_share_their_two_liberties_are_in_seki() {
        let board = Board::of_rows(&[
            "OX.OX..", //
            "OX.OX..", "OXXOX..", "OOOXX..", "..OX...", "..OX...", "..OX...",
        ]);
        let seki = in_seki(&board);
        let stones = board.points().filter(|point| seki[point.cell()]);
        let names: Vec<String> = stones.map(|point| point.name(7)).collect();
        assert_eq!(names.join(" "), "B5 C5 D5 B6 D6 B7 D7");
    }

    #[test]
    fn a_point_between_living_chains_makes_no_seki() {
        let board = Board::of_rows(&[".X.O."; 5]);
        assert!(!in_seki(&board).contains(&true));
    }
}
