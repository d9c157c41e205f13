//! The bound: a range of costs that holds the k-th, from a fraction of the keys.
//!
//! The best key of a group stands for it. A cost that at least k delegates reach is reached by at least k keys, whatever they
//! are; a histogram over the delegates takes one atomic operation a group, where one over the keys would take one a key, most
//! of them on the few buckets into which real keys crowd.

use super::load::{self, Stages};
use super::passes::Start;
use super::share::{Share, Tile, batch};
use super::team::Team;
use super::{Tuning, memory::Memory};
use crate::agents::cost::{Key, Word};
use crate::agents::open::Open;
use cluster_topk_abi::schedule::SegmentSplit;

/// Delegates per wanted item below which they bound the k-th badly.
const DELEGATES_PER_ITEM: u32 = 2;

/// Waits for the load, and bounds the k-th cost on the way where delegates do that well.
///
/// # Safety
///
/// All threads of the team call it together, after [`load::start`]; 0 < `k` < number of keys.
#[inline(always)]
pub(super) unsafe fn find<K, T>(
    share: &Share<'_, K, T>,
    team: &Team<K, T>,
    k: u32,
    split: &SegmentSplit,
) -> Start<K::Word>
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let buckets = const { Memory::<K, T>::BUCKETS };
    let all = Open { least: K::Word::BEST, most: K::ONES.word(), k };
    // A group is a tile, which holds at most a batch of vectors, so there are at least as many groups. It is the same number in
    // every block.
    let groups = split.bulk_keys / const { batch::<K>() * K::PER_VEC16 as u32 };
    let delegate = groups / DELEGATES_PER_ITEM >= k;
    let (stages, is_bulk) = (Stages::of(share), share.segment().is_contiguous());
    let shift = all.shift(buckets);
    let mut least = K::Word::WORST;
    let mut group = |tile: Tile| {
        let mut best = K::Word::WORST;
        tile.each(|key, _| best = best.min(share.costs.strict(key)));
        team.count(best.shr(shift).low());
        least = least.min(best);
    };
    let (mut at, mut stage) = (0, 0);
    while at < share.resident {
        let end = (at + stages.keys).min(share.resident);
        if is_bulk {
            // SAFETY: the load has been started.
            unsafe { load::wait(share, stage) };
        }
        if delegate {
            share.resident(at, end, &mut group);
        }
        at = end;
        stage += 1;
    }
    if !delegate {
        return Start { open: all, first: true };
    }
    share.overflow(&mut group);
    if let Some((key, _)) = share.single() {
        least = least.min(share.costs.strict(key));
    }
    // SAFETY: the caller's promise; the branch is the same in the whole team, and there are at least k groups.
    let found = unsafe { team.resolve(k, false, Some(least), true) };
    let (least, most) = share.costs.folded(team.least(), all.within(found.bucket, shift, k).most);
    Start { open: Open { least, most, k }, first: false }
}
