//! Polyglot books: `book make GAMES.pgn… --out BOOK.bin`, `book show BOOK.bin MOVES…`,
//! `book check BOOK.bin`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use rand::{SeedableRng, rngs::SmallRng};
use tegenspel::chess::{
    Position, Record,
    book::{BY_WEIGHT, Book},
};
use tools::{
    output::{quietly, say},
    polyglot::{Maker, Recipe, check},
};

/// Makes, shows and checks opening books in Polyglot's format.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Make a book from games: a move weighs what it has scored, two a win and one a draw.
    Make {
        /// PGN files.
        #[arg(required = true)]
        games: Vec<PathBuf>,
        /// Where the book goes.
        #[arg(long)]
        out: PathBuf,
        /// Plies of each game that are taken.
        #[arg(long, default_value_t = 30)]
        plies: usize,
        /// Games that a move must have been played in.
        #[arg(long, default_value_t = 3)]
        least_games: u32,
    },
    /// Show the moves of a position.
    Show {
        /// The book.
        book: PathBuf,
        /// Moves from the starting position, such as e2e4.
        moves: Vec<String>,
    },
    /// Draw moves from many positions of a book and see whether they come as often as they should.
    /// Fails if one does not.
    Check {
        /// The book.
        book: PathBuf,
        /// Where the walk along the book's moves begins: moves from the starting position.
        moves: Vec<String>,
        /// Most positions.
        #[arg(long, default_value_t = 100)]
        positions: usize,
        /// Draws from each.
        #[arg(long, default_value_t = 10_000)]
        draws: u64,
        /// Start of the random numbers.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

fn main() -> Result<()> {
    quietly(run())
}

fn run() -> Result<()> {
    match Arguments::parse().task {
        Task::Make { games, out, plies, least_games } => {
            make(&games, &out, Recipe { plies, least_games })
        }
        Task::Show { book, moves } => show(&load(&book)?, &record(&moves)?),
        Task::Check { book, moves, positions, draws, seed } => {
            let (book, root) = (load(&book)?, record(&moves)?);
            let mut rng = SmallRng::seed_from_u64(seed);
            let found = check(&book, &root, positions, draws, BY_WEIGHT, &mut rng);
            say(format_args!(
                "{} entries; {} positions with {} moves, {} of them castling; {} draws, {} wrong; \
                 {} chi-squared tests, {} below 0.001, least chance {:.5}",
                book.len(),
                found.positions,
                found.moves,
                found.castlings,
                found.draws,
                found.wrong,
                found.tests,
                found.unlikely,
                found.least
            ))?;
            // One test in a thousand may fail; two more are granted.
            if found.positions == 0 || found.wrong > 0 || found.unlikely > 2 + found.tests / 500 {
                bail!("the moves are not drawn as the book says");
            }
            Ok(())
        }
    }
}

fn load(path: &Path) -> Result<Book> {
    Book::load(path).with_context(|| path.display().to_string())
}

fn record(moves: &[String]) -> Result<Record> {
    let mut record = Record::new(Position::start());
    for text in moves {
        let mv = record.position().parse_move(text);
        record.push(mv.with_context(|| format!("{text} is not legal here"))?);
    }
    Ok(record)
}

fn make(games: &[PathBuf], out: &Path, recipe: Recipe) -> Result<()> {
    let mut maker = Maker::new(recipe);
    for path in games {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        maker.add(&bytes).with_context(|| path.display().to_string())?;
    }
    let book = maker.book();
    if book.is_empty() {
        bail!("no move was played in {} games with a result", recipe.least_games);
    }
    fs::write(out, &book).with_context(|| format!("cannot write {}", out.display()))?;
    say(format_args!("{} games, {} entries", maker.games(), book.len() / 16))?;
    Ok(())
}

fn show(book: &Book, record: &Record) -> Result<()> {
    let moves = book.moves(record);
    if moves.is_empty() {
        bail!("the book has no move here");
    }
    let all: u32 = moves.iter().map(|&(_, weight)| u32::from(weight)).sum();
    for (mv, weight) in moves {
        let share = 100.0 * f64::from(weight) / f64::from(all.max(1));
        let mv = record.position().move_text(mv, false);
        say(format_args!("{mv} {weight} {share:.1}%"))?;
    }
    Ok(())
}
