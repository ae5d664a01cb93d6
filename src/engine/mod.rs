//! What any thinking needs, whatever the game: limits in, reports out, a way to say stop.

mod controller;
mod limits;
mod options;
mod report;
mod signals;

pub use controller::{Controller, Searcher};
pub use limits::{Clock, Limits};
pub use options::{Kind, OptionSpec, SetError, set};
pub use report::{Bound, Info, Report};
pub use signals::Signals;
