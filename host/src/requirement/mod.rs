//! The two questions a top-k request answers, as types.
//!
//! *Which items?* is answered by a determinism level and a tie-break, given together or not at all. *In what order?* is
//! answered by an output ordering, on its own. The tokens of this module name the answers;
//! [`Env::require`](crate::Env::require) takes any tuple of them, in any order, and does not compile for a combination
//! that has no meaning. The [manual](crate::manual::requirements) explains the model with a worked example.

mod fold;

use cluster_topk_abi::requirement as plain;

pub use fold::{Given, Insert, PairsWith, Requirements, Selection};
// Named in messages of the compiler, which would call them by a private path otherwise.
#[doc(hidden)]
pub use fold::{NoDeterminism, NoOrdering, NoTieBreak};
pub use plain::{Contract, Determinism, OutputOrdering, TieBreak};

mod sealed {
    pub trait Sealed {}
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $token:ident: $kind:ident = $value:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $token;
        impl sealed::Sealed for $token {}
        impl $kind for $token {
            const VALUE: plain::$kind = $value;
        }
    )*};
}

macro_rules! axis {
    ($(#[$doc:meta])* $trait:ident, $value:ty) => {
        $(#[$doc])*
        pub trait $trait: sealed::Sealed + Copy + 'static {
            /// The same answer as a plain value.
            const VALUE: $value;
        }
    };
}

mod axes {
    use super::{plain, sealed};
    axis! {
        /// How far the *set* of selected items is reproducible.
        Determinism, plain::Determinism
    }
    axis! {
        /// Which of the items that tie at the boundary are kept.
        TieBreak, plain::TieBreak
    }
    axis! {
        /// In what order the selected items are written.
        OutputOrdering, plain::OutputOrdering
    }
}

/// The traits of the three axes, for code generic over a requirement.
pub mod axis {
    pub use super::axes::{Determinism, OutputOrdering, TieBreak};
}

mod token_types {
    use super::axes::{Determinism, OutputOrdering, TieBreak};
    use super::{plain, sealed};

    tokens! {
        /// Among items that tie at the boundary any valid subset may come back, a different one each time.
        ///
        /// Pairs with [`Unspecified`] only.
        NotGuaranteed: Determinism = plain::Determinism::NotGuaranteed;
        /// The same input on the same device gives the same set, every time.
        ///
        /// The set of a segment depends on that segment's keys alone, not on the batch it came in. Pairs with
        /// [`Unspecified`] only: a concrete tie-break already pins the set for every device, which is [`GpuToGpu`].
        RunToRun: Determinism = plain::Determinism::RunToRun;
        /// The same input gives the same set on every device of an architecture.
        ///
        /// The only level that a concrete tie-break goes with, and then the set is the same on every device and engine.
        GpuToGpu: Determinism = plain::Determinism::GpuToGpu;

        /// The library chooses among the items that tie at the boundary.
        ///
        /// Goes with every determinism level.
        Unspecified: TieBreak = plain::TieBreak::Unspecified;
        /// Of the items that tie at the boundary those with the smaller source index are kept.
        ///
        /// Requires [`GpuToGpu`].
        PreferSmallerIndex: TieBreak = plain::TieBreak::PreferSmallerIndex;
        /// Of the items that tie at the boundary those with the larger source index are kept.
        ///
        /// Requires [`GpuToGpu`].
        PreferLargerIndex: TieBreak = plain::TieBreak::PreferLargerIndex;

        /// The items come out in any order.
        Unsorted: OutputOrdering = plain::OutputOrdering::Unsorted;
        /// The items come out best first; equal keys in any order.
        Sorted: OutputOrdering = plain::OutputOrdering::Sorted;
        /// The items come out best first; equal keys by ascending source index, whatever the tie-break.
        StableSorted: OutputOrdering = plain::OutputOrdering::StableSorted;
    }
}
pub use token_types::{
    GpuToGpu, NotGuaranteed, PreferLargerIndex, PreferSmallerIndex, RunToRun, Sorted, StableSorted, Unsorted,
    Unspecified,
};
