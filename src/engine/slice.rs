//! Asks the system to let others in while a thread thinks.
//!
//! With as many searching threads as processors, whoever wakes to read a `stop`, to print an answer
//! or, in the GUI, to read it, has to get a processor from a thread that never sleeps. Linux grants
//! that at once only to a task with the shorter time slice; with equal slices it may take until the
//! next tick, four milliseconds.

/// Makes the calling thread ask for long time slices: it runs as much as before, in longer pieces,
/// and gives way at once to threads with the usual ones.
///
/// A courtesy: where the system knows of no such thing (other systems, Linux before 6.12), nothing
/// happens.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn ask_for_long_slices() {
    /// `struct sched_attr` of `sched_setattr(2)`, its first version.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        runtime: u64,
        deadline: u64,
        period: u64,
    }
    /// Nanoseconds; the most that the system takes is 100 ms.
    const SLICE: u64 = 20_000_000;
    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>();
    // SAFETY: the call writes at most `size` bytes to a structure of that size; 0 is this thread.
    let read = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    if read == 0 && attributes.policy == 0 {
        attributes.runtime = SLICE;
        // SAFETY: the call only reads the structure, whose first field says how large it is.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    }
}

/// Nothing on this system.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub const fn ask_for_long_slices() {}
