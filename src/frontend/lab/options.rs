//! The options of the laboratory's commands.

use std::{str::FromStr, time::Duration};

use crate::search::{Limits, UNLIMITED, Window};

/// What may be chosen; see the help text.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) algorithm: Option<String>,
    pub(super) depth: u32,
    pub(super) limits: Limits,
    pub(super) window: Window,
    pub(super) order: Vec<String>,
    pub(super) models: Vec<(String, String)>,
    pub(super) ties: String,
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
            ties: "first".to_owned(),
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
    pub(super) fn parse(words: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
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
            "--ties" => value.clone_into(&mut self.ties),
            "--player" => self.player = Some(value.to_owned()),
            "--simulations" => self.simulations = number(word, value)?,
            "--c" => self.c = number(word, value)?,
            "--seed" => self.seed = number(word, value)?,
            "--svg" => self.svg = Some(value.to_owned()),
            "--table" => self.table = Some(value.to_owned()),
            "--dot" => self.dot = Some(value.to_owned()),
            _ => return Err(format!("unknown option {word}; see tegenspel --help")),
        }
        Ok(())
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
