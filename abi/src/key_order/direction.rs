use core::fmt;

/// Which end of the order is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// The keys that come last in ascending order: a top-k of the largest keys.
    Largest = 0,
    /// The keys that come first in ascending order: a top-k of the smallest keys.
    Smallest = 1,
}

impl Direction {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::Largest, Self::Smallest];

    /// The other direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Largest => Self::Smallest,
            Self::Smallest => Self::Largest,
        }
    }

    /// All ones for [`Largest`](Self::Largest), 0 for [`Smallest`](Self::Smallest).
    ///
    /// The exclusive or of two ordered keys with this mask compares "best first": the smaller result is selected
    /// first. Its low bits are the bucket reversal of a radix pass.
    #[must_use]
    pub const fn mask(self) -> u64 {
        match self {
            Self::Largest => u64::MAX,
            Self::Smallest => 0,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Largest => "largest",
            Self::Smallest => "smallest",
        })
    }
}
