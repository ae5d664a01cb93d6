//! What a move was worth: the expectation before it against the expectation after it.

use crate::chess::{
    Color, Position,
    score::{Score, moves_to_mate},
    wdl,
};

/// What a search said of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Evaluation {
    /// For the side to move, in the engine's unit.
    pub(super) score: Score,
    /// The best line; empty where the game is over.
    pub(super) line: Vec<crate::chess::Move>,
}

/// How bad a move was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Not bad.
    Sound,
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Verdict {
    /// For an expectation that fell by `loss`: half of Lichess's thresholds, whose scale is twice as
    /// long (0.1, 0.2 and 0.3 of a winning chance between -1 and 1).
    fn of(loss: f64) -> Self {
        match loss {
            _ if loss >= 0.15 => Self::Blunder,
            _ if loss >= 0.10 => Self::Mistake,
            _ if loss >= 0.05 => Self::Inaccuracy,
            _ => Self::Sound,
        }
    }

    /// The numeric annotation glyph of the PGN standard.
    pub(super) const fn nag(self) -> Option<u8> {
        match self {
            Self::Sound => None,
            Self::Inaccuracy => Some(6),
            Self::Mistake => Some(2),
            Self::Blunder => Some(4),
        }
    }

    /// As a word.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Sound => "",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

/// A move, judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    /// In percent.
    pub(super) accuracy: f64,
}

/// What the side to move may expect: 1 is a win, 0 a loss.
pub(super) fn expectation(position: &Position, score: Score) -> f64 {
    let [win, draw, _] = wdl::model(score, position);
    f64::from(2 * win + draw) / 2000.0
}

/// Judges the move that led from `before` to `after`. The best move is never at fault, however
/// much deeper the second search saw.
pub(super) fn judge(
    (before, best): (&Position, &Evaluation),
    (after, next): (&Position, &Evaluation),
    played: crate::chess::Move,
) -> Judgement {
    let loss = if best.line.first() == Some(&played) {
        0.0
    } else {
        let hoped = expectation(before, best.score);
        (hoped - (1.0 - expectation(after, next.score))).max(0.0)
    };
    Judgement { verdict: Verdict::of(loss), accuracy: accuracy(loss) }
}

/// Lichess's fit (<https://lichess.org/page/accuracy>): 100 % for no loss, 50 % for a sixth of a
/// point.
fn accuracy(loss: f64) -> f64 {
    103.1668 * (-0.04354 * 100.0 * loss).exp() - 3.1669
}

/// Mean accuracy of one side; nothing if it did not move.
pub(super) fn mean_accuracy(judgements: &[Judgement], first: Color, side: Color) -> Option<f64> {
    let skip = usize::from(first != side);
    let list: Vec<f64> = judgements.iter().skip(skip).step_by(2).map(|j| j.accuracy).collect();
    (!list.is_empty()).then(|| list.iter().sum::<f64>() / list.len() as f64)
}

/// The score for White as `[%eval]` writes it: pawns with two decimals, or `#` and moves to mate.
pub(super) fn eval_text(position: &Position, score: Score) -> String {
    let sign = if position.side_to_move() == Color::White { 1 } else { -1 };
    match moves_to_mate(score) {
        // The side to move is mated: White, if it is his turn.
        Some(0) => "#-0".replace('-', if sign == 1 { "-" } else { "" }),
        Some(moves) => format!("#{}", sign * moves),
        None => {
            let hundredths = i64::from(score) * 100 / i64::from(wdl::pawn(position).max(1));
            format!("{:.2}", (i64::from(sign) * hundredths) as f64 / 100.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::score::{mate_in, mated_in};

    #[test]
    fn scores_are_written_for_white() {
        let white = Position::start();
        let black =
            Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
                .unwrap();
        assert_eq!(eval_text(&white, wdl::pawn(&white)), "1.00");
        assert_eq!(eval_text(&black, wdl::pawn(&black)), "-1.00");
        assert_eq!(eval_text(&black, mate_in(3)), "#-2");
        assert_eq!(eval_text(&white, mated_in(2)), "#-1");
        assert_eq!(
            (eval_text(&white, mated_in(0)), eval_text(&black, mated_in(0))),
            ("#-0".into(), "#0".into())
        );
    }

    #[test]
    fn a_thrown_away_win_is_a_blunder_and_the_best_move_never_is() {
        let before = Position::start();
        let good = before.parse_san("e4").unwrap();
        let bad = before.parse_san("g4").unwrap();
        let best = Evaluation { score: mate_in(3), line: vec![good] };
        let mut after = before.clone();
        after.play(bad);
        let next = Evaluation { score: 0, line: vec![] };
        let judgement = judge((&before, &best), (&after, &next), bad);
        assert_eq!(judgement.verdict, Verdict::Blunder);
        assert!(judgement.accuracy < 30.0);
        let judgement = judge((&before, &best), (&after, &next), good);
        assert_eq!(judgement.verdict, Verdict::Sound);
        assert!(judgement.accuracy > 99.9);
    }

    #[test]
    fn each_side_has_the_accuracy_of_its_own_moves() {
        let judgement = |accuracy| Judgement { verdict: Verdict::Sound, accuracy };
        let list = [judgement(100.0), judgement(50.0), judgement(80.0)];
        let mean = |first, side| mean_accuracy(&list, first, side).unwrap();
        assert!((mean(Color::White, Color::White) - 90.0).abs() < 1e-9);
        assert!((mean(Color::White, Color::Black) - 50.0).abs() < 1e-9);
        assert!((mean(Color::Black, Color::Black) - 90.0).abs() < 1e-9);
        assert_eq!(mean_accuracy(&list[..1], Color::White, Color::Black), None);
    }
}
