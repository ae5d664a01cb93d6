//! `suite`: how many positions of a collection engines solve, side by side.

use std::{fmt::Write, fs, io, path::PathBuf, time::Duration};

use anyhow::{Context, Result, anyhow, bail};
use clap::{CommandFactory, FromArgMatches, Parser};
use tools::{
    client::{Client, EngineSpec},
    clock::{Clock, TimeControl},
    output::{quietly, say},
    suite::{self, Attempt, Task},
};

/// Lets UCI engines solve the positions of EPD files (bm, am, dm, c0).
#[derive(Debug, Parser)]
#[command(name = "suite", version)]
struct Args {
    /// The EPD files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// An engine: cmd=PROGRAM [name=…] [args=…] [option.NAME=VALUE]…; once for each
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", required = true)]
    engine: Vec<String>,
    /// Of each position: st=1, nodes=50000, depth=10, or several joined by commas
    #[arg(long, default_value = "nodes=50000")]
    limit: TimeControl,
    /// Seconds to wait where only nodes or depth are limited
    #[arg(long, default_value_t = 300)]
    patience: u64,
    /// The positions are of Chess960
    #[arg(long)]
    chess960: bool,
    /// Print each position
    #[arg(long)]
    verbose: bool,
    /// Write a row for each position and engine
    #[arg(long)]
    csv: Option<PathBuf>,
}

fn main() -> Result<()> {
    quietly(run())
}

fn run() -> Result<()> {
    let matches = Args::command().get_matches();
    let args = Args::from_arg_matches(&matches)?;
    if args.limit.base.is_some() {
        bail!("a position has no clock: use st=, nodes= or depth=");
    }
    let specs = matches
        .get_occurrences::<String>("engine")
        .into_iter()
        .flatten()
        .map(|words| EngineSpec::from_words(words.map(String::as_str)).map_err(|e| anyhow!(e)))
        .collect::<Result<Vec<_>>>()?;
    let mut csv = "file,position,engine,move,solved,points,most,settled_ms,time_ms,score,depth,\
                   nodes,fault\n"
        .to_owned();
    for path in &args.files {
        let tasks = suite::read(path, args.chess960)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut columns = Vec::new();
        for spec in &specs {
            let attempts = solve(&args, spec, &tasks)?;
            for (task, attempt) in tasks.iter().zip(&attempts) {
                row(&mut csv, &name, task, &spec.name, attempt)?;
            }
            columns.push(attempts);
        }
        print(&args, &name, &tasks, &specs, &columns)?;
    }
    if let Some(path) = &args.csv {
        fs::write(path, csv).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn solve(args: &Args, spec: &EngineSpec, tasks: &[Task]) -> Result<Vec<Attempt>> {
    let clock = Clock::new(args.limit);
    let go = clock.go_command(&clock, true);
    let margin = Duration::from_secs(1);
    let patience = args.limit.move_time.map_or(Duration::from_secs(args.patience), |t| t + margin);
    let start = || Client::start(spec).with_context(|| spec.name.clone());
    let mut client = start()?;
    let mut attempts = Vec::new();
    for task in tasks {
        let attempt = task.attempt(&mut client, &go, patience);
        if attempt.answer.is_err() {
            client = start()?;
        }
        attempts.push(attempt);
    }
    Ok(attempts)
}

fn row(csv: &mut String, file: &str, task: &Task, engine: &str, attempt: &Attempt) -> Result<()> {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let (mv, fault) = match &attempt.answer {
        Ok(mv) => (mv.as_str(), String::new()),
        Err(fault) => ("", fault.to_string()),
    };
    writeln!(
        csv,
        "{},{},{},{mv},{},{},{},{},{},{},{},{},{}",
        quoted(file),
        quoted(&task.name),
        quoted(engine),
        u8::from(attempt.solved),
        attempt.points,
        task.most_points(),
        attempt.settled.as_millis(),
        attempt.time.as_millis(),
        attempt.score.map(|score| score.to_string()).unwrap_or_default(),
        attempt.effort.0,
        attempt.effort.1,
        quoted(&fault),
    )?;
    Ok(())
}

fn print(
    args: &Args,
    name: &str,
    tasks: &[Task],
    specs: &[EngineSpec],
    columns: &[Vec<Attempt>],
) -> io::Result<()> {
    if args.verbose || specs.len() > 1 {
        for (i, task) in tasks.iter().enumerate() {
            let differ = columns.iter().any(|column| column[i].solved != columns[0][i].solved);
            if args.verbose || differ {
                let cells: Vec<String> = columns.iter().map(|column| cell(&column[i])).collect();
                say(format_args!("{:<24} {}", task.name, cells.join("  ")))?;
            }
        }
    }
    let most: u32 = tasks.iter().map(Task::most_points).sum();
    for (spec, attempts) in specs.iter().zip(columns) {
        let solved = attempts.iter().filter(|attempt| attempt.solved);
        let settled: f64 = solved.clone().map(|attempt| attempt.settled.as_secs_f64()).sum();
        let (count, faults) =
            (solved.count(), attempts.iter().filter(|attempt| attempt.answer.is_err()).count());
        say(format_args!(
            "{name} {}: {count} of {} solved ({:.1} %), {} of {most} points, {:.3} s to the \
             solution, {:.1} s in all, {faults} faults",
            spec.name,
            tasks.len(),
            100.0 * count as f64 / tasks.len() as f64,
            attempts.iter().map(|attempt| attempt.points).sum::<u32>(),
            settled / count.max(1) as f64,
            attempts.iter().map(|attempt| attempt.time.as_secs_f64()).sum::<f64>(),
        ))?;
    }
    Ok(())
}

fn cell(attempt: &Attempt) -> String {
    let mark = if attempt.solved { '+' } else { '-' };
    match &attempt.answer {
        Ok(mv) => format!("{mark} {mv:<6} {:>7.2} s", attempt.settled.as_secs_f64()),
        Err(fault) => format!("{mark} {fault}"),
    }
}
