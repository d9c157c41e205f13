use core::fmt;

use super::OrderPolicy;

use crate::MAX_SEGMENT_SIZE;
use crate::arch::{MAX_CLUSTER_WIDTH, MAX_PORTABLE_CLUSTER_WIDTH, PORTABLE_SMEM_BYTES};
use crate::digits::{DEFAULT_BITS_PER_PASS, MAX_BITS_PER_PASS};

/// The most bytes that one barrier phase of a bulk copy may expect: 2^20 − 1.
const MAX_EXPECTED_BYTES: u32 = (1 << 20) - 1;

/// The per-block knobs of the cluster backend.
///
/// The first group is compiled into a kernel; the second is read when a launch is planned, so that it can be changed
/// without another kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterPolicy {
    /// Threads per block: a multiple of 32, up to 1,024.
    pub threads_per_block: u32,
    /// Keys that a thread reads before it counts them, in the histogram loop: 1 to 64. This one and the next two are part of a policy, and
    /// checked, but no kernel goes by them today: those read a [group](crate::schedule::group_keys) of keys at a time in every loop.
    pub histogram_items_per_thread: u32,
    /// Keys per thread and tile of the final filter: 1 to 64.
    pub tie_break_items_per_thread: u32,
    /// Keys per thread and step of the copy that selects everything: 1 to 64.
    pub copy_items_per_thread: u32,
    /// Barriers that bulk copies into slots complete on, and slots that chunks pass through at most: 1 to 32.
    pub pipeline_stages: u32,
    /// Bytes of one chunk, which is one slot of shared memory and one bulk copy: a multiple of
    /// [`load_align_bytes`](Self::load_align_bytes), below 2^20.
    pub chunk_bytes: u32,
    /// Alignment of every chunk in global and in shared memory, in bytes: a power of two from 16 (what a bulk copy
    /// needs) to 1,024.
    pub load_align_bytes: u32,
    /// Radix digit width in bits: 1 to [`MAX_BITS_PER_PASS`].
    pub bits_per_pass: u32,
    /// Candidates, once the k-th key is bounded, that a block lists apart from the other keys: 1 to 16,384.
    pub list_capacity: u32,
    /// Blocks that must fit one multiprocessor at once, as a register budget: 1 to 32, and at most 2,048 threads in all.
    pub min_blocks_per_sm: u32,

    /// How width and shared memory of a launch are chosen.
    pub sizing: ClusterSizing,
    /// Whether chunks pass through the slots where they are more.
    pub streaming: Streaming,
    /// Segments up to this many keys take the single-block path where they fit it: up to 2^31 − 1.
    pub single_block_max_seg_size: u32,
    /// Chunks that a block must own to join the effective cluster: at least 1, which drops blocks without any.
    pub min_chunks_per_block: u32,
    /// Cap on the cluster width: 1 to 16, or none. [`ClusterSizing::Portable`] leaves no choice of width, so with it a cap
    /// below 8 is a fault.
    pub max_cluster_width: Option<u32>,
    /// Cap on the chunk slots of one block: at least 1, or none. It leaves shared memory to a concurrent kernel.
    pub max_slots: Option<u32>,
}

impl ClusterPolicy {
    /// The policy for every GPU with clusters.
    pub const DEFAULT: Self = Self {
        threads_per_block: 512,
        histogram_items_per_thread: 8,
        tie_break_items_per_thread: 8,
        copy_items_per_thread: 8,
        pipeline_stages: 16,
        chunk_bytes: 16 << 10,
        load_align_bytes: 128,
        bits_per_pass: DEFAULT_BITS_PER_PASS,
        list_capacity: 1920,
        min_blocks_per_sm: 2,
        sizing: ClusterSizing::Searched,
        streaming: Streaming::Estimated,
        single_block_max_seg_size: 8192,
        min_chunks_per_block: 1,
        max_cluster_width: None,
        max_slots: None,
    };

    /// How the leader of a cluster sorts: four items a thread.
    #[must_use]
    pub const fn order(&self) -> OrderPolicy {
        OrderPolicy { threads: self.threads_per_block, items_per_thread: 4 }
    }

    /// Whether [`validate`](Self::validate) finds no fault.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        self.validate().is_ok()
    }

    /// Checks every field against its documented range.
    ///
    /// # Errors
    ///
    /// The first fault, in the order of the fields.
    pub const fn validate(self) -> Result<(), PolicyError> {
        if self.threads_per_block == 0 || self.threads_per_block > 1024 || self.threads_per_block & 31 != 0 {
            return Err(PolicyError::ThreadsPerBlock(self.threads_per_block));
        }
        if !in_range(self.histogram_items_per_thread, 1, 64) {
            return Err(PolicyError::HistogramItemsPerThread(self.histogram_items_per_thread));
        }
        if !in_range(self.tie_break_items_per_thread, 1, 64) {
            return Err(PolicyError::TieBreakItemsPerThread(self.tie_break_items_per_thread));
        }
        if !in_range(self.copy_items_per_thread, 1, 64) {
            return Err(PolicyError::CopyItemsPerThread(self.copy_items_per_thread));
        }
        if !in_range(self.pipeline_stages, 1, 32) {
            return Err(PolicyError::PipelineStages(self.pipeline_stages));
        }
        // The alignment first: the chunk is measured in it.
        if !self.load_align_bytes.is_power_of_two() || !in_range(self.load_align_bytes, 16, 1024) {
            return Err(PolicyError::LoadAlignBytes(self.load_align_bytes));
        }
        if !in_range(self.chunk_bytes, self.load_align_bytes, MAX_EXPECTED_BYTES)
            || self.chunk_bytes & (self.load_align_bytes - 1) != 0
        {
            return Err(PolicyError::ChunkBytes {
                chunk_bytes: self.chunk_bytes,
                load_align_bytes: self.load_align_bytes,
            });
        }
        if !in_range(self.bits_per_pass, 1, MAX_BITS_PER_PASS) {
            return Err(PolicyError::BitsPerPass(self.bits_per_pass));
        }
        if !in_range(self.list_capacity, 1, 16_384) {
            return Err(PolicyError::ListCapacity(self.list_capacity));
        }
        if !in_range(self.min_blocks_per_sm, 1, 32) || self.min_blocks_per_sm * self.threads_per_block > 2048
        {
            return Err(PolicyError::MinBlocksPerSm(self.min_blocks_per_sm));
        }
        if self.single_block_max_seg_size as u64 > MAX_SEGMENT_SIZE {
            return Err(PolicyError::SingleBlockMaxSegSize(self.single_block_max_seg_size));
        }
        if self.min_chunks_per_block == 0 {
            return Err(PolicyError::MinChunksPerBlock);
        }
        if let Some(width) = self.max_cluster_width
            && !in_range(width, 1, MAX_CLUSTER_WIDTH)
        {
            return Err(PolicyError::MaxClusterWidth(width));
        }
        if let (ClusterSizing::Portable, Some(width)) = (self.sizing, self.max_cluster_width)
            && width < MAX_PORTABLE_CLUSTER_WIDTH
        {
            return Err(PolicyError::PortableWidth(width));
        }
        if let Some(0) = self.max_slots {
            return Err(PolicyError::MaxSlots);
        }
        Ok(())
    }
}

impl Default for ClusterPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

const fn in_range(value: u32, low: u32, high: u32) -> bool {
    low <= value && value <= high
}

/// The first fault of a [`ClusterPolicy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyError {
    /// `threads_per_block` is no multiple of 32 between 32 and 1,024.
    ThreadsPerBlock(u32),
    /// `histogram_items_per_thread` is not 1 to 64.
    HistogramItemsPerThread(u32),
    /// `tie_break_items_per_thread` is not 1 to 64.
    TieBreakItemsPerThread(u32),
    /// `copy_items_per_thread` is not 1 to 64.
    CopyItemsPerThread(u32),
    /// `pipeline_stages` is not 1 to 32.
    PipelineStages(u32),
    /// `load_align_bytes` is no power of two between 16 and 1,024.
    LoadAlignBytes(u32),
    /// `chunk_bytes` is no positive multiple of `load_align_bytes` below 2^20.
    ChunkBytes {
        /// The chunk.
        chunk_bytes: u32,
        /// What it should be a multiple of.
        load_align_bytes: u32,
    },
    /// `bits_per_pass` is not 1 to [`MAX_BITS_PER_PASS`].
    BitsPerPass(u32),
    /// `list_capacity` is not 1 to 16,384.
    ListCapacity(u32),
    /// `min_blocks_per_sm` is not 1 to 32, or asks for more than 2,048 threads.
    MinBlocksPerSm(u32),
    /// `single_block_max_seg_size` is above 2^31 − 1.
    SingleBlockMaxSegSize(u32),
    /// `min_chunks_per_block` is 0.
    MinChunksPerBlock,
    /// `max_cluster_width` is not 1 to 16.
    MaxClusterWidth(u32),
    /// `max_cluster_width` is below 8, the only width of [`ClusterSizing::Portable`].
    PortableWidth(u32),
    /// `max_slots` is 0.
    MaxSlots,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ThreadsPerBlock(given) => {
                write!(f, "threads_per_block must be a multiple of 32 from 32 to 1024, not {given}")
            }
            Self::HistogramItemsPerThread(given) => {
                write!(f, "histogram_items_per_thread must be 1 to 64, not {given}")
            }
            Self::TieBreakItemsPerThread(given) => {
                write!(f, "tie_break_items_per_thread must be 1 to 64, not {given}")
            }
            Self::CopyItemsPerThread(given) => {
                write!(f, "copy_items_per_thread must be 1 to 64, not {given}")
            }
            Self::PipelineStages(given) => write!(f, "pipeline_stages must be 1 to 32, not {given}"),
            Self::LoadAlignBytes(given) => {
                write!(f, "load_align_bytes must be a power of two from 16 to 1024, not {given}")
            }
            Self::ChunkBytes { chunk_bytes, load_align_bytes } => write!(
                f,
                "chunk_bytes must be a positive multiple of load_align_bytes ({load_align_bytes}) below 2^20, not \
                 {chunk_bytes}"
            ),
            Self::BitsPerPass(given) => {
                write!(f, "bits_per_pass must be 1 to {MAX_BITS_PER_PASS}, not {given}")
            }
            Self::ListCapacity(given) => write!(f, "list_capacity must be 1 to 16384, not {given}"),
            Self::MinBlocksPerSm(given) => {
                write!(f, "min_blocks_per_sm must be 1 to 32 and ask for at most 2048 threads, not {given}")
            }
            Self::SingleBlockMaxSegSize(given) => {
                write!(f, "single_block_max_seg_size must be at most 2^31 - 1, not {given}")
            }
            Self::MinChunksPerBlock => f.write_str("min_chunks_per_block must be at least 1, not 0"),
            Self::MaxClusterWidth(given) => write!(f, "max_cluster_width must be 1 to 16, not {given}"),
            Self::PortableWidth(given) => write!(
                f,
                "max_cluster_width must be at least {MAX_PORTABLE_CLUSTER_WIDTH} where the sizing is portable, not {given}"
            ),
            Self::MaxSlots => f.write_str("max_slots must be at least 1, not 0"),
        }
    }
}

impl core::error::Error for PolicyError {}

/// How the width of the clusters and the shared memory of a launch are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ClusterSizing {
    /// For the longest segment, by the device's limits and the driver's occupancy query.
    #[default]
    Searched,
    /// [`LaunchShape::PORTABLE`], whatever the device: nothing is asked, and no limit of a kernel is raised. The width is
    /// compiled into the kernel, so that an ordinary launch runs it. What does not fit the shared memory is read again.
    Portable,
}

/// How chunks come in that are more than the slots of a block.
///
/// Only adjacent keys can pass through the slots, and not in a portable launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Streaming {
    /// Through the slots if the winners are more than the blocks list; and if a block looks at them more than once while more blocks
    /// run at once than there are multiprocessors, which then share the memory's bandwidth. By plain loads otherwise: as was found
    /// faster.
    #[default]
    Estimated,
    /// Through the slots.
    Always,
    /// By plain loads, which leaves out the search for large k, too.
    Never,
}

/// What a launch of the cluster backend chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaunchShape {
    /// Thread blocks per cluster.
    pub cluster_width: u32,
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_smem_bytes: u32,
}

impl LaunchShape {
    /// What every GPU with clusters launches without an opt-in or a query: 8 blocks of 48 KiB. Also what a launch from
    /// device code, or from a context that may not query, would use.
    pub const PORTABLE: Self =
        Self { cluster_width: MAX_PORTABLE_CLUSTER_WIDTH, dynamic_smem_bytes: PORTABLE_SMEM_BYTES };
}

const _: () = assert!(ClusterPolicy::DEFAULT.is_valid());
