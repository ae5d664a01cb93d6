//! Counting: area and territory of a board whose dead stones are known.

use super::{
    board::{BORDER, Board, EMPTY},
    point::{Color, MAX_CELLS, Point},
    position::Position,
    rules::Scoring,
    seki::in_seki,
};

/// What a point or stone is worth at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Stays on the board.
    Alive,
    /// Could be captured, and counts as if it were.
    Dead,
    /// Neither side can capture, but it has no territory.
    Seki,
}

/// To whom each cell belongs with every stone on the board alive: 0 for no one, else a colour's number.
/// Empty regions belong to the one colour that they touch (Tromp-Taylor rule 9).
pub fn area(board: &Board) -> [u8; MAX_CELLS] {
    let mut owner = [0; MAX_CELLS];
    let mut seen = [false; MAX_CELLS];
    for point in board.points() {
        let start = point.cell();
        if board.cell(start) != EMPTY {
            owner[start] = board.cell(start);
            continue;
        }
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut region = vec![start];
        let mut touched = 0;
        let mut at = 0;
        while let Some(&cell) = region.get(at) {
            at += 1;
            for near in board.neighbours(cell) {
                match board.cell(near) {
                    EMPTY if !seen[near] => {
                        seen[near] = true;
                        region.push(near);
                    }
                    EMPTY | BORDER => {}
                    stone => touched |= stone,
                }
            }
        }
        if touched == 1 || touched == 2 {
            for cell in region {
                owner[cell] = touched;
            }
        }
    }
    owner
}

/// Area of Black less area of White on the board, every stone alive.
pub fn area_score(board: &Board) -> i32 {
    let owner = area(board);
    board.points().map(|point| sign(owner[point.cell()])).sum()
}

/// Stones that Black has played more than White, set-up stones included. So much more is an area than
/// territory with prisoners, seki aside: every stone played is on the board or a prisoner.
pub fn stones_ahead(board: &Board) -> i32 {
    let on_board: i32 = board.points().map(|point| sign(board.cell(point.cell()))).sum();
    on_board + board.captured_by(Color::White) as i32 - board.captured_by(Color::Black) as i32
}

/// Points by which Black wins (negative: White) under the rules in force, komi and handicap included,
/// when the chains for which `dead` holds are taken off.
pub fn final_score(position: &Position, dead: &impl Fn(Point) -> bool) -> f32 {
    let (board, prisoners) = without(&position.board, dead);
    let points = match position.rules.scoring {
        Scoring::Area => area_score(&board),
        Scoring::Territory => {
            let owner = area(&board);
            let seki = in_seki(&board);
            let beside_seki = |cell| board.neighbours(cell).iter().any(|&near| seki[near]);
            let territory: i32 = board
                .points()
                .filter(|&point| board.stone(point).is_none() && !beside_seki(point.cell()))
                .map(|point| sign(owner[point.cell()]))
                .sum();
            let taken = position.board.captured_by(Color::Black) as i32
                - position.board.captured_by(Color::White) as i32;
            territory + prisoners + taken
        }
    };
    points as f32 - position.white_bonus()
}

/// The board without the stones for which `dead` holds, and how many more of White's than of Black's
/// these are.
pub fn without(board: &Board, dead: &impl Fn(Point) -> bool) -> (Board, i32) {
    let mut left = Board::new(board.size());
    let mut prisoners = 0;
    for point in board.points() {
        if let Some(color) = board.stone(point) {
            if dead(point) {
                prisoners += if color == Color::White { 1 } else { -1 };
            } else {
                left.play(color, point);
            }
        }
    }
    (left, prisoners)
}

/// A result as GTP writes it: `B+2.5`, `W+31`, `0`.
pub fn result_text(black_ahead: f32) -> String {
    if black_ahead > 0.0 {
        format!("B+{black_ahead}")
    } else if black_ahead < 0.0 {
        format!("W+{}", -black_ahead)
    } else {
        "0".to_owned()
    }
}

const fn sign(owner: u8) -> i32 {
    match owner {
        1 => 1,
        2 => -1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::SmallRng};

    use super::*;
    use crate::go::Move;

    /// Tromp-Taylor rules 9 and 10: a player's score is the points of his colour and the empty points
    /// that reach only his colour.
    #[test]
    fn an_empty_region_counts_for_the_only_colour_it_reaches() {
        let mut board = Board::new(5);
        assert_eq!(area_score(&board), 0);
        for y in 0..5 {
            board.play(Color::Black, Point::at(1, y, 5));
        }
        assert_eq!(area_score(&board), 25);
        for y in 0..5 {
            board.play(Color::White, Point::at(3, y, 5));
        }
        assert_eq!(area_score(&board), 0);
        board.play(Color::Black, Point::at(2, 2, 5));
        assert_eq!(area_score(&board), 1);
    }

    /// Territory: 10 points and 6 prisoners on the board for White's one stone fewer.
    #[test]
    fn dead_stones_are_prisoners_and_territory() {
        let mut position = Position::new(5);
        position.komi = 0.5;
        position.rules.scoring = Scoring::Territory;
        for y in 0..5 {
            position.set_up(Color::Black, Point::at(3, y, 5));
            position.set_up(Color::White, Point::at(4, y, 5));
        }
        // White's wall has no liberty of its own to live on; the last stone was never placed.
        let dead = |point: Point| position.board.stone(point) == Some(Color::White);
        let white = position.board.points().filter(|&p| dead(p)).count() as f32;
        assert!((final_score(&position, &dead) - (20.0 + white - 0.5)).abs() < 0.01);
    }

    /// Area counting and territory counting differ by the stones played (the "equivalence" that pass
    /// stones make exact in the AGA rules, 1991), captures and suicides included.
    #[test]
    fn territory_is_area_less_the_stones_played() {
        let mut rng = SmallRng::seed_from_u64(5);
        let (mut compared, mut taken) = (0, 0);
        for game in 0..60 {
            let mut position = Position::new(5);
            position.rules.scoring = Scoring::Territory;
            for ply in 0..20 + game {
                // In every third game White only passes.
                let color = if game % 3 == 0 { Color::Black } else { Color::BOTH[ply % 2] };
                let empties = position.board.empties();
                let at = rng.next_u64() as usize % empties.len().max(1);
                let Some(&cell) = empties.get(at) else { break };
                let point = Point::new(cell as usize);
                if position.board.check(color, point, true).is_ok() {
                    position.play(color, Move::Play(point));
                }
            }
            let board = &position.board;
            if in_seki(board).contains(&true) {
                continue;
            }
            let territory = final_score(&position, &|_| false) + position.white_bonus();
            assert_eq!(territory as i32, area_score(board) - stones_ahead(board), "{board:?}");
            compared += 1;
            taken += board.captured_by(Color::Black) + board.captured_by(Color::White);
        }
        assert!(compared > 20 && taken > 20, "{compared} compared, {taken} taken");
    }

    #[test]
    fn a_draw_is_written_as_zero() {
        assert_eq!(result_text(0.0), "0");
        assert_eq!(result_text(2.5), "B+2.5");
        assert_eq!(result_text(-31.0), "W+31");
    }
}
