//! Large k: the search where the winners are more than the blocks can list.
//!
//! Delegates bound such a k badly, and a list of all that may win is out of the question. So the first pass starts from a range that a few
//! keys suggest ([`quantile`]), with most buckets about the k-th, and leaves few keys open. Then those better than the open range leave
//! for their slots, since they win whatever becomes of it, and the sweep that puts them lists those within it ([`put`]). What follows
//! looks at the list: all keys are looked at twice.
//!
//! Of a sample that is spread over the keys, order statistics bound the k-th with high probability: Floyd and Rivest, "Expected time
//! bounds for selection", CACM 18 (3), 1975.

mod put;
mod quantile;
mod row;

pub(super) use put::put;

use super::Tuning;
use super::candidates::Candidates;
use super::few;
use super::found::{Counted, Part};
use super::load;
use super::memory::Memory;
use super::order::Order;
use super::passes::Kth;
use super::place;
use super::share::Share;
use super::team::Team;
use crate::agents::cost::{Key, Word};
use crate::agents::segment::Segment;
use cluster_topk_abi::params::Flags;

/// Starts the load, finds the k-th cost and puts the winners into their slots.
///
/// # Safety
///
/// All threads of the team call it together, first of all; 0 < `k` < number of keys.
#[inline(always)]
pub(super) unsafe fn select<K, T>(
    segment: &Segment<'_, K>,
    share: &Share<'_, K, T>,
    team: &Team<K, T>,
    order: &Order<K, T>,
    k: u32,
) where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let (len, buckets) = (segment.len(), const { Memory::<K, T>::BUCKETS });
    let sampled = quantile::sample::<K, T>(segment);
    // SAFETY: the caller's promise.
    unsafe { load::start(segment, share, team) };
    // SAFETY: as above; the load has emptied the histogram, behind a barrier of the block.
    let mut open = unsafe { quantile::range(team, share.memory, share.costs, len, k, sampled) };
    let (mut candidates, mut is_listed) = (Candidates::all(share), false);
    let (mut part, mut is_found, mut first) = (Part::Some, false, true);
    loop {
        let mut early = false;
        if !is_found {
            let shift = open.shift(buckets);
            let span = open.most.minus(open.least);
            let bucket = |key, _| {
                let cost = share.costs.cost(key);
                let mut offset = cost.minus(open.least);
                // A range that was guessed has all others in its first bucket and its last.
                if first {
                    offset = cost.max(open.least).minus(open.least).min(span);
                }
                if offset <= span { offset.shr(shift).low() } else { const { Team::<K, T>::ASIDE } }
            };
            // SAFETY: the caller's promise; resolving the pass before has synchronised the block.
            unsafe { candidates.count(team, bucket) };
            let counted = Counted::Keys { few: const { few::boundary::<K, T>() } };
            // SAFETY: the caller's promise; the range and so the loop are the same in the whole team.
            let found = unsafe { team.resolve(open.k, counted, None, false, !is_listed) };
            let last = span.shr(shift).low();
            open = open.within(found.bucket, shift, found.k);
            if first && found.bucket == 0 {
                open.least = K::Word::BEST;
            }
            if first && found.bucket == last {
                open.most = K::ONES.word();
            }
            first = false;
            part = found.part;
            is_found = part != Part::Some || open.least == open.most;
            // What is within the range is then looked at more than once. Where few keys are all of them fit.
            let again = !is_found || share.flags().contains(Flags::DETERMINISTIC);
            early = !is_listed
                && match part {
                    Part::Few => true,
                    Part::Some => again && !team.is_crowded(),
                    Part::Whole => false,
                };
        }
        if is_found || early {
            let kth = Kth { open, part, is_rest: is_listed };
            // SAFETY: as above; the passes have counted what this block holds.
            unsafe { place::write(&candidates, team, order, kth, early) };
            if !early {
                return;
            }
            candidates = Candidates::listed_within(share);
            is_listed = true;
        }
    }
}
