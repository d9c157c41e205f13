//! What the host library and the device kernels must agree on, and nothing else.
//!
//! Everything here is plain data and pure functions over it, `const` wherever the language allows. The same source is
//! compiled for the host and for NVPTX, so that a launch planned on one side is read the same way on the other.
//!
//! | question | module |
//! | --- | --- |
//! | which request is this, and is it legal | [`requirement`] |
//! | which key comes before which | [`key_order`] |
//! | which bits of a key does a radix pass look at | [`digits`] |
//! | how many keys fit in shared memory | [`layout`] |
//! | which thread block works on which keys | [`schedule`] |
//! | what is tunable, and within what limits | [`policy`] |
//! | what can this GPU do | [`arch`] |
//! | which backend serves this request | [`selector`] |
//! | how wide is a cluster, with how much shared memory | [`plan`] |
//! | what does a kernel receive | [`params`] |
//! | what if a value in device memory is wrong | [`clamp`] |
//!
//! # Two kinds of function
//!
//! Functions that a kernel calls with run-time values are *total*: they index nothing, divide by nothing that could be
//! zero and saturate where a product could leave 64 bits, so that no panic path reaches the device code. The few
//! constructors that do assert are meant for `const` items; each says so under `# Panics`.
//!
//! Sizes are in keys or in bytes, as each name says; byte counts are 64-bit throughout, because 2^31 − 1 keys of eight
//! bytes need 34 bits.
#![no_std]
#![forbid(unsafe_code)]

pub mod arch;
mod arith;
pub mod clamp;
pub mod digits;
pub mod key_order;
pub mod layout;
pub mod params;
pub mod plan;
pub mod policy;
pub mod requirement;
pub mod schedule;
pub mod selector;

/// The longest segment that any backend takes: 2^31 − 1 keys, the largest index that fits an `i32`.
pub const MAX_SEGMENT_SIZE: u64 = (1 << 31) - 1;

/// The most thread blocks that a grid may have along its first axis: 2^31 − 1.
///
/// With one cluster per segment, a launch of width `w` serves at most `MAX_GRID_BLOCKS / w` segments.
pub const MAX_GRID_BLOCKS: u64 = (1 << 31) - 1;
