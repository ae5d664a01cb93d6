//! Proof-number search (Allis, van der Meulen & van den Herik 1994): best first, by how many leaves
//! still stand between a node and its proof or disproof.

use crate::game::{Deterministic, Game, Player, ZeroSum};

use super::control::{Control, Stopped};

/// A number of leaves so large that there is no such number: the opposite is proved.
const NEVER: u64 = u64::MAX;

#[derive(Debug)]
struct Node<M> {
    mv: Option<M>,
    parent: usize,
    /// The first child and how many there are; none before expansion.
    children: std::ops::Range<usize>,
    ours: bool,
    /// Leaves to be proved, and to be disproved, at least.
    proof: u64,
    disproof: u64,
}

/// Whether `player` gets at least `goal`, for certain. The tree is kept in memory and grows by one node
/// expanded at a time; positions reached by two ways count as two.
///
/// # Errors
/// If `control` stopped the search before there was a proof.
pub fn proof_number_search<G: ZeroSum + Deterministic>(
    game: &G,
    player: Player,
    goal: f64,
    control: &mut Control<'_>,
) -> Result<bool, Stopped> {
    control.node()?;
    let mut tree: Vec<Node<G::Move>> = vec![judged(game, None, 0, player, goal)];
    while tree[0].proof != 0 && tree[0].disproof != 0 {
        let (mut node, mut here) = (0, game.clone());
        while !tree[node].children.is_empty() {
            node = most_proving(&tree, node);
            if let Some(mv) = tree[node].mv {
                here.play(mv);
            }
        }
        let first = tree.len();
        for mv in here.legal_moves() {
            control.node()?;
            let mut child = here.clone();
            child.play(mv);
            tree.push(judged(&child, Some(mv), node, player, goal));
        }
        tree[node].children = first..tree.len();
        loop {
            update(&mut tree, node);
            if node == 0 {
                break;
            }
            node = tree[node].parent;
        }
    }
    control.counters.leaves += tree.iter().filter(|node| node.children.is_empty()).count() as u64;
    Ok(tree[0].proof == 0)
}

fn judged<G: Game>(
    game: &G,
    mv: Option<G::Move>,
    parent: usize,
    player: Player,
    goal: f64,
) -> Node<G::Move> {
    let (proof, disproof) = match game.outcome() {
        None => (1, 1),
        Some(payoffs) if payoffs[player] >= goal => (0, NEVER),
        Some(_) => (NEVER, 0),
    };
    Node { mv, parent, children: 0..0, ours: game.to_move() == player, proof, disproof }
}

/// The child whose proof (where we move) or disproof (where he does) is nearest.
fn most_proving<M>(tree: &[Node<M>], node: usize) -> usize {
    let ours = tree[node].ours;
    let distance = |child: &usize| if ours { tree[*child].proof } else { tree[*child].disproof };
    tree[node].children.clone().min_by_key(distance).expect("an inner node has children")
}

fn update<M>(tree: &mut [Node<M>], node: usize) {
    let children = &tree[tree[node].children.clone()];
    let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
    let least = |numbers: &mut dyn Iterator<Item = u64>| numbers.min().unwrap_or(NEVER);
    let (mut proofs, mut disproofs) =
        (children.iter().map(|child| child.proof), children.iter().map(|child| child.disproof));
    let (proof, disproof) = if tree[node].ours {
        (least(&mut proofs), sum(&mut disproofs))
    } else {
        (sum(&mut proofs), least(&mut disproofs))
    };
    (tree[node].proof, tree[node].disproof) = (proof, disproof);
}
