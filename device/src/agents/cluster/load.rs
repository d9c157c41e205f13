//! The load: everything that must be initialised, and the resident keys into their slots.

use super::Tuning;
use super::memory::{Memory, word};
use super::share::Share;
use super::stream;
use super::team::Team;
use crate::agents::cost::Key;
use crate::agents::segment::Segment;
use crate::arch::mbarrier::{Mbarrier, fence_init};
use crate::arch::{block, bulk, cluster, fence, thread};
use crate::primitives::strided;

/// Keys that a thread loads at a time where it loads them itself.
const PLAIN: usize = 4;

/// How the resident chunks are shared out over the stages: every stage has one barrier, and its chunks come in one phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stages {
    /// Keys of a stage; the last may have fewer.
    pub(super) keys: u32,
    /// All resident keys.
    resident: u32,
}

impl Stages {
    #[inline(always)]
    pub(super) fn of<K, T>(share: &Share<'_, K, T>) -> Self
    where
        K: Key + core::ops::BitXor<Output = K>,
        T: Tuning,
    {
        let chunk = const { Memory::<K, T>::CHUNK_KEYS };
        let chunks = share.resident.div_ceil(chunk);
        Self { keys: chunks.div_ceil(T::POLICY.pipeline_stages) * chunk, resident: share.resident }
    }

    /// How many there are.
    #[inline(always)]
    fn count(self) -> u32 {
        self.resident
            .checked_div(self.keys)
            .map_or(0, |full| full + u32::from(full * self.keys < self.resident))
    }
}

/// Initialises this block's memory and starts the load.
///
/// Each stage is there once [`wait`] has returned; keys that the threads load themselves are there at once.
///
/// # Safety
///
/// All threads of every block that works on the segment call it together, first of all.
#[inline(always)]
pub(super) unsafe fn start<K, T>(segment: &Segment<'_, K>, share: &Share<'_, K, T>, team: &Team<K, T>)
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let memory = share.memory;
    let threads = const { Memory::<K, T>::THREADS };
    if thread::index() == 0 {
        segment.store(memory.segment());
        if const { T::STREAMS } || segment.is_contiguous() {
            if const { T::STREAMS } {
                // SAFETY: one thread, first of all; the block's barrier is below.
                unsafe { stream::start(segment, share) };
            } else {
                // SAFETY: as above.
                unsafe { copy(segment, share) };
            }
            share.prefetch_overflow(segment);
        }
    }
    for at in strided(thread::index(), word::LEAST_OF_RANKS, threads) {
        memory.state.store(at, 0);
    }
    for bucket in strided(thread::index(), memory.histogram.len(), threads) {
        memory.histogram.store(bucket, 0);
    }
    if const { !T::STREAMS } && !segment.is_contiguous() {
        let mut at = thread::index();
        while at < share.resident {
            let mut keys = [K::ZERO; PLAIN];
            for (row, key) in keys.iter_mut().enumerate() {
                let place = at + row as u32 * threads;
                if place < share.resident {
                    *key = segment.load_key(share.first + place);
                }
            }
            for (row, key) in keys.iter().enumerate() {
                let place = at + row as u32 * threads;
                if place < share.resident {
                    memory.slots.store(place, *key);
                }
            }
            at += PLAIN as u32 * threads;
        }
    }
    // SAFETY: the caller's promise.
    unsafe { block::sync() };
    // Where all keys are counted before a block looks at another's memory, the barrier in between will do.
    if const { !T::LARGE_K } && !team.alone() {
        // The peers may use this block's memory once all have arrived; who waits for that does so as late as possible. One thread
        // speaks for all, which the barrier has ordered before.
        if thread::index() == 0 {
            fence::cluster();
        }
        // SAFETY: the caller's promise.
        unsafe { cluster::arrive_relaxed() };
    }
}

/// Makes the barriers of the stages, and has every chunk copied.
///
/// # Safety
///
/// One thread calls it, before anyone uses the slots or the barriers.
#[inline(always)]
unsafe fn copy<K, T>(segment: &Segment<'_, K>, share: &Share<'_, K, T>)
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let memory = share.memory;
    let stages = Stages::of(share);
    for stage in 0..stages.count() {
        // SAFETY: the caller's promise.
        unsafe { Mbarrier::at(memory.barriers, stage).init(1) };
    }
    fence_init();
    let keys = segment.keys();
    let chunk = const { Memory::<K, T>::CHUNK_KEYS };
    let (mut stage, mut stage_end, mut at) = (0, 0, 0);
    while at < share.resident {
        if at == stage_end {
            let in_stage = stages.keys.min(share.resident - at);
            // SAFETY: this thread is the phase's only arrival, and the stage's copies bring these bytes: fewer than the
            // shared memory of a block, hence fewer than 2^20.
            unsafe { Mbarrier::at(memory.barriers, stage).arrive_expect(in_stage * K::BYTES) };
            stage_end = at + in_stage;
            stage += 1;
        }
        let len = chunk.min(share.resident - at);
        let from = keys.slice(u64::from(share.first + at), len.into());
        // SAFETY: chunks start and end on lines, in global memory by the split and in shared memory by the layout; nobody has
        // touched the slot, and the barrier's phase expects the bytes.
        unsafe { bulk::copy(memory.slots.slice(at, len), from, Mbarrier::at(memory.barriers, stage - 1)) };
        at += len;
    }
}

/// Waits for the stage whose first key is number `at` of the resident ones, a multiple of [`Stages::keys`].
///
/// # Safety
///
/// [`start`] has returned, bulk copies bring the keys, and `stage` is the stage's number.
#[inline(always)]
pub(super) unsafe fn wait<K, T>(share: &Share<'_, K, T>, stage: u32)
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    // SAFETY: the barrier was made before the block's barrier in `start`, and has one phase only, the first.
    unsafe { Mbarrier::at(share.memory.barriers, stage).wait(0) };
}
