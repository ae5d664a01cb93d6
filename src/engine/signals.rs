//! The two words another thread may say to a search.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::{Condvar, Mutex};

/// Shared by the controller, which sets, and the searching threads, which poll. `Relaxed`
/// suffices: each flag carries no other data, and a poll that is late by one is harmless.
#[derive(Debug, Default)]
pub struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Held while a flag changes, so that a parked search cannot miss it.
    door: Mutex<()>,
    bell: Condvar,
}

impl Signals {
    /// Asks the search to end.
    pub fn stop(&self) {
        let _door = self.door.lock();
        self.stop.store(true, Relaxed);
        self.pondering.store(false, Relaxed);
        self.bell.notify_all();
    }

    /// The awaited move was played: from now on the limits hold.
    pub fn ponderhit(&self) {
        let _door = self.door.lock();
        self.pondering.store(false, Relaxed);
        self.bell.notify_all();
    }

    /// True once the search must end.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// True while limits are not yet to be obeyed.
    #[inline]
    pub fn pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Sleeps until told to stop, or, if `infinite` is false, until no longer pondering. A search
    /// that has nothing left to look at waits here for leave to answer.
    pub fn park(&self, infinite: bool) {
        let mut door = self.door.lock();
        while !self.stopped() && (infinite || self.pondering()) {
            self.bell.wait(&mut door);
        }
    }

    /// Arms the flags for a new search. Called where the request is read, never by the search: a
    /// `stop` that comes right behind it must not be wiped out.
    pub fn reset(&self, pondering: bool) {
        self.stop.store(false, Relaxed);
        self.pondering.store(pondering, Relaxed);
    }
}
