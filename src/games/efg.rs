//! Reads Gambit's extensive-form files (`.efg`, version 2; the Gambit project's manual, "Extensive game
//! file format").

use std::{collections::HashMap, iter::Peekable, str::Chars};

use crate::game::{MAX_PLAYERS, Payoffs};

use super::{
    FileError,
    tree::{Edge, NodeId, NodeKind, Tree},
};

/// Moves of the longest line: the reader and most searches recurse along it, a kilobyte of stack or so
/// a move, and a test's thread has two mebibytes.
const MAX_DEPTH: usize = 500;

/// Reads a tree from the text of an `.efg` file. Payoffs at inner nodes are added to those of the
/// leaves below, as Gambit does.
///
/// # Errors
/// With line, column and reason if the text is not such a file.
pub fn parse_efg(text: &str) -> Result<Tree, FileError> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, ..Reader::default() };
    reader.word("EFG")?;
    let version = reader.at;
    if reader.integer()? != 2 {
        reader.at = version;
        return Err(reader.error("only version 2 is read"));
    }
    if !matches!(reader.peek(), Some(Token::Word(word)) if word == "R" || word == "D") {
        return Err(reader.error("expected R"));
    }
    reader.at += 1;
    reader.text()?;
    let players = reader.texts()?;
    if players.is_empty() || players.len() > MAX_PLAYERS {
        return Err(reader.error(&format!("between 1 and {MAX_PLAYERS} players are served")));
    }
    if matches!(reader.peek(), Some(Token::Text(_))) {
        reader.at += 1; // the comment
    }
    let mut tree = Tree::new(players);
    reader.node(&mut tree, Payoffs::default(), 0)?;
    if reader.peek().is_some() {
        return Err(reader.error("the tree is complete, but the file goes on"));
    }
    tree.set_bounds_from_leaves();
    Ok(tree)
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Number(f64),
    Open,
    Close,
    Comma,
}

fn tokens(text: &str) -> Result<Vec<(Token, usize, usize)>, FileError> {
    let mut found = vec![];
    let (mut line, mut column) = (1, 0);
    let mut chars = text.chars().peekable();
    let mut step = |chars: &mut Peekable<Chars<'_>>| -> Option<(char, usize, usize)> {
        let c = chars.next()?;
        if c == '\n' {
            (line, column) = (line + 1, 0);
        } else {
            column += 1;
        }
        Some((c, line, column))
    };
    while let Some((c, line, column)) = step(&mut chars) {
        let token = match c {
            _ if c.is_whitespace() || c == '\u{feff}' => continue,
            '{' => Token::Open,
            '}' => Token::Close,
            ',' => Token::Comma,
            '"' => {
                let mut inside = String::new();
                loop {
                    match step(&mut chars) {
                        Some(('"', ..)) => break,
                        Some(('\\', ..)) => inside.extend(step(&mut chars).map(|(c, ..)| c)),
                        Some((c, ..)) => inside.push(c),
                        None => {
                            let reason = "the quotation mark is never closed".to_owned();
                            return Err(FileError { line, column, reason });
                        }
                    }
                }
                Token::Text(inside)
            }
            _ => {
                let mut word = String::from(c);
                while chars.peek().is_some_and(|c| !c.is_whitespace() && !"{}\",".contains(*c)) {
                    word.extend(step(&mut chars).map(|(c, ..)| c));
                }
                number(&word).map_or(Token::Word(word), Token::Number)
            }
        };
        found.push((token, line, column));
    }
    Ok(found)
}

/// A decimal or a fraction, as Gambit writes them.
fn number(word: &str) -> Option<f64> {
    if !word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    let value = if let Some((above, below)) = word.split_once('/') {
        above.parse::<f64>().ok()? / below.parse::<f64>().ok()?
    } else {
        word.parse().ok()?
    };
    value.is_finite().then_some(value)
}

#[derive(Default)]
struct Reader {
    tokens: Vec<(Token, usize, usize)>,
    at: usize,
    /// Payoffs by outcome number.
    outcomes: HashMap<i64, Payoffs>,
    /// Names and probabilities of moves by player (0 is chance) and information set.
    sets: HashMap<(i64, i64), Vec<(String, f64)>>,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, ..)| token)
    }

    fn error(&self, reason: &str) -> FileError {
        let end = self.tokens.last().map_or((1, 1), |&(_, line, column)| (line, column));
        let (line, column) =
            self.tokens.get(self.at).map_or(end, |&(_, line, column)| (line, column));
        FileError { line, column, reason: reason.to_owned() }
    }

    fn word(&mut self, word: &str) -> Result<(), FileError> {
        if self.peek() != Some(&Token::Word(word.to_owned())) {
            return Err(self.error(&format!("expected {word}")));
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<f64, FileError> {
        let Some(&Token::Number(number)) = self.peek() else {
            return Err(self.error("expected a number"));
        };
        self.at += 1;
        Ok(number)
    }

    fn integer(&mut self) -> Result<i64, FileError> {
        self.number().map(|number| number as i64)
    }

    fn text(&mut self) -> Result<String, FileError> {
        let Some(Token::Text(text)) = self.peek().cloned() else {
            return Err(self.error("expected a text in quotation marks"));
        };
        self.at += 1;
        Ok(text)
    }

    fn optional_text(&mut self) -> String {
        self.text().unwrap_or_default()
    }

    fn texts(&mut self) -> Result<Vec<String>, FileError> {
        self.expect(&Token::Open)?;
        let mut texts = vec![];
        while self.peek() != Some(&Token::Close) {
            texts.push(self.text()?);
        }
        self.at += 1;
        Ok(texts)
    }

    fn expect(&mut self, token: &Token) -> Result<(), FileError> {
        if self.peek() != Some(token) {
            return Err(self.error(&format!("expected {token:?}")));
        }
        self.at += 1;
        Ok(())
    }

    fn node(&mut self, tree: &mut Tree, above: Payoffs, depth: usize) -> Result<NodeId, FileError> {
        if depth > MAX_DEPTH {
            return Err(self.error(&format!("no line may have more than {MAX_DEPTH} moves")));
        }
        let start = self.at;
        let Some(Token::Word(kind)) = self.peek().cloned() else {
            return Err(self.error("expected a node: c, p or t"));
        };
        self.at += 1;
        let name = self.optional_text();
        if kind == "t" {
            let payoffs = above + self.outcome(tree.players.len())?;
            return Ok(tree.add(name, NodeKind::Leaf(payoffs)));
        }
        let player = match kind.as_str() {
            "c" => 0,
            "p" => self.player(tree.players.len())?,
            _ => {
                self.at = start;
                return Err(self.error("a node is c, p or t"));
            }
        };
        let set = self.integer()?;
        let moves = self.moves(player, set)?;
        let payoffs = above + self.outcome(tree.players.len())?;
        let kind = match usize::try_from(player - 1) {
            Ok(player) => NodeKind::Player(player),
            Err(_) => NodeKind::Chance,
        };
        let id = tree.add(name, kind);
        if player > 0 {
            tree.nodes[id as usize].information = Some(format!("{player}:{set}"));
        }
        for (name, probability) in moves {
            let to = self.node(tree, payoffs, depth + 1)?;
            tree.nodes[id as usize].edges.push(Edge { name, probability, to });
        }
        Ok(id)
    }

    /// A player's number, from 1.
    fn player(&mut self, players: usize) -> Result<i64, FileError> {
        let start = self.at;
        let player = self.integer()?;
        if !(1..=players as i64).contains(&player) {
            self.at = start;
            return Err(self.error("there is no such player"));
        }
        Ok(player)
    }

    /// The moves of an information set: written out the first time, and perhaps again.
    fn moves(&mut self, player: i64, set: i64) -> Result<Vec<(String, f64)>, FileError> {
        let named = matches!(self.peek(), Some(Token::Text(_)));
        if named {
            self.at += 1;
        }
        if self.peek() != Some(&Token::Open) {
            let known = self.sets.get(&(player, set)).cloned();
            return known.ok_or_else(|| self.error("this information set has no moves yet"));
        }
        self.at += 1;
        let mut moves = vec![];
        while self.peek() != Some(&Token::Close) {
            let name = self.text()?;
            let probability = if player == 0 { self.number()? } else { 0.0 };
            moves.push((name, probability));
        }
        let sum: f64 = moves.iter().map(|(_, probability)| probability).sum();
        let negative = moves.iter().any(|(_, probability)| *probability < 0.0);
        if negative || (player == 0 && (sum - 1.0).abs() > 1e-6) {
            return Err(self.error("probabilities must not be negative, and sum to 1"));
        }
        if moves.is_empty() || moves.len() > usize::from(u16::MAX) {
            return Err(self.error("a node needs between 1 and 65535 moves"));
        }
        self.at += 1;
        if self.sets.get(&(player, set)).is_some_and(|known| known.len() != moves.len()) {
            return Err(self.error("this information set has another number of moves elsewhere"));
        }
        self.sets.insert((player, set), moves.clone());
        Ok(moves)
    }

    /// An outcome's payoffs: written out the first time, and perhaps again. The number 0 is none.
    fn outcome(&mut self, players: usize) -> Result<Payoffs, FileError> {
        let start = self.at;
        let outcome = self.integer()?;
        if matches!(self.peek(), Some(Token::Text(_))) {
            self.at += 1;
        }
        if self.peek() != Some(&Token::Open) {
            let none = (outcome == 0).then(Payoffs::default);
            let Some(payoffs) = self.outcomes.get(&outcome).copied().or(none) else {
                self.at = start;
                return Err(self.error("this outcome has no payoffs yet"));
            };
            return Ok(payoffs);
        }
        let open = self.at;
        self.at += 1;
        let mut shares = vec![];
        while self.peek() != Some(&Token::Close) {
            if self.peek() == Some(&Token::Comma) {
                self.at += 1;
            }
            shares.push(self.number()?);
        }
        self.at += 1;
        let payoffs = Payoffs::from_slice(&shares).filter(|_| shares.len() == players);
        let Some(payoffs) = payoffs else {
            self.at = open;
            return Err(self.error("an outcome needs one payoff a player"));
        };
        self.outcomes.insert(outcome, payoffs);
        Ok(payoffs)
    }
}
