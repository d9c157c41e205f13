//! The placement: where each block's winners go, and the sweep that writes them.
//!
//! The keys better than the k-th fill the front of the row and the ties its back, each block's behind those of the blocks
//! before it in scan order. A block pushes its two counts to all behind it, which fills their counters with what comes before
//! them; after one barrier no block needs another.

use super::Tuning;
use super::candidates::Candidates;
use super::cutoff::Cutoff;
use super::few;
use super::memory::{Memory, word};
use super::order::Order;
use super::passes::Kth;
use super::share::Tile;
use super::team::{Part, Team};
use crate::agents::cost::Key;
use crate::arch::{Scope, block, thread, warp};
use crate::primitives::strided;
use cluster_topk_abi::params::Flags;

/// Puts the winners into their slots of the output, or of the memory where they gather to be sorted.
///
/// # Safety
///
/// All threads of the team call it together, after the passes that found `kth`.
#[inline(always)]
pub(super) unsafe fn write<K, T>(
    candidates: &Candidates<'_, '_, K, T>,
    team: &Team<K, T>,
    order: &Order<K, T>,
    kth: Kth<K::Word>,
) where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let Kth { open, part } = kth;
    let share = candidates.share;
    let segment = share.segment();
    let k = segment.selected();
    let state = share.memory.state;
    let front_total = k - open.k;
    let is_few = part == Part::Few;
    // SAFETY: the caller's promise; whether they are few is the same in the whole team.
    let has_sent = is_few && unsafe { few::send(candidates, team, open) };
    // SAFETY: the caller's promise.
    unsafe { seed(team, share.memory, front_total, is_few, has_sent) };
    let deterministic = share.flags().contains(Flags::DETERMINISTIC);
    let mut cutoff = Cutoff::ALL;
    if is_few {
        cutoff = Cutoff::NONE;
        let winner =
            |place, index, key| order.put(&segment, share.costs, team, front_total + place, index, key);
        // SAFETY: as above; the counts have been sent.
        unsafe { few::settle(candidates, team, open.k, winner) };
    } else if deterministic && part != Part::Whole {
        let before = state.load(word::BACK) - front_total;
        let own = if team.leads() { state.load(word::ALL_BACK) - before } else { state.load(word::OWN_BACK) };
        // SAFETY: the caller's promise; the branch is the same in the whole block. The counters move after it only.
        unsafe { block::sync() };
        if before >= open.k {
            cutoff = Cutoff::NONE;
        } else if own > open.k - before {
            // SAFETY: as above; the range holds one cost where not all of it is wanted, and the passes left the histogram
            // empty.
            cutoff = unsafe { Cutoff::find(candidates, team, open.most, own, open.k - before) };
        }
    }

    let wins = |cost: K::Word, index: u32| cost < open.least || (cost <= open.most && cutoff.admits(index));
    if let Some(count) = candidates.listed() {
        let mut from = 0;
        while from < count {
            let at = from + thread::index();
            let (mut key, mut index, mut is_ahead, mut is_tied) = (K::ZERO, 0, false, false);
            if at < count {
                (key, index) = candidates.item(at);
                let cost = share.costs.cost(key);
                is_ahead = cost < open.least;
                is_tied = !is_ahead && wins(cost, index);
            }
            // One claim for all of a warp's winners: its first lane's for those better than the k-th, its second's for ties.
            // SAFETY: the whole warp is here: the bounds of the loop are the same for the whole block.
            let ahead = unsafe { warp::ballot(warp::ALL, is_ahead) };
            // SAFETY: as above.
            let tied = unsafe { warp::ballot(warp::ALL, is_tied) };
            let lane = thread::lane();
            let (counter, winners) = if lane == 0 { (word::FRONT, ahead) } else { (word::BACK, tied) };
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
                if slot < k {
                    order.put(&segment, share.costs, team, slot, index, key);
                }
            }
            from += const { Memory::<K, T>::THREADS };
        }
        return;
    }
    let mut put = |tile: Tile| {
        let (mut ahead, mut tied) = (0u32, 0u32);
        tile.each(|key, number| {
            // Without branches, which would have the compiler keep both in memory.
            let (cost, bit) = (share.costs.cost(key), 1 << number);
            let is_ahead = cost < open.least;
            let is_tied = !is_ahead & wins(cost, tile.index::<K>(number));
            ahead |= if is_ahead { bit } else { 0 };
            tied |= if is_tied { bit } else { 0 };
        });
        // One claim for all of a thread's winners in the tile.
        let claim = |counter: u32, winners: u32| {
            if winners == 0 { 0 } else { state.fetch_add(counter, winners.count_ones(), Scope::Block) }
        };
        let (mut front, mut back) = (claim(word::FRONT, ahead), claim(word::BACK, tied));
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
                order.put(&segment, share.costs, team, slot, index, key);
            }
        }
    };
    // SAFETY: the caller's promise; the counts and the cutoff are behind a barrier of the block.
    unsafe { share.vectors(&mut put) };
    if let Some((key, index)) = share.single() {
        let cost = share.costs.cost(key);
        if wins(cost, index) {
            let counter = if cost < open.least { word::FRONT } else { word::BACK };
            let slot = state.fetch_add(counter, 1, Scope::Block);
            if slot < k {
                order.put(&segment, share.costs, team, slot, index, key);
            }
        }
    }
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
    is_few: bool,
    has_sent: bool,
) {
    let state = memory.state;
    if team.alone() {
        if thread::index() == 0 {
            state.store(word::BACK, front_total);
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
    }
    // After this barrier no block uses another's memory, so each may exit when it is done; but for winners that gather in the
    // leader's, for which there is a barrier more.
    // SAFETY: as above.
    unsafe { team.sync(publishes) };
}
