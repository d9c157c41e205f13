//! A pairwise cover: rows of levels, one per factor, so that every pair of levels that may meet does.

/// What may be combined.
pub trait Factors {
    /// The number of levels of each factor.
    fn levels(&self) -> &[usize];
    /// Whether two levels of two factors may meet in a row.
    fn may_meet(&self, left: (usize, usize), right: (usize, usize)) -> bool;
}

/// The rows of a cover, and how many pairs there are.
#[derive(Clone, Debug)]
pub struct Cover {
    /// One level per factor and row.
    pub rows: Vec<Vec<usize>>,
    /// Pairs that some row holds.
    pub covered: usize,
    /// Pairs that may not meet, or that no row could complete.
    pub left_out: usize,
}

/// The pairs that are still to be covered.
struct Pairs {
    /// Where the levels of each factor start in the numbering of all levels.
    offsets: Vec<usize>,
    open: Vec<bool>,
    all: usize,
}

impl Pairs {
    fn place(&self, left: (usize, usize), right: (usize, usize)) -> usize {
        let (l, r) = (self.offsets[left.0] + left.1, self.offsets[right.0] + right.1);
        l.min(r) * self.all + l.max(r)
    }
}

/// Covers all pairs greedily: each row starts from the first open pair, then every other factor takes the level that
/// covers most. Deterministic.
pub fn cover(factors: &impl Factors) -> Cover {
    let levels = factors.levels();
    let offsets: Vec<usize> =
        levels.iter().scan(0, |at, &count| Some(core::mem::replace(at, *at + count))).collect();
    let all = levels.iter().sum();
    let mut pairs = Pairs { offsets, open: vec![false; all * all], all };
    let mut queue = Vec::new();
    let mut left_out = 0;
    for left in 0..levels.len() {
        for right in left + 1..levels.len() {
            for l in 0..levels[left] {
                for r in 0..levels[right] {
                    let pair = ((left, l), (right, r));
                    if factors.may_meet(pair.0, pair.1) {
                        let place = pairs.place(pair.0, pair.1);
                        pairs.open[place] = true;
                        queue.push(pair);
                    } else {
                        left_out += 1;
                    }
                }
            }
        }
    }
    let total = queue.len();
    // Factors with many levels are hardest to please: they choose first.
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by_key(|&factor| core::cmp::Reverse(levels[factor]));

    let mut rows = Vec::new();
    for (left, right) in queue {
        let place = pairs.place(left, right);
        if !pairs.open[place] {
            continue;
        }
        match complete(factors, &pairs, &order, [left, right], rows.len()) {
            Some(row) => {
                for l in 0..row.len() {
                    for r in l + 1..row.len() {
                        let place = pairs.place((l, row[l]), (r, row[r]));
                        pairs.open[place] = false;
                    }
                }
                rows.push(row);
            }
            None => left_out += 1,
        }
    }
    let open = pairs.open.iter().filter(|&&open| open).count();
    Cover { rows, covered: total - open, left_out }
}

/// A row with these two levels; `turn` breaks ties, so that rows differ where nothing is left to cover.
fn complete(
    factors: &impl Factors,
    pairs: &Pairs,
    order: &[usize],
    start: [(usize, usize); 2],
    turn: usize,
) -> Option<Vec<usize>> {
    let mut chosen: Vec<(usize, usize)> = start.to_vec();
    for &factor in order {
        if chosen.iter().any(|&(taken, _)| taken == factor) {
            continue;
        }
        let count = factors.levels()[factor];
        let candidates = (0..count).map(|i| (factor, (i + turn) % count));
        let allowed = candidates.filter(|&one| chosen.iter().all(|&other| factors.may_meet(one, other)));
        let gain = |one: &(usize, usize)| {
            chosen.iter().filter(|&&other| pairs.open[pairs.place(*one, other)]).count()
        };
        // `max_by_key` would take the last of equals, which makes no difference.
        let best = allowed.max_by_key(gain)?;
        chosen.push(best);
    }
    let mut row = vec![0; chosen.len()];
    for (factor, level) in chosen {
        row[factor] = level;
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    struct Grid(Vec<usize>);
    impl Factors for Grid {
        fn levels(&self) -> &[usize] {
            &self.0
        }
        fn may_meet(&self, left: (usize, usize), right: (usize, usize)) -> bool {
            // Level 1 of factor 0 goes with level 0 of factor 1 only.
            let mut pair = [left, right];
            pair.sort_unstable();
            !matches!(pair, [(0, 1), (1, 1..)])
        }
    }

    #[test]
    fn every_pair_that_may_meet_does() {
        let grid = Grid(vec![3, 4, 2, 5, 2]);
        let cover = cover(&grid);
        let mut seen = HashSet::new();
        for row in &cover.rows {
            for l in 0..row.len() {
                for r in l + 1..row.len() {
                    assert!(grid.may_meet((l, row[l]), (r, row[r])), "{row:?}");
                    seen.insert([(l, row[l]), (r, row[r])]);
                }
            }
        }
        let pairs: usize =
            (0..5).flat_map(|l| (l + 1..5).map(move |r| (l, r))).map(|(l, r)| grid.0[l] * grid.0[r]).sum();
        assert_eq!((seen.len(), cover.covered, cover.left_out), (pairs - 3, pairs - 3, 3));
        assert!(cover.rows.len() < 35, "{} rows", cover.rows.len());
    }
}
