//! What a search did to a tree, node by node, from the events it let us see.

use crate::{
    game::Payoffs,
    games::{Tree, TreeMove},
    search::{Cut, Event, Window},
};

/// A value as text.
pub(super) trait Shown {
    fn shown(&self, players: usize) -> String;
}

impl Shown for f64 {
    fn shown(&self, _players: usize) -> String {
        if self.is_finite() {
            // At most six places, none of them an idle zero.
            let text = format!("{self:.6}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            if text == "-0" { "0".to_owned() } else { text.to_owned() }
        } else if *self > 0.0 {
            "∞".to_owned()
        } else {
            "-∞".to_owned()
        }
    }
}

impl Shown for Payoffs {
    fn shown(&self, players: usize) -> String {
        let shares: Vec<String> = self.shares(players).iter().map(|s| s.shown(players)).collect();
        format!("({})", shares.join(", "))
    }
}

/// What became of a node.
#[derive(Debug, Clone, Default)]
pub(super) struct Note {
    pub(super) visited: bool,
    pub(super) value: Option<String>,
    pub(super) window: Option<Window>,
    pub(super) cut: Option<String>,
}

/// Notes by node, and the search told step by step.
#[derive(Debug, Clone)]
pub(super) struct Trace {
    pub(super) notes: Vec<Note>,
    pub(super) steps: Vec<String>,
}

impl Trace {
    /// Follows `events` down and up the tree.
    pub(super) fn of<V: Shown>(tree: &Tree, events: &[Event<TreeMove, V>]) -> Self {
        let mut trace = Self { notes: vec![Note::default(); tree.nodes.len()], steps: vec![] };
        let mut path = vec![0_u32];
        let mut names: Vec<String> = vec![];
        let players = tree.players.len();
        for event in events {
            let node = *path.last().unwrap_or(&0) as usize;
            let note = &mut trace.notes[node];
            let indent = "  ".repeat(names.len());
            let place = if names.is_empty() { "root".to_owned() } else { names.join(" ") };
            match event {
                Event::Enter { actor, window } => {
                    (note.visited, note.window) = (true, Some(*window));
                    let who = actor.map_or("chance", |player| &tree.players[player]);
                    trace.steps.push(format!("{indent}{place}: {who} {}", window_text(*window)));
                }
                Event::Leaf(value) => {
                    (note.visited, note.value) = (true, Some(value.shown(players)));
                    trace.steps.push(format!("{indent}{place}: leaf {}", value.shown(players)));
                }
                Event::Play(TreeMove(index)) => {
                    let edge = &tree.nodes[node].edges[usize::from(*index)];
                    path.push(edge.to);
                    names.push(edge.name.clone());
                }
                Event::Back { value, window, .. } => {
                    path.pop();
                    let name = names.pop().unwrap_or_default();
                    let indent = "  ".repeat(names.len());
                    let text = format!("{indent}{name} is worth {}", value.shown(players));
                    trace.steps.push(format!("{text}, window {}", window_text(*window)));
                }
                Event::Cut(cut) => {
                    let text = cut_text(*cut);
                    trace.steps.push(format!("{indent}{place}: {text}"));
                    note.cut = Some(text);
                }
                Event::Leave(value) => {
                    note.value = Some(value.shown(players));
                    trace.steps.push(format!("{indent}{place} = {}", value.shown(players)));
                }
            }
        }
        trace
    }
}

fn window_text(window: Window) -> String {
    format!("[α={}, β={}]", window.alpha.shown(2), window.beta.shown(2))
}

fn cut_text(cut: Cut) -> String {
    match cut {
        Cut::Alpha { value, alpha } => {
            format!("alpha cut: {} ≤ α={}", value.shown(2), alpha.shown(2))
        }
        Cut::Beta { value, beta } => format!("beta cut: {} ≥ β={}", value.shown(2), beta.shown(2)),
    }
}
