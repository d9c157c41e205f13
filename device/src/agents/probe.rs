//! The k-th least key of each segment by radix passes: the smallest kernels that use every part of the layers below,
//! kept to try a toolchain or a GPU with.

use crate::arch::global::Global;
use crate::arch::shared::Shared;
use crate::arch::{Scalar, Scope, block, thread};
use crate::params::ProbeParams;
use crate::primitives::{Bucket, find_bucket, find_bucket_scratch, strided};

const BITS: u32 = 8;
const BUCKETS: u32 = 1 << BITS;

/// Shared memory of a block: the histogram, then scratch, then (for a cluster) a barrier and the staged keys.
const SCRATCH_AT: u32 = 4 * BUCKETS;

/// The state of a radix selection: the digits decided so far, and what is left to find.
#[derive(Clone, Copy)]
struct Progress {
    prefix: u64,
    decided: u64,
    k: u32,
}

impl Progress {
    fn start(k: u32) -> Self {
        Self { prefix: 0, decided: 0, k }
    }

    #[inline(always)]
    fn digit(self, key: u64, shift: u32) -> Option<u32> {
        (key & self.decided == self.prefix).then_some((key >> shift) as u32 & (BUCKETS - 1))
    }

    #[inline(always)]
    fn narrow(self, bucket: Bucket, shift: u32) -> Self {
        Self {
            prefix: self.prefix | u64::from(bucket.index) << shift,
            decided: self.decided | u64::from(BUCKETS - 1) << shift,
            k: self.k.wrapping_sub(bucket.before),
        }
    }
}

/// One block per segment; the keys are read from global memory in every pass.
///
/// # Safety
///
/// Launched with blocks of `THREADS` threads and `4 * 256 + 4 * find_bucket_scratch(THREADS)` bytes of dynamic shared
/// memory; `params` describes live device memory.
#[inline(always)]
pub unsafe fn block<T: Scalar, const THREADS: u32>(params: ProbeParams) {
    let segment = thread::block_index();
    if segment >= params.segments {
        return;
    }
    // SAFETY: at the front of the bytes that the launch provides; barriers below separate the passes.
    let histogram = unsafe { Shared::<u32>::carve(0, BUCKETS) };
    // SAFETY: behind the histogram, within the bytes that the launch provides.
    let scratch = unsafe { Shared::<u32>::carve(SCRATCH_AT, find_bucket_scratch(THREADS)) };
    let all = u64::from(params.segments) * u64::from(params.segment_len);
    // SAFETY: the launch's promise; nobody writes the keys.
    let keys = unsafe { Global::<T>::new(params.keys, all) };
    let keys = keys.slice(u64::from(segment) * u64::from(params.segment_len), u64::from(params.segment_len));
    // SAFETY: the launch's promise; one thread writes this block's element.
    let out = unsafe { Global::<u64>::new(params.out, u64::from(params.segments)) };

    let mut progress = Progress::start(params.k);
    let mut shift = 8 * T::BYTES;
    while shift > 0 {
        shift -= BITS;
        for i in strided(thread::index(), BUCKETS, THREADS) {
            histogram.store(i, 0);
        }
        // SAFETY: the trip counts around it are the same for all threads.
        unsafe { block::sync() };
        let head = keys.elements_to_align16().min(params.segment_len);
        let count = |key: T| {
            if let Some(digit) = progress.digit(key.widen(), shift) {
                histogram.add(digit, 1, Scope::Block);
            }
        };
        if thread::index() < head {
            count(keys.load_once(u64::from(thread::index())));
        }
        let per_vector = T::PER_VEC16 as u32;
        let vectors = (params.segment_len - head) / per_vector;
        for v in strided(thread::index(), vectors, THREADS) {
            let vector = keys.load16_once(u64::from(head + v * per_vector));
            for lane in 0..T::PER_VEC16 {
                count(vector.get::<T>(lane));
            }
        }
        let tail = head + vectors * per_vector + thread::index();
        if tail < params.segment_len {
            count(keys.load_once(u64::from(tail)));
        }
        // SAFETY: as above.
        unsafe { block::sync() };
        // SAFETY: as above; the histogram is complete, and the scratch was last used before the barrier.
        let bucket = unsafe { find_bucket::<THREADS, BUCKETS>(histogram, scratch, progress.k) };
        progress = progress.narrow(bucket, shift);
    }
    if thread::index() == 0 {
        out.store(u64::from(segment), progress.prefix);
    }
}

/// One cluster per segment; each block stages its share of the keys by one bulk copy, and the first block's histogram
/// gathers those of all.
///
/// # Safety
///
/// Launched with blocks of `THREADS` threads and, behind what [`block()`] needs rounded up to 16 bytes, 16 bytes and one
/// block's share of the keys, of which there are at least as many as blocks; `segment_len` and the shares are
/// multiples of 16 bytes, a share is below 2^20 bytes; `params` describes live device memory.
#[cfg(feature = "cluster")]
#[inline(always)]
pub unsafe fn cluster<T: Scalar, const THREADS: u32>(params: ProbeParams) {
    use crate::arch::mbarrier::{Mbarrier, fence_init};
    use crate::arch::{bulk, cluster, grid, warp};

    let (segment, rank, width) = (cluster::index(), cluster::rank(), cluster::width().max(1));
    if segment >= params.segments {
        return;
    }
    let share = (params.segment_len / width) & !(16 / T::BYTES - 1);
    let mine = if rank + 1 == width { params.segment_len - share * (width - 1) } else { share };

    // SAFETY: at the front of the bytes that the launch provides; barriers below separate the passes.
    let histogram = unsafe { Shared::<u32>::carve(0, BUCKETS) };
    // SAFETY: behind the histogram, within the bytes that the launch provides.
    let scratch = unsafe { Shared::<u32>::carve(SCRATCH_AT, find_bucket_scratch(THREADS)) };
    let barrier_at = const { (SCRATCH_AT + 4 * find_bucket_scratch(THREADS)).next_multiple_of(16) };
    // SAFETY: behind the scratch, within the bytes that the launch provides.
    let barriers = unsafe { Shared::<u64>::carve(barrier_at, 2) };
    // SAFETY: behind the barrier, within the bytes that the launch provides.
    let staged = unsafe { Shared::<T>::carve(barrier_at + 16, mine) };
    let all = u64::from(params.segments) * u64::from(params.segment_len);
    // SAFETY: the launch's promise; nobody writes the keys.
    let keys = unsafe { Global::<T>::new(params.keys, all) };
    let first = u64::from(segment) * u64::from(params.segment_len) + u64::from(share) * u64::from(rank);
    let keys = keys.slice(first, u64::from(mine));
    // SAFETY: the launch's promise; one thread writes this cluster's element.
    let out = unsafe { Global::<u64>::new(params.out, u64::from(params.segments)) };

    let loaded = Mbarrier::at(barriers, 0);
    if thread::index() == 0 {
        // SAFETY: one thread, before anyone uses it.
        unsafe { loaded.init(1) };
        fence_init();
    }
    grid::wait_for_previous();
    // SAFETY: all threads of the block are here: the only exit so far is the whole cluster's.
    unsafe { block::sync() };
    if thread::warp_index() == 0 {
        // SAFETY: the first warp, whole.
        if unsafe { warp::elect(warp::ALL) } {
            // SAFETY: this thread is the phase's one arrival; the copy below brings the bytes.
            unsafe { loaded.arrive_expect(mine * T::BYTES) };
            // SAFETY: sizes and addresses by the launch's promise; nobody has touched the destination.
            unsafe { bulk::copy(staged, keys, loaded) };
        }
    }
    // SAFETY: the first phase is the current one.
    unsafe { loaded.wait(0) };

    let gathered = histogram.at(0);
    let mut progress = Progress::start(params.k);
    let mut shift = 8 * T::BYTES;
    while shift > 0 {
        shift -= BITS;
        for i in strided(thread::index(), BUCKETS, THREADS) {
            histogram.store(i, 0);
        }
        // SAFETY: the trip counts around it are the same for all threads of the cluster.
        unsafe { cluster::sync() };
        for i in strided(thread::index(), mine, THREADS) {
            if let Some(digit) = progress.digit(staged.load(i).widen(), shift) {
                gathered.add(digit, 1, Scope::Cluster);
            }
        }
        // SAFETY: as above.
        unsafe { cluster::sync() };
        if rank != 0 {
            for i in strided(thread::index(), BUCKETS, THREADS) {
                histogram.store(i, gathered.load(i));
            }
        }
        // SAFETY: as above. Nobody clears the first block's histogram before all have read it.
        unsafe { cluster::sync() };
        // SAFETY: the whole block is here; the histogram is complete, the scratch was last used before the barriers.
        let bucket = unsafe { find_bucket::<THREADS, BUCKETS>(histogram, scratch, progress.k) };
        progress = progress.narrow(bucket, shift);
    }
    grid::launch_dependents();
    if rank == 0 && thread::index() == 0 {
        out.store(u64::from(segment), progress.prefix);
    }
}
