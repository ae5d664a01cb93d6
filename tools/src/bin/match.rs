//! `match`: engines against each other, with openings, clocks, adjudication and a sequential test.

use std::{
    fs::{self, File},
    io,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail};
use clap::{CommandFactory, FromArgMatches, Parser};
use shakmaty_syzygy::Tablebase;
use tools::{
    book,
    client::{Client, EngineSpec},
    clock::TimeControl,
    game::{Adjudication, Rules},
    output::{quietly, say},
    pgn, report,
    sprt::{Sprt, Verdict},
    standings::{self, Played},
    tournament::{self, Journal, Plan, Record},
};

/// Plays UCI engines against each other and tells how much stronger one is.
#[derive(Debug, Parser)]
#[command(name = "match", version)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Args {
    /// A player: cmd=PROGRAM [name=…] [args=…] [dir=…] [tc=…] [option.NAME=VALUE]…; once for each
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    engine: Vec<String>,
    /// Options for every player: [option.NAME=VALUE]…
    #[arg(long, num_args = 1.., value_name = "option.NAME=VALUE")]
    each: Vec<String>,
    /// Time control: 8+0.08, 40/60, st=0.5, nodes=5000, depth=9, or several joined by commas
    #[arg(long, default_value = "8+0.08")]
    tc: TimeControl,
    /// Milliseconds forgiven when the time is up
    #[arg(long, default_value_t = 20)]
    margin: u64,
    /// Seconds to wait for a move that no clock limits
    #[arg(long, default_value_t = 120)]
    patience: u64,
    /// Pairs of games of each two players that meet
    #[arg(long, default_value_t = 500)]
    rounds: u64,
    /// Only the first player meets the others
    #[arg(long)]
    gauntlet: bool,
    /// Games at a time
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Openings: a PGN file, or FEN or EPD lines; without it, the start position or shuffled arrays
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Half moves taken from each game of a PGN book
    #[arg(long, default_value_t = 16)]
    plies: usize,
    /// Order of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Openings in the order of the file
    #[arg(long)]
    in_order: bool,
    /// Chess960
    #[arg(long)]
    chess960: bool,
    /// Chess960 with another array for each side
    #[arg(long)]
    dfrc: bool,
    /// Agree on draws: first move, moves in a row, centipawns
    #[arg(long, num_args = 3, value_names = ["FROM", "MOVES", "CP"])]
    draw: Option<Vec<u32>>,
    /// Resign, when both sides agree: moves in a row, centipawns
    #[arg(long, num_args = 2, value_names = ["MOVES", "CP"])]
    resign: Option<Vec<u32>>,
    /// Call a game drawn after so many moves
    #[arg(long)]
    longest: Option<u32>,
    /// Adjudicate by the Syzygy tables of these directories, joined by ':'
    #[arg(long)]
    syzygy: Option<String>,
    /// Stop when decided: "elo0=0 elo1=5 [alpha=0.05] [beta=0.05] [model=normalized|logistic]"
    #[arg(long)]
    sprt: Option<Sprt>,
    /// Write the games; an interrupted match with the same file goes on where it was
    #[arg(long)]
    pgn: Option<PathBuf>,
    /// Write a report
    #[arg(long)]
    html: Option<PathBuf>,
    /// Print the table after so many games
    #[arg(long, default_value_t = 20)]
    interval: usize,
    /// Play nothing: statistics of a PGN file of any match
    #[arg(long)]
    read: Option<PathBuf>,
    /// With --read: the player that the figures are about, White of the file's first game if not given
    #[arg(long, requires = "read")]
    about: Option<String>,
}

fn main() -> Result<()> {
    quietly(run())
}

fn run() -> Result<()> {
    let matches = Args::command().get_matches();
    let args = Args::from_arg_matches(&matches)?;
    if let Some(path) = &args.read {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let games = pgn::results(file)?;
        if games.is_empty() {
            bail!("{} holds no finished game", path.display());
        }
        let mut names = standings::players(&games);
        if let Some(wanted) = &args.about {
            let place = names.iter().position(|name| name == wanted);
            let place = place.with_context(|| format!("nobody is called {wanted} there"))?;
            names[..=place].rotate_right(1);
        }
        print_standings(&games, &names, args.sprt)?;
        return Ok(());
    }
    let groups = matches.get_occurrences::<String>("engine").into_iter().flatten();
    let engines = groups
        .map(|words| {
            let words = words.chain(&args.each).map(String::as_str);
            EngineSpec::from_words(words).map_err(|error| anyhow!(error))
        })
        .collect::<Result<Vec<_>>>()?;
    play(&args, engines)
}

fn play(args: &Args, engines: Vec<EngineSpec>) -> Result<()> {
    let plan = Plan {
        engines,
        control: args.tc,
        gauntlet: args.gauntlet,
        openings: openings(args)?,
        chess960: args.chess960 || args.dfrc,
    };
    if args.sprt.is_some() && plan.engines.len() != 2 {
        bail!("the SPRT compares two engines");
    }
    let rules = rules(args)?;
    let path = args.pgn.as_ref().map_or_else(
        || std::env::temp_dir().join(format!("match-{}.journal", std::process::id())),
        |pgn| pgn.with_extension("journal"),
    );
    // A player that cannot be started would lose every game within a second.
    for engine in &plan.engines {
        let client = Client::start(engine).with_context(|| engine.name.clone())?;
        for (option, _) in engine.options.iter().filter(|(option, _)| !client.offers(option)) {
            say(format_args!("{} has no option '{option}'", engine.name))?;
        }
    }
    let mut journal = Journal::open(&path, &plan, args.pgn.as_deref())?;
    if !journal.records.is_empty() {
        say(format_args!("resumed after {} games", journal.records.len()))?;
    }
    // A test that was decided stays so: games beyond its end would make it another test.
    let open = undecided(&plan, &played(&plan, &journal.records), args.sprt);
    let games = if open { plan.games(args.rounds) } else { 0 };
    let mut told = Ok(());
    let outcome =
        tournament::run(&plan, &rules, &mut journal, games, args.concurrency, |records| {
            let played = played(&plan, records);
            told = tell(args, &plan, records, &played, games);
            told.is_ok() && undecided(&plan, &played, args.sprt)
        });
    if args.pgn.is_none() {
        let _ = fs::remove_file(&path); // only a copy of what is in memory
    }
    outcome?;
    told?;
    print_standings(&played(&plan, &journal.records), &plan.names(), args.sprt)?;
    print_faults(&plan, &journal.records)?;
    if let Some(path) = &args.html {
        fs::write(path, report::html(&plan, &journal.records, args.sprt)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn openings(args: &Args) -> Result<Vec<String>> {
    let Some(path) = &args.openings else {
        let shuffled = args.chess960 || args.dfrc;
        return Ok(if shuffled {
            let seeds = (0..args.rounds).map(|round| args.seed.wrapping_add(round));
            seeds.map(|seed| book::shuffled_start(seed, args.dfrc)).collect()
        } else {
            vec!["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into()]
        });
    };
    let mut fens = book::read(path, args.plies, args.chess960 || args.dfrc)?;
    if !args.in_order {
        book::shuffle(&mut fens, args.seed);
    }
    Ok(fens)
}

fn rules(args: &Args) -> Result<Rules> {
    let tables = match &args.syzygy {
        None => None,
        Some(directories) => {
            let mut tables = Tablebase::new();
            for directory in directories.split(':') {
                let found = tables.add_directory(directory);
                if found.with_context(|| format!("tables in {directory}"))? == 0 {
                    bail!("{directory} holds no tables");
                }
            }
            Some(Arc::new(tables))
        }
    };
    let draw = args.draw.as_ref().map(|draw| (draw[0], draw[1], draw[2] as i32));
    let resign = args.resign.as_ref().map(|resign| (resign[0], resign[1] as i32));
    Ok(Rules {
        chess960: args.chess960 || args.dfrc,
        margin: Duration::from_millis(args.margin),
        patience: Duration::from_secs(args.patience),
        adjudication: Adjudication { draw, resign, longest: args.longest },
        tables,
    })
}

fn played(plan: &Plan, records: &[Record]) -> Vec<Played> {
    records.iter().map(|record| record.played(plan)).collect()
}

/// Whether more games are needed.
fn undecided(plan: &Plan, games: &[Played], sprt: Option<Sprt>) -> bool {
    let results = standings::results(games, &plan.engines[0].name, None);
    sprt.is_none_or(|sprt| sprt.verdict(sprt.llr(&results)) == Verdict::Continue)
}

/// The last game, and now and then the table.
fn tell(
    args: &Args,
    plan: &Plan,
    records: &[Record],
    played: &[Played],
    games: u64,
) -> io::Result<()> {
    let Some(record) = records.last() else { return Ok(()) };
    let [white, black] = record.players.map(|player| &plan.engines[player].name);
    say(format_args!(
        "game {} ({} of {games}): {white} - {black} {} ({})",
        record.number + 1,
        records.len(),
        pgn::result(record.outcome()),
        record.reason,
    ))?;
    if records.len().is_multiple_of(args.interval.max(1)) {
        print_standings(played, &plan.names(), args.sprt)?;
    }
    Ok(())
}

/// The table, and where two play the first of `names` against the other.
fn print_standings(games: &[Played], names: &[String], sprt: Option<Sprt>) -> io::Result<()> {
    say(format_args!("{}", standings::table(games).trim_end()))?;
    if let [first, second] = names {
        let results = standings::results(games, first, None);
        say(format_args!("{first} against {second}: {}", results.summary()))?;
        say(format_args!(
            "won {}, drawn {}, lost {}; pairs 0 to 2: {:?}, drawn pairs {}",
            results.games[2],
            results.games[1],
            results.games[0],
            results.pairs,
            results.drawn_pairs,
        ))?;
        if let Some(sprt) = sprt {
            let llr = sprt.llr(&results);
            say(format_args!("LLR {llr:.2} {sprt}: {:?}", sprt.verdict(llr)))?;
        }
    }
    Ok(())
}

fn print_faults(plan: &Plan, records: &[Record]) -> io::Result<()> {
    for (player, engine) in plan.engines.iter().enumerate() {
        let faults = records.iter().filter_map(|record| record.fault.as_ref());
        let mut faults: Vec<&str> =
            faults.filter(|(who, _)| *who == player).map(|(_, fault)| fault.as_str()).collect();
        let warnings: u32 = records
            .iter()
            .flat_map(|record| record.players.into_iter().zip(record.warnings))
            .filter(|(who, _)| *who == player)
            .map(|(_, count)| count)
            .sum();
        let count = faults.len();
        faults.sort_unstable();
        faults.dedup();
        say(format_args!("{}: {count} faults {faults:?}, {warnings} warnings", engine.name))?;
    }
    Ok(())
}
