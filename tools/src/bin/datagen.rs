//! `datagen`: self-play games for learning; and what is in them.
#![expect(clippy::format_push_string, reason = "games are shown one at a time")]

use std::{
    collections::HashSet,
    fs::{File, OpenOptions},
    io::{BufReader, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::atomic::Ordering::Relaxed,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use tegenspel::chess::Record;
use tools::{
    elo::Outcome,
    format::{self, Block, BlockReader, SelfGame, USUAL_ARRAY},
    output::{quietly, say},
    selfplay::{self, Progress, Recipe},
    viriformat,
};

/// Makes, shows and converts self-play games.
#[derive(Debug, Parser)]
#[command(version)]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Play games into a file; a file that is there already is continued
    Play(Play),
    /// Count what is in a file
    Stats {
        /// The file
        file: PathBuf,
    },
    /// Print games as PGN, scores as comments
    View {
        /// The file
        file: PathBuf,
        /// First game, from 0
        #[arg(long, default_value_t = 0)]
        from: usize,
        /// Number of games
        #[arg(long, default_value_t = 1)]
        games: usize,
    },
    /// Write the games in viriformat
    Export {
        /// The file
        file: PathBuf,
        /// The file to write
        output: PathBuf,
    },
}

#[derive(Debug, Args)]
struct Play {
    /// The file to write
    file: PathBuf,
    /// Positions to make, in all; the last block is finished
    #[arg(long, default_value_t = 1_000_000)]
    positions: u64,
    /// Threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Each seed gives other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes of a move after which no new iteration begins
    #[arg(long, default_value_t = 400)]
    nodes: u64,
    /// Nodes at which a search is cut off; ten times --nodes if not given
    #[arg(long)]
    hard_nodes: Option<u64>,
    /// Worst start accepted, in centipawns for either side
    #[arg(long, default_value_t = Recipe::default().balance)]
    balance: i32,
    /// A game is won by scores of so many centipawns, four plies in a row
    #[arg(long, default_value_t = Recipe::default().win_score)]
    win: i32,
    /// Games of a thousand from Chess960 arrays
    #[arg(long, default_value_t = 100)]
    chess960: u32,
    /// Games of a thousand from arrays that differ
    #[arg(long, default_value_t = 100)]
    dfrc: u32,
}

fn main() -> Result<()> {
    quietly(match Command::parse().task {
        Task::Play(options) => play(&options),
        Task::Stats { file } => stats(&file),
        Task::View { file, from, games } => view(&file, from, games),
        Task::Export { file, output } => export(&file, &output),
    })
}

fn play(options: &Play) -> Result<()> {
    let recipe = Recipe {
        seed: options.seed,
        soft_nodes: options.nodes,
        hard_nodes: options.hard_nodes.unwrap_or(options.nodes.saturating_mul(10)),
        balance: options.balance,
        chess960: options.chess960,
        double: options.dfrc,
        win_score: options.win,
        ..Recipe::default()
    };
    if recipe.soft_nodes == 0 || recipe.chess960.saturating_add(recipe.double) > 1000 {
        bail!("--nodes must be positive, --chess960 and --dfrc together at most 1000");
    }
    if recipe.balance < 0 {
        bail!("no start is within less than nothing: --balance must not be negative");
    }
    if recipe.win_score <= 0 {
        bail!("no score of nothing wins: --win must be positive");
    }
    let (mut file, first, had) = open(&options.file, &recipe)?;
    if had >= options.positions {
        say(format_args!("{had} positions are there already"))?;
        return Ok(());
    }
    let progress = Progress::default();
    let bar = ProgressBar::new(options.positions).with_position(had);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos} of {len}, {msg}")?);
    let start = Instant::now();
    let rate = |positions: u64| {
        let hours = start.elapsed().as_secs_f64() / 3600.0;
        positions as f64 / hours / options.threads.max(1) as f64 / 1e6
    };
    let outcome = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            selfplay::run(&recipe, (first, u64::MAX), options.threads, &progress, &mut file)
        });
        while !worker.is_finished() {
            thread::sleep(Duration::from_millis(200));
            let positions = progress.positions.load(Relaxed);
            bar.set_position(had + positions);
            bar.set_message(format!("{:.2} million an hour and thread", rate(positions)));
            if had + positions >= options.positions {
                progress.stop.store(true, Relaxed);
            }
        }
        worker.join()
    });
    outcome.map_err(|_| anyhow!("a thread ended in panic"))??;
    bar.finish_and_clear();
    let positions = progress.positions.load(Relaxed);
    say(format_args!(
        "{} games, {positions} positions in {:.0} s: {:.3} million an hour and thread",
        progress.games.load(Relaxed),
        start.elapsed().as_secs_f64(),
        rate(positions),
    ))?;
    Ok(())
}

/// The file, ready to be written on; the number of its next block, and of its positions.
fn open(path: &Path, recipe: &Recipe) -> Result<(File, u64, u64)> {
    let context = || format!("cannot use {}", path.display());
    let settings = serde_json::to_string(recipe)?;
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .with_context(context)?;
    if file.try_lock().is_err() {
        bail!("{} is being written by another run", path.display());
    }
    let (mut blocks, mut positions) = (0, 0);
    if file.metadata()?.len() == 0 {
        format::write_header(&mut file, &settings).with_context(context)?;
    } else {
        let mut reader = BlockReader::new(BufReader::new(&file)).with_context(context)?;
        if reader.settings != settings {
            bail!("{} was made with other settings: {}", path.display(), reader.settings);
        }
        while let Some(block) = reader.next_block()? {
            blocks += 1;
            positions += block.positions as u64;
        }
        let sound = reader.sound;
        file.set_len(sound)?;
        file.seek(SeekFrom::Start(sound))?;
    }
    Ok((file, blocks, positions))
}

fn blocks(path: &Path) -> Result<impl Iterator<Item = Result<Block>>> {
    let context = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(context)?;
    let mut reader = BlockReader::new(BufReader::new(file)).with_context(context)?;
    Ok(std::iter::from_fn(move || reader.next_block().map_err(Into::into).transpose()))
}

fn games(path: &Path) -> Result<impl Iterator<Item = Result<SelfGame>>> {
    let decoded = blocks(path)?.map(|block| {
        block?.decode().ok_or_else(|| anyhow!("a block is whole, but not of this format"))
    });
    Ok(decoded.flat_map(|games| match games {
        Ok(games) => games.into_iter().map(Ok).collect::<Vec<_>>(),
        Err(error) => vec![Err(error)],
    }))
}

fn stats(path: &Path) -> Result<()> {
    let (mut results, mut plies, mut longest, mut kept, mut positions) = ([0_u64; 3], 0, 0, 0, 0);
    let (mut shuffled, mut seen) = (0_u64, HashSet::new());
    let mut bands = [0_u64; 6];
    for game in games(path)? {
        let game = game?;
        results[game.outcome.half_points()] += 1;
        plies += game.moves.len();
        longest = longest.max(game.moves.len());
        shuffled += u64::from(game.arrays != [USUAL_ARRAY; 2]);
        let mut position = game.start();
        for (ply, &mv) in game.moves.iter().enumerate() {
            if ply >= usize::from(game.opening) {
                let score = game.scores[ply - usize::from(game.opening)];
                positions += 1;
                kept += u64::from(selfplay::is_quiet(&position, mv, score));
                seen.insert(position.key());
                let limits = [50, 150, 400, 1000, 3000];
                bands[limits.iter().filter(|&&limit| score.unsigned_abs() >= limit).count()] += 1;
            }
            position.play(mv);
        }
    }
    let count: u64 = results.iter().sum();
    if count == 0 {
        bail!("{} holds no game", path.display());
    }
    let bytes = File::open(path)?.metadata()?.len();
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let (length, shuffled) = (plies as f64 / count as f64, share(shuffled, count));
    say(format_args!("games        {count}, {shuffled:.1} % from shuffled arrays"))?;
    say(format_args!(
        "results      White won {:.1} %, drawn {:.1} %, Black won {:.1} %",
        share(results[2], count),
        share(results[1], count),
        share(results[0], count)
    ))?;
    say(format_args!("length       {length:.1} plies on average, {longest} at most"))?;
    say(format_args!("positions    {positions}, {:.1} % quiet", share(kept, positions)))?;
    say(format_args!("duplicates   {:.2} %", share(positions - seen.len() as u64, positions)))?;
    say(format_args!("bytes        {bytes}, {:.3} a position", bytes as f64 / positions as f64))?;
    for (name, &band) in
        ["0-49", "50-149", "150-399", "400-999", "1000-2999", "3000-"].iter().zip(&bands)
    {
        say(format_args!("score {name:>9}  {:.1} %", share(band, positions)))?;
    }
    Ok(())
}

fn view(path: &Path, from: usize, count: usize) -> Result<()> {
    for (number, game) in games(path)?.enumerate().skip(from).take(count) {
        say(format_args!("{}", pgn(&game?, number)))?;
    }
    Ok(())
}

fn pgn(game: &SelfGame, number: usize) -> String {
    let result = match game.outcome {
        Outcome::Win => "1-0",
        Outcome::Draw => "1/2-1/2",
        Outcome::Loss => "0-1",
    };
    let start = game.start();
    let shuffled = game.arrays != [USUAL_ARRAY; 2];
    let variant = if shuffled { "[Variant \"Chess960\"]\n" } else { "" };
    let mut text = format!(
        "[Event \"Self-play\"]\n[Round \"{number}\"]\n[White \"Tegenspel\"]\n[Black \"Tegenspel\"]\n\
         [Result \"{result}\"]\n{variant}[SetUp \"1\"]\n[FEN \"{}\"]\n\n",
        start.to_fen(shuffled)
    );
    let mut record = Record::new(start);
    for (ply, &mv) in game.moves.iter().enumerate() {
        if ply % 2 == 0 {
            text += &format!("{}. ", ply / 2 + 1);
        }
        text += &record.position().san(mv);
        if let Some(score) = ply.checked_sub(game.opening.into()).map(|i| game.scores[i]) {
            text += &format!(" {{{:+.2}}}", f64::from(score) / 100.0);
        }
        text.push(if ply % 6 == 5 { '\n' } else { ' ' });
        record.push(mv);
    }
    text + result + "\n"
}

fn export(path: &Path, output: &Path) -> Result<()> {
    let context = || format!("cannot write {}", output.display());
    let mut writer = BufWriter::new(File::create_new(output).with_context(context)?);
    let mut count = 0;
    for game in games(path)? {
        viriformat::write(&mut writer, &game?).with_context(context)?;
        count += 1;
    }
    writer.flush().with_context(context)?;
    say(format_args!("{count} games"))?;
    Ok(())
}
