use crate::arch::MAX_CLUSTER_WIDTH;
use crate::key_order::KeyWidth;
use crate::policy::ClusterPolicy;

/// Where each part of the fixed region lies, in bytes from the first byte of dynamic shared memory.
///
/// Every block of a cluster has the same one, so that a peer's part is found at the same offset. Parts are ordered by
/// falling alignment need, so that none is padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedRegion {
    /// Barriers of the bulk-copy pipeline: two of 8 bytes per stage.
    pub barriers: u32,
    /// Shared state: [`STATE_BYTES`](Self::STATE_BYTES), aligned to 16.
    pub state: u32,
    /// Histogram: one `u32` per bucket and [one aside](Self::ASIDE), aligned to 16.
    pub histogram: u32,
    /// Keys before the first chunk: fewer than one line, aligned to 16.
    pub head_edge: u32,
    /// Keys after the last chunk: fewer than one line, aligned to 16.
    pub tail_edge: u32,
    /// One pair of `u32` per warp, for scans over the block, aligned to 16.
    pub scan: u32,
    /// Indices of candidates: one `u32` for each of [`list_capacity`](ClusterPolicy::list_capacity), aligned to 16.
    pub list: u32,
    /// Keys of candidates, beside their indices, aligned to 16.
    pub list_keys: u32,
    /// What the caller asked for beyond these, aligned to 16.
    pub scratch: u32,
    /// Size of the whole region: a multiple of 16.
    pub bytes: u32,
}

impl FixedRegion {
    /// Size of the shared state: the pass result (8 bytes), two placement counters, and what else a block shares with itself or
    /// its peers; behind these 64 bytes a word of 8 for each block of the widest cluster, and 32 bytes that describe the segment
    /// and the call.
    pub const STATE_BYTES: u32 = 64 + 8 * MAX_CLUSTER_WIDTH + 32;

    /// Counts that a histogram has besides those of its buckets: one, for keys that have none.
    pub const ASIDE: u32 = 1;

    /// The region for a valid policy and keys of one width, followed by `scratch_bytes`.
    #[must_use]
    pub const fn of(policy: &ClusterPolicy, width: KeyWidth, scratch_bytes: u32) -> Self {
        // A histogram is as large as the widest digit, and no digit is wider than the key.
        let digit_bits =
            if policy.bits_per_pass < width.bits() { policy.bits_per_pass } else { width.bits() };
        let buckets = match 1u32.checked_shl(digit_bits) {
            Some(buckets) => buckets,
            None => 0,
        };
        let barriers = 0;
        let state = after(barriers, policy.pipeline_stages.saturating_mul(16));
        let histogram = after(state, Self::STATE_BYTES);
        let head_edge = after(histogram, buckets.saturating_add(Self::ASIDE).saturating_mul(4));
        let tail_edge = after(head_edge, policy.load_align_bytes);
        let scan = after(tail_edge, policy.load_align_bytes);
        let list = after(scan, (policy.threads_per_block >> 5).saturating_mul(8));
        let list_keys = after(list, policy.list_capacity.saturating_mul(4));
        let scratch = after(list_keys, policy.list_capacity.saturating_mul(width.bytes()));
        let bytes = after(scratch, scratch_bytes);
        Self { barriers, state, histogram, head_edge, tail_edge, scan, list, list_keys, scratch, bytes }
    }
}

/// The first multiple of 16 that is at least `size` bytes after `offset`.
const fn after(offset: u32, size: u32) -> u32 {
    offset.saturating_add(size).saturating_add(15) & !15
}
