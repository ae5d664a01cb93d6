//! Who listens to the evaluation. The same code serves the search, which wants the number alone,
//! the trace for people, and the tuner, which wants to know what each weight counted for.

use super::{tapered::Tapered, weights::WEIGHTS};
use crate::chess::piece::Color;

/// What becomes of a weight that counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// It is added up.
    Linear,
    /// It is part of the danger of a side's king, which is squared.
    Danger,
    /// It is part of what makes an ending winnable, which never changes who is better.
    Winnable,
}

/// A family of terms, as the trace shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Term {
    Pawns,
    Knights,
    Bishops,
    Rooks,
    Queens,
    Imbalance,
    Mobility,
    King,
    Threats,
    Passed,
    Space,
}

impl Term {
    /// All, in the order of the trace.
    pub(super) const ALL: [Self; 11] = [
        Self::Imbalance,
        Self::Pawns,
        Self::Knights,
        Self::Bishops,
        Self::Rooks,
        Self::Queens,
        Self::Mobility,
        Self::King,
        Self::Threats,
        Self::Passed,
        Self::Space,
    ];
}

/// A listener. What it does not ask for costs nothing.
pub(super) trait Sink {
    /// `weight` counted `count` times for `color`.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "a weight's address is its number")]
    #[inline]
    fn weight(&mut self, _group: Group, _color: Color, _weight: &'static Tapered, _count: i32) {}

    /// A family of terms is worth `value` to `color`.
    #[inline]
    fn term(&mut self, _term: Term, _color: Color, _value: Tapered) {}

    /// The last step: phase (24 to 0), what the ending is scaled by (64 is the whole).
    #[inline]
    fn finish(&mut self, _phase: i32, _scale: i32, _winnable: i32) {}
}

/// The search listens to nothing.
pub(super) struct Silent;

impl Sink for Silent {}

/// A sum of weights for one side, told to a listener.
pub(super) struct Tally<'a, S> {
    sink: &'a mut S,
    group: Group,
    color: Color,
    pub(super) sum: Tapered,
}

impl<'a, S: Sink> Tally<'a, S> {
    #[inline]
    pub(super) const fn new(sink: &'a mut S, group: Group, color: Color) -> Self {
        Self { sink, group, color, sum: Tapered::ZERO }
    }

    /// Adds a weight `count` times.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "a weight's address is its number")]
    #[inline]
    pub(super) fn add(&mut self, weight: &'static Tapered, count: impl Count) {
        let count = count.count();
        self.sink.weight(self.group, self.color, weight, count);
        self.sum += *weight * count;
    }
}

/// What can be counted.
pub(super) trait Count {
    fn count(self) -> i32;
}

impl Count for i32 {
    #[inline]
    fn count(self) -> i32 {
        self
    }
}

impl Count for bool {
    #[inline]
    fn count(self) -> i32 {
        self.into()
    }
}

impl Count for crate::chess::bitboard::Bitboard {
    #[inline]
    fn count(self) -> i32 {
        self.0.count_ones() as i32
    }
}

/// What each family was worth, by term and colour.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) values: [[Tapered; 2]; Term::ALL.len()],
    pub(super) phase: i32,
    pub(super) scale: i32,
    pub(super) winnable: i32,
}

impl Sink for Table {
    fn term(&mut self, term: Term, color: Color, value: Tapered) {
        self.values[term as usize][color.index()] += value;
    }

    fn finish(&mut self, phase: i32, scale: i32, winnable: i32) {
        (self.phase, self.scale, self.winnable) = (phase, scale, winnable);
    }
}

/// How often each weight counted in one position: (number of the weight, times).
pub type Counts = Vec<(u16, i16)>;

/// The evaluation of one position as a function of the weights, for the tuner.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Coefficients {
    /// White's counts less Black's.
    pub linear: Counts,
    /// By the colour of the king that is in danger.
    pub danger: [Counts; 2],
    /// What makes the ending winnable.
    pub winnable: Counts,
    /// How much of a middlegame it is, 24 to 0.
    pub phase: i32,
    /// What the endgame's half is scaled by; 64 is the whole.
    pub scale: i32,
}

impl Sink for Coefficients {
    fn weight(&mut self, group: Group, color: Color, weight: &'static Tapered, count: i32) {
        if count == 0 {
            return;
        }
        // A weight's number is its place in the table.
        let place = std::ptr::from_ref(weight).addr() - std::ptr::from_ref(&WEIGHTS).addr();
        let number = (place / size_of::<Tapered>()) as u16;
        let (counts, count) = match group {
            Group::Linear if color == Color::Black => (&mut self.linear, -count),
            Group::Linear => (&mut self.linear, count),
            Group::Danger => (&mut self.danger[color.index()], count),
            Group::Winnable => (&mut self.winnable, count),
        };
        match counts.iter_mut().find(|(known, _)| *known == number) {
            Some((_, times)) => *times += count as i16,
            None => counts.push((number, count as i16)),
        }
    }

    fn finish(&mut self, phase: i32, scale: i32, _winnable: i32) {
        (self.phase, self.scale) = (phase, scale);
    }
}
