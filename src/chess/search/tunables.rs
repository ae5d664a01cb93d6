//! Numbers of the search found by tuning. One line each: name, value, range, step.
//!
//! In a normal build each is a `const fn`, folded by the compiler; with the feature `tune` each is
//! an atomic that `setoption` may change.

/// One tunable, as the front end and the tuner see it.
#[derive(Debug, Clone, Copy)]
pub struct Tunable {
    /// Name, also of the option.
    pub name: &'static str,
    /// Value in a normal build.
    pub default: i32,
    /// Least sensible value.
    pub min: i32,
    /// Greatest sensible value.
    pub max: i32,
    /// Size of a first step of the tuner.
    pub step: i32,
}

macro_rules! tunables {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $min:literal..=$max:literal, step $step:literal;)*) => {
        $($(#[$doc])*
        #[cfg(not(feature = "tune"))]
        pub(super) const fn $name() -> i32 { $value }

        $(#[$doc])*
        #[cfg(feature = "tune")]
        pub(super) fn $name() -> i32 { live::$name.load(std::sync::atomic::Ordering::Relaxed) })*

        /// Every tunable of the search.
        pub const TUNABLES: &[Tunable] = &[$(Tunable {
            name: stringify!($name), default: $value, min: $min, max: $max, step: $step,
        }),*];

        #[cfg(feature = "tune")]
        #[expect(non_upper_case_globals, reason = "named after the functions")]
        mod live {
            $(pub(super) static $name: std::sync::atomic::AtomicI32 =
                std::sync::atomic::AtomicI32::new($value);)*
        }

        /// Sets the tunable called `name`; false if there is none or the value is out of range.
        #[cfg(feature = "tune")]
        pub fn set_tunable(name: &str, value: i32) -> bool {
            match name {
                $(stringify!($name) if ($min..=$max).contains(&value) => {
                    live::$name.store(value, std::sync::atomic::Ordering::Relaxed);
                    true
                })*
                _ => false,
            }
        }
    };
}

tunables! {
    /// Aspiration: half the first window, in centipawns.
    aspiration_delta = 12, 4..=50, step 3;
    /// Reverse futility: centipawns of margin per ply of depth.
    rfp_margin = 75, 20..=200, step 10;
    /// Reverse futility: taken off the margin while improving.
    rfp_improving = 60, 0..=200, step 10;
    /// Reverse futility: not tried deeper than this.
    rfp_depth = 8, 4..=14, step 1;
    /// Null move: reduction before depth and evaluation add to it.
    nmp_base = 4, 2..=6, step 1;
    /// Null move: one more ply of reduction for so much depth.
    nmp_depth = 4, 2..=8, step 1;
    /// Null move: one more ply of reduction for so many centipawns above beta.
    nmp_eval = 200, 80..=400, step 20;
    /// Late move reductions: constant part, in 1024ths of a ply.
    lmr_base = 700, 0..=2000, step 80;
    /// Late move reductions: divisor of ln(depth) * ln(move number), in hundredths.
    lmr_divisor = 230, 120..=400, step 15;
    /// Late move reductions: history that takes off a ply.
    lmr_history = 8192, 2000..=20000, step 600;
}
