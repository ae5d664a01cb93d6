//! What can be computed about a search before it runs: sizes of uniform trees, the best case of
//! alpha-beta, evaluation as a weighted sum, utilities as lotteries.

/// Leaves of a uniform tree with `branching` moves everywhere; saturates.
pub fn uniform_leaves(branching: u64, depth: u32) -> u64 {
    branching.saturating_pow(depth)
}

/// All nodes of a uniform tree, root included; saturates.
pub fn uniform_nodes(branching: u64, depth: u32) -> u64 {
    (0..=depth).fold(0, |sum, ply| u64::saturating_add(sum, uniform_leaves(branching, ply)))
}

/// Leaves alpha-beta looks at in a perfectly ordered uniform tree, the least that any search can prove
/// the value with: b^ceil(m/2) + b^floor(m/2) - 1 (Knuth & Moore 1975).
pub fn perfect_leaves(branching: u64, depth: u32) -> u64 {
    let (upper, lower) = (depth.div_ceil(2), depth / 2);
    uniform_leaves(branching, upper).saturating_add(uniform_leaves(branching, lower) - 1)
}

/// What iterative deepening adds to a last iteration of `depth` without pruning, as a share of it. Tends to
/// 1 / (b - 1).
pub fn deepening_overhead(branching: u64, depth: u32) -> f64 {
    let base = branching as f64;
    (1..depth).map(|earlier| base.powi(earlier as i32 - depth as i32)).sum()
}

/// Plies in `cycles` turns of all `agents`.
pub const fn plies(agents: u32, cycles: u32) -> u32 {
    agents * cycles
}

/// The depth that ideal alpha-beta, some b^(m/2) leaves, reaches with `budget` leaves.
pub fn ideal_depth(branching: u64, budget: u64) -> u32 {
    // The slack is for exact powers, which a logarithm may round down.
    (2.0 * (budget as f64).ln() / (branching as f64).ln() + 1e-9).floor() as u32
}

/// The decimal logarithm of b^m.
pub fn log10_power(base: u64, exponent: u32) -> f64 {
    f64::from(exponent) * (base as f64).log10()
}

/// A linear evaluation: features times their weights.
pub fn weighted_sum(weights: &[f64], features: &[f64]) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

/// An estimate kept strictly between loss and win, so that no heuristic outbids a proved result.
pub fn clamp_below_win(estimate: f64, win: f64) -> f64 {
    let most = win - win.abs().max(1.0) * 1e-6;
    estimate.clamp(-most, most)
}

/// The expected value of a lottery of (probability, utility) after `transform`.
pub fn expected_utility(lottery: &[(f64, f64)], transform: impl Fn(f64) -> f64) -> f64 {
    lottery.iter().map(|(probability, utility)| probability * transform(*utility)).sum()
}

/// Whether `transform` leaves the order of `values`, given in rising order, as it is.
pub fn keeps_order(values: &[f64], transform: impl Fn(f64) -> f64) -> bool {
    values.windows(2).all(|pair| transform(pair[0]) < transform(pair[1]))
}
