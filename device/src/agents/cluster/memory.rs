//! The shared memory of a block, the same in every block of the cluster.

use super::Tuning;
use crate::agents::cost::Key;
use crate::agents::segment::Segment;
use crate::arch::opaque;
use crate::arch::shared::{BASE_ALIGN, Shared};
use cluster_topk_abi::arch::MAX_CLUSTER_WIDTH;
use cluster_topk_abi::layout::{FixedRegion, TileGeometry};

/// Words of the shared state.
pub(super) mod word {
    /// A pass's result, 64 bits: the leader's.
    pub(crate) const RESULT: u32 = 0;
    /// The next slot of this block's keys better than the k-th.
    pub(crate) const FRONT: u32 = 2;
    /// The next slot of this block's ties.
    pub(crate) const BACK: u32 = 3;
    /// Keys of this block better than the k-th; not the leader's.
    pub(crate) const OWN_FRONT: u32 = 4;
    /// Keys of this block that may be the k-th; not the leader's.
    pub(crate) const OWN_BACK: u32 = 5;
    /// The least cost of the segment, 64 bits at most: the leader's.
    pub(crate) const LEAST: u32 = 6;
    /// Delegates or keys of the segment in the bucket that was found last, in the end those that may be the k-th: the leader's.
    pub(crate) const ALL_BACK: u32 = 8;
    /// A bucket that this block has found for itself: its index, and the items before it and in it.
    pub(crate) const FOUND: u32 = 9;
    /// The next slot of this block's keys better than the range, where these leave before the k-th is known: the last word of
    /// [`FOUND`], which nothing uses until then.
    pub(crate) const EARLY: u32 = 11;
    /// Candidates that this block has listed, or would have.
    pub(crate) const LISTED: u32 = 12;
    /// Keys of the open range that this block has sent to all, or its ties that are to be ranked.
    pub(crate) const FEW: u32 = 13;
    /// The parity of each slot's last phase, a bit each, where chunks pass through them.
    pub(crate) const PHASES: u32 = 14;
    /// The slot that the next pass begins with, and which way it goes, where there are more chunks than slots.
    pub(crate) const STREAM: u32 = 15;
    /// The least cost of each block, 64 bits at most: the leader's. After the passes, how many keys each block has sent.
    pub(crate) const LEAST_OF_RANKS: u32 = 16;
    /// The segment, in words of 64 bits.
    pub(crate) const SEGMENT: u32 = LEAST_OF_RANKS + 2 * cluster_topk_abi::arch::MAX_CLUSTER_WIDTH;
}

/// Where everything lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory<K, T> {
    /// [`word`]s.
    pub(super) state: Shared<u32>,
    /// One count per bucket, and one aside.
    pub(super) histogram: Shared<u32>,
    /// Two words per warp: for scans, or for a cost of each.
    pub(super) scan: Shared<u32>,
    /// Indices of candidates.
    pub(super) list: Shared<u32>,
    /// Their keys.
    pub(super) list_keys: Shared<K>,
    /// Two per stage: one where chunks stay in their slots, two for each slot where they pass through.
    pub(super) barriers: Shared<u64>,
    /// Keys at the ends, one of a thread each.
    pub(super) edges: Shared<K>,
    /// The keys.
    pub(super) slots: Shared<K>,
    tuning: core::marker::PhantomData<T>,
}

impl<K: Key, T: Tuning> Memory<K, T> {
    pub(super) const GEOMETRY: TileGeometry = TileGeometry::of(&T::POLICY, K::WIDTH, 0);
    const FIXED: FixedRegion = FixedRegion::of(&T::POLICY, K::WIDTH, 0);
    /// Threads of a block.
    pub(super) const THREADS: u32 = T::POLICY.threads_per_block;
    /// Buckets of a histogram: a power of two, at most four per thread.
    pub(super) const BUCKETS: u32 = {
        let bits =
            if T::POLICY.bits_per_pass < K::WIDTH.bits() { T::POLICY.bits_per_pass } else { K::WIDTH.bits() };
        let buckets = 1 << bits;
        assert!(buckets >= 4 && buckets <= 4 * Self::THREADS);
        // Each thread holds at most one of the keys at the ends.
        assert!(2 * (Self::GEOMETRY.line_keys() as u32 - 1) <= Self::THREADS);
        assert!(T::POLICY.load_align_bytes <= BASE_ALIGN);
        buckets
    };
    /// The first slot; its alignment is at most that of the front of shared memory.
    const SLOTS: u32 = Self::GEOMETRY.slots_base(0) as u32;
    /// Keys of a slot.
    pub(super) const CHUNK_KEYS: u32 = Self::GEOMETRY.chunk_keys() as u32;

    /// The memory of a launch with `slots` slots.
    ///
    /// # Safety
    ///
    /// The launch provides the geometry's bytes for that many slots; the block's threads, and after a cluster barrier those of
    /// its peers, use them as the stages say.
    #[inline(always)]
    pub(super) unsafe fn carve(slots: u32) -> Self {
        // SAFETY: the caller's promise; `FixedRegion` keeps the parts apart.
        let part = |offset, len| unsafe { Shared::<u32>::carve(offset, len) };
        // SAFETY: as above.
        let barriers =
            unsafe { Shared::carve(const { Self::FIXED.barriers }, const { 2 * T::POLICY.pipeline_stages }) };
        // SAFETY: as above; the two edges lie side by side.
        let edges = unsafe {
            Shared::carve(const { Self::FIXED.head_edge }, const { 2 * Self::GEOMETRY.line_keys() as u32 })
        };
        // SAFETY: as above.
        let list_keys = unsafe { Shared::carve(const { Self::FIXED.list_keys }, T::POLICY.list_capacity) };
        // SAFETY: as above; the slots lie behind the fixed region.
        let slots = unsafe { Shared::carve(const { Self::SLOTS }, slots.wrapping_mul(Self::CHUNK_KEYS)) };
        Self {
            state: part(const { Self::FIXED.state }, FixedRegion::STATE_BYTES / 4),
            histogram: part(const { Self::FIXED.histogram }, const { Self::BUCKETS + FixedRegion::ASIDE }),
            scan: part(const { Self::FIXED.scan }, const { Self::THREADS / 32 * 2 }),
            list: part(const { Self::FIXED.list }, T::POLICY.list_capacity),
            list_keys,
            barriers,
            edges,
            slots,
            tuning: core::marker::PhantomData,
        }
    }

    /// The same slots, of whose number the compiler does not know.
    #[inline(always)]
    pub(super) fn opaque(self) -> Self {
        Self { slots: self.slots.slice(0, opaque(self.slots.len())), ..self }
    }

    /// Where the slots end, in bytes; a multiple of 16, since chunks are.
    #[inline(always)]
    pub(super) fn behind(&self) -> u32 {
        const { Self::SLOTS }.wrapping_add(self.slots.len().wrapping_mul(K::BYTES))
    }

    /// The least cost of the segment: the leader's.
    #[inline(always)]
    pub(super) fn least(&self) -> Shared<K::Word> {
        self.state.slice(word::LEAST, 2).cast()
    }

    /// The least cost of each block: the leader's.
    #[inline(always)]
    pub(super) fn least_of_ranks(&self) -> Shared<K::Word> {
        self.state.slice(word::LEAST_OF_RANKS, 2 * MAX_CLUSTER_WIDTH).cast()
    }

    /// How many keys each block has sent, where the least costs were until the passes had begun.
    #[inline(always)]
    pub(super) fn few_of_ranks(&self) -> Shared<u32> {
        self.state.slice(word::LEAST_OF_RANKS, MAX_CLUSTER_WIDTH)
    }

    /// The least cost of each warp, where scans keep their sums at other times.
    #[inline(always)]
    pub(super) fn least_of_warps(&self) -> Shared<K::Word> {
        self.scan.cast()
    }

    /// The cost below which winners have left before the k-th was known, where the second half of the blocks' least costs was.
    #[inline(always)]
    pub(super) fn put_below(&self) -> Shared<K::Word> {
        self.state.slice(word::LEAST_OF_RANKS + MAX_CLUSTER_WIDTH, 2).cast()
    }

    /// How many winners of all blocks have.
    #[inline(always)]
    pub(super) fn put_early(&self) -> Shared<u32> {
        self.state.slice(word::LEAST_OF_RANKS + MAX_CLUSTER_WIDTH + 2, 1)
    }

    /// What is known of the segment.
    #[inline(always)]
    pub(super) fn segment(&self) -> Shared<u64> {
        self.state.slice(word::SEGMENT, const { 2 * Segment::<u32>::WORDS }).cast()
    }

    /// A pass's result.
    #[inline(always)]
    pub(super) fn result(&self) -> Shared<u64> {
        self.state.slice(word::RESULT, 2).cast()
    }
}
