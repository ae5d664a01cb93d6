//! Who owns what: scores and the status of stones.

use std::io::Write;

use super::{Outcome, Purpose, Session};
use crate::go::{
    Point, Position,
    score::{Status, final_score, result_text, without},
    search::{Aim, Task},
    seki::in_seki,
};

/// Playouts behind a count of the board.
const SCORING_PLAYOUTS: u64 = 1_000;

/// What is asked about the owners.
#[derive(Debug, Clone, Copy)]
pub(super) enum Count {
    Score,
    List(Status),
    Point(Point),
}

impl<W: Write> Session<W> {
    /// Answers a question about owners: from what is known of this board, or by a search.
    pub(super) fn count(&self, count: Count) -> Outcome {
        let position = self.record.now.clone();
        if self.owners.as_ref().is_some_and(|(key, _)| *key == position.board.hash()) {
            return Outcome::Answer(self.known_answer(count));
        }
        let task =
            Task { playouts: Some(SCORING_PLAYOUTS), aim: Aim::Count, ..Task::new(position) };
        Outcome::Search(Box::new((Purpose::Count(count), task)))
    }

    pub(super) fn count_answer(&mut self, count: Count) -> Result<String, String> {
        let analysis = self.last_analysis.take().ok_or("cannot score")?;
        self.owners = Some((self.record.now.board.hash(), analysis));
        self.known_answer(count)
    }

    fn known_answer(&self, count: Count) -> Result<String, String> {
        let (_, analysis) = self.owners.as_ref().ok_or("cannot score")?;
        let position = &self.record.now;
        let dead = |point| analysis.status(position, point) == Status::Dead;
        let seki = in_seki(&without(&position.board, &dead).0);
        let status = |point: Point| match analysis.status(position, point) {
            Status::Alive if seki[point.cell()] => Status::Seki,
            status => status,
        };
        match count {
            Count::Score => Ok(result_text(final_score(position, &dead))),
            Count::Point(point) => {
                if position.board.stone(point).is_none() {
                    return Err("no stone there".to_owned());
                }
                Ok(status_name(status(point)).to_owned())
            }
            Count::List(wanted) => Ok(chains(position, |point| status(point) == wanted)),
        }
    }
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Alive => "alive",
        Status::Dead => "dead",
        Status::Seki => "seki",
    }
}

/// The chains for which `wanted` holds, one a line.
fn chains(position: &Position, wanted: impl Fn(Point) -> bool) -> String {
    let board = &position.board;
    let mut text = String::new();
    for point in board.points() {
        let cell = point.cell();
        if board.stone(point).is_some() && board.chain(cell) == cell && wanted(point) {
            let names: Vec<String> =
                board.chain_cells(cell).map(|cell| Point::new(cell).name(board.size())).collect();
            text.push_str(&names.join(" "));
            text.push('\n');
        }
    }
    text
}
