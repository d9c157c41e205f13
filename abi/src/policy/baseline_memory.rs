//! Shared memory of the baseline's workers: what the host must ask for, and where the kernels find it.

use crate::key_order::KeyWidth;

/// Lanes of a warp.
const LANES: u32 = 32;

/// Bytes of a register word that holds a key of this width: keys of up to four bytes take four.
#[must_use]
pub const fn word_bytes(width: KeyWidth) -> u32 {
    if width.bytes() < 4 { 4 } else { width.bytes() }
}

/// Shared memory of one warp that has a segment to itself: the keys that survive the bound, or, where they are too many, a
/// list of the winners' indices in the same place. Offsets and sizes in bytes.
///
/// A survivor takes eight bytes: a word of four bytes above its index, or a word of eight, whose index then lies apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpMemory {
    /// Where the survivors' indices start, if words take eight bytes.
    pub indices: u32,
    /// All of it; a multiple of 16.
    pub bytes: u32,
}

impl WarpMemory {
    /// Warps of a block.
    pub const WARPS_PER_BLOCK: u32 = 4;
    /// Survivors that fit, a multiple of a warp.
    pub const SURVIVORS: u32 = 3 * LANES;
    /// Places behind the last survivor, so that they can be read 16 bytes at a time.
    pub const PADDING: u32 = 2;

    /// The memory of a warp whose lanes hold `keys_per_lane` keys in words of `word_bytes`, 4 or 8.
    #[must_use]
    pub const fn of(word_bytes: u32, keys_per_lane: u32) -> Self {
        let indices = (Self::SURVIVORS + Self::PADDING) * 8;
        let survivors = if word_bytes > 4 { indices + Self::SURVIVORS * 4 } else { indices };
        let winners = keys_per_lane * LANES * 4;
        Self { indices, bytes: if survivors > winners { survivors } else { winners } }
    }
}

/// Shared memory of a block that has a segment to itself: the histogram at its front, then scratch of the scans, the
/// extremes of the warps, and the winners' 16-bit indices. Offsets in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockMemory {
    /// Where the scratch starts.
    pub scratch: u32,
    /// Where the extremes start: the least and the greatest word of each warp.
    pub extremes: u32,
    /// Where the winners' indices start.
    pub winners: u32,
}

impl BlockMemory {
    /// Buckets of the histogram, a power of two.
    pub const BUCKETS: u32 = 1024;

    /// The memory of a block of `threads` threads, a multiple of 32, that hold keys in words of `word_bytes`, 4 or 8.
    #[must_use]
    pub const fn of(word_bytes: u32, threads: u32) -> Self {
        let warps = threads / LANES;
        let scratch = Self::BUCKETS * 4;
        let extremes = (scratch + Self::scratch_words(threads) * 4).next_multiple_of(16);
        Self { scratch, extremes, winners: extremes + 2 * warps * word_bytes }
    }

    /// Words of scratch: a sum for each warp, and a bucket found.
    #[must_use]
    pub const fn scratch_words(threads: u32) -> u32 {
        threads / LANES + 3
    }

    /// All of it where up to `selected` items, at most 65,535, are selected.
    #[must_use]
    pub const fn bytes(self, selected: u32) -> u32 {
        self.winners + 2 * selected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_aligned_and_apart() {
        for word in [4, 8] {
            for keys in [2, 4, 8, 16, 32] {
                let warp = WarpMemory::of(word, keys);
                assert_eq!(warp.bytes % 16, 0);
                assert!(warp.indices >= (WarpMemory::SURVIVORS + WarpMemory::PADDING) * 8);
                assert!(warp.bytes >= warp.indices + if word == 8 { WarpMemory::SURVIVORS * 4 } else { 0 });
                assert!(warp.bytes >= keys * 32 * 4);
            }
            for threads in [32, 64, 128, 256, 512, 1024] {
                let block = BlockMemory::of(word, threads);
                assert!(block.scratch >= BlockMemory::BUCKETS * 4);
                assert!(block.extremes >= block.scratch + BlockMemory::scratch_words(threads) * 4);
                assert_eq!(block.extremes % 16, 0);
                assert!(block.winners >= block.extremes + 2 * (threads / 32) * word);
                assert_eq!(block.bytes(100), block.winners + 200);
                // A whole tile of winners needs no opt-in beyond the portable 48 KiB.
                assert!(block.bytes(16_384) <= 48 << 10);
            }
        }
    }
}
