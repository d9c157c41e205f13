//! The quantile: a range that probably holds the k-th cost, from a few keys.
//!
//! Of a large part of the keys, the last is about where it is among any few hundred of them. Every block looks at the same ones, so all
//! come to the same range without a word. The first pass then has its buckets where they are needed, and what is outside the range
//! counts into the first and the last, so that a range that misses the k-th costs a pass, and no more.

use crate::agents::cluster::Tuning;
use crate::agents::cluster::memory::{Memory, word};
use crate::agents::cluster::team::{Team, scan_buckets, wanted};
use crate::agents::cost::{Costs, Key, Word};
use crate::agents::open::Open;
use crate::agents::segment::Segment;
use crate::arch::{Vec16, block, thread};

/// Keys that are looked at side by side, since memory gives no fewer.
const NEIGHBOURS: u32 = 8;

/// This thread's of the few keys, or `None` if the segment has no more than these: to be loaded before anything else keeps the memory
/// busy.
#[inline(always)]
pub(super) fn sample<K, T>(segment: &Segment<'_, K>) -> Option<K>
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let places = const { Memory::<K, T>::THREADS / NEIGHBOURS };
    let (place, nth) = (thread::index() / NEIGHBOURS, thread::index() % NEIGHBOURS);
    let apart = segment.len() / places;
    (apart >= NEIGHBOURS).then(|| segment.load_key(place * apart + nth))
}

/// Bits of a number whose product with the number of keys looked at fits 32.
const fn samples_leave_bits<K: Key, T: Tuning>() -> u32 {
    Memory::<K, T>::THREADS.leading_zeros()
}

/// The range that holds the `k`-th cost of `len` keys, going by the `sampled` ones, if buckets are wider than a cost; all costs otherwise.
///
/// # Safety
///
/// All threads of the block call it together, with what [`sample`] has given; the histogram is empty, and a barrier of the block has
/// followed the last access to it and to the scratch.
#[inline(always)]
pub(super) unsafe fn range<K, T>(
    team: &Team<K, T>,
    memory: Memory<K, T>,
    costs: Costs<K>,
    len: u32,
    k: u32,
    sampled: Option<K>,
) -> Open<K::Word>
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let all = Open { least: K::Word::BEST, most: K::ONES.word(), k };
    let (buckets, samples) = const { (Memory::<K, T>::BUCKETS, Memory::<K, T>::THREADS) };
    let shift = all.shift(buckets);
    let Some(key) = sampled else { return all };
    if shift == 0 {
        return all;
    }
    team.count(costs.cost(key).shr(shift).low());
    // Where it is to be expected, and at least three standard deviations to either side, of which none is above 12.
    let scale = (u32::BITS - len.leading_zeros()).saturating_sub(const { samples_leave_bits::<K, T>() });
    let expected = ((k >> scale) * samples / (len >> scale).max(1)).min(samples);
    let margin = (expected.min(samples - expected) / 2 + 4).min(36);
    let (low, high) = (expected.saturating_sub(margin), expected + margin);
    let own_first = thread::index() * 4;
    let mut counts = Vec16([0; 4]);
    // SAFETY: the caller's promise.
    unsafe { block::sync() };
    if own_first < buckets {
        counts = memory.histogram.load16(own_first);
        memory.histogram.store16(own_first, Vec16([0; 4]));
    }
    // SAFETY: the caller's promise.
    let mut before = unsafe { scan_buckets::<K, T>(memory.scan, counts) };
    for (at, &count) in counts.0.iter().enumerate() {
        let bucket = own_first + at as u32;
        if wanted(low, before, count).is_some() {
            memory.state.store(word::FOUND, bucket);
        }
        if wanted(high, before, count).is_some() {
            memory.state.store(word::FOUND + 1, bucket);
        }
        before = before.wrapping_add(count);
    }
    // SAFETY: the caller's promise.
    unsafe { block::sync() };
    let found = |nth: u32| all.within(memory.state.load(word::FOUND + nth), shift, k);
    Open {
        least: if low == 0 { all.least } else { found(0).least },
        most: if high > samples { all.most } else { found(1).most },
        k,
    }
}
