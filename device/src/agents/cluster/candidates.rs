//! The candidates: the keys of a block that may be among the winners.
//!
//! Once the k-th cost is bounded, few keys are. They fit a list with their indices, and what follows looks at the list instead of
//! at all keys. Each block decides for itself whether its candidates fit; where they do not, it goes on looking at all of its keys.

use super::Tuning;
use super::memory::word;
use super::share::Share;
use super::team::Team;
use super::tile::Tile;
use crate::agents::cost::Key;
use crate::arch::{Scope, block, opaque, thread};
use crate::primitives::strided;

/// The candidates of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidates<'s, 'p, K: Key, T> {
    pub(super) share: &'s Share<'p, K, T>,
    /// How many are listed; all keys if none is.
    listed: Option<u32>,
}

impl<'s, 'p, K: Key + core::ops::BitXor<Output = K>, T: Tuning> Candidates<'s, 'p, K, T> {
    /// All keys.
    #[inline(always)]
    pub(super) fn all(share: &'s Share<'p, K, T>) -> Self {
        Self { share, listed: None }
    }

    /// The keys of a cost of at most `most`: listed, if they fit.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together, once.
    #[inline(always)]
    pub(super) unsafe fn within(share: &'s Share<'p, K, T>, most: K::Word) -> Self {
        let (state, list) = (share.memory.state, share.memory.list);
        let most = share.costs.strict_most(most);
        let within = |tile: &Tile| {
            let mut within = 0u32;
            tile.each(|key, number| within |= if share.costs.strict(key) <= most { 1 << number } else { 0 });
            within
        };
        // Which of a tile's keys a thread adds is not known when it is compiled: they are looked up in their slots again.
        let mut look_up = |tile: Tile| {
            let mut rest = within(&tile);
            if rest != 0 {
                // One claim for all of them.
                let mut at = claim(share, rest.count_ones());
                while rest != 0 {
                    let number = rest.trailing_zeros();
                    let index = tile.index::<K>(number);
                    share.list(at, index, share.key_in_slot(&tile, number));
                    rest &= rest - 1;
                    at += 1;
                }
            }
        };
        if const { T::STREAMS } {
            // SAFETY: the caller's promise.
            unsafe { share.stream::<true>(false, &mut look_up) };
        } else {
            share.resident(0, share.resident, &mut look_up);
        }
        share.overflow(&mut |tile: Tile| {
            let within = within(&tile);
            if within != 0 {
                let mut at = claim(share, within.count_ones());
                tile.each(|key, number| {
                    if within & (1 << number) != 0 {
                        share.list(at, tile.index::<K>(number), key);
                        at += 1;
                    }
                });
            }
        });
        if let Some((key, index)) = share.single()
            && share.costs.strict(key) <= most
        {
            share.list(claim(share, 1), index, key);
        }
        // SAFETY: the caller's promise.
        unsafe { block::sync() };
        let count = state.load(word::LISTED);
        Self { share, listed: (count <= list.len()).then_some(count) }
    }

    /// Those within a range that an early [placement](super::place::write) has listed, if they fit.
    ///
    /// Any thread, after a barrier of the block.
    #[inline(always)]
    pub(super) fn listed_within(share: &'s Share<'p, K, T>) -> Self {
        let count = share.memory.state.load(word::LISTED);
        Self { share, listed: (count <= share.memory.list.len()).then_some(count) }
    }

    /// How many are listed, if they are.
    #[inline(always)]
    pub(super) fn listed(&self) -> Option<u32> {
        self.listed
    }

    /// The listed candidate `at`.
    #[inline(always)]
    pub(super) fn item(&self, at: u32) -> (K, u32) {
        let memory = self.share.memory;
        (memory.list_keys.load(at), memory.list.load(at))
    }

    /// Calls `each` with this thread's part of the `count` listed ones and their indices.
    #[inline(always)]
    pub(super) fn each_listed(&self, count: u32, mut each: impl FnMut(K, u32)) {
        for at in strided(thread::index(), count, T::POLICY.threads_per_block) {
            let (key, index) = self.item(at);
            each(key, index);
        }
    }

    /// Calls `act` with this thread's part of those among the candidates, or among all keys, that pass `test`, and their indices:
    /// for what is rarely done, and too large to be there for each key of a tile.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together; a barrier of the block has followed the last call.
    #[inline(always)]
    pub(super) unsafe fn each_that(&self, test: impl Fn(K) -> bool, mut act: impl FnMut(K, u32)) {
        if let Some(count) = self.listed {
            self.each_listed(count, |key, index| {
                if test(key) {
                    act(key, index);
                }
            });
            return;
        }
        let share = self.share;
        let mut rare = |tile: Tile| {
            let mut passed = 0u32;
            tile.each(|key, number| passed |= if test(key) { 1 << number } else { 0 });
            while passed != 0 {
                let number = passed.trailing_zeros();
                act(share.key_of(&tile, number), tile.index::<K>(number));
                passed &= passed - 1;
            }
        };
        // SAFETY: the caller's promise.
        unsafe { share.vectors(&mut rare) };
        if let Some((key, index)) = share.single()
            && test(key)
        {
            act(key, index);
        }
    }

    /// Counts this thread's part of the candidates, or of all keys, each in the bucket that is said of it, or
    /// [aside](Team::ASIDE): without a branch, and a tile's only once all its buckets are known, so that none waits for another.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together; a barrier of the block has followed the last call.
    #[inline(always)]
    pub(super) unsafe fn count(&self, team: &Team<K, T>, bucket: impl Fn(K, u32) -> u32) {
        if let Some(count) = self.listed {
            self.each_listed(count, |key, index| {
                let bucket = bucket(key, index);
                if bucket != const { Team::<K, T>::ASIDE } {
                    team.count(bucket);
                }
            });
            return;
        }
        let mut all = |tile: Tile| {
            let mut buckets = [0; Tile::MOST_KEYS];
            tile.each_of_all(|key, number, is_there| {
                let bucket = bucket(key, tile.index::<K>(number));
                // Otherwise the compiler would count it at once, and branch around that.
                buckets[number as usize] =
                    opaque(if is_there { bucket } else { const { Team::<K, T>::ASIDE } });
            });
            for &bucket in &buckets[..const { Tile::keys::<K>() }] {
                team.count(bucket);
            }
        };
        // SAFETY: the caller's promise.
        unsafe { self.share.vectors(&mut all) };
        if let Some((key, index)) = self.share.single() {
            team.count(bucket(key, index));
        }
    }
}

/// Claims the next `count` places of the list.
#[inline(always)]
fn claim<K: Key, T: Tuning>(share: &Share<'_, K, T>, count: u32) -> u32 {
    share.memory.state.fetch_add(word::LISTED, count, Scope::Block)
}
