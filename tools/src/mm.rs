//! Learns how likely go moves are from game records, by minorisation-maximisation (Rémi Coulom 2007,
//! "Computing Elo ratings of move patterns in the game of Go"): every position is a competition of
//! teams of features, the team of the move played won, and the strength of a team is the product of
//! the strengths of its members.

use std::{fmt::Write, io};

use anyhow::{Context as _, Result, bail};
use tegenspel::go::{
    Color, Move, Point, Position, Rules,
    patterns::{CODES, Context, FEATURES, NAMES, is_eye},
};

/// Strength of a pass, as a share of all other moves.
const PASS: f64 = 0.000_001;

/// Moves of one game.
pub type Game = Vec<Move>;

/// How much is learned from what.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Points on a side.
    pub size: usize,
    /// Every so many positions of a game one is learned from.
    pub every: usize,
    /// Passes over all features.
    pub rounds: usize,
    /// Every so many games one is held back to measure the fit.
    pub held_back: usize,
}

/// Reads lines whose last word is a game: two letters a move as SGF writes points, Black first, `tt`
/// a pass.
///
/// # Errors
/// The first line that is none.
pub fn read(text: &str, size: usize) -> Result<Vec<Game>> {
    let mut games = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(word) = line.split_whitespace().next_back() else { continue };
        let mut game = Game::new();
        for pair in word.as_bytes().chunks(2) {
            let &[x, y] = pair else { bail!("line {}: half a move", number + 1) };
            if pair == b"tt" && size < 20 {
                game.push(Move::Pass);
                continue;
            }
            let at = |letter: u8| usize::from(letter.wrapping_sub(b'a'));
            if at(x) >= size || at(y) >= size {
                bail!("line {}: no point of the board", number + 1);
            }
            game.push(Move::Play(Point::at(at(x), size - 1 - at(y), size)));
        }
        games.push(game);
    }
    Ok(games)
}

/// Positions as competitions: features of each team, the winner's first.
#[derive(Debug, Default)]
pub struct Competitions {
    features: Vec<u32>,
    /// Features in each team.
    teams: Vec<u8>,
    /// Teams in each position.
    positions: Vec<u16>,
}

/// What the strengths say about positions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fit {
    /// Mean logarithm of the share given to the move that was played.
    pub log_likelihood: f64,
    /// Share of positions in which it was the likeliest.
    pub first: f64,
}

impl Competitions {
    /// Adds positions of a game; `deep` takes the features that only the tree uses, too.
    pub fn add(&mut self, game: &Game, plan: &Plan, deep: bool, offset: usize) {
        let mut position = Position::new(plan.size);
        position.rules = Rules::JAPANESE; // simple ko: what a playout knows
        let mut recent = [None; 2];
        for (ply, &mv) in game.iter().enumerate() {
            let color = Color::BOTH[ply % 2];
            if position.check(color, mv).is_err() {
                return;
            }
            if let Move::Play(point) = mv
                && (ply + offset).is_multiple_of(plan.every)
                && !is_eye(position.board.code(point.cell()), color)
            {
                self.add_position(&position, color, point, recent, deep);
            }
            position.play(color, mv);
            recent = [mv.point(), recent[0]];
        }
    }

    fn add_position(
        &mut self,
        position: &Position,
        color: Color,
        played: Point,
        recent: [Option<Point>; 2],
        deep: bool,
    ) {
        let board = &position.board;
        let context = Context::new(board, color, recent[0], recent[1]);
        let mut teams = 0;
        let mut enter = |point| {
            let features = context.features(board, point, deep);
            self.features.extend_from_slice(features.as_slice());
            self.teams.push(features.as_slice().len() as u8);
            teams += 1;
        };
        enter(played);
        for &cell in board.empties() {
            let cell = usize::from(cell);
            if cell != played.cell()
                && board.is_playable(color, cell)
                && !is_eye(board.code(cell), color)
            {
                enter(Point::new(cell));
            }
        }
        self.positions.push(teams);
    }

    /// Number of positions.
    pub const fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no position.
    pub const fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// How often each feature is in a team, and in a winning one.
    pub fn counts(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut all, mut won) = (vec![0; FEATURES], vec![0; FEATURES]);
        self.each(|teams| {
            for (i, team) in teams.enumerate() {
                for &feature in team {
                    all[feature as usize] += 1;
                    won[feature as usize] += u32::from(i == 0);
                }
            }
        });
        (all, won)
    }

    fn each<'a>(&'a self, mut position: impl FnMut(Teams<'a>)) {
        let (mut team, mut feature) = (0, 0);
        for &count in &self.positions {
            let lengths = &self.teams[team..team + usize::from(count)];
            let length: usize = lengths.iter().map(|&length| usize::from(length)).sum();
            position(Teams { lengths, features: &self.features[feature..feature + length] });
            team += lengths.len();
            feature += length;
        }
    }

    /// How well strengths foretell the moves.
    pub fn fit(&self, strengths: &[f64]) -> Fit {
        let mut fit = Fit::default();
        self.each(|teams| {
            let mut all = teams.map(|team| strength(team, strengths));
            let won = all.next().unwrap_or(1.0);
            let (mut sum, mut first) = (won, true);
            for other in all {
                sum += other;
                first &= other < won;
            }
            fit.log_likelihood += (won / sum).ln();
            fit.first += f64::from(u8::from(first));
        });
        let count = self.len().max(1) as f64;
        Fit { log_likelihood: fit.log_likelihood / count, first: fit.first / count }
    }

    /// One minorisation-maximisation step for the features of one group, of which a team has one at
    /// most (Coulom 2007, formula 6). One win and one loss against strength 1 are added to each.
    fn step(&self, group: &[bool], won: &[u32], strengths: &mut [f64]) {
        let mut shares = vec![0.0; FEATURES];
        let mut here: Vec<(u32, f64)> = Vec::new();
        self.each(|teams| {
            here.clear();
            let mut sum = 0.0;
            for team in teams {
                let whole = strength(team, strengths);
                sum += whole;
                for &feature in team.iter().filter(|&&feature| group[feature as usize]) {
                    here.push((feature, whole / strengths[feature as usize]));
                }
            }
            for &(feature, mates) in &here {
                shares[feature as usize] += mates / sum;
            }
        });
        for feature in (0..FEATURES).filter(|&feature| group[feature]) {
            let prior = 2.0 / (strengths[feature] + 1.0);
            strengths[feature] = (f64::from(won[feature]) + 1.0) / (shares[feature] + prior);
        }
    }

    /// Learns the strengths; `report` is told of every round.
    ///
    /// # Errors
    /// If `report` fails.
    pub fn learn(
        &self,
        rounds: usize,
        mut report: impl FnMut(usize, &[f64]) -> io::Result<()>,
    ) -> io::Result<Vec<f64>> {
        let (_, won) = self.counts();
        let mut strengths = vec![1.0; FEATURES];
        let groups = groups();
        for round in 0..rounds {
            for group in &groups {
                self.step(group, &won, &mut strengths);
            }
            report(round, &strengths)?;
        }
        Ok(strengths)
    }
}

/// The teams of one position.
struct Teams<'a> {
    lengths: &'a [u8],
    features: &'a [u32],
}

impl<'a> Iterator for Teams<'a> {
    type Item = &'a [u32];

    fn next(&mut self) -> Option<Self::Item> {
        let (&length, rest) = self.lengths.split_first()?;
        let (team, others) = self.features.split_at(usize::from(length));
        (self.lengths, self.features) = (rest, others);
        Some(team)
    }
}

fn strength(team: &[u32], strengths: &[f64]) -> f64 {
    team.iter().map(|&feature| strengths[feature as usize]).product()
}

/// Sets of features that exclude each other: the patterns, the distances, and so on; a name without
/// kin is a set of its own.
fn groups() -> Vec<Vec<bool>> {
    let family = |name: &str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
        stem.to_owned()
    };
    let mut groups = vec![(0..FEATURES).map(|feature| feature < CODES).collect::<Vec<bool>>()];
    let mut families: Vec<String> = Vec::new();
    for (at, name) in NAMES.iter().enumerate() {
        let family = family(name);
        let index = families.iter().position(|known| *known == family).unwrap_or_else(|| {
            families.push(family);
            groups.push(vec![false; FEATURES]);
            families.len() - 1
        });
        groups[index + 1][CODES + at] = true;
    }
    groups
}

/// Sets the strengths of all features but the patterns to those of a table's playout column.
///
/// # Errors
/// The line that is not understood.
pub fn keep_local(text: &str, strengths: &mut [f64]) -> Result<()> {
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, strength, _] = words[..] else { bail!("not a line of a table: {line}") };
        if let Some(at) = NAMES.iter().position(|&known| known == name) {
            strengths[CODES + at] =
                strength.parse().with_context(|| format!("not a line of a table: {line}"))?;
        }
    }
    Ok(())
}

/// The table that the engine embeds: `name playout tree`, patterns that were seen at least `least`
/// times, under a head of comments.
pub fn table(head: &str, seen: &[u32], least: u32, playout: &[f64], tree: &[f64]) -> String {
    let mut text = String::new();
    for line in head.lines() {
        let _ = writeln!(text, "# {line}");
    }
    for (at, &name) in NAMES.iter().enumerate() {
        let feature = CODES + at;
        if name == "pass" {
            // Records end before passes mean anything: a pass is a last resort until it is visited.
            let _ = writeln!(text, "{name} 1.00 {PASS}");
            continue;
        }
        let _ = writeln!(text, "{name} {} {}", short(playout[feature]), short(tree[feature]));
    }
    for feature in (0..CODES).filter(|&feature| seen[feature] >= least) {
        let _ =
            writeln!(text, "p{feature:04x} {} {}", short(playout[feature]), short(tree[feature]));
    }
    text
}

/// Three significant digits.
fn short(value: f64) -> String {
    let digits = (2 - value.log10().floor() as i32).clamp(0, 8) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A feature that is in the winning one of two teams nine times in ten has nine times the strength
    /// (Bradley & Terry 1952), but for the two games of the prior.
    #[test]
    fn a_feature_that_wins_nine_games_in_ten_is_nine_times_as_strong() {
        let mut games = Competitions::default();
        let (strong, weak) = (CODES as u32, CODES as u32 + 44);
        for game in 0..10_000 {
            let order = if game % 10 == 0 { [weak, strong] } else { [strong, weak] };
            games.features.extend(order);
            games.teams.extend([1, 1]);
            games.positions.push(2);
        }
        let strengths = games.learn(200, |_, _| Ok(())).unwrap();
        let ratio = strengths[strong as usize] / strengths[weak as usize];
        assert!((8.9..9.1).contains(&ratio), "{ratio}");
        assert!((games.fit(&strengths).first - 0.9).abs() < 1e-9);
    }

    #[test]
    fn a_record_is_read_and_its_positions_are_competitions() {
        let games = read("B+R eedd\nW+1.5 7 x cctttt", 9).unwrap();
        assert_eq!(games[1][1..], [Move::Pass, Move::Pass]);
        assert!(read("B+R zz", 9).is_err());
        let plan = Plan { size: 9, every: 1, rounds: 1, held_back: 10 };
        let mut all = Competitions::default();
        all.add(&games[0], &plan, true, 0);
        assert_eq!(all.positions, [81, 80]);
    }
}
