//! The entry points and their launch bounds.

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
}
