//! The figures of the model. Written by `tune wdl`.

use super::Model;

/// 2238947 positions of 23847 games.
pub(super) const MODEL: Model =
    Model { centre: [208.7, -260.1, -9.0, 119.3], spread: [54.1, 257.5, 53.2, -105.9] };
