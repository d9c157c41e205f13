//! The entry points and their launch bounds.

#[cfg(target_arch = "nvptx64")]
use crate::agents::{block_select, order, warp_select};
#[cfg(target_arch = "nvptx64")]
use cluster_topk_abi::params::{KernelParams, OrderParams};

/// What the device build must know about an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The symbol.
    pub entry: &'static str,
    /// The module it is loaded with: one per agent family and key width.
    pub module: &'static str,
    /// The most threads a block has (`.maxntid`).
    pub max_threads: u32,
    /// The blocks that should fit an SM at once, as far as registers go (`.minnctapersm`).
    pub min_blocks: u32,
    /// The cluster width that every launch has, where it is fixed (`.reqnctapercluster`).
    pub cluster_width: Option<u32>,
    /// Whether it needs sm_90, and so is absent from the modules for older GPUs.
    pub needs_cluster: bool,
}

/// Defines entry points, and [`KERNELS`] with an entry for each.
///
/// `any` stands for every target, `cluster` for those with clusters, `cluster N` for a fixed width of `N`.
macro_rules! kernels {
    ($(
        $(#[$doc:meta])*
        $target:ident $($width:literal)? / $module:literal, threads $threads:literal, blocks $blocks:literal:
        $entry:ident($params:ident: $type:ty) $body:block
    )*) => {
        /// Every entry point.
        pub const KERNELS: &[Kernel] = &[$(
            Kernel {
                entry: stringify!($entry),
                module: $module,
                max_threads: $threads,
                min_blocks: $blocks,
                cluster_width: kernels!(@width $($width)?),
                needs_cluster: kernels!(@cluster $target),
            },
        )*];
        $(kernels! { @entry $target $(#[$doc])* $entry($params: $type) $body })*
    };
    (@width) => { None };
    (@width $width:literal) => { Some($width) };
    (@cluster any) => { false };
    (@cluster cluster) => { true };
    (@entry any $(#[$doc:meta])* $entry:ident($params:ident: $type:ty) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Launched with the table's bounds, the dynamic shared memory that the agent asks for, and parameters that
        /// describe live device memory.
        #[cfg(target_arch = "nvptx64")]
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $entry($params: $type) $body
    };
    (@entry cluster $(#[$doc:meta])* $entry:ident($params:ident: $type:ty) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Launched with the table's bounds, the dynamic shared memory that the agent asks for, and parameters that
        /// describe live device memory.
        #[cfg(all(target_arch = "nvptx64", feature = "cluster"))]
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $entry($params: $type) $body
    };
}

kernels! {
    /// The k-th least of a segment's 32-bit keys, by a block of 256 threads.
    any / "probe-32", threads 256, blocks 4: probe_u32(params: crate::params::ProbeParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { crate::agents::probe::block::<u32, 256>(params) }
    }
    /// The k-th least of a segment's 64-bit keys, by a block of 256 threads.
    any / "probe-64", threads 256, blocks 4: probe_u64(params: crate::params::ProbeParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { crate::agents::probe::block::<u64, 256>(params) }
    }
    /// The k-th least of a segment's 32-bit keys, by a cluster of blocks of 256 threads that stage them in shared
    /// memory.
    cluster / "probe-32", threads 256, blocks 2: probe_cluster_u32(params: crate::params::ProbeParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { crate::agents::probe::cluster::<u32, 256>(params) }
    }
    /// A warp per segment of up to 64 keys of 8 bits.
    any / "warp-8", threads 128, blocks 5: warp_8x2(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u8, 2, 4>(&params) }
    }
    /// A warp per segment of up to 128 keys of 8 bits.
    any / "warp-8", threads 128, blocks 7: warp_8x4(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u8, 4, 4>(&params) }
    }
    /// A warp per segment of up to 256 keys of 8 bits.
    any / "warp-8", threads 128, blocks 7: warp_8x8(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u8, 8, 4>(&params) }
    }
    /// A warp per segment of up to 512 keys of 8 bits.
    any / "warp-8", threads 128, blocks 6: warp_8x16(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u8, 16, 4>(&params) }
    }
    /// A warp per segment of up to 1024 keys of 8 bits.
    any / "warp-8", threads 128, blocks 6: warp_8x32(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u8, 32, 4>(&params) }
    }
    /// A block per segment of up to 2048 keys of 8 bits.
    any / "block-8", threads 256, blocks 4: block_8x8(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u8, 8, 1, 256>(&params) }
    }
    /// A block per segment of up to 4096 keys of 8 bits.
    any / "block-8", threads 256, blocks 4: block_8x16(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u8, 16, 2, 256>(&params) }
    }
    /// A block per segment of up to 8192 keys of 8 bits.
    any / "block-8", threads 256, blocks 3: block_8x32(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u8, 32, 4, 256>(&params) }
    }
    /// A block per segment of up to 16384 keys of 8 bits.
    any / "block-8", threads 256, blocks 2: block_8x64(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u8, 64, 8, 256>(&params) }
    }
    /// A warp per segment of up to 64 keys of 16 bits.
    any / "warp-16", threads 128, blocks 5: warp_16x2(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u16, 2, 4>(&params) }
    }
    /// A warp per segment of up to 128 keys of 16 bits.
    any / "warp-16", threads 128, blocks 7: warp_16x4(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u16, 4, 4>(&params) }
    }
    /// A warp per segment of up to 256 keys of 16 bits.
    any / "warp-16", threads 128, blocks 7: warp_16x8(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u16, 8, 4>(&params) }
    }
    /// A warp per segment of up to 512 keys of 16 bits.
    any / "warp-16", threads 128, blocks 6: warp_16x16(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u16, 16, 4>(&params) }
    }
    /// A warp per segment of up to 1024 keys of 16 bits.
    any / "warp-16", threads 128, blocks 6: warp_16x32(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u16, 32, 4>(&params) }
    }
    /// A block per segment of up to 2048 keys of 16 bits.
    any / "block-16", threads 256, blocks 4: block_16x8(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u16, 8, 1, 256>(&params) }
    }
    /// A block per segment of up to 4096 keys of 16 bits.
    any / "block-16", threads 256, blocks 4: block_16x16(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u16, 16, 2, 256>(&params) }
    }
    /// A block per segment of up to 8192 keys of 16 bits.
    any / "block-16", threads 256, blocks 3: block_16x32(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u16, 32, 4, 256>(&params) }
    }
    /// A block per segment of up to 16384 keys of 16 bits.
    any / "block-16", threads 256, blocks 2: block_16x64(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u16, 64, 8, 256>(&params) }
    }
    /// A warp per segment of up to 64 keys of 32 bits.
    any / "warp-32", threads 128, blocks 5: warp_32x2(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u32, 2, 4>(&params) }
    }
    /// A warp per segment of up to 128 keys of 32 bits.
    any / "warp-32", threads 128, blocks 7: warp_32x4(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u32, 4, 4>(&params) }
    }
    /// A warp per segment of up to 256 keys of 32 bits.
    any / "warp-32", threads 128, blocks 7: warp_32x8(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u32, 8, 4>(&params) }
    }
    /// A warp per segment of up to 512 keys of 32 bits.
    any / "warp-32", threads 128, blocks 6: warp_32x16(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u32, 16, 4>(&params) }
    }
    /// A warp per segment of up to 1024 keys of 32 bits.
    any / "warp-32", threads 128, blocks 6: warp_32x32(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u32, 32, 4>(&params) }
    }
    /// A block per segment of up to 2048 keys of 32 bits.
    any / "block-32", threads 256, blocks 4: block_32x8(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u32, 8, 1, 256>(&params) }
    }
    /// A block per segment of up to 4096 keys of 32 bits.
    any / "block-32", threads 256, blocks 4: block_32x16(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u32, 16, 2, 256>(&params) }
    }
    /// A block per segment of up to 8192 keys of 32 bits.
    any / "block-32", threads 256, blocks 3: block_32x32(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u32, 32, 4, 256>(&params) }
    }
    /// A block per segment of up to 16384 keys of 32 bits.
    any / "block-32", threads 256, blocks 2: block_32x64(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u32, 64, 8, 256>(&params) }
    }
    /// A warp per segment of up to 64 keys of 64 bits.
    any / "warp-64", threads 128, blocks 5: warp_64x2(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u64, 2, 4>(&params) }
    }
    /// A warp per segment of up to 128 keys of 64 bits.
    any / "warp-64", threads 128, blocks 6: warp_64x4(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u64, 4, 4>(&params) }
    }
    /// A warp per segment of up to 256 keys of 64 bits.
    any / "warp-64", threads 128, blocks 6: warp_64x8(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u64, 8, 4>(&params) }
    }
    /// A warp per segment of up to 512 keys of 64 bits.
    any / "warp-64", threads 128, blocks 5: warp_64x16(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u64, 16, 4>(&params) }
    }
    /// A warp per segment of up to 1024 keys of 64 bits.
    any / "warp-64", threads 128, blocks 3: warp_64x32(params: KernelParams) {
        // SAFETY: the launch has 128 threads a block; its other promises are passed on.
        unsafe { warp_select::run::<u64, 32, 4>(&params) }
    }
    /// A block per segment of up to 2048 keys of 64 bits.
    any / "block-64", threads 256, blocks 4: block_64x8(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u64, 8, 1, 256>(&params) }
    }
    /// A block per segment of up to 4096 keys of 64 bits.
    any / "block-64", threads 256, blocks 3: block_64x16(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u64, 16, 2, 256>(&params) }
    }
    /// A block per segment of up to 8192 keys of 64 bits.
    any / "block-64", threads 256, blocks 2: block_64x32(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u64, 32, 4, 256>(&params) }
    }
    /// A block per segment of up to 16384 keys of 64 bits.
    any / "block-64", threads 256, blocks 1: block_64x64(params: KernelParams) {
        // SAFETY: the launch has 256 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u64, 64, 8, 256>(&params) }
    }
    /// A block of 1,024 threads per segment of up to 8192 keys of 8 bits: for few segments.
    any / "wide-8", threads 1024, blocks 1: wide_8x8(params: KernelParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u8, 8, 2, 1024>(&params) }
    }
    /// A block of 1,024 threads per segment of up to 16384 keys of 8 bits: for few segments.
    any / "wide-8", threads 1024, blocks 1: wide_8x16(params: KernelParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u8, 16, 4, 1024>(&params) }
    }
    /// A block of 1,024 threads per segment of up to 8192 keys of 16 bits: for few segments.
    any / "wide-16", threads 1024, blocks 1: wide_16x8(params: KernelParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u16, 8, 2, 1024>(&params) }
    }
    /// A block of 1,024 threads per segment of up to 16384 keys of 16 bits: for few segments.
    any / "wide-16", threads 1024, blocks 1: wide_16x16(params: KernelParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u16, 16, 4, 1024>(&params) }
    }
    /// A block of 1,024 threads per segment of up to 8192 keys of 32 bits: for few segments.
    any / "wide-32", threads 1024, blocks 1: wide_32x8(params: KernelParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u32, 8, 2, 1024>(&params) }
    }
    /// A block of 1,024 threads per segment of up to 16384 keys of 32 bits: for few segments.
    any / "wide-32", threads 1024, blocks 1: wide_32x16(params: KernelParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u32, 16, 4, 1024>(&params) }
    }
    /// A block of 1,024 threads per segment of up to 8192 keys of 64 bits: for few segments.
    any / "wide-64", threads 1024, blocks 1: wide_64x8(params: KernelParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u64, 8, 2, 1024>(&params) }
    }
    /// A block of 1,024 threads per segment of up to 16384 keys of 64 bits: for few segments.
    any / "wide-64", threads 1024, blocks 1: wide_64x16(params: KernelParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { block_select::run::<u64, 16, 4, 1024>(&params) }
    }
    /// A cluster per segment of any number of keys of 8 bits, of which those that do not fit its shared memory are loaded by each pass
    /// that looks at them.
    cluster / "cluster-8", threads 512, blocks 2: cluster_8(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u8, crate::agents::cluster::Default>(&params) }
    }

    /// A cluster per segment of any number of adjacent keys of 8 bits, which pass through its shared memory.
    cluster / "stream-8", threads 512, blocks 2: stream_8(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u8, crate::agents::cluster::Streaming<crate::agents::cluster::Default>>(&params) }
    }

    /// A cluster per segment of any number of adjacent keys of 8 bits, which pass through its shared memory, for large k.
    cluster / "large-8", threads 512, blocks 2: large_8(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u8, crate::agents::cluster::LargeK<crate::agents::cluster::Default>>(&params) }
    }
    /// A cluster per segment of any number of keys of 16 bits, of which those that do not fit its shared memory are loaded by each pass
    /// that looks at them.
    cluster / "cluster-16", threads 512, blocks 2: cluster_16(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u16, crate::agents::cluster::Default>(&params) }
    }

    /// A cluster per segment of any number of adjacent keys of 16 bits, which pass through its shared memory.
    cluster / "stream-16", threads 512, blocks 2: stream_16(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u16, crate::agents::cluster::Streaming<crate::agents::cluster::Default>>(&params) }
    }

    /// A cluster per segment of any number of adjacent keys of 16 bits, which pass through its shared memory, for large k.
    cluster / "large-16", threads 512, blocks 2: large_16(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u16, crate::agents::cluster::LargeK<crate::agents::cluster::Default>>(&params) }
    }
    /// A cluster per segment of any number of keys of 32 bits, of which those that do not fit its shared memory are loaded by each pass
    /// that looks at them.
    cluster / "cluster-32", threads 512, blocks 2: cluster_32(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u32, crate::agents::cluster::Default>(&params) }
    }

    /// A cluster per segment of any number of adjacent keys of 32 bits, which pass through its shared memory.
    cluster / "stream-32", threads 512, blocks 2: stream_32(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u32, crate::agents::cluster::Streaming<crate::agents::cluster::Default>>(&params) }
    }

    /// A cluster per segment of any number of adjacent keys of 32 bits, which pass through its shared memory, for large k.
    cluster / "large-32", threads 512, blocks 2: large_32(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u32, crate::agents::cluster::LargeK<crate::agents::cluster::Default>>(&params) }
    }
    /// A cluster per segment of any number of keys of 64 bits, of which those that do not fit its shared memory are loaded by each pass
    /// that looks at them.
    cluster / "cluster-64", threads 512, blocks 2: cluster_64(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u64, crate::agents::cluster::Default>(&params) }
    }

    /// A cluster per segment of any number of adjacent keys of 64 bits, which pass through its shared memory.
    cluster / "stream-64", threads 512, blocks 2: stream_64(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u64, crate::agents::cluster::Streaming<crate::agents::cluster::Default>>(&params) }
    }

    /// A cluster per segment of any number of adjacent keys of 64 bits, which pass through its shared memory, for large k.
    cluster / "large-64", threads 512, blocks 2: large_64(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u64, crate::agents::cluster::LargeK<crate::agents::cluster::Default>>(&params) }
    }
    /// A block per segment that brings what the cluster kernel has selected of keys of 8 bits in order.
    any / "order-8", threads 1024, blocks 1: order_8(params: OrderParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { order::run::<u8, 1024, 4>(&params) }
    }
    /// A block per segment that brings what the cluster kernel has selected of keys of 16 bits in order.
    any / "order-16", threads 1024, blocks 1: order_16(params: OrderParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { order::run::<u16, 1024, 4>(&params) }
    }
    /// A block per segment that brings what the cluster kernel has selected of keys of 32 bits in order.
    any / "order-32", threads 1024, blocks 1: order_32(params: OrderParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { order::run::<u32, 1024, 4>(&params) }
    }
    /// A block per segment that brings what the cluster kernel has selected of keys of 64 bits in order.
    any / "order-64", threads 1024, blocks 1: order_64(params: OrderParams) {
        // SAFETY: the launch has 1,024 threads a block; its other promises are passed on.
        unsafe { order::run::<u64, 1024, 4>(&params) }
    }
    /// A cluster of 8 blocks, whatever the launch says, per segment of any number of keys of 8 bits.
    cluster 8 / "portable-8", threads 512, blocks 2: portable_8(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u8, crate::agents::cluster::Default>(&params) }
    }
    /// A cluster of 8 blocks, whatever the launch says, per segment of any number of keys of 16 bits.
    cluster 8 / "portable-16", threads 512, blocks 2: portable_16(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u16, crate::agents::cluster::Default>(&params) }
    }
    /// A cluster of 8 blocks, whatever the launch says, per segment of any number of keys of 32 bits.
    cluster 8 / "portable-32", threads 512, blocks 2: portable_32(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u32, crate::agents::cluster::Default>(&params) }
    }
    /// A cluster of 8 blocks, whatever the launch says, per segment of any number of keys of 64 bits.
    cluster 8 / "portable-64", threads 512, blocks 2: portable_64(params: KernelParams) {
        // SAFETY: the launch has 512 threads a block; its other promises are passed on.
        unsafe { crate::agents::cluster::run::<u64, crate::agents::cluster::Default>(&params) }
    }
}
