//! How wide a cluster is, and how much shared memory its blocks take: the search that plans a launch of the cluster backend.
//!
//! Width and memory trade against each other. A wide cluster puts more multiprocessors on one segment and leaves each less to
//! hold; a narrow one lets more segments run at once. So each width is paired with the *smallest* shared memory that keeps the
//! longest segment resident, the driver is asked how many such clusters run at once, and the width that gets through all
//! segments in the fewest *waves* wins. Among equals the widest does: it has the most multiprocessors at work. Where no width
//! holds the longest segment, the widest launchable cluster with the most shared memory leaves the least to read again.
//!
//! # Which widths count
//!
//! Powers of two, [`CLUSTER_WIDTHS`]. A launch may be as wide as 3 or 12, but the slowest rank sets the pace, and it owns
//! ceil(chunks / width) chunks: lengths that are powers of two, which most are, gain nothing from 9 to 15 ranks over 8. Five
//! candidates also bound what the first call asks the driver.
//!
//! No width is taken beyond the ranks that the longest segment can occupy, rounded up to a power of two: with five chunks,
//! eight blocks hold one chunk each and three of them nothing, which is faster than four blocks of up to two chunks; sixteen
//! blocks would add idle ranks alone.
//!
//! # Without a search
//!
//! [`ClusterSizing::Portable`] takes 8 blocks with as much of 48 KiB each as the longest segment fills, which every GPU with
//! clusters launches. The closure is not called then, so how many waves there will be is not known.
//!
//! # Who answers
//!
//! Everything here is a pure function: limits are numbers, and the driver's occupancy query is a closure. It has the last word
//! on a width: an answer of 0 says that no cluster of that shape fits this device (non-portable widths depend on which
//! multiprocessors a product has), and the width drops out.

use core::fmt;

use crate::MAX_GRID_BLOCKS;
use crate::arith;
use crate::key_order::KeyWidth;
use crate::layout::{TileGeometry, smem_block_tile_layout};
use crate::policy::{ClusterPolicy, ClusterSizing, LaunchShape};
use crate::schedule::{SegmentSplit, effective_width, max_chunks_per_rank, single_cta_eligible};

/// The widths that the search tries, widest first.
pub const CLUSTER_WIDTHS: [u32; 5] = [16, 8, 4, 2, 1];

/// How the keys of a segment get into shared memory, which decides how many chunks they make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loads {
    /// In bulk: adjacent keys, edges kept apart ([`SegmentSplit::aligned`]).
    Bulk,
    /// One by one, at any distance from one another ([`SegmentSplit::generic`]).
    Plain,
}

impl Loads {
    /// How keys at a distance of `key_element_stride` elements are loaded.
    #[must_use]
    pub const fn of_stride(key_element_stride: u64) -> Self {
        if key_element_stride == 1 { Self::Bulk } else { Self::Plain }
    }
}

/// What a launch is planned for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Demand {
    /// The width of a key.
    pub key_width: KeyWidth,
    /// The longest segment that there may be, in keys: up to 2^31 − 1, and what is above counts as that.
    pub max_segment_size: u64,
    /// Number of segments.
    pub num_segments: u64,
    /// How keys are loaded.
    pub loads: Loads,
}

impl Demand {
    /// The most chunks that a segment has, wherever it starts.
    #[must_use]
    pub const fn worst_case_chunks(&self, geometry: &TileGeometry) -> u32 {
        let len = self.len();
        match self.loads {
            Loads::Bulk => geometry.worst_case_chunks(len as u64) as u32,
            Loads::Plain => SegmentSplit::generic(geometry, len).chunks,
        }
    }

    const fn len(&self) -> u32 {
        arith::min(self.max_segment_size, crate::MAX_SEGMENT_SIZE) as u32
    }
}

/// What the device allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterLimits {
    /// Most dynamic shared memory of one thread block after an opt-in, in bytes.
    pub smem_per_block_optin_bytes: u32,
    /// The widest cluster to ask for, non-portable widths included.
    pub max_cluster_width: u32,
}

/// Why a plan has the width that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WidthReason {
    /// The longest segment is short and fits one block.
    SingleBlock,
    /// The longest segment stays in shared memory, and no width gets through the segments in fewer waves.
    FewestWaves,
    /// No launchable width holds the longest segment: the widest, with all shared memory, reads the least of it again.
    MostResident,
    /// [`ClusterSizing::Portable`]: the one width that every GPU with clusters launches, and no device was asked.
    Portable,
}

impl fmt::Display for WidthReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SingleBlock => "the longest segment is short and fits one block",
            Self::FewestWaves => "fewest waves, then widest, with the longest segment resident",
            Self::MostResident => "no width holds the longest segment: widest, with the most shared memory",
            Self::Portable => {
                "portable: the width and the shared memory that every device with clusters launches"
            }
        })
    }
}

/// The rounds in which all segments get their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Waves {
    /// Clusters, hence segments, that the device runs at once: at least 1.
    pub clusters: u32,
    /// Number of rounds: the number of segments over `clusters`, rounded up.
    pub count: u64,
}

/// How the cluster backend is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterPlan {
    /// Cluster width and dynamic shared memory per block.
    pub shape: LaunchShape,
    /// Chunk slots of one block: at least 1.
    pub slots: u32,
    /// Streaming slots at most: 1 to `slots` and to the pipeline depth.
    pub max_stream_slots: u32,
    /// The most chunks that a block owns of any segment.
    pub chunks_per_rank: u32,
    /// In how many rounds the segments get their turn; unknown under [`ClusterSizing::Portable`].
    pub waves: Option<Waves>,
    /// Why this width.
    pub reason: WidthReason,
}

impl ClusterPlan {
    /// Chunks that stay in shared memory, of the [`chunks_per_rank`](Self::chunks_per_rank).
    #[must_use]
    pub const fn resident_chunks_per_rank(&self) -> u32 {
        if self.chunks_per_rank < self.slots { self.chunks_per_rank } else { self.slots }
    }

    /// Chunks that are read from global memory again in every pass after the first, of the
    /// [`chunks_per_rank`](Self::chunks_per_rank); see [`Residency`](crate::schedule::Residency).
    #[must_use]
    pub const fn reread_chunks_per_rank(&self) -> u32 {
        self.chunks_per_rank.saturating_sub(self.slots)
    }

    /// Whether every segment stays in shared memory once it is read.
    #[must_use]
    pub const fn is_resident(&self) -> bool {
        self.reread_chunks_per_rank() == 0
    }
}

/// Why there is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoPlan {
    /// A block cannot have the shared memory of a single slot.
    TooLittleSharedMemory {
        /// What one slot needs, in bytes.
        required: u64,
        /// What a block may have, in bytes.
        available: u32,
    },
    /// More segments than a grid has room for, even with the narrowest clusters allowed.
    TooManySegments {
        /// The number of segments.
        given: u64,
        /// The most that fit: [`MAX_GRID_BLOCKS`] over the width.
        limit: u64,
        /// The narrowest width.
        cluster_width: u32,
    },
    /// The occupancy query answered 0 for every width.
    NothingLaunchable,
}

impl fmt::Display for NoPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooLittleSharedMemory { required, available } => write!(
                f,
                "one chunk needs {required} bytes of shared memory, and a block of this device has at most {available}"
            ),
            Self::TooManySegments { given, limit, cluster_width } => {
                write!(f, "{given} segments are too many: at most {limit} at cluster width {cluster_width}")
            }
            Self::NothingLaunchable => f.write_str("the device runs no cluster of any width that is allowed"),
        }
    }
}

impl core::error::Error for NoPlan {}

/// Plans a launch under a valid policy.
///
/// `max_active_clusters` answers how many clusters of a shape the device runs at once, 0 for a shape that it cannot launch; it
/// is asked at most twice for each width, and only until a width gets through the segments in one wave. Under
/// [`ClusterSizing::Portable`] it is not asked, and `limits` do not count.
///
/// A width at which the grid would have more than [`MAX_GRID_BLOCKS`] blocks drops out.
///
/// # Errors
///
/// [`NoPlan`], which no device with clusters gives under [`ClusterPolicy::DEFAULT`] for up to 2^31 − 1 segments.
pub fn plan_cluster(
    policy: &ClusterPolicy,
    demand: &Demand,
    limits: &ClusterLimits,
    mut max_active_clusters: impl FnMut(LaunchShape) -> u32,
) -> Result<ClusterPlan, NoPlan> {
    let portable = matches!(policy.sizing, ClusterSizing::Portable);
    let geometry = TileGeometry::of(policy, demand.key_width, 0);
    let available =
        if portable { LaunchShape::PORTABLE.dynamic_smem_bytes } else { limits.smem_per_block_optin_bytes };
    let most_slots = smem_block_tile_layout(available.into(), geometry).capped(policy.max_slots).slots as u32;
    if most_slots == 0 {
        let required = geometry.bytes_for_slots(1);
        return Err(NoPlan::TooLittleSharedMemory { required, available });
    }
    let chunks = demand.worst_case_chunks(&geometry);
    let sized = |width: u32, waves, reason| {
        let chunks_per_rank = max_chunks_per_rank(chunks, width, policy.min_chunks_per_block);
        let slots = chunks_per_rank.clamp(1, most_slots);
        // At most `available`, since that is where `most_slots` comes from.
        let dynamic_smem_bytes = geometry.bytes_for_slots(slots.into()) as u32;
        ClusterPlan {
            shape: LaunchShape { cluster_width: width, dynamic_smem_bytes },
            slots,
            max_stream_slots: policy.max_stream_slots.unwrap_or(slots).min(policy.pipeline_stages).min(slots),
            chunks_per_rank,
            waves,
            reason,
        }
    };
    if portable {
        let width = LaunchShape::PORTABLE.cluster_width;
        let (given, limit) = (demand.num_segments, MAX_GRID_BLOCKS / u64::from(width));
        if given > limit {
            return Err(NoPlan::TooManySegments { given, limit, cluster_width: width });
        }
        return Ok(sized(width, None, WidthReason::Portable));
    }
    let mut plan_at = |width: u32, reason| {
        let plan = sized(width, None, reason);
        let clusters = max_active_clusters(plan.shape);
        let count = arith::div_ceil(demand.num_segments, clusters.into());
        let waves = Some(Waves { clusters, count });
        (clusters > 0).then_some((count, ClusterPlan { waves, ..plan }))
    };

    let occupied = effective_width(chunks, u32::MAX, policy.min_chunks_per_block);
    let widest = limits.max_cluster_width.min(policy.max_cluster_width.unwrap_or(u32::MAX));
    let fits_the_grid = |width: u32| demand.num_segments <= MAX_GRID_BLOCKS / u64::from(width);
    // `occupied` is below 2^31, since a chunk holds at least two keys.
    let candidates = CLUSTER_WIDTHS
        .into_iter()
        .filter(|&width| width <= widest && width <= occupied.next_power_of_two() && fits_the_grid(width));

    if single_cta_eligible(&geometry, demand.len(), most_slots, policy.single_block_max_seg_size)
        && fits_the_grid(1)
        && let Some((_, plan)) = plan_at(1, WidthReason::SingleBlock)
    {
        return Ok(plan);
    }
    let mut best: Option<(u64, ClusterPlan)> = None;
    for width in candidates.clone() {
        if max_chunks_per_rank(chunks, width, policy.min_chunks_per_block) > most_slots {
            continue;
        }
        if let Some((waves, plan)) = plan_at(width, WidthReason::FewestWaves)
            && best.is_none_or(|(fewest, _)| waves < fewest)
        {
            best = Some((waves, plan));
            if waves <= 1 {
                break;
            }
        }
    }
    if let Some((_, best)) = best {
        return Ok(best);
    }
    for width in candidates {
        if let Some((_, plan)) = plan_at(width, WidthReason::MostResident) {
            return Ok(plan);
        }
    }
    Err(if fits_the_grid(1) {
        NoPlan::NothingLaunchable
    } else {
        NoPlan::TooManySegments { given: demand.num_segments, limit: MAX_GRID_BLOCKS, cluster_width: 1 }
    })
}
