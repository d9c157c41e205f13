//! The sweep over all keys of a block that puts winners into their slots, by whole warps: where much wins, lanes side by side have slots side
//! by side.

use super::row::{Row, next_slot};
use crate::agents::cluster::Tuning;
use crate::agents::cluster::memory::word;
use crate::agents::cluster::tile::Tile;
use crate::agents::cluster::winners::Winners;
use crate::agents::cost::Key;
use crate::arch::{Scope, thread, warp};

/// Puts what wins among all keys. With `is_few`, ties have been seen to. If it is `early`, the k-th is yet to be found: what is within the
/// range is listed instead. If it `is_rest`, what is better than an earlier range has gone.
///
/// # Safety
///
/// All threads of the block call it together, after a barrier that has followed the last access to its counters.
#[inline(always)]
pub(in crate::agents::cluster) unsafe fn put<K, T>(
    winners: Winners<'_, '_, '_, K, T>,
    is_few: bool,
    early: bool,
    is_rest: bool,
) where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let Winners { candidates, segment, open, cutoff, .. } = winners;
    let share = candidates.share;
    let (state, k) = (share.memory.state, segment.selected());
    let (fronts, backs) = if early { (word::EARLY, word::LISTED) } else { (word::FRONT, word::BACK) };
    let below = share.memory.put_below();
    let is_gone = |key: K| is_rest && share.costs.cost(key) < below.load(0);
    // Found once, where that is all there is to a winner.
    let row = if winners.order.sorts() { None } else { segment.slots() };
    let row = row.map(|(keys, indices)| Row { keys, indices, slots: k });
    let put_in = |slot: u32, index: u32, key: K, is_ahead: bool| {
        if early && !is_ahead {
            share.list(slot, index, key);
        } else if slot < k {
            winners.put_in(slot, index, key);
        }
    };
    let mut sweep = |tile: Tile| {
        let (mut better, mut within) = (0u32, 0u32);
        tile.each_of_all(|key, number, _| {
            let (cost, bit) = (share.costs.cost(key), 1 << number);
            better |= if cost < open.least { bit } else { 0 };
            within |= if cost <= open.most { bit } else { 0 };
        });
        let there = tile.there::<K>();
        let tied = if is_few { 0 } else { within & !better & there & cutoff.admitted::<K>(&tile) };
        let mut ahead = better & there;
        if is_rest {
            tile.each_of_all(|key, number, _| ahead &= if is_gone(key) { !(1 << number) } else { u32::MAX });
        }
        // SAFETY: the whole warp is here, since tiles are looked at by whole warps.
        let all = unsafe { warp::reduce_add(warp::ALL, ahead.count_ones() | tied.count_ones() << 16) };
        if all == 0 {
            return;
        }
        // One claim for all of a warp's winners: its first lane's for those better than the range, its second's for the others.
        let lane = thread::lane();
        let (counter, count) = if lane == 0 { (fronts, all & 0xffff) } else { (backs, all >> 16) };
        let mut claimed = 0;
        if lane < 2 && count != 0 {
            claimed = state.fetch_add(counter, count, Scope::Block);
        }
        // SAFETY: as above.
        let front = unsafe { warp::shuffle(warp::ALL, claimed, 0) };
        // SAFETY: as above.
        let back = unsafe { warp::shuffle(warp::ALL, claimed, 1) };
        let (mut rest, mut first, mut is_ahead) = (ahead, front, true);
        if let Some(row) = row {
            // SAFETY: as above; what a warp has claimed is the same for all of it.
            unsafe { row.put(share, &tile, ahead, front, all & 0xffff) };
            (rest, first, is_ahead) = (tied, back, false);
        }
        loop {
            // One of each lane at a time.
            // SAFETY: as above; the answer is the same for all of the warp.
            let Some(slot) = (unsafe { next_slot(rest, &mut first) }) else {
                if !is_ahead {
                    break;
                }
                (rest, first, is_ahead) = (tied, back, false);
                continue;
            };
            if rest != 0 {
                let number = rest.trailing_zeros();
                rest &= rest - 1;
                put_in(slot, tile.index::<K>(number), share.key_of(&tile, number), is_ahead);
            }
        }
    };
    // SAFETY: the caller's promise; the counts and the cutoff are behind a barrier of the block.
    unsafe { share.stream_by_warps(&mut sweep) };
    if let Some((key, index)) = share.single()
        && !is_gone(key)
    {
        let cost = share.costs.cost(key);
        let is_ahead = cost < open.least;
        if is_ahead || !is_few && cost <= open.most && cutoff.admits(index) {
            let slot = state.fetch_add(if is_ahead { fronts } else { backs }, 1, Scope::Block);
            put_in(slot, index, key, is_ahead);
        }
    }
}
