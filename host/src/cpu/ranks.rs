//! Keys as ranks: unsigned bits of the key's width, larger meaning preferred.

use super::scratch::Pooled;
use crate::key::Key;
use cluster_topk_abi::key_order::{KeyBits, KeyKind};

/// The ranks of one segment, by position.
pub(super) trait Ranks: Copy + Send + Sync {
    /// The bits of a rank.
    type Rank: Pooled;
    /// The number of keys.
    fn len(&self) -> usize;
    /// The rank of key `i`, `i` < [`len`](Self::len).
    fn rank(&self, i: usize) -> Self::Rank;
    /// The ranks of `W` neighbouring keys from `start`, all within the segment.
    fn block<const W: usize>(&self, start: usize) -> [Self::Rank; W];
}

/// How ranks come from keys, and keys from ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<R> {
    /// All ones where the smallest keys are wanted. Applied after −0.0 was folded into +0.0, so that the fold holds in
    /// either direction.
    pub(super) flip: R,
}

impl<R: Pooled> Order<R> {
    /// The key of a rank, unless the zeros of a float share it.
    #[inline(always)]
    pub(super) fn key<K: Key<Ordered = R>>(self, rank: R) -> K {
        let masks = R::narrow_masks(K::TYPE.masks());
        bytemuck::cast(R::from_ordered(rank ^ self.flip, masks))
    }

    /// Whether each rank above `rank`, and `rank` itself, belongs to one bit pattern of `K` only.
    pub(super) fn names_keys<K: Key<Ordered = R>>(self, rank: R) -> bool {
        K::TYPE.kind() != KeyKind::Float || rank > K::zeroed().ordered() ^ self.flip
    }
}

/// A segment whose keys lie side by side.
#[derive(Clone, Copy)]
pub(super) struct Dense<'a, K: Key> {
    keys: &'a [K],
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
    pub(super) fn new(keys: &'a [K], order: Order<K::Ordered>) -> Self {
        Self { keys, flip: order.flip }
    }
}

impl<'a, K: Key> Strided<'a, K> {
    /// `keys` starts at the first key and holds at least `(len − 1) × stride + 1` elements.
    pub(super) fn new(keys: &'a [K], order: Order<K::Ordered>, stride: usize, len: usize) -> Self {
        Self { dense: Dense::new(keys, order), stride, len }
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
        // A loop, not `from_fn`: that one is not always inlined, and then not compiled for the vector unit.
        let mut ranks = [K::Ordered::ZERO; W];
        for (rank, key) in ranks.iter_mut().zip(&self.keys[start..start + W]) {
            *rank = key.ordered() ^ self.flip;
        }
        ranks
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
        let mut ranks = [K::Ordered::ZERO; W];
        for (lane, rank) in ranks.iter_mut().enumerate() {
            *rank = self.rank(start + lane);
        }
        ranks
    }
}
