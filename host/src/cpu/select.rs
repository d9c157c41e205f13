//! The selection of one segment: which keys win, in which order.

use super::delegates::{self, group_size};
use super::ranks::Ranks;
use super::scratch::Scratch;
use crate::key::Ranked;
use crate::requirement::{Contract, TieBreak};
use rayon::prelude::*;

/// Winners from here on are sorted by several threads.
const PARALLEL_SORT: usize = 1 << 16;

/// What a selection must respect, taken from the contract once per call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Of tied keys at the boundary, keep those with the larger index.
    larger_index: bool,
    /// Order the winners by key, and equal keys by index. `Sorted` is served by the same order.
    ordered: bool,
}

impl Rules {
    pub(super) fn new(contract: Contract) -> Self {
        Self { larger_index: contract.tie_break == TieBreak::PreferLargerIndex, ordered: contract.is_sorted() }
    }

    /// A packed word that compares as items are preferred: by rank, then by the preferred side of the index.
    #[inline(always)]
    fn prefer<R: Ranked>(self, rank: R, index: usize) -> R::Packed {
        let index = index as u32;
        rank.pack(if self.larger_index { index } else { !index })
    }
}

/// Selects min(k, len) items, 1 ≤ k, 1 ≤ len ≤ 2^31 − 1, and calls `write` with their indices, slot by slot.
///
/// `threads` says whether other threads may help with this segment.
pub(super) fn select<S: Ranks>(
    ranks: S,
    k: usize,
    rules: Rules,
    threads: bool,
    scratch: &mut Scratch<S::Rank>,
    write: impl FnMut(usize, usize),
) where
    S::Rank: Ranked,
{
    if k < ranks.len() {
        winners(ranks, k, rules, threads, scratch);
    } else if rules.ordered {
        scratch.winners.clear();
        scratch.winners.extend((0..ranks.len()).map(|i| rules.prefer(ranks.rank(i), i)));
    } else {
        (0..ranks.len()).map(|i| (i, i)).for_each(spread(write));
        return;
    }
    let winners = &mut scratch.winners;
    if rules.ordered {
        if rules.larger_index {
            // Selected by the larger index, but written by the smaller.
            winners.iter_mut().for_each(|winner| *winner = S::Rank::flip_index(*winner));
        }
        sort_descending(winners, threads);
    }
    let inverted = rules.ordered || !rules.larger_index;
    let index = |&winner: &_| {
        let index = S::Rank::index(winner);
        (if inverted { !index } else { index }) as usize
    };
    winners.iter().map(index).enumerate().for_each(spread(write));
}

fn spread(mut write: impl FnMut(usize, usize)) -> impl FnMut((usize, usize)) {
    move |(slot, index)| write(slot, index)
}

/// Leaves the k winners of a longer segment in `scratch.winners`, in no particular order.
fn winners<S: Ranks>(ranks: S, k: usize, rules: Rules, threads: bool, scratch: &mut Scratch<S::Rank>)
where
    S::Rank: Ranked,
{
    let Scratch { delegates, reordered, winners } = scratch;
    let group = group_size(ranks.len(), k);
    delegates::collect(ranks, group, threads, delegates);

    // There are at least k delegates: group_size leaves 4k of them or makes every key its own.
    reordered.clone_from(delegates);
    let (_, &mut bound, _) = reordered.select_nth_unstable(delegates.len() - k);

    winners.clear();
    delegates::for_each_above(ranks, group, delegates, bound, |i, rank| winners.push(rules.prefer(rank, i)));
    if winners.len() < k {
        // Fewer than k keys lie above a lower bound of the k-th: it is the k-th, and only its ties are left to place.
        let wanted = k - winners.len();
        delegates::ties(ranks, group, delegates, bound, wanted, rules.larger_index, |i| {
            winners.push(rules.prefer(bound, i));
        });
    } else if winners.len() > k {
        winners.select_nth_unstable_by(k, |a, b| b.cmp(a));
        winners.truncate(k);
    }
}

fn sort_descending<P: Copy + Ord + Send>(items: &mut [P], threads: bool) {
    if threads && items.len() >= PARALLEL_SORT {
        items.par_sort_unstable_by(|a, b| b.cmp(a));
    } else {
        items.sort_unstable_by(|a, b| b.cmp(a));
    }
}
