//! The CPU engine: the whole contract, on worker threads.
//!
//! A call is resolved to segments ([`validate`](crate::validate)), the segments are shared between threads
//! ([`rows`]), and each is searched ([`select`]): one that is sorted already is recognised ([`monotone`]); else the k-th key is
//! bounded from below, by [`delegates`] for a small k and by a [`sample`] for a large one, and few keys are left to
//! select from. The engine is deterministic whatever the request says; weaker requirements save the final ordering.

mod delegates;
mod filter;
mod monotone;
mod ranks;
mod rows;
mod sample;
mod scratch;
mod select;

use crate::env::{Cpu, Spec};
use crate::error::Error;
use crate::key::{Key, Ranked};
use crate::memory::HostMemory;
use crate::plan::{CpuPlan, CpuStrategy, EnginePlan, Plan};
use crate::request::Call;
use crate::validate::HostShape;
pub(crate) use rows::run as select_rows;
pub(crate) use scratch::Pooled;

/// Fewer keys than this are not worth waking another thread for.
const MIN_KEYS_PER_TASK: u64 = 1 << 15;
/// A segment with fewer keys than this is never shared between threads.
const SPLIT_SEGMENT_KEYS: usize = 1 << 18;

/// Whether a segment is shared between threads: it is long, and more than one thread's part of the whole. Where there are
/// segments enough to go round, every thread does best with its own.
fn splits(len: usize, total_keys: u128, threads: usize) -> bool {
    len >= SPLIT_SEGMENT_KEYS && len as u128 * threads as u128 > total_keys
}

pub(crate) fn run<K: Key>(cpu: &Cpu, call: Call<'_, '_, K, HostMemory>, spec: &Spec) -> Result<(), Error> {
    let shape = HostShape::resolve(&call)?;
    run_checked(cpu, call, &shape, spec)
}

/// Runs a call that `shape` was resolved from.
pub(crate) fn run_checked<'i, K: Key>(
    cpu: &Cpu,
    call: Call<'i, '_, K, HostMemory>,
    shape: &HostShape<'i>,
    spec: &Spec,
) -> Result<(), Error> {
    if shape.output.elements == 0 {
        return Ok(());
    }
    // A call that one thread does alone is done by the caller's: handing it over costs more than a short one takes.
    let work = shape.total_keys.max(shape.num_segments as u128);
    let threads = if work >= MIN_KEYS_PER_TASK.into() { cpu.threads() } else { 1 };
    match cpu.pool() {
        Some(pool) if threads > 1 => pool.install(|| K::select_rows(call, shape, spec.contract, threads)),
        _ => K::select_rows(call, shape, spec.contract, threads),
    }
    Ok(())
}

pub(crate) fn plan<K: Key>(
    cpu: &Cpu,
    call: &Call<'_, '_, K, HostMemory>,
    spec: &Spec,
    reason: &str,
) -> Result<Plan, Error> {
    let shape = HostShape::resolve(call)?;
    let (size, k) = (shape.max_size as usize, shape.max_k as usize);
    let strategy = match delegates::group_size(size, k) {
        _ if shape.output.elements == 0 => CpuStrategy::Nothing,
        _ if k >= size => CpuStrategy::SelectAll,
        None => CpuStrategy::Direct,
        Some(group) => CpuStrategy::Delegates { group },
    };
    let engine = EnginePlan::Cpu(CpuPlan {
        threads: cpu.threads(),
        splits_segments: splits(size, shape.total_keys, cpu.threads()),
        strategy,
        scratch_bytes_per_worker: scratch_bytes::<K>(strategy, size, k),
    });
    Ok(Plan {
        contract: spec.contract,
        direction: call.direction,
        key_type: K::TYPE,
        num_segments: shape.num_segments as u64,
        max_segment_size: shape.max_size,
        max_k: shape.max_k,
        output_pitch: shape.output.pitch,
        engine,
        reason: reason.into(),
    })
}

/// An upper bound of the scratch memory that one segment takes.
fn scratch_bytes<K: Key>(strategy: CpuStrategy, size: usize, k: usize) -> u64 {
    let rank = size_of::<K::Ordered>() as u64;
    let packed = size_of::<<K::Ordered as Ranked>::Packed>() as u64;
    let (size, k) = (size as u64, k as u64);
    match strategy {
        CpuStrategy::Nothing => 0,
        CpuStrategy::SelectAll => size * packed,
        CpuStrategy::Direct => size * (rank + packed),
        CpuStrategy::Delegates { group } => {
            let delegates = delegates::Layout::of::<K::Ordered>(size as usize, group).count() as u64;
            // Fewer than k groups have a delegate above the k-th delegate, and at most k more are equal to it.
            let survivors = (2 * k * group as u64).min(size);
            2 * delegates * rank + survivors * packed
        }
    }
}
