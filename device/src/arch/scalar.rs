//! What the memory operations load and store.

use super::machine::access::Access;

/// An unsigned integer of 1, 2, 4 or 8 bytes: what a memory handle holds. Keys of every type are handled as their bits.
pub trait Scalar: Copy + Access {
    /// The size in bytes, which is also the alignment.
    const BYTES: u32;
    /// How many lie in 16 bytes.
    const PER_VEC16: usize = 16 / Self::BYTES as usize;
    /// The low bits of `wide`.
    fn truncate(wide: u64) -> Self;
    /// The value, zero-extended.
    fn widen(self) -> u64;
}

macro_rules! scalar {
    ($($t:ty)*) => {$(
        impl Scalar for $t {
            const BYTES: u32 = size_of::<$t>() as u32;
            #[inline(always)]
            fn truncate(wide: u64) -> Self {
                wide as $t
            }
            #[inline(always)]
            fn widen(self) -> u64 {
                u64::from(self)
            }
        }
    )*};
}
scalar!(u8 u16 u32 u64);

/// 16 bytes in registers, as the widest loads and stores move them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vec16(pub [u32; 4]);

impl Vec16 {
    /// The elements that `of` gives for each lane, first in memory first.
    #[inline(always)]
    pub fn gather<T: Scalar>(mut of: impl FnMut(usize) -> T) -> Self {
        let mut words = [0; 4];
        for lane in 0..T::PER_VEC16 {
            let (byte, bits) = (lane * T::BYTES as usize, of(lane).widen());
            if let Some(word) = words.get_mut(byte / 4) {
                *word |= (bits << (8 * (byte % 4))) as u32;
            }
            if T::BYTES == 8
                && let Some(word) = words.get_mut(byte / 4 + 1)
            {
                *word = (bits >> 32) as u32;
            }
        }
        Self(words)
    }

    /// The sums of its words and those of another, which wrap around.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, Self([e, f, g, h]): Self) -> Self {
        let Self([a, b, c, d]) = self;
        Self([a.wrapping_add(e), b.wrapping_add(f), c.wrapping_add(g), d.wrapping_add(h)])
    }

    /// The element at `lane` of the `T::PER_VEC16`, first in memory first.
    ///
    /// `lane` is a constant after unrolling; a run-time one would move the vector to local memory.
    #[inline(always)]
    pub fn get<T: Scalar>(self, lane: usize) -> T {
        let byte = lane * T::BYTES as usize;
        let word = |i: usize| if let Some(w) = self.0.get(i) { u64::from(*w) } else { 0 };
        let low = word(byte / 4);
        if T::BYTES == 8 {
            T::truncate(low | word(byte / 4 + 1) << 32)
        } else {
            T::truncate(low >> (8 * (byte % 4)))
        }
    }
}
