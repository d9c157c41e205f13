//! Keys as ranks: unsigned bits of the key's width, larger meaning preferred.

use crate::key::{Key, Ranked};

/// The ranks of one segment, by position.
pub(super) trait Ranks: Copy + Send + Sync {
    /// The bits of a rank.
    type Rank: Ranked;
    /// The number of keys.
    fn len(&self) -> usize;
    /// The rank of key `i`, `i` < [`len`](Self::len).
    fn rank(&self, i: usize) -> Self::Rank;
    /// The ranks of `W` neighbouring keys from `start`, all within the segment.
    fn block<const W: usize>(&self, start: usize) -> [Self::Rank; W];
}

/// A segment whose keys lie side by side.
#[derive(Clone, Copy)]
pub(super) struct Dense<'a, K: Key> {
    keys: &'a [K],
    /// All ones where the smallest keys are wanted. Applied after −0.0 was folded into +0.0, so that the fold holds in
    /// either direction.
    flip: K::Ordered,
}

/// A segment of which only every `stride`-th element is a key.
#[derive(Clone, Copy)]
pub(super) struct Strided<'a, K: Key> {
    dense: Dense<'a, K>,
    stride: usize,
    len: usize,
}

impl<'a, K: Key> Dense<'a, K> {
    pub(super) fn new(keys: &'a [K], flip: K::Ordered) -> Self {
        Self { keys, flip }
    }
}

impl<'a, K: Key> Strided<'a, K> {
    /// `keys` starts at the first key and holds at least `(len − 1) × stride + 1` elements.
    pub(super) fn new(keys: &'a [K], flip: K::Ordered, stride: usize, len: usize) -> Self {
        Self { dense: Dense::new(keys, flip), stride, len }
    }
}

impl<K: Key> Ranks for Dense<'_, K> {
    type Rank = K::Ordered;

    #[inline(always)]
    fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline(always)]
    fn rank(&self, i: usize) -> K::Ordered {
        self.keys[i].ordered() ^ self.flip
    }

    #[inline(always)]
    fn block<const W: usize>(&self, start: usize) -> [K::Ordered; W] {
        let keys = &self.keys[start..start + W];
        core::array::from_fn(|lane| keys[lane].ordered() ^ self.flip)
    }
}

impl<K: Key> Ranks for Strided<'_, K> {
    type Rank = K::Ordered;

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn rank(&self, i: usize) -> K::Ordered {
        self.dense.rank(i * self.stride)
    }

    #[inline(always)]
    fn block<const W: usize>(&self, start: usize) -> [K::Ordered; W] {
        core::array::from_fn(|lane| self.rank(start + lane))
    }
}
