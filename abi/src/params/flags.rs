use bitflags::bitflags;

use crate::key_order::Direction;
use crate::requirement::{Contract, TieBreak};

bitflags! {
    /// The yes-or-no part of a request, as a kernel receives it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct Flags: u32 {
        /// The largest keys are selected; without it, the smallest.
        const LARGEST = 1 << 0;
        /// The set must be reproducible: ties are resolved by index.
        const DETERMINISTIC = 1 << 1;
        /// Ties go to the larger index; without it, to the smaller. Only together with `DETERMINISTIC`.
        const PREFER_LARGER_INDEX = 1 << 2;
        /// The output is written in key order, best first.
        const SORTED = 1 << 3;
        /// Equal keys are written by ascending index. Only together with `SORTED`.
        const STABLE = 1 << 4;
        /// Keys are written. Without it `keys_out` is not used.
        const WRITE_KEYS = 1 << 5;
        /// Slots from the number of selected items up to k are filled with the fill key, value or index.
        const FILL = 1 << 6;
        /// The host knows every size and k and has checked them: the segments are strided rows that lie within the key
        /// buffer, all of the immediate size, and the immediate k is at most the output pitch. Nothing is left to clamp.
        const CHECKED = 1 << 7;
    }
}

impl Flags {
    /// The flags of a contract and a direction; those on the output are left clear.
    #[must_use]
    pub const fn of(contract: Contract, direction: Direction) -> Self {
        let mut flags = Self::empty();
        if matches!(direction, Direction::Largest) {
            flags = flags.union(Self::LARGEST);
        }
        if contract.needs_deterministic_set() {
            flags = flags.union(Self::DETERMINISTIC);
            if matches!(contract.tie_break, TieBreak::PreferLargerIndex) {
                flags = flags.union(Self::PREFER_LARGER_INDEX);
            }
        }
        if contract.is_sorted() {
            flags = flags.union(Self::SORTED);
        }
        if contract.is_stable() {
            flags = flags.union(Self::STABLE);
        }
        flags
    }

    /// The direction that [`LARGEST`](Self::LARGEST) stands for.
    #[must_use]
    pub const fn direction(self) -> Direction {
        if self.contains(Self::LARGEST) { Direction::Largest } else { Direction::Smallest }
    }
}
