//! Sets of the items that a thread holds.

/// Some of a thread's items, up to 64: a bit each.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    low: u32,
    /// Of items 32 to 63; 0 where there are none, which the compiler then knows.
    high: u32,
}

impl Set {
    /// None.
    pub const EMPTY: Self = Self { low: 0, high: 0 };

    /// Items 0 to `count - 1` of `ITEMS`.
    #[inline(always)]
    pub fn first<const ITEMS: usize>(count: u32) -> Self {
        let bits = |count: u32| if count < 32 { !u32::MAX.wrapping_shl(count) } else { u32::MAX };
        Self { low: bits(count), high: if ITEMS > 32 { bits(count.saturating_sub(32)) } else { 0 } }
    }

    /// Adds an item.
    #[inline(always)]
    pub fn insert(&mut self, item: usize) {
        if item < 32 {
            self.low |= 1u32.wrapping_shl(item as u32);
        } else {
            self.high |= 1u32.wrapping_shl(item as u32);
        }
    }

    /// Whether it has an item.
    #[inline(always)]
    pub fn holds(self, item: u32) -> bool {
        let half = if item < 32 { self.low } else { self.high };
        half.wrapping_shr(item) & 1 != 0
    }

    /// How many items it has.
    #[inline(always)]
    pub fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    /// The items that both have.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }

    /// The items that the other has not.
    #[inline(always)]
    pub fn without(self, other: Self) -> Self {
        Self { low: self.low & !other.low, high: self.high & !other.high }
    }

    /// Calls `each` with every item, in order.
    #[inline(always)]
    pub fn each(self, mut each: impl FnMut(u32)) {
        for (mut half, first) in [(self.low, 0), (self.high, 32)].iter().copied() {
            while half != 0 {
                each(first + half.trailing_zeros());
                half &= half.wrapping_sub(1);
            }
        }
    }
}
