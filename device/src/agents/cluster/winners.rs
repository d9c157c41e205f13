//! The winners: the sweep over a block's candidates that puts each into its slot.

use super::Tuning;
use super::candidates::Candidates;
use super::cutoff::{Cutoff, ranked};
use super::memory::{Memory, word};
use super::order::Order;
use super::team::Team;
use super::tile::Tile;
use crate::agents::cost::Key;
use crate::agents::open::Open;
use crate::agents::segment::Segment;
use crate::arch::{Scope, block, thread, warp};
use core::cell::Cell;

/// Which of a block's candidates win, and where they go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Winners<'c, 's, 'p, K: Key, T> {
    pub(super) candidates: &'c Candidates<'s, 'p, K, T>,
    pub(super) team: &'c Team<K, T>,
    pub(super) order: &'c Order<K, T>,
    pub(super) segment: Segment<'p, K>,
    /// What is better than its least cost wins.
    pub(super) open: Open<K::Word>,
    /// Which of those within it do.
    pub(super) cutoff: Cutoff,
}

impl<K: Key + core::ops::BitXor<Output = K>, T: Tuning> Winners<'_, '_, '_, K, T> {
    #[inline(always)]
    fn wins(&self, cost: K::Word, index: u32) -> bool {
        cost < self.open.least || (cost <= self.open.most && self.cutoff.admits(index))
    }

    #[inline(always)]
    pub(super) fn put_in(&self, slot: u32, index: u32, key: K) {
        self.order.put(&self.segment, self.candidates.share.costs, self.team, slot, index, key);
    }

    /// Puts those among the `count` listed ones. With `ranks`, ties are few, and all within the cutoff: they are gathered on the way,
    /// and compared with each other behind it.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together, after a barrier that has followed the last access to its histogram and its
    /// counters, but for reads of a counter that does not move with `ranks`.
    #[inline(always)]
    pub(super) unsafe fn put_listed(&self, count: u32, ranks: bool) {
        let (share, k) = (self.candidates.share, self.segment.selected());
        let state = share.memory.state;
        let mut from = 0;
        while from < count {
            let at = from + thread::index();
            let (mut key, mut index, mut is_ahead, mut is_tied) = (K::ZERO, 0, false, false);
            if at < count {
                (key, index) = self.candidates.item(at);
                let cost = share.costs.cost(key);
                is_ahead = cost < self.open.least;
                is_tied = !is_ahead && self.wins(cost, index);
            }
            // One claim for all of a warp's winners: its first lane's for those better than the k-th, its second's for ties.
            // SAFETY: the whole warp is here: the bounds of the loop are the same for the whole block.
            let ahead = unsafe { warp::ballot(warp::ALL, is_ahead) };
            // SAFETY: as above.
            let tied = unsafe { warp::ballot(warp::ALL, is_tied) };
            let lane = thread::lane();
            let ties = if ranks { word::FEW } else { word::BACK };
            let (counter, winners) = if lane == 0 { (word::FRONT, ahead) } else { (ties, tied) };
            let mut claimed = 0;
            if lane < 2 && winners != 0 {
                claimed = state.fetch_add(counter, winners.count_ones(), Scope::Block);
            }
            // SAFETY: as above.
            let front = unsafe { warp::shuffle(warp::ALL, claimed, 0) };
            // SAFETY: as above.
            let back = unsafe { warp::shuffle(warp::ALL, claimed, 1) };
            if is_ahead || is_tied {
                let (first, winners) = if is_ahead { (front, ahead) } else { (back, tied) };
                let slot = first + (winners & warp::lanes_below()).count_ones();
                if is_tied && ranks {
                    share.memory.histogram.store(slot, index ^ self.team.turn());
                } else if slot < k {
                    self.put_in(slot, index, key);
                }
            }
            from += const { Memory::<K, T>::THREADS };
        }
        if ranks {
            // SAFETY: the whole block is here: whether it ranks ties is the same for all of it.
            unsafe { block::sync() };
            let (back, own) = (state.load(word::BACK), state.load(word::FEW));
            if thread::index() < own {
                let (place, before) = ranked(share.memory, own);
                // The ties of all blocks take the last slots.
                if back + before < k {
                    let index = place ^ self.team.turn();
                    self.put_in(back + before, index, share.key(index));
                }
            }
        }
    }

    /// Puts those among all keys. With `is_few`, ties have been seen to.
    ///
    /// # Safety
    ///
    /// As for [`Self::put_listed`].
    #[inline(always)]
    pub(super) unsafe fn put(&self, is_few: bool) {
        let (share, k) = (self.candidates.share, self.segment.selected());
        let (state, front_total) = (share.memory.state, k - self.open.k);
        let before = state.load(word::BACK) - front_total;
        let own_front = if self.team.leads() {
            front_total - state.load(word::FRONT)
        } else {
            state.load(word::OWN_FRONT)
        };
        let own_ties = self.team.own_ties(before);
        // SAFETY: the caller's promise. The counters move after it only.
        unsafe { block::sync() };
        let ties = if is_few { 0 } else { own_ties.min(self.open.k.saturating_sub(before)) };
        if own_front + ties == 0 {
            return;
        }
        // Whether nothing but ties wins, and this thread has found their slots taken.
        let full = Cell::new(false);
        let mut put = |tile: Tile| {
            let (mut ahead, mut tied) = (0u32, 0u32);
            tile.each(|key, number| {
                // Without branches, which would have the compiler keep both in memory.
                let (cost, bit) = (share.costs.cost(key), 1 << number);
                let is_ahead = cost < self.open.least;
                let is_tied = !is_ahead & self.wins(cost, tile.index::<K>(number));
                ahead |= if is_ahead { bit } else { 0 };
                tied |= if is_tied { bit } else { 0 };
            });
            // One claim for all of a thread's winners in the tile.
            let claim = |counter: u32, winners: u32| {
                if winners == 0 { 0 } else { state.fetch_add(counter, winners.count_ones(), Scope::Block) }
            };
            let (mut front, mut back) = (claim(word::FRONT, ahead), claim(word::BACK, tied));
            full.set(full.get() | (own_front == 0 && back >= k));
            let mut winners = ahead | tied;
            while winners != 0 {
                let lowest = winners & winners.wrapping_neg();
                winners ^= lowest;
                let is_ahead = ahead & lowest != 0;
                let slot = if is_ahead { front } else { back };
                front += u32::from(is_ahead);
                back += u32::from(!is_ahead);
                if slot < k {
                    let number = lowest.trailing_zeros();
                    let (index, key) = (tile.index::<K>(number), share.key_of(&tile, number));
                    self.put_in(slot, index, key);
                }
            }
        };
        // SAFETY: the caller's promise; the counts and the cutoff are behind a barrier of the block.
        unsafe { share.vectors_until(|| full.get(), &mut put) };
        if let Some((key, index)) = share.single() {
            let cost = share.costs.cost(key);
            if self.wins(cost, index) {
                let counter = if cost < self.open.least { word::FRONT } else { word::BACK };
                let slot = state.fetch_add(counter, 1, Scope::Block);
                if slot < k {
                    self.put_in(slot, index, key);
                }
            }
        }
    }
}
