//! Lines that wait for a search to end: in order, and not without bound.

use std::collections::VecDeque;

use protocol::gtp::{is_interrupt, parse};

use crate::frontend::input::LONGEST_QUEUE;

/// What is to be answered next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A line, to be obeyed.
    Line(String),
    /// A command that was one too many, by its id.
    Refused(Option<u32>),
}

/// The lines, the commands that were too many, and the `quit` behind them all.
#[derive(Debug, Default)]
pub(super) struct Queue {
    lines: VecDeque<String>,
    /// Behind a command that is refused all are, until those before it are answered: so the answers
    /// come in order.
    refused: VecDeque<Run>,
    quit: Option<String>,
}

/// Refused commands in a row: so many, their ids counting up from the first one's if it has one.
#[derive(Debug)]
struct Run {
    first: Option<u32>,
    count: u64,
}

impl Run {
    fn next_id(&self) -> Option<u32> {
        self.first.map(|first| first + self.count as u32)
    }
}

impl Queue {
    /// Takes a line in. What comes behind `quit` is never obeyed, and forgotten at once.
    pub(super) fn push(&mut self, line: String) {
        if self.ends() {
            return;
        }
        let request = parse(&line);
        if request.as_ref().is_some_and(|request| request.name == "quit") {
            self.quit = Some(line);
        } else if self.lines.len() < LONGEST_QUEUE && self.refused.is_empty() {
            self.lines.push_back(line);
        } else if let Some(request) = request {
            self.refuse(request.id);
        }
    }

    /// Notes a command that will be refused. Who numbers in disorder is answered without a number
    /// once too many would have to be kept.
    fn refuse(&mut self, id: Option<u32>) {
        let id = id.filter(|_| self.refused.len() < LONGEST_QUEUE);
        if let Some(run) = self.refused.back_mut()
            && run.next_id() == id
        {
            run.count += 1;
        } else {
            self.refused.push_back(Run { first: id, count: 1 });
        }
    }

    /// Takes the next out.
    pub(super) fn pop(&mut self) -> Option<Next> {
        if let Some(line) = self.lines.pop_front() {
            return Some(Next::Line(line));
        }
        if let Some(run) = self.refused.front_mut() {
            let id = run.first;
            run.first = id.map(|id| id + 1);
            run.count -= 1;
            if run.count == 0 {
                self.refused.pop_front();
            }
            return Some(Next::Refused(id));
        }
        self.quit.take().map(Next::Line)
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.refused.is_empty() && self.quit.is_none()
    }

    /// Whether `quit` is the last word.
    pub(super) fn ends(&self) -> bool {
        self.quit.is_some()
    }

    /// Whether one of the lines is an interrupt.
    pub(super) fn has_interrupt(&self) -> bool {
        self.lines.iter().any(|line| is_interrupt(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GTP 2: every command has its answer, in order; `quit` has one even then.
    #[test]
    fn commands_that_are_too_many_are_refused_in_order() {
        let mut queue = Queue::default();
        for id in 0..LONGEST_QUEUE + 2 {
            queue.push(format!("{id} name"));
        }
        for line in ["# nothing to answer", "version", "7 version", "quit", "undo"] {
            queue.push(line.to_owned());
        }
        for id in 0..LONGEST_QUEUE {
            assert_eq!(queue.pop(), Some(Next::Line(format!("{id} name"))));
        }
        for id in [Some(LONGEST_QUEUE as u32), Some(LONGEST_QUEUE as u32 + 1), None, Some(7)] {
            assert_eq!(queue.pop(), Some(Next::Refused(id)));
        }
        assert_eq!(queue.pop(), Some(Next::Line("quit".to_owned())));
        assert!(queue.is_empty() && queue.pop().is_none());
    }

    #[test]
    fn endless_commands_take_bounded_memory() {
        let mut queue = Queue::default();
        for id in 0..3 * LONGEST_QUEUE {
            queue.push(format!("{} name", 2 * id));
        }
        assert_eq!(queue.lines.len(), LONGEST_QUEUE);
        assert!(queue.refused.len() <= LONGEST_QUEUE + 1);
    }
}
