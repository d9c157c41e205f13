//! The end of the search where few keys are left: every block sends its own to all others, together with the counts that seed
//! the placement, and ranks them among all. That takes no barrier of the team beyond the one that the counts take, where a pass
//! would take two.

use super::Tuning;
use super::candidates::Candidates;
use super::memory::{Memory, word};
use super::team::Team;
use crate::agents::cost::Key;
use crate::agents::open::Open;
use crate::arch::shared::Shared;
use crate::arch::{Scalar, Scope, Vec16, block, thread, warp};
use crate::primitives::strided;
use cluster_topk_abi::arch::MAX_CLUSTER_WIDTH;
use cluster_topk_abi::params::Flags;

/// Lanes that share the comparisons of an item where there are more items than warps: a power of two.
const SHARING: u32 = 8;
/// Items that a lane loads before it compares the first.
const BATCH: u32 = 4;

/// The keys of the open range after a pass that are settled so: few enough to have a place whatever block they are in. None of
/// narrow keys, of which many have the same cost.
pub(super) const fn boundary<K: Key, T: Tuning>() -> u32 {
    if K::BYTES < 4 { 0 } else { Area::<K>::items::<T>() / (2 * MAX_CLUSTER_WIDTH) }
}

/// The candidates that are worth a try, of all blocks together. It fails if a block has more than its place holds.
pub(super) const fn worthwhile<K: Key, T: Tuning>() -> u32 {
    let all = if Area::<K>::items::<T>() < Memory::<K, T>::THREADS {
        Area::<K>::items::<T>()
    } else {
        Memory::<K, T>::THREADS
    };
    all * 7 / 8
}

/// A key and its index, as they are ranked: better ones are less, and among ties those that are preferred.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item<W> {
    cost: W,
    /// The index, turned around where larger ones are preferred.
    place: u32,
}

/// Items where the histogram was, which has done its work: in one word of eight bytes each if they fit one, else in two.
#[derive(Clone, Copy)]
struct Area<K> {
    words: Shared<u64>,
    /// Items of a block.
    each: u32,
    of: core::marker::PhantomData<K>,
}

impl<K: Key> Area<K> {
    const WORDS: u32 = if <K::Word as Scalar>::BYTES == 4 { 1 } else { 2 };

    /// Items that there is room for.
    const fn items<T: Tuning>() -> u32 {
        Memory::<K, T>::BUCKETS / (2 * Self::WORDS)
    }

    #[inline(always)]
    fn of<T: Tuning>(memory: Memory<K, T>, team: &Team<K, T>) -> Self {
        // One more is left free, so that the first items of the blocks do not all lie in one bank.
        let each = (const { Self::items::<T>() } >> team.width().next_power_of_two().trailing_zeros())
            .saturating_sub(1);
        Self { words: memory.histogram.cast(), each, of: core::marker::PhantomData }
    }

    /// The first word of item `at` of block `rank`.
    #[inline(always)]
    fn first(self, rank: u32, at: u32) -> u32 {
        (rank * (self.each + 1) + at) * Self::WORDS
    }

    #[inline(always)]
    fn get(self, rank: u32, at: u32) -> Item<K::Word> {
        let first = self.first(rank, at);
        if Self::WORDS == 1 {
            let word = self.words.load(first);
            Item { cost: K::Word::truncate(word >> 32), place: word as u32 }
        } else {
            let both: Vec16 = self.words.load16(first);
            Item { cost: K::Word::truncate(both.get::<u64>(0)), place: both.get::<u64>(1) as u32 }
        }
    }

    /// Sets an item of block `own` in the memory of block `rank`.
    #[inline(always)]
    fn send<T: Tuning>(self, team: &Team<K, T>, rank: u32, at: u32, item: Item<K::Word>) {
        let first = self.first(team.rank(), at);
        let (one, two) = Self::words(item);
        if team.alone() {
            self.words.store(first, one);
            if const { Self::WORDS > 1 } {
                self.words.store(first + 1, two);
            }
        } else {
            let peer = self.words.at(rank);
            peer.store(first, one);
            if const { Self::WORDS > 1 } {
                peer.store(first + 1, two);
            }
        }
    }

    /// The words of an item; the second counts where items take two.
    #[inline(always)]
    fn words(Item { cost, place }: Item<K::Word>) -> (u64, u64) {
        let wide = cost.widen();
        if Self::WORDS == 1 { (wide << 32 | u64::from(place), 0) } else { (wide, place.into()) }
    }
}

/// Sends this block's keys of the open range to all blocks; whether this thread has sent any. The counts are to follow a
/// barrier of the block.
///
/// # Safety
///
/// All threads of the team call it together, its histograms being empty; a barrier of the block has followed the last pass.
#[inline(always)]
pub(super) unsafe fn send<K, T>(
    candidates: &Candidates<'_, '_, K, T>,
    team: &Team<K, T>,
    open: Open<K::Word>,
) -> bool
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let share = candidates.share;
    let (memory, area, turn) = (share.memory, Area::<K>::of(share.memory, team), team.turn());
    let mut has_sent = false;
    let is_open = |key: K| {
        let cost = share.costs.cost(key);
        cost >= open.least && cost <= open.most
    };
    let send = |key, index: u32| {
        let at = memory.state.fetch_add(word::FEW, 1, Scope::Block);
        if at < area.each {
            has_sent = true;
            let item = Item { cost: share.costs.cost(key), place: index ^ turn };
            for rank in 0..team.width() {
                area.send(team, rank, at, item);
            }
        }
    };
    // SAFETY: the caller's promise.
    unsafe { candidates.each_that(is_open, send) };
    has_sent
}

/// Sends all candidates of this block, and how many there are, to all blocks, if they have a place there; whether this thread has
/// sent any.
///
/// Any thread; the team's histograms are empty.
#[inline(always)]
pub(super) fn send_all<K, T>(candidates: &Candidates<'_, '_, K, T>, team: &Team<K, T>) -> bool
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let share = candidates.share;
    let (memory, area, turn) = (share.memory, Area::<K>::of(share.memory, team), team.turn());
    let count = candidates.listed().unwrap_or(u32::MAX);
    let mut has_sent = false;
    if count <= area.each {
        // A thread for each candidate and block.
        let spread = team.width().next_power_of_two().trailing_zeros();
        for pair in strided(thread::index(), count << spread, const { Memory::<K, T>::THREADS }) {
            let (at, rank) = (pair >> spread, pair & ((1 << spread) - 1));
            if rank < team.width() {
                has_sent = true;
                let (key, index) = candidates.item(at);
                area.send(team, rank, at, Item { cost: share.costs.cost(key), place: index ^ turn });
            }
        }
    }
    if thread::index() < team.width() {
        has_sent = true;
        tell(memory, team, thread::index(), count);
    }
    has_sent
}

/// Sends how many keys this block has sent by [`send`] to block `rank`. One thread for each; after a barrier of the block that
/// follows.
#[inline(always)]
pub(super) fn send_count<K: Key, T: Tuning>(memory: Memory<K, T>, team: &Team<K, T>, rank: u32) {
    tell(memory, team, rank, memory.state.load(word::FEW));
}

#[inline(always)]
fn tell<K: Key, T: Tuning>(memory: Memory<K, T>, team: &Team<K, T>, rank: u32, count: u32) {
    if team.alone() {
        memory.few_of_ranks().store(0, count);
    } else {
        memory.few_of_ranks().at(rank).store(team.rank(), count);
    }
}

/// Whether every block's candidates had a place.
///
/// # Safety
///
/// All threads of the block call it together, after the team's barrier that follows [`send_all`].
#[inline(always)]
pub(super) unsafe fn has_room<K: Key, T: Tuning>(memory: Memory<K, T>, team: &Team<K, T>) -> bool {
    let lane = thread::lane();
    let fits = lane >= team.width() || memory.few_of_ranks().load(lane) <= Area::<K>::of(memory, team).each;
    // SAFETY: the whole block is here, so the whole warp is.
    unsafe { warp::all(warp::ALL, fits) }
}

/// Writes the winners, if all candidates are few; whether they are. If not, all is as it was.
///
/// # Safety
///
/// All threads of the team call it together, after a bound and before any pass.
#[inline(always)]
pub(super) unsafe fn finish<K, T>(candidates: &Candidates<'_, '_, K, T>, team: &Team<K, T>) -> bool
where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let share = candidates.share;
    let has_sent = send_all(candidates, team);
    // The first thread speaks for what the block has read of the bound.
    // SAFETY: the caller's promise.
    unsafe { team.sync(has_sent || thread::index() == 0) };
    // SAFETY: as above; all has been sent.
    if unsafe { has_room(share.memory, team) } {
        let segment = share.segment();
        let winner = |slot, index, key| segment.write_key(slot, index, key);
        // SAFETY: as above.
        unsafe { settle(candidates, team, segment.selected(), winner) };
        return true;
    }
    for bucket in
        strided(thread::index(), const { Memory::<K, T>::BUCKETS }, const { Memory::<K, T>::THREADS })
    {
        share.memory.histogram.store(bucket, 0);
    }
    // SAFETY: as above; the counts are the same in the whole team.
    unsafe { block::sync() };
    // The first thread speaks for the histogram that the block has emptied.
    // SAFETY: as above.
    unsafe { team.sync(thread::index() == 0) };
    false
}

/// Calls `winner` with the place among all, the index and the key of each of this block's that are among the `wanted` best of all
/// that were sent. Places are in the order of costs, and those of ties in the order of their indices where the output is sorted.
///
/// # Safety
///
/// All threads of the block call it together, after the team's barrier that follows [`send_all`] or [`send_count`].
#[inline(always)]
pub(super) unsafe fn settle<K, T>(
    candidates: &Candidates<'_, '_, K, T>,
    team: &Team<K, T>,
    wanted: u32,
    winner: impl Fn(u32, u32, K),
) where
    K: Key + core::ops::BitXor<Output = K>,
    T: Tuning,
{
    let share = candidates.share;
    let memory = share.memory;
    let (area, counts, turn) = (Area::<K>::of(memory, team), memory.few_of_ranks(), team.turn());
    let own = counts.load(team.rank());
    // Neighbouring lanes share the comparisons of an item: several for each block, or several blocks for each.
    let sharing =
        if own <= const { Memory::<K, T>::THREADS / thread::WARP } { thread::WARP } else { SHARING };
    let spread = (sharing >> team.width().next_power_of_two().trailing_zeros()).max(1).trailing_zeros();
    let part = thread::lane() & (sharing - 1);
    let (first_rank, ranks) = (part >> spread, sharing >> spread);
    let (first, step) = (part & ((1 << spread) - 1), 1 << spread);
    let turned = turn != 0 && share.flags().contains(Flags::SORTED);
    // The first item of the warp.
    let mut of_warp = (thread::index() - thread::lane()) >> sharing.trailing_zeros();
    while of_warp < own {
        let at = of_warp + (thread::lane() >> sharing.trailing_zeros());
        // Behind the last there is nothing to compare, but the warp stays together.
        let item = area.get(team.rank(), at.min(own - 1));
        let (mut before, mut better, mut equal) = (0u32, 0u32, 0u32);
        for rank in strided(first_rank, team.width(), ranks) {
            let count = counts.load(rank);
            let mut number = first;
            while number < count {
                // Several at a time, so that none waits for the one before.
                for nth in 0..BATCH {
                    let number = number + nth * step;
                    let other = area.get(rank, number.min(count - 1));
                    let counts = number < count;
                    before += u32::from(counts & (other < item));
                    if turned {
                        better += u32::from(counts & (other.cost < item.cost));
                        equal += u32::from(counts & (other.cost == item.cost));
                    }
                }
                number += BATCH * step;
            }
        }
        let mut apart = 1;
        while apart < sharing {
            // SAFETY: the whole warp is here: its first item is the same for all of it.
            before += unsafe { warp::shuffle_xor(warp::ALL, before, apart) };
            if turned {
                // SAFETY: as above; so is whether ties are turned around.
                better += unsafe { warp::shuffle_xor(warp::ALL, better, apart) };
                // SAFETY: as above.
                equal += unsafe { warp::shuffle_xor(warp::ALL, equal, apart) };
            }
            apart *= 2;
        }
        if part == 0 && at < own && before < wanted {
            if turned {
                // The ties that win come in reverse.
                before = better + ((better + equal).min(wanted) - 1 - before);
            }
            let index = item.place ^ turn;
            winner(before, index, share.key(index));
        }
        of_warp += const { Memory::<K, T>::THREADS } >> sharing.trailing_zeros();
    }
}
