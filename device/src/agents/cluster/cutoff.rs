//! The cutoff: which of a block's ties win, by their indices.
//!
//! A scan in the order of the indices would say of each tie whether it wins, at the price of a barrier a tile and of keys that
//! lie in the order of threads. Instead the block searches for the place that separates winners from losers, by
//! histograms over places as it searched for the k-th cost by histograms over costs: one sweep over its keys, rarely two. After
//! that the order in which keys are visited does not matter, neither here nor in the placement.

use super::Tuning;
use super::candidates::Candidates;
use super::memory::{Memory, word};
use super::team::Team;
use crate::agents::cost::Key;
use crate::agents::open::Open;
use crate::arch::{Scope, block, thread, warp};

/// The ties of a block that are compared with each other: one for each lane of a warp, in the memory of the histogram.
const fn few<K: Key, T: Tuning>() -> u32 {
    let buckets = Memory::<K, T>::BUCKETS;
    if buckets < thread::WARP { buckets } else { thread::WARP }
}

/// Which ties of a block win: those whose place in the order of preference is below a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cutoff {
    /// What turns an index into its place, by exclusive or: all bits of an index where larger ones are preferred.
    turn: u32,
    limit: u32,
}

impl Cutoff {
    /// All ties.
    pub(super) const ALL: Self = Self { turn: 0, limit: u32::MAX };
    /// None.
    pub(super) const NONE: Self = Self { turn: 0, limit: 0 };

    /// Whether the tie at `index` wins.
    #[inline(always)]
    pub(super) fn admits(self, index: u32) -> bool {
        index ^ self.turn < self.limit
    }

    /// The cutoff that admits `wanted` of this block's `own` keys of cost `tie`, fewer than all. A few are compared with each other.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together; its histogram is empty, and a barrier has followed the last access to it.
    #[inline(always)]
    pub(super) unsafe fn find<K, T>(
        candidates: &Candidates<'_, '_, K, T>,
        team: &Team<K, T>,
        tie: K::Word,
        own: u32,
        wanted: u32,
    ) -> Self
    where
        K: Key + core::ops::BitXor<Output = K>,
        T: Tuning,
    {
        let share = candidates.share;
        let (turn, memory) = (team.turn(), share.memory);
        let is_few = own <= const { few::<K, T>() };
        let (a, b) = (share.begin() ^ turn, share.end().wrapping_sub(1) ^ turn);
        let mut open = Open { least: a.min(b), most: a.max(b), k: wanted };
        loop {
            let shift = open.shift(const { Memory::<K, T>::BUCKETS });
            let span = open.most - open.least;
            let count = |_, index: u32| {
                let place = index ^ turn;
                let offset = place.wrapping_sub(open.least);
                if is_few {
                    let at = memory.state.fetch_add(word::FEW, 1, Scope::Block);
                    memory.histogram.store(at, place);
                } else if offset <= span {
                    team.count(offset >> shift);
                }
            };
            // SAFETY: the caller's promise; the range is the same in the whole block, which resolving one synchronises.
            unsafe { candidates.each_that(|key| share.costs.cost(key) == tie, count) };
            if is_few {
                // SAFETY: the caller's promise.
                unsafe { block::sync() };
                let lane = thread::lane();
                let mine = if lane < own { memory.histogram.load(lane) } else { u32::MAX };
                let mut before = 0;
                // Where nothing was put there is nothing to count; the number of loads is known, so that none waits for another.
                for first in (0..const { few::<K, T>() }).step_by(4) {
                    for (at, &place) in memory.histogram.load16(first).0.iter().enumerate() {
                        before += u32::from(first + (at as u32) < own && place < mine);
                    }
                }
                let limit = if lane < own && before < wanted { mine + 1 } else { 0 };
                // SAFETY: the whole block is here, so the whole warp is.
                return Self { turn, limit: unsafe { warp::reduce_max(warp::ALL, limit) } };
            }
            // SAFETY: the caller's promise; the range is the same in the whole block and holds at least as many ties.
            let bucket = unsafe { team.resolve_own(open.k) };
            open = open.within(bucket.index, shift, open.k - bucket.before);
            if bucket.count == open.k {
                return Self { turn, limit: open.most + 1 };
            }
        }
    }
}
