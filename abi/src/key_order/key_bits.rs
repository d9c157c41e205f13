use core::fmt::Debug;
use core::hash::Hash;

use super::{KeyMasks, KeyWidth};

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

/// An unsigned integer that holds the bits of one key: `u8`, `u16`, `u32` or `u64`.
///
/// For code that is generic over the key width; the `const` forms are inherent methods of [`KeyMasks`].
pub trait KeyBits: sealed::Sealed + Copy + Ord + Hash + Debug + Send + Sync + 'static {
    /// The width of the key.
    const WIDTH: KeyWidth;
    /// No bit set.
    const ZERO: Self;
    /// Every bit set.
    const ONES: Self;

    /// The low bits of 64-bit masks.
    fn narrow_masks(wide: KeyMasks<u64>) -> KeyMasks<Self>;

    /// Maps the bits of a key to an unsigned integer of the same order.
    fn to_ordered(self, masks: KeyMasks<Self>) -> Self;

    /// The inverse of [`to_ordered`](Self::to_ordered), up to the sign of zero.
    fn from_ordered(ordered: Self, masks: KeyMasks<Self>) -> Self;

    /// The low bits of `wide`.
    fn from_u64(wide: u64) -> Self;

    /// The bits, zero-extended.
    fn to_u64(self) -> u64;

    /// `(self >> shift) & mask`, where a shift of the whole width or more gives 0.
    fn digit(self, shift: u32, mask: u32) -> u32;

    /// Whether ordered key `self` is selected strictly before ordered key `other`; `direction_mask` is the low bits of
    /// [`Direction::mask`](super::Direction::mask).
    fn precedes(self, other: Self, direction_mask: Self) -> bool;
}

macro_rules! key_bits {
    ($($unsigned:ident => $width:ident;)*) => {$(
        impl KeyBits for $unsigned {
            const WIDTH: KeyWidth = KeyWidth::$width;
            const ZERO: Self = 0;
            const ONES: Self = Self::MAX;

            #[inline(always)]
            fn narrow_masks(wide: KeyMasks<u64>) -> KeyMasks<Self> {
                KeyMasks::<Self>::narrowed(wide)
            }

            #[inline(always)]
            fn to_ordered(self, masks: KeyMasks<Self>) -> Self {
                masks.ordered(self)
            }

            #[inline(always)]
            fn from_ordered(ordered: Self, masks: KeyMasks<Self>) -> Self {
                masks.bits(ordered)
            }

            #[inline(always)]
            fn from_u64(wide: u64) -> Self {
                wide as Self
            }

            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn digit(self, shift: u32, mask: u32) -> u32 {
                self.checked_shr(shift).unwrap_or(0) as u32 & mask
            }

            #[inline(always)]
            fn precedes(self, other: Self, direction_mask: Self) -> bool {
                self ^ direction_mask < other ^ direction_mask
            }
        }
    )*};
}

key_bits! {
    u8 => W8;
    u16 => W16;
    u32 => W32;
    u64 => W64;
}
