//! The cutoff: which of a block's ties win, by their indices.
//!
//! A scan in the order of the indices would say of each tie whether it wins, at the price of a barrier a tile and of keys that
//! lie in the order of threads. Instead the block searches for the place that separates winners from losers, by
//! histograms over places as it searched for the k-th cost by histograms over costs: one sweep over its keys, rarely two. After
//! that the order in which keys are visited does not matter, neither here nor in the placement.

use super::Tuning;
use super::candidates::Candidates;
use super::memory::Memory;
use super::team::Team;
use crate::agents::cost::Key;
use crate::agents::open::Open;

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

    /// The cutoff that admits `wanted` of this block's keys of cost `tie`, of which there are more.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together; its histogram is empty, and a barrier has followed the last access to it.
    #[inline(always)]
    pub(super) unsafe fn find<K, T>(
        candidates: &Candidates<'_, '_, K, T>,
        team: &Team<K, T>,
        tie: K::Word,
        wanted: u32,
    ) -> Self
    where
        K: Key + core::ops::BitXor<Output = K>,
        T: Tuning,
    {
        let share = candidates.share;
        let turn = team.turn();
        let (a, b) = (share.begin() ^ turn, share.end().wrapping_sub(1) ^ turn);
        let mut open = Open { least: a.min(b), most: a.max(b), k: wanted };
        loop {
            let shift = open.shift(const { Memory::<K, T>::BUCKETS });
            let span = open.most - open.least;
            candidates.each_that(
                |key| share.costs.cost(key) == tie,
                |_, index| {
                    let offset = (index ^ turn).wrapping_sub(open.least);
                    if offset <= span {
                        team.count(offset >> shift);
                    }
                },
            );
            // SAFETY: the caller's promise; the range is the same in the whole block and holds at least as many ties.
            let bucket = unsafe { team.resolve_own(open.k) };
            open = open.within(bucket.index, shift, open.k - bucket.before);
            if bucket.count == open.k {
                return Self { turn, limit: open.most + 1 };
            }
        }
    }
}
