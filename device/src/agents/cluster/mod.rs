//! A thread-block cluster per segment: keys of any number, each block holding its share in shared memory.
//!
//! | stage | file | what it leaves |
//! | --- | --- | --- |
//! | load | `load` | the block's share of the keys in its slots, by bulk copies or plain loads |
//! | bound | `bound` | the range of costs that can hold the k-th, from one delegate per group of keys |
//! | candidates | `candidates` | a list of the keys within the bound, so that nothing below looks at the others again |
//! | passes | `passes`, `team` | the k-th cost, by histograms that all blocks fold into the leader's |
//! | placement | `place`, `cutoff`, `few` | every winner in its slot, each block writing its own |
//!
//! A *pass* is two cluster barriers: one before the leader reads the merged histogram, one that publishes what it found. With
//! one barrier for what is initialised at the start, whose wait lies just before the first access to a peer, and one for the
//! counts that seed the output positions, a segment takes `2 × passes + 2` of them, and none where one block does it all.
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
mod load;
mod memory;
mod passes;
mod place;
mod share;
mod team;

use super::cost::{Costs, Key};
use super::segment::Segment;
use crate::arch::{cluster, thread};
use crate::primitives::strided;
use cluster_topk_abi::params::{Flags, KernelParams};
use cluster_topk_abi::policy::ClusterPolicy;
use cluster_topk_abi::schedule::{ClusterSchedule, ScanOrder, SegmentSplit, single_cta_eligible};
use memory::Memory;
use share::Share;
use team::Team;

/// The policy that an agent is compiled for.
pub trait Tuning: Copy + core::fmt::Debug {
    /// The policy; valid.
    const POLICY: ClusterPolicy;
}

/// The policy of the kernels.
#[derive(Clone, Copy, Debug)]
pub struct Default;

impl Tuning for Default {
    const POLICY: ClusterPolicy = ClusterPolicy::DEFAULT;
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
    if k == len {
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
    let alone = single_cta_eligible(&geometry, len, params.slots, params.single_block_max_seg_size);
    let order = order(params.flags);
    let schedule =
        ClusterSchedule::new(&split, if alone { 1 } else { width }, params.min_chunks_per_block, order);
    if schedule.is_idle(rank) {
        // The cluster barrier waits for threads that have not exited, and nobody looks at this block's memory.
        return;
    }
    // SAFETY: the launch provides the memory, and the whole block is here.
    let memory = unsafe { Memory::<K, T>::carve(params.slots) };
    let share = Share::of(&segment, &split, &schedule, rank, Costs::of(params), memory);
    let team = Team::of(&schedule, rank, memory);
    // SAFETY: all threads of every block that works on the segment are here: what was branched on is the same for all of them.
    unsafe {
        load::start(&segment, &share, &team);
    }
    // SAFETY: as above; the load has been started.
    let open = unsafe { bound::find(&share, &team, k, &split) };
    // SAFETY: as above; all of the share is loaded.
    let (candidates, kth) = unsafe { passes::narrow(&share, &team, open) };
    // SAFETY: as above; the passes have counted what this block holds.
    unsafe { place::write(&candidates, &team, kth) };
}

/// The order in which blocks claim slots: by [`ScanOrder::of`] of the contract that the flags stand for.
fn order(flags: Flags) -> ScanOrder {
    if flags.contains(Flags::DETERMINISTIC) && !flags.contains(Flags::PREFER_LARGER_INDEX) {
        ScanOrder::Ascending
    } else {
        ScanOrder::Descending
    }
}
