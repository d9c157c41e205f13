//! The end of the search where few keys are left in the open range: every block sends its own to all others, together with the
//! counts that seed the placement, and ranks them among all. That takes no barrier of the team beyond the one that the counts
//! take, where another pass would take two.

use super::Tuning;
use super::candidates::Candidates;
use super::memory::{Memory, word};
use super::team::Team;
use crate::agents::cost::Key;
use crate::agents::open::Open;
use crate::arch::shared::Shared;
use crate::arch::{Scalar, Scope, thread};
use cluster_topk_abi::arch::MAX_CLUSTER_WIDTH;

/// Words of 64 bits that a key takes: its cost and its index.
const WORDS: u32 = 2;

/// The most keys of the open range, of all blocks together, that are settled so: as many as the histogram, which has done its
/// work, holds for each block. None where it is small, and none of narrow keys, of which many have the same cost.
pub(super) const fn capacity<K: Key>(buckets: u32) -> u32 {
    if K::BYTES < 4 { 0 } else { buckets / (2 * WORDS * MAX_CLUSTER_WIDTH) }
}

#[inline(always)]
fn area<K: Key, T: Tuning>(memory: Memory<K, T>) -> Shared<u64> {
    memory.histogram.cast()
}

/// The first word of key number `at` of block `rank`.
#[inline(always)]
const fn place<K: Key>(buckets: u32, rank: u32, at: u32) -> u32 {
    (rank * capacity::<K>(buckets) + at) * WORDS
}

/// Sends this block's keys of the open range to all blocks; whether this thread has sent any. The counts are to follow a
/// barrier of the block.
///
/// Any thread; the range holds at most [`capacity`] keys, and the team's histograms are empty for good.
#[inline(always)]
pub(super) fn send<K, T>(
    candidates: &Candidates<'_, '_, K, T>,
    team: &Team<K, T>,
    open: Open<K::Word>,
) -> bool
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let share = candidates.share;
    let (memory, buckets) = (share.memory, const { Memory::<K, T>::BUCKETS });
    let mut has_sent = false;
    let is_open = |key: K| {
        let cost = share.costs.cost(key);
        cost >= open.least && cost <= open.most
    };
    candidates.each_that(is_open, |key, index| {
        has_sent = true;
        let cost = share.costs.cost(key);
        let at = memory.state.fetch_add(word::FEW, 1, Scope::Block);
        if at < capacity::<K>(buckets) {
            let first = place::<K>(buckets, team.rank(), at);
            if team.alone() {
                area(memory).store(first, cost.widen());
                area(memory).store(first + 1, index.into());
            } else {
                for rank in 0..team.width() {
                    let peer = area(memory).at(rank);
                    peer.store(first, cost.widen());
                    peer.store(first + 1, index.into());
                }
            }
        }
    });
    has_sent
}

/// Sends how many keys this block has sent to block `rank`. One thread for each; after a barrier of the block that follows
/// [`send`].
#[inline(always)]
pub(super) fn send_count<K: Key, T: Tuning>(memory: Memory<K, T>, team: &Team<K, T>, rank: u32) {
    let count = memory.state.load(word::FEW);
    if team.alone() {
        memory.few_of_ranks().store(0, count);
    } else {
        memory.few_of_ranks().at(rank).store(team.rank(), count);
    }
}

/// This thread's of the keys of the open range that win: its place among them, and its index. Any thread, after the team's
/// barrier that follows [`send_count`].
#[inline(always)]
pub(super) fn settle<K: Key, T: Tuning>(
    memory: Memory<K, T>,
    team: &Team<K, T>,
    wanted: u32,
) -> Option<(u32, u32)> {
    let buckets = const { Memory::<K, T>::BUCKETS };
    let (area, counts) = (area(memory), memory.few_of_ranks());
    let turn = team.turn();
    let count = |rank: u32| counts.load(rank).min(capacity::<K>(buckets));
    let at = |rank: u32, number: u32| {
        let first = place::<K>(buckets, rank, number);
        (area.load(first), area.load(first + 1) as u32 ^ turn)
    };
    let own = thread::index();
    if own >= count(team.rank()) {
        return None;
    }
    let mine = at(team.rank(), own);
    let mut before = 0;
    for rank in 0..team.width() {
        for number in 0..count(rank) {
            before += u32::from(at(rank, number) < mine);
        }
    }
    (before < wanted).then_some((before, mine.1 ^ turn))
}
