//! The options of the laboratory's commands.

use std::{str::FromStr, time::Duration};

use crate::{
    game::Player,
    search::{Limits, TieRule, UNLIMITED, Window},
};

/// Options that a command has no use for: taken in silence, they would promise what is not done.
const UNUSED: [(&str, &[&str]); 3] = [
    ("tree", &["--moves", "--table"]),
    ("solve", &["--bounds", "--dot", "--model", "--order", "--player", "--svg"]),
    (
        "play",
        &[
            "--algorithm",
            "--bounds",
            "--depth",
            "--dot",
            "--model",
            "--order",
            "--player",
            "--steps",
            "--svg",
            "--table",
            "--ties",
            "--window",
        ],
    ),
];

/// What may be chosen; see the help text.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) algorithm: Option<String>,
    pub(super) depth: u32,
    pub(super) limits: Limits,
    pub(super) window: Window,
    pub(super) order: Vec<String>,
    pub(super) models: Vec<(String, String)>,
    pub(super) ties: Option<String>,
    pub(super) player: Option<String>,
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) simulations: u32,
    pub(super) c: f64,
    pub(super) seed: u64,
    pub(super) moves: Vec<String>,
    pub(super) steps: bool,
    pub(super) svg: Option<String>,
    pub(super) dot: Option<String>,
    pub(super) table: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            algorithm: None,
            depth: UNLIMITED,
            limits: Limits::default(),
            window: Window::OPEN,
            order: vec![],
            models: vec![],
            ties: None,
            player: None,
            bounds: None,
            simulations: 10_000,
            c: std::f64::consts::SQRT_2,
            seed: 1,
            moves: vec![],
            steps: false,
            svg: None,
            dot: None,
            table: None,
        }
    }
}

impl Options {
    /// The words after a command and its subject.
    pub(super) fn parse(command: &str, words: &[String]) -> Result<Self, String> {
        let is_unused = |word: &str| {
            UNUSED.iter().any(|(known, unused)| *known == command && unused.contains(&word))
        };
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if is_unused(word) {
                return Err(format!("{word}: {command} has no use for it"));
            }
            if word == "--steps" {
                options.steps = true;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word}: its value is missing"))?;
            options.set(word, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, word: &str, value: &str) -> Result<(), String> {
        match word {
            "--algorithm" => self.algorithm = Some(value.to_owned()),
            "--depth" => self.depth = number(word, value)?,
            "--nodes" => self.limits.nodes = Some(number(word, value)?),
            "--time" => self.limits.time = Some(Duration::from_millis(number(word, value)?)),
            "--window" => {
                let (alpha, beta) = pair(word, value)?;
                if alpha >= beta {
                    return Err(format!("{word}: alpha must be below beta"));
                }
                self.window = Window::new(alpha, beta);
            }
            "--bounds" => self.bounds = Some(pair(word, value)?),
            "--order" => self.order = list(value),
            "--moves" => self.moves = list(value),
            "--model" => {
                let (player, model) =
                    value.split_once('=').ok_or_else(|| format!("{word}: player=model, please"))?;
                if !["adversary", "random"].contains(&model) {
                    return Err(format!("{word}: a model is adversary or random, not '{model}'"));
                }
                self.models.push((player.to_owned(), model.to_owned()));
            }
            "--ties" => self.ties = Some(value.to_owned()),
            "--player" => self.player = Some(value.to_owned()),
            "--simulations" => self.simulations = number(word, value)?,
            "--c" => {
                self.c = number(word, value)?;
                if !self.c.is_finite() {
                    return Err(format!("{word}: '{value}' is not a number it can use"));
                }
            }
            "--seed" => self.seed = number(word, value)?,
            "--svg" => self.svg = Some(value.to_owned()),
            "--table" => self.table = Some(value.to_owned()),
            "--dot" => self.dot = Some(value.to_owned()),
            _ => return Err(format!("unknown option {word}; see tegenspel --help")),
        }
        Ok(())
    }

    /// Which of several best moves is played; `player` knows whose name or number is meant.
    pub(super) fn tie_rule(
        &self,
        player: impl Fn(&str) -> Result<Player, String>,
    ) -> Result<TieRule, String> {
        let rule = self.ties.as_deref().unwrap_or("first");
        match rule.split_once(':') {
            None if rule == "first" => Ok(TieRule::First),
            None if rule == "last" => Ok(TieRule::Last),
            Some(("worst", name)) => player(name).map(TieRule::WorstFor),
            Some(("best", name)) => player(name).map(TieRule::BestFor),
            _ => Err(format!("--ties: first, last, worst:P or best:P, not '{rule}'")),
        }
    }
}

fn list(value: &str) -> Vec<String> {
    value.split(',').filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn number<T: FromStr>(word: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{word}: '{value}' is not a number it can use"))
}

fn pair(word: &str, value: &str) -> Result<(f64, f64), String> {
    let (low, high) =
        value.split_once(',').ok_or_else(|| format!("{word}: two numbers, please"))?;
    let (low, high): (f64, f64) = (number(word, low)?, number(word, high)?);
    if low.is_nan() || high.is_nan() {
        return Err(format!("{word}: '{value}' are not two numbers"));
    }
    Ok((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(command: &str, line: &str) -> Result<Options, String> {
        Options::parse(command, &line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn an_option_that_a_command_has_no_use_for_is_refused() {
        for (command, unused) in UNUSED {
            for word in unused {
                let reason = parse(command, &format!("{word} 1")).unwrap_err();
                assert_eq!(reason, format!("{word}: {command} has no use for it"));
            }
        }
        assert!(parse("tree", "--svg a --order 1,0 --steps").is_ok());
        assert!(parse("solve", "--moves 3 --table b --steps").is_ok());
        assert!(parse("play", "--moves 3 --simulations 9 --seed 2").is_ok());
    }

    #[test]
    fn a_rule_for_ties_is_named_with_its_player() {
        let rule = |line| parse("solve", line).unwrap().tie_rule(|name| Ok(name.len()));
        assert_eq!(rule(""), Ok(TieRule::First));
        assert_eq!(rule("--ties last"), Ok(TieRule::Last));
        assert_eq!(rule("--ties worst:ab"), Ok(TieRule::WorstFor(2)));
        assert_eq!(rule("--ties best:a"), Ok(TieRule::BestFor(1)));
        assert!(rule("--ties worst").unwrap_err().contains("'worst'"));
    }
}
