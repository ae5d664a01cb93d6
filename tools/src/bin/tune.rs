//! `tune`: fits what the engine weighs with to the games it has played.
#![expect(clippy::print_stdout, reason = "a command line tool speaks on standard output")]

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};
use tools::tune::{self, Aim, Plan};

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

fn main() -> Result<()> {
    match Command::parse().task {
        Task::Weights(options) => weights(&options),
    }
}

fn weights(options: &Weights) -> Result<()> {
    if !(options.hold_out > 0.0 && options.hold_out < 1.0) {
        bail!("--hold-out must lie between 0 and 1");
    }
    if !(0.0..=1.0).contains(&options.wdl_share) || options.doubt <= 0.0 || options.rate <= 0.0 {
        bail!("--wdl-share must lie in 0 to 1, --doubt and --rate be positive");
    }
    let [mut train, test] = tune::read(&options.data, options.positions, options.hold_out)?;
    println!("training   {} positions of {} games", train.len(), train.games);
    println!("held out   {} positions of {} games", test.len(), test.games);
    let first = tune::built_in();
    let k = options.k.unwrap_or_else(|| tune::fit_k(&train, &first));
    println!("k          {k:.5}");
    let aim = Aim { k, result_share: options.wdl_share };
    let result = Aim { k, result_share: 1.0 };
    println!(
        "before     training {:.6}, held out {:.6}, results alone {:.6}",
        aim.loss(&train, &first),
        aim.loss(&test, &first),
        result.loss(&test, &first)
    );
    let plan = Plan { aim, epochs: options.epochs, rate: options.rate, doubt: options.doubt };
    let fitted = tune::fit(&mut train, &first, &plan, |epoch, weights| {
        if epoch % 5 == 0 || epoch == plan.epochs {
            println!(
                "epoch {epoch:<4} held out {:.6}, results alone {:.6}",
                aim.loss(&test, weights),
                result.loss(&test, weights)
            );
        }
    });
    let rounded: tune::Weights = fitted.iter().map(|pair| pair.map(f32::round)).collect();
    println!(
        "after      training {:.6}, held out {:.6}, results alone {:.6}",
        aim.loss(&train, &rounded),
        aim.loss(&test, &rounded),
        result.loss(&test, &rounded)
    );
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
    println!("{} written; check it by a match", out.display());
    Ok(())
}
