//! Words after `gtp` on the command line.

use crate::go::{MAX_SIZE, Rules};

/// What may follow `gtp` on the command line.
pub const USAGE: &str = "\
gtp [--playouts N] [--threads N] [--memory MiB] [--komi X] [--rules NAME] [--size N] [--seed N]
    [--no-resign] [--ponder] [--gtp-name NAME] [--gtp-version VERSION]";

/// Half of what a node counts.
const MOST_PLAYOUTS: u64 = u32::MAX as u64 / 2;

/// More than any machine has.
const MOST_THREADS: u64 = 256;

/// How the go engine is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Simulations a move; with none, time decides.
    pub playouts: Option<u64>,
    /// Searching threads.
    pub threads: usize,
    /// Memory for the tree.
    pub megabytes: usize,
    /// Komi until a command sets it.
    pub komi: f32,
    /// Rules until a command sets them.
    pub rules: Rules,
    /// Size of the first board.
    pub size: usize,
    /// Seed of the playouts.
    pub seed: u64,
    /// Whether lost games are given up.
    pub resign: bool,
    /// Whether to think on the opponent's time.
    pub ponder: bool,
    /// Answer to `name`.
    pub name: String,
    /// Answer to `version`.
    pub version: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            playouts: None,
            threads: 1,
            megabytes: 512,
            komi: 7.5,
            rules: Rules::default(),
            size: 19,
            seed: 1,
            resign: true,
            ponder: false,
            name: "Tegenspel".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl Options {
    /// What can be changed while the engine runs, under `KataGo`'s names; `maxPlayouts` is 0 where time
    /// decides.
    pub(super) const PARAMETERS: [&str; 4] =
        ["allowResignation", "maxPlayouts", "numSearchThreads", "ponderingEnabled"];

    /// The value of one of them.
    pub(super) fn parameter(&self, name: &str) -> Result<String, String> {
        match name {
            "allowResignation" => Ok(self.resign.to_string()),
            "maxPlayouts" | "maxVisits" => Ok(self.playouts.unwrap_or(0).to_string()),
            "numSearchThreads" => Ok(self.threads.to_string()),
            "ponderingEnabled" => Ok(self.ponder.to_string()),
            _ => Err(format!("unknown parameter '{name}'")),
        }
    }

    /// Sets one of them; a bad value changes nothing.
    pub(super) fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), String> {
        let bad = || format!("parameter {name} cannot be '{value}'");
        let number = |least: u64, most: u64| {
            value.parse().ok().filter(|n| (least..=most).contains(n)).ok_or_else(bad)
        };
        match name {
            "allowResignation" => self.resign = value.parse().map_err(|_| bad())?,
            "maxPlayouts" | "maxVisits" => {
                self.playouts = Some(number(0, MOST_PLAYOUTS)?).filter(|&playouts| playouts > 0);
            }
            "numSearchThreads" => self.threads = number(1, MOST_THREADS)? as usize,
            "ponderingEnabled" => self.ponder = value.parse().map_err(|_| bad())?,
            _ => return Err(format!("unknown parameter '{name}'")),
        }
        Ok(())
    }

    /// Reads the words of the command line.
    ///
    /// # Errors
    /// The word that is not understood, in a sentence.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            if word == "--no-resign" {
                options.resign = false;
                continue;
            }
            if word == "--ponder" {
                options.ponder = true;
                continue;
            }
            let value =
                words.next().ok_or_else(|| format!("no value or no such option: '{word}'"))?;
            let bad = || format!("option {word} cannot be '{value}'");
            let number = |least: usize, most: usize| {
                value.parse().ok().filter(|n| (least..=most).contains(n)).ok_or_else(bad)
            };
            match word.as_str() {
                "--playouts" => options.playouts = Some(number(1, MOST_PLAYOUTS as usize)? as u64),
                "--threads" => options.threads = number(1, MOST_THREADS as usize)?,
                "--memory" => options.megabytes = number(8, 1 << 17)?,
                "--size" => options.size = number(2, MAX_SIZE)?,
                "--seed" => options.seed = value.parse().map_err(|_| bad())?,
                "--komi" => {
                    let komi: f32 = value.parse().map_err(|_| bad())?;
                    options.komi = Some(komi).filter(|komi| komi.is_finite()).ok_or_else(bad)?;
                }
                "--rules" => options.rules = Rules::parse(&value)?,
                "--gtp-name" => options.name = value,
                "--gtp-version" => options.version = value,
                _ => return Err(format!("no such option: '{word}'")),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_set_to_what_it_is() {
        let mut options = Options::default();
        for name in Options::PARAMETERS {
            let value = options.parameter(name).unwrap();
            options.set_parameter(name, &value).unwrap();
            assert_eq!(options.parameter(name).unwrap(), value);
            assert!(options.set_parameter(name, "x").is_err());
        }
    }

    #[test]
    fn a_bad_option_is_named() {
        let parse = |words: &str| Options::parse(words.split(' ').map(str::to_owned));
        assert_eq!(parse("--playouts 100 --komi 6.5").unwrap().playouts, Some(100));
        for words in ["--playouts", "--playouts x", "--komi nan", "--rules stone", "--what 1"] {
            let word = words.split(' ').next().unwrap();
            let error = parse(words).unwrap_err();
            assert!(error.contains(word) || error.contains("stone"), "{error}");
        }
    }
}
