use crate::arith;

/// The shape of one thread block of the baseline, which holds a whole segment in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BaselineTile {
    /// Threads per block.
    pub threads_per_block: u32,
    /// Keys that each thread holds.
    pub keys_per_thread: u32,
}

impl BaselineTile {
    /// The longest segment that one block covers, in keys.
    #[must_use]
    pub const fn capacity(self) -> u64 {
        (self.threads_per_block as u64) * (self.keys_per_thread as u64)
    }
}

/// The tiles that the baseline is compiled for, largest first: 16,384 keys down to 256.
pub const BASELINE_LADDER: [BaselineTile; 6] = [
    BaselineTile { threads_per_block: 256, keys_per_thread: 64 },
    BaselineTile { threads_per_block: 256, keys_per_thread: 32 },
    BaselineTile { threads_per_block: 256, keys_per_thread: 16 },
    BaselineTile { threads_per_block: 256, keys_per_thread: 8 },
    BaselineTile { threads_per_block: 256, keys_per_thread: 4 },
    BaselineTile { threads_per_block: 128, keys_per_thread: 2 },
];

/// The longest segment that a single warp may take, in keys.
///
/// Kept apart from the ladder: a warp per segment is another kernel, not another tile of this one.
pub const WARP_PER_SEGMENT_MAX_SIZE: u64 = 1024;

/// The smallest tile that covers segments of up to `max_segment_size` keys, or `None` if the largest does not.
#[must_use]
pub const fn baseline_tile_for(max_segment_size: u64) -> Option<BaselineTile> {
    let mut found = None;
    let mut rung = 0;
    while rung < BASELINE_LADDER.len() {
        let tile = BASELINE_LADDER[rung];
        if tile.capacity() < arith::max(max_segment_size, 1) {
            break;
        }
        found = Some(tile);
        rung += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_descends() {
        for pair in BASELINE_LADDER.windows(2) {
            assert!(pair[0].capacity() > pair[1].capacity());
        }
    }

    #[test]
    fn the_smallest_covering_tile() {
        for (max, threads, keys) in [
            (0, 128, 2),
            (1, 128, 2),
            (256, 128, 2),
            (257, 256, 4),
            (1024, 256, 4),
            (1025, 256, 8),
            (2048, 256, 8),
            (2049, 256, 16),
            (4096, 256, 16),
            (4097, 256, 32),
            (8192, 256, 32),
            (8193, 256, 64),
            (16384, 256, 64),
        ] {
            let tile = baseline_tile_for(max).unwrap();
            assert_eq!((tile.threads_per_block, tile.keys_per_thread), (threads, keys), "{max}");
        }
        assert_eq!(baseline_tile_for(16385), None);
        assert_eq!(baseline_tile_for(u64::MAX), None);
    }
}
