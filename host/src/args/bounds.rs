//! Bounds an argument may carry.

use super::LIMIT;
use core::ops::RangeInclusive;

/// No bound was stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unbounded;

/// Bounds that the type system knows: `LO ≤ value ≤ HI`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticBounds<const LO: i32, const HI: i32>(());

impl<const LO: i32, const HI: i32> StaticBounds<LO, HI> {
    /// The bounds; `HI` below 0 or below `LO` does not compile, and above 2^31 − 1 it is no `i32`.
    ///
    /// The assertion fires when code is generated. An item of its own makes `cargo check` fire it:
    ///
    /// ```
    /// use cluster_topk::args::StaticBounds;
    /// const ROW: StaticBounds<0, 4096> = StaticBounds::new();
    /// # let _ = ROW;
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(
                HI >= 0,
                "the static maximum of a size or k is at least 0: write `0 <= HI` in `<LO, HI>`"
            );
            assert!(
                LO <= HI,
                "the static minimum of a size or k is at most its maximum: write the minimum first, `<LO, HI>`"
            );
        };
        Self(())
    }
}

impl<const LO: i32, const HI: i32> Default for StaticBounds<LO, HI> {
    fn default() -> Self {
        Self::new()
    }
}

/// Bounds stated at run time and checked at the call: `lo ≤ value ≤ hi`, 0 ≤ hi ≤ 2^31 − 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeBounds(pub(super) RangeInclusive<i64>);

/// What the three kinds of bounds have in common. Sealed by being unnameable outside.
pub trait Bounds {
    /// The bounds that the type system knows.
    const STATIC: Option<(i64, i64)>;
    /// The bounds at run time, if any were stated.
    fn range(&self) -> Option<(i128, i128)>;
}

impl Bounds for Unbounded {
    const STATIC: Option<(i64, i64)> = None;
    fn range(&self) -> Option<(i128, i128)> {
        None
    }
}

impl<const LO: i32, const HI: i32> Bounds for StaticBounds<LO, HI> {
    const STATIC: Option<(i64, i64)> = Some((LO as i64, HI as i64));
    fn range(&self) -> Option<(i128, i128)> {
        Some((LO.into(), HI.into()))
    }
}

impl Bounds for RuntimeBounds {
    const STATIC: Option<(i64, i64)> = None;
    fn range(&self) -> Option<(i128, i128)> {
        Some(((*self.0.start()).into(), (*self.0.end()).into()))
    }
}

/// The largest value that the type of the number and its static bounds admit, at most [`LIMIT`].
pub(super) const fn static_max(type_max: i128, bounds: Option<(i64, i64)>) -> i64 {
    let limit = match bounds {
        Some((_, hi)) if hi < LIMIT => hi,
        _ => LIMIT,
    };
    if type_max < limit as i128 { type_max as i64 } else { limit }
}
