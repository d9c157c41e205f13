//! Passes over all keys of a segment that keep few of them.

use super::ranks::Ranks;
use super::select::{Rules, Winner};
use core::ops::Range;
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

/// Keys that are compared at once: one bit each of a word says which passed.
const BLOCK: usize = 64;
/// Keys that one thread takes at a time.
const STRIPE: usize = 1 << 16;

/// Appends every key above `bound`; `threads` says whether other threads may help.
pub(super) fn above<S: Ranks, W: Winner<S::Rank>>(
    ranks: S,
    bound: S::Rank,
    rules: Rules,
    threads: bool,
    out: &mut Vec<W>,
) {
    let arch = Arch::new();
    if !threads {
        return arch.dispatch(Above { ranks, keys: 0..ranks.len(), bound, rules, out });
    }
    let stripes: Vec<Vec<W>> = (0..ranks.len().div_ceil(STRIPE))
        .into_par_iter()
        .map(|stripe| {
            let mut out = Vec::new();
            let keys = stripe * STRIPE..ranks.len().min((stripe + 1) * STRIPE);
            arch.dispatch(Above { ranks, keys, bound, rules, out: &mut out });
            out
        })
        .collect();
    stripes.iter().for_each(|stripe| out.extend_from_slice(stripe));
}

/// Appends the keys above `bound` in a range.
struct Above<'o, S: Ranks, W> {
    ranks: S,
    keys: Range<usize>,
    bound: S::Rank,
    rules: Rules,
    out: &'o mut Vec<W>,
}

impl<S: Ranks, W: Winner<S::Rank>> NullaryFnOnce for Above<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { ranks, keys, bound, rules, out } = self;
        let mut start = keys.start;
        while start + BLOCK <= keys.end {
            let block = ranks.block::<BLOCK>(start);
            let mut passed = [0; BLOCK];
            for (passed, rank) in passed.iter_mut().zip(block) {
                *passed = u8::from(rank > bound);
            }
            let mut passed = bits(&passed);
            while passed != 0 {
                let i = start + passed.trailing_zeros() as usize;
                out.push(W::new(rules, ranks.rank(i), i));
                passed &= passed - 1;
            }
            start += BLOCK;
        }
        for i in start..keys.end {
            if ranks.rank(i) > bound {
                out.push(W::new(rules, ranks.rank(i), i));
            }
        }
    }
}

/// Bit i is flag i; flags are 0 or 1.
#[inline(always)]
fn bits(flags: &[u8; BLOCK]) -> u64 {
    if flags.iter().fold(0, |any, flag| any | flag) == 0 {
        return 0;
    }
    let mut bits = 0;
    for eight in flags.as_chunks::<8>().0.iter().rev() {
        // The product moves bit 8i of the word to bit 56 + i, and no two bits of it meet.
        bits = bits << 8 | u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    }
    bits
}

/// Calls `found` with the first `wanted` of the keys that are equal to `bound`, in index order, or with the last ones, from
/// the end, if `from_end`. Returns how many there were.
pub(super) fn equal_to<S: Ranks>(
    ranks: S,
    keys: Range<usize>,
    bound: S::Rank,
    wanted: usize,
    from_end: bool,
    found: impl FnMut(usize),
) -> usize {
    Arch::new().dispatch(EqualTo { ranks, keys, bound, wanted, from_end, found })
}

/// The work of [`equal_to`].
struct EqualTo<S: Ranks, F> {
    ranks: S,
    keys: Range<usize>,
    bound: S::Rank,
    wanted: usize,
    from_end: bool,
    found: F,
}

impl<S: Ranks, F: FnMut(usize)> NullaryFnOnce for EqualTo<S, F> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let Self { ranks, keys, bound, wanted, from_end, mut found } = self;
        let mut left = wanted;
        let blocks = keys.len().div_ceil(BLOCK);
        for step in 0..blocks {
            if left == 0 {
                break;
            }
            let block = if from_end { blocks - 1 - step } else { step };
            let start = keys.start + block * BLOCK;
            let mut equal = [0; BLOCK];
            if start + BLOCK <= keys.end {
                for (equal, rank) in equal.iter_mut().zip(ranks.block::<BLOCK>(start)) {
                    *equal = u8::from(rank == bound);
                }
            } else {
                for (equal, i) in equal.iter_mut().zip(start..keys.end) {
                    *equal = u8::from(ranks.rank(i) == bound);
                }
            }
            let mut equal = bits(&equal);
            while equal != 0 && left > 0 {
                let bit = if from_end { equal.ilog2() } else { equal.trailing_zeros() };
                found(start + bit as usize);
                equal ^= 1 << bit;
                left -= 1;
            }
        }
        wanted - left
    }
}
