//! The first stage: a delegate for each group of keys bounds the k-th key from below.
//!
//! The largest key of a group stands for it. The k-th largest of these delegates is a lower bound of the k-th largest key,
//! whatever the keys are: k groups hold a key at least as large. And fewer than k groups hold anything above it, so at most
//! (k − 1) × group keys are left to look at. After the delegate-centric top-k of Gaihre et al. ("Dr. Top-k", SC '21).
//!
//! A chunk is `group` blocks of [`lanes`] neighbouring keys; lane `l` of all its blocks is one group, so that taking the
//! maxima is plain vector arithmetic. The keys behind the last whole chunk stand for themselves.

use super::ranks::Ranks;
use crate::key::Ranked;
use cluster_topk_abi::key_order::KeyBits;
use pulp::Arch;
use rayon::prelude::*;

/// Keys that one vector step takes: 64 bytes of them.
pub(super) const fn lanes<R: Ranked>() -> usize {
    64 / size_of::<R>()
}

/// The number of delegates of a segment.
pub(super) const fn count<R: Ranked>(len: usize, group: usize) -> usize {
    let chunk = group * lanes::<R>();
    len / chunk * lanes::<R>() + len % chunk
}

/// Keys per group, a power of two; 1 means that groups do not pay.
///
/// More delegates cost more to select from, larger groups cost more to search again: √(k·len) delegates balance the two. At
/// least 4k of them keep the bound tight: on random keys it then lets about 1.1 k keys through.
pub(super) const fn group_size(len: usize, k: usize) -> usize {
    let balanced = ((k as u64) * (len as u64)).isqrt() as usize;
    let delegates = if balanced > 4 * k { balanced } else { 4 * k };
    if delegates == 0 || len / delegates < 2 { 1 } else { 1 << (len / delegates).ilog2() }
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
    debug_assert_eq!(W, lanes::<S::Rank>());
    let chunks = ranks.len() / (group * W);
    out.clear();
    out.resize(chunks * W, S::Rank::ZERO);
    let arch = Arch::new();
    if threads {
        // Stripes of about 2^16 keys: long enough to be worth a task, short enough to balance.
        let chunks_per_stripe = ((1 << 16) / (group * W)).max(1);
        out.par_chunks_mut(chunks_per_stripe * W).enumerate().for_each(|(stripe, out)| {
            arch.dispatch(|| maxima::<S, W>(ranks, group, stripe * chunks_per_stripe, out));
        });
    } else {
        arch.dispatch(|| maxima::<S, W>(ranks, group, 0, out));
    }
    out.extend((chunks * group * W..ranks.len()).map(|i| ranks.rank(i)));
}

/// The lane-wise maxima of the chunks from `first` on, as many as `out` has room for.
#[inline(always)]
fn maxima<S: Ranks, const W: usize>(ranks: S, group: usize, first: usize, out: &mut [S::Rank]) {
    for (chunk, out) in (first..).zip(out.chunks_exact_mut(W)) {
        let start = chunk * group * W;
        let mut largest = ranks.block::<W>(start);
        for row in 1..group {
            let block = ranks.block::<W>(start + row * W);
            for lane in 0..W {
                largest[lane] = largest[lane].larger(block[lane]);
            }
        }
        out.copy_from_slice(&largest);
    }
}

/// Calls `found` with every key above `bound`, given the delegates that [`collect`] filled, in no particular order.
#[inline(always)]
pub(super) fn for_each_above<S: Ranks>(
    ranks: S,
    group: usize,
    delegates: &[S::Rank],
    bound: S::Rank,
    mut found: impl FnMut(usize, S::Rank),
) {
    let lanes = lanes::<S::Rank>();
    let grouped = ranks.len() / (group * lanes) * lanes;
    for (d, &delegate) in delegates[..grouped].iter().enumerate() {
        if delegate > bound {
            let first = d / lanes * group * lanes + d % lanes;
            for i in (first..first + group * lanes).step_by(lanes) {
                let rank = ranks.rank(i);
                if rank > bound {
                    found(i, rank);
                }
            }
        }
    }
    for (i, &rank) in (grouped * group..).zip(&delegates[grouped..]) {
        if rank > bound {
            found(i, rank);
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
    let lanes = lanes::<S::Rank>();
    let chunk_keys = group * lanes;
    let chunks = ranks.len() / chunk_keys;
    let mut left = wanted;
    let mut visit = |i: usize| {
        if left > 0 && ranks.rank(i) == bound {
            found(i);
            left -= 1;
        }
        left > 0
    };
    if wanted == 0 {
        return;
    }
    let tail = chunks * chunk_keys..ranks.len();
    // A chunk none of whose delegates reaches the bound holds no tie.
    let reaches = |chunk: &usize| {
        let lanes_of = &delegates[chunk * lanes..(chunk + 1) * lanes];
        Arch::new().dispatch(|| lanes_of.iter().fold(false, |any, &delegate| any | (delegate >= bound)))
    };
    if from_end {
        let _ = tail.rev().all(&mut visit)
            && (0..chunks).rev().filter(reaches).all(|c| (c * chunk_keys..(c + 1) * chunk_keys).rev().all(&mut visit));
    } else {
        let _ = (0..chunks).filter(reaches).all(|c| (c * chunk_keys..(c + 1) * chunk_keys).all(&mut visit))
            && tail.into_iter().all(&mut visit);
    }
}
