//! Shared memory of the baseline's workers: what the host must ask for, and where the kernels find it.

use crate::arch::PORTABLE_SMEM_BYTES;
use crate::arith;
use crate::key_order::KeyWidth;

/// Lanes of a warp.
const LANES: u32 = 32;
/// Places behind the last of a row of items, so that they can be read 16 bytes at a time.
pub const ITEM_PADDING: u32 = 2;

/// Bytes of a register word that holds a key of this width: keys of up to four bytes take four.
#[must_use]
pub const fn word_bytes(width: KeyWidth) -> u32 {
    if width.bytes() < 4 { 4 } else { width.bytes() }
}

/// Shared memory of one warp that has a segment to itself: the keys that survive the bound, or, where they are too many, the
/// winners in the same place. Offsets and sizes in bytes.
///
/// A survivor takes eight bytes: a word of four bytes above its index, or a word of eight, whose 16-bit index then lies
/// apart. Winners that are to be sorted lie the same way, others are a list of 32-bit indices. A short tile has room for all
/// its keys either way, so that they need not be counted before they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpMemory {
    /// Survivors that there is room for.
    pub survivors: u32,
    /// Where the survivors' indices start, if words take eight bytes.
    pub indices: u32,
    /// All of it where the output is not sorted; a multiple of 16.
    pub bytes: u32,
    /// Where the indices of winners that are to be sorted start, if words take eight bytes.
    pub sorted_indices: u32,
    /// All of it where the output is sorted; a multiple of 16.
    pub sorted_bytes: u32,
}

impl WarpMemory {
    /// Warps of a block.
    pub const WARPS_PER_BLOCK: u32 = 4;
    /// Survivors that are ranked, a multiple of a warp; of more it is the winners that are stored.
    pub const SURVIVORS: u32 = 3 * LANES;
    /// Keys per lane of the longest short tile.
    pub const SHORT: u32 = 8;

    /// The memory of a warp whose lanes hold `keys_per_lane` keys in words of `word_bytes`, 4 or 8.
    #[must_use]
    pub const fn of(word_bytes: u32, keys_per_lane: u32) -> Self {
        let keys = keys_per_lane * LANES;
        let index_bytes = if word_bytes > 4 { 2 } else { 0 };
        let all = if keys > Self::SURVIVORS { keys } else { Self::SURVIVORS };
        let survivors = if keys_per_lane > Self::SHORT { Self::SURVIVORS } else { all };
        let indices = (survivors + ITEM_PADDING) * 8;
        let sorted_indices = (all + ITEM_PADDING) * 8;
        let bytes = indices + survivors * index_bytes;
        Self {
            survivors,
            indices,
            bytes: arith::max(bytes as u64, keys as u64 * 4) as u32,
            sorted_indices,
            sorted_bytes: sorted_indices + all * index_bytes,
        }
    }
}

/// Shared memory of a block that has a segment to itself: what is known of the segment at its front, scratch of the scans, the
/// extremes of the warps, the histogram, and the winners' 16-bit indices. Offsets in bytes.
///
/// Where the winners are to be sorted and there is room, their costs follow: eight bytes each, a word of four bytes above its
/// index, or a word of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockMemory {
    /// Where the scratch starts: behind eight words of eight bytes.
    pub scratch: u32,
    /// Where the extremes start: the least and the greatest word of each warp.
    pub extremes: u32,
    /// Where the histogram starts.
    pub histogram: u32,
    /// Where the winners' indices start, and before them the costs of candidates; a multiple of 8.
    pub winners: u32,
    /// Candidates that a thread lists.
    pub listed: u32,
    /// Bytes of all candidates that may be listed.
    list_bytes: u32,
}

impl BlockMemory {
    /// Buckets of the histogram, a power of two.
    pub const BUCKETS: u32 = 1024;

    /// Bytes that listed candidates may take: so few that they leave as many blocks to a multiprocessor as registers do.
    const LIST_BYTES: u32 = 16 * 1024;

    /// The memory of a block of `threads` threads, a multiple of 32, that hold up to `keys_per_thread` keys each in words of
    /// `word_bytes`, 4 or 8.
    #[must_use]
    pub const fn of(word_bytes: u32, threads: u32, keys_per_thread: u32) -> Self {
        let warps = threads / LANES;
        let scratch = 64;
        let extremes = (scratch + Self::scratch_words(threads) * 4).next_multiple_of(16);
        let histogram = extremes + 2 * warps * word_bytes;
        // Few keys are as soon looked at again as listed, and many threads have no room for a list each.
        let fit = arith::min((Self::LIST_BYTES / (threads * word_bytes)) as u64, 16) as u32;
        let listed = if keys_per_thread < 16 || fit < 8 { 0 } else { fit };
        let list_bytes = listed * threads * word_bytes;
        Self { scratch, extremes, histogram, winners: histogram + Self::BUCKETS * 4, listed, list_bytes }
    }

    /// The most delegates within the bound, in a block of `threads` threads, for which candidates are listed: there are some more of
    /// those, and no thread has many more than its part.
    #[must_use]
    pub const fn listable(self, threads: u32) -> u32 {
        self.listed * threads / 5
    }

    /// Words of scratch: a sum for each warp, and a bucket found.
    #[must_use]
    pub const fn scratch_words(threads: u32) -> u32 {
        threads / LANES + 3
    }

    /// All of it where up to `selected` items, at most 65,535, are selected and not sorted.
    #[must_use]
    pub const fn bytes(self, selected: u32) -> u32 {
        self.winners + arith::max(2 * selected as u64, self.list_bytes as u64) as u32
    }

    /// Winners that can be sorted with their costs beside them, within what every GPU gives without an opt-in.
    #[must_use]
    pub const fn sorted_capacity(self) -> u32 {
        (PORTABLE_SMEM_BYTES - self.winners - 16) / 10 - ITEM_PADDING
    }

    /// Where the costs of `selected` winners that are to be sorted start; a multiple of 16.
    #[must_use]
    pub const fn costs(self, selected: u32) -> u32 {
        (self.winners + 2 * selected).next_multiple_of(16)
    }

    /// All of it where up to `selected` items, at most 65,535, are selected and sorted.
    #[must_use]
    pub const fn sorted_bytes(self, selected: u32) -> u32 {
        let capacity = self.sorted_capacity();
        let with_costs = if selected < capacity { selected } else { capacity };
        let sorted = self.costs(with_costs) + 8 * (with_costs + ITEM_PADDING);
        // Segments may differ in how many items they give.
        let unsorted = self.bytes(if selected > capacity { selected } else { 0 });
        if sorted > unsorted { sorted } else { unsorted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_aligned_and_apart() {
        for word in [4, 8] {
            let index = if word == 8 { 2 } else { 0 };
            for keys in [1, 2, 4, 8, 16, 32] {
                let warp = WarpMemory::of(word, keys);
                assert_eq!((warp.bytes % 16, warp.sorted_bytes % 16), (0, 0));
                assert!(warp.survivors >= WarpMemory::SURVIVORS);
                assert!(warp.indices >= (warp.survivors + ITEM_PADDING) * 8);
                assert!(warp.bytes >= warp.indices + warp.survivors * index);
                assert!(warp.sorted_bytes >= warp.bytes);
                assert!(warp.bytes >= keys * 32 * 4);
                assert!(warp.sorted_indices >= keys * 32 * 8);
                assert!(warp.sorted_bytes >= warp.sorted_indices + keys * 32 * index);
                assert!(WarpMemory::WARPS_PER_BLOCK * warp.sorted_bytes <= PORTABLE_SMEM_BYTES);
                if keys <= WarpMemory::SHORT {
                    assert!(warp.survivors >= keys * 32);
                    assert_eq!((warp.indices, warp.bytes), (warp.sorted_indices, warp.sorted_bytes));
                }
            }
            for (threads, keys) in
                [32, 64, 128, 256, 512, 1024].into_iter().flat_map(|t| [(t, 1), (t, 16), (t, 64)])
            {
                let block = BlockMemory::of(word, threads, keys);
                assert_eq!(block.listed == 0, keys < 16 || threads * word > 2048);
                assert!(block.listed * threads * word <= 16 * 1024);
                assert!(block.scratch >= 8 * 8);
                assert!(block.extremes >= block.scratch + BlockMemory::scratch_words(threads) * 4);
                assert_eq!(block.extremes % 16, 0);
                assert!(block.histogram >= block.extremes + 2 * (threads / 32) * word);
                assert_eq!(block.histogram % 4, 0);
                assert!(block.winners >= block.histogram + BlockMemory::BUCKETS * 4);
                assert_eq!(block.winners % 8, 0);
                let list = block.listed * threads * word;
                assert_eq!(block.bytes(100), block.winners + list.max(200));
                assert_eq!(block.bytes(10_000), block.winners + list.max(20_000));
                assert!(block.sorted_capacity() >= 4096);
                for k in [1, 2, 100, 4096, block.sorted_capacity()] {
                    assert!(block.costs(k) >= block.winners + 2 * k);
                    assert!(block.sorted_bytes(k) >= block.winners + list);
                    assert_eq!(block.costs(k) % 16, 0);
                    assert!(block.sorted_bytes(k) >= block.costs(k) + 8 * (k + ITEM_PADDING));
                    assert!(block.sorted_bytes(16_384) >= block.sorted_bytes(k));
                }
                // A whole tile of winners needs no opt-in beyond the portable 48 KiB.
                assert!(block.bytes(16_384) <= PORTABLE_SMEM_BYTES);
                assert!(block.sorted_bytes(16_384) >= block.bytes(16_384));
                assert!(block.sorted_bytes(16_384) <= PORTABLE_SMEM_BYTES);
            }
        }
    }
}
