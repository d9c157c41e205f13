//! Which backend serves a request on a given GPU.
//!
//! A selector is a pure, named function of few facts, so that a second one, with crossovers measured here, can stand
//! beside the first and be compared with it.
//!
//! Everything is `const fn`: a library that declares the architectures it serves checks a request against the whole list
//! in a `const` item, and what cannot be served does not compile.

use core::fmt;

use crate::MAX_SEGMENT_SIZE;
use crate::arch::ComputeCapability;
use crate::policy::BASELINE_LADDER;

// Four limits that are easily taken for one another. None follows from another one.

/// Coverage of the baseline, in keys: the largest tile of its ladder. Longer segments need the cluster backend, hence
/// compute capability 9.0.
pub const BASELINE_MAX_SEGMENT_SIZE: u64 = BASELINE_LADDER[0].capacity();

/// Crossover, in keys: from this static maximum on, the cluster backend is faster than the baseline where
/// [`CLUSTER_BENEFICIAL_MIN_CC`] holds too. It steers which backend runs, never whether one can.
pub const CLUSTER_BENEFICIAL_MIN_SEGMENT_SIZE: u64 = 8192;

/// The default of [`single_block_max_seg_size`](crate::policy::ClusterPolicy::single_block_max_seg_size), in keys: up to
/// it, a cluster of one block is preferred. Equal to the crossover by coincidence; a tunable of the cluster policy.
pub const SINGLE_BLOCK_MAX_SEGMENT_SIZE: u64 =
    crate::policy::ClusterPolicy::DEFAULT.single_block_max_seg_size as u64;

/// The hard limit of the interface, in keys: no backend takes longer segments.
pub const HARD_MAX_SEGMENT_SIZE: u64 = MAX_SEGMENT_SIZE;

/// The first compute capability on which the crossover counts: 10.0.
pub const CLUSTER_BENEFICIAL_MIN_CC: ComputeCapability = ComputeCapability::new(10, 0);

/// The two ways to run a request on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// A warp or a thread block per segment, keys in registers. Any GPU; segments that a block holds.
    Baseline,
    /// One thread-block cluster per segment. Compute capability 9.0 and newer; segments of any length.
    Cluster,
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Baseline => "baseline",
            Self::Cluster => "cluster",
        })
    }
}

/// A backend chosen by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum BackendOverride {
    /// The selector chooses.
    #[default]
    Automatic,
    /// The baseline or nothing.
    ForceBaseline,
    /// The cluster backend or nothing.
    ForceCluster,
}

/// Why no backend serves a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unsupported {
    /// The static maximum is above [`HARD_MAX_SEGMENT_SIZE`].
    SegmentTooLong {
        /// The static maximum, in keys.
        max_segment_size: u64,
    },
    /// A reproducible set needs the cluster backend, and this GPU has no clusters.
    DeterminismNeedsClusters {
        /// The GPU.
        cc: ComputeCapability,
    },
    /// Segments longer than the baseline covers need the cluster backend, and this GPU has no clusters.
    LengthNeedsClusters {
        /// The GPU.
        cc: ComputeCapability,
        /// The static maximum, in keys.
        max_segment_size: u64,
    },
    /// The baseline was forced, and cannot promise a reproducible set.
    BaselineIsNotDeterministic,
    /// The baseline was forced, and does not cover segments of this length.
    BaselineTooSmall {
        /// The static maximum, in keys.
        max_segment_size: u64,
    },
    /// The cluster backend was forced, and this GPU has no clusters.
    ForcedClusterNeedsClusters {
        /// The GPU.
        cc: ComputeCapability,
    },
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const FIRST: ComputeCapability = ComputeCapability::FIRST_WITH_CLUSTERS;
        match *self {
            Self::SegmentTooLong { max_segment_size } => write!(
                f,
                "segments of up to {max_segment_size} keys: no backend takes more than {HARD_MAX_SEGMENT_SIZE}"
            ),
            Self::DeterminismNeedsClusters { cc } => write!(
                f,
                "a reproducible set needs the cluster backend, which needs compute capability {FIRST}; this is {cc}"
            ),
            Self::LengthNeedsClusters { cc, max_segment_size } => write!(
                f,
                "segments of up to {max_segment_size} keys (the baseline covers {BASELINE_MAX_SEGMENT_SIZE}) need the \
                 cluster backend, which needs compute capability {FIRST}; this is {cc}"
            ),
            Self::BaselineIsNotDeterministic => {
                f.write_str("the baseline was forced, but it cannot promise a reproducible set")
            }
            Self::BaselineTooSmall { max_segment_size } => write!(
                f,
                "the baseline was forced, but it covers {BASELINE_MAX_SEGMENT_SIZE} keys, not {max_segment_size}"
            ),
            Self::ForcedClusterNeedsClusters { cc } => write!(
                f,
                "the cluster backend was forced, which needs compute capability {FIRST}; this is {cc}"
            ),
        }
    }
}

impl core::error::Error for Unsupported {}

/// The facts about a request that a selector may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SelectorInput {
    /// The largest segment that the request may hold as far as is known before the call, in keys.
    pub max_segment_size: u64,
    /// Whether the set must be reproducible:
    /// [`needs_deterministic_set`](crate::requirement::Contract::needs_deterministic_set).
    pub deterministic: bool,
    /// Whether the output is sorted. Neither selector here looks at it: whoever serves a request unsorted serves it sorted.
    pub sorted: bool,
    /// The caller's choice of backend.
    pub backend: BackendOverride,
}

/// A way to choose a backend, for code that is generic over it. A `const` context calls the inherent function of the
/// selector instead.
pub trait BackendSelector {
    /// The name by which a plan reports the selector.
    const NAME: &'static str;

    /// The backend for `input` on a GPU of compute capability `cc`.
    ///
    /// # Errors
    ///
    /// If no backend serves the request there.
    fn select(cc: ComputeCapability, input: SelectorInput) -> Result<Backend, Unsupported>;
}

/// The published decision table:
///
/// | request | below 9.0 | 9.x | 10.0 and newer |
/// | --- | --- | --- | --- |
/// | any set, baseline covers it | baseline | baseline | cluster from 8,192 keys, else baseline |
/// | any set, baseline does not cover it | none | cluster | cluster |
/// | reproducible set | none | cluster | cluster |
///
/// A forced backend is taken where it can serve the request, and nowhere replaced by the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ReferenceSelector;

impl ReferenceSelector {
    /// The backend for `input` on a GPU of compute capability `cc`.
    ///
    /// # Errors
    ///
    /// If no backend serves the request there.
    pub const fn select(cc: ComputeCapability, input: SelectorInput) -> Result<Backend, Unsupported> {
        let SelectorInput { max_segment_size, deterministic, backend, .. } = input;
        let baseline_covers = max_segment_size <= BASELINE_MAX_SEGMENT_SIZE;
        if max_segment_size > HARD_MAX_SEGMENT_SIZE {
            return Err(Unsupported::SegmentTooLong { max_segment_size });
        }
        match backend {
            BackendOverride::ForceBaseline if deterministic => Err(Unsupported::BaselineIsNotDeterministic),
            BackendOverride::ForceBaseline if !baseline_covers => {
                Err(Unsupported::BaselineTooSmall { max_segment_size })
            }
            BackendOverride::ForceBaseline => Ok(Backend::Baseline),
            BackendOverride::ForceCluster if cc.cluster_capable() => Ok(Backend::Cluster),
            BackendOverride::ForceCluster => Err(Unsupported::ForcedClusterNeedsClusters { cc }),
            BackendOverride::Automatic if cc.cluster_capable() => {
                let beneficial = cc.at_least(CLUSTER_BENEFICIAL_MIN_CC)
                    && max_segment_size >= CLUSTER_BENEFICIAL_MIN_SEGMENT_SIZE;
                if deterministic || !baseline_covers || beneficial {
                    Ok(Backend::Cluster)
                } else {
                    Ok(Backend::Baseline)
                }
            }
            BackendOverride::Automatic if deterministic => Err(Unsupported::DeterminismNeedsClusters { cc }),
            BackendOverride::Automatic if !baseline_covers => {
                Err(Unsupported::LengthNeedsClusters { cc, max_segment_size })
            }
            BackendOverride::Automatic => Ok(Backend::Baseline),
        }
    }

    /// Whether every GPU of a list serves the request; an empty list serves anything of legal length.
    ///
    /// # Errors
    ///
    /// The reason of the first GPU that does not.
    pub const fn select_all(ccs: &[ComputeCapability], input: SelectorInput) -> Result<(), Unsupported> {
        if input.max_segment_size > HARD_MAX_SEGMENT_SIZE {
            return Err(Unsupported::SegmentTooLong { max_segment_size: input.max_segment_size });
        }
        let mut rest = ccs;
        while let [cc, tail @ ..] = rest {
            if let Err(reason) = Self::select(*cc, input) {
                return Err(reason);
            }
            rest = tail;
        }
        Ok(())
    }
}

impl BackendSelector for ReferenceSelector {
    const NAME: &'static str = "reference";

    fn select(cc: ComputeCapability, input: SelectorInput) -> Result<Backend, Unsupported> {
        Self::select(cc, input)
    }
}

/// What this library's backends serve:
///
/// | request | below 9.0 | 9.0 and newer |
/// | --- | --- | --- |
/// | baseline covers it | baseline | baseline |
/// | baseline does not cover it | none | cluster |
///
/// Both backends serve every contract, so it does not matter here: both resolve ties by index where the set must be
/// reproducible, and both sort, the cluster backend by a second kernel (see [`SortedBy`](crate::policy::SortedBy)). A forced
/// backend is taken where it can serve the request, and nowhere replaced by the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct LibrarySelector;

impl LibrarySelector {
    /// The backend for `input` on a GPU of compute capability `cc`.
    ///
    /// # Errors
    ///
    /// If no backend serves the request there.
    pub const fn select(cc: ComputeCapability, input: SelectorInput) -> Result<Backend, Unsupported> {
        let SelectorInput { max_segment_size, backend, .. } = input;
        let baseline_covers = max_segment_size <= BASELINE_MAX_SEGMENT_SIZE;
        if max_segment_size > HARD_MAX_SEGMENT_SIZE {
            return Err(Unsupported::SegmentTooLong { max_segment_size });
        }
        match backend {
            BackendOverride::Automatic | BackendOverride::ForceBaseline if baseline_covers => {
                Ok(Backend::Baseline)
            }
            BackendOverride::ForceBaseline => Err(Unsupported::BaselineTooSmall { max_segment_size }),
            BackendOverride::ForceCluster if !cc.cluster_capable() => {
                Err(Unsupported::ForcedClusterNeedsClusters { cc })
            }
            BackendOverride::Automatic if !cc.cluster_capable() => {
                Err(Unsupported::LengthNeedsClusters { cc, max_segment_size })
            }
            BackendOverride::Automatic | BackendOverride::ForceCluster => Ok(Backend::Cluster),
        }
    }

    /// Whether every GPU of a list serves the request; an empty list serves anything of legal length.
    ///
    /// # Errors
    ///
    /// The reason of the first GPU that does not.
    pub const fn select_all(ccs: &[ComputeCapability], input: SelectorInput) -> Result<(), Unsupported> {
        if input.max_segment_size > HARD_MAX_SEGMENT_SIZE {
            return Err(Unsupported::SegmentTooLong { max_segment_size: input.max_segment_size });
        }
        let mut rest = ccs;
        while let [cc, tail @ ..] = rest {
            if let Err(reason) = Self::select(*cc, input) {
                return Err(reason);
            }
            rest = tail;
        }
        Ok(())
    }
}

impl BackendSelector for LibrarySelector {
    const NAME: &'static str = "library";

    fn select(cc: ComputeCapability, input: SelectorInput) -> Result<Backend, Unsupported> {
        Self::select(cc, input)
    }
}
