//! Tuning by games: simultaneous perturbation stochastic approximation (Spall 1992), with the
//! schedule that the field's testing framework Fishtest uses.
//!
//! Each step moves every parameter a little up or down at random, plays the engine so changed
//! against the one changed the other way, and goes a little towards the winner. The contest is a
//! pair of games, or a batch of positions ([`crate::regret`]).

use std::{fs, io, path::Path, sync::Arc};

use anyhow::{Context, Result, bail};
use parking_lot::Mutex;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde::{Deserialize, Serialize};

use crate::{
    client::{Client, EngineSpec},
    clock::TimeControl,
    elo::Outcome,
    game::{self, Rules},
};

/// Decline of the steps (Spall 1998).
const ALPHA: f64 = 0.602;
/// Decline of the perturbations (Spall 1998).
const GAMMA: f64 = 0.101;
/// Steps by which the start of the decline is put off, as a share of all.
const STABILITY: f64 = 0.1;
/// The last step, as a share of the last perturbation, for each game won more than lost: Fishtest's
/// default. Tens of thousands of games suit it; fewer want more.
pub const LAST_RATE: f64 = 0.002;

/// A number of the engine that is tuned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name of the engine's option.
    pub name: String,
    /// Where it stands.
    pub value: f64,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Size of the last perturbation.
    pub step: f64,
}

/// Two settings to be compared.
#[derive(Debug)]
pub struct Trial<'a> {
    /// What is set.
    pub parameters: &'a [Parameter],
    /// The values in both settings.
    pub sides: [Vec<i64>; 2],
}

impl Trial<'_> {
    /// Starts both engines.
    ///
    /// # Errors
    /// If one does not start, or does not know what is tuned.
    pub fn start(&self, engine: &EngineSpec) -> Result<[Client; 2]> {
        let [first, second] = self.sides.each_ref().map(|values| -> Result<Client> {
            let mut spec = engine.clone();
            let names = self.parameters.iter().map(|parameter| parameter.name.clone());
            spec.options.extend(names.zip(values.iter().map(i64::to_string)));
            let client =
                Client::start(&spec).map_err(|fault| anyhow::anyhow!("the engine {fault}"))?;
            let unknown = self.parameters.iter().find(|tuned| !client.offers(&tuned.name));
            if let Some(Parameter { name, .. }) = unknown {
                bail!("the engine has no option '{name}': it wants the feature `tune`");
            }
            Ok(client)
        });
        Ok([first?, second?])
    }
}

/// What tells which of two settings is the better one.
pub trait Contest: Sync {
    /// Games won less games lost, of two, by the first setting against the second, or what stands
    /// for it.
    ///
    /// # Errors
    /// If an engine fails.
    fn play(&self, trial: &Trial<'_>, rng: &mut SmallRng) -> Result<f64>;
}

/// A tuning under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Pairs of games played.
    pub done: u64,
    /// Pairs of games to be played.
    pub pairs: u64,
    /// The last step, as a share of the last perturbation: [`LAST_RATE`] or what was asked for.
    pub rate: f64,
    /// What is tuned.
    pub parameters: Vec<Parameter>,
}

impl State {
    /// The tunables of the search whose names are in `only`, or all, as they are built in.
    ///
    /// # Errors
    /// If a name is that of none.
    pub fn of_the_search(only: &[String], pairs: u64, rate: f64) -> Result<Self> {
        let all = tegenspel::chess::search::tunables::TUNABLES;
        if let Some(name) = only.iter().find(|name| all.iter().all(|known| known.name != **name)) {
            bail!("the search has no '{name}'");
        }
        let parameters = all
            .iter()
            .filter(|tunable| only.is_empty() || only.iter().any(|name| name == tunable.name))
            .map(|tunable| Parameter {
                name: tunable.name.to_owned(),
                value: tunable.default.into(),
                min: tunable.min.into(),
                max: tunable.max.into(),
                step: tunable.step.into(),
            })
            .collect();
        Ok(Self { done: 0, pairs, rate, parameters })
    }

    /// Up or down for each parameter.
    pub fn signs(&self, rng: &mut SmallRng) -> Vec<f64> {
        self.parameters.iter().map(|_| if rng.random() { 1.0 } else { -1.0 }).collect()
    }

    /// The whole numbers to play with: each parameter moved by its perturbation along its sign, and
    /// rounded at random, so that a fraction counts on the average.
    pub fn probe(&self, signs: &[f64], rng: &mut SmallRng) -> Vec<i64> {
        let perturbation = self.perturbation();
        self.parameters
            .iter()
            .zip(signs)
            .map(|(parameter, sign)| {
                let moved = parameter.value + sign * perturbation * parameter.step;
                let moved = moved.clamp(parameter.min, parameter.max);
                (moved + rng.random::<f64>()).floor().min(parameter.max) as i64
            })
            .collect()
    }

    /// Moves towards the side that won: `score` is games won less games lost by the side along
    /// `signs`.
    pub fn learn(&mut self, signs: &[f64], score: f64) {
        let perturbation = self.perturbation();
        let offset = STABILITY * self.pairs as f64;
        let decline =
            ((offset + self.pairs as f64) / (offset + self.done as f64 + 1.0)).powf(ALPHA);
        let rate = self.rate * decline / perturbation;
        for (parameter, sign) in self.parameters.iter_mut().zip(signs) {
            let value = parameter.value + rate * parameter.step * score * sign;
            parameter.value = value.clamp(parameter.min, parameter.max);
        }
        self.done += 1;
    }

    /// Size of the perturbation now, in steps of each parameter: 1 at the end.
    fn perturbation(&self) -> f64 {
        (self.pairs as f64 / (self.done as f64 + 1.0)).powf(GAMMA)
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// If the file cannot be read or is no such file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Writes the state, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let draft = path.with_extension("draft");
        fs::write(&draft, serde_json::to_string_pretty(self)?)?;
        fs::rename(&draft, path).with_context(|| path.display().to_string())
    }
}

/// Tunes by games.
#[derive(Debug)]
pub struct Games {
    /// The engine, built with the feature `tune`.
    pub engine: EngineSpec,
    /// Clock, nodes or depth.
    pub control: TimeControl,
    /// Positions that games begin from.
    pub openings: Vec<String>,
    /// Early ends and margins.
    pub rules: Rules,
}

/// Plays until the state is done, so many contests at a time, writes it to `path` now and then, and
/// calls `told` with it. Each seed gives other openings and other perturbations.
///
/// # Errors
/// If an engine fails, the state cannot be written or `told` fails: nothing played before is lost.
///
/// # Panics
/// If a worker does.
pub fn run(
    state: State,
    contest: &impl Contest,
    (concurrency, seed): (usize, u64),
    path: &Path,
    told: &(impl Fn(&State) -> io::Result<()> + Sync),
) -> Result<State> {
    let shared = Arc::new(Mutex::new(state));
    let work = |worker: usize| -> Result<()> {
        let done = shared.lock().done;
        let mut rng = SmallRng::seed_from_u64(seed ^ done << 8 ^ worker as u64);
        loop {
            let state = shared.lock().clone();
            if state.done >= state.pairs {
                return Ok(());
            }
            let signs = state.signs(&mut rng);
            let opposite: Vec<f64> = signs.iter().map(|sign| -sign).collect();
            let sides = [&signs, &opposite].map(|signs| state.probe(signs, &mut rng));
            let trial = Trial { parameters: &state.parameters, sides };
            let score = contest.play(&trial, &mut rng)?;
            let mut state = shared.lock();
            state.learn(&signs, score);
            if state.done.is_multiple_of(20) || state.done >= state.pairs {
                state.write(path)?;
                told(&state)?;
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..concurrency.max(1)).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    Ok(Arc::into_inner(shared).expect("the workers have ended").into_inner())
}

impl Contest for Games {
    /// Two games from one opening, colours swapped.
    fn play(&self, trial: &Trial<'_>, rng: &mut SmallRng) -> Result<f64> {
        let opening = &self.openings[rng.random_range(..self.openings.len())];
        let [mut first, mut second] = trial.start(&self.engine)?;
        let controls = [self.control; 2];
        let value = |outcome: Outcome| match outcome {
            Outcome::Win => 1.0,
            Outcome::Draw => 0.0,
            Outcome::Loss => -1.0,
        };
        let as_white = game::play([&mut first, &mut second], controls, opening, &self.rules);
        let as_black = game::play([&mut second, &mut first], controls, opening, &self.rules);
        if let Some((_, fault)) = as_white.fault.or(as_black.fault) {
            bail!("the engine {fault}");
        }
        Ok(value(as_white.outcome) - value(as_black.outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parameters whose best values are known, games decided by the distance from them and luck:
    /// both are approached.
    #[test]
    fn parameters_go_where_games_are_won() {
        let best = [70.0, -20.0];
        let parameter = |name: &str| Parameter {
            name: name.to_owned(),
            value: 20.0,
            min: -100.0,
            max: 100.0,
            step: 8.0,
        };
        let pairs = 20_000;
        let parameters = vec![parameter("a"), parameter("b")];
        let mut state = State { done: 0, pairs, rate: LAST_RATE, parameters };
        let mut rng = SmallRng::seed_from_u64(1992);
        let far = |values: &[i64]| -> f64 {
            values.iter().zip(best).map(|(&value, best)| (value as f64 - best).powi(2)).sum()
        };
        while state.done < pairs {
            let signs = state.signs(&mut rng);
            let opposite: Vec<f64> = signs.iter().map(|sign| -sign).collect();
            let up = far(&state.probe(&signs, &mut rng));
            let down = far(&state.probe(&opposite, &mut rng));
            let chance = 1.0 / (1.0 + ((up - down) / 2000.0).exp());
            let score = if rng.random::<f64>() < chance { 2.0 } else { -2.0 };
            state.learn(&signs, score);
        }
        for (parameter, best) in state.parameters.iter().zip(best) {
            assert!((parameter.value - best).abs() < 12.0, "{parameter:?}");
        }
    }

    #[test]
    fn an_unknown_tunable_is_refused_by_name() {
        let error = State::of_the_search(&["rfp_magrin".to_owned()], 10, LAST_RATE).unwrap_err();
        assert!(error.to_string().contains("rfp_magrin"));
    }
}
