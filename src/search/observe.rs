//! A window into a search: what happened, in the order it happened. An unused observer costs nothing.

use crate::game::Player;

/// One step of a tree search. Values and windows are those of the player the search works for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<M, V = f64> {
    /// A node is opened; it is this player's, or chance's if `None`.
    Enter {
        /// Who acts.
        actor: Option<Player>,
        /// What may still matter.
        window: Window,
    },
    /// The position is judged.
    Leaf(V),
    /// This move is looked at next.
    Play(M),
    /// The move last played came back with this value.
    Back {
        /// The move.
        mv: M,
        /// Its value.
        value: V,
        /// The window it leaves for the node's other moves.
        window: Window,
    },
    /// The node's remaining moves cannot matter.
    Cut(Cut),
    /// The node is done.
    Leave(V),
}

/// What can still matter to the player a search works for: values above `alpha` and below `beta`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// He has this elsewhere.
    pub alpha: f64,
    /// His opponents can hold him to this elsewhere.
    pub beta: f64,
}

impl Window {
    /// Everything matters.
    pub const OPEN: Self = Self { alpha: f64::NEG_INFINITY, beta: f64::INFINITY };

    /// The window between two values.
    pub const fn new(alpha: f64, beta: f64) -> Self {
        Self { alpha, beta }
    }
}

/// Why moves were left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// The node is worth at most `value`, and that is no more than `alpha`.
    Alpha {
        /// The bound found.
        value: f64,
        /// The bound it fails against.
        alpha: f64,
    },
    /// The node is worth at least `value`, and that is no less than `beta`.
    Beta {
        /// The bound found.
        value: f64,
        /// The bound it fails against.
        beta: f64,
    },
}

/// Is told what a search does.
pub trait Observer<M, V = f64> {
    /// Something happened.
    fn see(&mut self, event: Event<M, V>);
}

/// Looks away.
impl<M, V> Observer<M, V> for () {
    #[inline]
    fn see(&mut self, _event: Event<M, V>) {}
}

/// Writes everything down.
impl<M, V> Observer<M, V> for Vec<Event<M, V>> {
    fn see(&mut self, event: Event<M, V>) {
        self.push(event);
    }
}
