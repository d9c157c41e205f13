//! A tile: the keys that a thread has in registers at a time.

use crate::agents::cost::Key;
use crate::arch::Vec16;
use cluster_topk_abi::schedule::group_keys;

/// Vectors of 16 bytes that a thread loads before it looks at the first: those of a group.
pub(super) const fn batch<K: Key>() -> u32 {
    group_keys(K::WIDTH) / K::PER_VEC16 as u32
}

/// A thread's part of some rows of vectors: one vector, or two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub(super) one: Vec16,
    /// Unless `is_full`, nothing of this tile.
    pub(super) two: Vec16,
    pub(super) is_full: bool,
    /// Index of the first key. This and the next are of what stands in where there is none.
    pub(super) first: u32,
    /// Index of the first key of the second vector.
    pub(super) second: u32,
    /// Whether there is anything: a lane without a tile may keep the others of its warp company, with another's keys.
    pub(super) is_there: bool,
    /// What takes an index to its key's place in the slots, by subtraction, if it has one.
    pub(super) shift: u32,
}

impl Tile {
    /// Calls `each` with every key and its number in the tile, below [`MOST_KEYS`](Self::MOST_KEYS).
    #[inline(always)]
    pub(super) fn each<K: Key>(&self, mut each: impl FnMut(K, u32)) {
        for lane in 0..K::PER_VEC16 {
            each(self.one.get(lane), lane as u32);
        }
        if self.is_full {
            for lane in 0..K::PER_VEC16 {
                each(self.two.get(lane), (lane + K::PER_VEC16) as u32);
            }
        }
    }

    /// The most keys that a tile can have.
    pub(super) const MOST_KEYS: usize = 16;

    /// The keys of a full tile.
    pub(super) const fn keys<K: Key>() -> usize {
        let keys = batch::<K>() as usize * K::PER_VEC16;
        assert!(keys <= Self::MOST_KEYS);
        keys
    }

    /// Calls `each` with every key of a full tile, its number, and whether it is there if the tile is: without a branch.
    #[inline(always)]
    pub(super) fn each_of_all<K: Key>(&self, mut each: impl FnMut(K, u32, bool)) {
        for lane in 0..K::PER_VEC16 {
            each(self.one.get(lane), lane as u32, true);
        }
        if const { batch::<K>() > 1 } {
            for lane in 0..K::PER_VEC16 {
                each(self.two.get(lane), (lane + K::PER_VEC16) as u32, self.is_full);
            }
        }
    }

    /// The numbers of the keys that are there, a bit each.
    #[inline(always)]
    pub(super) fn there<K: Key>(&self) -> u32 {
        let (all, one) = const { ((1 << Self::keys::<K>()) - 1, (1 << K::PER_VEC16) - 1) };
        if !self.is_there {
            0
        } else if self.is_full {
            all
        } else {
            one
        }
    }

    /// The index of key `number`.
    #[inline(always)]
    pub(super) fn index<K: Key>(&self, number: u32) -> u32 {
        let per_vector = K::PER_VEC16 as u32;
        if number < per_vector { self.first + number } else { self.second + (number - per_vector) }
    }
}
