//! What a pass finds.

/// What a pass found, in every thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The bucket that holds the k-th item.
    pub(super) bucket: u32,
    /// How many of its items are wanted.
    pub(super) k: u32,
    /// What these are of its items.
    pub(super) part: Part,
}

/// What a histogram has counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// Delegates; their part is [`Part::Few`] if up to the end of the bucket there are at most so many.
    Delegates {
        /// So many.
        few: u32,
    },
    /// Keys; their part is [`Part::Few`] if the bucket holds at most so many.
    Keys {
        /// So many.
        few: u32,
    },
}

/// Which part of the items in a range is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of them.
    Whole,
    /// Some of them, and they are so few that [`few`](super::few) settles which.
    Few,
    /// Some of them.
    Some,
}

impl Found {
    const WHOLE: u32 = 1 << 31;
    const FEW: u32 = 1 << 30;

    /// Bucket and part in the low half, the count in the high one: one load tells all.
    #[inline(always)]
    pub(super) fn packed(self) -> u64 {
        let part = match self.part {
            Part::Whole => Self::WHOLE,
            Part::Few => Self::FEW,
            Part::Some => 0,
        };
        u64::from(self.bucket | part) | u64::from(self.k) << 32
    }

    #[inline(always)]
    pub(super) fn unpacked(word: u64) -> Self {
        let low = word as u32;
        let part = if low & Self::WHOLE != 0 {
            Part::Whole
        } else if low & Self::FEW != 0 {
            Part::Few
        } else {
            Part::Some
        };
        Self { bucket: low & !(Self::WHOLE | Self::FEW), k: (word >> 32) as u32, part }
    }
}
