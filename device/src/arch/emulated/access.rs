//! Which element types there are, and which of them atomic operations take.

use crate::arch::{Scalar, Vec16};
use cluster_topk_emulate::Op;
use cluster_topk_emulate::device::{self, Space};

/// An element type that can be loaded and stored in every space.
pub trait Access: Copy {}
/// An element type that atomic operations take.
pub trait Atomic: Access {}

impl Access for u8 {}
impl Access for u16 {}
impl Access for u32 {}
impl Access for u64 {}
impl Atomic for u32 {}
impl Atomic for u64 {}

/// Reports it if the 16 bytes that start at element `index` reach beyond the `len` elements that there are.
#[track_caller]
pub(super) fn check16<T: Scalar>(op: Op, index: u64, len: u64) {
    let last = index.saturating_add(T::PER_VEC16 as u64 - 1);
    if last >= len {
        device::index_out_of_bounds(op, last, len);
    }
}

#[track_caller]
pub(super) fn load16(space: Space, address: u64) -> Vec16 {
    vec16(device::load(space, address, 16))
}

pub(super) fn vec16(wide: u128) -> Vec16 {
    Vec16([0, 32, 64, 96].map(|shift| (wide >> shift) as u32))
}

#[track_caller]
pub(super) fn store16(space: Space, address: u64, Vec16(words): Vec16) {
    let wide = words.iter().rev().fold(0, |wide, word| wide << 32 | u128::from(*word));
    device::store(space, address, 16, wide);
}
