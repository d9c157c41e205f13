//! The request as plain data: which items are selected, and in what order they are written.
//!
//! The typed form that users write lives in the host library; this is what it boils down to, and what the CPU engine,
//! the planner and the kernel parameter block share.

use core::fmt;

/// How reproducible the *set* of selected items is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Determinism {
    /// Among equal keys at the boundary, any subset may be selected, and another one the next time.
    NotGuaranteed = 0,
    /// The same set every time on the same device.
    RunToRun = 1,
    /// The same set on every device of the same architecture.
    GpuToGpu = 2,
}

/// Which of several equal keys at the boundary are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TieBreak {
    /// The implementation chooses.
    Unspecified = 0,
    /// Those with the smaller index in their segment.
    PreferSmallerIndex = 1,
    /// Those with the larger index in their segment.
    PreferLargerIndex = 2,
}

/// In what order the selected items are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OutputOrdering {
    /// Any order.
    Unsorted = 0,
    /// By key, best first; equal keys in any order.
    Sorted = 1,
    /// By key, best first; equal keys by ascending index, whatever the tie-break.
    StableSorted = 2,
}

macro_rules! words {
    ($type:ident { $($variant:ident => $word:literal),* $(,)? }) => {
        impl $type {
            /// Every value.
            pub const ALL: [Self; 3] = [$(Self::$variant),*];

            /// The word for this value.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),*
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

words!(Determinism { NotGuaranteed => "not_guaranteed", RunToRun => "run_to_run", GpuToGpu => "gpu_to_gpu" });
words!(TieBreak {
    Unspecified => "unspecified",
    PreferSmallerIndex => "prefer_smaller_index",
    PreferLargerIndex => "prefer_larger_index",
});
words!(OutputOrdering { Unsorted => "unsorted", Sorted => "sorted", StableSorted => "stable_sorted" });

/// A whole request: membership (determinism and tie-break) and sequence (output ordering).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contract {
    /// How reproducible the set is.
    pub determinism: Determinism,
    /// Which of several equal keys at the boundary are in the set.
    pub tie_break: TieBreak,
    /// In what order the set is written.
    pub ordering: OutputOrdering,
}

impl Contract {
    /// What a request without any requirement means.
    pub const DEFAULT: Self = Self {
        determinism: Determinism::GpuToGpu,
        tie_break: TieBreak::PreferSmallerIndex,
        ordering: OutputOrdering::StableSorted,
    };

    /// The weakest and fastest request.
    pub const WEAKEST: Self = Self {
        determinism: Determinism::NotGuaranteed,
        tie_break: TieBreak::Unspecified,
        ordering: OutputOrdering::Unsorted,
    };

    /// Whether the three go together: a concrete tie-break pins the set on every device, so it is legal with
    /// [`GpuToGpu`](Determinism::GpuToGpu) only; orderings are free.
    #[must_use]
    pub const fn is_legal(self) -> bool {
        matches!(self.tie_break, TieBreak::Unspecified) || matches!(self.determinism, Determinism::GpuToGpu)
    }

    /// Whether the *set* must be reproducible. Orderings do not matter here: sorting does not change a set.
    #[must_use]
    pub const fn needs_deterministic_set(self) -> bool {
        !matches!((self.determinism, self.tie_break), (Determinism::NotGuaranteed, TieBreak::Unspecified))
    }

    /// The tie-break that a deterministic engine applies: the requested one, or the smaller index where the choice is
    /// the engine's.
    #[must_use]
    pub const fn effective_tie_break(self) -> TieBreak {
        match self.tie_break {
            TieBreak::Unspecified if self.needs_deterministic_set() => TieBreak::PreferSmallerIndex,
            tie_break => tie_break,
        }
    }

    /// Whether the output is written in key order.
    #[must_use]
    pub const fn is_sorted(self) -> bool {
        !matches!(self.ordering, OutputOrdering::Unsorted)
    }

    /// Whether equal keys are written by ascending index.
    #[must_use]
    pub const fn is_stable(self) -> bool {
        matches!(self.ordering, OutputOrdering::StableSorted)
    }
}

impl Default for Contract {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.determinism, self.tie_break, self.ordering)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    fn all() -> Vec<Contract> {
        let mut contracts = Vec::new();
        for determinism in Determinism::ALL {
            for tie_break in TieBreak::ALL {
                for ordering in OutputOrdering::ALL {
                    contracts.push(Contract { determinism, tie_break, ordering });
                }
            }
        }
        contracts
    }

    #[test]
    fn five_pairs_times_three_orderings_are_legal() {
        let legal: Vec<_> = all().into_iter().filter(|contract| contract.is_legal()).collect();
        assert_eq!(legal.len(), 15);
        let pairs: Vec<_> = legal
            .iter()
            .filter(|contract| contract.ordering == OutputOrdering::Unsorted)
            .map(|contract| std::format!("{} {}", contract.determinism, contract.tie_break))
            .collect();
        assert_eq!(
            pairs,
            [
                "not_guaranteed unspecified",
                "run_to_run unspecified",
                "gpu_to_gpu unspecified",
                "gpu_to_gpu prefer_smaller_index",
                "gpu_to_gpu prefer_larger_index",
            ]
        );
    }

    #[test]
    fn only_the_weakest_pair_needs_no_deterministic_set() {
        for contract in all().into_iter().filter(|contract| contract.is_legal()) {
            let weakest = contract.determinism == Determinism::NotGuaranteed;
            assert_eq!(contract.needs_deterministic_set(), !weakest, "{contract}");
            assert_eq!(contract.effective_tie_break() == TieBreak::Unspecified, weakest, "{contract}");
        }
        assert!(Contract::DEFAULT.needs_deterministic_set());
    }

    #[test]
    fn words() {
        assert_eq!(Contract::default().to_string(), "gpu_to_gpu, prefer_smaller_index, stable_sorted");
        assert_eq!(Contract::WEAKEST.to_string(), "not_guaranteed, unspecified, unsorted");
    }
}
