//! What becomes of values in device memory that the host could not check.
//!
//! Sizes, offsets and k may be computed on the device just before the call. A kernel passes each through one of these
//! functions: whatever was there, the result addresses nothing outside the buffers. A wrong value gives a wrong answer
//! for its segment and no other.
//!
//! | value | becomes |
//! | --- | --- |
//! | a negative size or k | 0, whatever the declared bounds |
//! | a size or k outside its declared bounds | the nearest bound |
//! | a size that leaves the key buffer | what the buffer still holds |
//! | an offset outside the key buffer | the nearest end of the buffer |
//! | an end before its begin | an empty segment |
//! | a k above the size or the output pitch | the smaller of the two |
//!
//! The host engines apply the same functions, so that a wrong value gives the same answer on each.

use crate::arith;
use crate::params::KernelParams;
use crate::{MAX_SEGMENT_SIZE, params::ScalarSource, params::SegmentForm};

/// Where the keys of one segment lie: `len` keys from element `first`, [`stride`](Self::stride) elements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SegmentRange {
    /// Element of the first key in the key buffer. 0 where the segment is empty.
    pub first: u64,
    /// Distance between two keys, in elements.
    pub stride: u64,
    /// Number of keys: 0 to 2^31 − 1.
    pub len: u32,
}

impl SegmentRange {
    /// A segment without keys.
    pub const EMPTY: Self = Self { first: 0, stride: 1, len: 0 };

    /// The element of key `index`, which must be below [`len`](Self::len), in the key buffer.
    #[must_use]
    #[inline(always)]
    pub const fn element(self, index: u32) -> u64 {
        self.first.wrapping_add(self.stride.wrapping_mul(index as u64))
    }
}

/// `value` cut to the declared bounds of `source`; 0 for a negative value. At most 2^31 − 1 even where the bounds are not.
#[must_use]
pub const fn clamp_to_bounds(source: &ScalarSource, value: i64) -> u32 {
    if value < 0 {
        return 0;
    }
    let value = if value < source.lo { source.lo } else { value };
    let value = if value > source.hi { source.hi } else { value };
    if value < 0 {
        0
    } else if value as u64 > MAX_SEGMENT_SIZE {
        MAX_SEGMENT_SIZE as u32
    } else {
        value as u32
    }
}

/// How many keys lie in a buffer of `buffer_len` elements from element `first` on, `stride` elements apart.
///
/// A stride of 0, which no valid call has, counts as 1.
#[must_use]
pub const fn keys_from(buffer_len: u64, first: u64, stride: u64) -> u64 {
    let elements = buffer_len.saturating_sub(first);
    // The common case without a 64-bit division, which costs a GPU about a hundred instructions.
    if stride <= 1 { elements } else { arith::div_ceil(elements, stride) }
}

/// The keys of segment `segment` of a [`SegmentForm::Strided`] batch, given its size as read.
#[must_use]
pub const fn strided_segment(params: &KernelParams, segment: u64, size: i64) -> SegmentRange {
    let stride = arith::max(params.key_element_stride, 1);
    // Saturation keeps an absurd product outside the buffer.
    let first = segment.saturating_mul(params.segment_stride);
    let size = clamp_to_bounds(&params.size, size) as u64;
    range(first, stride, arith::min(size, keys_from(params.keys_len, first, stride)))
}

/// The keys of a segment of a [`SegmentForm::Offsets`] batch, given its two offsets as read.
#[must_use]
pub const fn offset_segment(params: &KernelParams, begin: i64, end: i64) -> SegmentRange {
    let stride = arith::max(params.key_element_stride, 1);
    let keys = keys_from(params.keys_len, 0, stride);
    let begin = arith::min(non_negative(begin), keys);
    let end = arith::min(non_negative(end), keys);
    let len = arith::min(end.saturating_sub(begin), clamp_to_bounds(&params.size, i64::MAX) as u64);
    // In range: `begin` is at most `keys`, and the last key lies inside the buffer.
    range(begin.wrapping_mul(stride), stride, len)
}

/// The keys of segment `segment`, given what was read for it: `size` for [`SegmentForm::Strided`], `begin` and `end` for
/// [`SegmentForm::Offsets`].
#[must_use]
pub const fn segment_range(
    params: &KernelParams,
    segment: u64,
    size: i64,
    begin: i64,
    end: i64,
) -> SegmentRange {
    match params.segment_form {
        SegmentForm::Strided => strided_segment(params, segment, size),
        SegmentForm::Offsets => offset_segment(params, begin, end),
    }
}

/// How many slots of an output row a segment owns, given its k as read: k within its bounds and the output pitch.
///
/// Of these, [`selected`] are written with keys; the rest are filled on request, else left alone.
#[must_use]
pub const fn row_slots(params: &KernelParams, k: i64) -> u32 {
    let k = clamp_to_bounds(&params.k, k);
    arith::min(k as u64, params.output_pitch) as u32
}

/// How many keys of a segment of `len` keys are selected into a row of `row_slots` slots.
#[must_use]
pub const fn selected(row_slots: u32, len: u32) -> u32 {
    if row_slots < len { row_slots } else { len }
}

const fn non_negative(value: i64) -> u64 {
    if value < 0 { 0 } else { value as u64 }
}

const fn range(first: u64, stride: u64, len: u64) -> SegmentRange {
    if len == 0 {
        SegmentRange::EMPTY
    } else {
        // Both callers cut `len` to a declared bound of at most 2^31 - 1.
        SegmentRange { first, stride, len: len as u32 }
    }
}
