//! `mm`: learns the strengths of go moves' features from game records.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, bail};
use clap::Parser;
use tegenspel::go::MAX_SIZE;
use tools::{
    mm::{Competitions, Fit, Game, Plan, keep_local, read, table},
    output::{quietly, say},
};

/// Learns the table of strengths that the go engine embeds.
#[derive(Debug, Parser)]
#[command(version)]
struct Command {
    /// Games of one board size, one a line: the last word is the moves, two letters each
    #[arg(long)]
    games: PathBuf,
    /// Points on a side
    #[arg(long)]
    size: usize,
    /// Learn from one position in so many
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Games to read at most
    #[arg(long, default_value_t = usize::MAX)]
    most: usize,
    /// Passes over all features
    #[arg(long, default_value_t = 12)]
    rounds: usize,
    /// One game in so many is held back to measure the fit
    #[arg(long, default_value_t = 20)]
    held_back: usize,
    /// Patterns seen less often are left out
    #[arg(long, default_value_t = 50)]
    least: u32,
    /// A table from which all but the patterns' strengths in playouts are kept
    #[arg(long)]
    keep_local: Option<PathBuf>,
    /// The table to write
    #[arg(long)]
    out: PathBuf,
    /// What the games are, for the record in the table's head
    #[arg(long)]
    source: String,
}

fn main() -> Result<()> {
    quietly(run())
}

fn run() -> Result<()> {
    let command = Command::parse();
    if !(2..=MAX_SIZE).contains(&command.size) {
        bail!("--size must be between 2 and {MAX_SIZE}");
    }
    let path = command.games.display();
    let text = fs::read_to_string(&command.games).with_context(|| format!("cannot read {path}"))?;
    let mut games = read(&text, command.size).with_context(|| path.to_string())?;
    games.truncate(command.most);
    let plan = Plan {
        size: command.size,
        every: command.every.max(1),
        rounds: command.rounds,
        held_back: command.held_back.max(2),
    };
    let (mut playout, seen, fit) = learn(&games, &plan, false)?;
    let mut kept = "";
    if let Some(path) = &command.keep_local {
        let text = fs::read_to_string(path).context("cannot read the table to keep")?;
        keep_local(&text, &mut playout).with_context(|| path.display().to_string())?;
        kept = "; all but the patterns then set by hand";
    }
    let (tree, _, deep) = learn(&games, &plan, true)?;
    let head = format!(
        "Strengths of move features by minorisation-maximisation: name, in playouts, in the tree.\n\
         Source: {}.\n\
         {} games of {size}x{size}, one position in {}, one game in {} held back, {} rounds.\n\
         {}{kept}\n{}",
        command.source,
        games.len(),
        plan.every,
        plan.held_back,
        plan.rounds,
        says("playouts", fit),
        says("tree", deep),
        size = plan.size,
    );
    fs::write(&command.out, table(&head, &seen, command.least, &playout, &tree))
        .context("cannot write the table")
}

fn says(what: &str, (count, fit): (usize, Fit)) -> String {
    format!(
        "{what}: {count} positions; of those held back, mean log-likelihood {:.4}, first {:.4}",
        fit.log_likelihood, fit.first
    )
}

/// Strengths, counts, and the number of positions learned from with the fit to those held back.
type Learned = (Vec<f64>, Vec<u32>, (usize, Fit));

fn learn(games: &[Game], plan: &Plan, deep: bool) -> Result<Learned> {
    let (mut taught, mut held) = (Competitions::default(), Competitions::default());
    for (number, game) in games.iter().enumerate() {
        let to = if number.is_multiple_of(plan.held_back) { &mut held } else { &mut taught };
        to.add(game, plan, deep, number);
    }
    let strengths = taught.learn(plan.rounds, |round, strengths| {
        let fit = says("held back", (held.len(), held.fit(strengths)));
        say(format_args!("round {round}: {fit}"))
    })?;
    let fit = held.fit(&strengths);
    Ok((strengths, taught.counts().0, (taught.len(), fit)))
}
