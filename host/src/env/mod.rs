//! The environment of a call: which engine runs it, under which requirement, for which architectures.

mod engine;
pub mod targets;

pub(crate) use engine::Spec;
pub use engine::{BestAvailable, Cpu, Engine};
pub use targets::{Architecture, DefaultTargets, TargetArchitectures};

use crate::gpu::Gpu;
use crate::requirement::{Contract, Requirements};
use cluster_topk_abi::arch::ComputeCapability;
use cluster_topk_abi::selector::{LibrarySelector, SelectorInput};
use core::marker::PhantomData;

pub use cluster_topk_abi::selector::BackendOverride;

/// A request that no backend can serve on one of the declared architectures does not compile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strict;
/// A request that no backend can serve is refused when it runs, by the device that cannot serve it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lenient;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Strict {}
    impl Sealed for super::Lenient {}
}

/// [`Strict`] or [`Lenient`].
pub trait Strictness: sealed::Sealed {
    /// Whether the check happens at compile time.
    const STRICT: bool;
}
impl Strictness for Strict {
    const STRICT: bool = true;
}
impl Strictness for Lenient {
    const STRICT: bool = false;
}

/// Where and how a request runs.
///
/// Built in the order in which the decisions are made: the engine, then the requirement, then (for GPUs) the
/// architectures, then overrides.
///
/// ```
/// use cluster_topk::prelude::*;
///
/// let strongest = Env::cpu(); // the same items in the same places, on every engine, every time
/// let fastest = Env::cpu().require((NotGuaranteed, Unspecified, Unsorted));
/// let reproducible_set = Env::cpu().require((RunToRun, Unspecified, Unsorted));
/// # let _ = (strongest, fastest, reproducible_set);
/// ```
///
/// An environment is cheap to clone and may be shared between threads.
#[derive(Debug)]
pub struct Env<E = BestAvailable, R = (), A = DefaultTargets, S = Strict> {
    pub(crate) engine: E,
    pub(crate) backend: BackendOverride,
    requirement: PhantomData<(R, A, S)>,
}

impl<E: Clone, R, A, S> Clone for Env<E, R, A, S> {
    fn clone(&self) -> Self {
        Self { engine: self.engine.clone(), backend: self.backend, requirement: PhantomData }
    }
}

impl Env<Cpu> {
    /// The CPU engine on rayon's global thread pool, under the default contract.
    #[must_use]
    pub fn cpu() -> Self {
        Self::new(Cpu::new())
    }
}

impl Env<Gpu> {
    /// The GPU engine, under the default contract.
    #[must_use]
    pub const fn gpu(gpu: Gpu) -> Self {
        Self::new(gpu)
    }
}

impl Env<BestAvailable> {
    /// The GPU where there is one that this build can use, the CPU engine otherwise, under the default contract.
    ///
    /// Takes buffers in host memory either way; a [plan](crate::Request::plan) says which one was chosen and why.
    #[must_use]
    pub fn best_available() -> Self {
        Self::new(BestAvailable::detect())
    }
}

impl<E> Env<E> {
    /// `engine`, under the default contract: (`GpuToGpu`, `PreferSmallerIndex`, `StableSorted`).
    #[must_use]
    pub const fn new(engine: E) -> Self {
        Self { engine, backend: BackendOverride::Automatic, requirement: PhantomData }
    }
}

impl<E, R, A, S> Env<E, R, A, S> {
    /// Replaces the requirement: a tuple of tokens from [`requirement`](crate::requirement), in any order.
    ///
    /// A determinism level and a tie-break are named together or not at all; what is left out takes its default.
    ///
    /// ```
    /// use cluster_topk::prelude::*;
    /// let env = Env::cpu().require((PreferLargerIndex, Sorted, GpuToGpu));
    /// # let _ = env;
    /// ```
    #[must_use]
    pub fn require<Q: Requirements>(self, requirement: Q) -> Env<E, Q, A, S> {
        let _meaning_is_in_the_type = requirement;
        self.retyped()
    }

    /// Declares the architectures that the program must serve, as tokens of [`targets`]; by default sm_90 and newer.
    ///
    /// In a strict environment a request that no backend serves on one of them does not compile. Matters to engines that
    /// use a GPU.
    #[must_use]
    pub fn targets<B: TargetArchitectures>(self, architectures: B) -> Env<E, R, B, S> {
        let _list_is_in_the_type = architectures;
        self.retyped()
    }

    /// Defers the check of the architectures to the call, where it is
    /// [`UnsupportedArchitecture`](crate::Error::UnsupportedArchitecture).
    #[must_use]
    pub fn lenient(self) -> Env<E, R, A, Lenient> {
        self.retyped()
    }

    /// Overrides the selector's choice of a GPU backend.
    ///
    /// A forced backend that cannot serve the request is an error, never replaced by another.
    #[must_use]
    pub fn backend(mut self, choice: BackendOverride) -> Self {
        self.backend = choice;
        self
    }

    /// The engine.
    #[must_use]
    pub const fn engine(&self) -> &E {
        &self.engine
    }

    fn retyped<R2, A2, S2>(self) -> Env<E, R2, A2, S2> {
        Env { engine: self.engine, backend: self.backend, requirement: PhantomData }
    }
}

/// Whether some backend serves the request on every one of the architectures.
pub(crate) const fn served_everywhere(
    architectures: &[ComputeCapability],
    static_max_segment_size: i64,
    contract: Contract,
) -> bool {
    let input = SelectorInput {
        max_segment_size: static_max_segment_size as u64,
        deterministic: contract.needs_deterministic_set(),
        sorted: contract.is_sorted(),
        backend: BackendOverride::Automatic,
    };
    LibrarySelector::select_all(architectures, input).is_ok()
}
