use crate::arith;
use crate::layout::TileGeometry;

/// Consecutive keys of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyRange {
    /// Index of the first key in the segment.
    pub first: u32,
    /// Number of keys.
    pub len: u32,
}

impl KeyRange {
    /// No keys.
    pub const EMPTY: Self = Self { first: 0, len: 0 };

    /// Index after the last key.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.first.wrapping_add(self.len)
    }
}

/// A segment cut into head edge, chunks and tail edge. Lengths are in keys and add up to the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SegmentSplit {
    /// Keys before the first chunk; all keys where there is no line boundary in the segment.
    pub head_keys: u32,
    /// Keys in chunks.
    pub bulk_keys: u32,
    /// Keys after the last chunk.
    pub tail_keys: u32,
    /// Number of chunks: 0 where the segment holds no whole line.
    pub chunks: u32,
    /// Keys of every chunk but the last, which may be shorter.
    pub chunk_keys: u32,
}

impl SegmentSplit {
    /// The split for bulk copies. `start` is the address of the first key, or any number congruent to it modulo the load
    /// alignment, and a multiple of the key size; `len` is at most 2^31 − 1.
    #[must_use]
    pub const fn aligned(geometry: &TileGeometry, start: u64, len: u32) -> Self {
        let align = geometry.load_align_bytes;
        // All divisors are powers of two known when a kernel is compiled.
        let past_line = start.wrapping_sub(arith::round_down(start, align));
        let to_line = if past_line == 0 { 0 } else { align.saturating_sub(past_line) };
        let head_keys = arith::min(arith::div_ceil(to_line, geometry.key_bytes), len as u64) as u32;
        let rest = len.saturating_sub(head_keys) as u64;
        let bulk_bytes = arith::round_down(rest.saturating_mul(geometry.key_bytes), align);
        let bulk_keys = arith::div_floor(bulk_bytes, geometry.key_bytes) as u32;
        Self {
            head_keys,
            bulk_keys,
            tail_keys: (rest as u32).saturating_sub(bulk_keys),
            chunks: arith::div_ceil(bulk_bytes, geometry.chunk_bytes) as u32,
            chunk_keys: geometry.chunk_keys() as u32,
        }
    }

    /// The split for plain loads, key by key: no edges, whatever the alignment. For keys that are not adjacent.
    #[must_use]
    pub const fn generic(geometry: &TileGeometry, len: u32) -> Self {
        let chunk_keys = geometry.chunk_keys();
        Self {
            head_keys: 0,
            bulk_keys: len,
            tail_keys: 0,
            chunks: arith::div_ceil(len as u64, chunk_keys) as u32,
            chunk_keys: chunk_keys as u32,
        }
    }

    /// The keys of the head edge.
    #[must_use]
    pub const fn head(&self) -> KeyRange {
        KeyRange { first: 0, len: self.head_keys }
    }

    /// The keys of chunk `chunk`; none beyond the last chunk.
    #[must_use]
    pub const fn chunk(&self, chunk: u32) -> KeyRange {
        let before = chunk as u64 * self.chunk_keys as u64;
        let left = (self.bulk_keys as u64).saturating_sub(before);
        if left == 0 {
            return KeyRange::EMPTY;
        }
        // `before` is below `bulk_keys` here, hence both sums are within the segment.
        KeyRange {
            first: self.head_keys.wrapping_add(before as u32),
            len: arith::min(left, self.chunk_keys as u64) as u32,
        }
    }

    /// The keys of the tail edge.
    #[must_use]
    pub const fn tail(&self) -> KeyRange {
        KeyRange { first: self.head_keys.wrapping_add(self.bulk_keys), len: self.tail_keys }
    }
}
