//! What is measured of a shape: under which contract, on which backend, what is written.

use clap::ValueEnum;
use cluster_topk::env::BackendOverride;
use cluster_topk::gpu::{ClusterCaps, ClusterSizing};
use std::fmt;

/// What is written of each item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Outputs {
    /// Keys alone.
    Keys,
    /// Keys and their indices.
    Pairs,
    /// Indices alone.
    Index,
}

/// The pair of determinism and tie-break; items are written unsorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Contract {
    /// (`NotGuaranteed`, `Unspecified`)
    Nondet,
    /// (`RunToRun`, `Unspecified`)
    RunToRun,
    /// (`GpuToGpu`, `Unspecified`)
    Det,
    /// (`GpuToGpu`, `PreferSmallerIndex`)
    Smaller,
    /// (`GpuToGpu`, `PreferLargerIndex`)
    Larger,
}

impl Contract {
    /// Whether the contract says which of the tied items are selected.
    pub(crate) const fn pins_the_set(self) -> bool {
        matches!(self, Self::Smaller | Self::Larger)
    }
}

/// Who chooses the backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The library.
    Auto,
    /// The baseline is forced.
    Baseline,
    /// The cluster backend is forced.
    Cluster,
}

impl Backend {
    pub(crate) const fn choice(self) -> BackendOverride {
        match self {
            Self::Auto => BackendOverride::Automatic,
            Self::Baseline => BackendOverride::ForceBaseline,
            Self::Cluster => BackendOverride::ForceCluster,
        }
    }
}

/// One of the combinations that were asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) contract: Contract,
    pub(crate) backend: Backend,
    pub(crate) caps: ClusterCaps,
    pub(crate) outputs: Outputs,
}

impl fmt::Display for Setting {
    /// The name of a row: `ours-pairs-det`, with what was forced or capped behind it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outputs = match self.outputs {
            Outputs::Keys => "keys",
            Outputs::Pairs => "pairs",
            Outputs::Index => "index",
        };
        let contract = match self.contract {
            Contract::Nondet => "nondet",
            Contract::RunToRun => "run-to-run",
            Contract::Det => "det",
            Contract::Smaller => "smaller",
            Contract::Larger => "larger",
        };
        let backend = match self.backend {
            Backend::Auto => "",
            Backend::Baseline => "-baseline",
            Backend::Cluster => "-cluster",
        };
        write!(f, "ours-{outputs}-{contract}{backend}")?;
        if self.caps.sizing == ClusterSizing::Portable {
            f.write_str("-portable")?;
        }
        let ClusterCaps { max_cluster_width, max_slots, max_stream_slots, .. } = self.caps;
        for (letter, cap) in [('w', max_cluster_width), ('s', max_slots), ('t', max_stream_slots)] {
            if let Some(cap) = cap {
                write!(f, "-{letter}{cap}")?;
            }
        }
        Ok(())
    }
}
