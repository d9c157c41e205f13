//! The entry points: largest or smallest, and what is written of each item.
//!
//! Each returns a [`Request`]; `.run(&env)` runs it, `.plan(&env)` tells what would run.

use crate::args::KArg;
use crate::key::Direction;
use crate::memory::{Input, Output};
use crate::payload::{Index, Payload};
use crate::request::{self, Indices, Keys, KeysAndIndices, Pairs, Request};
use crate::segments::IntoSegments;

/// Selects the `k` largest keys of each segment.
///
/// Row `i` of an output starts at element `i × pitch`; the pitch is the upper bound of `k` unless
/// [`output_pitch`](Request::output_pitch) says otherwise. Exactly min(`k`, length) items are written per segment.
///
/// ```
/// use cluster_topk::prelude::*;
/// let mut out = [0; 2];
/// max_keys(&[3, 1, 4, 1, 5], 2, &mut out).run(&Env::cpu())?;
/// assert_eq!(out, [5, 4]);
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub fn max_keys<'i, 'o, G: IntoSegments<'i>>(
    segments: G,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
) -> Request<'i, 'o, G::Key, G::Memory, G::Bound, Keys> {
    request::keys(Direction::Largest, segments, k, keys_out)
}

/// Selects the `k` largest keys of each segment, with the values that travel with them.
///
/// Row `i` of an output starts at element `i × pitch`; the pitch is the upper bound of `k` unless
/// [`output_pitch`](Request::output_pitch) says otherwise. Exactly min(`k`, length) items are written per segment.
///
/// `values` is laid out as the keys are: the value of a key lies at the same element of its buffer. For the index itself use
/// [`max_keys_and_indices`], which reads no value buffer.
///
/// ```
/// use cluster_topk::prelude::*;
/// let (keys, values) = ([0.5, 0.25, 0.75], [10u64, 20, 30]);
/// let (mut best, mut theirs) = ([0.0; 2], [0; 2]);
/// max_pairs(&keys, &values, 2, &mut best, &mut theirs).run(&Env::cpu())?;
/// assert_eq!((best, theirs), ([0.75, 0.5], [30, 10]));
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub fn max_pairs<'i, 'o, G: IntoSegments<'i>, V: Payload>(
    segments: G,
    values: impl Input<'i, Elem = V, Memory = G::Memory>,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
    values_out: impl Output<'o, Elem = V, Memory = G::Memory>,
) -> Request<'i, 'o, G::Key, G::Memory, G::Bound, Pairs<V>> {
    request::pairs(Direction::Largest, segments, values, k, keys_out, values_out)
}

/// Selects the indices of the `k` largest keys of each segment, counted from the start of their segment.
///
/// Row `i` of an output starts at element `i × pitch`; the pitch is the upper bound of `k` unless
/// [`output_pitch`](Request::output_pitch) says otherwise. Exactly min(`k`, length) items are written per segment.
///
/// ```
/// use cluster_topk::prelude::*;
/// let mut out = [0u32; 2];
/// max_indices(&[3, 1, 4, 1, 5], 2, &mut out).run(&Env::cpu())?;
/// assert_eq!(out, [4, 2]);
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub fn max_indices<'i, 'o, G: IntoSegments<'i>, I: Index>(
    segments: G,
    k: impl KArg<'i, G::Memory>,
    indices_out: impl Output<'o, Elem = I, Memory = G::Memory>,
) -> Request<'i, 'o, G::Key, G::Memory, G::Bound, Indices<I>> {
    request::indices(Direction::Largest, segments, k, indices_out)
}

/// Selects the `k` largest keys of each segment and their indices, counted from the start of their segment.
///
/// Row `i` of an output starts at element `i × pitch`; the pitch is the upper bound of `k` unless
/// [`output_pitch`](Request::output_pitch) says otherwise. Exactly min(`k`, length) items are written per segment.
///
/// ```
/// use cluster_topk::prelude::*;
/// let (mut keys, mut indices) = ([0; 2], [0i64; 2]);
/// max_keys_and_indices(&[3, 1, 4, 1, 5], 2, &mut keys, &mut indices).run(&Env::cpu())?;
/// assert_eq!((keys, indices), ([5, 4], [4, 2]));
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub fn max_keys_and_indices<'i, 'o, G: IntoSegments<'i>, I: Index>(
    segments: G,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
    indices_out: impl Output<'o, Elem = I, Memory = G::Memory>,
) -> Request<'i, 'o, G::Key, G::Memory, G::Bound, KeysAndIndices<I>> {
    request::keys_and_indices(Direction::Largest, segments, k, keys_out, indices_out)
}

/// Selects the `k` smallest keys of each segment.
///
/// Row `i` of an output starts at element `i × pitch`; the pitch is the upper bound of `k` unless
/// [`output_pitch`](Request::output_pitch) says otherwise. Exactly min(`k`, length) items are written per segment.
///
/// ```
/// use cluster_topk::prelude::*;
/// let mut out = [0; 2];
/// min_keys(&[3, 1, 4, 1, 5], 2, &mut out).run(&Env::cpu())?;
/// assert_eq!(out, [1, 1]);
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub fn min_keys<'i, 'o, G: IntoSegments<'i>>(
    segments: G,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
) -> Request<'i, 'o, G::Key, G::Memory, G::Bound, Keys> {
    request::keys(Direction::Smallest, segments, k, keys_out)
}

/// Selects the `k` smallest keys of each segment, with the values that travel with them.
///
/// Row `i` of an output starts at element `i × pitch`; the pitch is the upper bound of `k` unless
/// [`output_pitch`](Request::output_pitch) says otherwise. Exactly min(`k`, length) items are written per segment.
///
/// `values` is laid out as the keys are: the value of a key lies at the same element of its buffer. For the index itself use
/// [`min_keys_and_indices`], which reads no value buffer.
///
/// ```
/// use cluster_topk::prelude::*;
/// let (keys, values) = ([0.5, 0.25, 0.75], [10u64, 20, 30]);
/// let (mut best, mut theirs) = ([0.0; 2], [0; 2]);
/// min_pairs(&keys, &values, 2, &mut best, &mut theirs).run(&Env::cpu())?;
/// assert_eq!((best, theirs), ([0.25, 0.5], [20, 10]));
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub fn min_pairs<'i, 'o, G: IntoSegments<'i>, V: Payload>(
    segments: G,
    values: impl Input<'i, Elem = V, Memory = G::Memory>,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
    values_out: impl Output<'o, Elem = V, Memory = G::Memory>,
) -> Request<'i, 'o, G::Key, G::Memory, G::Bound, Pairs<V>> {
    request::pairs(Direction::Smallest, segments, values, k, keys_out, values_out)
}

/// Selects the indices of the `k` smallest keys of each segment, counted from the start of their segment.
///
/// Row `i` of an output starts at element `i × pitch`; the pitch is the upper bound of `k` unless
/// [`output_pitch`](Request::output_pitch) says otherwise. Exactly min(`k`, length) items are written per segment.
///
/// ```
/// use cluster_topk::prelude::*;
/// let mut out = [0u32; 2];
/// min_indices(&[3, 1, 4, 1, 5], 2, &mut out).run(&Env::cpu())?;
/// assert_eq!(out, [1, 3]);
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub fn min_indices<'i, 'o, G: IntoSegments<'i>, I: Index>(
    segments: G,
    k: impl KArg<'i, G::Memory>,
    indices_out: impl Output<'o, Elem = I, Memory = G::Memory>,
) -> Request<'i, 'o, G::Key, G::Memory, G::Bound, Indices<I>> {
    request::indices(Direction::Smallest, segments, k, indices_out)
}

/// Selects the `k` smallest keys of each segment and their indices, counted from the start of their segment.
///
/// Row `i` of an output starts at element `i × pitch`; the pitch is the upper bound of `k` unless
/// [`output_pitch`](Request::output_pitch) says otherwise. Exactly min(`k`, length) items are written per segment.
///
/// ```
/// use cluster_topk::prelude::*;
/// let (mut keys, mut indices) = ([0; 2], [0i64; 2]);
/// min_keys_and_indices(&[3, 1, 4, 1, 5], 2, &mut keys, &mut indices).run(&Env::cpu())?;
/// assert_eq!((keys, indices), ([1, 1], [1, 3]));
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub fn min_keys_and_indices<'i, 'o, G: IntoSegments<'i>, I: Index>(
    segments: G,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
    indices_out: impl Output<'o, Elem = I, Memory = G::Memory>,
) -> Request<'i, 'o, G::Key, G::Memory, G::Bound, KeysAndIndices<I>> {
    request::keys_and_indices(Direction::Smallest, segments, k, keys_out, indices_out)
}
