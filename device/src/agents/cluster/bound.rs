//! The bound: a range of costs that holds the k-th, from a fraction of the keys.
//!
//! The best key of a group stands for it. A cost that at least k delegates reach is reached by at least k keys, whatever they
//! are; a histogram over the delegates takes one atomic operation a group, where one over the keys would take one a key, most
//! of them on the few buckets into which real keys crowd.
//!
//! Where the blocks hold a part of the keys only, the delegates of that part will do if there are enough of them. The bound is
//! then as much looser as the part is smaller, but the other keys are read a single time, and kept only if they are within it.

use super::few;
use super::found::{Counted, Part};
use super::load::{self, Stages};
use super::passes::Start;
use super::share::Share;
use super::team::Team;
use super::tile::Tile;
use super::{Tuning, memory::Memory};
use crate::agents::cost::{Key, Word};
use crate::agents::open::Open;
use cluster_topk_abi::schedule::{Bound, Groups};

/// Delegates within the bound up to which the candidates, of which there are some more, are probably few.
#[inline(always)]
fn close<K: Key, T: Tuning>(groups: Groups, sample: bool) -> u32 {
    let most = const {
        let most = few::worthwhile::<K, T>();
        // So that what is close is no crowd.
        assert!(most <= T::POLICY.list_capacity);
        most
    };
    if sample { groups.share_in_slots(most) } else { most }
}

/// Waits for the load, and bounds the k-th cost on the way where delegates do that well. Settling few candidates at once is worth it
/// where the output is sorted, which that does on the way.
///
/// # Safety
///
/// All threads of the team call it together, after [`load::start`]; 0 < `k` < number of keys.
#[inline(always)]
pub(super) unsafe fn find<K, T>(
    share: &Share<'_, K, T>,
    team: &Team<K, T>,
    k: u32,
    groups: Groups,
    sorts: bool,
) -> Start<K::Word>
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let buckets = const { Memory::<K, T>::BUCKETS };
    let all = Open { least: K::Word::BEST, most: K::ONES.word(), k };
    let kind = groups.bound(k);
    let (delegate, sample) = (kind != Bound::None, kind == Bound::Sample);
    let (stages, is_bulk) = (Stages::of(share), share.segment().is_contiguous());
    let shift = all.shift(buckets);
    let mut least = K::Word::WORST;
    let mut group = |tile: Tile| {
        let mut best = K::Word::WORST;
        tile.each(|key, _| best = best.min(share.costs.strict(key)));
        team.count(best.shr(shift).low());
        least = least.min(best);
    };
    if const { T::STREAMS } && delegate {
        // SAFETY: the caller's promise, and the load's barrier of the block.
        unsafe { share.stream::<true>(sample, &mut group) };
    }
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
        return Start { open: all, first: true, floor: false, is_close: false, is_crowd: false };
    }
    if !sample {
        share.overflow(&mut group);
    }
    if let Some((key, _)) = share.single() {
        least = least.min(share.costs.strict(key));
    }
    let few = close::<K, T>(groups, sample);
    // SAFETY: the caller's promise; the branch is the same in the whole team, and there are at least k groups.
    let found = unsafe { team.resolve(k, Counted::Delegates { few }, Some(least), true, false) };
    let (least, most) = share.costs.folded(team.least(), all.within(found.bucket, shift, k).most);
    Start {
        open: Open { least, most, k },
        first: false,
        floor: sample,
        is_close: sorts && found.part == Part::Few,
        is_crowd: team.is_crowded(),
    }
}
