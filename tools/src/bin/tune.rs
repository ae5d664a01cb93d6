//! `tune`: fits what the engine weighs with to the games it has played.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Error, Result, bail};
use clap::{Args, Parser, Subcommand};
use indicatif::ProgressBar;
use tegenspel::chess::wdl::MODEL;
use tools::{
    book,
    client::EngineSpec,
    game::{Adjudication, Rules},
    output::{quietly, say},
    regret::{self, Depth, Positions},
    spsa::{self, Games, State},
    tune::{self, Aim, Plan},
    wdl,
};

/// Fits the engine's numbers to games.
#[derive(Debug, Parser)]
#[command(version)]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Fit the weights of the classical evaluation to the results of self-play
    Weights(Weights),
    /// Tune the search of an engine that was built with the feature `tune`, by games or positions
    Spsa(Spsa),
    /// Score the best moves of positions by a long search of this build, for `regret` and `spsa`
    Judge(Judge),
    /// Compare two engines by what their short searches give away
    Regret(Regret),
    /// Fit the model of win, draw and loss to the scores and results of self-play
    Wdl(Wdl),
}

#[derive(Debug, Args)]
struct Wdl {
    /// Files that `datagen` has made, or PGN files of matches of the engine against itself
    #[arg(long, num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    /// The source file to rewrite; a picture is put beside it
    #[arg(long, default_value = "src/chess/wdl/fitted.rs")]
    out: PathBuf,
    /// Centipawns that the PGN files show as 1.00; what this build shows so if not given
    #[arg(long)]
    pawn: Option<i32>,
    /// Steps of the descent
    #[arg(long, default_value_t = 3000)]
    steps: usize,
}

#[derive(Debug, Args)]
struct Weights {
    /// Files that `datagen` has made
    #[arg(long, num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    /// The weight file to rewrite
    #[arg(long, default_value = "src/chess/eval/classical/weights.rs")]
    out: PathBuf,
    /// Quiet positions to read; each takes some 500 bytes
    #[arg(long, default_value_t = 2_000_000)]
    positions: usize,
    /// Passes over them
    #[arg(long, default_value_t = 40)]
    epochs: usize,
    /// Share of the games that is not learned from, but tells how good the fit is
    #[arg(long, default_value_t = 0.1)]
    hold_out: f64,
    /// Share of the game's result in what is to be foretold; the rest is the search's score
    #[arg(long, default_value_t = 1.0)]
    wdl_share: f32,
    /// Logits a centipawn; fitted to the weights as they are if not given, which keeps their scale
    #[arg(long)]
    k: Option<f32>,
    /// Centipawns that a weight moves in a step at first
    #[arg(long, default_value_t = 1.0)]
    rate: f32,
    /// Centipawns by which a weight may well be wrong: rare ones stay within
    #[arg(long, default_value_t = 30.0)]
    doubt: f32,
}

#[derive(Debug, Args)]
struct Spsa {
    /// The engine, from `cargo build --release --features tune`
    #[arg(long)]
    engine: PathBuf,
    /// The state; a tuning that is in it goes on with its own parameters, pairs and rate
    #[arg(long)]
    state: PathBuf,
    /// Tunables to tune, joined by commas; all if not given
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Pairs of games
    #[arg(long, default_value_t = 10_000)]
    pairs: u64,
    /// The last step, as a share of the last perturbation, for each game won more than lost
    #[arg(long, default_value_t = spsa::LAST_RATE)]
    rate: f64,
    /// Time control, as for `match`
    #[arg(long, default_value = "nodes=8000")]
    tc: String,
    /// Openings of games: a PGN file, or FEN or EPD lines
    #[arg(long, required_unless_present = "positions")]
    openings: Option<PathBuf>,
    /// Tune by the positions of this file, which `judge` has made, instead of games: `--rate 0.04`
    #[arg(long, conflicts_with = "openings")]
    positions: Option<PathBuf>,
    /// Nodes of a position
    #[arg(long, default_value_t = 8000)]
    nodes: u64,
    /// Positions that stand for a pair of games
    #[arg(long, default_value_t = 40)]
    batch: usize,
    /// Pairs at a time
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Mebibytes of hash table
    #[arg(long, default_value_t = 16)]
    hash: u32,
    /// Each seed gives other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Args)]
struct Judge {
    /// The positions: FEN or EPD lines
    positions: PathBuf,
    /// The file to write; positions that are in it are left out
    #[arg(long)]
    out: PathBuf,
    /// Nodes of each search
    #[arg(long, default_value_t = 300_000)]
    nodes: u64,
    /// Moves to score
    #[arg(long, default_value_t = 3)]
    lines: usize,
    /// Searches at a time
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

#[derive(Debug, Args)]
struct Regret {
    /// An engine: cmd=PROGRAM [name=…] [args=…] [option.NAME=VALUE]…
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", required = true)]
    first: Vec<String>,
    /// The other
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", required = true)]
    second: Vec<String>,
    /// What `judge` has made
    #[arg(long)]
    positions: PathBuf,
    /// Nodes of each search
    #[arg(long, default_value_t = 8000)]
    nodes: u64,
    /// Searches at a time
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

fn main() -> Result<()> {
    quietly(match Command::parse().task {
        Task::Weights(options) => weights(&options),
        Task::Spsa(options) => search(&options),
        Task::Wdl(options) => fit_wdl(&options),
        Task::Judge(options) => judge(&options),
        Task::Regret(options) => compare(&options),
    })
}

fn judge(options: &Judge) -> Result<()> {
    let fens = book::read(&options.positions, 0, false)?;
    let depth =
        Depth { nodes: options.nodes, lines: options.lines.max(2), threads: options.threads };
    let bar = ProgressBar::new(fens.len() as u64);
    let told = |to_go: usize| bar.set_position((fens.len() - to_go) as u64);
    regret::judge(&fens, depth, &options.out, &told)?;
    bar.finish();
    say(format_args!("{} positions in {}", fens.len(), options.out.display()))?;
    Ok(())
}

fn compare(options: &Regret) -> Result<()> {
    let spec = |words: &[String]| {
        EngineSpec::from_words(words.iter().map(String::as_str)).map_err(Error::msg)
    };
    let engines = [spec(&options.first)?, spec(&options.second)?];
    let judged = regret::read(&options.positions)?;
    let found = regret::compare(&engines, &judged, options.nodes, options.threads)?;
    say(format_args!("{} positions, {} nodes each", found.positions, options.nodes))?;
    for (side, spec) in engines.iter().enumerate() {
        say(format_args!(
            "{:<24} regret {:.5}, best move {:.1} %",
            spec.name,
            found.means[side],
            100.0 * found.agreement[side]
        ))?;
    }
    let difference = found.means[1] - found.means[0];
    say(format_args!(
        "the first is better by {difference:+.5} +- {:.5} ({:+.1} standard errors)",
        found.error,
        difference / found.error.max(f64::MIN_POSITIVE)
    ))?;
    Ok(())
}

fn fit_wdl(options: &Wdl) -> Result<()> {
    let [train, test] = wdl::read(&options.data, options.pawn)?;
    say(format_args!("training   {} positions of {} games", train.positions, train.games))?;
    say(format_args!("held out   {} positions of {} games", test.positions, test.games))?;
    let losses = |model| (train.loss(model), test.loss(model));
    let (learnt, held) = losses(&MODEL);
    say(format_args!("before     {learnt:.5}, held out {held:.5}"))?;
    let model = wdl::fit(&train, &MODEL, options.steps);
    let (learnt, held) = losses(&model);
    say(format_args!("after      {learnt:.5}, held out {held:.5}"))?;
    let bins = test.calibration(&model, 10);
    say(format_args!("held out   predicted  observed"))?;
    for bin in &bins {
        say(format_args!("{:>9}  {:8.4}  {:8.4}", bin.positions, bin.predicted, bin.observed))?;
    }
    let out = &options.out;
    let made_by = format!("{} positions of {} games.", train.positions, train.games);
    let picture = out.with_extension("svg");
    fs::write(out, wdl::write_source(&model, &made_by))
        .with_context(|| format!("cannot write {}", out.display()))?;
    fs::write(&picture, wdl::svg(&model, &bins)?)
        .with_context(|| format!("cannot write {}", picture.display()))?;
    say(format_args!("{} and {} written", out.display(), picture.display()))?;
    Ok(())
}

fn weights(options: &Weights) -> Result<()> {
    if !(options.hold_out > 0.0 && options.hold_out < 1.0) {
        bail!("--hold-out must lie between 0 and 1");
    }
    if !(0.0..=1.0).contains(&options.wdl_share) || options.doubt <= 0.0 || options.rate <= 0.0 {
        bail!("--wdl-share must lie in 0 to 1, --doubt and --rate be positive");
    }
    let [mut train, test] = tune::read(&options.data, options.positions, options.hold_out)?;
    say(format_args!("training   {} positions of {} games", train.len(), train.games))?;
    say(format_args!("held out   {} positions of {} games", test.len(), test.games))?;
    let first = tune::built_in();
    let k = options.k.unwrap_or_else(|| tune::fit_k(&train, &first));
    say(format_args!("k          {k:.5}"))?;
    let aim = Aim { k, result_share: options.wdl_share };
    let result = Aim { k, result_share: 1.0 };
    say(format_args!(
        "before     training {:.6}, held out {:.6}, results alone {:.6}",
        aim.loss(&train, &first),
        aim.loss(&test, &first),
        result.loss(&test, &first)
    ))?;
    let plan = Plan { aim, epochs: options.epochs, rate: options.rate, doubt: options.doubt };
    let fitted = tune::fit(&mut train, &first, &plan, |epoch, weights| {
        if epoch % 5 == 0 || epoch == plan.epochs {
            say(format_args!(
                "epoch {epoch:<4} held out {:.6}, results alone {:.6}",
                aim.loss(&test, weights),
                result.loss(&test, weights)
            ))?;
        }
        Ok(())
    })?;
    let rounded: tune::Weights = fitted.iter().map(|pair| pair.map(f32::round)).collect();
    say(format_args!(
        "after      training {:.6}, held out {:.6}, results alone {:.6}",
        aim.loss(&train, &rounded),
        aim.loss(&test, &rounded),
        result.loss(&test, &rounded)
    ))?;
    let made_by = format!(
        "// Made by: `tune weights`, {} positions of {} games, k {k:.5}, result share {}; loss {:.5}.",
        train.len(),
        train.games,
        options.wdl_share,
        aim.loss(&test, &rounded)
    );
    let out = &options.out;
    fs::write(out, tune::write_source(&rounded, &made_by))
        .with_context(|| format!("cannot write {}", out.display()))?;
    say(format_args!("{} written; check it by a match", out.display()))?;
    Ok(())
}

fn search(options: &Spsa) -> Result<()> {
    let state = if options.state.exists() {
        State::read(&options.state)?
    } else {
        State::of_the_search(&options.only, options.pairs, options.rate)?
    };
    say(format_args!(
        "{} parameters, {} of {} pairs played",
        state.parameters.len(),
        state.done,
        state.pairs
    ))?;
    let words =
        [format!("cmd={}", options.engine.display()), format!("option.Hash={}", options.hash)];
    let engine = EngineSpec::from_words(words.iter().map(String::as_str)).map_err(Error::msg)?;
    let told = |state: &State| say(format_args!("{} of {} pairs", state.done, state.pairs));
    let workers = (options.concurrency, options.seed);
    let state = if let Some(path) = &options.positions {
        let judged = regret::read(path)?;
        let contest = Positions { engine, judged, nodes: options.nodes, batch: options.batch };
        spsa::run(state, &contest, workers, &options.state, &told)?
    } else {
        let openings = options.openings.as_deref().context("no openings")?;
        spsa::run(state, &games(engine, options, openings)?, workers, &options.state, &told)?
    };
    for parameter in &state.parameters {
        say(format_args!("{} = {:.1}", parameter.name, parameter.value))?;
    }
    Ok(())
}

fn games(engine: EngineSpec, options: &Spsa, openings: &Path) -> Result<Games> {
    Ok(Games {
        engine,
        control: options.tc.parse().map_err(Error::msg)?,
        openings: book::read(openings, 16, false)?,
        rules: Rules {
            chess960: false,
            margin: Duration::from_millis(100),
            patience: Duration::from_mins(1),
            adjudication: Adjudication {
                draw: Some((40, 4, 10)),
                resign: Some((3, 600)),
                longest: Some(200),
            },
            tables: None,
        },
    })
}
