//! Sorting more items than shared memory holds, in global memory: least digit first, 8 bits a pass.
//!
//! Each warp owns a run of the records. It counts the digits of its run, one scan over digits and warps turns the counts into
//! places, and the warp moves its records there in their order, 32 at a time: ballots tell each lane how many of the lanes
//! below have its digit. Warps do not wait for each other while they count or move, so a pass takes four barriers whatever the
//! number of records, and is stable.

use super::cost::Word;
use crate::arch::global::Global;
use crate::arch::shared::Shared;
use crate::arch::thread::{self, WARP};
use crate::arch::{Scope, block, warp};
use crate::primitives::{block_exclusive_sum, strided, warps};
use cluster_topk_abi::policy::{OrderPolicy, Workspace};

/// Digits of a pass.
const DIGITS: u32 = OrderPolicy::DIGITS;
/// Bits of a digit.
const BITS: u32 = DIGITS.ilog2();
/// Records of a lane that are in flight at once.
const BATCH: usize = 4;

/// A run of records in global memory, a cost and an index each.
#[derive(Clone, Copy, Debug)]
pub struct Records<W> {
    /// A cost of 32 bits above the index, or a cost of 64 bits.
    places: Global<u64>,
    /// The indices, where the costs leave no room for them.
    indices: Global<u32>,
    of: core::marker::PhantomData<W>,
}

/// A record as it lies in memory.
#[derive(Clone, Copy)]
struct Record {
    place: u64,
    index: u32,
}

impl<W: Word> Records<W> {
    /// Half `half` of the row at `address` of a [`Workspace`] with room for `items` records.
    ///
    /// # Safety
    ///
    /// The half lies in memory of this GPU that nobody else uses while the kernel runs, and `address` is a multiple of 16.
    #[inline(always)]
    pub unsafe fn half(address: u64, items: u32, half: u32) -> Self {
        let address =
            address.wrapping_add(u64::from(half).wrapping_mul(Workspace::half_bytes(W::BYTES, items)));
        // SAFETY: the caller's promise.
        let places = unsafe { Global::new(address, items.into()) };
        let apart = address.wrapping_add(8 * u64::from(items));
        // SAFETY: as above; unused where costs have 32 bits.
        let indices = unsafe { Global::new(apart, items.into()) };
        Self { places, indices, of: core::marker::PhantomData }
    }

    /// Sets record `at`. Any thread.
    #[inline(always)]
    pub fn set(self, at: u32, cost: W, index: u32) {
        let place = if W::BYTES == 4 { cost.widen() << 32 | u64::from(index) } else { cost.widen() };
        self.store(at, Record { place, index });
    }

    /// The cost and the index of record `at`. Any thread.
    #[inline(always)]
    pub fn get(self, at: u32) -> (W, u32) {
        let record = self.load(at);
        (Self::cost_of(record), record.index)
    }

    #[inline(always)]
    fn cost_of(record: Record) -> W {
        W::truncate(if W::BYTES == 4 { record.place >> 32 } else { record.place })
    }

    #[inline(always)]
    fn load(self, at: u32) -> Record {
        let place = self.places.load(at.into());
        let index = if W::BYTES == 4 { place as u32 } else { self.indices.load(at.into()) };
        Record { place, index }
    }

    #[inline(always)]
    fn store(self, at: u32, record: Record) {
        self.places.store(at.into(), record.place);
        if W::BYTES != 4 {
            self.indices.store(at.into(), record.index);
        }
    }
}

/// The shared memory of a sort.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    /// One word per warp.
    pub sums: Shared<u32>,
    /// One word: the last pass that had nothing to do.
    pub idle: Shared<u32>,
    /// A word for each digit of each warp.
    pub counters: Shared<u32>,
}

/// What the records are sorted by.
#[derive(Clone, Copy, Debug)]
pub struct Range<W> {
    /// The least cost of all.
    pub least: W,
    /// The greatest cost of all.
    pub most: W,
    /// The greatest index there may be, where records of one cost are sorted by it; 0 where they may lie in any order.
    pub last_index: u32,
}

impl<W: Word> Range<W> {
    /// Passes over indices, and passes over costs.
    #[inline(always)]
    fn passes(self) -> (u32, u32) {
        let digits = |bits: u32| bits.div_ceil(BITS);
        (digits(self.last_index.significant()), digits(self.most.minus(self.least).significant()))
    }

    /// The digit of a record in a pass, of which `of_indices` are over indices.
    #[inline(always)]
    fn digit(self, record: Record, pass: u32, of_indices: u32) -> u32 {
        let digit = if pass < of_indices {
            record.index.wrapping_shr(BITS * pass)
        } else {
            Records::<W>::cost_of(record).minus(self.least).shr(BITS * (pass - of_indices)).low()
        };
        digit & (DIGITS - 1)
    }
}

/// Sorts `count` records of `halves`, at most 2^31 − 1, that lie in the first; the half that has them afterwards, which all
/// threads may read. Both are used.
///
/// # Safety
///
/// All `THREADS` threads of the block call it together with the same arguments; nobody else uses the halves and the scratch,
/// and a barrier has followed the last write.
#[inline(always)]
pub unsafe fn radix_sort<W: Word, const THREADS: u32>(
    halves: (Records<W>, Records<W>),
    scratch: Scratch,
    count: u32,
    range: Range<W>,
) -> Records<W> {
    let (mut from, mut to) = halves;
    let (of_indices, of_costs) = range.passes();
    let run = Run::of::<THREADS>(count);
    let counters = scratch.counters.slice(thread::warp_index() * DIGITS, DIGITS);
    if thread::index() == 0 {
        scratch.idle.store(0, u32::MAX);
    }
    let mut pass = 0;
    while pass < of_indices + of_costs {
        for own in strided(thread::lane(), DIGITS, WARP) {
            counters.store(own, 0);
        }
        // SAFETY: the caller's promise.
        unsafe { warp::sync(warp::ALL) };
        let digit = |record: Record| range.digit(record, pass, of_indices);
        run.each_batch(from, |record, is_there| {
            if is_there {
                counters.add(digit(record), 1, Scope::Block);
            }
        });
        // SAFETY: as above.
        unsafe { block::sync() };
        // SAFETY: as above; the counts are complete.
        let is_idle = unsafe { places::<THREADS>(scratch, count, pass) };
        if !is_idle {
            run.each_batch(from, |record, is_there| {
                let own = digit(record);
                // SAFETY: the run is the warp's, so that all lanes are here.
                let peers = unsafe { lanes_with(own, is_there) };
                let first = peers.trailing_zeros();
                let mut place = 0;
                if is_there && thread::lane() == first {
                    place = counters.load(own);
                    counters.store(own, place + peers.count_ones());
                }
                // SAFETY: as above; a lane that is not there asks itself.
                let place =
                    unsafe { warp::shuffle(warp::ALL, place, if is_there { first } else { thread::lane() }) };
                if is_there {
                    to.store(place + (peers & warp::lanes_below()).count_ones(), record);
                }
                // Another lane may be the next to move this counter.
                // SAFETY: as above.
                unsafe { warp::sync(warp::ALL) };
            });
            // SAFETY: as above; all threads have read the same word.
            unsafe { block::sync() };
            (from, to) = (to, from);
        }
        pass += 1;
    }
    from
}

/// Turns the counts of every warp and digit into places: behind all smaller digits, and behind the same one of the warps before.
/// Whether there is nothing to do, since all have the same digit.
///
/// # Safety
///
/// All `THREADS` threads of the block call it together; a barrier has followed the last count.
#[inline(always)]
unsafe fn places<const THREADS: u32>(scratch: Scratch, count: u32, pass: u32) -> bool {
    let per_thread = const { DIGITS.div_ceil(THREADS) };
    let first = thread::index() * per_thread;
    let mut sum = 0u32;
    if first < DIGITS {
        for digit in first..first + per_thread {
            let mut of_digit = 0u32;
            for warp in 0..warps(THREADS) {
                of_digit = of_digit.wrapping_add(scratch.counters.load(warp * DIGITS + digit));
            }
            if of_digit == count {
                scratch.idle.store(0, pass);
            }
            sum = sum.wrapping_add(of_digit);
        }
    }
    // SAFETY: the caller's promise, and the branch above has ended.
    let (mut place, _) = unsafe { block_exclusive_sum::<THREADS>(scratch.sums, sum) };
    if first < DIGITS {
        for digit in first..first + per_thread {
            for warp in 0..warps(THREADS) {
                let counter = warp * DIGITS + digit;
                let of_warp = scratch.counters.load(counter);
                scratch.counters.store(counter, place);
                place = place.wrapping_add(of_warp);
            }
        }
    }
    // SAFETY: as above.
    unsafe { block::sync() };
    scratch.idle.load(0) == pass
}

/// The lanes that are there and have this lane's digit.
///
/// # Safety
///
/// All 32 lanes call it together.
#[inline(always)]
unsafe fn lanes_with(digit: u32, is_there: bool) -> u32 {
    // SAFETY: the caller's promise.
    let mut lanes = unsafe { warp::ballot(warp::ALL, is_there) };
    for bit in 0..BITS {
        let is_set = digit.wrapping_shr(bit) & 1 != 0;
        // SAFETY: as above; the trip count is a constant.
        let set = unsafe { warp::ballot(warp::ALL, is_there && is_set) };
        lanes &= if is_set { set } else { !set };
    }
    lanes
}

/// The records of a warp.
#[derive(Clone, Copy)]
struct Run {
    from: u32,
    to: u32,
}

impl Run {
    /// This warp's of `count` records: a multiple of 32, but for the last.
    #[inline(always)]
    fn of<const THREADS: u32>(count: u32) -> Self {
        let per_warp = count.div_ceil(const { warps(THREADS) }).next_multiple_of(WARP);
        let from = thread::warp_index().wrapping_mul(per_warp).min(count);
        Self { from, to: from.wrapping_add(per_warp).min(count) }
    }

    /// Calls `each` with every record in order, a lane each and all lanes together, and with whether the lane has one.
    #[inline(always)]
    fn each_batch<W: Word>(self, records: Records<W>, mut each: impl FnMut(Record, bool)) {
        let mut at = self.from.wrapping_add(thread::lane());
        let mut left = self.to - self.from;
        while left > 0 {
            // Those behind the end are the last one again, and dropped.
            let mut held = [Record { place: 0, index: 0 }; BATCH];
            for (row, record) in held.iter_mut().enumerate() {
                *record = records.load(at.wrapping_add(row as u32 * WARP).min(self.to - 1));
            }
            for (row, record) in held.iter().enumerate() {
                each(*record, thread::lane() + (row as u32 * WARP) < left);
            }
            at = at.wrapping_add(const { BATCH as u32 * WARP });
            left = left.saturating_sub(const { BATCH as u32 * WARP });
        }
    }
}
