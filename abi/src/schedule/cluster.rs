use super::SegmentSplit;
use crate::arith;
use crate::layout::TileGeometry;
use crate::requirement::{Contract, TieBreak};

/// The order in which ranks take part in scans over the cluster: the order in which they claim output slots.
///
/// The last rank in scan order leads. Its histogram is merged with everyone else's, so it cannot recover its own counts
/// from it; as the last one it receives the sum over all others and subtracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ScanOrder {
    /// By ascending rank, hence by ascending key index. The last working rank leads.
    Ascending = 0,
    /// By descending rank, hence by descending key index. Rank 0 leads.
    Descending = 1,
}

impl ScanOrder {
    /// Ascending where ties must go to the smaller index, else descending, so that the leader is rank 0 and does not
    /// depend on the effective width.
    #[must_use]
    pub const fn of(contract: Contract) -> Self {
        match contract.effective_tie_break() {
            TieBreak::PreferSmallerIndex => Self::Ascending,
            TieBreak::PreferLargerIndex | TieBreak::Unspecified => Self::Descending,
        }
    }

    /// The leader among `effective_width` working ranks: never an idle one.
    #[must_use]
    pub const fn leader(self, effective_width: u32) -> u32 {
        match self {
            Self::Ascending => effective_width.saturating_sub(1),
            Self::Descending => 0,
        }
    }

    /// The working ranks after `rank` in scan order, as a half-open range of ranks.
    #[must_use]
    pub const fn successors(self, rank: u32, effective_width: u32) -> (u32, u32) {
        match self {
            Self::Ascending => (rank.saturating_add(1), effective_width),
            Self::Descending => (0, rank),
        }
    }
}

/// Number of ranks that work on a segment of `chunks` chunks: as many as the cluster has and get at least
/// `min_chunks_per_block` chunks each, but never none, since rank 0 takes a segment without chunks.
#[must_use]
pub const fn effective_width(chunks: u32, cluster_width: u32, min_chunks_per_block: u32) -> u32 {
    let joining = if min_chunks_per_block <= 1 {
        chunks
    } else {
        arith::div_floor(chunks as u64, min_chunks_per_block as u64) as u32
    };
    let bounded = if joining < cluster_width { joining } else { cluster_width };
    if bounded == 0 { 1 } else { bounded }
}

/// The most chunks that any rank owns of any segment of at most `chunks` chunks.
///
/// Where blocks need several chunks to join, a shorter segment may put more on a rank than a longer one does: with
/// `min_chunks_per_block = 2`, three chunks are one rank's, and four are two ranks'.
#[must_use]
pub const fn max_chunks_per_rank(chunks: u32, cluster_width: u32, min_chunks_per_block: u32) -> u32 {
    let chunks = chunks as u64;
    let min_chunks = arith::max(min_chunks_per_block as u64, 1);
    // The longest segment that one rank takes alone, if the cluster has a second one.
    let alone = if cluster_width <= 1 { chunks } else { arith::min(chunks, 2 * min_chunks - 1) };
    let width = effective_width(chunks as u32, cluster_width, min_chunks_per_block) as u64;
    arith::max(alone, arith::div_ceil(chunks, width)) as u32
}

/// Whether a segment of `len` keys takes the path of a single block, without cluster barriers: it is at most
/// `single_block_max_seg_size` keys long and resident in `slots` slots wherever it starts.
///
/// The actual start does not count, so that the host, which knows the largest length only, and every rank, which sees
/// one segment, decide alike.
#[must_use]
pub const fn single_cta_eligible(
    geometry: &TileGeometry,
    len: u32,
    slots: u32,
    single_block_max_seg_size: u32,
) -> bool {
    len <= single_block_max_seg_size && geometry.worst_case_chunks(len as u64) <= slots as u64
}

/// What one rank owns of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RankShare {
    /// First chunk.
    pub first_chunk: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Whether the head edge is this rank's, which may hold no key.
    pub head: bool,
    /// Whether the tail edge is this rank's, which may hold no key.
    pub tail: bool,
}

impl RankShare {
    /// What an idle rank owns.
    pub const IDLE: Self = Self { first_chunk: 0, chunks: 0, head: false, tail: false };
}

/// A segment shared out over a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterSchedule {
    /// Chunks of the segment.
    pub chunks: u32,
    /// Ranks that work: 1 to the cluster width. Ranks from this one on are idle.
    pub effective_width: u32,
    /// The order of scans over the cluster.
    pub order: ScanOrder,
    // The even share, and how many ranks take one chunk more; divided once, not per rank.
    even_share: u32,
    larger_shares: u32,
}

impl ClusterSchedule {
    /// Shares out the chunks of a segment.
    #[must_use]
    pub const fn new(
        split: &SegmentSplit,
        cluster_width: u32,
        min_chunks_per_block: u32,
        order: ScanOrder,
    ) -> Self {
        let chunks = split.chunks;
        let effective_width = effective_width(chunks, cluster_width, min_chunks_per_block);
        let even_share = match chunks.checked_div(effective_width) {
            Some(share) => share,
            None => 0,
        };
        let larger_shares = chunks.wrapping_sub(even_share.wrapping_mul(effective_width));
        Self { chunks, effective_width, order, even_share, larger_shares }
    }

    /// The fewest chunks that a working rank owns.
    #[must_use]
    pub const fn least_share(&self) -> u32 {
        self.even_share
    }

    /// The most chunks that a rank owns.
    #[must_use]
    pub const fn most_share(&self) -> u32 {
        // At most the number of chunks.
        self.even_share.wrapping_add((self.larger_shares > 0) as u32)
    }

    /// Whether `rank` owns nothing.
    #[must_use]
    pub const fn is_idle(&self, rank: u32) -> bool {
        rank >= self.effective_width
    }

    /// The leader: a rank that works.
    #[must_use]
    pub const fn leader(&self) -> u32 {
        self.order.leader(self.effective_width)
    }

    /// What `rank` owns: a contiguous run of chunks. The first ranks take one chunk more where the chunks do not divide
    /// evenly.
    #[must_use]
    pub const fn share(&self, rank: u32) -> RankShare {
        if self.is_idle(rank) {
            return RankShare::IDLE;
        }
        let has_larger = rank < self.larger_shares;
        let larger_before = if has_larger { rank } else { self.larger_shares };
        RankShare {
            // At most `chunks`, since `rank` is below the effective width.
            first_chunk: rank.wrapping_mul(self.even_share).wrapping_add(larger_before),
            chunks: self.even_share.wrapping_add(has_larger as u32),
            head: rank == 0,
            tail: rank.wrapping_add(1) == self.effective_width,
        }
    }
}
