//! Numbers that live in the engine's memory.

use super::bounds::{self, Bounds, RuntimeBounds, StaticBounds, Unbounded};
use super::{Argument, Integer, KArg, LIMIT, Lowered, NarrowInteger, SizeArg, Source, sealed};
use crate::memory::{Input, Memory};
use core::ops::RangeInclusive;

macro_rules! deferred {
    ($(#[$doc:meta])* $name:ident, $source:ident, $(#[$new_doc:meta])*) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<'a, T: Integer, M: Memory, B = Unbounded> {
            view: M::View<'a, T>,
            bounds: B,
        }

        impl<'a, T: Integer, M: Memory> $name<'a, T, M> {
            $(#[$new_doc])*
            #[must_use]
            pub fn new(values: impl Input<'a, Elem = T, Memory = M>) -> Self {
                Self { view: values.into_view(), bounds: Unbounded }
            }

            /// States bounds that the type system knows: `LO ≤ value ≤ HI`. `HI` below 0 or below `LO` does not compile.
            #[must_use]
            pub fn static_bounds<const LO: i32, const HI: i32>(self) -> $name<'a, T, M, StaticBounds<LO, HI>> {
                $name { view: self.view, bounds: StaticBounds::new() }
            }

            /// States bounds known at run time, within 0 ≤ upper ≤ 2^31 − 1; a lower bound below 0 is no fault.
            #[must_use]
            pub fn bounds(self, bounds: RangeInclusive<i64>) -> $name<'a, T, M, RuntimeBounds> {
                $name { view: self.view, bounds: RuntimeBounds(bounds) }
            }
        }

        impl<T: Integer, M: Memory, B> sealed::Sealed for $name<'_, T, M, B> {}

        deferred!(@impl $name, $source, Unbounded, NarrowInteger,);
        deferred!(@impl $name, $source, RuntimeBounds, Integer,);
        deferred!(@impl $name, $source, StaticBounds<LO, HI>, Integer, const LO: i32, const HI: i32);
    };
    (@impl $name:ident, $source:ident, $bounds:ty, $integer:ident, $($generics:tt)*) => {
        impl<'a, T: $integer, M: Memory, $($generics)*> Argument<'a, M> for $name<'a, T, M, $bounds> {
            const STATIC_MAX: i64 = bounds::static_max(T::MAX, <$bounds as Bounds>::STATIC);
            #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
            fn lower(self) -> Lowered<'a, M> {
                let (lo, hi) = self.bounds.range().unwrap_or((0, T::MAX.min(LIMIT.into())));
                Lowered { source: Source::$source(T::int_view::<M>(self.view)), lo, hi }
            }
        }
        impl<'a, T: $integer, M: Memory, $($generics)*> SizeArg<'a, M> for $name<'a, T, M, $bounds> {}
        impl<'a, T: $integer, M: Memory, $($generics)*> KArg<'a, M> for $name<'a, T, M, $bounds> {}
    };
}

deferred! {
    /// One number in the engine's memory, the same for every segment, read when the work runs.
    ///
    /// ```
    /// use cluster_topk::prelude::*;
    /// let k = [2u32];
    /// let mut top = [0i32; 4];
    /// max_keys(&[3, 1, 4, 1, 5], Deferred::new(&k).bounds(0..=4), &mut top).run(&Env::cpu())?;
    /// assert_eq!(top, [5, 4, 0, 0]);
    /// # Ok::<(), cluster_topk::Error>(())
    /// ```
    Deferred, Deferred,
    /// The first number of `values`, which must hold at least one.
}

deferred! {
    /// One number per segment in the engine's memory, read when the work runs.
    ///
    /// ```
    /// use cluster_topk::prelude::*;
    /// let ks = [1u8, 3];
    /// let mut top = [0i32; 6];
    /// let segments = Segments::rows(&[3, 1, 4, 2, 7, 1, 8, 2], 2, 4);
    /// max_keys(segments, DeferredSequence::new(&ks).static_bounds::<0, 3>(), &mut top).run(&Env::cpu())?;
    /// assert_eq!(top, [4, 0, 0, 8, 7, 2]);
    /// # Ok::<(), cluster_topk::Error>(())
    /// ```
    DeferredSequence, Sequence,
    /// The numbers `values`, at least as many as there are segments.
}
