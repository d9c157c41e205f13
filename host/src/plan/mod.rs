//! What would run, and why: a plain, printable answer computed without running anything.

use crate::key::{Direction, KeyType};
use crate::requirement::Contract;
use core::fmt;

mod gpu;

pub use cluster_topk_abi::plan::{Waves, WidthReason};
pub use cluster_topk_abi::selector::Backend;
pub use gpu::{ClusterPlan, GpuPlan, OrderPlan};

/// The decisions made for one request.
///
/// ```
/// use cluster_topk::prelude::*;
/// let scores = vec![0.5f32; 4 * 1000];
/// let mut best = [0u32; 4 * 3];
/// let plan = max_indices(Segments::rows(&scores, 4, 1000), 3, &mut best).plan(&Env::cpu())?;
/// assert_eq!(plan.num_segments, 4);
/// println!("{plan}");
/// # Ok::<(), cluster_topk::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// Which items, in what order.
    pub contract: Contract,
    /// Largest or smallest.
    pub direction: Direction,
    /// The type of the keys.
    pub key_type: KeyType,
    /// How many segments there are.
    pub num_segments: u64,
    /// The most keys that a segment may hold, as far as the host knows.
    pub max_segment_size: u64,
    /// The most items that are selected from one segment, as far as the host knows.
    pub max_k: u64,
    /// The distance between output rows, in elements.
    pub output_pitch: u64,
    /// The engine, and how it goes about it.
    pub engine: EnginePlan,
    /// Why this engine.
    pub reason: String,
}

/// The decisions of the engine that would run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnginePlan {
    /// The CPU engine.
    Cpu(CpuPlan),
    /// The GPU engine.
    Gpu(GpuPlan),
}

/// The decisions of the CPU engine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CpuPlan {
    /// Worker threads that share the segments.
    pub threads: usize,
    /// Whether one segment is long enough to be shared by several threads.
    pub splits_segments: bool,
    /// How the longest segment is searched.
    pub strategy: CpuStrategy,
    /// Scratch memory of one worker for the longest segment, in bytes, at most.
    pub scratch_bytes_per_worker: u64,
}

/// How the CPU engine searches a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CpuStrategy {
    /// There is nothing to write.
    Nothing,
    /// `k` covers the segment: every item is taken.
    SelectAll,
    /// The largest key of each group of `group` bounds the k-th key from below; few keys are looked at twice.
    Delegates {
        /// Keys per group.
        group: usize,
    },
    /// One pass over the keys, against a bound guessed from a sample: `k` is too large a part of the segment for groups to
    /// help.
    Direct,
}

impl fmt::Display for CpuStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing to write"),
            Self::SelectAll => f.write_str("select all: k covers the segment"),
            Self::Delegates { group } => write!(f, "delegates: one per {group} keys bounds the k-th key"),
            Self::Direct => f.write_str("direct selection: k is a large part of the segment"),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "request   {} {} of {} {} x {} keys, {}",
            self.max_k,
            self.direction,
            self.num_segments,
            if self.num_segments == 1 { "segment" } else { "segments" },
            self.max_segment_size,
            self.key_type
        )?;
        writeln!(f, "contract  {}", self.contract)?;
        match &self.engine {
            EnginePlan::Cpu(cpu) => {
                writeln!(f, "engine    CPU, {} ({})", threads(cpu.threads), self.reason)?;
                writeln!(f, "strategy  {}", cpu.strategy)?;
                let shared =
                    if cpu.splits_segments { "segments, and long ones within" } else { "whole segments" };
                write!(
                    f,
                    "threads   share {shared}; scratch {} bytes a worker at most",
                    cpu.scratch_bytes_per_worker
                )
            }
            EnginePlan::Gpu(gpu) => {
                writeln!(
                    f,
                    "engine    GPU, compute capability {} ({})",
                    gpu.compute_capability, self.reason
                )?;
                write!(f, "{gpu}")
            }
        }
    }
}

fn threads(count: usize) -> String {
    if count == 1 { "1 thread".into() } else { format!("{count} threads") }
}
