//! A bound for a small k: a delegate for each group of keys bounds the k-th key from below.
//!
//! The largest key of a group stands for it. The k-th largest of these delegates is a lower bound of the k-th largest key,
//! whatever the keys are: k groups hold a key at least as large. And fewer than k groups hold anything above it, so at most
//! (k − 1) × group keys are left to look at. After the delegate-centric top-k of Gaihre et al. ("Dr. Top-k", SC '21).
//!
//! A chunk is `group` blocks of [`lanes`] neighbouring keys; lane `l` of all its blocks is one group, so that taking the
//! maxima is plain vector arithmetic. The blocks behind the last whole chunk are a chunk of fewer rows, and the keys behind
//! the last whole block stand for themselves.

use super::filter::equal_to;
use super::ranks::Ranks;
use crate::key::Ranked;
use cluster_topk_abi::key_order::KeyBits;
use core::iter::StepBy;
use core::ops::Range;
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

/// Keys that one vector step takes: 64 bytes of them.
pub(super) const fn lanes<R: Ranked>() -> usize {
    64 / size_of::<R>()
}

/// Fewer keys a group than this save less than delegates cost; a sample bounds the k-th key better then.
const MIN_GROUP: usize = 8;

/// Keys per group; `None` where groups would be too small to pay.
///
/// More delegates cost more to select from, larger groups cost more to search again: √(k·len) delegates balance the two. At
/// least 4k of them keep the bound tight: on random keys it then lets about 1.1 k keys through.
pub(super) const fn group_size(len: usize, k: usize) -> Option<usize> {
    let balanced = ((k as u64) * (len as u64)).isqrt() as usize;
    let delegates = if balanced > 4 * k { balanced } else { 4 * k };
    if delegates == 0 || len / delegates < MIN_GROUP { None } else { Some(len / delegates) }
}

/// Where the groups of a segment lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    len: usize,
    lanes: usize,
    group: usize,
    /// Chunks of `group` rows.
    chunks: usize,
    /// Rows of the chunk behind them.
    short_rows: usize,
}

impl Layout {
    pub(super) const fn of<R: Ranked>(len: usize, group: usize) -> Self {
        let lanes = lanes::<R>();
        let chunks = len / (group * lanes);
        Self { len, lanes, group, chunks, short_rows: (len - chunks * group * lanes) / lanes }
    }

    /// The number of delegates: at least len / group.
    pub(super) const fn count(self) -> usize {
        self.in_chunks() + self.in_short_chunk() + self.len % self.lanes
    }

    const fn in_chunks(self) -> usize {
        self.chunks * self.lanes
    }

    const fn in_short_chunk(self) -> usize {
        if self.short_rows > 0 { self.lanes } else { 0 }
    }

    /// The keys in whole chunks.
    const fn chunked(self) -> usize {
        self.chunks * self.group * self.lanes
    }

    /// The keys that delegate `d` stands for.
    #[inline(always)]
    fn group(self, d: usize) -> StepBy<Range<usize>> {
        let Self { len, lanes, group, .. } = self;
        let (first, rows) = if d < self.in_chunks() {
            (d / lanes * group * lanes + d % lanes, group)
        } else if d < self.in_chunks() + self.in_short_chunk() {
            (self.chunked() + d - self.in_chunks(), self.short_rows)
        } else {
            (len - (self.count() - d), 1)
        };
        (first..first + rows * lanes).step_by(lanes)
    }
}

/// Fills `out` with the delegates of a segment; `threads` says whether other threads may help.
pub(super) fn collect<S: Ranks>(ranks: S, group: usize, threads: bool, out: &mut Vec<S::Rank>) {
    match size_of::<S::Rank>() {
        1 => collect_by::<S, 64>(ranks, group, threads, out),
        2 => collect_by::<S, 32>(ranks, group, threads, out),
        4 => collect_by::<S, 16>(ranks, group, threads, out),
        _ => collect_by::<S, 8>(ranks, group, threads, out),
    }
}

fn collect_by<S: Ranks, const W: usize>(ranks: S, group: usize, threads: bool, out: &mut Vec<S::Rank>) {
    let layout = Layout::of::<S::Rank>(ranks.len(), group);
    debug_assert_eq!(W, layout.lanes);
    out.clear();
    out.resize(layout.in_chunks() + layout.in_short_chunk(), S::Rank::ZERO);
    let (whole, short) = out.split_at_mut(layout.in_chunks());
    let arch = Arch::new();
    if threads {
        // Stripes of about 2^16 keys: long enough to be worth a task, short enough to balance.
        let chunks_per_stripe = ((1 << 16) / (group * W)).max(1);
        whole.par_chunks_mut(chunks_per_stripe * W).enumerate().for_each(|(stripe, out)| {
            let start = stripe * chunks_per_stripe * group * W;
            arch.dispatch(Maxima::<S, W> { ranks, rows: group, start, out });
        });
    } else {
        arch.dispatch(Maxima::<S, W> { ranks, rows: group, start: 0, out: whole });
    }
    let (rows, start) = (layout.short_rows, layout.chunked());
    arch.dispatch(Maxima::<S, W> { ranks, rows, start, out: short });
    out.extend((ranks.len() - ranks.len() % W..ranks.len()).map(|i| ranks.rank(i)));
}

/// Takes the lane-wise maxima of chunks of `rows` rows from key `start` on, as many as `out` has room for.
///
/// A type, as a closure is not always inlined into the code for the vector unit.
struct Maxima<'o, S: Ranks, const W: usize> {
    ranks: S,
    rows: usize,
    start: usize,
    out: &'o mut [S::Rank],
}

impl<S: Ranks, const W: usize> NullaryFnOnce for Maxima<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { ranks, rows, mut start, out } = self;
        for out in out.chunks_exact_mut(W) {
            let mut largest = ranks.block::<W>(start);
            for row in 1..rows {
                let block = ranks.block::<W>(start + row * W);
                for lane in 0..W {
                    largest[lane] = largest[lane].larger(block[lane]);
                }
            }
            out.copy_from_slice(&largest);
            start += rows * W;
        }
    }
}

/// Calls `found` with every key that passes, given the delegates that [`collect`] filled, in no particular order.
///
/// What passes is a matter of being large enough: where a delegate fails, so does its whole group.
#[inline(always)]
pub(super) fn for_each<S: Ranks>(
    ranks: S,
    group: usize,
    delegates: &[S::Rank],
    passes: impl Fn(S::Rank) -> bool,
    mut found: impl FnMut(usize, S::Rank),
) {
    let layout = Layout::of::<S::Rank>(ranks.len(), group);
    for (d, &delegate) in delegates.iter().enumerate() {
        if passes(delegate) {
            for i in layout.group(d) {
                let rank = ranks.rank(i);
                if passes(rank) {
                    found(i, rank);
                }
            }
        }
    }
}

/// Calls `found` with the first `wanted` keys equal to `bound` in index order, or with the last ones if `from_end`.
pub(super) fn ties<S: Ranks>(
    ranks: S,
    group: usize,
    delegates: &[S::Rank],
    bound: S::Rank,
    wanted: usize,
    from_end: bool,
    mut found: impl FnMut(usize),
) {
    let layout = Layout::of::<S::Rank>(ranks.len(), group);
    let chunk_keys = group * layout.lanes;
    let mut left = wanted;
    let mut visit = |keys: Range<usize>| left -= equal_to(ranks, keys, bound, left, from_end, &mut found);
    let tail = layout.chunked()..ranks.len();
    // A chunk none of whose delegates reaches the bound holds no tie.
    let visit_chunk = |chunk: usize, visit: &mut dyn FnMut(Range<usize>)| {
        let delegates = &delegates[chunk * layout.lanes..(chunk + 1) * layout.lanes];
        if delegates.iter().fold(false, |any, &delegate| any | (delegate >= bound)) {
            visit(chunk * chunk_keys..(chunk + 1) * chunk_keys);
        }
    };
    if from_end {
        visit(tail);
        (0..layout.chunks).rev().for_each(|chunk| visit_chunk(chunk, &mut visit));
    } else {
        (0..layout.chunks).for_each(|chunk| visit_chunk(chunk, &mut visit));
        visit(tail);
    }
}
