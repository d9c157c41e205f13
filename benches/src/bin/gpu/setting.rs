//! What is measured of a shape: under which contract, on which backend, what is written.

use clap::ValueEnum;
use cluster_topk::env::BackendOverride;
use cluster_topk::gpu::{ClusterCaps, ClusterSizing, Streaming};
use std::fmt;
use std::str::FromStr;

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

/// The pair of determinism and tie-break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
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

/// The order of the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Unsorted,
    Sorted,
    Stable,
}

/// A requirement: `nondet`, `run-to-run`, `det`, `smaller` or `larger`, alone or with `-sorted` or `-stable` behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contract {
    pub(crate) pair: Pair,
    pub(crate) order: Order,
}

impl Contract {
    /// Whether the contract says which of the tied items are selected.
    pub(crate) const fn pins_the_set(self) -> bool {
        matches!(self.pair, Pair::Smaller | Pair::Larger)
    }
}

impl FromStr for Contract {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let (pair, order) = if let Some(pair) = s.strip_suffix("-sorted") {
            (pair, Order::Sorted)
        } else if let Some(pair) = s.strip_suffix("-stable") {
            (pair, Order::Stable)
        } else {
            (s, Order::Unsorted)
        };
        let pair = match pair {
            "nondet" => Pair::Nondet,
            "run-to-run" => Pair::RunToRun,
            "det" => Pair::Det,
            "smaller" => Pair::Smaller,
            "larger" => Pair::Larger,
            _ => {
                return Err(format!(
                    "`{pair}` is not one of nondet, run-to-run, det, smaller, larger, with -sorted or -stable behind it or not"
                ));
            }
        };
        Ok(Self { pair, order })
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.pair {
            Pair::Nondet => "nondet",
            Pair::RunToRun => "run-to-run",
            Pair::Det => "det",
            Pair::Smaller => "smaller",
            Pair::Larger => "larger",
        })?;
        f.write_str(match self.order {
            Order::Unsorted => "",
            Order::Sorted => "-sorted",
            Order::Stable => "-stable",
        })
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

/// How keys come in that do not fit shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Streams {
    /// As the plan estimates.
    Estimated,
    /// Through shared memory.
    Always,
    /// By plain loads.
    Never,
}

impl Streams {
    pub(crate) const fn caps(self) -> Streaming {
        match self {
            Self::Estimated => Streaming::Estimated,
            Self::Always => Streaming::Always,
            Self::Never => Streaming::Never,
        }
    }
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
    /// Elements from a key to the next.
    pub(crate) element_stride: usize,
}

impl fmt::Display for Setting {
    /// The name of a row: `ours-pairs-det-stable`, with what was forced or capped behind it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outputs = match self.outputs {
            Outputs::Keys => "keys",
            Outputs::Pairs => "pairs",
            Outputs::Index => "index",
        };
        let backend = match self.backend {
            Backend::Auto => "",
            Backend::Baseline => "-baseline",
            Backend::Cluster => "-cluster",
        };
        write!(f, "ours-{outputs}-{}{backend}", self.contract)?;
        if self.caps.sizing == ClusterSizing::Portable {
            f.write_str("-portable")?;
        }
        f.write_str(match self.caps.streaming {
            Streaming::Estimated => "",
            Streaming::Always => "-streamed",
            Streaming::Never => "-loaded",
        })?;
        let ClusterCaps { max_cluster_width, max_slots, .. } = self.caps;
        for (letter, cap) in [('w', max_cluster_width), ('s', max_slots)] {
            if let Some(cap) = cap {
                write!(f, "-{letter}{cap}")?;
            }
        }
        if self.element_stride > 1 {
            write!(f, "-e{}", self.element_stride)?;
        }
        Ok(())
    }
}
