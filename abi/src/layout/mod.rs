//! How many keys fit in the shared memory of a thread block.
//!
//! A block of the cluster backend has one budget of dynamic shared memory. Rust has no static shared memory, so what
//! does not grow with the budget ([`FixedRegion`]: barriers, histogram, edges, state) comes first; the rest is cut into
//! *slots* of one chunk each:
//!
//! ```text
//! | fixed region | pad | slot 0 | slot 1 | … | slot m−1 | unused |
//! ^                    ^
//! base: a multiple     a multiple of the slot alignment
//! of SMEM_BASE_ALIGN_BYTES
//! ```
//!
//! A slot must be aligned like the global memory that a bulk copy fills it from. The base of the budget promises less,
//! so the layout allows for the largest pad that any base can make necessary; [`TileGeometry::slots_base`] finds the
//! actual one.
//!
//! All sizes are in bytes and 64-bit, unless a name says keys, chunks or slots.

mod fixed;

pub use fixed::FixedRegion;

use crate::arith;
use crate::key_order::KeyWidth;
use crate::policy::ClusterPolicy;

/// The alignment of the first byte of dynamic shared memory that may be relied on, in bytes.
pub const SMEM_BASE_ALIGN_BYTES: u64 = 16;

/// The sizes that are fixed when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileGeometry {
    /// Size of the fixed region.
    pub fixed_bytes: u64,
    /// Size of a chunk, which is one slot: a positive multiple of [`load_align_bytes`](Self::load_align_bytes).
    pub chunk_bytes: u64,
    /// Alignment of a chunk in global memory: a power of two, at least the key width.
    pub load_align_bytes: u64,
    /// Size of one key: 1, 2, 4 or 8.
    pub key_bytes: u64,
    /// Alignment of a key: a power of two. Above `load_align_bytes` only for over-aligned keys.
    pub key_align_bytes: u64,
}

impl TileGeometry {
    /// The geometry of a valid policy for keys of one width, with `scratch_bytes` more in the fixed region than
    /// [`FixedRegion`] knows of.
    #[must_use]
    pub const fn of(policy: &ClusterPolicy, width: KeyWidth, scratch_bytes: u32) -> Self {
        Self {
            fixed_bytes: FixedRegion::of(policy, width, scratch_bytes).bytes as u64,
            chunk_bytes: policy.chunk_bytes as u64,
            load_align_bytes: policy.load_align_bytes as u64,
            key_bytes: width.bytes() as u64,
            key_align_bytes: width.bytes() as u64,
        }
    }

    /// Alignment of every slot in shared memory.
    #[must_use]
    pub const fn slot_align_bytes(self) -> u64 {
        arith::max(self.load_align_bytes, self.key_align_bytes)
    }

    /// Number of keys in a full chunk.
    #[must_use]
    pub const fn chunk_keys(self) -> u64 {
        arith::div_floor(self.chunk_bytes, self.key_bytes)
    }

    /// Number of keys between two multiples of the load alignment: one more than the longest edge.
    #[must_use]
    pub const fn line_keys(self) -> u64 {
        arith::div_floor(self.load_align_bytes, self.key_bytes)
    }

    /// Address of slot 0, given the address of the first byte of dynamic shared memory.
    #[must_use]
    pub const fn slots_base(self, smem_base: u64) -> u64 {
        arith::round_up(smem_base.saturating_add(self.fixed_bytes), self.slot_align_bytes())
    }

    /// The largest distance from the first byte of dynamic shared memory to slot 0, over every base that is a multiple
    /// of [`SMEM_BASE_ALIGN_BYTES`].
    #[must_use]
    pub const fn worst_case_slots_offset(self) -> u64 {
        let slot_align = self.slot_align_bytes();
        // Base and offset are multiples of `step`, so a pad to the next slot boundary is at most one step short of it.
        let step = arith::min(SMEM_BASE_ALIGN_BYTES, slot_align);
        arith::round_up(self.fixed_bytes, step).saturating_add(slot_align.saturating_sub(step))
    }

    /// The smallest budget that holds `slots` slots: the inverse of [`smem_block_tile_layout`].
    #[must_use]
    pub const fn bytes_for_slots(self, slots: u64) -> u64 {
        if slots == 0 {
            return self.fixed_bytes;
        }
        self.worst_case_slots_offset().saturating_add(slots.saturating_mul(self.chunk_bytes))
    }

    /// The smallest budget whose [`block_tile_capacity`](SmemBlockTileLayout::block_tile_capacity) is at least `keys`.
    #[must_use]
    pub const fn bytes_for_block_keys(self, keys: u64) -> u64 {
        self.bytes_for_slots(arith::div_ceil(keys, self.chunk_keys()))
    }

    /// The most chunks that a segment of `len` keys has, wherever it starts.
    ///
    /// That is when it starts on a multiple of the load alignment: any other start moves keys from the chunks to the
    /// head edge. The tail edge keeps keys off the chunks in any case.
    #[must_use]
    pub const fn worst_case_chunks(self, len: u64) -> u64 {
        let bulk = arith::round_down(len.saturating_mul(self.key_bytes), self.load_align_bytes);
        arith::div_ceil(bulk, self.chunk_bytes)
    }

    /// The most chunks that any block of a cluster of `width` blocks owns of a segment of `len` keys, wherever it starts,
    /// where one chunk is enough to join
    /// ([`max_chunks_per_rank`](crate::schedule::max_chunks_per_rank) has the general case).
    #[must_use]
    pub const fn worst_case_chunks_per_rank(self, len: u64, width: u64) -> u64 {
        arith::div_ceil(self.worst_case_chunks(len), arith::max(width, 1))
    }

    /// The smallest budget with which a segment of `len` keys stays resident in a cluster of `width` blocks, wherever it
    /// starts: the inverse of [`resident_capacity`](SmemBlockTileLayout::resident_capacity).
    #[must_use]
    pub const fn bytes_for_segment(self, len: u64, width: u64) -> u64 {
        self.bytes_for_slots(self.worst_case_chunks_per_rank(len, width))
    }
}

/// A budget of dynamic shared memory, cut into slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SmemBlockTileLayout {
    /// What was cut.
    pub geometry: TileGeometry,
    /// The budget.
    pub budget_bytes: u64,
    /// Number of slots: 0 where not even one chunk fits, and no launch is possible.
    pub slots: u64,
}

/// Cuts a per-block budget of dynamic shared memory into slots.
#[must_use]
pub const fn smem_block_tile_layout(budget_bytes: u64, geometry: TileGeometry) -> SmemBlockTileLayout {
    let for_slots = budget_bytes.saturating_sub(geometry.worst_case_slots_offset());
    SmemBlockTileLayout { geometry, budget_bytes, slots: arith::div_floor(for_slots, geometry.chunk_bytes) }
}

impl SmemBlockTileLayout {
    /// The same budget with at most `max_slots` slots in use.
    #[must_use]
    pub const fn capped(self, max_slots: Option<u32>) -> Self {
        match max_slots {
            Some(cap) => Self { slots: arith::min(self.slots, cap as u64), ..self },
            None => self,
        }
    }

    /// Keys that the slots of one block hold.
    #[must_use]
    pub const fn block_tile_capacity(self) -> u64 {
        self.slots.saturating_mul(self.geometry.chunk_keys())
    }

    /// The longest segment, in keys, that stays resident in a cluster of `width` blocks wherever it starts.
    ///
    /// The slots of the cluster, and one key less than a line, which the tail edge takes; a segment that starts inside a
    /// line could be longer.
    #[must_use]
    pub const fn resident_capacity(self, width: u64) -> u64 {
        let in_slots = self.block_tile_capacity().saturating_mul(arith::max(width, 1));
        in_slots.saturating_add(self.geometry.line_keys().saturating_sub(1))
    }
}
