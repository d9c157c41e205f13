/// The run-time masks of the order-preserving map, for keys whose bits are held in a `U`.
///
/// [`KeyType::masks`](super::KeyType::masks) gives them in 64 bits, as the kernel parameter block carries them; a kernel
/// [narrows](KeyMasks::narrowed) them to its own width once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct KeyMasks<U> {
    /// Bits flipped where the sign bit is set: all ones for floats, else 0.
    pub m1: U,
    /// Bits always flipped: the sign bit for signed integers and floats, else 0.
    pub m2: U,
    /// The pattern that is read as 0: the sign bit alone for floats, else 0 (which changes nothing).
    pub negative_zero: U,
}

macro_rules! masks_of_width {
    ($($unsigned:ident, $signed:ident;)*) => {$(
        impl KeyMasks<$unsigned> {
            /// The low bits of 64-bit masks.
            #[must_use]
            pub const fn narrowed(wide: KeyMasks<u64>) -> Self {
                Self {
                    m1: wide.m1 as $unsigned,
                    m2: wide.m2 as $unsigned,
                    negative_zero: wide.negative_zero as $unsigned,
                }
            }

            /// Maps the bits of a key to an unsigned integer of the same order. −0.0 and +0.0 map to the same integer;
            /// every other pair of distinct patterns stays distinct.
            #[must_use]
            #[inline(always)]
            pub const fn ordered(self, bits: $unsigned) -> $unsigned {
                let bits = if bits == self.negative_zero { 0 } else { bits };
                bits ^ ((((bits as $signed) >> ($unsigned::BITS - 1)) as $unsigned & self.m1) | self.m2)
            }

            /// The bits that [`ordered`](Self::ordered) maps to `ordered`: its inverse, up to the sign of zero, which
            /// comes back as +0.0.
            #[must_use]
            #[inline(always)]
            pub const fn bits(self, ordered: $unsigned) -> $unsigned {
                // The map flips the sign bit of every float, so a clear one here stood for a negative key.
                ordered ^ ((((!ordered as $signed) >> ($unsigned::BITS - 1)) as $unsigned & self.m1) | self.m2)
            }
        }
    )*};
}

masks_of_width! {
    u8, i8;
    u16, i16;
    u32, i32;
    u64, i64;
}
