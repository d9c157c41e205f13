//! The passes: histograms over the cluster, until the k-th cost is known.

use super::Tuning;
use super::candidates::Candidates;
use super::few;
use super::found::{Counted, Part};
use super::memory::Memory;
use super::order::Order;
use super::place;
use super::share::Share;
use super::team::Team;
use crate::agents::cost::{Key, Word};
use crate::agents::open::Open;

/// Costs among which the k-th is, and which part of the keys that have one of them is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kth<W> {
    pub(super) open: Open<W>,
    pub(super) part: Part,
    /// Whether what is better than an earlier range has been put already.
    pub(super) is_rest: bool,
}

/// Narrows the open range until all keys within it are wanted, or few keys or a single cost are left in it, and puts the winners
/// into their slots. Passes look at all keys as long as those within the range are too many to be listed, then at the listed ones.
/// Where the start is close enough, all candidates are those few, without a pass, if they are as few as expected; the winners are
/// then written in order, and the answer is `true`.
///
/// # Safety
///
/// All threads of the team call it together; at least `open.k` keys are within the range, none is better; the share is
/// loaded, and `first` says that no pass has run yet.
#[inline(always)]
pub(super) unsafe fn select<K, T>(
    share: &Share<'_, K, T>,
    team: &Team<K, T>,
    order: &Order<K, T>,
    start: Start<K::Word>,
) -> bool
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let Start { mut open, mut first, mut floor, is_close, mut is_crowd } = start;
    // Before anything bounds the k-th cost, all keys are candidates.
    let (mut candidates, mut is_listed) = (Candidates::all(share), false);
    let buckets = const { Memory::<K, T>::BUCKETS };
    loop {
        if !first && !is_listed && !is_crowd {
            // SAFETY: the caller's promise; what is branched on is the same in the whole team.
            candidates = unsafe { Candidates::within(share, open.most) };
            is_listed = true;
            // SAFETY: as above; no pass has run where the start is close.
            if is_close && unsafe { few::finish(&candidates, team) } {
                return true;
            }
        }
        let shift = open.shift(buckets);
        let span = open.most.minus(open.least);
        let bucket = |key, _| {
            let cost = share.costs.cost(key);
            let offset = if floor { cost.max(open.least) } else { cost }.minus(open.least);
            if offset <= span { offset.shr(shift).low() } else { const { Team::<K, T>::ASIDE } }
        };
        // SAFETY: the caller's promise; resolving the pass before has synchronised the block.
        unsafe { candidates.count(team, bucket) };
        // SAFETY: the caller's promise; the range and so the loop are the same in the whole team.
        let found = unsafe {
            team.resolve(open.k, Counted::Keys { few: const { few::boundary::<K, T>() } }, None, first, false)
        };
        first = false;
        open = open.within(found.bucket, shift, found.k);
        if floor && found.bucket == 0 {
            open.least = K::Word::BEST;
        }
        floor = false;
        if found.part != Part::Some || open.least == open.most {
            // SAFETY: as above; the passes have counted what this block holds.
            unsafe {
                place::write(&candidates, team, order, Kth { open, part: found.part, is_rest: false }, false);
            }
            return false;
        }
        is_crowd = is_crowd && team.is_crowded();
    }
}

/// Where the passes start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<W> {
    pub(super) open: Open<W>,
    /// Whether no pass has run yet.
    pub(super) first: bool,
    /// Whether the least cost of the range is that of some keys only: the first bucket then takes what is better, too.
    pub(super) floor: bool,
    /// Whether few keys of the segment are within the range, as far as one can tell.
    pub(super) is_close: bool,
    /// Whether more keys are within the range than the blocks can list.
    pub(super) is_crowd: bool,
}
