//! The distributions of keys that are measured.

use crate::bench_key::BenchKey;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// A distribution of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Normally distributed around the middle of the type.
    Normal,
    /// Every bit pattern equally often: for floats infinities and NaNs among them.
    UniformBits,
    /// [`Normal`](Self::Normal), each segment ascending: the largest come last.
    Sorted,
    /// [`Normal`](Self::Normal), each segment descending: the largest come first.
    Reversed,
    /// One key, over and over.
    AllEqual,
    /// Keys that agree in their top 11 bits (bytes: 4).
    Clustered,
    /// Four keys, over and over, in random order.
    FewDistinct,
}

impl Distribution {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Normal,
        Self::UniformBits,
        Self::Sorted,
        Self::Reversed,
        Self::AllEqual,
        Self::Clustered,
        Self::FewDistinct,
    ];

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::UniformBits => "uniform-bits",
            Self::Sorted => "sorted",
            Self::Reversed => "reversed",
            Self::AllEqual => "all-equal",
            Self::Clustered => "clustered",
            Self::FewDistinct => "few-distinct",
        }
    }

    /// `segments` segments of `length` keys, the same ones for the same arguments.
    #[must_use]
    pub fn keys<K: BenchKey>(self, segments: usize, length: usize) -> Vec<K> {
        (0..segments as u64).flat_map(|segment| self.segment(segment, length)).collect()
    }

    /// The `length` keys of segment `segment`, the same ones for the same arguments.
    #[must_use]
    pub fn segment<K: BenchKey>(self, segment: u64, length: usize) -> Vec<K> {
        let mut rng = SmallRng::seed_from_u64(segment);
        let mut keys: Vec<K> = (0..length)
            .map(|_| match self {
                Self::Normal | Self::Sorted | Self::Reversed => K::at_deviation(deviation(&mut rng)),
                Self::UniformBits => K::from_low_bits(rng.random()),
                Self::AllEqual => K::at_deviation(1.0),
                Self::Clustered => K::clustered(rng.random()),
                Self::FewDistinct => K::at_deviation(f64::from(rng.random_range(0..4))),
            })
            .collect();
        match self {
            Self::Sorted => keys.sort_unstable_by(|a, b| a.key_cmp(*b)),
            Self::Reversed => keys.sort_unstable_by(|a, b| b.key_cmp(*a)),
            _ => {}
        }
        keys
    }
}

/// A standard normal deviate, after Box and Muller.
fn deviation(rng: &mut SmallRng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (core::f64::consts::TAU * rng.random::<f64>()).cos()
}
