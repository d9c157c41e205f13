//! The placement: where each block's winners go.
//!
//! The keys better than the k-th fill the front of the row and the ties its back, each block's behind those of the blocks
//! before it in scan order. A block pushes its two counts to all behind it, which fills their counters with what comes before
//! them; after one barrier no block needs another.

use super::Tuning;
use super::candidates::Candidates;
use super::cutoff::{Cutoff, rankable};
use super::few;
use super::found::Part;
use super::large_k;
use super::memory::{Memory, word};
use super::order::Order;
use super::passes::Kth;
use super::team::Team;
use super::winners::Winners;
use crate::agents::cost::Key;
use crate::arch::{Scope, block, thread};
use crate::primitives::strided;
use cluster_topk_abi::params::Flags;

/// Puts the winners into their slots of the output, or of the memory where they gather to be sorted; if it is `early`, only those better
/// than the open range, which win whatever becomes of it. What is within it is then listed.
///
/// # Safety
///
/// All threads of the team call it together, after the passes that found `kth`; early, once, after any that was over all keys.
#[inline(always)]
pub(super) unsafe fn write<K, T>(
    candidates: &Candidates<'_, '_, K, T>,
    team: &Team<K, T>,
    order: &Order<K, T>,
    kth: Kth<K::Word>,
    early: bool,
) where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let Kth { open, part, is_rest } = kth;
    let share = candidates.share;
    let segment = share.segment();
    let front_total = segment.selected() - open.k;
    let is_few = part == Part::Few;
    let mut cutoff = Cutoff::ALL;
    // Where few ties are listed of which not all win, they are gathered on the way and ranked behind it.
    let mut ranks = false;
    if early {
        // SAFETY: the caller's promise.
        unsafe { seed_early(team, share.memory) };
    } else {
        // SAFETY: the caller's promise; whether they are few is the same in the whole team.
        let has_sent = is_few && unsafe { few::send(candidates, team, open) };
        // SAFETY: the caller's promise.
        unsafe { seed(team, share.memory, front_total, is_rest, is_few, has_sent) };
        if is_few {
            cutoff = Cutoff::NONE;
            let winner =
                |place, index, key| order.put(&segment, share.costs, team, front_total + place, index, key);
            // SAFETY: as above; the counts have been sent.
            unsafe { few::settle(candidates, team, open.k, winner) };
        } else if share.flags().contains(Flags::DETERMINISTIC) && part != Part::Whole {
            let before = share.memory.state.load(word::BACK) - front_total;
            let own = team.own_ties(before);
            let wanted = open.k.saturating_sub(before);
            if 0 < wanted
                && wanted < own
                && own <= const { rankable::<K, T>() }
                && candidates.listed().is_some()
            {
                ranks = true;
            } else {
                // SAFETY: the caller's promise; the branch is the same in the whole block. The counters move after it only.
                unsafe { block::sync() };
                if wanted == 0 {
                    cutoff = Cutoff::NONE;
                } else if wanted < own {
                    // SAFETY: as above; the range holds one cost where not all of it is wanted, and the passes left the histogram
                    // empty.
                    cutoff = unsafe { Cutoff::find(candidates, team, open.most, wanted) };
                }
            }
        }
    }

    let winners = Winners { candidates, team, order, segment, open, cutoff };
    match candidates.listed() {
        // SAFETY: the caller's promise; the counts and the cutoff are behind a barrier of the block.
        Some(count) => unsafe { winners.put_listed(count, ranks) },
        // SAFETY: as above.
        None if const { T::LARGE_K } => unsafe { large_k::put(winners, is_few && !early, early, is_rest) },
        // SAFETY: as above.
        None => unsafe { winners.put(is_few) },
    }
    if early {
        // SAFETY: as above.
        unsafe { block::sync() };
        if thread::index() == 0 {
            let memory = share.memory;
            // All that have been counted as better are gone.
            memory.state.store(word::OWN_FRONT, 0);
            memory.put_early().store(0, front_total);
            memory.put_below().store(0, open.least);
        }
    }
}

/// Seeds the counter of every block with the slots before its own keys better than the range, which leave early. One barrier of the
/// block, and one of the team.
///
/// # Safety
///
/// All threads of the team call it together, after a pass.
#[inline(always)]
unsafe fn seed_early<K: Key, T: Tuning>(team: &Team<K, T>, memory: Memory<K, T>) {
    // The thread that noted the block's count may be any.
    // SAFETY: the caller's promise.
    unsafe { block::sync() };
    if team.alone() {
        return;
    }
    let own = memory.state.load(word::OWN_FRONT);
    let (from, to) = team.successors();
    // The first thread speaks for what the block has read of its peers, too.
    let mut publishes = thread::index() == 0;
    for rank in strided(from + thread::index(), to, const { Memory::<K, T>::THREADS }) {
        publishes = true;
        memory.state.at(rank).add(word::EARLY, own, Scope::Cluster);
    }
    // SAFETY: as above.
    unsafe { team.sync(publishes) };
}

/// Seeds the two counters of every block with the slots before its own winners, and with `is_few` tells how many keys have been
/// sent; with `has_sent` this thread has sent some. One barrier of the team, and one of the block.
///
/// # Safety
///
/// All threads of the team call it together, after the passes.
#[inline(always)]
unsafe fn seed<K: Key, T: Tuning>(
    team: &Team<K, T>,
    memory: Memory<K, T>,
    front_total: u32,
    is_rest: bool,
    is_few: bool,
    has_sent: bool,
) {
    let state = memory.state;
    if team.alone() {
        if thread::index() == 0 {
            state.store(word::BACK, front_total);
            if is_rest {
                state.store(word::FRONT, memory.put_early().load(0));
            }
        }
        // SAFETY: the caller's promise.
        unsafe { block::sync() };
        if is_few {
            if thread::index() == 0 {
                few::send_count(memory, team, 0);
            }
            // SAFETY: as above; the branch is the same in the whole block.
            unsafe { block::sync() };
        }
        return;
    }
    // The thread that noted the block's counts may be any.
    // SAFETY: the caller's promise.
    unsafe { block::sync() };
    if is_few && thread::index() < team.width() {
        few::send_count(memory, team, thread::index());
    }
    let (own_front, own_back) = (state.load(word::OWN_FRONT), state.load(word::OWN_BACK));
    let (from, to) = team.successors();
    // The first thread speaks for what the block has read of its peers, too.
    let mut publishes = has_sent || thread::index() == 0 || is_few && thread::index() < team.width();
    for rank in strided(from + thread::index(), to, const { Memory::<K, T>::THREADS }) {
        publishes = true;
        let peer = state.at(rank);
        peer.add(word::FRONT, own_front, Scope::Cluster);
        peer.add(word::BACK, own_back, Scope::Cluster);
    }
    if thread::index() == 0 {
        state.add(word::BACK, front_total, Scope::Cluster);
        if is_rest {
            state.add(word::FRONT, memory.put_early().load(0), Scope::Cluster);
        }
    }
    // After this barrier no block uses another's memory, so each may exit when it is done; but for winners that gather in the
    // leader's, for which there is a barrier more.
    // SAFETY: as above.
    unsafe { team.sync(publishes) };
}
