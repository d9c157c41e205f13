//! The blocks that work on a segment together: their barrier, and the histograms that they merge.

use super::Tuning;
use super::found::{Counted, Found, Part};
use super::memory::{Memory, word};
use crate::agents::cost::{Key, Word};
use crate::arch::shared::Shared;
use crate::arch::{Scope, Vec16, block, cluster, fence, thread, warp};
use crate::primitives::{Bucket, block_exclusive_sum_of};
use cluster_topk_abi::schedule::{ClusterSchedule, ScanOrder};

/// The blocks that work on a segment, seen from one of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Team<K, T> {
    memory: Memory<K, T>,
    /// This block.
    rank: u32,
    /// Blocks that work.
    width: u32,
    order: ScanOrder,
}

impl<K: Key, T: Tuning> Team<K, T> {
    /// The team of a schedule, for block `rank`, which works.
    #[inline(always)]
    pub(super) fn of(schedule: &ClusterSchedule, rank: u32, memory: Memory<K, T>) -> Self {
        let width = schedule.effective_width;
        let order = schedule.order;
        Self { memory, rank, width, order }
    }

    /// This block.
    #[inline(always)]
    pub(super) fn rank(&self) -> u32 {
        self.rank
    }

    /// Blocks that work.
    #[inline(always)]
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    /// What turns an index into its place in the order of preference among ties, by exclusive or. Indices are below 2^31.
    #[inline(always)]
    pub(super) fn turn(&self) -> u32 {
        if self.ascends() { 0 } else { u32::MAX >> 1 }
    }

    /// Whether this block is the only one.
    #[inline(always)]
    pub(super) fn alone(&self) -> bool {
        self.width == 1
    }

    /// The block whose histogram gathers all: the last in scan order.
    #[inline(always)]
    pub(super) fn leader(&self) -> u32 {
        self.order.leader(self.width)
    }

    /// Whether this block leads.
    #[inline(always)]
    pub(super) fn leads(&self) -> bool {
        self.rank == self.leader()
    }

    /// The blocks behind this one in scan order, as a range of ranks.
    #[inline(always)]
    pub(super) fn successors(&self) -> (u32, u32) {
        self.order.successors(self.rank, self.width)
    }

    /// Whether indices ascend in scan order.
    #[inline(always)]
    fn ascends(&self) -> bool {
        matches!(self.order, ScanOrder::Ascending)
    }

    /// A barrier over the team; what threads with `publishes`, and before a barrier of the block any of its threads, have done
    /// is ordered before what follows it anywhere.
    ///
    /// An arrival that releases costs every warp a wait for all its accesses, remote ones included; so those fence that have
    /// something to say, and all arrive relaxed.
    ///
    /// # Safety
    ///
    /// All threads of the team call it together; if it must order accesses to peers by this block, some thread publishes.
    #[inline(always)]
    pub(super) unsafe fn sync(&self, publishes: bool) {
        if self.alone() {
            // SAFETY: the caller's promise.
            unsafe { block::sync() };
        } else {
            if publishes {
                fence::cluster();
            }
            // SAFETY: as above.
            unsafe { cluster::arrive_relaxed() };
            // SAFETY: as above, and each thread has just arrived.
            unsafe { cluster::wait() };
        }
    }

    /// Where [`Self::count`] counts what has no bucket: nobody asks for it.
    pub(super) const ASIDE: u32 = Memory::<K, T>::BUCKETS;

    /// Adds to a bucket of this block's histogram.
    ///
    /// At cluster scope, since the leader's counts while its peers fold theirs in. On this block's own memory both scopes are
    /// the same instruction (`ATOMS.POPC.INC`).
    #[inline(always)]
    pub(super) fn count(&self, bucket: u32) {
        self.memory.histogram.add(bucket, 1, Scope::Cluster);
    }

    /// Merges the blocks' histograms and finds the bucket of the `k`-th item; leaves the histograms empty. Two barriers of the
    /// team.
    ///
    /// Of keys the block notes how many of its own lie before the bucket and in it. With
    /// each thread's `least` cost, [`Self::least`] is there afterwards; it is gathered by stores, since 64-bit minima are no
    /// atomic operation of shared memory.
    ///
    /// Each block adds its buckets to the leader's. With `pulls`, which the search for large k asks for where most buckets of all blocks
    /// hold some, the leader loads them all instead. Where few keys are found the other blocks' histograms then stay as they are.
    ///
    /// # Safety
    ///
    /// All threads of the team call it together; the histograms hold at least `k` items. `first` says that it is the first
    /// call, which ends the wait for the peers' start.
    #[inline(always)]
    pub(super) unsafe fn resolve(
        &self,
        k: u32,
        counted: Counted,
        least: Option<K::Word>,
        first: bool,
        pulls: bool,
    ) -> Found {
        let memory = self.memory;
        let pulls = const { T::LARGE_K } && pulls && !self.alone();
        let own_first = thread::index() * 4;
        let has_buckets = own_first < const { Memory::<K, T>::BUCKETS };
        let (leads, mut counts) = (self.leads(), Vec16([0; 4]));
        // The first thread speaks for what the block read of the last result, which a barrier of the block orders before.
        let mut publishes = thread::index() == 0;
        if let Some(least) = least {
            // SAFETY: the caller's promise: the whole warp is here.
            let least = unsafe { least.warp_min() };
            if thread::lane() == 0 {
                memory.least_of_warps().store(thread::warp_index(), least);
            }
        }
        if !self.alone() || least.is_some() {
            // SAFETY: the caller's promise; both are the same for the whole block.
            unsafe { block::sync() };
        }
        if !self.alone() {
            if first {
                // SAFETY: as above; this thread has arrived in `load::start`.
                unsafe { cluster::wait() };
            }
            if !leads && has_buckets {
                counts = memory.histogram.load16(own_first);
                if !pulls {
                    memory.histogram.store16(own_first, Vec16([0; 4]));
                    let merged = memory.histogram.at(self.leader());
                    for (at, &count) in counts.0.iter().enumerate() {
                        if count > 0 {
                            merged.add(own_first + at as u32, count, Scope::Cluster);
                            publishes = true;
                        }
                    }
                }
            }
        }
        if least.is_some() && thread::warp_index() == 0 {
            // SAFETY: the whole first warp is here.
            let least = unsafe { least_of(memory.least_of_warps(), const { Memory::<K, T>::THREADS / 32 }) };
            // The first thread speaks for what the others have read: a scan will write there.
            // SAFETY: as above.
            unsafe { warp::sync(warp::ALL) };
            if thread::lane() == 0 {
                if self.alone() {
                    memory.least_of_ranks().store(0, least);
                } else {
                    memory.least_of_ranks().at(self.leader()).store(self.rank, least);
                }
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.sync(publishes) };
        if leads && has_buckets {
            counts = if pulls { self.pull(own_first) } else { memory.histogram.load16(own_first) };
            memory.histogram.store16(own_first, Vec16([0; 4]));
        }
        if leads && least.is_some() && thread::warp_index() == 0 {
            // SAFETY: the whole first warp is here.
            let least = unsafe { least_of(memory.least_of_ranks(), self.width) };
            if thread::lane() == 0 {
                memory.least().store(0, least);
            }
        }
        // SAFETY: as above; the scratch was last used before the barrier.
        let mut before = unsafe { scan_buckets::<K, T>(memory.scan, counts) };
        // The first thread speaks for the histogram that it has emptied with the others: peers may send keys there.
        publishes = thread::index() == 0;
        if leads {
            let mut through = before;
            for (at, &count) in counts.0.iter().enumerate() {
                if let Some(k) = wanted(k, through, count) {
                    let part = match counted {
                        Counted::Delegates { few } if through.wrapping_add(count) <= few => Part::Few,
                        Counted::Delegates { .. } => Part::Some,
                        Counted::Keys { .. } if k == count => Part::Whole,
                        Counted::Keys { few } if count <= few => Part::Few,
                        Counted::Keys { .. } => Part::Some,
                    };
                    memory.result().store(0, Found { bucket: own_first + at as u32, k, part }.packed());
                    memory.state.store(word::ALL_BACK, count);
                    publishes = true;
                }
                through = through.wrapping_add(count);
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.sync(publishes) };
        let word =
            if self.alone() { memory.result().load(0) } else { memory.result().at(self.leader()).load(0) };
        let found = Found::unpacked(word);
        // Where few keys are left, peers may be sending theirs there.
        if pulls && found.part != Part::Few {
            if !leads && has_buckets {
                memory.histogram.store16(own_first, Vec16([0; 4]));
            }
            // Whether a pass follows is decided later; a barrier that waits for that costs registers.
            // SAFETY: the caller's promise; what was found is the same in the whole team.
            unsafe { block::sync() };
        }
        if matches!(counted, Counted::Keys { .. }) && !leads && found.bucket / 4 == thread::index() {
            // This thread's buckets hold it: its scan says what the block has before it.
            for (at, &count) in counts.0.iter().enumerate() {
                if own_first + at as u32 == found.bucket {
                    let front = memory.state.load(word::OWN_FRONT);
                    memory.state.store(word::OWN_FRONT, front.wrapping_add(before));
                    memory.state.store(word::OWN_BACK, count);
                }
                before = before.wrapping_add(count);
            }
        }
        found
    }

    /// The sums of four buckets over all blocks.
    #[inline(always)]
    fn pull(&self, first: u32) -> Vec16 {
        let of = |rank: u32| {
            if rank < self.width { self.memory.histogram.at(rank).load16(first) } else { Vec16([0; 4]) }
        };
        let mut sums = Vec16([0; 4]);
        let mut rank = 0;
        while rank < self.width {
            // Several at a time, so that none waits for the one before.
            let (one, two, three, four) = (of(rank), of(rank + 1), of(rank + 2), of(rank + 3));
            sums = sums.plus(one).plus(two).plus(three).plus(four);
            rank += 4;
        }
        sums
    }

    /// The ties of this block, after the last [`Self::resolve`], of which the blocks before it in scan order have `before`.
    #[inline(always)]
    pub(super) fn own_ties(&self, before: u32) -> u32 {
        let state = self.memory.state;
        // The leader, the last of all, has the rest.
        if self.leads() { state.load(word::ALL_BACK) - before } else { state.load(word::OWN_BACK) }
    }

    /// Whether more items are in the bucket that the last [`Self::resolve`] has found than all blocks can list; before the next.
    #[inline(always)]
    pub(super) fn is_crowded(&self) -> bool {
        let state = self.memory.state;
        let count = if self.alone() {
            state.load(word::ALL_BACK)
        } else {
            state.at(self.leader()).load(word::ALL_BACK)
        };
        count > self.width.wrapping_mul(T::POLICY.list_capacity)
    }

    /// The segment's least cost, after the [`Self::resolve`] that gathered it.
    #[inline(always)]
    pub(super) fn least(&self) -> K::Word {
        let least = self.memory.least();
        if self.alone() { least.load(0) } else { least.at(self.leader()).load(0) }
    }
}

/// The least of the first `count` words, at most 32.
///
/// # Safety
///
/// All 32 lanes of a warp call it together.
#[inline(always)]
unsafe fn least_of<W: Word>(words: Shared<W>, count: u32) -> W {
    let lane = thread::lane();
    let own = if lane < count { words.load(lane) } else { W::WORST };
    // SAFETY: the caller's promise.
    unsafe { own.warp_min() }
}

/// The items in the buckets before this thread's four. One block barrier.
///
/// # Safety
///
/// All threads of the block call it together; nobody else uses the scratch.
#[inline(always)]
pub(super) unsafe fn scan_buckets<K: Key, T: Tuning>(
    scratch: Shared<u32>,
    Vec16([a, b, c, d]): Vec16,
) -> u32 {
    let own = a.wrapping_add(b).wrapping_add(c.wrapping_add(d));
    // SAFETY: the caller's promise.
    let (before, _) = unsafe { block_exclusive_sum_of(const { Memory::<K, T>::THREADS }, scratch, own) };
    before
}

/// How many of the `count` items of a bucket are wanted that has `before` items before it, if it holds the `k`-th.
#[inline(always)]
pub(super) fn wanted(k: u32, before: u32, count: u32) -> Option<u32> {
    let wanted = k.wrapping_sub(before);
    (before < k && wanted <= count).then_some(wanted)
}

impl<K: Key, T: Tuning> Team<K, T> {
    /// Finds the bucket of this block's own histogram that holds the `k`-th item, and leaves the histogram empty. Three block
    /// barriers.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together; the histogram holds at least `k` items.
    #[inline(always)]
    pub(super) unsafe fn resolve_own(&self, k: u32) -> Bucket {
        let memory = self.memory;
        let own_first = thread::index() * 4;
        let mut counts = Vec16([0; 4]);
        // SAFETY: the caller's promise.
        unsafe { block::sync() };
        if own_first < const { Memory::<K, T>::BUCKETS } {
            counts = memory.histogram.load16(own_first);
            memory.histogram.store16(own_first, Vec16([0; 4]));
        }
        // SAFETY: as above; the scratch was last used before the barrier.
        let mut before = unsafe { scan_buckets::<K, T>(memory.scan, counts) };
        for (at, &count) in counts.0.iter().enumerate() {
            if wanted(k, before, count).is_some() {
                memory.state.store(word::FOUND, own_first + at as u32);
                memory.state.store(word::FOUND + 1, before);
                memory.state.store(word::FOUND + 2, count);
            }
            before = before.wrapping_add(count);
        }
        // SAFETY: as above.
        unsafe { block::sync() };
        let load = |at| memory.state.load(word::FOUND + at);
        Bucket { index: load(0), before: load(1), count: load(2) }
    }
}
