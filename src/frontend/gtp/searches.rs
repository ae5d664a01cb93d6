//! The searches that commands lead to, and the time they may take.

use std::{io::Write, time::Duration};

use super::{
    Purpose, Session,
    analysis::{Dialect, Format},
    commands::color,
};
use crate::go::{
    Color,
    search::{Aim, Allotment, Task},
};

/// Time for a move when the controller sets none.
const FREE_MOVE: Duration = Duration::from_secs(5);

impl<W: Write> Session<W> {
    pub(super) fn genmove(&self, name: &str, words: &[String]) -> Result<(Purpose, Task), String> {
        let color = match name {
            "genmove_black" => Color::Black,
            "genmove_white" => Color::White,
            _ => color(words.first())?,
        };
        let search = name.starts_with("kata-search");
        let mut task = self.task(color);
        task.cleanup = name == "kgs-genmove_cleanup";
        if name == "reg_genmove" {
            task.resign = false;
        }
        let play = !search && name != "reg_genmove";
        let cancellable = name.ends_with("_cancellable");
        Ok((Purpose::Move { play, cancellable, stream: None, prefix: false }, task))
    }

    pub(super) fn genmove_analyze(
        &self,
        name: &str,
        words: &[String],
    ) -> Result<(Purpose, Task), String> {
        let dialect = if name.starts_with("lz") { Dialect::Leela } else { Dialect::Kata };
        let (color, format) = Format::parse(dialect, words, self.record.now.board.size())?;
        let mut task = self.task(color.unwrap_or(self.record.now.to_move));
        (task.avoid, task.allow) = format.restrictions(task.color);
        let play = !name.starts_with("kata-search");
        let cancellable = name.ends_with("_cancellable");
        Ok((Purpose::Move { play, cancellable, stream: Some(format), prefix: true }, task))
    }

    pub(super) fn analyze(&self, name: &str, words: &[String]) -> Result<(Purpose, Task), String> {
        let dialect = if name.starts_with("lz") { Dialect::Leela } else { Dialect::Kata };
        let (color, format) = Format::parse(dialect, words, self.record.now.board.size())?;
        let color = color.unwrap_or(self.record.now.to_move);
        let (avoid, allow) = format.restrictions(color);
        let position = self.record.now.clone();
        let task = Task { color, aim: Aim::Analyse, avoid, allow, ..Task::new(position) };
        Ok((Purpose::Stream(format), task))
    }

    fn task(&self, color: Color) -> Task {
        Task {
            color,
            playouts: self.options.playouts,
            time: self.allot(color),
            resign: self.options.resign,
            ..Task::new(self.record.now.clone())
        }
    }

    /// Time for the next move of `color`.
    fn allot(&self, color: Color) -> Option<Allotment> {
        let board = &self.record.now.board;
        // Pachi and go.md's figure: some 30 % of the empty points are still to be played by each
        // side; never plan for fewer than twelve moves.
        let moves = (board.empties().len() * 3 / 10).max(12) as u32;
        match self.clocks[color.index()].allot(moves) {
            Some(allotment) => Some(allotment),
            None if self.options.playouts.is_some() => None,
            None => Some(Allotment { target: FREE_MOVE, most: FREE_MOVE }),
        }
    }
}
