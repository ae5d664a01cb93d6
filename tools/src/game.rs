//! One game between two engines. The rules are those of `shakmaty`, independent of our own.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, Position, fen::Fen, san::SanPlus, uci::UciMove,
    zobrist::Zobrist64,
};
use shakmaty_syzygy::{AmbiguousWdl, Tablebase};

use crate::{
    client::{Client, Fault, Score, Thought},
    clock::{Clock, TimeControl},
    elo::Outcome,
};

/// Ends games whose result is not in doubt. Scores in centipawns, counts in moves of each player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Draw: first move number, moves in a row, largest score either side may show.
    pub draw: Option<(u32, u32, i32)>,
    /// Resignation: moves in a row, score at least this bad; both players must agree.
    pub resign: Option<(u32, i32)>,
    /// Draw after so many moves of the whole game.
    pub longest: Option<u32>,
}

/// All a game needs beside its players.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Chess960 or double Fischer random: castling as king takes rook.
    pub chess960: bool,
    /// Forgiven at the end of the time.
    pub margin: Duration,
    /// Longest wait for a move that no clock limits.
    pub patience: Duration,
    /// Early ends.
    pub adjudication: Adjudication,
    /// Endgame tables, if any.
    pub tables: Option<Arc<Tablebase<Chess>>>,
}

/// A move with what its player said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// Standard algebraic notation with check sign.
    pub san: String,
    /// The player's own evaluation.
    pub score: Option<Score>,
    /// Depth reached.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time used.
    pub time: Duration,
}

/// A finished game.
#[derive(Debug, Clone)]
pub struct Game {
    /// Start position.
    pub fen: String,
    /// The moves played by the engines.
    pub plies: Vec<Ply>,
    /// For White.
    pub outcome: Outcome,
    /// In words, naming the colour where one is meant.
    pub reason: String,
    /// Who failed, if somebody did.
    pub fault: Option<(Color, Fault)>,
    /// Smaller offences by colour, White first: principal variations that are illegal or do not
    /// begin with the move played, lines that are not UCI.
    pub warnings: [u32; 2],
}

/// The position of a FEN in either dialect of castling rights.
///
/// # Errors
/// If it is no FEN, or no position that can be played.
pub fn position(fen: &str, chess960: bool) -> Result<Chess, String> {
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let fen: Fen = fen.parse().map_err(|error| format!("'{fen}': {error}"))?;
    fen.into_position(mode).map_err(|error| error.to_string())
}

struct Table<'a> {
    rules: &'a Rules,
    board: Chess,
    moves: Vec<String>,
    keys: Vec<Zobrist64>,
    game: Game,
    clocks: [Clock; 2],
    /// Moves in a row, of both players, with a drawish score.
    drawish: u32,
    /// Moves in a row of which both players say that the colour given loses.
    losing: [u32; 2],
}

/// Plays a game from `fen`; players and time controls White first. Never fails: whatever goes
/// wrong is a result with a reason.
pub fn play(
    players: [&mut Client; 2],
    controls: [TimeControl; 2],
    fen: &str,
    rules: &Rules,
) -> Game {
    let [white, black] = players;
    let game = Game {
        fen: fen.to_owned(),
        plies: Vec::new(),
        outcome: Outcome::Draw,
        reason: String::new(),
        fault: None,
        warnings: [0; 2],
    };
    let board = match position(fen, rules.chess960) {
        Ok(board) => board,
        Err(error) => return Game { reason: format!("bad opening: {error}"), ..game },
    };
    let mut table = Table::new(rules, board, game, controls);
    for (color, player) in [(Color::White, &mut *white), (Color::Black, &mut *black)] {
        if let Err(fault) = player.new_game(rules.chess960) {
            return table.forfeit(color, fault);
        }
    }
    loop {
        if let Some((outcome, reason)) = table.ended().or_else(|| table.adjudicated()) {
            table.game.outcome = outcome;
            table.game.reason = reason;
            return table.game;
        }
        let color = table.board.turn();
        let player = if color == Color::White { &mut *white } else { &mut *black };
        if let Err(fault) = table.step(color, player) {
            return table.forfeit(color, fault);
        }
    }
}

const fn index(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

const fn win_for(color: Color) -> Outcome {
    match color {
        Color::White => Outcome::Win,
        Color::Black => Outcome::Loss,
    }
}

const fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

impl<'a> Table<'a> {
    fn new(rules: &'a Rules, board: Chess, game: Game, controls: [TimeControl; 2]) -> Self {
        Self {
            rules,
            keys: vec![board.zobrist_hash(EnPassantMode::Legal)],
            board,
            moves: Vec::new(),
            game,
            clocks: controls.map(Clock::new),
            drawish: 0,
            losing: [0; 2],
        }
    }
}

impl Table<'_> {
    fn forfeit(mut self, color: Color, fault: Fault) -> Game {
        self.game.outcome = win_for(!color);
        self.game.reason = format!("{} {fault}", name(color));
        self.game.fault = Some((color, fault));
        self.game
    }

    fn step(&mut self, color: Color, player: &mut Client) -> Result<(), Fault> {
        let (own, other) = (self.clocks[index(color)], self.clocks[index(!color)]);
        let mut position = format!("position fen {}", self.game.fen);
        if !self.moves.is_empty() {
            position = format!("{position} moves {}", self.moves.join(" "));
        }
        let go = own.go_command(&other, color == Color::White);
        // Told to stop only well after the flag fell, so that a late answer is seen as late.
        let limit = own.budget().map_or(self.rules.patience, |budget| {
            budget + self.rules.margin + Duration::from_secs(1)
        });
        let begin = Instant::now();
        let thought = player.think(&position, &go, limit)?;
        debug_assert!(thought.time <= begin.elapsed());
        if !self.clocks[index(color)].spend(thought.time, self.rules.margin) {
            return Err(Fault::Late);
        }
        let mv = thought
            .best
            .parse::<UciMove>()
            .ok()
            .and_then(|mv| mv.to_move(&self.board).ok())
            .ok_or_else(|| Fault::IllegalMove(thought.best.chars().take(60).collect()))?;
        self.accept(color, mv, &thought);
        Ok(())
    }

    /// Plays a legal move and writes down what was said about it.
    fn accept(&mut self, color: Color, mv: shakmaty::Move, thought: &Thought) {
        let sound = self.pv_is_sound(thought);
        self.game.warnings[index(color)] += thought.garbage + u32::from(!sound);
        self.game.plies.push(Ply {
            san: SanPlus::from_move(self.board.clone(), mv).to_string(),
            score: thought.info.score,
            depth: thought.info.depth,
            nodes: thought.info.nodes,
            time: thought.time,
        });
        self.moves.push(mv.to_uci(self.board.castles().mode()).to_string());
        self.board.play_unchecked(mv);
        self.keys.push(self.board.zobrist_hash(EnPassantMode::Legal));
        self.count_scores(color, thought.info.score);
    }

    fn pv_is_sound(&self, thought: &Thought) -> bool {
        let mut board = self.board.clone();
        let pv = &thought.info.pv;
        (pv.is_empty() || pv[0] == thought.best)
            && pv.iter().all(|text| {
                let mv = text.parse::<UciMove>().ok().and_then(|mv| mv.to_move(&board).ok());
                mv.is_some_and(|mv| {
                    board.play_unchecked(mv);
                    true
                })
            })
    }

    /// Counts what `color` said about the move that is on the board now.
    fn count_scores(&mut self, color: Color, score: Option<Score>) {
        let rules = self.rules.adjudication;
        // No score, no agreement.
        let score = score.map(Score::centipawns);
        let small = rules.draw.zip(score).is_some_and(|((_, _, limit), s)| s.abs() <= limit);
        // A pawn move or capture changes the game: the draw is counted anew, as in fastchess.
        let still = small && self.board.halfmoves() > 0;
        self.drawish = if still { self.drawish + 1 } else { 0 };
        if let Some((_, limit)) = rules.resign {
            for loser in [Color::White, Color::Black] {
                let bad =
                    score.is_some_and(|s| if loser == color { s <= -limit } else { s >= limit });
                let count = &mut self.losing[index(loser)];
                *count = if bad { *count + 1 } else { 0 };
            }
        }
    }

    /// The end by the laws of chess (FIDE 5.1, 5.2, 9.6; threefold and fifty moves are claimed by
    /// the arbiter).
    fn ended(&self) -> Option<(Outcome, String)> {
        let draw = |reason: &str| Some((Outcome::Draw, format!("Draw by {reason}")));
        let board = &self.board;
        if board.is_checkmate() {
            let winner = !board.turn();
            return Some((win_for(winner), format!("{} mates", name(winner))));
        }
        if board.is_stalemate() {
            return draw("stalemate");
        }
        if board.is_insufficient_material() {
            return draw("insufficient material");
        }
        if board.halfmoves() >= 100 {
            return draw("the fifty-move rule");
        }
        let last = self.keys.last()?;
        (self.keys.iter().filter(|&key| key == last).count() >= 3)
            .then(|| (Outcome::Draw, "Draw by threefold repetition".to_owned()))
    }

    fn adjudicated(&self) -> Option<(Outcome, String)> {
        let rules = self.rules.adjudication;
        let moves = self.game.plies.len() as u32 / 2;
        let by = |reason: &str| format!("adjudicated: {reason}");
        if let Some((first, count, _)) = rules.draw
            && self.board.fullmoves().get() >= first
            && self.drawish >= 2 * count
        {
            return Some((Outcome::Draw, by("draw agreed")));
        }
        if let Some((count, _)) = rules.resign {
            for loser in [Color::White, Color::Black] {
                if self.losing[index(loser)] >= 2 * count {
                    return Some((win_for(!loser), by(&format!("{} resigns", name(loser)))));
                }
            }
        }
        if rules.longest.is_some_and(|longest| moves >= longest) {
            return Some((Outcome::Draw, by("too many moves")));
        }
        let tables = self.rules.tables.as_ref()?;
        // The tables know no castling, and their verdict holds from a zeroing move on.
        let known = self.board.board().occupied().count() <= tables.max_pieces()
            && self.board.castles().is_empty()
            && self.board.halfmoves() == 0;
        let wdl = if known { tables.probe_wdl(&self.board).ok()? } else { return None };
        let mover = self.board.turn();
        let outcome = match wdl {
            AmbiguousWdl::Win => win_for(mover),
            AmbiguousWdl::Loss => win_for(!mover),
            AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => {
                Outcome::Draw
            }
            AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => return None,
        };
        Some((outcome, by("endgame table")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Info;

    const ROOKS: &str = "4k3/7p/8/8/8/8/R7/4K2R w - - 7 60";

    /// The table after these moves, each played with this score of its player.
    fn after<'a>(rules: &'a Rules, moves: &[(&str, i32)]) -> Table<'a> {
        let game = Game {
            fen: ROOKS.to_owned(),
            plies: Vec::new(),
            outcome: Outcome::Draw,
            reason: String::new(),
            fault: None,
            warnings: [0; 2],
        };
        let board = position(ROOKS, false).unwrap();
        let mut table = Table::new(rules, board, game, [TimeControl::default(); 2]);
        for &(text, score) in moves {
            let mv = text.parse::<UciMove>().unwrap().to_move(&table.board).unwrap();
            let thought = Thought {
                best: text.to_owned(),
                time: Duration::ZERO,
                info: Info { score: Some(Score::Centipawns(score)), ..Info::default() },
                settled: Duration::ZERO,
                garbage: 0,
            };
            let color = table.board.turn();
            table.accept(color, mv, &thought);
        }
        table
    }

    fn rules(adjudication: Adjudication) -> Rules {
        let (margin, patience) = (Duration::ZERO, Duration::ZERO);
        Rules { chess960: false, margin, patience, adjudication, tables: None }
    }

    /// Moves count in pairs, one of each side; after a pawn move or a capture they count anew.
    #[test]
    fn a_draw_is_agreed_only_if_the_last_moves_of_both_were_still() {
        let rules = rules(Adjudication { draw: Some((1, 2, 10)), ..Adjudication::default() });
        let still = [("a2a3", 0), ("e8e7", 0), ("a3a2", -10), ("e7e8", 10)];
        assert!(after(&rules, &still[..3]).adjudicated().is_none());
        assert!(after(&rules, &still).adjudicated().is_some());
        let loud = [("a2a3", 0), ("e8e7", 0), ("a3a2", 0), ("e7e8", 11)];
        assert!(after(&rules, &loud).adjudicated().is_none());
        let pawn = [("a2a3", 0), ("e8e7", 0), ("a3a2", 0), ("h7h6", 0)];
        assert!(after(&rules, &pawn).adjudicated().is_none());
    }

    #[test]
    fn a_player_resigns_only_when_both_say_so() {
        let rules = rules(Adjudication { resign: Some((2, 500)), ..Adjudication::default() });
        let moves = |black: i32| [("a2a3", 500), ("e8e7", -500), ("a3a2", 900), ("e7e8", black)];
        let (outcome, reason) = after(&rules, &moves(-700)).adjudicated().unwrap();
        assert_eq!((outcome, reason.as_str()), (Outcome::Win, "adjudicated: Black resigns"));
        assert!(after(&rules, &moves(-499)).adjudicated().is_none());
        assert!(after(&rules, &moves(-700)[..3]).adjudicated().is_none());
    }
}
