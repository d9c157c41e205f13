//! Sorted output of the cluster backend: which kernel brings the items in order, and in which memory.

use crate::arith;
use crate::policy::{ClusterPolicy, ClusterSizing, ITEM_PADDING};

/// Up to as many items of a segment are brought in order by the cluster kernel itself, without a workspace; of more, by the
/// order kernel. The one threshold between the two; in the portable launch, whose shared memory is taken, it is 1.
pub const CLUSTER_SORTS_UP_TO: u64 = ClusterPolicy::DEFAULT.order().capacity() as u64;

/// Who brings the items that the cluster backend selects in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortedBy {
    /// Nobody: the output is unsorted, or a row holds an item at most.
    Nobody,
    /// The cluster kernel, before it writes them.
    ClusterKernel,
    /// A second kernel: the cluster kernel leaves the items' indices in a workspace.
    OrderKernel,
}

impl SortedBy {
    /// Rows of up to as many items are written in order without a workspace: what the cluster kernel sorts, and one item alone; where
    /// the launch is searched for, not portable.
    pub const WITHOUT_WORKSPACE_UP_TO: u64 = arith::max(CLUSTER_SORTS_UP_TO, 1);

    /// The answer for rows of up to `items` items, the smaller of the largest k and the longest segment.
    #[must_use]
    pub const fn of(sorted: bool, items: u64, sizing: ClusterSizing) -> Self {
        if !sorted || items <= 1 {
            Self::Nobody
        } else if items > CLUSTER_SORTS_UP_TO || matches!(sizing, ClusterSizing::Portable) {
            Self::OrderKernel
        } else {
            Self::ClusterKernel
        }
    }
}

/// What the order kernel is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrderPolicy {
    /// Threads of a block, one block a segment: a power of two, 32 to 1,024.
    pub threads: u32,
    /// Items of a thread that are sorted in shared memory: a power of two.
    pub items_per_thread: u32,
}

impl OrderPolicy {
    /// The policy of the kernels.
    pub const DEFAULT: Self = Self { threads: 1024, items_per_thread: 4 };
    /// Digits of a radix pass, 8 bits each.
    pub const DIGITS: u32 = 256;

    /// The items that a block sorts in shared memory; more are sorted in the workspace.
    #[must_use]
    pub const fn capacity(self) -> u32 {
        self.threads * self.items_per_thread
    }

    /// Buckets that `count` items, up to the capacity, are spread over: a power of two.
    #[must_use]
    #[inline(always)]
    pub const fn buckets(self, count: u32) -> u32 {
        let twice = if count <= self.capacity() / 2 { (2 * count).next_power_of_two() } else { u32::MAX };
        if twice < self.capacity() { twice } else { self.capacity() }
    }
}

/// Shared memory of a block of the order kernel; offsets in bytes.
///
/// At the front lies what scans and reductions need; behind it either the counters of a radix pass, one per warp and digit, or
/// where buckets start and the items: eight bytes each, a cost of four bytes above its index or a cost of eight, whose index
/// of 32 bits then lies apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrderMemory {
    /// Where the sums of the warps start.
    pub scratch: u32,
    /// Where the word starts that says which radix pass has nothing to do.
    pub idle: u32,
    /// Where the counters of a radix pass start, or where buckets start.
    pub counters: u32,
    /// Where the items start; a multiple of 16.
    pub items: u32,
    /// Where the items' indices start, if costs take eight bytes.
    pub indices: u32,
    /// All of it.
    pub bytes: u32,
}

impl OrderMemory {
    /// Where the least and the greatest cost of each warp start.
    pub const EXTREMES: u32 = 0;

    /// The memory for segments that give up to `count` items, whose costs take `word_bytes`, 4 or 8. More items never take
    /// less.
    #[must_use]
    #[inline(always)]
    pub const fn of(policy: OrderPolicy, word_bytes: u32, count: u32) -> Self {
        let warps = policy.threads / 32;
        let capacity = policy.capacity();
        let in_shared = if count < capacity { count } else { capacity };
        let scratch = 2 * warps * word_bytes;
        let idle = scratch + 4 * warps;
        let counters = (idle + 4).next_multiple_of(16);
        let items = (counters + 4 * (policy.buckets(in_shared) + 1)).next_multiple_of(16);
        let indices = items + 8 * (in_shared + ITEM_PADDING);
        let end = indices + if word_bytes > 4 { 4 * in_shared } else { 0 };
        let radix = counters + 4 * warps * OrderPolicy::DIGITS;
        let bytes = if count > capacity && radix > end { radix } else { end };
        Self { scratch, idle, counters, items, indices, bytes }
    }
}

/// The workspace of a sorted call on the cluster backend: a row of device memory for each segment, whatever its length.
///
/// The front of a row receives the indices of the segment's items, four bytes each. Where they are more than shared memory
/// holds, a row has two halves that radix passes move records between: eight bytes for a cost and an index, and four more where
/// the cost alone takes eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Workspace {
    /// Items that a row has room for: the smaller of the largest k and the longest segment, at most 2^31 − 1.
    pub items: u32,
    /// Distance between two rows, in bytes: a multiple of 4, and of 16 where there are halves.
    pub row_bytes: u64,
}

impl Workspace {
    /// What the address of a workspace must be a multiple of.
    pub const ALIGN: u64 = 16;

    /// The workspace for segments that give up to `items` items, whose costs take `word_bytes`, 4 or 8.
    #[must_use]
    pub const fn of(policy: OrderPolicy, word_bytes: u32, items: u64) -> Self {
        let items = arith::min(items, crate::MAX_SEGMENT_SIZE) as u32;
        let row_bytes = if items <= policy.capacity() {
            4 * items as u64
        } else {
            2 * Self::half_bytes(word_bytes, items)
        };
        Self { items, row_bytes }
    }

    /// The half of a row with two.
    #[must_use]
    #[inline(always)]
    pub const fn half_bytes(word_bytes: u32, items: u32) -> u64 {
        let record = if word_bytes > 4 { 12 } else { 8 };
        (record * items as u64 + 15) & !15
    }

    /// Bytes of the workspace of `segments` segments; saturates where they exceed 64 bits.
    #[must_use]
    pub const fn bytes(self, segments: u64) -> u64 {
        segments.saturating_mul(self.row_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICIES: [OrderPolicy; 3] = [
        OrderPolicy::DEFAULT,
        OrderPolicy { threads: 32, items_per_thread: 1 },
        OrderPolicy { threads: 128, items_per_thread: 2 },
    ];

    #[test]
    fn one_threshold() {
        let above = SortedBy::WITHOUT_WORKSPACE_UP_TO + 1;
        let of = |sorted, items| SortedBy::of(sorted, items, ClusterSizing::Searched);
        let portable = |items| SortedBy::of(true, items, ClusterSizing::Portable);
        assert_eq!(of(true, above), SortedBy::OrderKernel);
        assert_eq!(of(true, crate::MAX_SEGMENT_SIZE), SortedBy::OrderKernel);
        for items in 2..above {
            assert_eq!((of(true, items), portable(items)), (SortedBy::ClusterKernel, SortedBy::OrderKernel));
        }
        for items in [0, 1] {
            assert_eq!((of(true, items), portable(items)), (SortedBy::Nobody, SortedBy::Nobody));
        }
        assert_eq!(of(false, above), SortedBy::Nobody);
    }

    #[test]
    fn buckets_are_about_as_many_as_items() {
        for policy in POLICIES {
            for count in 1..=policy.capacity() {
                let buckets = policy.buckets(count);
                assert!(buckets.is_power_of_two() && buckets <= policy.capacity());
                assert!(buckets >= 2 * count || buckets == policy.capacity());
                assert!(buckets < 4 * count);
            }
        }
    }

    #[test]
    fn parts_are_aligned_and_apart() {
        for policy in POLICIES {
            let warps = policy.threads / 32;
            for word in [4, 8] {
                let mut last = 0;
                for count in 1..=policy.capacity() + 3 {
                    let memory = OrderMemory::of(policy, word, count);
                    let held = count.min(policy.capacity());
                    assert!(memory.scratch >= OrderMemory::EXTREMES + 2 * warps * word);
                    assert!(memory.idle >= memory.scratch + 4 * warps);
                    assert!(memory.counters >= memory.idle + 4);
                    assert_eq!((memory.counters % 4, memory.items % 16, memory.indices % 4), (0, 0, 0));
                    assert!(memory.items >= memory.counters + 4 * (policy.buckets(held) + 1));
                    assert!(memory.indices >= memory.items + 8 * (held + ITEM_PADDING));
                    assert!(memory.bytes >= memory.indices + if word == 8 { 4 * held } else { 0 });
                    assert!(memory.bytes >= last, "a segment with fewer items takes no more");
                    last = memory.bytes;
                    if count > policy.capacity() {
                        assert!(memory.bytes >= memory.counters + 4 * warps * 256);
                    }
                }
            }
        }
        // The least that any supported GPU gives a block.
        assert!(OrderMemory::of(OrderPolicy::DEFAULT, 8, u32::MAX).bytes <= 99 << 10);
    }

    #[test]
    fn a_workspace_takes_a_few_bytes_an_item() {
        for policy in POLICIES {
            for word in [4, 8] {
                for items in [1, 2, 31, 32, 33, 4096, 4097, 100_001, (1 << 31) - 1] {
                    let workspace = Workspace::of(policy, word, items);
                    assert_eq!(u64::from(workspace.items), items);
                    assert!(workspace.row_bytes >= 4 * items && workspace.row_bytes.is_multiple_of(4));
                    assert!(workspace.row_bytes <= 24 * items + 30);
                    if items > u64::from(policy.capacity()) {
                        let half = Workspace::half_bytes(word, workspace.items);
                        assert!(half.is_multiple_of(16) && workspace.row_bytes == 2 * half);
                        assert!(half >= (word as u64 + 4) * items);
                    } else {
                        assert_eq!(workspace.row_bytes, 4 * items);
                    }
                    assert_eq!(workspace.bytes(3), 3 * workspace.row_bytes);
                }
            }
        }
        assert_eq!(Workspace::of(OrderPolicy::DEFAULT, 8, u64::MAX).items, (1 << 31) - 1);
        assert_eq!(Workspace::of(OrderPolicy::DEFAULT, 8, u64::MAX).bytes(u64::MAX), u64::MAX);
    }
}
