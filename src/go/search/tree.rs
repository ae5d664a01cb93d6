//! The search tree: an arena of nodes whose statistics are atomics, so that threads grow and read
//! it without locks (Enzenberger & Müller 2009, "A lock-free multithreaded Monte-Carlo tree search").
//! A lost update now and then is noise among thousands; nothing else depends on the order of writes.

use std::{
    ops::Range,
    sync::{
        OnceLock,
        atomic::{
            AtomicU8, AtomicU16, AtomicU32, AtomicU64,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
};

/// Nodes in one block of the arena; blocks are made when first needed.
const BLOCK: usize = 1 << 14;

/// Visits that a leaf needs before it grows (Pachi and michi: 8; fewer since priors are learned).
const GROW_AT: u32 = 4;

/// No node: the root is never a child.
pub(super) const NONE: u32 = 0;

/// One unit of value in the sum of a node: results are kept to 1/65536.
const VALUE_UNIT: f32 = 65536.0;

const LEAF: u8 = 0;
const GROWING: u8 = 1;
const GROWN: u8 = 2;

/// A move and what is known of it, from the view of the player who makes it.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The cell played on; 0 is a pass.
    cell: AtomicU16,
    state: AtomicU8,
    children: AtomicU16,
    first: AtomicU32,
    visits: AtomicU32,
    value: AtomicU64,
    rave_visits: AtomicU32,
    rave_wins: AtomicU32,
    prior: AtomicU32,
}

impl Node {
    pub(super) fn cell(&self) -> usize {
        self.cell.load(Relaxed) as usize
    }

    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Sum of results, each from 0 (lost) to 1 (won).
    pub(super) fn wins(&self) -> f32 {
        self.value.load(Relaxed) as f32 / VALUE_UNIT
    }

    /// Mean result; one half before the first.
    pub(super) fn mean(&self) -> f32 {
        match self.visits() {
            0 => 0.5,
            visits => self.wins() / visits as f32,
        }
    }

    pub(super) fn rave(&self) -> (f32, f32) {
        (self.rave_visits.load(Relaxed) as f32, f32::from_bits(self.rave_wins.load(Relaxed)))
    }

    /// Share of this move among its siblings, before any visit.
    pub(super) fn prior(&self) -> f32 {
        f32::from_bits(self.prior.load(Relaxed))
    }

    /// Counts a visit on the way down, as a loss until [`Node::add_result`] (virtual loss).
    pub(super) fn visit(&self) {
        self.visits.fetch_add(1, Relaxed);
    }

    pub(super) fn add_result(&self, result: f32) {
        self.value.fetch_add((result * VALUE_UNIT) as u64, Relaxed);
    }

    pub(super) fn add_rave(&self, result: f32, weight: u32) {
        self.rave_visits.store(self.rave_visits.load(Relaxed) + weight, Relaxed);
        let wins = f32::from_bits(self.rave_wins.load(Relaxed)) + result * weight as f32;
        self.rave_wins.store(wins.to_bits(), Relaxed);
    }

    pub(super) fn is_grown(&self) -> bool {
        self.state.load(Acquire) == GROWN
    }

    fn copy_from(&self, other: &Self) {
        self.cell.store(other.cell.load(Relaxed), Relaxed);
        self.visits.store(other.visits.load(Relaxed), Relaxed);
        self.value.store(other.value.load(Relaxed), Relaxed);
        self.rave_visits.store(other.rave_visits.load(Relaxed), Relaxed);
        self.rave_wins.store(other.rave_wins.load(Relaxed), Relaxed);
        self.prior.store(other.prior.load(Relaxed), Relaxed);
    }

    fn reset(&self, cell: usize, prior: f32) {
        self.cell.store(cell as u16, Relaxed);
        self.state.store(LEAF, Relaxed);
        self.children.store(0, Relaxed);
        self.first.store(NONE, Relaxed);
        self.visits.store(0, Relaxed);
        self.value.store(0, Relaxed);
        self.rave_visits.store(0, Relaxed);
        self.rave_wins.store(0, Relaxed);
        self.prior.store(prior.to_bits(), Relaxed);
    }
}

/// The arena. Node 0 is the root.
#[derive(Debug)]
pub(super) struct Tree {
    blocks: Box<[OnceLock<Box<[Node]>>]>,
    used: AtomicU32,
}

impl Tree {
    /// Room for about `nodes` nodes, none of them made yet but the root's block.
    pub(super) fn new(nodes: usize) -> Self {
        let count = nodes.div_ceil(BLOCK).max(2);
        Self { blocks: (0..count).map(|_| OnceLock::new()).collect(), used: AtomicU32::new(1) }
    }

    /// Forgets every node but an empty root. The blocks stay.
    pub(super) fn clear(&mut self) {
        self.used.store(1, Relaxed);
        self.node(0).reset(0, 1.0);
    }

    pub(super) fn root(&self) -> &Node {
        self.node(0)
    }

    pub(super) fn node(&self, index: u32) -> &Node {
        &self.block(index as usize / BLOCK)[index as usize % BLOCK]
    }

    /// The children of a node, by index; empty while it is a leaf.
    #[expect(clippy::unused_self, reason = "the range means nothing without its tree")]
    pub(super) fn children(&self, node: &Node) -> Range<u32> {
        if node.is_grown() {
            let first = node.first.load(Relaxed);
            first..first + u32::from(node.children.load(Relaxed))
        } else {
            0..0
        }
    }

    /// The nodes of a range that [`Tree::children`] gave: they lie in one block.
    #[inline]
    pub(super) fn siblings(&self, children: &Range<u32>) -> &[Node] {
        if children.is_empty() {
            return &[];
        }
        let first = children.start as usize;
        &self.block(first / BLOCK)[first % BLOCK..][..children.len()]
    }

    #[inline]
    fn block(&self, block: usize) -> &[Node] {
        self.blocks[block].get_or_init(|| (0..BLOCK).map(|_| Node::default()).collect())
    }

    /// The child of `node` that plays on `cell`.
    pub(super) fn child(&self, node: &Node, cell: usize) -> Option<u32> {
        self.children(node).find(|&child| self.node(child).cell() == cell)
    }

    /// Gives a leaf its children, `moves` being cells with priors. False if another thread is at it,
    /// has done it, or the arena is full; `moves` is asked only if neither is so.
    pub(super) fn grow(&self, node: &Node, moves: impl FnOnce() -> Vec<(usize, f32)>) -> bool {
        if node.state.compare_exchange(LEAF, GROWING, Acquire, Relaxed).is_err() {
            return false;
        }
        let moves = moves();
        let Some(first) = self.claim(moves.len()) else {
            node.state.store(LEAF, Release);
            return false;
        };
        for (i, &(cell, prior)) in moves.iter().enumerate() {
            self.node(first + i as u32).reset(cell, prior);
        }
        node.first.store(first, Relaxed);
        node.children.store(moves.len() as u16, Relaxed);
        node.state.store(GROWN, Release);
        true
    }

    /// `count` nodes in a row within one block.
    fn claim(&self, count: usize) -> Option<u32> {
        loop {
            let first = self.used.load(Relaxed) as usize;
            let start =
                if first % BLOCK + count > BLOCK { first.next_multiple_of(BLOCK) } else { first };
            if start + count > self.blocks.len() * BLOCK {
                return None;
            }
            let end = (start + count) as u32;
            if self.used.compare_exchange(first as u32, end, Relaxed, Relaxed).is_ok() {
                return Some(start as u32);
            }
        }
    }

    /// Visits that a leaf needs before it grows: twice as many once a quarter of the arena is used, four
    /// times from half on, so that a search that goes on for long does not run out of nodes.
    pub(super) fn grow_at(&self) -> u32 {
        match 4 * self.used.load(Relaxed) as usize / (self.blocks.len() * BLOCK) {
            0 => GROW_AT,
            1 => 2 * GROW_AT,
            _ => 4 * GROW_AT,
        }
    }

    /// Whether no further node can be grown.
    pub(super) fn is_full(&self) -> bool {
        self.used.load(Relaxed) as usize + 1000 > self.blocks.len() * BLOCK
    }

    /// Copies what lies below node `from` of `old` into this tree, as its root.
    pub(super) fn adopt(&mut self, old: &Self, from: u32) {
        self.clear();
        self.root().copy_from(old.node(from));
        let mut todo = vec![(from, 0_u32)];
        while let Some((source, target)) = todo.pop() {
            let children = old.children(old.node(source));
            if children.is_empty() {
                continue;
            }
            let Some(first) = self.claim(children.len()) else { return };
            let count = children.len() as u16;
            for (i, child) in children.enumerate() {
                let to = first + i as u32;
                self.node(to).reset(0, 0.0);
                self.node(to).copy_from(old.node(child));
                todo.push((child, to));
            }
            let node = self.node(target);
            node.first.store(first, Relaxed);
            node.children.store(count, Relaxed);
            node.state.store(GROWN, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_adopted_subtree_keeps_its_moves_and_counts() {
        let tree = Tree::new(BLOCK * 2);
        assert!(tree.grow(tree.root(), || vec![(11, 0.5), (12, 0.5)]));
        let child = tree.child(tree.root(), 12).unwrap();
        assert!(tree.grow(tree.node(child), || vec![(13, 1.0)]));
        let grandchild = tree.child(tree.node(child), 13).unwrap();
        tree.node(grandchild).visit();
        tree.node(grandchild).add_result(1.0);
        let mut next = Tree::new(BLOCK * 2);
        next.adopt(&tree, child);
        let kept = next.child(next.root(), 13).unwrap();
        assert_eq!((next.node(kept).visits(), next.node(kept).mean()), (1, 1.0));
    }

    #[test]
    fn the_fuller_the_arena_the_more_visits_a_leaf_needs() {
        let tree = Tree::new(BLOCK * 2);
        assert_eq!(tree.grow_at(), 4);
        assert!(tree.grow(tree.root(), || vec![(1, 0.1); BLOCK / 2]));
        assert_eq!(tree.grow_at(), 8);
        assert!(tree.grow(tree.node(1), || vec![(2, 0.1); BLOCK / 2]));
        assert_eq!(tree.grow_at(), 16);
    }

    #[test]
    fn a_full_arena_refuses_and_leaves_the_leaf() {
        let tree = Tree::new(1);
        assert!(tree.grow(tree.root(), || vec![(1, 0.1); BLOCK - 1]));
        let child = tree.node(1);
        assert!(tree.grow(child, || vec![(2, 0.1); BLOCK]));
        assert!(tree.is_full());
        assert!(!tree.grow(tree.node(2), || vec![(3, 0.1)]));
        assert!(!tree.node(2).is_grown());
    }
}
