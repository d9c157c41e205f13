//! A bound for a large k: a sample of the keys guesses the k-th from below.
//!
//! A guess it is: the sample is taken at fixed places, so keys can be laid out to mislead it. Whoever uses the bound counts
//! what lies above it and comes back for a lower one if that is too little; speed is at stake, never the answer.

use super::ranks::Ranks;

/// A rank that about k keys of the segment are above: rather a few too many, by `slack` steps of caution. `None` where the
/// sample has nothing that low.
///
/// `sample` is scratch memory.
pub(super) fn bound<S: Ranks>(ranks: S, k: usize, slack: u32, sample: &mut Vec<S::Rank>) -> Option<S::Rank> {
    let len = ranks.len();
    // len^(3/4) / 2: costs little beside the pass over all keys, and guesses the better the longer the segment is.
    let root = len.isqrt();
    let size = (root * root.isqrt() / 2).max(64);
    let expected = (k as u64 * size as u64 / len as u64) as usize;
    // The number of sampled keys among the k best has a standard deviation of at most the root of its expectation.
    let place = expected + ((5 * expected.isqrt() / 2 + 2) << slack.min(16));
    if place >= size {
        return None;
    }
    sample.clear();
    // Multiples of the golden ratio: evenly spread, and in step with no period that the keys may have.
    sample.extend((0..size as u32).map(|i| {
        let fraction = i.wrapping_mul(0x9E37_79B9);
        ranks.rank(((u64::from(fraction) * len as u64) >> 32) as usize)
    }));
    let (_, &mut bound, _) = sample.select_nth_unstable_by(place, |a, b| b.cmp(a));
    Some(bound)
}
