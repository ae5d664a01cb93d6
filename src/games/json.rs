//! Reads trees written as JSON.
//!
//! A number is a leaf, worth that much to MAX (player 0) and its negative to MIN (player 1); a list of
//! numbers is a leaf with one utility for each player. An object is a node: `kind` (`"max"`, `"min"`,
//! `"chance"` or `"player"`, the last with `player`, a name or an index), `children`, and if wanted
//! `moves` (names), `probs` (for chance), `info` (information set) and `name`. The file is a node, or an
//! object with `tree` (the root) and, if wanted, `players` (names) and `bounds` (`[least, greatest]` of
//! the first player).

use std::{collections::HashMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use crate::game::{MAX_PLAYERS, Payoffs};

use super::{
    FileError,
    tree::{Edge, NodeId, NodeKind, Tree},
};

/// Reads a tree from JSON text.
///
/// # Errors
/// With line, column and reason if the text is not a tree as described above.
pub fn parse_json(text: &str) -> Result<Tree, FileError> {
    let file: Raw = serde_json::from_str(text).map_err(|error| {
        let full = error.to_string();
        let reason = full.split(" at line ").next().unwrap_or(&full).to_owned();
        // At the very beginning serde_json counts from 0.
        FileError { line: error.line().max(1), column: error.column().max(1), reason }
    })?;
    let whole = |reason: String| FileError { line: 1, column: 1, reason };
    let file = match file {
        Raw::File(file) => *file,
        root => File { players: vec![], bounds: None, root },
    };
    let mut players = file.players;
    if players.is_empty() {
        let vector = widest_leaf(&file.root);
        players = match vector {
            0 => vec!["MAX".to_owned(), "MIN".to_owned()],
            many => (1..=many).map(|number| format!("player {number}")).collect(),
        };
    }
    if players.len() > MAX_PLAYERS {
        return Err(whole(format!("{} players; at most {MAX_PLAYERS} are served", players.len())));
    }
    let mut tree = Tree::new(players);
    build(&mut tree, &file.root).map_err(whole)?;
    check_sets(&tree).map_err(whole)?;
    tree.set_bounds_from_leaves();
    if let Some(bounds) = file.bounds {
        tree.narrow_bounds(bounds).map_err(|reason| whole(format!("\"bounds\": {reason}")))?;
    }
    Ok(tree)
}

enum Raw {
    Scalar(f64),
    Vector(Vec<f64>),
    Node(Box<RawNode>),
    File(Box<File>),
}

struct RawNode {
    kind: String,
    player: Option<PlayerName>,
    children: Vec<Raw>,
    moves: Vec<String>,
    probs: Vec<f64>,
    info: Option<String>,
    name: String,
}

struct File {
    players: Vec<String>,
    bounds: Option<(f64, f64)>,
    root: Raw,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PlayerName {
    Index(usize),
    Name(String),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawVisitor;
        impl<'de> Visitor<'de> for RawVisitor {
            type Value = Raw;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a list of numbers or a node")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Raw, E> {
                Ok(Raw::Scalar(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Raw, E> {
                Ok(Raw::Scalar(value as f64))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Raw, E> {
                Ok(Raw::Scalar(value as f64))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Raw, A::Error> {
                let mut values = vec![];
                while let Some(value) = list.next_element::<f64>()? {
                    values.push(value);
                }
                if values.is_empty() || values.len() > MAX_PLAYERS {
                    let most = MAX_PLAYERS;
                    return Err(A::Error::custom(format!("a leaf has 1 to {most} utilities")));
                }
                Ok(Raw::Vector(values))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Raw, A::Error> {
                read_object(map)
            }
        }
        deserializer.deserialize_any(RawVisitor)
    }
}

fn read_object<'de, A: MapAccess<'de>>(mut map: A) -> Result<Raw, A::Error> {
    let mut node = RawNode {
        kind: String::new(),
        player: None,
        children: vec![],
        moves: vec![],
        probs: vec![],
        info: None,
        name: String::new(),
    };
    let (mut players, mut bounds, mut root) = (vec![], None, None);
    while let Some(key) = map.next_key::<String>()? {
        match key.as_str() {
            "kind" => {
                node.kind = map.next_value()?;
                if !["max", "min", "chance", "player"].contains(&node.kind.as_str()) {
                    return Err(A::Error::custom(format!(
                        "kind \"{}\" is none of max, min, chance, player",
                        node.kind
                    )));
                }
            }
            "player" => node.player = Some(map.next_value()?),
            "children" => node.children = map.next_value()?,
            "moves" => node.moves = map.next_value()?,
            "probs" => {
                node.probs = map.next_value()?;
                let sum: f64 = node.probs.iter().sum();
                if node.probs.iter().any(|&p| p <= 0.0) || (sum - 1.0).abs() > 1e-6 {
                    return Err(A::Error::custom("probabilities must be positive and sum to 1"));
                }
            }
            "info" => node.info = Some(map.next_value()?),
            "name" => node.name = map.next_value()?,
            "players" => players = map.next_value()?,
            "bounds" => bounds = Some(map.next_value()?),
            "tree" => root = Some(map.next_value()?),
            "note" | "title" => {
                map.next_value::<IgnoredAny>()?;
            }
            _ => return Err(A::Error::custom(format!("a node has no \"{key}\""))),
        }
    }
    if let Some(root) = root {
        return Ok(Raw::File(Box::new(File { players, bounds, root })));
    }
    if !players.is_empty() || bounds.is_some() {
        return Err(A::Error::custom("\"players\" and \"bounds\" stand beside \"tree\""));
    }
    check(&node).map_err(A::Error::custom)?;
    Ok(Raw::Node(Box::new(node)))
}

fn check(node: &RawNode) -> Result<(), String> {
    let count = node.children.len();
    if node.kind.is_empty() {
        return Err("a node needs \"kind\"".to_owned());
    }
    if count == 0 || count > usize::from(u16::MAX) {
        return Err("a node needs \"children\", between 1 and 65535".to_owned());
    }
    if !node.moves.is_empty() && node.moves.len() != count {
        return Err(format!("{} names of moves for {count} children", node.moves.len()));
    }
    if node.kind == "chance" && node.probs.len() != count {
        return Err(format!("{} probabilities for {count} children", node.probs.len()));
    }
    if node.kind != "chance" && !node.probs.is_empty() {
        return Err("only a chance node has probabilities".to_owned());
    }
    if (node.kind == "player") != node.player.is_some() {
        return Err("\"player\" goes with kind \"player\" and only there".to_owned());
    }
    Ok(())
}

fn widest_leaf(raw: &Raw) -> usize {
    match raw {
        Raw::Scalar(_) | Raw::File(_) => 0,
        Raw::Vector(values) => values.len(),
        Raw::Node(node) => node.children.iter().map(widest_leaf).max().unwrap_or(0),
    }
}

fn build(tree: &mut Tree, raw: &Raw) -> Result<NodeId, String> {
    match raw {
        Raw::Scalar(value) => {
            if tree.players.len() != 2 {
                return Err("a leaf with one number needs two players".to_owned());
            }
            Ok(tree.add(String::new(), NodeKind::Leaf(Payoffs::zero_sum(*value))))
        }
        Raw::Vector(values) => {
            let payoffs =
                Payoffs::from_slice(values).filter(|_| values.len() == tree.players.len());
            let payoffs = payoffs.ok_or_else(|| {
                format!("a leaf has {} utilities for {} players", values.len(), tree.players.len())
            })?;
            Ok(tree.add(String::new(), NodeKind::Leaf(payoffs)))
        }
        Raw::Node(node) => {
            let kind = kind(tree, node)?;
            let id = tree.add(node.name.clone(), kind);
            tree.nodes[id as usize].information.clone_from(&node.info);
            for (index, child) in node.children.iter().enumerate() {
                let name = node.moves.get(index).cloned().unwrap_or_else(|| index.to_string());
                let to = build(tree, child).map_err(|why| format!("below '{name}': {why}"))?;
                let probability = node.probs.get(index).copied().unwrap_or_default();
                tree.nodes[id as usize].edges.push(Edge { name, probability, to });
            }
            Ok(id)
        }
        Raw::File(_) => Err("\"tree\" stands only at the top of a file".to_owned()),
    }
}

/// Who cannot tell two nodes apart has as many moves at one as at the other.
fn check_sets(tree: &Tree) -> Result<(), String> {
    let mut sets = HashMap::new();
    for node in &tree.nodes {
        let (NodeKind::Player(player), Some(set)) = (node.kind, &node.information) else {
            continue;
        };
        let count = node.edges.len();
        let known = *sets.entry((player, set)).or_insert(count);
        if known != count {
            return Err(format!("information set '{set}' has {known} moves and {count} elsewhere"));
        }
    }
    Ok(())
}

fn kind(tree: &Tree, node: &RawNode) -> Result<NodeKind, String> {
    let index = match (node.kind.as_str(), &node.player) {
        ("chance", _) => return Ok(NodeKind::Chance),
        ("max", _) => Some(0),
        ("min", _) => Some(1),
        (_, Some(PlayerName::Index(index))) => Some(*index),
        (_, Some(PlayerName::Name(name))) => tree.players.iter().position(|known| known == name),
        (_, None) => None,
    };
    index
        .filter(|&index| index < tree.players.len())
        .map(NodeKind::Player)
        .ok_or_else(|| format!("no such player; there are {}", tree.players.join(", ")))
}
