//! Loops over a block's keys, a tile at a time: those in slots, those without, and those that pass through.

use super::Tuning;
use super::memory::Memory;
use super::share::Share;
use super::stream::Stream;
use super::tile::{Tile, batch};
use crate::agents::cost::Key;
use crate::agents::segment::Segment;
use crate::arch::{Vec16, bulk, thread};

/// Tiles of a thread in a part, after which it looks whether there is any need to go on.
const PART: u32 = 4;

/// Rows of vectors that are asked for before they are loaded.
const AHEAD: u32 = 16;

/// A chunk in its slot.
struct Chunk {
    /// Its keys: whole vectors, at least one.
    len: u32,
    /// Index of the first.
    first: u32,
    /// Its place in the slots.
    place: u32,
    /// What takes an index to its key's place in the slots, by subtraction.
    shift: u32,
}

impl<'p, K: Key + core::ops::BitXor<Output = K>, T: Tuning> Share<'p, K, T> {
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
            unsafe { self.stream::<false>(false, each) };
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
            unsafe { self.stream::<false>(false, each) };
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
    ///
    /// # Safety
    ///
    /// As for [`Self::vectors`].
    #[inline(always)]
    pub(super) unsafe fn stream<const TWICE: bool>(&self, peek: bool, each: &mut impl FnMut(Tile)) {
        let own = thread::index() * const { K::PER_VEC16 as u32 };
        // SAFETY: the caller's promise.
        unsafe {
            self.through(peek, |Chunk { len, first, place, shift }| {
                let load = |at: u32| self.memory.slots.load16(place + at);
                let tile = |at: u32, one, two, is_full| {
                    let second = first + at + const { Self::ROW };
                    Tile { one, two, is_full, is_there: true, first: first + at, second, shift }
                };
                if const { TWICE && Self::TILE_IS_CHUNK } && len == const { Memory::<K, T>::CHUNK_KEYS } {
                    // No condition on the second vector, so that it is loaded beside the first.
                    each(tile(own, load(own), load(own + const { Self::ROW }), true));
                } else {
                    let mut at = own;
                    while at < len {
                        let second = at + const { Self::ROW };
                        let is_full = const { batch::<K>() > 1 } && second < len;
                        let one = load(at);
                        let two = if is_full { load(second) } else { Vec16([0; 4]) };
                        each(tile(at, one, two, is_full));
                        at += const { batch::<K>() * Self::ROW };
                    }
                }
            });
        }
    }

    /// Calls `each` with this thread's part of the vectors in all chunks, by whole warps: a lane that has nothing comes along.
    ///
    /// # Safety
    ///
    /// As for [`Self::stream`].
    #[inline(always)]
    pub(super) unsafe fn stream_by_warps(&self, each: &mut impl FnMut(Tile)) {
        let per_vector = const { K::PER_VEC16 as u32 };
        // SAFETY: the caller's promise.
        unsafe {
            self.through(false, |Chunk { len, first, place, shift }| {
                // The last vector stands in where there is none, so that nothing is asked before they are loaded.
                let last = len - per_vector;
                let load = |at: u32| self.memory.slots.load16(place + at);
                let is_left = |at: u32| {
                    if const { Self::CHUNK_IS_TILES } {
                        // By all, which saves registers: few chunks are short.
                        at < const { Memory::<K, T>::CHUNK_KEYS }
                    } else {
                        at - thread::lane() * per_vector < len
                    }
                };
                let mut at = thread::index() * per_vector;
                while is_left(at) {
                    let second = at + const { Self::ROW };
                    let is_full = const { batch::<K>() > 1 } && second < len;
                    let (at_one, at_two) = (at.min(last), second.min(last));
                    let two = if const { batch::<K>() > 1 } { load(at_two) } else { Vec16([0; 4]) };
                    let (is_there, one) = (at < len, load(at_one));
                    let (first, second) = (first + at_one, first + at_two);
                    each(Tile { one, two, is_full, is_there, first, second, shift });
                    if const { Self::TILE_IS_CHUNK } {
                        break;
                    }
                    at += const { batch::<K>() * Self::ROW };
                }
            });
        }
    }

    /// Has `look` look at each chunk in its slot, as [`Self::stream`] does.
    ///
    /// # Safety
    ///
    /// As for [`Self::vectors`].
    #[inline(always)]
    unsafe fn through(&self, peek: bool, mut look: impl FnMut(Chunk)) {
        let chunk_keys = const { Memory::<K, T>::CHUNK_KEYS };
        let mut stream = Stream::open(self, peek);
        while let Some(chunk) = stream.chunk() {
            // SAFETY: the caller's promise.
            let slot = unsafe { stream.wait(self) };
            let (number, place) = (chunk * chunk_keys, slot * chunk_keys);
            let (len, first) = (chunk_keys.min(self.keys() - number), self.first + number);
            look(Chunk { len, first, place, shift: first.wrapping_sub(place) });
            // SAFETY: as above.
            unsafe { stream.step(self) };
        }
        // SAFETY: as above.
        unsafe { stream.close(self) };
    }

    /// Whether a chunk is whole tiles of every thread.
    const CHUNK_IS_TILES: bool = Memory::<K, T>::CHUNK_KEYS.is_multiple_of(batch::<K>() * Self::ROW);

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
