//! Draws a searched tree, as SVG or for Graphviz: MAX points up, MIN down, chance is round; values at
//! the nodes, what was pruned is grey, the principal variation bold.

use std::fmt::Write;

use crate::{
    game::Payoffs,
    games::{
        Tree, TreeMove,
        tree::{Node, NodeKind},
    },
};

use super::trace::{Note, Shown, Trace};

const STEP_X: f64 = 64.0;
const STEP_Y: f64 = 104.0;
const MARGIN: f64 = 52.0;
const INK: &str = "#1a1a1a";
const FAINT: &str = "#b8b8b8";
const BEST: &str = "#c0392b";

/// Where each node stands: leaves side by side, parents above the middle of their children.
fn layout(tree: &Tree) -> Vec<(f64, f64)> {
    fn place(
        tree: &Tree,
        node: usize,
        depth: f64,
        next: &mut f64,
        places: &mut [(f64, f64)],
    ) -> f64 {
        let edges = &tree.nodes[node].edges;
        let x = if edges.is_empty() {
            let x = *next;
            *next += STEP_X;
            x
        } else {
            let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
            for edge in edges {
                let x = place(tree, edge.to as usize, depth + 1.0, next, places);
                ends = (ends.0.min(x), ends.1.max(x));
            }
            f64::midpoint(ends.0, ends.1)
        };
        places[node] = (x, MARGIN + depth * STEP_Y);
        x
    }
    let mut places = vec![(0.0, 0.0); tree.nodes.len()];
    place(tree, 0, 0.0, &mut MARGIN.clone(), &mut places);
    places
}

/// Nodes on the principal variation, root included.
fn on_pv(tree: &Tree, pv: &[TreeMove]) -> Vec<bool> {
    let mut on = vec![false; tree.nodes.len()];
    let mut node = 0;
    on[0] = true;
    for TreeMove(index) in pv {
        node = tree.nodes[node].edges[usize::from(*index)].to as usize;
        on[node] = true;
    }
    on
}

fn utilities(payoffs: &Payoffs, tree: &Tree) -> String {
    let players = tree.players.len();
    let opposed = players == 2 && tree.properties().sum == crate::game::Sum::Zero;
    if opposed { payoffs[0].shown(2) } else { payoffs.shown(players) }
}

/// The picture as SVG.
pub(super) fn svg(tree: &Tree, trace: &Trace, pv: &[TreeMove], caption: &str) -> String {
    let places = layout(tree);
    let right = places.iter().map(|place| place.0).fold(0.0, f64::max) + MARGIN;
    let bottom = places.iter().map(|place| place.1).fold(0.0, f64::max) + MARGIN + 24.0;
    let width = right.max(caption.chars().count() as f64 * 7.2 + 24.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{bottom:.0}\" \
         viewBox=\"0 0 {width:.0} {bottom:.0}\" font-family=\"DejaVu Sans, Helvetica, sans-serif\" \
         font-size=\"13\" text-anchor=\"middle\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n"
    );
    let best = on_pv(tree, pv);
    for (index, node) in tree.nodes.iter().enumerate() {
        for edge in &node.edges {
            let to = edge.to as usize;
            let mut label = edge.name.clone();
            if node.kind == NodeKind::Chance {
                let _ = write!(label, " ({})", edge.probability.shown(2));
            }
            let look = Look::of(&trace.notes[to], best[index] && best[to]);
            draw_edge(&mut out, places[index], places[to], &label, &look);
        }
    }
    for (index, node) in tree.nodes.iter().enumerate() {
        draw_node(&mut out, tree, node, places[index], &trace.notes[index], best[index]);
    }
    let _ = writeln!(
        out,
        "<text x=\"12\" y=\"{:.0}\" text-anchor=\"start\" fill=\"{INK}\">{}</text>\n</svg>",
        bottom - 12.0,
        escaped(caption)
    );
    out
}

/// Colour, width and dashes of a line.
struct Look(&'static str, f64, &'static str);

impl Look {
    const fn of(note: &Note, best: bool) -> Self {
        match (note.visited, best) {
            (false, _) => Self(FAINT, 1.2, " stroke-dasharray=\"5 4\""),
            (true, true) => Self(BEST, 3.2, ""),
            (true, false) => Self(INK, 1.4, ""),
        }
    }
}

fn draw_edge(out: &mut String, from: (f64, f64), to: (f64, f64), label: &str, look: &Look) {
    let Look(color, width, dashes) = look;
    let (x1, y1, x2, y2) = (from.0, from.1 + 16.0, to.0, to.1 - 16.0);
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\" \
         stroke-width=\"{width}\"{dashes}/>"
    );
    // Nearer to the child, where the edges of one node are apart; beside the line, not on it.
    let (x, y) = (x1 + (x2 - x1) * 0.62, y1 + (y2 - y1) * 0.62);
    let (side, anchor) = if x2 < x1 { (-7.0, "end") } else { (7.0, "start") };
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{y:.1}\" font-size=\"11\" text-anchor=\"{anchor}\" fill=\"{color}\">{}</text>",
        x + side,
        escaped(label)
    );
}

fn draw_node(
    out: &mut String,
    tree: &Tree,
    node: &Node,
    (x, y): (f64, f64),
    note: &Note,
    best: bool,
) {
    let color = if !note.visited {
        FAINT
    } else if best {
        BEST
    } else {
        INK
    };
    let style = format!("fill=\"white\" stroke=\"{color}\" stroke-width=\"1.6\"");
    let shape = match node.kind {
        NodeKind::Leaf(_) => {
            let (x, y) = (x - 20.0, y - 13.0);
            format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"40\" height=\"26\" rx=\"3\" {style}/>")
        }
        NodeKind::Chance => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"17\" {style}/>"),
        NodeKind::Player(player) => {
            let (tip, base) = if player == 0 { (-22.0, 15.0) } else { (22.0, -15.0) };
            let (tip, base) = (y + tip, y + base);
            format!(
                "<polygon points=\"{x:.1},{tip:.1} {:.1},{base:.1} {:.1},{base:.1}\" {style}/>",
                x - 23.0,
                x + 23.0
            )
        }
    };
    let _ = writeln!(out, "{shape}");
    let text = match &node.kind {
        NodeKind::Leaf(payoffs) => utilities(payoffs, tree),
        NodeKind::Chance | NodeKind::Player(_) => note.value.clone().unwrap_or_default(),
    };
    let drop = match node.kind {
        NodeKind::Player(0) => 11.0,
        NodeKind::Player(_) => -1.0,
        NodeKind::Chance | NodeKind::Leaf(_) => 5.0,
    };
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\" font-weight=\"bold\" fill=\"{color}\">{}</text>",
        y + drop,
        escaped(&text)
    );
    let mut remarks = vec![];
    if let Some(window) = note.window.filter(|window| *window != crate::search::Window::OPEN) {
        remarks.push(format!("α={} β={}", window.alpha.shown(2), window.beta.shown(2)));
    }
    remarks.extend(note.cut.clone());
    if tree.players.len() > 2
        && let NodeKind::Player(player) = node.kind
    {
        remarks.push(tree.players[player].clone());
    }
    for (line, remark) in remarks.iter().enumerate() {
        // Beside the node: above it is the edge.
        let (x, y) = (x + 26.0, y + 12.0 * line as f64 - 6.0);
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"10\" text-anchor=\"start\" \
             fill=\"#2c5f8a\">{}</text>",
            escaped(remark)
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The picture for Graphviz.
pub(super) fn dot(tree: &Tree, trace: &Trace, pv: &[TreeMove]) -> String {
    let best = on_pv(tree, pv);
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = String::from("digraph tree {\n  node [fontname=\"Helvetica\"];\n");
    for (index, node) in tree.nodes.iter().enumerate() {
        let note = &trace.notes[index];
        let (shape, text) = match &node.kind {
            NodeKind::Leaf(payoffs) => ("box", utilities(payoffs, tree)),
            NodeKind::Chance => ("circle", note.value.clone().unwrap_or_default()),
            NodeKind::Player(0) => ("triangle", note.value.clone().unwrap_or_default()),
            NodeKind::Player(_) => ("invtriangle", note.value.clone().unwrap_or_default()),
        };
        let text = note.cut.iter().fold(text, |text, cut| format!("{text}\\n{cut}"));
        let color = if note.visited { "black" } else { "grey" };
        let _ = writeln!(
            out,
            "  n{index} [shape={shape}, label=\"{}\", color={color}, fontcolor={color}];",
            text.replace('"', "\\\"")
        );
        for edge in &node.edges {
            let to = edge.to as usize;
            let look = match (trace.notes[to].visited, best[index] && best[to]) {
                (false, _) => "color=grey, style=dashed",
                (true, true) => "color=red, penwidth=3",
                (true, false) => "color=black",
            };
            let _ =
                writeln!(out, "  n{index} -> n{to} [label=\"{}\", {look}];", quoted(&edge.name));
        }
    }
    out + "}\n"
}
