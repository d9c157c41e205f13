//! Which baseline kernel serves a request, and how it is launched: pure functions over plain numbers.

use super::driver::LaunchShape;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::policy::{
    BlockMemory, WARP_PER_SEGMENT_MAX_SIZE, WarpMemory, baseline_tile_for, word_bytes,
};

/// A kernel and the shape of its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) module: &'static str,
    pub(crate) entry: &'static str,
    pub(crate) shape: LaunchShape,
    /// The keys that one worker covers.
    pub(crate) tile: u64,
    /// Who works on a segment, in a plan's words.
    pub(crate) worker: &'static str,
}

/// The launch for `segments` segments of up to `max_size` keys and `max_k` items, `sorted` or not, on a device of `sms`
/// multiprocessors, or `None` where no block holds a segment.
pub(crate) fn launch(
    width: KeyWidth,
    segments: u64,
    max_size: u64,
    max_k: u64,
    sorted: bool,
    sms: u32,
) -> Option<Launch> {
    let segments = u32::try_from(segments).ok()?;
    if max_size <= WARP_PER_SEGMENT_MAX_SIZE {
        let items = (max_size.div_ceil(32).next_power_of_two() as u32).max(2);
        let (module, entry) = warp_entry(width, items)?;
        let warps = WarpMemory::WARPS_PER_BLOCK;
        let memory = WarpMemory::of(word_bytes(width), items);
        let shared_bytes = warps * if sorted { memory.sorted_bytes } else { memory.bytes };
        let shape = LaunchShape {
            blocks: segments.div_ceil(warps),
            threads: 32 * warps,
            shared_bytes,
            cluster_width: 1,
        };
        return Some(Launch {
            module,
            entry,
            shape,
            tile: u64::from(items) * 32,
            worker: "a warp per segment",
        });
    }
    let tile = baseline_tile_for(max_size)?;
    let selected = max_k.min(max_size) as u32;
    // With a multiprocessor to itself a segment is done sooner by four times as many threads; where segments queue, several
    // small blocks to a multiprocessor hide each other's latency.
    let wide = segments <= sms && tile.capacity() >= 8192;
    let threads = if wide { 1024 } else { tile.threads_per_block };
    let items = (tile.capacity() / u64::from(threads)) as u32;
    let (module, entry) = if wide { wide_entry(width, items)? } else { block_entry(width, items)? };
    let memory = BlockMemory::of(word_bytes(width), threads, items);
    let shared_bytes = if sorted { memory.sorted_bytes(selected) } else { memory.bytes(selected) };
    let shape = LaunchShape { blocks: segments, threads, shared_bytes, cluster_width: 1 };
    Some(Launch { module, entry, shape, tile: tile.capacity(), worker: "a thread block per segment" })
}

macro_rules! entries {
    ($name:ident: $($width:ident $module:literal { $($items:literal => $entry:literal),* })*) => {
        fn $name(width: KeyWidth, items: u32) -> Option<(&'static str, &'static str)> {
            match (width, items) {
                $($((KeyWidth::$width, $items) => Some(($module, $entry)),)*)*
                _ => None,
            }
        }
    };
}
entries! { warp_entry:
    W8 "warp-8" { 2 => "warp_8x2", 4 => "warp_8x4", 8 => "warp_8x8", 16 => "warp_8x16", 32 => "warp_8x32" }
    W16 "warp-16" { 2 => "warp_16x2", 4 => "warp_16x4", 8 => "warp_16x8", 16 => "warp_16x16", 32 => "warp_16x32" }
    W32 "warp-32" { 2 => "warp_32x2", 4 => "warp_32x4", 8 => "warp_32x8", 16 => "warp_32x16", 32 => "warp_32x32" }
    W64 "warp-64" { 2 => "warp_64x2", 4 => "warp_64x4", 8 => "warp_64x8", 16 => "warp_64x16", 32 => "warp_64x32" }
}
entries! { block_entry:
    W8 "block-8" { 8 => "block_8x8", 16 => "block_8x16", 32 => "block_8x32", 64 => "block_8x64" }
    W16 "block-16" { 8 => "block_16x8", 16 => "block_16x16", 32 => "block_16x32", 64 => "block_16x64" }
    W32 "block-32" { 8 => "block_32x8", 16 => "block_32x16", 32 => "block_32x32", 64 => "block_32x64" }
    W64 "block-64" { 8 => "block_64x8", 16 => "block_64x16", 32 => "block_64x32", 64 => "block_64x64" }
}
entries! { wide_entry:
    W8 "wide-8" { 8 => "wide_8x8", 16 => "wide_8x16" }
    W16 "wide-16" { 8 => "wide_16x8", 16 => "wide_16x16" }
    W32 "wide-32" { 8 => "wide_32x8", 16 => "wide_32x16" }
    W64 "wide-64" { 8 => "wide_64x8", 16 => "wide_64x16" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster_topk_device::{KERNELS, Kernel};

    /// Every launch names a kernel that is built, with the threads that it is built for and a tile that covers the segment.
    #[test]
    fn launches_fit_the_kernels() {
        for width in KeyWidth::ALL {
            for segments in [1, 100, 133, 1 << 20] {
                for size in (0..=16_384).step_by(31).chain([32, 64, 1024, 1025, 4096, 8192, 16_384]) {
                    let sorted = size % 2 == 0;
                    let launch = launch(width, segments, size, size, sorted, 132).unwrap();
                    let kernel = KERNELS.iter().find(|kernel| kernel.entry == launch.entry).unwrap();
                    assert_eq!(kernel.module, launch.module);
                    assert_eq!(kernel.max_threads, launch.shape.threads);
                    assert!(launch.tile >= size);
                    assert!(launch.shape.shared_bytes <= 48 << 10);
                    let workers =
                        if launch.entry.starts_with("warp") { launch.shape.threads / 32 } else { 1 };
                    assert!(u64::from(launch.shape.blocks * workers) >= segments);
                }
                assert_eq!(launch(width, segments, 16_385, 1, false, 132), None);
            }
        }
    }

    /// Every kernel but the probes, and those of the cluster backend, the order kernels among them, is launched for some segment.
    #[test]
    fn no_kernel_is_left_over() {
        let mut used = std::collections::HashSet::new();
        for width in KeyWidth::ALL {
            for size in 0..=16_384 {
                for segments in [1, 1000] {
                    used.extend(launch(width, segments, size, 1, true, 132).map(|launch| launch.entry));
                }
            }
        }
        let other = |kernel: &Kernel| {
            kernel.needs_cluster || ["probe", "order"].iter().any(|family| kernel.entry.starts_with(family))
        };
        for kernel in KERNELS.iter().filter(|kernel| !other(kernel)) {
            assert!(used.contains(kernel.entry), "{}", kernel.entry);
        }
    }
}
