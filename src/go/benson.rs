//! Unconditional life (Benson 1976, "Life in the game of Go"): chains that cannot be captured even if
//! their owner always passes, with the regions that belong to them.

use super::{
    board::{BORDER, Board, EMPTY},
    point::{Color, MAX_CELLS},
};

struct Region {
    cells: Vec<usize>,
    /// Chains of the owner around it.
    around: Vec<usize>,
    /// Of those, the ones for which every empty cell of the region is a liberty.
    vital: Vec<usize>,
}

/// Cells that are pass-alive for `color`: its unconditionally alive chains and the regions they enclose
/// in which no enemy stone could live. `true` at each such cell.
pub fn pass_alive(board: &Board, color: Color) -> [bool; MAX_CELLS] {
    let own = color as u8;
    let mut regions = regions(board, own);
    let mut alive: Vec<usize> = board
        .points()
        .map(super::point::Point::cell)
        .filter(|&cell| board.cell(cell) == own && board.chain(cell) == cell)
        .collect();
    loop {
        let before = alive.len();
        alive.retain(|chain| regions.iter().filter(|r| r.vital.contains(chain)).count() >= 2);
        regions.retain(|region| region.around.iter().all(|chain| alive.contains(chain)));
        if alive.len() == before {
            break;
        }
    }
    let mut safe = [false; MAX_CELLS];
    for &chain in &alive {
        for cell in board.chain_cells(chain) {
            safe[cell] = true;
        }
    }
    for region in regions.iter().filter(|r| !r.around.is_empty() && !r.vital.is_empty()) {
        for &cell in &region.cells {
            safe[cell] = true;
        }
    }
    safe
}

fn regions(board: &Board, own: u8) -> Vec<Region> {
    let mut seen = [false; MAX_CELLS];
    let mut regions = Vec::new();
    for point in board.points() {
        let start = point.cell();
        if board.cell(start) == own || seen[start] {
            continue;
        }
        seen[start] = true;
        let mut cells = vec![start];
        let mut around = Vec::new();
        let mut at = 0;
        while let Some(&cell) = cells.get(at) {
            at += 1;
            for near in board.neighbours(cell) {
                let content = board.cell(near);
                if content == own {
                    if !around.contains(&board.chain(near)) {
                        around.push(board.chain(near));
                    }
                } else if content != BORDER && !seen[near] {
                    seen[near] = true;
                    cells.push(near);
                }
            }
        }
        let vital = around
            .iter()
            .copied()
            .filter(|&chain| {
                cells.iter().filter(|&&cell| board.cell(cell) == EMPTY).all(|&cell| {
                    board
                        .neighbours(cell)
                        .iter()
                        .any(|&near| board.cell(near) == own && board.chain(near) == chain)
                })
            })
            .collect();
        regions.push(Region { cells, around, vital });
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_eyes_live_and_one_does_not() {
        let two = Board::of_rows(&[".X.XO", "XXXXO", "OOOO.", ".....", "....."]);
        let safe = pass_alive(&two, Color::Black);
        assert_eq!(safe.iter().filter(|&&cell| cell).count(), 8);
        let one = Board::of_rows(&[".XXXO", "XXXXO", "OOOO.", ".....", "....."]);
        assert!(!pass_alive(&one, Color::Black).contains(&true));
    }
}
