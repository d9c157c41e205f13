//! Segmented top-k: the `k` largest or smallest keys of many independent segments, with values or indices, under a
//! determinism, tie-break and ordering contract that the type system checks.
//!
//! ```
//! use cluster_topk::prelude::*;
//!
//! // Two rows of four scores; the best two of each, and where they are.
//! let scores = [0.1f32, 0.9, 0.4, 0.9, 0.7, 0.2, 0.8, 0.3];
//! let (mut best, mut place) = ([0.0; 4], [0u32; 4]);
//! max_keys_and_indices(Segments::rows(&scores, 2, 4), 2, &mut best, &mut place).run(&Env::cpu())?;
//!
//! assert_eq!(best, [0.9, 0.9, 0.8, 0.7]);
//! assert_eq!(place, [1, 3, 2, 0]); // equal scores by smaller index: the default contract pins them
//! # Ok::<(), cluster_topk::Error>(())
//! ```
//!
//! # The parts of a request
//!
//! | decision | where |
//! | --- | --- |
//! | largest or smallest; keys, pairs, indices | the [entry points](#functions) |
//! | where the segments are | [`Segments`] |
//! | how many items, how long a segment: constant, immediate, deferred | [`args`] |
//! | which items, in what order | [`requirement`], explained in the [manual](manual::requirements) |
//! | which engine, which architectures | [`Env`] |
//! | what would run, and why | [`Request::plan`], [`Plan`] |
//! | what can go wrong | [`Error`] |
#![deny(unsafe_code)]

pub mod args;
mod cpu;
mod entry;
pub mod env;
mod error;
pub mod gpu;
mod key;
pub mod manual;
pub mod memory;
mod payload;
pub mod plan;
pub mod request;
pub mod requirement;
pub mod segments;
mod validate;

pub use cudarc;
pub use entry::{
    max_indices, max_keys, max_keys_and_indices, max_pairs, min_indices, min_keys, min_keys_and_indices,
    min_pairs,
};
pub use env::Env;
pub use error::{ArgumentName, BufferName, Error};
pub use gpu::Gpu;
pub use half;
pub use key::{Direction, Key, KeyType};
pub use payload::{Index, Payload};
pub use plan::Plan;
pub use request::Request;
pub use segments::Segments;

/// Everything a call needs, for `use cluster_topk::prelude::*`.
pub mod prelude {
    pub use crate::args::{Constant, Deferred, DeferredSequence, Immediate, constant};
    pub use crate::entry::{
        max_indices, max_keys, max_keys_and_indices, max_pairs, min_indices, min_keys, min_keys_and_indices,
        min_pairs,
    };
    pub use crate::env::Env;
    pub use crate::requirement::{
        GpuToGpu, NotGuaranteed, PreferLargerIndex, PreferSmallerIndex, RunToRun, Sorted, StableSorted,
        Unsorted, Unspecified,
    };
    pub use crate::segments::Segments;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
