//! The key types that are measured.

use cluster_topk::Key;
use cluster_topk::half::{bf16, f16};

/// A key type, with what the generators and the standard library's way need of it.
pub trait BenchKey: Key {
    /// The name in tables.
    const NAME: &'static str;
    /// Unsigned bits that sort ascending as the keys sort descending.
    type Bits: Copy + Ord + Send + Sync;
    /// Room for [`Bits`](Self::Bits) above a 32-bit index.
    type Packed: Copy + Ord + Send + Sync;

    /// The key as bits that sort best first. Floats by IEEE total order, which is what the library does but for the signs
    /// of zeros.
    fn best_first(self) -> Self::Bits;
    /// The inverse of [`best_first`](Self::best_first).
    fn from_best_first(bits: Self::Bits) -> Self;
    /// The key above its index: sorts best first, equal keys by ascending index.
    fn pack(self, index: u32) -> Self::Packed;
    /// The inverse of [`pack`](Self::pack).
    fn unpack(packed: Self::Packed) -> (Self, u32);

    /// A key at `z` standard deviations from the middle of the type.
    fn at_deviation(z: f64) -> Self;
    /// The key with these low bits.
    fn from_low_bits(bits: u64) -> Self;
    /// A key near 1 (for integers: the middle) that shares its top 11 bits (of a byte: its top 4) with every other one.
    fn clustered(random: u64) -> Self;
}

/// What the types differ in: the packed word, the sign handling, the two generators.
macro_rules! bench_keys {
    ($($t:ty, $name:literal, $bits:ident, $packed:ident, $digit:literal, $middle:expr,
       to: $to:expr, from: $from:expr, ordered: $ordered:ident, normal: $normal:expr;)*) => {$(
        impl BenchKey for $t {
            const NAME: &'static str = $name;
            type Bits = $bits;
            type Packed = $packed;

            #[inline(always)]
            fn best_first(self) -> $bits {
                !$ordered::forward!($bits, ($to)(self))
            }
            #[inline(always)]
            fn from_best_first(bits: $bits) -> Self {
                ($from)($ordered::backward!($bits, !bits))
            }
            #[inline(always)]
            fn pack(self, index: u32) -> $packed {
                $packed::from(self.best_first()) << 32 | $packed::from(index)
            }
            #[inline(always)]
            fn unpack(packed: $packed) -> (Self, u32) {
                (Self::from_best_first((packed >> 32) as $bits), packed as u32)
            }

            fn at_deviation(z: f64) -> Self {
                ($normal)(z)
            }
            fn from_low_bits(bits: u64) -> Self {
                ($from)(bits as $bits)
            }
            fn clustered(random: u64) -> Self {
                let low = $bits::MAX >> $digit;
                let middle: $bits = ($to)($middle);
                ($from)(middle & !low | random as $bits & low)
            }
        }
    )*};
}

/// The order of unsigned integers.
mod unsigned {
    macro_rules! forward {
        ($bits:ident, $x:expr) => {
            $x
        };
    }
    macro_rules! backward {
        ($bits:ident, $x:expr) => {
            $x
        };
    }
    pub(super) use {backward, forward};
}

/// The order of two's complement integers.
mod signed {
    macro_rules! forward {
        ($bits:ident, $x:expr) => {
            $x ^ (1 << ($bits::BITS - 1))
        };
    }
    pub(super) use {forward, forward as backward};
}

/// The IEEE total order.
mod float {
    macro_rules! forward {
        ($bits:ident, $x:expr) => {{
            let x: $bits = $x;
            let negative = (x >> ($bits::BITS - 1)).wrapping_neg();
            x ^ (negative | 1 << ($bits::BITS - 1))
        }};
    }
    macro_rules! backward {
        ($bits:ident, $x:expr) => {{
            let x: $bits = $x;
            let positive = (x >> ($bits::BITS - 1)).wrapping_neg();
            x ^ (!positive | 1 << ($bits::BITS - 1))
        }};
    }
    pub(super) use {backward, forward};
}

bench_keys! {
    u8, "u8", u8, u64, 4, 128, to: |x: u8| x, from: |x: u8| x, ordered: unsigned,
        normal: |z: f64| (128.0 + 32.0 * z) as u8;
    f16, "f16", u16, u64, 11, f16::ONE, to: f16::to_bits, from: f16::from_bits, ordered: float,
        normal: f16::from_f64;
    bf16, "bf16", u16, u64, 11, bf16::ONE, to: bf16::to_bits, from: bf16::from_bits, ordered: float,
        normal: bf16::from_f64;
    i32, "i32", u32, u64, 11, 0, to: i32::cast_unsigned, from: u32::cast_signed, ordered: signed,
        normal: |z: f64| (z * f64::from(1 << 28)) as i32;
    f32, "f32", u32, u64, 11, 1.0, to: f32::to_bits, from: f32::from_bits, ordered: float,
        normal: |z: f64| z as f32;
    u64, "u64", u64, u128, 11, 1 << 63, to: |x: u64| x, from: |x: u64| x, ordered: unsigned,
        normal: |z: f64| ((8.0 + z) * (1u64 << 60) as f64) as u64;
    f64, "f64", u64, u128, 11, 1.0, to: f64::to_bits, from: f64::from_bits, ordered: float,
        normal: |z: f64| z;
}
