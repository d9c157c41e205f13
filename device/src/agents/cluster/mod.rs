//! A thread-block cluster per segment: keys of any number, each block holding its share in shared memory.
//!
//! | stage | file | what it leaves |
//! | --- | --- | --- |
//! | load | `load` | the block's share of the keys in its slots, by bulk copies or plain loads |
//! | bound | `bound` | the range of costs that can hold the k-th, from one delegate per group of keys |
//! | candidates | `candidates` | a list of the keys within the bound, so that nothing below looks at the others again |
//! | passes | `passes`, `team` | the k-th cost, by histograms that all blocks fold into the leader's |
//! | placement | `place`, `cutoff`, `few`, `winners` | every winner in its slot, each block putting its own |
//! | large k | `large_k` | what bound, candidates and passes leave, and some winners in their slots already |
//! | ordering | `order` | where the output is sorted: winners gather in the leader's memory, and it writes them in order |
//!
//! Keys that do not fit the slots come in one of two ways, each a kernel of its own, of which the host takes the one that suits the
//! call: every pass that looks at them loads them (`sweep`), or chunks pass through the slots by bulk copies (`stream`), which pays
//! where keys are looked at more than once and several blocks share a multiprocessor. A third kernel, for which they pass through, too,
//! is for k so large that delegates bound the k-th badly and the winners fit no list (`large_k`).
//!
//! Where a bound leaves so few candidates that every block can have them all, the passes are left out. Where it leaves more than the
//! blocks can list, as where many keys are equal, passes look at all keys until that has changed.
//!
//! A *pass* is two cluster barriers: one before the leader reads the merged histogram, one that publishes what it found. With
//! one barrier for what is initialised at the start, whose wait lies just before the first access to a peer, and one for the
//! counts that seed the output positions, a segment takes `2 × passes + 2` of them, and none where one block does it all. A bound
//! counts as a pass. Where the output is sorted, winners that gather in the leader's memory take one more; or few candidates are
//! settled instead of the passes, by the barrier of the counts alone, or two more if they turn out to be many. The search for large k
//! takes none for the start, and one more where some winners leave before the others are known.
//!
//! Passes spread their buckets over the range of costs that is still open instead of cutting the key into fixed digits. The
//! first pass over a key of which nothing is known is the same; later ones, and those behind a bound, do not waste buckets
//! on costs that no key has.
//!
//! The delegates are those of Gaihre et al., "Dr. Top-k: delegate-centric Top-k on GPUs", SC '21.

mod bound;
mod candidates;
mod cutoff;
mod few;
mod found;
mod large_k;
mod load;
mod memory;
mod order;
mod passes;
mod place;
mod share;
mod stream;
mod sweep;
mod team;
#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests;
mod tile;
mod winners;

use super::bucket_sort::{Scratch, Sorted};
use super::cost::{Costs, Key, Word};
use super::items::Items;
use super::segment::Segment;
use crate::arch::{block, cluster, thread};
use crate::primitives::strided;
use cluster_topk_abi::params::{Flags, KernelParams};
use cluster_topk_abi::policy::ClusterPolicy;
use cluster_topk_abi::schedule::{ClusterSchedule, Groups, ScanOrder, SegmentSplit, single_cta_eligible};
use memory::Memory;
use order::Order;
use share::Share;
use team::Team;

/// The policy that an agent is compiled for.
pub trait Tuning: Copy + core::fmt::Debug {
    /// The policy; valid.
    const POLICY: ClusterPolicy;
    /// Whether chunks pass through the slots, so that what does not fit them can be looked at again and again. Otherwise as
    /// many as fit have a slot for good, and the others are loaded from global memory, best a single time.
    const STREAMS: bool = false;
    /// Whether the search is that for large k, for which chunks pass through the slots. It is right for any k.
    const LARGE_K: bool = false;

    /// [`bucket_sort`](crate::agents::bucket_sort::bucket_sort()) of items in place, by as many threads as the policy says, for
    /// up to as many items as its [`order`](ClusterPolicy::order).
    ///
    /// # Safety
    ///
    /// That of [`bucket_sort`](crate::agents::bucket_sort::bucket_sort()).
    unsafe fn sort<W: Word>(
        items: Items<W, u32>,
        scratch: Scratch<W>,
        count: u32,
        index_bits: u32,
    ) -> Sorted<W, u32>;
}

/// Implements [`Tuning::sort`] for a number of threads.
#[macro_export]
macro_rules! cluster_sort {
    ($threads:literal) => {
        #[inline(always)]
        unsafe fn sort<W: $crate::agents::cost::Word>(
            items: $crate::agents::items::Items<W, u32>,
            scratch: $crate::agents::bucket_sort::Scratch<W>,
            count: u32,
            index_bits: u32,
        ) -> $crate::agents::bucket_sort::Sorted<W, u32> {
            const {
                let order = Self::POLICY.order();
                assert!(order.threads == $threads && order.items_per_thread == 4);
            }
            // SAFETY: the caller's promise.
            unsafe {
                $crate::agents::bucket_sort::bucket_sort::<W, u32, $threads, 4>(
                    items,
                    scratch,
                    count,
                    index_bits,
                    |at| items.index(at),
                    |at, _| items.cost(at),
                )
            }
        }
    };
}

/// A tuning whose chunks pass through the slots, with the search for large k or without. Its launches are over adjacent keys, with at
/// most as many slots as the pipeline has stages.
#[derive(Clone, Copy, Debug)]
pub struct ThroughSlots<T, const LARGE_K: bool>(core::marker::PhantomData<T>);

/// The search that delegates and lists are good for.
pub type Streaming<T> = ThroughSlots<T, false>;

/// The search for large k.
pub type LargeK<T> = ThroughSlots<T, true>;

impl<T: Tuning, const LARGE_K: bool> Tuning for ThroughSlots<T, LARGE_K> {
    const POLICY: ClusterPolicy = T::POLICY;
    const STREAMS: bool = true;
    const LARGE_K: bool = LARGE_K;

    #[inline(always)]
    unsafe fn sort<W: Word>(
        items: Items<W, u32>,
        scratch: Scratch<W>,
        count: u32,
        index_bits: u32,
    ) -> Sorted<W, u32> {
        // SAFETY: the caller's promise.
        unsafe { T::sort(items, scratch, count, index_bits) }
    }
}

/// The policy of the kernels.
#[derive(Clone, Copy, Debug)]
pub struct Default;

impl Tuning for Default {
    const POLICY: ClusterPolicy = ClusterPolicy::DEFAULT;
    cluster_sort!(512);
}

/// Selects segment `cluster index`.
///
/// # Safety
///
/// Launched with one cluster per segment, blocks of the policy's threads, and dynamic shared memory for `params.slots` slots of
/// the policy's [`TileGeometry`](cluster_topk_abi::layout::TileGeometry); `params` describes live device memory.
#[inline(always)]
pub unsafe fn run<K, T: Tuning>(params: &KernelParams)
where
    K: Key + core::ops::BitXor<Output = K>,
{
    let threads = const { T::POLICY.threads_per_block };
    let (index, rank, width) = (cluster::index(), cluster::rank(), cluster::width());
    if index >= params.num_segments {
        return;
    }
    // SAFETY: the caller's promise.
    let segment = unsafe { Segment::<K>::of(params, index.into()) };
    let (len, k) = (segment.len(), segment.selected());
    let (worker, workers) = (rank * threads + thread::index(), width * threads);
    segment.fill(worker, workers);
    // SAFETY: the launch provides the memory.
    let memory = unsafe { Memory::<K, T>::carve(params.slots) };
    let order = Order::of(params, memory, k);
    if k == len && !order.sorts() {
        // All of it, k = 0 and an empty segment included.
        for slot in strided(worker, k, workers) {
            segment.write(slot, slot);
        }
        return;
    }
    if k == 0 {
        return;
    }

    let geometry = const { Memory::<K, T>::GEOMETRY };
    let split = if segment.is_contiguous() {
        SegmentSplit::aligned(&geometry, segment.address(), len)
    } else {
        SegmentSplit::generic(&geometry, len)
    };
    let alone =
        k == len || single_cta_eligible(&geometry, len, params.slots, params.single_block_max_seg_size);
    let scan = scan_order(params.flags);
    let schedule =
        ClusterSchedule::new(&split, if alone { 1 } else { width }, params.min_chunks_per_block, scan);
    if schedule.is_idle(rank) {
        // The cluster barrier waits for threads that have not exited, and nobody looks at this block's memory.
        return;
    }
    let groups = Groups::of(&split, &schedule, K::WIDTH, params.slots, const { T::POLICY.list_capacity });
    let share = Share::of(&segment, &split, &schedule, rank, Costs::of(params), memory);
    let team = Team::of(&schedule, rank, memory);
    if k == len {
        // All of it, in order: no more than a block sorts.
        for slot in strided(thread::index(), k, threads) {
            order.put(&segment, share.costs, &team, slot, slot, segment.load_key(slot));
        }
        if thread::index() == 0 {
            segment.store(memory.segment());
        }
        // SAFETY: the whole block is here: what was branched on is the same for all its threads.
        unsafe { block::sync() };
    } else {
        let is_done = if const { T::LARGE_K } {
            // SAFETY: all threads of every block that works on the segment are here: what was branched on is the same for all of
            // them.
            unsafe { large_k::select(&segment, &share, &team, &order, k) };
            false
        } else {
            // SAFETY: as above.
            unsafe {
                load::start(&segment, &share, &team);
            }
            // SAFETY: as above; the load has been started.
            let start = unsafe { bound::find(&share, &team, k, groups, order.sorts()) };
            // SAFETY: as above; all of the share is loaded.
            unsafe { passes::select(&share, &team, &order, start) }
        };
        if is_done || !order.sorts() {
            return;
        }
        // SAFETY: as above. Every thread may have put winners into the leader's memory.
        unsafe { team.sync(true) };
        if !team.leads() {
            return;
        }
    }
    // SAFETY: the whole block is here, after a barrier.
    unsafe { order.write(&share.segment(), share.costs) };
}

/// The order in which blocks claim slots: by [`ScanOrder::of`] of the contract that the flags stand for.
fn scan_order(flags: Flags) -> ScanOrder {
    if flags.contains(Flags::DETERMINISTIC) && !flags.contains(Flags::PREFER_LARGER_INDEX) {
        ScanOrder::Ascending
    } else {
        ScanOrder::Descending
    }
}
