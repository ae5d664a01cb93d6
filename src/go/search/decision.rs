//! What to do once a search is over: the move, a pass that ends the game, resignation, the cleanup.

use std::collections::HashSet;

use super::{Aim, Analysis, Candidate, Reply, Task};
use crate::go::{
    Color, Move, Point, Position, Scoring,
    benson::pass_alive,
    score::{Status, final_score},
};

/// A move whose share of won games is less than this below the best is as good.
const AS_GOOD: f32 = 0.1;

/// Playouts that say who owns a point; where the tree was kept, a search may make fewer.
const ENOUGH: u64 = 100;

/// What a pass is worth, as a share of a won game, if it wins by what is likely to be agreed upon.
const LIKELY_WIN: f32 = 0.5;

/// Share of a won game below which an even one is given up.
const RESIGN_AT: f32 = 0.12;

/// Visits of a move that say whether it loses.
const RESIGN_VISITS: u32 = 100;

/// The move to make, once the search is over; `lost` says that the game is to be given up.
pub(super) fn decide(task: &Task, analysis: &Analysis, lost: bool) -> Reply {
    let mv = best(task, analysis).map_or(Move::Pass, |best| best.mv);
    if task.aim != Aim::Play {
        return Reply::Move(mv);
    }
    let as_it_stands = ahead(task, final_score(&task.position, &|_: Point| false));
    if task.cleanup
        && let Some(mv) = clean(task, analysis, as_it_stands)
    {
        return Reply::Move(mv);
    }
    if wins_by_passing(task, analysis, as_it_stands) {
        return Reply::Move(Move::Pass);
    }
    if lost {
        return Reply::Resign;
    }
    if mv == Move::Pass
        && let Some(other) = instead_of_pass(task, analysis, as_it_stands)
    {
        return Reply::Move(other);
    }
    Reply::Move(mv)
}

/// Whether the owners that this search finds decide about a pass: none of its playouts is to be spared
/// then.
pub(super) fn is_about_owners(task: &Task) -> bool {
    task.aim == Aim::Play && (task.cleanup || (is_friendly(task) && opponent_passed(task)))
}

/// Whether the game is as good as lost. Never at its beginning, and the more handicap White gave the
/// later: White has then to start from far behind.
pub(super) fn is_lost(task: &Task, analysis: &Analysis) -> bool {
    let position = &task.position;
    let early = position.moves.len() * 5 < position.board.area();
    let least = RESIGN_AT / (1 + position.handicap) as f32;
    let loses = |best: &Candidate| best.visits > RESIGN_VISITS && best.winrate < least;
    !early && best(task, analysis).is_some_and(loses)
}

/// The best candidate that the game allows: superko is exact only so far below the root under which a
/// tree was grown.
fn best<'a>(task: &Task, analysis: &'a Analysis) -> Option<&'a Candidate> {
    analysis.candidates.iter().find(|candidate| is_legal(task, candidate))
}

fn is_legal(task: &Task, candidate: &Candidate) -> bool {
    task.position.check(task.color, candidate.mv).is_ok()
}

/// Whether the players agree on what is dead when both have passed, so that it need not be taken.
const fn is_friendly(task: &Task) -> bool {
    task.position.rules.friendly_pass && !task.cleanup
}

fn opponent_passed(task: &Task) -> bool {
    task.position.last_move() == Some(Move::Pass)
}

/// Black's lead as that of the player to move.
fn ahead(task: &Task, black_ahead: f32) -> f32 {
    if task.color == Color::Black { black_ahead } else { -black_ahead }
}

/// Points by which the player to move wins if what is dead by the owners is taken off.
fn by_agreement(task: &Task, analysis: &Analysis) -> f32 {
    let dead = |point: Point| analysis.status(&task.position, point) == Status::Dead;
    ahead(task, final_score(&task.position, &dead))
}

/// Whether a pass wins the game: it is the second one and every stone counts as it stands; or nothing is
/// in doubt, where the dead are agreed upon. Where territory is counted, too, a pass is then best even as
/// the first: any other move costs a point.
fn wins_by_passing(task: &Task, analysis: &Analysis, as_it_stands: f32) -> bool {
    if !is_friendly(task) {
        return opponent_passed(task) && as_it_stands > 0.0;
    }
    let is_time = opponent_passed(task) || task.position.rules.scoring == Scoring::Territory;
    is_time && is_settled(&task.position, analysis) && by_agreement(task, analysis) > 0.0
}

/// A move to prefer to a pass that is no sure win: any that is as good. Where the dead are agreed upon,
/// only while something is in doubt.
fn instead_of_pass(task: &Task, analysis: &Analysis, as_it_stands: f32) -> Option<Move> {
    let friendly = is_friendly(task);
    if friendly && is_settled(&task.position, analysis) {
        return None;
    }
    let worth = if friendly && opponent_passed(task) {
        // The tree ends the game here with every stone alive, ours that are dead among them.
        if by_agreement(task, analysis) > 0.0 { LIKELY_WIN } else { 0.0 }
    } else if as_it_stands > 0.0 {
        return None;
    } else {
        analysis.candidates.iter().find(|candidate| candidate.mv == Move::Pass)?.winrate
    };
    let as_good = |candidate: &&Candidate| {
        candidate.mv != Move::Pass
            && candidate.winrate > worth - AS_GOOD
            && is_legal(task, candidate)
    };
    analysis.candidates.iter().find(as_good).map(|candidate| candidate.mv)
}

/// Whether every point is owned beyond doubt.
fn is_settled(position: &Position, analysis: &Analysis) -> bool {
    let certain = |point: Point| {
        let own = analysis.ownership[point.cell()].abs();
        own > 0.9 || (position.board.stone(point).is_none() && own < 0.1)
    };
    analysis.playouts >= ENOUGH && position.board.points().all(certain)
}

/// In the cleanup: a move that takes or approaches dead enemy stones, if it is as good as the best; a
/// pass when none is dead, unless one may be and the game is not won as it stands.
fn clean(task: &Task, analysis: &Analysis, as_it_stands: f32) -> Option<Move> {
    let position = &task.position;
    if analysis.playouts < ENOUGH {
        return None;
    }
    let (mut dead, mut in_doubt) = (Vec::new(), false);
    for point in position.board.points() {
        if position.board.stone(point) == Some(task.color.other()) {
            if analysis.status(position, point) == Status::Dead {
                dead.push(point);
            }
            in_doubt |= !analysis.is_surely_alive(position, point);
        }
    }
    if dead.is_empty() {
        return (as_it_stands > 0.0 || !in_doubt).then_some(Move::Pass);
    }
    let liberties: HashSet<u16> = dead
        .iter()
        .flat_map(|point| position.board.liberties(point.cell()).iter().copied())
        .collect();
    let least = best(task, analysis)?.winrate - AS_GOOD;
    let as_good = |candidate: &&Candidate| candidate.winrate > least && is_legal(task, candidate);
    let points: Vec<Point> =
        analysis.candidates.iter().filter(as_good).filter_map(|c| c.mv.point()).collect();
    let takes = points.iter().find(|point| liberties.contains(&(point.cell() as u16)));
    let found = takes.or_else(|| {
        let safe = pass_alive(&position.board, task.color);
        points.iter().find(|point| !safe[point.cell()])
    });
    found.copied().map(Move::Play)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::go::{
        Rules,
        point::MAX_CELLS,
        search::{Searcher, tests::position},
    };

    fn task(moves: &str) -> Task {
        Task::new(position(moves))
    }

    /// A search that gave every point to Black so far (White: below 0), and moves with their shares of
    /// won games, the most visited first.
    fn judged(task: &Task, owner: f32, moves: &[(&str, f32)]) -> Analysis {
        let candidate = |(i, &(name, winrate)): (usize, &(&str, f32))| Candidate {
            mv: Move::parse(name, 9).unwrap(),
            visits: 1000 - i as u32,
            winrate,
            lcb: winrate,
            prior: 0.1,
            pv: Vec::new(),
            pv_visits: Vec::new(),
        };
        Analysis {
            color: task.color,
            visits: 2000,
            winrate: 0.5,
            lead: 0.0,
            candidates: moves.iter().enumerate().map(candidate).collect(),
            ownership: vec![owner; MAX_CELLS],
            playouts: 1000,
            time: Duration::ZERO,
        }
    }

    fn reply(task: &Task, owner: f32, moves: &[(&str, f32)]) -> String {
        match decide(task, &judged(task, owner, moves), false) {
            Reply::Move(mv) => mv.name(9),
            Reply::Resign => "resign".to_owned(),
        }
    }

    /// `KataGo` #473: a pass early in the game was answered with a pass, since komi made that a win.
    #[test]
    fn an_early_pass_is_answered_where_the_dead_are_agreed_upon() {
        let mut task = task("E5 G3 pass");
        let moves = [("pass", 0.98), ("C5", 0.7)];
        assert_eq!(reply(&task, 0.0, &moves), "C5");
        // Tromp-Taylor rules 7 and 9: two passes end the game, and every stone counts.
        task.position.rules = Rules::TROMP_TAYLOR;
        assert_eq!(reply(&task, 0.0, &moves), "pass");
    }

    /// Chinese rules, chapter 1, section 9: what is dead when both pass is taken off.
    #[test]
    fn a_pass_is_answered_with_a_pass_that_wins_without_the_dead() {
        let task = task("E5 pass");
        let moves = |winrate| [("pass", 0.98), ("D4", winrate)];
        assert_eq!(reply(&task, 1.0, &moves(0.97)), "pass");
        // Black's stone is dead; counted alive it has the whole board.
        assert_eq!(reply(&task, -0.8, &moves(0.3)), "D4");
        // Alive, but not beyond doubt: a move that keeps the win is better, one that loses it is not.
        assert_eq!(reply(&task, 0.8, &moves(0.6)), "D4");
        assert_eq!(reply(&task, 0.8, &moves(0.3)), "pass");
    }

    #[test]
    fn no_worse_move_is_made_instead_of_a_pass() {
        let task = task("E5 G3");
        assert_eq!(reply(&task, 0.0, &[("pass", 0.5), ("D4", 0.2)]), "pass");
        assert_eq!(reply(&task, 0.0, &[("pass", 0.5), ("D4", 0.45)]), "D4");
    }

    /// Tromp-Taylor rule 6: B1 would bring back the board before Black threw in at A1.
    #[test]
    fn a_candidate_that_repeats_a_position_is_passed_over() {
        let task = task("D1 A2 C2 B2 B1 pass A1 C1");
        assert_eq!(reply(&task, 0.0, &[("B1", 0.9), ("E5", 0.6)]), "E5");
    }

    /// Japanese rules, article 8: territory is empty points, so a stone in one's own is a point less.
    #[test]
    fn where_territory_is_counted_a_settled_win_is_passed() {
        let mut task = task("E5 G3");
        assert_eq!(reply(&task, 1.0, &[("C5", 0.99)]), "C5");
        task.position.rules = Rules::JAPANESE;
        assert_eq!(reply(&task, 1.0, &[("C5", 0.99)]), "pass");
    }

    /// KGS: in the cleanup all that is dead is to be taken before a pass.
    #[test]
    fn the_cleanup_takes_what_is_dead_and_passes_when_nothing_may_be() {
        let task = Task { cleanup: true, ..task("E5 G3") };
        let moves = [("pass", 0.98), ("C5", 0.97), ("G4", 0.95)];
        assert_eq!(reply(&task, 1.0, &moves), "G4");
        assert_eq!(reply(&task, 1.0, &[("C5", 0.97), ("G4", 0.5)]), "C5");
        // In doubt, then surely alive.
        assert_eq!(reply(&task, 0.0, &[("C5", 0.6), ("pass", 0.5)]), "C5");
        assert_eq!(reply(&task, -1.0, &[("C5", 0.6)]), "pass");
        // So few playouts say nothing about owners.
        let few = Analysis { playouts: 1, ..judged(&task, -1.0, &[("C5", 0.6)]) };
        assert_eq!(decide(&task, &few, false), Reply::Move(Move::parse("C5", 9).unwrap()));
    }

    /// leela-zero #622, Ray #59: handicap games were given up at once.
    #[test]
    fn a_game_is_given_up_when_two_searches_in_a_row_find_it_lost() {
        let mut task = Task { resign: true, ..task("") };
        for ply in 0..17 {
            task.position.play(Color::BOTH[ply % 2], Move::Pass);
        }
        let lost = judged(&task, 0.0, &[("C5", 0.1)]);
        let open = judged(&task, 0.0, &[("C5", 0.2)]);
        let mut searcher = Searcher::new(1, 1);
        assert!(!searcher.gives_up(&task, &lost));
        assert!(!searcher.gives_up(&task, &open));
        assert!(!searcher.gives_up(&task, &lost));
        assert!(searcher.gives_up(&task, &lost));
        searcher.forget();
        assert!(!searcher.gives_up(&task, &lost));
        task.position.handicap = 2;
        assert!(!is_lost(&task, &lost));
        // 16 moves are fewer than a fifth of 81.
        task.position.handicap = 0;
        assert!(is_lost(&task, &lost));
        task.position.moves.pop();
        assert!(!is_lost(&task, &lost));
    }
}
