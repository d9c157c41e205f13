//! Which baseline kernel serves a request, and how it is launched: pure functions over plain numbers.

use super::driver::LaunchShape;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::policy::{WARP_PER_SEGMENT_MAX_SIZE, baseline_tile_for};

/// Warps of a block where each has a segment of its own.
const WARPS: u32 = 4;
/// Survivors that a warp may order by counting: part of its shared memory.
const WARP_CAPACITY: u32 = 96;

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

/// Bytes of a cost in a register: keys of up to four bytes take four.
const fn word_bytes(width: KeyWidth) -> u32 {
    if width.bytes() < 4 { 4 } else { width.bytes() }
}

/// The launch for `segments` segments of up to `max_size` keys and `max_k` items on a device of `sms` multiprocessors, or
/// `None` where no block holds a segment.
pub(crate) fn launch(width: KeyWidth, segments: u64, max_size: u64, max_k: u64, sms: u32) -> Option<Launch> {
    let segments = u32::try_from(segments).ok()?;
    if max_size <= WARP_PER_SEGMENT_MAX_SIZE {
        let items = (max_size.div_ceil(32).next_power_of_two() as u32).max(2);
        let (module, entry) = warp_entry(width, items)?;
        let ordering = (WARP_CAPACITY + 4) * word_bytes(width) + WARP_CAPACITY * 4;
        let shared_bytes = WARPS * ordering.max(items * 32 * 4);
        let shape = LaunchShape {
            blocks: segments.div_ceil(WARPS),
            threads: 32 * WARPS,
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
    let shared_bytes = block_shared_bytes(width, threads, selected);
    let shape = LaunchShape { blocks: segments, threads, shared_bytes, cluster_width: 1 };
    Some(Launch { module, entry, shape, tile: tile.capacity(), worker: "a thread block per segment" })
}

/// The histogram, the scan's scratch, the extremes of the warps, and the winners' 16-bit indices.
const fn block_shared_bytes(width: KeyWidth, threads: u32, selected: u32) -> u32 {
    let warps = threads / 32;
    let scratch = 1024 * 4 + (warps + 3) * 4;
    scratch.next_multiple_of(16) + 2 * warps * word_bytes(width) + 2 * selected
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
