//! Segments that are sorted already, all-equal ones among them: nothing is left to search.

use super::ranks::Ranks;
use core::ops::Range;
use pulp::{Arch, NullaryFnOnce};

/// The direction in which a segment's ranks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// None is above its predecessor. All-equal segments are of this kind.
    Falling,
    /// None is below its predecessor.
    Rising,
}

impl Run {
    /// The direction of a segment of at least one key that has one. Looks no further than the first key that breaks the run,
    /// so that other segments pay for a few keys only.
    pub(super) fn of<S: Ranks>(ranks: S) -> Option<Self> {
        const PEEK: usize = 16;
        let head = 1..ranks.len().min(PEEK);
        let rises = head.clone().any(|i| ranks.rank(i) > ranks.rank(i - 1));
        let falls = head.clone().any(|i| ranks.rank(i) < ranks.rank(i - 1));
        let arch = Arch::new();
        if !rises && arch.dispatch(Holds { ranks, pair: |before, after| after <= before }) {
            Some(Self::Falling)
        } else if !falls && arch.dispatch(Holds { ranks, pair: |before, after| after >= before }) {
            Some(Self::Rising)
        } else {
            None
        }
    }

    /// Calls `found` with the k winners as runs of neighbours, 1 ≤ k < len, best first, equal ones by ascending index; of
    /// those that tie at the boundary with the last ones if `from_end`, else with the first.
    pub(super) fn winners<S: Ranks>(
        self,
        ranks: S,
        k: usize,
        from_end: bool,
        mut found: impl FnMut(Range<usize>),
    ) {
        let len = ranks.len();
        let (ties, wanted) = match self {
            Self::Falling => {
                let bound = ranks.rank(k - 1);
                let above = 0..first(0..k, |i| ranks.rank(i) <= bound);
                let ties = above.end..first(k..len, |i| ranks.rank(i) < bound);
                found(above.clone());
                (ties, k - above.len())
            }
            Self::Rising => {
                let bound = ranks.rank(len - k);
                let above = first(len - k..len, |i| ranks.rank(i) > bound)..len;
                // From the back, one run of equal keys after the other.
                let mut end = len;
                while end > above.start {
                    let rank = ranks.rank(end - 1);
                    let mut start = end - 1;
                    while start > above.start && ranks.rank(start - 1) == rank {
                        start -= 1;
                    }
                    found(start..end);
                    end = start;
                }
                (first(0..len - k, |i| ranks.rank(i) >= bound)..above.start, k - above.len())
            }
        };
        found(if from_end { ties.end - wanted..ties.end } else { ties.start..ties.start + wanted });
    }
}

/// The first index of a range from which on `holds` is true, given that it stays true; the end if it never is.
fn first(mut range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    while !range.is_empty() {
        let middle = range.start + range.len() / 2;
        if holds(middle) {
            range.end = middle;
        } else {
            range.start = middle + 1;
        }
    }
    range.start
}

/// Tells whether every two neighbours satisfy `pair`.
struct Holds<S, P> {
    ranks: S,
    pair: P,
}

impl<S: Ranks, P: Fn(S::Rank, S::Rank) -> bool> NullaryFnOnce for Holds<S, P> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        const BLOCK: usize = 64;
        let Self { ranks, pair } = self;
        let mut start = 0;
        while start + BLOCK < ranks.len() {
            let (before, after) = (ranks.block::<BLOCK>(start), ranks.block::<BLOCK>(start + 1));
            let mut all = true;
            for (before, after) in before.into_iter().zip(after) {
                all &= pair(before, after);
            }
            if !all {
                return false;
            }
            start += BLOCK;
        }
        (start + 1..ranks.len()).all(|i| pair(ranks.rank(i - 1), ranks.rank(i)))
    }
}
