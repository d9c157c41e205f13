//! Seeded generators of keys and of requests.

mod keys;
mod requests;

pub use keys::{Distribution, keys, specials};
pub use requests::{Case, case};

use rand::RngExt;
use rand::rngs::StdRng;

/// The generator of a seed.
#[must_use]
pub fn rng(seed: u64) -> StdRng {
    rand::SeedableRng::seed_from_u64(seed)
}

/// A length with a uniform logarithm, `0..=max`.
pub fn log_uniform(rng: &mut StdRng, max: usize) -> usize {
    let exponent = rng.random_range(0.0..=((max + 1) as f64).log2());
    (exponent.exp2() as usize).saturating_sub(1).min(max)
}

/// One of `choices`.
pub fn pick<T: Clone>(rng: &mut StdRng, choices: &[T]) -> T {
    choices[rng.random_range(0..choices.len())].clone()
}
