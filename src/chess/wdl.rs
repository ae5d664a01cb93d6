//! From centipawns to the chances of winning, drawing and losing.

use super::{
    position::Position,
    score::{Score, is_decisive},
};

/// Win, draw and loss of the side to move, in thousandths.
///
/// A logistic model: at `CENTRE` centipawns the win is an even bet; `SPREAD` centipawns more and it
/// comes true three times in four. To be fitted to games of our own.
pub fn model(score: Score, _position: &Position) -> [u32; 3] {
    const CENTRE: f64 = 150.0;
    const SPREAD: f64 = 75.0;
    if is_decisive(score) {
        return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let chance = |score: f64| 1000.0 / (1.0 + ((CENTRE - score) / SPREAD).exp());
    let win = chance(f64::from(score)).round() as u32;
    let loss = chance(f64::from(-score)).round() as u32;
    [win, 1000 - win.min(1000) - loss.min(1000 - win.min(1000)), loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_chances_are_all_there_is() {
        let position = Position::start();
        for score in -3000..3000 {
            let [win, draw, loss] = model(score, &position);
            assert_eq!(win + draw + loss, 1000, "{score}");
        }
        assert_eq!(model(0, &position)[0], model(0, &position)[2]);
    }
}
