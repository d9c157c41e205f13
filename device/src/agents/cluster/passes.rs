//! The passes: histograms over the cluster, until the k-th cost is known.

use super::Tuning;
use super::candidates::Candidates;
use super::memory::Memory;
use super::share::Share;
use super::team::{Part, Team};
use crate::agents::cost::{Key, Word};
use crate::agents::open::Open;

/// Costs among which the k-th is, and which part of the keys that have one of them is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kth<W> {
    pub(super) open: Open<W>,
    pub(super) part: Part,
}

/// Narrows the open range until all keys within it are wanted, or few keys or a single cost are left in it. At least one pass,
/// which counts the keys.
///
/// # Safety
///
/// All threads of the team call it together; at least `open.k` keys are within the range, none is better; the share is
/// loaded, and `first` says that no pass has run yet.
#[inline(always)]
pub(super) unsafe fn narrow<'s, 'p, K, T>(
    share: &'s Share<'p, K, T>,
    team: &Team<K, T>,
    start: Start<K::Word>,
) -> (Candidates<'s, 'p, K, T>, Kth<K::Word>)
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let Start { mut open, mut first } = start;
    let mut candidates = Candidates::all(share);
    // Before anything bounds the k-th cost, all keys are candidates.
    let (mut is_bounded, mut is_gathered) = (!first, false);
    let buckets = const { Memory::<K, T>::BUCKETS };
    loop {
        if is_bounded && !is_gathered {
            // SAFETY: the caller's promise; what is branched on is the same in the whole team.
            candidates = unsafe { Candidates::within(share, open.most) };
            is_gathered = true;
        }
        let shift = open.shift(buckets);
        let span = open.most.minus(open.least);
        candidates.each(|key, _| {
            let offset = share.costs.cost(key).minus(open.least);
            if offset <= span {
                team.count(offset.shr(shift).low());
            }
        });
        // SAFETY: the caller's promise; the range and so the loop are the same in the whole team.
        let found = unsafe { team.resolve(open.k, true, None, first) };
        first = false;
        is_bounded = true;
        open = open.within(found.bucket, shift, found.k);
        if found.part != Part::Some || open.least == open.most {
            return (candidates, Kth { open, part: found.part });
        }
    }
}

/// Where the passes start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<W> {
    pub(super) open: Open<W>,
    /// Whether no pass has run yet.
    pub(super) first: bool,
}
