//! Clocks, rules and parameters: what stays from game to game.

use std::{io::Write, time::Duration};

use super::{
    Options, Session,
    commands::{Answer, color, done, parse},
};
use crate::go::{
    Rules,
    search::{GameClock, TimeSystem},
};

impl<W: Write> Session<W> {
    pub(super) fn time(&mut self, name: &str, words: &[String]) -> Answer {
        if name == "kata-list_time_settings" {
            return Ok("none absolute canadian byoyomi fischer".to_owned());
        }
        if name == "time_left" {
            let color = color(words.first())?;
            let left = seconds(words.get(1))?;
            let stones: i64 = parse(words.get(2))?;
            self.clocks[color.index()].set_left(left, stones.clamp(0, 1 << 20) as u32);
            return done();
        }
        let system = if name == "time_settings" {
            let (main, period) = (seconds(words.first())?, seconds(words.get(1))?);
            let stones: u32 = parse(words.get(2))?;
            if period.is_zero() {
                TimeSystem::Absolute(main)
            } else {
                TimeSystem::Canadian { main, period, stones }
            }
        } else {
            time_system(words)?
        };
        self.system = system;
        self.clocks = [GameClock::new(system); 2];
        done()
    }

    pub(super) fn rules(&mut self, name: &str, words: &[String]) -> Answer {
        let new = match name {
            "kata-get-rules" => return Ok(self.record.now.rules.to_json()),
            "kgs-rules" => rules(words.get(..1).ok_or("syntax error")?)?,
            "kata-set-rule" => {
                let mut new = self.record.now.rules;
                let (key, value) = (words.first(), words.get(1));
                new.set(key.ok_or("syntax error")?, value.ok_or("syntax error")?)?;
                new
            }
            _ => rules(words)?,
        };
        self.record.set_rules(new);
        self.owners = None;
        done()
    }

    /// What can be set while the engine runs, under `KataGo`'s names.
    pub(super) fn parameters(&mut self, name: &str, words: &[String]) -> Answer {
        match name {
            "kata-list-params" => Ok(Options::PARAMETERS.join(" ")),
            "kata-get-param" => self.options.parameter(words.first().ok_or("syntax error")?),
            "kata-get-params" => {
                let pairs = Options::PARAMETERS.iter().map(|&name| {
                    let value = self.options.parameter(name).unwrap_or_default();
                    (name.to_owned(), serde_json::Value::String(value))
                });
                Ok(serde_json::Value::Object(pairs.collect()).to_string())
            }
            "kata-set-param" => {
                let [name, value] = words else { return Err("syntax error".to_owned()) };
                self.set_parameters([(name.clone(), value.clone())])
            }
            _ => {
                let json: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_str(&words.join(" ")).map_err(|_| "syntax error")?;
                self.set_parameters(json.into_iter().map(|(name, value)| {
                    (name, value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                }))
            }
        }
    }

    /// All of them or none.
    fn set_parameters(&mut self, pairs: impl IntoIterator<Item = (String, String)>) -> Answer {
        let mut options = self.options.clone();
        for (name, value) in pairs {
            options.set_parameter(&name, &value)?;
        }
        let threads = options.threads;
        if threads != self.options.threads {
            self.controller.call(move |searcher| searcher.set_threads(threads));
        }
        self.options = options;
        done()
    }
}

/// Reads `none`, `absolute m`, `canadian m t s`, `byoyomi m t periods` and `fischer m inc`.
fn time_system(words: &[String]) -> Result<TimeSystem, String> {
    let count = |at: usize| {
        words.get(at).and_then(|word| word.parse().ok()).ok_or_else(|| "syntax error".to_owned())
    };
    let main = || seconds(words.get(1));
    match words.first().map(String::as_str) {
        Some("none") => Ok(TimeSystem::None),
        Some("absolute") => Ok(TimeSystem::Absolute(main()?)),
        Some("canadian") => {
            let (main, period, stones) = (main()?, seconds(words.get(2))?, count(3)?);
            Ok(TimeSystem::Canadian { main, period, stones })
        }
        Some("byoyomi") => {
            let (main, period, periods) = (main()?, seconds(words.get(2))?, count(3)?);
            Ok(TimeSystem::Byoyomi { main, period, periods })
        }
        Some("fischer" | "fischer-capped") => {
            Ok(TimeSystem::Fischer { main: main()?, increment: seconds(words.get(2))? })
        }
        _ => Err("syntax error".to_owned()),
    }
}

/// Seconds, whole or not; what is below nought is nought, since bridges send it when a clock ran out.
fn seconds(word: Option<&String>) -> Result<Duration, String> {
    let seconds: f64 = parse(word)?;
    if seconds.is_nan() {
        return Err("syntax error".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds.clamp(0.0, 1e8)))
}

/// The rules a name or JSON stands for.
fn rules(words: &[String]) -> Result<Rules, String> {
    Rules::parse(&words.concat())
}
