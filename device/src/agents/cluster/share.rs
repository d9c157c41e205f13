//! What one block has of a segment, and loops over it.

use super::Tuning;
use super::memory::Memory;
use super::stream::Stream;
use super::tile::{Tile, batch};
use crate::agents::cost::{Costs, Key};
use crate::agents::segment::Segment;
use crate::arch::{Vec16, bulk, opaque, thread};
use cluster_topk_abi::params::Flags;
use cluster_topk_abi::schedule::{ClusterSchedule, SegmentSplit};

/// Tiles of a thread in a part, after which it looks whether there is any need to go on.
const PART: u32 = 4;

/// Rows of vectors that are asked for before they are loaded.
const AHEAD: u32 = 16;

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
    overflow: u32,
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

    /// Calls `each` with this thread's part of the vectors in slots from key number `from` up to `to`, multiples of a vector.
    #[inline(always)]
    pub(super) fn resident(&self, from: u32, to: u32, each: &mut impl FnMut(Tile)) {
        self.rows(from, to, each, |at| self.memory.slots.load16(at));
    }

    /// Calls `each` with this thread's part of the vectors that have no slot, where none passes through one.
    #[inline(always)]
    pub(super) fn overflow(&self, each: &mut impl FnMut(Tile)) {
        if const { !T::STREAMS } && self.overflow > 0 {
            let segment = self.segment();
            self.rows(self.resident, self.keys(), each, |at| {
                // The first thread's vector begins a row.
                if thread::index() == 0 {
                    self.prefetch(&segment, at + const { AHEAD * Self::ROW }, const { Self::ROW });
                }
                self.load(&segment, at)
            });
        }
    }

    /// Asks for the first keys behind those in slots, so that they are near when their turn comes. One thread.
    #[inline(always)]
    pub(super) fn prefetch_overflow(&self, segment: &Segment<'p, K>) {
        let behind = if const { T::STREAMS } { self.memory.slots.len() } else { self.resident };
        self.prefetch(segment, behind, const { AHEAD * Self::ROW });
    }

    /// Keys of a row of vectors, one for each thread.
    const ROW: u32 = Memory::<K, T>::THREADS * K::PER_VEC16 as u32;

    /// Asks for `len` keys from number `at` on, as far as they are there. One thread.
    #[inline(always)]
    fn prefetch(&self, segment: &Segment<'p, K>, at: u32, len: u32) {
        let end = self.keys();
        if at < end && segment.is_contiguous() {
            let from = segment.keys().slice(u64::from(self.first + at), len.min(end - at).into());
            // SAFETY: keys without a slot begin where a chunk does, on a line, rows are whole vectors, and so are keys.
            unsafe { bulk::prefetch(from) };
        }
    }

    /// Calls `each` with this thread's part of all vectors: by one loop, for what is so large that it should be there once.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together; the load has been started, and a barrier of the block has followed the last
    /// such pass. Where no chunks pass through the slots, [`load::wait`](super::load::wait) has returned for every stage.
    #[inline(always)]
    pub(super) unsafe fn vectors(&self, each: &mut impl FnMut(Tile)) {
        if const { T::STREAMS } {
            // SAFETY: the caller's promise.
            unsafe { self.stream::<false, false>(false, each) };
        } else {
            let (segment, end) = (self.segment(), self.keys());
            self.rows(0, end, each, |at| self.vector(&segment, at));
        }
    }

    /// The same, but a thread leaves off at the end of a part once it is `done`. Where chunks pass through the slots none does, since
    /// a slot is filled again once every thread has been there.
    ///
    /// # Safety
    ///
    /// As for [`Self::vectors`], and no such pass follows.
    #[inline(always)]
    pub(super) unsafe fn vectors_until(&self, done: impl Fn() -> bool, each: &mut impl FnMut(Tile)) {
        if const { T::STREAMS } {
            // SAFETY: the caller's promise.
            unsafe { self.stream::<false, false>(false, each) };
        } else {
            let (segment, part) = (self.segment(), const { PART * batch::<K>() * Self::ROW });
            let mut from = 0;
            while from < self.keys() && !done() {
                let to = self.keys().min(from + part);
                self.rows(from, to, each, |at| self.vector(&segment, at));
                from = to;
            }
        }
    }

    /// Calls `each` with this thread's part of the vectors in all chunks, or with `peek` of those that are in slots before the
    /// first pass over all; for where chunks pass through the slots. By two loops where `each` may be there `TWICE`: that is faster.
    /// By `WHOLE` warps if it may need them: a lane that has nothing then comes along.
    ///
    /// # Safety
    ///
    /// As for [`Self::vectors`].
    #[inline(always)]
    pub(super) unsafe fn stream<const TWICE: bool, const WHOLE: bool>(
        &self,
        peek: bool,
        each: &mut impl FnMut(Tile),
    ) {
        let chunk_keys = const { Memory::<K, T>::CHUNK_KEYS };
        let own = thread::index() * const { K::PER_VEC16 as u32 };
        let mut stream = Stream::open(self, peek);
        while let Some(chunk) = stream.chunk() {
            // SAFETY: the caller's promise.
            let slot = unsafe { stream.wait(self) };
            let (number, place) = (chunk * chunk_keys, slot * chunk_keys);
            let (len, first) = (chunk_keys.min(self.keys() - number), self.first + number);
            let shift = first.wrapping_sub(place);
            let load = |at: u32| self.memory.slots.load16(place + at);
            let tile = |at: u32, one, two, is_full| {
                let second = first + at + const { Self::ROW };
                let is_there = !WHOLE || at < len;
                Tile { one, two, is_full, is_there, first: first + at, second, shift }
            };
            let behind = if WHOLE { thread::lane() * K::PER_VEC16 as u32 } else { 0 };
            if const { TWICE && Self::TILE_IS_CHUNK } && len == chunk_keys {
                // No condition on the second vector, so that it is loaded beside the first.
                each(tile(own, load(own), load(own + const { Self::ROW }), true));
            } else {
                let mut at = own;
                while at - behind < len {
                    let second = at + const { Self::ROW };
                    let is_full = const { batch::<K>() > 1 } && second < len;
                    let one = if !WHOLE || at < len { load(at) } else { Vec16([0; 4]) };
                    let two = if is_full { load(second) } else { Vec16([0; 4]) };
                    each(tile(at, one, two, is_full));
                    at += const { batch::<K>() * Self::ROW };
                }
            }
            // SAFETY: as above.
            unsafe { stream.step(self) };
        }
        // SAFETY: as above.
        unsafe { stream.close(self) };
    }

    /// Whether a chunk is a tile of every thread, of two vectors.
    const TILE_IS_CHUNK: bool = batch::<K>() == 2 && Memory::<K, T>::CHUNK_KEYS == 2 * Self::ROW;

    /// The vector whose first key is number `at`, from its slot or, if it has none, from global memory.
    #[inline(always)]
    fn vector(&self, segment: &Segment<'p, K>, at: u32) -> Vec16 {
        if at < self.resident { self.memory.slots.load16(at) } else { self.load(segment, at) }
    }

    /// The vector whose first key is number `at`, from global memory.
    #[inline(always)]
    fn load(&self, segment: &Segment<'p, K>, at: u32) -> Vec16 {
        if segment.is_contiguous() {
            segment.keys().load16_once(u64::from(self.first + at))
        } else {
            Vec16::gather(|lane| segment.load_key(self.first + at + lane as u32))
        }
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

    /// Loads a tile, then looks at it.
    #[inline(always)]
    fn rows(&self, from: u32, to: u32, each: &mut impl FnMut(Tile), load: impl Fn(u32) -> Vec16) {
        let per_vector = K::PER_VEC16 as u32;
        let step = const { Memory::<K, T>::THREADS } * per_vector;
        let mut at = from + thread::index() * per_vector;
        while at < to {
            let second = at + step;
            let is_full = const { batch::<K>() > 1 } && second < to;
            let one = load(at);
            let two = if is_full { load(second) } else { Vec16([0; 4]) };
            each(Tile {
                one,
                two,
                is_full,
                is_there: true,
                first: self.first + at,
                second: self.first + second,
                shift: self.first,
            });
            at += const { batch::<K>() } * step;
        }
    }
}
