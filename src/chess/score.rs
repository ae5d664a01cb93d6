//! Scores: centipawns, with bands for tablebase results and mates above every estimate.

/// Centipawns for the side to move. An alias, since formulas are integer formulas.
pub type Score = i32;

/// Plies beyond which no line is searched.
pub const MAX_PLY: usize = 246;

/// Above every score.
pub const INFINITE: Score = 32_001;
/// Checkmate on the board; a mate in `n` plies scores `MATE - n`.
pub const MATE: Score = 32_000;
/// Least score of a mate found by search.
pub const MATE_IN_MAX: Score = MATE - MAX_PLY as Score;
/// A tablebase win at the root; `n` plies away it scores `TB_WIN - n`.
pub const TB_WIN: Score = MATE_IN_MAX - 1;
/// Least score of a tablebase win; every estimate lies strictly between its negation and it.
pub const TB_WIN_IN_MAX: Score = TB_WIN - MAX_PLY as Score;
/// The value of a draw.
pub const DRAW: Score = 0;

/// Score of being mated `ply` plies from the root.
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// Score of mating `ply` plies from the root.
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// True for a proved win or loss: a mate or a tablebase result.
pub const fn is_decisive(score: Score) -> bool {
    score.abs() >= TB_WIN_IN_MAX
}

/// True for a mate, given or received.
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_IN_MAX
}

/// Moves to mate, negative when being mated; `None` for any other score.
pub const fn moves_to_mate(score: Score) -> Option<i32> {
    if score >= MATE_IN_MAX {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATE_IN_MAX {
        Some(-(MATE + score) / 2)
    } else {
        None
    }
}
