//! From a requirement as plain data to the tuple of tokens.

use crate::request::{Order, Pair, Requirement};
use cluster_topk::args::Argument;
use cluster_topk::env::{Engine, Env};
use cluster_topk::memory::HostMemory;
use cluster_topk::prelude::*;
use cluster_topk::{Error, Key, Request};

macro_rules! run_under {
    ($request:ident, $env:ident, $requirement:expr; $($pair:pat, $order:pat => $tokens:expr;)*) => {
        match ($requirement.pair, $requirement.order) {
            $(($pair, $order) => $request.run(&$env.clone().require($tokens)),)*
            #[allow(unreachable_patterns, reason = "the short list needs it, the long one does not")]
            other => panic!("there is no instance of {other:?}"),
        }
    };
}

/// Runs under any of the 24 spellings, the tokens in changing order.
pub(super) fn any<'a, K: Key, S: Argument<'a, HostMemory>, O, E: Engine<HostMemory> + Clone>(
    request: Request<'a, 'a, K, HostMemory, S, O>,
    env: &Env<E>,
    requirement: Requirement,
) -> Result<(), Error> {
    use {Order as Ord, Pair as P};
    run_under! { request, env, requirement;
        None, None => ();
        None, Some(Ord::Unsorted) => Unsorted;
        None, Some(Ord::Sorted) => (Sorted,);
        None, Some(Ord::StableSorted) => (StableSorted,);
        Some(P::NotGuaranteed), None => (NotGuaranteed, Unspecified);
        Some(P::NotGuaranteed), Some(Ord::Unsorted) => (NotGuaranteed, Unspecified, Unsorted);
        Some(P::NotGuaranteed), Some(Ord::Sorted) => (Sorted, NotGuaranteed, Unspecified);
        Some(P::NotGuaranteed), Some(Ord::StableSorted) => (Unspecified, StableSorted, NotGuaranteed);
        Some(P::RunToRun), None => (Unspecified, RunToRun);
        Some(P::RunToRun), Some(Ord::Unsorted) => (Unsorted, RunToRun, Unspecified);
        Some(P::RunToRun), Some(Ord::Sorted) => (RunToRun, Unspecified, Sorted);
        Some(P::RunToRun), Some(Ord::StableSorted) => (Unspecified, RunToRun, StableSorted);
        Some(P::GpuToGpu), None => (GpuToGpu, Unspecified);
        Some(P::GpuToGpu), Some(Ord::Unsorted) => (Unspecified, Unsorted, GpuToGpu);
        Some(P::GpuToGpu), Some(Ord::Sorted) => (GpuToGpu, Sorted, Unspecified);
        Some(P::GpuToGpu), Some(Ord::StableSorted) => (StableSorted, GpuToGpu, Unspecified);
        Some(P::Smaller), None => (PreferSmallerIndex, GpuToGpu);
        Some(P::Smaller), Some(Ord::Unsorted) => (GpuToGpu, PreferSmallerIndex, Unsorted);
        Some(P::Smaller), Some(Ord::Sorted) => (PreferSmallerIndex, Sorted, GpuToGpu);
        Some(P::Smaller), Some(Ord::StableSorted) => (StableSorted, PreferSmallerIndex, GpuToGpu);
        Some(P::Larger), None => (GpuToGpu, PreferLargerIndex);
        Some(P::Larger), Some(Ord::Unsorted) => (PreferLargerIndex, GpuToGpu, Unsorted);
        Some(P::Larger), Some(Ord::Sorted) => (Sorted, PreferLargerIndex, GpuToGpu);
        Some(P::Larger), Some(Ord::StableSorted) => (GpuToGpu, StableSorted, PreferLargerIndex);
    }
}

macro_rules! few {
    ($(#[$doc:meta])* $name:ident: $($tokens:tt)*) => {
        $(#[$doc])*
        pub(super) fn $name<'a, K: Key, S: Argument<'a, HostMemory>, O, E: Engine<HostMemory> + Clone>(
            request: Request<'a, 'a, K, HostMemory, S, O>,
            env: &Env<E>,
            requirement: Requirement,
        ) -> Result<(), Error> {
            use {Order as Ord, Pair as P};
            run_under! { request, env, requirement; $($tokens)* }
        }
    };
}
few! {
    /// Runs under one of [`ROWS_REQUIREMENTS`](crate::request::ROWS_REQUIREMENTS).
    rows:
    None, None => ();
    Some(P::Larger), Some(Ord::Unsorted) => (PreferLargerIndex, GpuToGpu, Unsorted);
    Some(P::RunToRun), Some(Ord::Sorted) => (RunToRun, Unspecified, Sorted);
    Some(P::NotGuaranteed), Some(Ord::Unsorted) => (NotGuaranteed, Unspecified, Unsorted);
    Some(P::Larger), Some(Ord::StableSorted) => (GpuToGpu, StableSorted, PreferLargerIndex);
}
few! {
    /// Runs under one of [`ARGUMENT_REQUIREMENTS`](crate::request::ARGUMENT_REQUIREMENTS).
    arguments:
    None, None => ();
    Some(P::Larger), Some(Ord::Unsorted) => (PreferLargerIndex, GpuToGpu, Unsorted);
}
