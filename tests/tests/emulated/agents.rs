//! The agents under test, by key width and tile: those of the kernels, and smaller ones whose corners come up sooner.

use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::params::KernelParams;
use cluster_topk_abi::policy::{BlockMemory, WarpMemory, word_bytes};
use cluster_topk_device::agents::{block_select, warp_select};

/// An agent with its compile-time parameters, and how it is launched.
#[derive(Clone, Copy)]
pub(crate) struct Agent {
    pub(crate) name: &'static str,
    pub(crate) width: KeyWidth,
    /// The longest segment.
    pub(crate) capacity: u32,
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Segments of a block.
    pub(crate) segments: u32,
    /// Shared memory of a block, for up to so many items a segment, sorted or not.
    pub(crate) shared_bytes: fn(u32, bool) -> u32,
    pub(crate) run: unsafe fn(&KernelParams),
}

macro_rules! agents {
    ($($width:ident $key:ident { $(warp $items:literal x $warps:literal,)* $(block $held:literal / $groups:literal x $threads:literal,)* })*) => {
        /// Every agent.
        pub(crate) const AGENTS: &[Agent] = &[$(
            $(Agent {
                name: concat!("warp_select::run::<", stringify!($key), ", ", $items, ", ", $warps, ">"),
                width: KeyWidth::$width,
                capacity: 32 * $items,
                threads: 32 * $warps,
                segments: $warps,
                shared_bytes: |_, sorted| {
                    let memory = WarpMemory::of(word_bytes(KeyWidth::$width), $items);
                    $warps * if sorted { memory.sorted_bytes } else { memory.bytes }
                },
                run: warp_select::run::<$key, $items, $warps>,
            },)*
            $(Agent {
                name: concat!("block_select::run::<", stringify!($key), ", ", $held, ", ", $groups, ", ", $threads, ">"),
                width: KeyWidth::$width,
                capacity: $held * $threads,
                threads: $threads,
                segments: 1,
                shared_bytes: |selected, sorted| {
                    let memory = BlockMemory::of(word_bytes(KeyWidth::$width), $threads, $held);
                    if sorted { memory.sorted_bytes(selected) } else { memory.bytes(selected) }
                },
                run: block_select::run::<$key, $held, $groups, $threads>,
            },)*
        )*];
    };
}

agents! {
    W8 u8 {
        warp 1 x 1, warp 2 x 4, warp 8 x 4, warp 32 x 4,
        block 1 / 1 x 32, block 2 / 1 x 64, block 4 / 2 x 64, block 8 / 1 x 256, block 64 / 8 x 256, block 8 / 2 x 1024,
    }
    W16 u16 {
        warp 1 x 1, warp 2 x 4, warp 4 x 4, warp 16 x 4,
        block 1 / 1 x 32, block 2 / 1 x 64, block 4 / 2 x 64, block 16 / 2 x 256, block 16 / 4 x 1024,
    }
    W32 u32 {
        warp 1 x 1, warp 2 x 4, warp 4 x 4, warp 8 x 4, warp 16 x 4, warp 32 x 4,
        block 1 / 1 x 32, block 2 / 1 x 64, block 4 / 2 x 64, block 16 / 2 x 64, block 32 / 4 x 64, block 8 / 1 x 256,
        block 32 / 4 x 256, block 8 / 2 x 1024,
    }
    W64 u64 {
        warp 1 x 1, warp 2 x 4, warp 4 x 4, warp 32 x 4,
        block 1 / 1 x 32, block 2 / 1 x 64, block 4 / 2 x 64, block 8 / 1 x 256, block 32 / 4 x 256, block 8 / 2 x 1024,
    }
}

/// The agents of a key width whose tiles hold `keys` keys.
pub(crate) fn agents(width: KeyWidth, keys: usize) -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().filter(move |agent| agent.width == width && agent.capacity as usize >= keys)
}
