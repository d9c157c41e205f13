//! The stream: a block's chunks pass through its slots, all of them in every pass.
//!
//! Chunk `c` uses slot `c mod S` of the `S` there are. Where no block has more chunks than slots that is all there is to it: each
//! is copied once, and stays. Otherwise a pass goes the opposite way of the one before, so that it finds its first `S` chunks
//! where that left them, and reads the others again. That is as few as if some slots kept their chunks for good.
//!
//! Two barriers of a slot pass it to and fro: one completes when its copy has landed, the other when every thread is through with
//! what it brought. Threads wait for the former alone, so that warps need not keep step; the one that starts the copies waits for
//! the latter, a chunk late, so that it rarely has to. Every lane arrives: one for its warp, behind a barrier of the warp, was slower,
//! and an order that the sanitizer's racecheck does not follow.
//!
//! Keys are adjacent: others cannot be copied in bulk.

use super::Tuning;
use super::memory::{Memory, word};
use super::share::Share;
use crate::agents::cost::Key;
use crate::agents::segment::Segment;
use crate::arch::mbarrier::{Mbarrier, fence_init};
use crate::arch::{bulk, thread};
use core::hint::cold_path;

/// Set in [`word::STREAM`] where the next pass goes backward.
const BACKWARD: u32 = 1 << 31;

/// Where a pass over the chunks is: the same in all threads of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// For each slot, the parity of the phase in which its last copy completes.
    phases: u32,
    /// The chunk.
    chunk: u32,
    /// Its slot.
    slot: u32,
    /// Chunks that the pass has yet to visit, this one included.
    left: u32,
    /// 1, or −1 backward.
    way: u32,
    /// Whether chunks follow one another in their slots.
    refills: bool,
}

impl Stream {
    /// At the first chunk of a pass over all chunks; with `peek`, over those that are in slots before the first pass over all.
    #[inline(always)]
    pub(super) fn open<K, T>(share: &Share<'_, K, T>, peek: bool) -> Self
    where
        K: Key + core::ops::BitXor<Output = K>,
        T: Tuning,
    {
        let (chunks, slots) = (chunks(share), slots(share));
        if chunks <= slots || peek {
            return Self { phases: 0, chunk: 0, slot: 0, left: chunks.min(slots), way: 1, refills: false };
        }
        let state = share.memory.state;
        let stream = state.load(word::STREAM);
        let backward = stream & BACKWARD != 0;
        Self {
            phases: state.load(word::PHASES),
            chunk: if backward { chunks - 1 } else { 0 },
            slot: stream & !BACKWARD,
            left: chunks,
            way: if backward { 1u32.wrapping_neg() } else { 1 },
            refills: true,
        }
    }

    /// The chunk, while there is one left to visit.
    #[inline(always)]
    pub(super) fn chunk(&self) -> Option<u32> {
        (self.left > 0).then_some(self.chunk)
    }

    /// Waits for the chunk, and says its slot.
    ///
    /// # Safety
    ///
    /// The load has been started, and a chunk is left.
    #[inline(always)]
    pub(super) unsafe fn wait<K, T>(&self, share: &Share<'_, K, T>) -> u32
    where
        K: Key + core::ops::BitXor<Output = K>,
        T: Tuning,
    {
        // SAFETY: the barrier was made before the block's barrier in `load::start`. The phase asked about is that of the slot's last
        // copy, and the next begins only when the whole block is through with the slot.
        unsafe { filled(share, self.slot).wait(self.phases >> self.slot & 1) };
        self.slot
    }

    /// Goes on to the next chunk, and has slots filled again for chunks to come.
    ///
    /// # Safety
    ///
    /// All threads of the block call it, having waited for the chunk; this one is through with it.
    #[inline(always)]
    pub(super) unsafe fn step<K, T>(&mut self, share: &Share<'_, K, T>)
    where
        K: Key + core::ops::BitXor<Output = K>,
        T: Tuning,
    {
        let slots = slots(share);
        if self.refills {
            if self.left > slots {
                // SAFETY: each thread arrives once for each chunk that another replaces.
                unsafe { emptied(share, self.slot).arrive() };
                self.phases ^= 1 << self.slot;
            }
            if thread::index() == 0 {
                cold_path();
                // SAFETY: one thread.
                unsafe { self.refill(share) };
            }
        }
        self.left -= 1;
        self.chunk = self.chunk.wrapping_add(self.way);
        self.slot = turn(self.slot.wrapping_add(self.way), slots, self.way);
    }

    /// Has the slot of the chunk before this one filled again, once all threads are through with it, if another comes for it.
    ///
    /// # Safety
    ///
    /// One thread calls it after each chunk, having arrived for that itself.
    #[inline(always)]
    unsafe fn refill<K, T>(&self, share: &Share<'_, K, T>)
    where
        K: Key + core::ops::BitXor<Output = K>,
        T: Tuning,
    {
        // Nothing of this is to be prepared ahead of the loop.
        let share = &share.opaque();
        let slots = slots(share);
        let late = u32::from(slots > 1);
        let left = self.left + late;
        if left > slots && left <= chunks(share) {
            let slot =
                turn(self.slot.wrapping_sub(self.way & late.wrapping_neg()), slots, self.way.wrapping_neg());
            let chunk = self.chunk.wrapping_add((slots - late).wrapping_mul(self.way));
            // SAFETY: the phase completes with the arrivals for the chunk in the slot; there is one for each copy into it.
            unsafe { emptied(share, slot).wait(self.phases >> slot & 1 ^ 1) };
            // SAFETY: the caller's promise; the whole block is through with the slot, and its last copy is complete.
            unsafe { copy(&share.segment(), share, chunk, slot) };
        }
    }

    /// Leaves the stream as the pass leaves it.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together, after the last chunk, and a barrier of the block follows before the next pass.
    #[inline(always)]
    pub(super) unsafe fn close<K, T>(self, share: &Share<'_, K, T>)
    where
        K: Key + core::ops::BitXor<Output = K>,
        T: Tuning,
    {
        if !self.refills {
            return;
        }
        // All have read what is about to change: some chunk has taken the place of another, which waited for every thread.
        if thread::index() == 0 {
            let state = share.memory.state;
            state.store(word::PHASES, self.phases);
            let last = turn(self.slot.wrapping_sub(self.way), slots(share), self.way.wrapping_neg());
            state.store(word::STREAM, last | if self.way == 1 { BACKWARD } else { 0 });
        }
    }
}

/// A slot that one step may have taken over the last of `slots`, or under the first.
#[inline(always)]
fn turn(slot: u32, slots: u32, way: u32) -> u32 {
    if slot < slots {
        slot
    } else if way == 1 {
        0
    } else {
        slots - 1
    }
}

/// Chunks of the first wave: one for each slot.
#[inline(always)]
fn wave<K, T>(share: &Share<'_, K, T>) -> u32
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    chunks(share).min(slots(share))
}

/// Makes the barriers of the slots and has the first wave copied, a chunk for each slot.
///
/// # Safety
///
/// One thread calls it, before anyone uses the slots or the barriers; a barrier of the block is to follow.
#[inline(always)]
pub(super) unsafe fn start<K, T>(segment: &Segment<'_, K>, share: &Share<'_, K, T>)
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let wave = wave(share);
    for slot in 0..wave {
        // SAFETY: the caller's promise.
        unsafe { filled(share, slot).init(1) };
    }
    if chunks(share) > wave {
        for slot in 0..wave {
            // SAFETY: as above.
            unsafe { emptied(share, slot).init(const { Memory::<K, T>::THREADS }) };
        }
    }
    fence_init();
    for slot in 0..wave {
        // SAFETY: the caller's promise.
        unsafe { copy(segment, share, slot, slot) };
    }
}

/// Slots of this block.
#[inline(always)]
fn slots<K, T>(share: &Share<'_, K, T>) -> u32
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    share.memory.slots.len() / const { Memory::<K, T>::CHUNK_KEYS }
}

/// Chunks of this block.
#[inline(always)]
fn chunks<K, T>(share: &Share<'_, K, T>) -> u32
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    share.keys().div_ceil(const { Memory::<K, T>::CHUNK_KEYS })
}

/// The barrier of a slot that completes when its copy has landed.
#[inline(always)]
fn filled<K, T>(share: &Share<'_, K, T>, slot: u32) -> Mbarrier
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    Mbarrier::at(share.memory.barriers, slot)
}

/// The barrier of a slot that completes when every thread is through with what it holds.
#[inline(always)]
fn emptied<K, T>(share: &Share<'_, K, T>, slot: u32) -> Mbarrier
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    Mbarrier::at(share.memory.barriers, const { T::POLICY.pipeline_stages } + slot)
}

/// Has a chunk copied into a slot.
///
/// # Safety
///
/// One thread; the slot's barriers are made, its last copy, if any, complete, and all are through with what that brought.
#[inline(always)]
unsafe fn copy<K, T>(segment: &Segment<'_, K>, share: &Share<'_, K, T>, chunk: u32, slot: u32)
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let chunk_keys = const { Memory::<K, T>::CHUNK_KEYS };
    let number = chunk * chunk_keys;
    let len = chunk_keys.min(share.keys() - number);
    let to = share.memory.slots.slice(slot * chunk_keys, len);
    let from = segment.keys().slice(u64::from(share.first + number), len.into());
    let barrier = filled(share, slot);
    // SAFETY: the caller's promise: this thread is the phase's only arrival, and the copy brings these bytes, fewer than 2^20.
    unsafe {
        barrier.arrive_expect(len * K::BYTES);
    }
    // SAFETY: as above. Chunks begin on lines and are whole vectors, in global memory by the split and in shared memory by the
    // layout.
    unsafe {
        bulk::copy(to, from, barrier);
    }
}
