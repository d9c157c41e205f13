//! The cutoff: which of a block's ties win, by their indices.
//!
//! A few that are listed are compared with each other, on the way of the placement. Of more, a scan in the order of the indices
//! would say of each tie whether it wins, at the price of a barrier a tile and of keys that lie in the order of threads. Instead
//! the block searches for the place that separates winners from losers, by histograms over places as it searched for the k-th cost
//! by histograms over costs: one sweep over its keys, rarely two. After that the order in which keys are visited does not matter,
//! neither here nor in the placement.

use super::Tuning;
use super::candidates::Candidates;
use super::memory::Memory;
use super::team::Team;
use super::tile::Tile;
use crate::agents::cost::Key;
use crate::agents::open::Open;
use crate::arch::thread;

/// Ties of a block that are compared with each other: one for each lane of a warp, in the memory of the histogram.
pub(super) const fn rankable<K: Key, T: Tuning>() -> u32 {
    let buckets = Memory::<K, T>::BUCKETS;
    if buckets < thread::WARP { buckets } else { thread::WARP }
}

/// This lane's place among the `own` that were put into the histogram's memory, at most [`rankable`], and how many are before it. Behind
/// the last, the worst place, and all.
///
/// Any thread, after a barrier of the block that follows the last place put.
#[inline(always)]
pub(super) fn ranked<K: Key, T: Tuning>(memory: Memory<K, T>, own: u32) -> (u32, u32) {
    let lane = thread::lane();
    let mine = if lane < own { memory.histogram.load(lane) } else { u32::MAX };
    let mut before = 0;
    // Where nothing was put there is nothing to count; the number of loads is known, so that none waits for another.
    for first in (0..const { rankable::<K, T>() }).step_by(4) {
        for (at, &place) in memory.histogram.load16(first).0.iter().enumerate() {
            before += u32::from(first + (at as u32) < own && place < mine);
        }
    }
    (mine, before)
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

    /// Which keys of a tile it admits if they are ties, a bit each.
    #[inline(always)]
    pub(super) fn admitted<K: Key>(self, tile: &Tile) -> u32 {
        let lanes = const { K::PER_VEC16 as u32 };
        // The indices of a vector follow one another, and those admitted are on one side of an edge.
        let turned = self.turn != 0;
        let edge = if turned { self.turn.wrapping_add(1).wrapping_sub(self.limit) } else { self.limit };
        let of = |first: u32| {
            let below = (1 << edge.saturating_sub(first).min(lanes)) - 1;
            if turned { !below & ((1 << lanes) - 1) } else { below }
        };
        let one = of(tile.first);
        if const { Tile::keys::<K>() > K::PER_VEC16 } { one | of(tile.second) << lanes } else { one }
    }

    /// The cutoff that admits `wanted` of this block's keys of cost `tie`, fewer than all.
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
            let bucket = |key, index: u32| {
                let offset = (index ^ turn).wrapping_sub(open.least);
                let counts = share.costs.cost(key) == tie && offset <= span;
                if counts { offset >> shift } else { const { Team::<K, T>::ASIDE } }
            };
            // SAFETY: the caller's promise; the range is the same in the whole block, which resolving one synchronises.
            unsafe { candidates.count(team, bucket) };
            // SAFETY: the caller's promise; the range is the same in the whole block and holds at least as many ties.
            let bucket = unsafe { team.resolve_own(open.k) };
            open = open.within(bucket.index, shift, open.k - bucket.before);
            if bucket.count == open.k {
                return Self { turn, limit: open.most + 1 };
            }
        }
    }
}
