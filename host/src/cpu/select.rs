//! The selection of one segment: which keys win, in which order.
//!
//! A bound is found that few keys are above, the keys above it are gathered, and of those the k best are taken.

use super::monotone::Run;
use super::ranks::Ranks;
use super::scratch::Scratch;
use super::{delegates, filter, sample};
use crate::key::Ranked;
use crate::requirement::{Contract, TieBreak};
use cluster_topk_abi::key_order::KeyBits;
use core::mem;
use core::ops::Range;
use rayon::prelude::*;

/// Winners from here on are sorted by several threads.
const PARALLEL_SORT: usize = 1 << 16;
/// Segments up to this length are not worth a bound.
const SHORT: usize = 64;

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
        Self {
            larger_index: contract.tie_break == TieBreak::PreferLargerIndex,
            ordered: contract.is_sorted(),
        }
    }
}

/// Where the winners of one segment go, slot by slot.
pub(super) trait Sink<R> {
    /// Whether nobody asks for the places of the winners, and every rank from `lowest` up tells its key.
    fn ranks_suffice(&self, lowest: R) -> bool;
    /// Takes the key with this index.
    fn item(&mut self, slot: usize, index: usize);
    /// Takes neighbouring keys into neighbouring slots.
    fn items(&mut self, first_slot: usize, indices: Range<usize>);
    /// Takes neighbouring keys from the last to the first, from slot 0 on. Called only where ranks suffice.
    fn reversed(&mut self, indices: Range<usize>);
    /// Takes the key of this rank. Called only where ranks suffice.
    fn rank(&mut self, slot: usize, rank: R);
}

/// What is remembered of a key that may win. Compares as keys are preferred.
pub(super) trait Winner<R: Ranked>: Copy + Ord + Send + Sync {
    fn new(rules: Rules, rank: R, index: usize) -> Self;
    /// Turns what compares as keys are selected into what compares as they are written.
    fn reorder(winners: &mut [Self], rules: Rules);
    fn write(self, rules: Rules, slot: usize, sink: &mut impl Sink<R>);
    fn kept(scratch: &mut Scratch<R>) -> &mut Vec<Self>;
}

/// The rank alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bare<R>(R);

/// The rank, then the preferred side of the index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Placed<R: Ranked>(R::Packed);

impl<R: Ranked> Winner<R> for Bare<R> {
    #[inline(always)]
    fn new(_rules: Rules, rank: R, _index: usize) -> Self {
        Self(rank)
    }
    fn reorder(_winners: &mut [Self], _rules: Rules) {}
    #[inline(always)]
    fn write(self, _rules: Rules, slot: usize, sink: &mut impl Sink<R>) {
        sink.rank(slot, self.0);
    }
    fn kept(scratch: &mut Scratch<R>) -> &mut Vec<Self> {
        &mut scratch.bare
    }
}

impl<R: Ranked> Winner<R> for Placed<R> {
    #[inline(always)]
    fn new(rules: Rules, rank: R, index: usize) -> Self {
        let index = index as u32;
        Self(rank.pack(if rules.larger_index { index } else { !index }))
    }
    fn reorder(winners: &mut [Self], rules: Rules) {
        if rules.larger_index {
            // Selected by the larger index, but written by the smaller.
            winners.iter_mut().for_each(|winner| winner.0 = R::flip_index(winner.0));
        }
    }
    #[inline(always)]
    fn write(self, rules: Rules, slot: usize, sink: &mut impl Sink<R>) {
        let index = R::index(self.0);
        let inverted = rules.ordered || !rules.larger_index;
        sink.item(slot, (if inverted { !index } else { index }) as usize);
    }
    fn kept(scratch: &mut Scratch<R>) -> &mut Vec<Self> {
        &mut scratch.placed
    }
}

/// What is known of the k-th rank before the winners are gathered.
#[derive(Clone, Copy, Debug)]
enum Bound<R> {
    /// Nothing: every key may win.
    Unknown,
    /// No delegate of the k-th rank or above is below it. `crowded`: more delegates than k are equal to it.
    Delegates { group: usize, bound: R, crowded: bool },
    /// It is probably not above the k-th rank.
    Guessed { bound: R, slack: u32 },
}

/// Selects min(k, len) items, 1 ≤ k, 1 ≤ len ≤ 2^31 − 1.
///
/// `threads` says whether other threads may help with this segment.
pub(super) fn select<S: Ranks>(
    ranks: S,
    k: usize,
    rules: Rules,
    threads: bool,
    scratch: &mut Scratch<S::Rank>,
    mut sink: impl Sink<S::Rank>,
) {
    let len = ranks.len();
    if k >= len && !rules.ordered {
        return sink.items(0, 0..len);
    }
    if k < len
        && let Some(run) = Run::of(ranks)
    {
        if run == Run::Rising && sink.ranks_suffice(ranks.rank(len - k)) {
            // Equal keys are the same to the bit, so it does not matter in which order they come.
            return sink.reversed(len - k..len);
        }
        let mut slot = 0;
        return run.winners(ranks, k, rules.larger_index, |indices| {
            let count = indices.len();
            sink.items(slot, indices);
            slot += count;
        });
    }
    let mut bound = if k < len { bound(ranks, k, threads, scratch) } else { Bound::Unknown };
    loop {
        let lowest = match bound {
            Bound::Unknown => S::Rank::ZERO,
            Bound::Delegates { bound, .. } | Bound::Guessed { bound, .. } => bound,
        };
        let selected = if sink.ranks_suffice(lowest) {
            gather_and_write::<S, Bare<_>>(ranks, k, rules, threads, bound, scratch, &mut sink)
        } else {
            gather_and_write::<S, Placed<_>>(ranks, k, rules, threads, bound, scratch, &mut sink)
        };
        match bound {
            _ if selected => return,
            Bound::Guessed { slack, .. } => bound = guess(ranks, k, slack + 2, scratch),
            _ => bound = Bound::Unknown,
        }
    }
}

fn bound<S: Ranks>(ranks: S, k: usize, threads: bool, scratch: &mut Scratch<S::Rank>) -> Bound<S::Rank> {
    let len = ranks.len();
    if len <= SHORT {
        return Bound::Unknown;
    }
    let Some(group) = delegates::group_size(len, k) else {
        return guess(ranks, k, 0, scratch);
    };
    let Scratch { delegates, reordered, .. } = scratch;
    delegates::collect(ranks, group, threads, delegates);
    // There are at least 4k delegates.
    reordered.clone_from(delegates);
    let (_, &mut bound, _) = reordered.select_nth_unstable_by(k - 1, |a, b| b.cmp(a));
    let equal = reordered.iter().filter(|&&delegate| delegate == bound).count();
    Bound::Delegates { group, bound, crowded: equal > k }
}

fn guess<S: Ranks>(ranks: S, k: usize, slack: u32, scratch: &mut Scratch<S::Rank>) -> Bound<S::Rank> {
    match sample::bound(ranks, k, slack, &mut scratch.reordered) {
        Some(bound) => Bound::Guessed { bound, slack },
        None => Bound::Unknown,
    }
}

/// Gathers the keys that may win, takes the k best and writes them. Writes nothing and returns false if the bound was above
/// the k-th rank.
fn gather_and_write<S: Ranks, W: Winner<S::Rank>>(
    ranks: S,
    k: usize,
    rules: Rules,
    threads: bool,
    bound: Bound<S::Rank>,
    scratch: &mut Scratch<S::Rank>,
    sink: &mut impl Sink<S::Rank>,
) -> bool {
    let wanted = k.min(ranks.len());
    let mut winners = mem::take(W::kept(scratch));
    winners.clear();
    gather(ranks, k, rules, threads, bound, &scratch.delegates, &mut winners);
    let enough = winners.len() >= wanted;
    if enough {
        // A few too many are sorted along; more are dropped first.
        if winners.len() > wanted && (!rules.ordered || winners.len() > wanted + wanted / 4) {
            winners.select_nth_unstable_by(wanted, |a, b| b.cmp(a));
            winners.truncate(wanted);
        }
        if rules.ordered {
            if winners.len() > wanted {
                sort_descending(&mut winners, threads);
                winners.truncate(wanted);
            }
            W::reorder(&mut winners, rules);
            sort_descending(&mut winners, threads);
        }
        winners.iter().enumerate().for_each(|(slot, winner)| winner.write(rules, slot, sink));
    }
    *W::kept(scratch) = winners;
    enough
}

/// Appends the keys above the bound, and as many of those equal to it as are missing.
fn gather<S: Ranks, W: Winner<S::Rank>>(
    ranks: S,
    k: usize,
    rules: Rules,
    threads: bool,
    bound: Bound<S::Rank>,
    delegates: &[S::Rank],
    winners: &mut Vec<W>,
) {
    let from_end = rules.larger_index;
    match bound {
        Bound::Unknown => winners.extend((0..ranks.len()).map(|i| W::new(rules, ranks.rank(i), i))),
        Bound::Delegates { group, bound, crowded: false } => {
            let found = |i, rank| winners.push(W::new(rules, rank, i));
            delegates::for_each(ranks, group, delegates, |rank| rank >= bound, found);
        }
        Bound::Delegates { group, bound, crowded: true } => {
            let found = |i, rank| winners.push(W::new(rules, rank, i));
            delegates::for_each(ranks, group, delegates, |rank| rank > bound, found);
            // Fewer than k keys above a lower bound of the k-th rank: it is the k-th, and only its ties are left to place.
            let missing = k.saturating_sub(winners.len());
            delegates::ties(ranks, group, delegates, bound, missing, from_end, |i| {
                winners.push(W::new(rules, bound, i));
            });
        }
        Bound::Guessed { bound, .. } => {
            filter::above(ranks, bound, rules, threads, winners);
            let missing = k.saturating_sub(winners.len());
            filter::equal_to(ranks, 0..ranks.len(), bound, missing, from_end, |i| {
                winners.push(W::new(rules, bound, i));
            });
        }
    }
}

fn sort_descending<P: Copy + Ord + Send>(items: &mut [P], threads: bool) {
    if threads && items.len() >= PARALLEL_SORT {
        items.par_sort_unstable_by(|a, b| b.cmp(a));
    } else {
        items.sort_unstable_by(|a, b| b.cmp(a));
    }
}
