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
    aspiration_delta = 10, 4..=50, step 3;
    /// History: what each ply of depth adds to the bonus for a cutoff.
    history_bonus_slope = 202, 60..=400, step 15;
    /// History: the largest bonus.
    history_bonus_most = 1770, 600..=4000, step 150;
    /// History: what each ply of depth adds to the malus for a move tried in vain.
    history_malus_slope = 223, 60..=800, step 20;
    /// History: the largest malus.
    history_malus_most = 1160, 500..=4000, step 150;
    /// Correction by pawn structure: weight.
    correction_pawn = 109, 0..=300, step 12;
    /// Correction by minor pieces: weight.
    correction_minor = 78, 0..=300, step 12;
    /// Correction by each side's pieces: weight.
    correction_non_pawn = 156, 0..=300, step 12;
    /// Correction by the last two moves: weight.
    correction_continuation = 107, 0..=300, step 12;
    /// Move order: a queen that leaves the attack of a lesser piece.
    order_threat_queen = 20000, 0..=50000, step 2000;
    /// Move order: a rook that leaves the attack of a lesser piece.
    order_threat_rook = 14900, 0..=30000, step 1500;
    /// Move order: a minor piece that leaves the attack of a pawn.
    order_threat_minor = 8100, 0..=20000, step 1000;
    /// Move order: a direct check.
    order_check = 12400, 0..=30000, step 1500;
    /// Razoring: centipawns below alpha, constant part.
    razor_base = 284, 100..=30000, step 25;
    /// Razoring: centipawns below alpha for the square of the depth.
    razor_slope = 130, 60..=400, step 15;
    /// Reverse futility: centipawns of margin per ply of depth.
    rfp_margin = 47, 20..=200, step 8;
    /// Reverse futility: taken off the margin while improving.
    rfp_improving = 42, 0..=200, step 8;
    /// Reverse futility: not tried deeper than this.
    rfp_depth = 9, 0..=16, step 1;
    /// Null move: least depth.
    nmp_least = 3, 1..=250, step 1;
    /// Null move: reduction before depth and evaluation add to it.
    nmp_base = 5, 2..=7, step 1;
    /// Null move: one more ply of reduction for so much depth.
    nmp_depth = 4, 2..=8, step 1;
    /// Null move: one more ply of reduction for so many centipawns above beta.
    nmp_eval = 281, 80..=400, step 20;
    /// ProbCut: centipawns above beta that a capture must reach.
    probcut_margin = 174, 80..=30000, step 15;
    /// ProbCut: taken off the margin while improving.
    probcut_improving = 72, 0..=150, step 10;
    /// ProbCut by an entry of the table: centipawns above beta that it must say.
    probcut_known = 220, 80..=30000, step 20;
    /// Hindsight: sum of two evaluations that takes a ply off.
    hindsight_eval = 68, 40..=30000, step 15;
    /// Late move pruning: moves tried at depth 0.
    lmp_base = 6, 2..=30000, step 1;
    /// Futility of quiet moves: constant part, in centipawns.
    futility_base = 84, 20..=250, step 10;
    /// Futility of quiet moves: centipawns per ply of reduced depth.
    futility_slope = 71, 40..=200, step 8;
    /// Futility of quiet moves: not tried deeper than this.
    futility_depth = 9, -1..=14, step 1;
    /// Futility of captures: constant part, in centipawns.
    noisy_futility_base = 113, 40..=30000, step 15;
    /// Futility of captures: centipawns per ply of reduced depth.
    noisy_futility_slope = 122, 40..=250, step 10;
    /// History pruning: not tried deeper than this.
    history_prune_depth = 4, -1..=10, step 1;
    /// History pruning: least history per ply of reduced depth.
    history_prune_slope = 5100, 1500..=9000, step 400;
    /// Exchanges of quiet moves: centipawns for the square of the reduced depth.
    see_quiet_slope = 17, 5..=30000, step 2;
    /// Exchanges of captures: centipawns per ply of depth.
    see_noisy_slope = 62, 30..=30000, step 8;
    /// Quiescence: what standing pat and a capture may gain beyond the captured piece.
    qs_futility = 120, 50..=300, step 12;
    /// Singular extension: least depth.
    singular_depth = 5, 4..=250, step 1;
    /// Singular extension: bound below the table's score, in 64ths of a centipawn per ply.
    singular_slope = 60, 20..=160, step 6;
    /// Double extension: further below the bound on the principal variation.
    double_margin = 75, 0..=300, step 12;
    /// Triple extension: further below the bound.
    triple_margin = 51, 20..=250, step 10;
    /// Late move reductions: constant part, in 1024ths of a ply.
    lmr_base = 710, 0..=2000, step 80;
    /// Late move reductions: divisor of ln(depth) * ln(move number), in hundredths.
    lmr_divisor = 214, 120..=30000, step 15;
    /// Late move reductions: sum of three histories that takes off a ply.
    lmr_history = 9700, 3000..=30000, step 800;
    /// Late move reductions: at a node expected to fail high.
    lmr_cut = 1740, 0..=3500, step 120;
    /// Late move reductions: when the table's move is a capture.
    lmr_noisy_table = 510, 0..=2500, step 100;
    /// Late move reductions: when the children fail high often.
    lmr_cutoffs = 830, 0..=2500, step 100;
    /// Late move reductions: taken off on the principal variation.
    lmr_pv = 540, 0..=2500, step 100;
    /// Late move reductions: taken off where the principal variation once was.
    lmr_was_pv = 800, -1024..=3072, step 150;
    /// Late move reductions: at an expected cut node without a move from the table.
    lmr_no_move = 1000, -1024..=3072, step 150;
    /// Late move reductions: taken off where the principal variation was and the table's score is above alpha.
    lmr_pv_good = 600, -1024..=3072, step 150;
    /// Late move reductions: taken off where the principal variation was and the table's entry is as deep.
    lmr_pv_deep = 600, -1024..=3072, step 150;
    /// Late move reductions: taken off while improving.
    lmr_improving = 490, 0..=1500, step 80;
    /// Late move reductions: correction of the evaluation that takes off a 1024th of a ply.
    lmr_correction = 217, 60..=1000, step 20;
    /// Re-search one ply deeper: centipawns above the best score so far.
    deeper_margin = 53, 10..=30000, step 5;
}
