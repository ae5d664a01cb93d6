//! `tegenspel play GAME`: a game in the terminal, the first player against Monte-Carlo tree search.

use std::{
    fmt::Display,
    io::{self, Write},
};

use rand::{SeedableRng, rngs::SmallRng};

use crate::{
    game::{Actor, Game, Hidden},
    search::{Control, Estimate, Mcts, Playout, Selection, information_set_mcts, sample},
};

use super::{
    input,
    options::Options,
    solve::{Named, after, find_move, move_text, named},
};

pub(super) fn run(words: &[String]) -> Result<(), String> {
    let subject = words.first().ok_or("play what? see tegenspel --help")?;
    let options = Options::parse("play", &words[1..])?;
    match named(subject)? {
        Named::TicTacToe(game) => play(after(game, &options)?, &options, open_search),
        Named::ConnectFour(game) => play(after(game, &options)?, &options, open_search),
        Named::Nim(game) => play(after(game, &options)?, &options, open_search),
        Named::Pig(game) => play(after(game, &options)?, &options, open_search),
        Named::Poker(game) => play(after(game, &options)?, &options, hidden_search),
        Named::Blind(game) => play(after(game, &options)?, &options, hidden_search),
    }
    .map_err(|error| error.to_string())
}

type Search<G> = fn(&G, &Options, &mut SmallRng) -> Estimate<<G as Game>::Move>;

fn open_search<G: Game>(game: &G, options: &Options, rng: &mut SmallRng) -> Estimate<G::Move> {
    let mut search = Mcts::new(game, Selection::Ucb1 { c: options.c }, &mut Playout, rng);
    let control = &mut Control::new(options.limits);
    search.search(game, &mut Playout, options.simulations, rng, control)
}

fn hidden_search<G: Hidden>(game: &G, options: &Options, rng: &mut SmallRng) -> Estimate<G::Move> {
    let control = &mut Control::new(options.limits);
    information_set_mcts(game, options.simulations, options.c, rng, control)
}

fn play<G: Game + Display>(mut game: G, options: &Options, search: Search<G>) -> io::Result<()> {
    let mut rng = SmallRng::seed_from_u64(options.seed);
    let mut out = io::stdout();
    let mut lines = input::lines();
    let hidden = !game.properties().perfect_information;
    loop {
        match game.actor() {
            Actor::Terminal(payoffs) => {
                let players = game.properties().players;
                return writeln!(out, "{game}the end: {:?}", payoffs.shares(players));
            }
            Actor::Chance(outcomes) => {
                let mv = sample(&outcomes, &mut rng);
                if !hidden {
                    writeln!(out, "chance: {}", move_text(&mv))?;
                }
                game.play(mv);
            }
            Actor::Player(0) => {
                let moves: Vec<String> =
                    game.legal_moves().into_iter().map(|mv| move_text(&mv)).collect();
                write!(out, "{game}your move ({}): ", moves.join(" "))?;
                out.flush()?;
                let Some(line) = lines.next() else { return Ok(()) };
                let line = String::from_utf8_lossy(&line);
                let text = line.trim();
                match find_move(&game, text) {
                    Some(mv) => game.play(mv),
                    None if text == "quit" => return Ok(()),
                    None => writeln!(out, "'{text}' is not legal here")?,
                }
            }
            Actor::Player(player) => {
                let found = search(&game, options, &mut rng);
                let Some(mv) = found.decision else { return Ok(()) };
                if !hidden || game.properties().chance {
                    writeln!(out, "player {} plays {}", player + 1, move_text(&mv))?;
                }
                game.play(mv);
            }
        }
    }
}
