//! The figures of the model. Written by `tune wdl`.

use super::Model;

/// 197990 positions of 1800 games at 1+0.01 s.
pub(super) const MODEL: Model =
    Model { centre: [229.3, -282.2, 104.3, 43.2], spread: [49.8, 76.7, -118.3, 88.0] };
