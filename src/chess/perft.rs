//! Counting the paths of legal moves: the proof of a move generator.

use super::{moves::Move, position::Position};

/// How many paths of `depth` legal moves there are. The last move is only counted, not made.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(),
        _ => position
            .legal_moves()
            .into_iter()
            .map(|mv| {
                let mut child = position.clone();
                child.play(mv);
                perft(&child, depth - 1)
            })
            .sum(),
    }
}

/// As [`perft`], for each first move.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    divide_until(position, depth, &|| false).unwrap_or_default()
}

/// As [`divide`]; `stop` is asked now and then whether to give up, and then there is no answer.
pub fn divide_until(
    position: &Position,
    depth: u32,
    stop: &impl Fn() -> bool,
) -> Option<Vec<(Move, u64)>> {
    let Some(rest) = depth.checked_sub(1) else { return Some(Vec::new()) };
    let after = |mv| {
        let mut child = position.clone();
        child.play(mv);
        Some((mv, interruptible(&child, rest, stop)?))
    };
    position.legal_moves().into_iter().map(after).collect()
}

fn interruptible(position: &Position, depth: u32, stop: &impl Fn() -> bool) -> Option<u64> {
    if depth < 4 {
        return (!stop()).then(|| perft(position, depth));
    }
    let mut nodes = 0;
    for mv in position.legal_moves() {
        let mut child = position.clone();
        child.play(mv);
        nodes += interruptible(&child, depth - 1, stop)?;
    }
    Some(nodes)
}
