//! Explicit game trees: every position written down, chance and information sets included.

use std::collections::BTreeSet;

use rand::{Rng, RngExt};

use crate::game::{
    Deterministic, Exact, Game, Hidden, Keyed, MAX_PLAYERS, Payoffs, Player, Properties, Sum,
    ZeroSum,
};

/// Index of a node; the root is 0.
pub type NodeId = u32;

/// A whole game, as read from a file or built node by node.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Names of the players.
    pub players: Vec<String>,
    /// The nodes; a parent stands before its children.
    pub nodes: Vec<Node>,
    /// No utility lies outside these; once narrowed, none of the first player's.
    pub bounds: (f64, f64),
}

/// A position of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What the file calls it; may be empty.
    pub name: String,
    /// Who acts.
    pub kind: NodeKind,
    /// The moves, in order.
    pub edges: Vec<Edge>,
    /// Its information set: equal for nodes that the acting player cannot tell apart.
    pub information: Option<String>,
}

/// A move of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// What the file calls it; its index if it has no name.
    pub name: String,
    /// How likely it is; 0 where a player decides.
    pub probability: f64,
    /// Where it leads.
    pub to: NodeId,
}

/// Who acts at a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NodeKind {
    /// A player.
    Player(Player),
    /// Chance.
    Chance,
    /// Nobody: the utilities.
    Leaf(Payoffs),
}

/// Why a tree cannot be searched in a given way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// There are not two strictly opposed players.
    NotZeroSum,
    /// There are chance nodes.
    Chance,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotZeroSum => "the players are not two whose utilities always sum to the same",
            Self::Chance => "the tree has chance nodes",
        })
    }
}

impl std::error::Error for Mismatch {}

impl Tree {
    /// An empty tree for these players; [`add`](Self::add) its nodes, parents first.
    pub const fn new(players: Vec<String>) -> Self {
        Self { players, nodes: vec![], bounds: (f64::NEG_INFINITY, f64::INFINITY) }
    }

    /// Adds a node without moves.
    pub fn add(&mut self, name: String, kind: NodeKind) -> NodeId {
        self.nodes.push(Node { name, kind, edges: vec![], information: None });
        self.nodes.len() as NodeId - 1
    }

    /// Sets the bounds to the least and the greatest utility at any leaf.
    pub fn set_bounds_from_leaves(&mut self) {
        let players = self.players.len();
        let utilities = || self.leaves().flat_map(|leaf| leaf.shares(players).to_vec());
        self.bounds = (
            utilities().fold(f64::INFINITY, f64::min),
            utilities().fold(f64::NEG_INFINITY, f64::max),
        );
    }

    /// Sets the bounds that the first player's utilities are known to keep, for chance-node pruning on
    /// his behalf.
    ///
    /// # Errors
    /// If a leaf lies outside; the bounds are then unchanged.
    pub fn narrow_bounds(&mut self, (low, high): (f64, f64)) -> Result<(), String> {
        if let Some(leaf) = self.leaves().find(|leaf| leaf[0] < low || leaf[0] > high) {
            return Err(format!("a leaf, {}, lies outside", leaf[0]));
        }
        self.bounds = (low, high);
        Ok(())
    }

    /// The utilities of all leaves, from left to right.
    pub fn leaves(&self) -> impl Iterator<Item = &Payoffs> {
        self.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Leaf(payoffs) => Some(payoffs),
            NodeKind::Player(_) | NodeKind::Chance => None,
        })
    }

    /// The game, with nothing assumed about it.
    pub fn root(&self) -> TreeGame<'_> {
        TreeGame { tree: self, node: 0 }
    }

    /// The game, if it is one of two opposed players.
    ///
    /// # Errors
    /// If it is not.
    pub fn zero_sum(&self) -> Result<TreeGame<'_, true, false>, Mismatch> {
        let opposed = self.players.len() == 2 && self.properties().sum != Sum::General;
        opposed.then_some(TreeGame { tree: self, node: 0 }).ok_or(Mismatch::NotZeroSum)
    }

    /// The game, if nothing is left to chance.
    ///
    /// # Errors
    /// If there are chance nodes.
    pub fn deterministic(&self) -> Result<TreeGame<'_, false, true>, Mismatch> {
        let chance = self.properties().chance;
        (!chance).then_some(TreeGame { tree: self, node: 0 }).ok_or(Mismatch::Chance)
    }

    /// The game, if it is one of two opposed players without chance.
    ///
    /// # Errors
    /// If it is not.
    pub fn classical(&self) -> Result<TreeGame<'_, true, true>, Mismatch> {
        self.zero_sum()?;
        self.deterministic()?;
        Ok(TreeGame { tree: self, node: 0 })
    }

    /// The names of the moves of a line from the root.
    pub fn names(&self, line: &[TreeMove]) -> Vec<String> {
        let mut node = &self.nodes[0];
        line.iter()
            .map(|&TreeMove(index)| {
                let edge = &node.edges[usize::from(index)];
                node = &self.nodes[edge.to as usize];
                edge.name.clone()
            })
            .collect()
    }

    /// The place of this game in the field.
    pub fn properties(&self) -> Properties {
        let players = self.players.len();
        let mut sets = BTreeSet::new();
        let twice = self.nodes.iter().any(|node| match (node.kind, &node.information) {
            (NodeKind::Player(player), Some(set)) => !sets.insert((player, set)),
            _ => false,
        });
        Properties {
            players,
            chance: self.nodes.iter().any(|node| node.kind == NodeKind::Chance),
            perfect_information: !twice,
            sum: Sum::of(self.leaves(), players),
        }
    }

    /// Nodes of the information set of `node`, with the probability that chance gives to each.
    fn set_of(&self, node: NodeId) -> Vec<(NodeId, f64)> {
        let Some(set) = &self.nodes[node as usize].information else { return vec![(node, 1.0)] };
        let kind = self.nodes[node as usize].kind;
        let mut reach = vec![1.0; self.nodes.len()];
        for (index, parent) in self.nodes.iter().enumerate() {
            for edge in &parent.edges {
                let factor = if parent.kind == NodeKind::Chance { edge.probability } else { 1.0 };
                reach[edge.to as usize] = reach[index] * factor;
            }
        }
        let same = |other: &Node| other.kind == kind && other.information.as_ref() == Some(set);
        (0..self.nodes.len())
            .filter(|&index| same(&self.nodes[index]))
            .map(|index| (index as NodeId, reach[index]))
            .collect()
    }
}

/// A position of a tree. The flags are what is known of the whole tree: that its players are two
/// and opposed, and that it has no chance nodes; [`Tree`] gives them only after a look.
#[derive(Debug, Clone, Copy)]
pub struct TreeGame<'t, const OPPOSED: bool = false, const NO_CHANCE: bool = false> {
    /// The whole game.
    pub tree: &'t Tree,
    /// Where we are.
    pub node: NodeId,
}

/// The index of a move among those of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeMove(pub u16);

/// The moves of a node, in the order of the file.
#[derive(Debug, Clone)]
pub struct TreeMoves(std::ops::Range<u16>);

impl Iterator for TreeMoves {
    type Item = TreeMove;
    fn next(&mut self) -> Option<TreeMove> {
        self.0.next().map(TreeMove)
    }
}

impl<'t, const Z: bool, const D: bool> TreeGame<'t, Z, D> {
    /// The node.
    pub fn here(&self) -> &'t Node {
        &self.tree.nodes[self.node as usize]
    }
}

impl<const Z: bool, const D: bool> Game for TreeGame<'_, Z, D> {
    type Move = TreeMove;
    type Moves = TreeMoves;

    fn properties(&self) -> Properties {
        self.tree.properties()
    }

    fn to_move(&self) -> Player {
        if let NodeKind::Player(player) = self.here().kind { player } else { 0 }
    }

    fn legal_moves(&self) -> TreeMoves {
        TreeMoves(0..self.here().edges.len() as u16)
    }

    fn play(&mut self, TreeMove(index): TreeMove) {
        self.node = self.here().edges[usize::from(index)].to;
    }

    fn outcome(&self) -> Option<Payoffs> {
        if let NodeKind::Leaf(payoffs) = self.here().kind { Some(payoffs) } else { None }
    }

    fn chance(&self) -> Option<Vec<(TreeMove, f64)>> {
        let edges = &self.here().edges;
        let chances =
            || (0..=u16::MAX).map(TreeMove).zip(edges.iter().map(|edge| edge.probability));
        (self.here().kind == NodeKind::Chance).then(|| chances().collect())
    }

    fn utility_bounds(&self) -> (f64, f64) {
        self.tree.bounds
    }
}

impl<const D: bool> ZeroSum for TreeGame<'_, true, D> {}
impl<const Z: bool> Deterministic for TreeGame<'_, Z, true> {}

impl<const Z: bool, const D: bool> Keyed for TreeGame<'_, Z, D> {
    type Key = NodeId;
    fn key(&self) -> NodeId {
        self.node
    }
}
impl<const Z: bool, const D: bool> Exact for TreeGame<'_, Z, D> {}

impl<const Z: bool, const D: bool> Hidden for TreeGame<'_, Z, D> {
    type Information = (Player, Result<String, NodeId>);

    fn information(&self, player: Player) -> Self::Information {
        (player, self.here().information.clone().ok_or(self.node))
    }

    fn resample<R: Rng>(&self, _player: Player, rng: &mut R) -> Self {
        let nodes = self.tree.set_of(self.node);
        let total: f64 = nodes.iter().map(|(_, weight)| weight).sum();
        let mut left = rng.random::<f64>() * total;
        let drawn = nodes.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        Self { tree: self.tree, node: drawn.or(nodes.last()).map_or(self.node, |(node, _)| *node) }
    }
}

/// Whether one number says all about outcomes like these: their players are two and the payoffs'
/// sum never changes.
pub fn scalar_suffices(outcomes: &[Payoffs], players: usize) -> bool {
    players <= MAX_PLAYERS && players == 2 && Sum::of(outcomes, players) != Sum::General
}
