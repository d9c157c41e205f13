//! The answer over one segment of millions of keys: the k-th by `select_nth_unstable`, then one look at each key.
//!
//! The [`oracle`](crate::oracle) sorts, which takes seconds here; this is compared with it over short segments.

use crate::key::TestKey;
use crate::oracle::best_first;
use crate::request::{Direction, Order, Pair, Requirement, Tie};
use core::cmp::Ordering;

/// The keys that must be selected, and those of which some must be.
#[derive(Clone, Debug)]
pub struct Expected<K> {
    /// How many items are selected: at least one, and at most the segment's.
    pub k: usize,
    /// Indices of the keys better than the k-th, ascending, each with its key.
    pub better: Vec<(u32, K)>,
    /// The same of the keys that tie with the k-th.
    pub tied: Vec<(u32, K)>,
}

impl<K: TestKey> Expected<K> {
    /// Of `keys`, which are as many as `k` at least.
    ///
    /// # Panics
    ///
    /// When they are fewer, or `k` is 0.
    #[must_use]
    pub fn of(keys: &[K], k: usize, direction: Direction) -> Self {
        let mut some = keys.to_vec();
        let (_, &mut kth, _) = some.select_nth_unstable_by(k - 1, |&l, &r| best_first(direction, l, r));
        let of = |wanted: Ordering| -> Vec<(u32, K)> {
            let indexed = (0u32..).zip(keys.iter().copied());
            indexed.filter(|&(_, key)| best_first(direction, key, kth) == wanted).collect()
        };
        Self { k, better: of(Ordering::Less), tied: of(Ordering::Equal) }
    }

    /// The set that a tie-break pins, ascending.
    fn pinned(&self, tie: Tie) -> Vec<(u32, K)> {
        let places = self.k - self.better.len();
        let tied = match tie {
            Tie::Smaller => &self.tied[..places],
            Tie::Larger => &self.tied[self.tied.len() - places..],
        };
        let mut set = [&self.better, tied].concat();
        set.sort_unstable_by_key(|&(index, _)| index);
        set
    }

    /// Checks unsorted items, each an index and the key written beside it, under `pair`: the set, and the keys bit for bit.
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub fn check(&self, mut items: Vec<(u32, K)>, pair: Pair) -> Result<(), String> {
        items.sort_unstable_by_key(|&(index, _)| index);
        let bits = |items: &[(u32, K)]| -> Vec<(u32, u64)> {
            items.iter().map(|&(index, key)| (index, key.bits())).collect()
        };
        let given = bits(&items);
        if given.len() != self.k {
            return Err(format!("{} items instead of {}", given.len(), self.k));
        }
        if let Some(tie) = Requirement::of(pair, Order::Unsorted).tie() {
            let wanted = bits(&self.pinned(tie));
            return match given.iter().zip(&wanted).find(|(given, wanted)| given != wanted) {
                Some((given, wanted)) => Err(format!("index and bits {given:x?} instead of {wanted:x?}")),
                None => Ok(()),
            };
        }
        if let Some(pair) = given.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("index {} twice", pair[0].0));
        }
        let among = |items: &[(u32, K)]| {
            let items = bits(items);
            given.iter().filter(|item| items.binary_search(item).is_ok()).count()
        };
        let (better, tied) = (among(&self.better), among(&self.tied));
        if (better, better + tied) == (self.better.len(), self.k) {
            Ok(())
        } else {
            Err(format!("{better} of the {} better keys, and {tied} ties", self.better.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::{Distribution, keys, rng};
    use crate::oracle::winners;
    use rand::RngExt;

    const PAIRS: [Pair; 5] =
        [Pair::NotGuaranteed, Pair::RunToRun, Pair::GpuToGpu, Pair::Smaller, Pair::Larger];

    /// The oracle's winners pass; with one of them replaced, repeated, left out or of other bits they do not.
    #[test]
    fn agrees_with_the_oracle_and_finds_faults() {
        let mut pinned = 0;
        for seed in 0..400 {
            let rng = &mut rng(seed);
            let distribution = Distribution::ALL[seed as usize % Distribution::ALL.len()];
            let len = rng.random_range(2..60);
            let some: Vec<f32> = keys(rng, distribution, len);
            let k = rng.random_range(1..len);
            let direction = if rng.random() { Direction::Largest } else { Direction::Smallest };
            let expected = Expected::of(&some, k, direction);
            for pair in PAIRS {
                let tie = Requirement::of(pair, Order::Unsorted).tie();
                let set = winners(&some, k, direction, tie.unwrap_or(Tie::Larger));
                let items: Vec<(u32, f32)> = set.iter().map(|&i| (i as u32, some[i])).collect();
                assert_eq!(expected.check(items.clone(), pair), Ok(()), "seed {seed}");

                let at = rng.random_range(0..k);
                let out = (0..len).find(|i| !set.contains(i)).expect("k is below the length");
                let mut other = items.clone();
                other[at] = (out as u32, some[out]);
                // An equal key may take the place of one that ties, unless the tie-break says which.
                let may = tie.is_none() && some[out].order(some[set[at]]).is_eq();
                assert_eq!(expected.check(other, pair).is_ok(), may, "seed {seed} {pair:?}");
                pinned += u32::from(tie.is_some() && some[out].order(some[set[at]]).is_eq());

                let mut flipped = items.clone();
                flipped[at].1 = f32::from_bits(flipped[at].1.to_bits() ^ 1 << 31);
                assert!(expected.check(flipped, pair).is_err(), "seed {seed}");
                assert!(expected.check(items[1..].to_vec(), pair).is_err(), "seed {seed}");
                if k > 1 {
                    let mut twice = items;
                    twice[at] = twice[(at + 1) % k];
                    assert!(expected.check(twice, pair).is_err(), "seed {seed}");
                }
            }
        }
        assert!(pinned > 100, "too few ties were left out");
    }
}
