//! The kernel parameter block: one call, as a kernel receives it.
//!
//! Every kernel takes one [`KernelParams`] by value; the order kernel takes it as a part of [`OrderParams`]. It holds no array that a kernel indexes at run time, since such an
//! array is copied to local memory; and it holds device addresses as plain integers, since neither side may dereference
//! the other's pointers.
//!
//! # Where a key lies
//!
//! With `stride = key_element_stride`, key `i` of segment `s` is element
//!
//! ```text
//! s * segment_stride + i * stride       SegmentForm::Strided
//! (offsets[s] + i) * stride             SegmentForm::Offsets
//! ```
//!
//! of the key buffer, and a payload lies at the same element of the value buffer. A batch of fixed-length rows is
//! `Strided` with an immediate size, a padded batch is `Strided` with a sequence of sizes, a ragged batch is `Offsets`.
//!
//! Item `j` of segment `s` is written to element `s * output_pitch + j` of each output.

mod flags;
mod order;
mod scalar;
mod value;

pub use flags::Flags;
pub use order::OrderParams;
pub use scalar::{ScalarForm, ScalarSource, ScalarType};
use static_assertions::{assert_impl_all, const_assert, const_assert_eq};
pub use value::{MAX_PAYLOAD_BYTES, ValueKind};

use crate::key_order::{Direction, KeyMasks, KeyType};
use crate::requirement::Contract;

/// How segments are laid out in the key buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SegmentForm {
    /// Rows at a fixed stride; each holds as many keys as [`KernelParams::size`] says.
    Strided = 0,
    /// Rows one after another; segment `s` holds keys `offsets[s]` to `offsets[s + 1]`, cut to the upper bound of
    /// [`KernelParams::size`].
    Offsets = 1,
}

/// One call, as a kernel receives it. 296 bytes, aligned to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct KernelParams {
    /// Device address of the keys, aligned to the key width.
    pub keys_in: u64,
    /// Device address of the payloads, aligned to their type; 0 unless [`value_kind`](Self::value_kind) is `Payload`.
    pub values_in: u64,
    /// Device address of the selected keys, aligned to the key width; 0 without [`Flags::WRITE_KEYS`].
    pub keys_out: u64,
    /// Device address of the payloads or indices of the selected keys, aligned to their type; 0 for
    /// [`ValueKind::None`].
    pub values_out: u64,

    /// Distance between the output rows of two segments, in elements of each output: at least the largest k. Nothing is
    /// written beyond it.
    pub output_pitch: u64,
    /// Elements of the key buffer that may be read; where payloads are read, at most the length of their buffer too.
    pub keys_len: u64,
    /// Distance between the first keys of two segments, in elements of the key buffer; unused for
    /// [`SegmentForm::Offsets`].
    pub segment_stride: u64,
    /// Distance between two keys of a segment, in elements of the key buffer: at least 1. Bulk copies need exactly 1.
    pub key_element_stride: u64,

    /// Bits of the key that fills unused slots, in the low bits; with [`Flags::FILL`].
    pub fill_key: u64,
    /// Bytes 0 to 7, little-endian, of the payload that fills unused slots; with [`Flags::FILL`].
    pub fill_value_lo: u64,
    /// Bytes 8 to 15, little-endian, of that payload.
    pub fill_value_hi: u64,
    /// The index that fills unused slots, cut to the index type; with [`Flags::FILL`].
    pub fill_index: i64,

    /// The order-preserving map of the key type, in the low bits.
    pub key_masks: KeyMasks<u64>,

    /// Number of keys per segment. For [`SegmentForm::Offsets`] only its bounds are used.
    pub size: ScalarSource,
    /// Number of items to select per segment.
    pub k: ScalarSource,
    /// Offsets, in keys, non-decreasing: a sequence of `num_segments + 1` elements; unused (an immediate 0) for
    /// [`SegmentForm::Strided`].
    pub offsets: ScalarSource,

    /// Number of segments: at most 2^31 − 1 over the cluster width.
    pub num_segments: u32,
    /// The yes-or-no part of the request.
    pub flags: Flags,
    /// Chunk slots of one block that the launch's shared memory holds (see [`layout`](crate::layout)); cluster backend
    /// only.
    pub slots: u32,
    /// Segments up to this many keys take the single-block path where they fit it; cluster backend only.
    pub single_block_max_seg_size: u32,
    /// Chunks that a block must own to join the effective cluster, at least 1; cluster backend only.
    pub min_chunks_per_block: u32,

    /// Width of one payload in bytes, 1 to 16; 0 unless [`value_kind`](Self::value_kind) is `Payload`.
    pub payload_bytes: u8,
    /// What is written beside each key.
    pub value_kind: ValueKind,
    /// How segments are laid out.
    pub segment_form: SegmentForm,
    /// The type of the keys. Kernels go by [`key_masks`](Self::key_masks); this is for reports.
    pub key_type: KeyType,
    /// Items of a segment that the launch's shared memory behind the slots holds while the cluster kernel sorts them (see
    /// [`OrderMemory`](crate::policy::OrderMemory)); 0 where it does not sort.
    pub order_items: u32,
}

impl KernelParams {
    /// A call over no segments: everything unset but what follows from the arguments. Start from it and fill in the rest.
    #[must_use]
    pub const fn empty(key_type: KeyType, direction: Direction, contract: Contract) -> Self {
        Self {
            keys_in: 0,
            values_in: 0,
            keys_out: 0,
            values_out: 0,
            output_pitch: 0,
            keys_len: 0,
            segment_stride: 0,
            key_element_stride: 1,
            fill_key: 0,
            fill_value_lo: 0,
            fill_value_hi: 0,
            fill_index: 0,
            key_masks: key_type.masks(),
            size: ScalarSource::immediate(0),
            k: ScalarSource::immediate(0),
            offsets: ScalarSource::immediate(0),
            num_segments: 0,
            flags: Flags::of(contract, direction),
            slots: 0,
            single_block_max_seg_size: 0,
            min_chunks_per_block: 1,
            payload_bytes: 0,
            value_kind: ValueKind::None,
            segment_form: SegmentForm::Strided,
            key_type,
            order_items: 0,
        }
    }
}

// The layout is part of the contract between two compilations for two targets: pin it.
assert_impl_all!(KernelParams: Copy, Send, Sync);
const_assert_eq!(size_of::<KernelParams>(), 296);
const_assert_eq!(align_of::<KernelParams>(), 8);
// Parameters of a kernel share 4 KiB.
const_assert!(size_of::<KernelParams>() <= 4096);

macro_rules! assert_offsets {
    ($($field:ident: $offset:literal),* $(,)?) => {
        $(const_assert_eq!(core::mem::offset_of!(KernelParams, $field), $offset);)*
        // Names every field: a new one does not compile until its offset is pinned above.
        const _: fn(KernelParams) = |KernelParams { $($field: _),* }| ();
    };
}

assert_offsets! {
    keys_in: 0,
    values_in: 8,
    keys_out: 16,
    values_out: 24,
    output_pitch: 32,
    keys_len: 40,
    segment_stride: 48,
    key_element_stride: 56,
    fill_key: 64,
    fill_value_lo: 72,
    fill_value_hi: 80,
    fill_index: 88,
    key_masks: 96,
    size: 120,
    k: 168,
    offsets: 216,
    num_segments: 264,
    flags: 268,
    slots: 272,
    single_block_max_seg_size: 276,
    min_chunks_per_block: 280,
    payload_bytes: 284,
    value_kind: 285,
    segment_form: 286,
    key_type: 287,
    order_items: 288,
}
