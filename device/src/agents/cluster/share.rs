//! What one block has of a segment, and loops over it.

use super::Tuning;
use super::memory::Memory;
use crate::agents::cost::{Costs, Key};
use crate::agents::segment::Segment;
use crate::arch::{Vec16, thread};
use cluster_topk_abi::schedule::{ClusterSchedule, Residency, SegmentSplit};

/// Vectors of 16 bytes that a thread loads before it looks at the first.
pub(super) const BATCH: u32 = 2;

/// A block's share of a segment: a run of keys in its slots, a run that has no slot, and single keys at the ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share<'p, K: Key, T> {
    segment: Segment<'p, K>,
    pub(super) costs: Costs<K>,
    pub(super) memory: Memory<K, T>,
    /// Index of the first key in a slot.
    pub(super) first: u32,
    /// Keys in slots.
    pub(super) resident: u32,
    /// Keys behind these, read from global memory in every pass.
    overflow: u32,
    /// Keys before the first in a slot.
    head: u32,
    /// Keys behind the last that lies in a vector.
    tail: u32,
    /// This thread's of the single keys, if there are as many.
    single: K,
}

/// A thread's part of some rows of vectors: one vector, or [`BATCH`] of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    one: Vec16,
    /// Unless `is_full`, nothing.
    two: Vec16,
    is_full: bool,
    /// Index of the first key.
    pub(super) first: u32,
    /// Index of the first key of the second vector.
    second: u32,
}

impl Tile {
    /// Calls `each` with every key and its number in the tile, below `BATCH` times the keys of a vector.
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

    /// The index of key `number`.
    #[inline(always)]
    pub(super) fn index<K: Key>(&self, number: u32) -> u32 {
        let per_vector = K::PER_VEC16 as u32;
        if number < per_vector { self.first + number } else { self.second + (number - per_vector) }
    }
}

impl<'p, K: Key + core::ops::BitXor<Output = K>, T: Tuning> Share<'p, K, T> {
    /// What block `rank`, which works, has of the segment. The keys are not loaded yet, but for this thread's single one.
    #[inline(always)]
    pub(super) fn of(
        segment: &Segment<'p, K>,
        split: &SegmentSplit,
        schedule: &ClusterSchedule,
        rank: u32,
        costs: Costs<K>,
        memory: Memory<K, T>,
    ) -> Self {
        let chunk_keys = const { Memory::<K, T>::CHUNK_KEYS };
        let per_vector = K::PER_VEC16 as u32;
        let share = schedule.share(rank);
        let first = split.head_keys + share.first_chunk * chunk_keys;
        // Only the last chunk of a segment is short, and only the last block that works has it.
        let behind = split.head_keys + split.bulk_keys - first;
        let keys = if share.tail { behind } else { behind.min(share.chunks * chunk_keys) };
        // A remainder that fills no vector is there where keys are not adjacent: chunks end with a line otherwise.
        let vectors = keys & !(per_vector - 1);
        let residency = Residency::generic(share.chunks, memory.slots.len() / chunk_keys);
        let resident = vectors.min(residency.resident * chunk_keys);
        let head = if share.head { split.head_keys } else { 0 };
        let tail = keys - vectors + if share.tail { split.tail_keys } else { 0 };
        let mut own = Self {
            segment: *segment,
            costs,
            memory,
            first,
            resident,
            overflow: vectors - resident,
            head,
            tail,
            single: K::ZERO,
        };
        if let Some(index) = own.single_index() {
            own.single = segment.load_key(index);
        }
        own
    }

    /// Whether the keys lie one behind the other, so that bulk copies bring them.
    #[inline(always)]
    pub(super) fn is_contiguous(&self) -> bool {
        self.segment.is_contiguous()
    }

    /// The segment.
    #[inline(always)]
    pub(super) fn segment(&self) -> &Segment<'p, K> {
        &self.segment
    }

    /// The index behind this block's last key; its first is [`Self::begin`].
    #[inline(always)]
    pub(super) fn end(&self) -> u32 {
        self.first + self.resident + self.overflow + self.tail
    }

    /// The index of this block's first key.
    #[inline(always)]
    pub(super) fn begin(&self) -> u32 {
        self.first - self.head
    }

    /// The index of this thread's single key.
    #[inline(always)]
    fn single_index(&self) -> Option<u32> {
        let at = thread::index();
        if at < self.head {
            Some(self.first - self.head + at)
        } else if at - self.head < self.tail {
            Some(self.first + self.resident + self.overflow + (at - self.head))
        } else {
            None
        }
    }

    /// This thread's single key and its index.
    #[inline(always)]
    pub(super) fn single(&self) -> Option<(K, u32)> {
        self.single_index().map(|index| (self.single, index))
    }

    /// Key `index` of this block's.
    #[inline(always)]
    pub(super) fn key(&self, index: u32) -> K {
        let at = index.wrapping_sub(self.first);
        if at < self.resident { self.memory.slots.load(at) } else { self.segment.load_key(index) }
    }

    /// Calls `each` with this thread's part of the vectors from key number `from` up to `to`, both multiples of a vector and both
    /// in slots or both not.
    #[inline(always)]
    pub(super) fn rows(&self, from: u32, to: u32, mut each: impl FnMut(Tile)) {
        let per_vector = K::PER_VEC16 as u32;
        let step = const { Memory::<K, T>::THREADS } * per_vector;
        let mut at = from + thread::index() * per_vector;
        while at < to {
            let second = at + step;
            let is_full = second < to;
            // Both are loaded before one is looked at.
            let one = self.load(at);
            let two = if is_full { self.load(second) } else { Vec16([0; 4]) };
            each(Tile { one, two, is_full, first: self.first + at, second: self.first + second });
            at += BATCH * step;
        }
    }

    /// Calls `each` with this thread's part of all vectors.
    #[inline(always)]
    pub(super) fn vectors(&self, mut each: impl FnMut(Tile)) {
        // One loop, so that its body is there once.
        let (mut from, mut to) = (0, self.resident);
        loop {
            self.rows(from, to, &mut each);
            if to == self.end_of_vectors() {
                return;
            }
            (from, to) = (to, self.end_of_vectors());
        }
    }

    /// The number of the key behind the last in a vector.
    #[inline(always)]
    pub(super) fn end_of_vectors(&self) -> u32 {
        self.resident + self.overflow
    }

    /// The vector whose first key is number `at`.
    #[inline(always)]
    fn load(&self, at: u32) -> Vec16 {
        if at < self.resident {
            self.memory.slots.load16(at)
        } else if self.is_contiguous() {
            self.segment.keys().load16_once(u64::from(self.first + at))
        } else {
            Vec16::gather(|lane| self.segment.load_key(self.first + at + lane as u32))
        }
    }
}
