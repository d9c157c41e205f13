//! The forms of a numeric argument: segment size, `k`, number of segments.
//!
//! | form | who knows the value | write |
//! | --- | --- | --- |
//! | constant | the type system | [`constant::<5>()`](constant) |
//! | immediate | the host, at the call | `5`, or [`Immediate::new(5)`](Immediate) to add static bounds |
//! | deferred | one number in the engine's memory, read when the work runs | [`Deferred::new(&value)`](Deferred) |
//! | deferred sequence | one number per segment in the engine's memory | [`DeferredSequence::new(&values)`](DeferredSequence) |
//!
//! Sizes and `k` take all four forms. The number of segments decides the launch shape, so it is a constant or an immediate.
//!
//! # Bounds
//!
//! A segment holds at most 2^31 − 1 keys, and `k` is at most that. A constant and an immediate are checked against the
//! limit, the first by the compiler, the second at the call. A deferred number is out of the host's sight, so its type
//! must make the limit certain: `u8`, `i8`, `u16` and `i16` do by themselves, wider types need a bound, static
//! ([`static_bounds`](Deferred::static_bounds)) or stated at run time ([`bounds`](Deferred::bounds)). The upper bound is what
//! plans a launch, so a tight one pays.
//!
//! A value beyond its bound is an error where the host can see it (always with the CPU engine) and is clamped to the bound
//! where it cannot. A negative size counts as an empty segment and is never an error.
//!
//! # Why a slice is not an argument
//!
//! `&[5, 3]` could mean one deferred number (its first element) or one per segment, and where it lives would be up to the
//! reader to guess. So a span of numbers is accepted only through [`Deferred`] and [`DeferredSequence`], which say it.

mod bounds;
mod deferred;
mod integer;
mod lowered;

pub use bounds::{RuntimeBounds, StaticBounds, Unbounded};
pub use deferred::{Deferred, DeferredSequence};
pub use integer::{Integer, NarrowInteger};
pub(crate) use lowered::{IntView, Lowered, Source};

use crate::memory::Memory;
use bounds::Bounds;

pub(crate) use sealed::Sealed;
mod sealed {
    pub trait Sealed {}
}

/// The largest size, and the largest `k`: 2^31 − 1.
pub const LIMIT: i64 = i32::MAX as i64;

/// A number in one of its forms; the common ground of [`SizeArg`] and [`KArg`].
pub trait Argument<'a, M: Memory>: sealed::Sealed {
    /// The largest value the type admits, at most [`LIMIT`]: what a compile-time check may rely on.
    const STATIC_MAX: i64;

    #[doc(hidden)]
    #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
    fn lower(self) -> Lowered<'a, M>;
}

/// What a segment size may be written as.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a segment size",
    label = "not a segment size",
    note = "write an integer, `constant::<N>()`, `Deferred::new(&size)` or `DeferredSequence::new(&sizes)`",
    note = "a span is not a size: say `Deferred` for one number in memory, `DeferredSequence` for one per segment",
    note = "integers are i8 to i64, u8 to u64, isize and usize; a flag, a float or a reference is none",
    note = "a deferred number lies where the keys do, here in `{M}`"
)]
pub trait SizeArg<'a, M: Memory>: Argument<'a, M> {}

/// What `k` may be written as.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be `k`",
    label = "not a number of items to select",
    note = "write an integer, `constant::<K>()`, `Deferred::new(&k)` or `DeferredSequence::new(&ks)`",
    note = "a span is not a `k`: say `Deferred` for one number in memory, `DeferredSequence` for one per segment",
    note = "integers are i8 to i64, u8 to u64, isize and usize; a flag, a float or a reference is none",
    note = "a deferred number lies where the keys do, here in `{M}`"
)]
pub trait KArg<'a, M: Memory>: Argument<'a, M> {}

/// What a number of segments may be written as: an integer or a [`Constant`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a number of segments",
    label = "not a number of segments",
    note = "write an integer or `constant::<N>()`: the number of segments shapes the launch, so the host must know it and it cannot be deferred",
    note = "a segment that is not wanted has size 0"
)]
pub trait SegmentCount: sealed::Sealed {
    #[doc(hidden)]
    fn count(self) -> i128;
}

/// A number the type system knows. Made by [`constant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant<const V: i32>(());

impl<const V: i32> Constant<V> {
    /// The constant `V`, 0 ≤ V ≤ 2^31 − 1; a negative one does not compile.
    ///
    /// The assertion fires when code is generated. `const K: Constant<5> = Constant::new();` makes `cargo check` fire it.
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(
                V >= 0,
                "a constant size, count, k or maximum length is at least 0: write `0 <= N` in `<N>`, 0 for nothing"
            );
        };
        Self(())
    }
}

impl<const V: i32> Default for Constant<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// A number the type system knows: `constant::<5>()`.
#[must_use]
pub const fn constant<const V: i32>() -> Constant<V> {
    Constant::new()
}

impl<const V: i32> sealed::Sealed for Constant<V> {}
impl<'a, const V: i32, M: Memory> Argument<'a, M> for Constant<V> {
    const STATIC_MAX: i64 = V as i64;
    #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
    fn lower(self) -> Lowered<'a, M> {
        Lowered { source: Source::Immediate(V.into()), lo: V.into(), hi: V.into() }
    }
}
impl<const V: i32, M: Memory> SizeArg<'_, M> for Constant<V> {}
impl<const V: i32, M: Memory> KArg<'_, M> for Constant<V> {}
impl<const V: i32> SegmentCount for Constant<V> {
    fn count(self) -> i128 {
        V.into()
    }
}

/// A number the host knows at the call, with bounds that the type system knows.
///
/// A plain integer is an immediate too; this form is for stating [static bounds](Immediate::static_bounds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Immediate<T, B = Unbounded> {
    value: T,
    bounds: B,
}

impl<T: Integer> Immediate<T> {
    /// The number `value`.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self { value, bounds: Unbounded }
    }

    /// States that `LO ≤ value ≤ HI`; checked at the call. `HI` is at least 0 and at least `LO`, or it does not compile.
    #[must_use]
    pub const fn static_bounds<const LO: i32, const HI: i32>(self) -> Immediate<T, StaticBounds<LO, HI>> {
        Immediate { value: self.value, bounds: StaticBounds::new() }
    }
}

impl<T, B> sealed::Sealed for Immediate<T, B> {}
impl<'a, T: Integer, B: Bounds, M: Memory> Argument<'a, M> for Immediate<T, B> {
    const STATIC_MAX: i64 = bounds::static_max(T::MAX, B::STATIC);
    #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
    fn lower(self) -> Lowered<'a, M> {
        let (lo, hi) = self.bounds.range().unwrap_or((0, LIMIT.into()));
        Lowered { source: Source::Immediate(self.value.widen()), lo, hi }
    }
}
impl<T: Integer, B: Bounds, M: Memory> SizeArg<'_, M> for Immediate<T, B> {}
impl<T: Integer, B: Bounds, M: Memory> KArg<'_, M> for Immediate<T, B> {}
impl<T: Integer, B: Bounds> SegmentCount for Immediate<T, B> {
    fn count(self) -> i128 {
        self.value.widen()
    }
}
