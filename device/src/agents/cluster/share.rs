//! What one block has of a segment; `sweep` has the loops over it.

use super::Tuning;
use super::memory::Memory;
use super::tile::Tile;
use crate::agents::cost::{Costs, Key};
use crate::agents::segment::Segment;
use crate::arch::{Vec16, opaque, thread};
use cluster_topk_abi::params::Flags;
use cluster_topk_abi::schedule::{ClusterSchedule, SegmentSplit};

/// A block's share of a segment: a run of keys in its slots, a run that has no slot, and single keys at the ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share<'p, K: Key, T> {
    /// Where to find the segment's memory; the rest of it waits in shared memory while keys take up the registers.
    base: Segment<'p, K>,
    pub(super) costs: Costs<K>,
    pub(super) memory: Memory<K, T>,
    /// Index of the first key in a slot.
    pub(super) first: u32,
    /// Keys that stay in slots; where chunks pass through the slots, none.
    pub(super) resident: u32,
    /// Keys behind these, brought in again in every pass.
    pub(super) overflow: u32,
    /// Keys before the first in a slot, and above 16 bits those behind the last that lies in a vector: fewer than a line each,
    /// in one register.
    edges: u32,
}

impl<'p, K: Key + core::ops::BitXor<Output = K>, T: Tuning> Share<'p, K, T> {
    /// What block `rank`, which works, has of the segment. The keys are not loaded yet, but for the single ones.
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
        let resident = if const { T::STREAMS } { 0 } else { vectors.min(memory.slots.len()) };
        let head = if share.head { split.head_keys } else { 0 };
        let tail = keys - vectors + if share.tail { split.tail_keys } else { 0 };
        let own = Self {
            base: *segment,
            costs,
            memory,
            first,
            resident,
            overflow: vectors - resident,
            edges: head | tail << 16,
        };
        // Each thread looks at its own only, so no barrier is needed.
        if let Some(index) = own.single_index() {
            memory.edges.store(thread::index(), segment.load_key(index));
        }
        own
    }

    /// The segment, from the block's barrier in [`load::start`](super::load::start) on.
    #[inline(always)]
    pub(super) fn segment(&self) -> Segment<'p, K> {
        self.base.load(self.memory.segment()).0
    }

    /// What the call asks for.
    #[inline(always)]
    pub(super) fn flags(&self) -> Flags {
        self.base.flags()
    }

    /// Keys in chunks.
    #[inline(always)]
    pub(super) fn keys(&self) -> u32 {
        self.resident + self.overflow
    }

    /// The same share, of which the compiler does not know.
    #[inline(always)]
    pub(super) fn opaque(&self) -> Self {
        Self {
            first: opaque(self.first),
            overflow: opaque(self.overflow),
            memory: self.memory.opaque(),
            ..*self
        }
    }

    /// The index behind this block's last key; its first is [`Self::begin`].
    #[inline(always)]
    pub(super) fn end(&self) -> u32 {
        self.first + self.keys() + self.tail()
    }

    /// The index of this block's first key.
    #[inline(always)]
    pub(super) fn begin(&self) -> u32 {
        self.first - self.head()
    }

    #[inline(always)]
    fn head(&self) -> u32 {
        self.edges & 0xffff
    }

    #[inline(always)]
    fn tail(&self) -> u32 {
        self.edges >> 16
    }

    /// The index of this thread's single key.
    #[inline(always)]
    fn single_index(&self) -> Option<u32> {
        let at = thread::index();
        if at < self.head() {
            Some(self.first - self.head() + at)
        } else if at - self.head() < self.tail() {
            Some(self.first + self.keys() + (at - self.head()))
        } else {
            None
        }
    }

    /// This thread's single key and its index.
    #[inline(always)]
    pub(super) fn single(&self) -> Option<(K, u32)> {
        self.single_index().map(|index| (self.memory.edges.load(thread::index()), index))
    }

    /// Key `index` of this block's.
    #[inline(always)]
    pub(super) fn key(&self, index: u32) -> K {
        let at = index.wrapping_sub(self.first);
        let in_slots = if const { T::STREAMS } {
            // With more chunks than slots there is no telling which are there.
            at < self.keys() && self.keys() <= self.memory.slots.len()
        } else {
            at < self.resident
        };
        if in_slots { self.memory.slots.load(at) } else { self.segment().load_key(index) }
    }

    /// Key `number` of the tile that is being looked at.
    #[inline(always)]
    pub(super) fn key_of(&self, tile: &Tile, number: u32) -> K {
        if const { T::STREAMS } { self.key_in_slot(tile, number) } else { self.key(tile.index::<K>(number)) }
    }

    /// Key `number` of a tile whose keys are in slots.
    #[inline(always)]
    pub(super) fn key_in_slot(&self, tile: &Tile, number: u32) -> K {
        self.memory.slots.load(tile.index::<K>(number).wrapping_sub(tile.shift))
    }

    /// Vector `number`, 0 or 1, of a tile whose keys are in slots.
    #[inline(always)]
    pub(super) fn vector_in_slot(&self, tile: &Tile, number: u32) -> Vec16 {
        let first = if number == 0 { tile.first } else { tile.second };
        self.memory.slots.load16(first.wrapping_sub(tile.shift))
    }

    /// Sets place `at` of the list, if there is one.
    #[inline(always)]
    pub(super) fn list(&self, at: u32, index: u32, key: K) {
        let memory = self.memory;
        if at < memory.list.len() {
            memory.list.store(at, index);
            memory.list_keys.store(at, key);
        }
    }
}
