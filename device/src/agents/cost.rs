//! Keys as costs: register words that are smaller the better a key is.
//!
//! The order-preserving map gives bits that grow with the key; xor with the direction's mask turns them around where the
//! largest keys are wanted. −0.0 is folded into +0.0 before that, so the fold holds in both directions. A cost says all
//! about a key but the sign of a zero, which is why winners are written from the key itself.

use crate::arch::Scalar;
use crate::arch::shared::Shared;
use crate::arch::warp::Shuffle;
use cluster_topk_abi::key_order::{KeyBits, KeyMasks};
use cluster_topk_abi::params::KernelParams;

/// What a cost is held in: a register, or two.
pub trait Word: Scalar + Shuffle + Ord {
    /// The worst cost; what slots without a key hold.
    const WORST: Self;
    /// The best cost.
    const BEST: Self;
    /// Whether the warp's minimum is one instruction.
    const REDUCES: bool;
    /// `self - other`, `other` ≤ `self`.
    fn minus(self, other: Self) -> Self;
    /// `self + other`, or [`WORST`](Self::WORST) where that overflows.
    fn plus(self, other: Self) -> Self;
    /// `self >> by`, `by` below the width.
    fn shr(self, by: u32) -> Self;
    /// `value << by`, `by` below the width; no bit is lost.
    fn shifted(value: u32, by: u32) -> Self;
    /// The low half.
    fn low(self) -> u32;
    /// How many bits hold the value: 0 for 0.
    fn significant(self) -> u32;
    /// The order-preserving map of a key whose sign is bit `sign`, turned: `self ^ ((sign ? m1 : 0) | m2) ^ turn`. The masks
    /// are combined so that two are left to keep.
    fn mapped(self, sign: u32, m1: Self, m2: Self, turn: Self) -> Self;
    /// The smallest value over the whole warp, which calls together.
    ///
    /// # Safety
    ///
    /// All 32 lanes execute this call together.
    unsafe fn warp_min(self) -> Self;
    /// The largest value over the whole warp.
    ///
    /// # Safety
    ///
    /// All 32 lanes execute this call together.
    unsafe fn warp_max(self) -> Self;
}

macro_rules! words {
    ($($t:ident, $signed:ident: $min:expr, $max:expr;)*) => {$(
        impl Word for $t {
            const WORST: Self = $t::MAX;
            const BEST: Self = 0;
            const REDUCES: bool = $t::BITS == 32;
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.saturating_add(other)
            }
            #[inline(always)]
            fn shr(self, by: u32) -> Self {
                self.wrapping_shr(by)
            }
            #[inline(always)]
            fn shifted(value: u32, by: u32) -> Self {
                $t::from(value).wrapping_shl(by)
            }
            #[inline(always)]
            fn low(self) -> u32 {
                self as u32
            }
            #[inline(always)]
            fn significant(self) -> u32 {
                $t::BITS - self.leading_zeros()
            }
            #[inline(always)]
            fn mapped(self, sign: u32, m1: Self, m2: Self, turn: Self) -> Self {
                const TOP: u32 = $t::BITS - 1;
                let spread = (self.wrapping_shl(TOP - sign) as $signed).wrapping_shr(TOP) as $t;
                self ^ (spread & (m1 & !m2)) ^ (m2 ^ turn)
            }
            #[inline(always)]
            unsafe fn warp_min(self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $min(self) }
            }
            #[inline(always)]
            unsafe fn warp_max(self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $max(self) }
            }
        }
    )*};
}
words! {
    u32, i32: |value| crate::arch::warp::reduce_min(crate::arch::warp::ALL, value),
         |value| crate::arch::warp::reduce_max(crate::arch::warp::ALL, value);
    u64, i64: |value| crate::primitives::warp_reduce(value, core::cmp::min),
         |value| crate::primitives::warp_reduce(value, core::cmp::max);
}

/// The bits of a key as they lie in memory.
pub trait Key: Scalar + KeyBits {
    /// What its cost is held in.
    type Word: Word;
    /// The bits, widened.
    fn word(self) -> Self::Word;
}

macro_rules! keys {
    ($($t:ty => $word:ty),*) => {$(
        impl Key for $t {
            type Word = $word;
            #[inline(always)]
            fn word(self) -> $word {
                self.into()
            }
        }
    )*};
}
keys!(u8 => u32, u16 => u32, u32 => u32, u64 => u64);

/// The map from keys to costs of one call.
#[derive(Clone, Copy, Debug)]
pub struct Costs<K: Key> {
    masks: KeyMasks<K>,
    turn: K,
}

impl<K: Key + core::ops::BitXor<Output = K>> Costs<K> {
    /// The map that the parameters ask for.
    #[inline(always)]
    pub fn of(params: &KernelParams) -> Self {
        let turn = <K as KeyBits>::from_u64(params.flags.direction().mask());
        Self { masks: K::narrow_masks(params.key_masks), turn }
    }

    /// Words that [`store`](Self::store) takes.
    pub const WORDS: u32 = 4;

    /// Keeps the map in shared memory. One thread.
    #[inline(always)]
    pub fn store(self, words: Shared<K>) {
        words.store(0, self.masks.m1);
        words.store(1, self.masks.m2);
        words.store(2, self.masks.negative_zero);
        words.store(3, self.turn);
    }

    /// The map that was kept. Any thread, after a barrier.
    #[inline(always)]
    pub fn load(words: Shared<K>) -> Self {
        let masks = KeyMasks { m1: words.load(0), m2: words.load(1), negative_zero: words.load(2) };
        Self { masks, turn: words.load(3) }
    }

    /// The cost of a key.
    #[inline(always)]
    pub fn cost(self, key: K) -> K::Word {
        let bits = key.word();
        self.of_bits(if bits == self.masks.negative_zero.word() { K::Word::BEST } else { bits })
    }

    /// By words, even where keys are narrower: a GPU has no narrower arithmetic.
    #[inline(always)]
    fn of_bits(self, bits: K::Word) -> K::Word {
        bits.mapped(K::WIDTH.bits() - 1, self.masks.m1.word(), self.masks.m2.word(), self.turn.word())
    }

    /// The cost of a key by its bits alone, −0.0 beside +0.0 but apart from it: two instructions less where every key counts.
    #[inline(always)]
    pub fn strict(self, key: K) -> K::Word {
        self.of_bits(key.word())
    }

    /// The strict and the true cost of the pattern that is read as zero; the same where there is none.
    #[inline(always)]
    fn zeros(self) -> (K::Word, K::Word) {
        (self.strict(self.masks.negative_zero), self.cost(K::ZERO))
    }

    /// A lower and an upper limit of strict costs as limits of the true ones of the same keys.
    #[inline(always)]
    pub fn folded(self, least: K::Word, most: K::Word) -> (K::Word, K::Word) {
        let (strict, zero) = self.zeros();
        (
            if least == strict { least.min(zero) } else { least },
            if strict <= most { most.max(zero) } else { most },
        )
    }

    /// The least limit of strict costs that no key of a true cost of at most `most` exceeds.
    #[inline(always)]
    pub fn strict_most(self, most: K::Word) -> K::Word {
        let (strict, zero) = self.zeros();
        if zero <= most { most.max(strict) } else { most }
    }

    /// The key of a cost, or `None` if it is a zero: −0.0 and +0.0 cost the same.
    #[inline(always)]
    pub fn key(self, cost: K::Word) -> Option<K> {
        let key = K::from_ordered(<K as Scalar>::truncate(cost.widen()) ^ self.turn, self.masks);
        if key == K::ZERO { None } else { Some(key) }
    }
}
