//! The order: where the output is sorted, winners gather in the leader's memory behind its slots instead of in the output, and
//! the leader brings them in order and writes them.

use super::Tuning;
use super::memory::Memory;
use super::team::Team;
use crate::agents::bucket_sort::Scratch;
use crate::agents::cost::{Costs, Key, Word};
use crate::agents::items::Items;
use crate::agents::segment::Segment;
use crate::arch::shared::Shared;
use crate::arch::{Scalar, thread};
use crate::primitives::strided;
use cluster_topk_abi::params::{Flags, KernelParams};
use cluster_topk_abi::policy::{ITEM_PADDING, OrderMemory};

/// The memory in which winners gather, the same in every block; none where the output is not sorted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<K, T> {
    /// Where it starts, in bytes.
    start: u32,
    /// Where its items start.
    words: u32,
    /// Items that it holds: no more than the launch provides for.
    items: u32,
    of: core::marker::PhantomData<(K, T)>,
}

impl<K: Key + core::ops::BitXor<Output = K>, T: Tuning> Order<K, T> {
    /// For a segment that gives `k` items.
    #[inline(always)]
    pub(super) fn of(params: &KernelParams, memory: Memory<K, T>, k: u32) -> Self {
        let sorts = params.flags.contains(Flags::SORTED);
        let items =
            if sorts { k.min(params.order_items).min(const { T::POLICY.order().capacity() }) } else { 0 };
        let start = memory.behind();
        Self { start, words: start + Self::memory(items).items, items, of: core::marker::PhantomData }
    }

    /// Whether there is any.
    #[inline(always)]
    pub(super) fn sorts(&self) -> bool {
        self.items > 0
    }

    #[inline(always)]
    fn memory(items: u32) -> OrderMemory {
        OrderMemory::of(const { T::POLICY.order() }, <K::Word as Scalar>::BYTES, items)
    }

    /// Puts a winner where it gathers, or into `slot` of the output. Any thread, one a slot.
    #[inline(always)]
    pub(super) fn put(
        &self,
        segment: &Segment<'_, K>,
        costs: Costs<K>,
        team: &Team<K, T>,
        slot: u32,
        index: u32,
        key: K,
    ) {
        if !self.sorts() {
            segment.write_key(slot, index, key);
        } else if slot < self.items {
            let cost = costs.cost(key);
            let wide = <K::Word as Scalar>::BYTES > 4;
            let word = if wide { cost.widen() } else { cost.widen() << 32 | u64::from(index) };
            // SAFETY: the launch provides the memory of so many items.
            let words = unsafe { Shared::<u64>::carve(self.words, self.items) };
            // As in [`OrderMemory`]: the indices lie behind, where they lie apart.
            let behind = self.words + 8 * (self.items + ITEM_PADDING);
            // SAFETY: as above.
            let indices = unsafe { Shared::<u32>::carve(behind, if wide { self.items } else { 0 }) };
            if team.alone() {
                words.store(slot, word);
                if wide {
                    indices.store(slot, index);
                }
            } else {
                words.at(team.leader()).store(slot, word);
                if wide {
                    indices.at(team.leader()).store(slot, index);
                }
            }
        }
    }

    /// Brings the items that have gathered in this block's memory in the order of cost and index, and writes them.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together, after a barrier that has followed the last [`Self::put`]; it [`Self::sorts`],
    /// and every item is there.
    #[inline(always)]
    pub(super) unsafe fn write(&self, segment: &Segment<'_, K>, costs: Costs<K>) {
        let (memory, start, count) = (Self::memory(self.items), self.start, self.items);
        let policy = const { T::POLICY.order() };
        // SAFETY: the launch provides the memory of so many items, and nobody else uses it any more.
        let items =
            unsafe { Items::<K::Word, u32>::carve(start + memory.items, start + memory.indices, count) };
        // SAFETY: as above; the parts lie apart.
        let scratch = unsafe {
            Scratch::carve(
                policy.threads,
                start + OrderMemory::EXTREMES,
                start + memory.scratch,
                start + memory.counters,
                policy.buckets(count),
            )
        };
        // SAFETY: the whole block is here.
        let sorted = unsafe { T::sort(items, scratch, count, segment.len().wrapping_sub(1).significant()) };
        for own in strided(thread::index(), count, policy.threads) {
            let (place, cost, index) = sorted.item(own);
            segment.write_cost(place, index, cost, costs);
        }
    }
}
