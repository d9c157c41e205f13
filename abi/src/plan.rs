//! How wide a cluster is, and how much shared memory its blocks take: the search that plans a launch of the cluster backend.
//!
//! Width and memory trade against each other. A wide cluster puts more multiprocessors on one segment; a narrow one lets more
//! segments run at once, and fewer blocks wait for one another. Where a segment is not resident, the keys beyond the slots are
//! read again, but mostly once only ([`Bound::Sample`]), and two blocks that share a multiprocessor hide one's loads behind
//! the other's work. So each width is tried twice, with the smallest shared memory that keeps the longest segment resident, or
//! all there is, and with no more than half of it. The driver is asked how many such clusters run at once, hence in how many
//! *waves* all segments get their turn, and an estimate of the time decides: linear in waves and chunks, its coefficients
//! fitted to measurements. Where more keys are wanted than can be listed, the work on them counts, wherever they are; where k is
//! so large that delegates bound the k-th badly, too, all keys are looked at twice, by kernels of their own
//! ([`ClusterPlan::large_k`]). For these a last wave takes what its clusters take by themselves, however few they are. Among
//! equals the widest wins, and of two sizes the larger.
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
use crate::policy::{ClusterPolicy, ClusterSizing, LaunchShape, OrderMemory, Streaming, word_bytes};
use crate::schedule::{
    Bound, ClusterSchedule, Groups, ScanOrder, SegmentSplit, effective_width, max_chunks_per_rank,
    single_cta_eligible,
};

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
    /// The most items that a segment gives.
    pub max_k: u64,
    /// Whether the kernel sorts them, for which it needs memory behind the slots: at most
    /// [`CLUSTER_SORTS_UP_TO`](crate::policy::CLUSTER_SORTS_UP_TO) items.
    pub sorts: bool,
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

    /// Bytes of shared memory behind the slots.
    #[must_use]
    pub const fn order_bytes(&self, policy: &ClusterPolicy) -> u32 {
        if !self.sorts {
            return 0;
        }
        // Rounded up, so that calls that differ in k alone have few shapes between them: the driver is asked about each.
        let items = (arith::min(self.max_k, self.len() as u64) as u32).next_power_of_two();
        let items = arith::min(items as u64, policy.order().capacity() as u64) as u32;
        OrderMemory::of(policy.order(), word_bytes(self.key_width), items).bytes.next_multiple_of(16)
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
    /// Multiprocessors: at least 1.
    pub multiprocessors: u32,
}

/// Why a plan has the width that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WidthReason {
    /// The longest segment is short and fits one block.
    SingleBlock,
    /// The least time, as far as the search can estimate it.
    LeastTime,
    /// [`ClusterSizing::Portable`]: the one width that every GPU with clusters launches, and no device was asked.
    Portable,
}

impl fmt::Display for WidthReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SingleBlock => "the longest segment is short and fits one block",
            Self::LeastTime => "least time by estimate, of all widths",
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
    /// Whether chunks pass through the slots, all of them in every pass: as [`Streaming`] says, where some block owns more of
    /// them than it has slots and will look at them more than once. There are at most as many slots as
    /// [`pipeline_stages`](ClusterPolicy::pipeline_stages) then. Otherwise chunks stay in their slots, and the threads load those
    /// without one themselves: once where a sample of the keys will do for the bound.
    pub streams: bool,
    /// Whether the search is that for large k: all keys are looked at twice, and there are no delegates. For adjacent keys of which so
    /// many are wanted that delegates bound the k-th badly and the winners are more than fit the lists, unless the segments are short.
    /// Chunks pass through the slots then, or stay there if all fit.
    pub large_k: bool,
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

    /// Chunks without a place in shared memory, of the [`chunks_per_rank`](Self::chunks_per_rank): read from global memory by every
    /// pass over all keys, of which there is one where the others bound the k-th, and more as the bound is worse.
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
/// is asked at most four times for each width, and once more for a single block. Under
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
    let order_bytes = demand.order_bytes(policy);
    // What is left for the fixed region and the slots.
    let for_slots = available.saturating_sub(order_bytes);
    let most_slots = smem_block_tile_layout(for_slots.into(), geometry).capped(policy.max_slots).slots as u32;
    if most_slots == 0 {
        let required = geometry.bytes_for_slots(1) + u64::from(order_bytes);
        return Err(NoPlan::TooLittleSharedMemory { required, available });
    }
    let chunks = demand.worst_case_chunks(&geometry);
    let sized = |width: u32, slots: u32, waves, reason| {
        let chunks_per_rank = max_chunks_per_rank(chunks, width, policy.min_chunks_per_block);
        let slots = chunks_per_rank.clamp(1, slots);
        // Whether they do is known when it is known how many blocks run at once.
        let in_bulk = !portable && matches!(demand.loads, Loads::Bulk);
        let looks = || looks(policy, demand, &geometry, width, slots);
        let large_k = in_bulk
            && !matches!(reason, WidthReason::SingleBlock)
            && !matches!(policy.streaming, Streaming::Never)
            && looks() == Looks::Large;
        let may_stream = in_bulk
            && chunks_per_rank > slots
            && match policy.streaming {
                Streaming::Estimated => looks() != Looks::Once,
                Streaming::Always => true,
                Streaming::Never => false,
            };
        let streams = large_k || may_stream;
        let slots = if streams { slots.min(policy.pipeline_stages) } else { slots };
        // At most `available`, since that is where `most_slots` comes from.
        let dynamic_smem_bytes = geometry.bytes_for_slots(slots.into()) as u32 + order_bytes;
        ClusterPlan {
            shape: LaunchShape { cluster_width: width, dynamic_smem_bytes },
            slots,
            streams,
            large_k,
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
        return Ok(sized(width, most_slots, None, WidthReason::Portable));
    }
    let mut launchable = |plan: ClusterPlan| {
        let clusters = max_active_clusters(plan.shape);
        if clusters == 0 {
            return None;
        }
        let count = arith::div_ceil(demand.num_segments, clusters.into());
        let waves = Waves { clusters, count };
        let width = plan.shape.cluster_width;
        // How many have their multiprocessors to themselves.
        let alone = if plan.large_k {
            // Clusters lie within parts of the device that are no multiples of their width, so that two blocks may share a
            // multiprocessor while others have none.
            max_active_clusters(LaunchShape { dynamic_smem_bytes: available, ..plan.shape })
        } else {
            limits.multiprocessors / width
        };
        let shares = |clusters: u64| clusters > alone.into();
        let shared = shares(demand.num_segments.min(clusters.into()));
        let full = count.saturating_sub(1);
        let rest = demand.num_segments - full * u64::from(clusters);
        let last_shared = if plan.large_k { shares(rest) } else { shared };
        let turns = [(full, shared), (count - full, last_shared)];
        let streams = plan.streams
            && (plan.large_k
                || shared
                || matches!(policy.streaming, Streaming::Always)
                || looks(policy, demand, &geometry, width, plan.slots) == Looks::Many);
        Some((ClusterPlan { waves: Some(waves), streams, ..plan }, turns))
    };

    let occupied = effective_width(chunks, u32::MAX, policy.min_chunks_per_block);
    let widest = limits.max_cluster_width.min(policy.max_cluster_width.unwrap_or(u32::MAX));
    let fits_the_grid = |width: u32| demand.num_segments <= MAX_GRID_BLOCKS / u64::from(width);
    if single_cta_eligible(&geometry, demand.len(), most_slots, policy.single_block_max_seg_size)
        && fits_the_grid(1)
        && let Some((plan, _)) = launchable(sized(1, most_slots, None, WidthReason::SingleBlock))
    {
        return Ok(plan);
    }
    // As many slots as let two blocks share a multiprocessor.
    let half =
        (available.saturating_add(SMEM_RESERVED_PER_BLOCK) / 2).saturating_sub(SMEM_RESERVED_PER_BLOCK);
    let half_slots = (smem_block_tile_layout(half.saturating_sub(order_bytes).into(), geometry).slots as u32)
        .clamp(1, most_slots);
    let mut best: Option<(u64, ClusterPlan)> = None;
    // `occupied` is below 2^31, since a chunk holds at least two keys.
    for width in CLUSTER_WIDTHS
        .into_iter()
        .filter(|&width| width <= widest && width <= occupied.next_power_of_two() && fits_the_grid(width))
    {
        let whole = sized(width, most_slots, None, WidthReason::LeastTime);
        let halved = sized(width, half_slots, None, WidthReason::LeastTime);
        for plan in [Some(whole), (halved != whole).then_some(halved)].into_iter().flatten() {
            if let Some((plan, turns)) = launchable(plan) {
                let time = turns.iter().fold(0, |time: u64, &(waves, shared)| {
                    let wave = wave_time(policy, demand, &geometry, &plan, shared);
                    time.saturating_add(waves.saturating_mul(wave))
                });
                if best.is_none_or(|(least, _)| time < least) {
                    best = Some((time, plan));
                }
            }
        }
    }
    best.map(|(_, plan)| plan).ok_or(if fits_the_grid(1) {
        NoPlan::NothingLaunchable
    } else {
        NoPlan::TooManySegments { given: demand.num_segments, limit: MAX_GRID_BLOCKS, cluster_width: 1 }
    })
}

/// How often a block looks at all of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    /// Once: those in slots bound the k-th.
    Once,
    /// Once more, for the candidates, which are then listed.
    Twice,
    /// By an estimate that serves where nothing bounds the k-th before the first pass, though candidates fit the lists.
    Passes,
    /// In every pass and for the placement: delegates bound the k-th, but the winners alone are more than fit the lists.
    Many,
    /// For one pass and the placement, by the search for large k: nothing bounds the k-th before the first pass, and the winners alone
    /// are more than fit the lists.
    Large,
}

/// How often that is, for the longest segment, at a width and a number of slots.
fn looks(policy: &ClusterPolicy, demand: &Demand, geometry: &TileGeometry, width: u32, slots: u32) -> Looks {
    let split = SegmentSplit::generic(geometry, demand.len());
    let schedule = ClusterSchedule::new(&split, width, policy.min_chunks_per_block, ScanOrder::Ascending);
    let groups = Groups::of(&split, &schedule, demand.key_width, slots, policy.list_capacity);
    let wanted = arith::min(demand.max_k, demand.len() as u64);
    let k = wanted as u32;
    match groups.bound(k) {
        Bound::Sample => Looks::Once,
        Bound::All if groups.lists(k) => Looks::Twice,
        Bound::All => Looks::Many,
        Bound::None if groups.lists(k) => Looks::Passes,
        Bound::None => Looks::Large,
    }
}

/// Shared memory of a multiprocessor that each block takes beyond its own.
const SMEM_RESERVED_PER_BLOCK: u32 = 1024;

/// What a wave takes besides its chunks, by the blocks that share a multiprocessor: one, or more. As all of these, in tenths of
/// what a resident chunk takes a block that has its multiprocessor to itself, and measured on an H200.
const PER_WAVE: [u64; 2] = [110, 150];
/// A resident chunk. Blocks that start together want the same units at the same time.
const PER_RESIDENT_CHUNK: [u64; 2] = [10, 20];
/// A chunk that is read from global memory; one block's reads hide behind another's work.
const PER_STREAMED_CHUNK: [u64; 2] = [10, 14];
/// By the search for large k.
const PER_LARGE_K_WAVE: [u64; 2] = [120, 142];
/// A chunk whose keys are looked at many times, wherever it is: the work on them is more than that of bringing them in.
const PER_BUSY_CHUNK: [u64; 2] = [40, 70];

/// A chunk by the search for large k: the more keys are in it the longer, but for the widest, which take their room.
const fn per_large_k_chunk(width: KeyWidth) -> [u64; 2] {
    match width {
        KeyWidth::W8 => [57, 105],
        KeyWidth::W16 => [36, 66],
        KeyWidth::W32 | KeyWidth::W64 => [20, 35],
    }
}

/// The time that a wave takes, for comparison with others of the same demand, where blocks share multiprocessors or not.
fn wave_time(
    policy: &ClusterPolicy,
    demand: &Demand,
    geometry: &TileGeometry,
    plan: &ClusterPlan,
    shared: bool,
) -> u64 {
    let shared = usize::from(shared);
    let chunks = u64::from(plan.chunks_per_rank);
    if plan.large_k {
        return PER_LARGE_K_WAVE[shared] + chunks * per_large_k_chunk(demand.key_width)[shared];
    }
    let reads = match looks(policy, demand, geometry, plan.shape.cluster_width, plan.slots) {
        Looks::Once => 1,
        Looks::Twice => 2,
        Looks::Passes => 6,
        Looks::Many | Looks::Large => return PER_WAVE[shared] + chunks * PER_BUSY_CHUNK[shared],
    };
    let resident = u64::from(plan.resident_chunks_per_rank()) * PER_RESIDENT_CHUNK[shared];
    let streamed = u64::from(plan.reread_chunks_per_rank()) * PER_STREAMED_CHUNK[shared] * reads;
    PER_WAVE[shared] + resident + streamed
}
