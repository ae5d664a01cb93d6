//! Retrograde analysis (Ströhlein 1970; Thompson 1986): the exact value of every position of a class,
//! from the ends of the game backwards. Cycles are no trouble: what is never decided is a draw.

use std::collections::{HashMap, hash_map::Entry};

use crate::game::{Deterministic, Exact, Game, Payoffs, Player, ZeroSum};

use super::control::{Control, Stopped};

/// A class of positions, numbered.
pub trait Universe<G: Game> {
    /// How many numbers there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The position of a number; `None` for a number that stands for none.
    fn position(&self, index: usize) -> Option<G>;
    /// The number of a position, its mirror images included; `None` if it is not of this class.
    fn index(&self, game: &G) -> Option<usize>;
}

/// How a game ends under best play: the winner as fast as he can, the loser as late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// Nobody wins.
    Draw,
    /// This player wins, in so many plies.
    Win {
        /// The winner.
        winner: Player,
        /// Plies to the end.
        plies: u16,
    },
}

/// Everything that can be reached from a position: a universe for small games.
#[derive(Debug, Clone)]
pub struct Reachable<G: Exact> {
    positions: Vec<G>,
    numbers: HashMap<G::Key, usize>,
}

impl<G: Exact> Reachable<G> {
    /// All positions reachable from `root`, which is number 0.
    pub fn new(root: G) -> Self {
        let mut all = Self { numbers: HashMap::from([(root.key(), 0)]), positions: vec![root] };
        let mut next = 0;
        while next < all.positions.len() {
            let game = all.positions[next].clone();
            next += 1;
            if game.outcome().is_some() {
                continue;
            }
            for mv in game.legal_moves() {
                let mut child = game.clone();
                child.play(mv);
                let number = all.positions.len();
                if let Entry::Vacant(free) = all.numbers.entry(child.key()) {
                    free.insert(number);
                    all.positions.push(child);
                }
            }
        }
        all
    }
}

impl<G: Exact> Universe<G> for Reachable<G> {
    fn len(&self) -> usize {
        self.positions.len()
    }
    fn position(&self, index: usize) -> Option<G> {
        self.positions.get(index).cloned()
    }
    fn index(&self, game: &G) -> Option<usize> {
        self.numbers.get(&game.key()).copied()
    }
}

/// The fates of a class.
#[derive(Debug, Clone)]
pub struct FateTable {
    fates: Vec<Option<Fate>>,
}

impl FateTable {
    /// The fate of a number; `None` if it stands for no position.
    pub fn get(&self, index: usize) -> Option<Fate> {
        self.fates.get(index).copied().flatten()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Fate> {
        self.fates.iter().flatten().copied()
    }

    /// The most plies that any win here takes.
    pub fn longest(&self) -> u16 {
        let plies = |fate| if let Fate::Win { plies, .. } = fate { plies } else { 0 };
        self.iter().map(plies).max().unwrap_or(0)
    }
}

/// The fate of every position of `universe`. Moves may lead out of it, to positions whose fate
/// `outside` knows.
///
/// # Errors
/// If `control` stopped the analysis.
pub fn retrograde<G: ZeroSum + Deterministic>(
    universe: &impl Universe<G>,
    outside: &impl Fn(&G) -> Fate,
    control: &mut Control<'_>,
) -> Result<FateTable, Stopped> {
    let mut analysis = Analysis::start(universe, outside, control)?;
    analysis.run(control)?;
    let fates = analysis.states.iter().map(|state| match state {
        State::Nothing => None,
        State::Open { .. } => Some(Fate::Draw),
        State::Done(fate) => Some(*fate),
    });
    Ok(FateTable { fates: fates.collect() })
}

#[derive(Debug, Clone, Copy)]
enum State {
    Nothing,
    Open {
        mover: Player,
        /// Moves not yet known to lose.
        moves: u16,
        /// The longest of the losses outside the universe.
        latest: u16,
    },
    Done(Fate),
}

struct Analysis {
    states: Vec<State>,
    /// Predecessors of each number, one list after the other, and where each list begins.
    predecessors: Vec<u32>,
    starts: Vec<usize>,
    /// Wins to be entered, by plies.
    levels: Vec<Vec<(u32, Player)>>,
}

impl Analysis {
    fn start<G: ZeroSum>(
        universe: &impl Universe<G>,
        outside: &impl Fn(&G) -> Fate,
        control: &mut Control<'_>,
    ) -> Result<Self, Stopped> {
        let mut this = Self {
            states: Vec::with_capacity(universe.len()),
            predecessors: vec![],
            starts: vec![0; universe.len() + 1],
            levels: vec![],
        };
        let mut edges: Vec<(u32, u32)> = vec![];
        for index in 0..universe.len() {
            control.node()?;
            let state = universe.position(index).map_or(State::Nothing, |game| {
                this.first_look(universe, outside, index as u32, &game, &mut edges)
            });
            this.states.push(state);
        }
        for &(child, _) in &edges {
            this.starts[child as usize + 1] += 1;
        }
        for index in 0..universe.len() {
            this.starts[index + 1] += this.starts[index];
        }
        let mut ends = this.starts.clone();
        this.predecessors = vec![0; edges.len()];
        for (child, parent) in edges {
            this.predecessors[ends[child as usize]] = parent;
            ends[child as usize] += 1;
        }
        Ok(this)
    }

    fn first_look<G: ZeroSum>(
        &mut self,
        universe: &impl Universe<G>,
        outside: &impl Fn(&G) -> Fate,
        index: u32,
        game: &G,
        edges: &mut Vec<(u32, u32)>,
    ) -> State {
        if let Some(payoffs) = game.outcome() {
            let Some(winner) = winner(&payoffs) else { return State::Done(Fate::Draw) };
            self.enter(0, index, winner);
            return State::Open { mover: game.to_move(), moves: 0, latest: 0 };
        }
        let mover = game.to_move();
        let (mut moves, mut latest) = (0, 0);
        for mv in game.legal_moves() {
            let mut child = game.clone();
            child.play(mv);
            moves += 1;
            if let Some(number) = universe.index(&child) {
                edges.push((number as u32, index));
                continue;
            }
            match child.outcome().map_or_else(|| outside(&child), |payoffs| fate_of(&payoffs)) {
                Fate::Draw => {}
                Fate::Win { winner, plies } if winner == mover => {
                    self.enter(plies + 1, index, winner);
                }
                Fate::Win { plies, .. } => {
                    moves -= 1;
                    latest = latest.max(plies + 1);
                }
            }
        }
        if moves == 0 {
            self.enter(latest, index, 1 - mover);
        }
        State::Open { mover, moves, latest }
    }

    fn enter(&mut self, plies: u16, index: u32, winner: Player) {
        let level = usize::from(plies);
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Vec::new);
        }
        self.levels[level].push((index, winner));
    }

    /// Level by level, so that the first win found is the fastest and the last loss the latest.
    fn run(&mut self, control: &mut Control<'_>) -> Result<(), Stopped> {
        let mut level = 0;
        while level < self.levels.len() {
            for (index, winner) in std::mem::take(&mut self.levels[level]) {
                control.node()?;
                let index = index as usize;
                if !matches!(self.states[index], State::Open { .. }) {
                    continue;
                }
                let plies = level as u16;
                self.states[index] = State::Done(Fate::Win { winner, plies });
                for edge in self.starts[index]..self.starts[index + 1] {
                    self.tell(self.predecessors[edge], winner, plies);
                }
            }
            level += 1;
        }
        Ok(())
    }

    /// One of the moves of `parent` leads to a win of `winner` in `plies`.
    fn tell(&mut self, parent: u32, winner: Player, plies: u16) {
        let State::Open { mover, moves, latest } = &mut self.states[parent as usize] else {
            return;
        };
        if *mover == winner {
            self.enter(plies + 1, parent, winner);
            return;
        }
        *moves -= 1;
        if *moves == 0 {
            let last = (plies + 1).max(*latest);
            self.enter(last, parent, winner);
        }
    }
}

/// Who gets more at an end; `None` if both get the same.
fn winner(payoffs: &Payoffs) -> Option<Player> {
    (0..2).find(|&player| payoffs[player] > payoffs[1 - player])
}

fn fate_of(payoffs: &Payoffs) -> Fate {
    winner(payoffs).map_or(Fate::Draw, |winner| Fate::Win { winner, plies: 0 })
}
