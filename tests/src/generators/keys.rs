//! Keys of every distribution that has broken a selection somewhere.

use super::pick;
use crate::key::TestKey;
use rand::RngExt;
use rand::rngs::StdRng;

/// How keys are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Uniform bits: for floats a few NaNs of both signs.
    Bits,
    /// The special values of the type.
    Special,
    /// Around one boundary key: half of the keys equal it (±0 mixed where it is 0), the rest is above or below.
    Boundary,
    /// Ascending.
    Sorted,
    /// Descending.
    Reversed,
    /// All the same.
    AllEqual,
    /// One top digit, everything below it uniform.
    Clustered,
    /// Equal but for the last four bits.
    LastBits,
    /// Two to sixteen different keys.
    FewDistinct,
    /// Mostly one key, a few outliers.
    Outliers,
}

impl Distribution {
    /// All ten.
    pub const ALL: [Self; 10] = [
        Self::Bits,
        Self::Special,
        Self::Boundary,
        Self::Sorted,
        Self::Reversed,
        Self::AllEqual,
        Self::Clustered,
        Self::LastBits,
        Self::FewDistinct,
        Self::Outliers,
    ];

    /// The ones that tie a lot.
    pub const TIES: [Self; 6] =
        [Self::Special, Self::Boundary, Self::AllEqual, Self::LastBits, Self::FewDistinct, Self::Outliers];

    /// A distribution; a third of them from [`TIES`](Self::TIES).
    pub fn random(rng: &mut StdRng) -> Self {
        if rng.random_bool(1.0 / 3.0) { pick(rng, &Self::TIES) } else { pick(rng, &Self::ALL) }
    }
}

/// Zeros, extremes, and for floats infinities, subnormals and NaNs of both signs with payloads.
#[must_use]
pub fn specials<K: TestKey>() -> Vec<K> {
    let top = 1u64 << (K::BITS - 1);
    let mut bits = vec![0, 1, 2, top, top | 1, top - 1, top - 2, u64::MAX, u64::MAX - 1];
    if K::FLOAT {
        let mantissa = match K::NAME {
            "f16" => 10,
            "bf16" => 7,
            "f32" => 23,
            _ => 52,
        };
        let infinity = (top - 1) >> mantissa << mantissa;
        let quiet = infinity | 1 << (mantissa - 1);
        let one = (infinity >> 1) & !((1 << mantissa) - 1);
        for positive in [
            infinity,
            infinity - 1,
            infinity | 1,
            quiet,
            quiet | 1,
            quiet | 5,
            one,
            1 << mantissa,
            (1 << mantissa) - 1,
        ] {
            bits.extend([positive, positive | top]);
        }
    }
    bits.into_iter().map(K::from_bits64).collect()
}

/// `n` keys of a distribution.
pub fn keys<K: TestKey>(rng: &mut StdRng, distribution: Distribution, n: usize) -> Vec<K> {
    let specials = specials::<K>();
    let any = |rng: &mut StdRng| K::from_bits64(rng.random());
    let mut some: Vec<K> = match distribution {
        Distribution::Bits | Distribution::Sorted | Distribution::Reversed => {
            (0..n).map(|_| any(rng)).collect()
        }
        Distribution::Special => (0..n).map(|_| pick(rng, &specials)).collect(),
        Distribution::Boundary => {
            let boundary = if rng.random_bool(0.5) { pick(rng, &specials) } else { any(rng) };
            let sign = 1u64 << (K::BITS - 1);
            let zero = K::FLOAT && boundary.order(K::from_bits64(0)).is_eq();
            let key = |rng: &mut StdRng| {
                if rng.random_bool(0.5) {
                    let flip = if zero && rng.random() { sign } else { 0 };
                    K::from_bits64(boundary.bits() ^ flip)
                } else if rng.random_bool(0.3) {
                    // Neighbours of the boundary.
                    K::from_bits64(boundary.bits().wrapping_add(rng.random_range(0..5)).wrapping_sub(2))
                } else {
                    any(rng)
                }
            };
            (0..n).map(|_| key(rng)).collect()
        }
        Distribution::AllEqual => {
            let one = if rng.random_bool(0.5) { pick(rng, &specials) } else { any(rng) };
            vec![one; n]
        }
        Distribution::Clustered | Distribution::LastBits => {
            let fixed = if distribution == Distribution::LastBits { K::BITS - 4 } else { K::BITS / 3 };
            let (base, low): (u64, u64) = (rng.random(), (1 << (K::BITS - fixed)) - 1);
            (0..n).map(|_| K::from_bits64(base & !low | rng.random::<u64>() & low)).collect()
        }
        Distribution::FewDistinct => {
            let few: Vec<K> = (0..rng.random_range(2..=16))
                .map(|_| if rng.random() { any(rng) } else { pick(rng, &specials) })
                .collect();
            (0..n).map(|_| pick(rng, &few)).collect()
        }
        Distribution::Outliers => {
            let usual = any(rng);
            (0..n).map(|_| if rng.random_bool(0.02) { any(rng) } else { usual }).collect()
        }
    };
    match distribution {
        Distribution::Sorted => some.sort_by(|&l, &r| l.order(r)),
        Distribution::Reversed => some.sort_by(|&l, &r| r.order(l)),
        _ => {}
    }
    some
}
