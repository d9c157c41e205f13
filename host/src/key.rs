//! The key types and their order.

use crate::memory::HostMemory;
use crate::request::Call;
use crate::requirement::Contract;
use crate::validate::HostShape;
pub use cluster_topk_abi::key_order::{Direction, KeyType};
use cluster_topk_abi::key_order::{KeyBits, KeyMasks};
use half::{bf16, f16};

mod sealed {
    pub trait Sealed {}
}

/// A type that items are selected by: `u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64`.
///
/// Integers compare numerically. Floats compare by the IEEE 754 total order, with one exception: −0.0 and +0.0 are equal,
/// a tie. So −NaN < −inf < … < −0.0 = +0.0 < … < +inf < +NaN, and NaNs of one sign are ordered by their payloads. (torch
/// and NumPy put every NaN on top; here the sign decides.) The bits that come out are the bits that went in.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key type",
    label = "items cannot be selected by this type",
    note = "keys are u8, i8, u16, i16, u32, i32, u64, i64, half::f16, half::bf16, f32 or f64",
    note = "to select by anything else, make one of these of it (`u64::from`, `to_bits`, a rank) and take the items' indices"
)]
pub trait Key: sealed::Sealed + bytemuck::Pod + Send + Sync + core::fmt::Debug {
    /// The type as a plain value.
    const TYPE: KeyType;

    /// Unsigned bits of the key's width that compare as the key does.
    #[doc(hidden)]
    type Ordered: crate::cpu::Pooled;
    #[doc(hidden)]
    fn ordered(self) -> Self::Ordered;

    /// The CPU engine's work. A method, so that it is compiled once, with this crate, and not with every crate that calls.
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "a sealed trait's link to the engine")]
    fn select_rows<'i>(
        call: Call<'i, '_, Self, HostMemory>,
        shape: &HostShape<'i>,
        contract: Contract,
        threads: usize,
    );

    /// Compares two keys as the library does.
    ///
    /// ```
    /// use cluster_topk::Key;
    /// use std::cmp::Ordering::{Equal, Less};
    /// assert_eq!((-0.0f32).key_cmp(0.0), Equal);
    /// assert_eq!((-f32::NAN).key_cmp(f32::NEG_INFINITY), Less);
    /// assert_eq!(f32::INFINITY.key_cmp(f32::NAN), Less);
    /// ```
    fn key_cmp(self, other: Self) -> core::cmp::Ordering {
        self.ordered().cmp(&other.ordered())
    }
}

macro_rules! keys {
    ($($t:ty, $type:ident, $bits:ty, $key:ident => $to_bits:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Key for $t {
            const TYPE: KeyType = KeyType::$type;
            type Ordered = $bits;
            #[inline(always)]
            fn ordered(self) -> $bits {
                const MASKS: KeyMasks<$bits> = KeyMasks::<$bits>::narrowed(KeyType::$type.masks());
                let $key = self;
                MASKS.ordered($to_bits)
            }
            #[allow(private_interfaces, reason = "a sealed trait's link to the engine")]
            fn select_rows<'i>(
                call: Call<'i, '_, Self, HostMemory>,
                shape: &HostShape<'i>,
                contract: Contract,
                threads: usize,
            ) {
                crate::cpu::select_rows(call, shape, contract, threads);
            }
        }
    )*};
}
keys! {
    u8, U8, u8, key => key;
    i8, I8, u8, key => key.cast_unsigned();
    u16, U16, u16, key => key;
    i16, I16, u16, key => key.cast_unsigned();
    u32, U32, u32, key => key;
    i32, I32, u32, key => key.cast_unsigned();
    u64, U64, u64, key => key;
    i64, I64, u64, key => key.cast_unsigned();
    f16, F16, u16, key => key.to_bits();
    bf16, BF16, u16, key => key.to_bits();
    f32, F32, u32, key => key.to_bits();
    f64, F64, u64, key => key.to_bits();
}

/// Ordered bits, and the word that holds them together with an index.
#[doc(hidden)]
pub trait Ranked: KeyBits + core::ops::BitXor<Output = Self> {
    /// Holds `rank << 32 | index`, so that it compares by rank first and index second.
    type Packed: Copy + Ord + Send + Sync;
    fn pack(self, index: u32) -> Self::Packed;
    /// The index half of a packed word.
    fn index(packed: Self::Packed) -> u32;
    /// A packed word with the index half inverted.
    fn flip_index(packed: Self::Packed) -> Self::Packed;
    /// The larger of two; written out so that it compiles to a vector instruction where there is one.
    fn larger(self, other: Self) -> Self;
}

macro_rules! ranked {
    ($($bits:ty, $packed:ty;)*) => {$(
        impl Ranked for $bits {
            type Packed = $packed;
            #[inline(always)]
            fn pack(self, index: u32) -> $packed {
                <$packed>::from(self) << 32 | <$packed>::from(index)
            }
            #[inline(always)]
            fn index(packed: $packed) -> u32 {
                packed as u32
            }
            #[inline(always)]
            fn flip_index(packed: $packed) -> $packed {
                packed ^ <$packed>::from(u32::MAX)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
        }
    )*};
}
ranked! { u8, u64; u16, u64; u32, u64; u64, u128; }
