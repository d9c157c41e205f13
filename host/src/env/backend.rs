//! Who chooses the backend of the GPU engine, and which requests a choice leaves without one.

use cluster_topk_abi::arch::ComputeCapability;
use cluster_topk_abi::selector::{BASELINE_MAX_SEGMENT_SIZE, LibrarySelector, SelectorInput, Unsupported};

pub use cluster_topk_abi::selector::BackendOverride;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::BackendOverride {}
    impl Sealed for super::ForceBaseline {}
    impl Sealed for super::ForceCluster {}
}

/// A choice of backend, for [`Env::backend`](super::Env::backend): a token where it is known when the program is compiled, a
/// [`BackendOverride`] where it is not. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a choice of backend",
    label = "not a choice of backend",
    note = "write `ForceBaseline` or `ForceCluster` of `cluster_topk::env`, or a `BackendOverride` that is known at run time only"
)]
pub trait BackendChoice: sealed::Sealed + Copy {
    /// What a strict environment checks the request against. A choice at run time counts as none here.
    const STATIC: BackendOverride;

    /// The choice.
    fn choice(self) -> BackendOverride;
}

impl BackendChoice for BackendOverride {
    const STATIC: BackendOverride = Self::Automatic;

    fn choice(self) -> BackendOverride {
        self
    }
}

/// The baseline, a warp or a thread block per segment, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForceBaseline;
impl BackendChoice for ForceBaseline {
    const STATIC: BackendOverride = BackendOverride::ForceBaseline;

    fn choice(self) -> BackendOverride {
        Self::STATIC
    }
}

/// The cluster backend, a thread-block cluster per segment, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForceCluster;
impl BackendChoice for ForceCluster {
    const STATIC: BackendOverride = BackendOverride::ForceCluster;

    fn choice(self) -> BackendOverride {
        Self::STATIC
    }
}

const NEEDS_CLUSTERS: &str = "one of the target architectures cannot serve this request: before sm_90 its segments must be \
     statically bounded by 16384 keys; bound the size, drop the target, or make the environment `.lenient()`";
const BASELINE_FORCED: &str = "the baseline is forced, and cannot serve this request: its segments must be statically bounded by \
     16384 keys; bound the size, drop the override, or make the environment `.lenient()`";
const CLUSTER_FORCED: &str = "the cluster backend is forced, and one of the target architectures has no clusters, which start with \
     sm_90; drop the target or the override, or make the environment `.lenient()`";
const OTHER: &str = "no backend serves this request on one of the target architectures; drop the target, or make the environment \
     `.lenient()`";

// The messages say so.
const _: () = assert!(BASELINE_MAX_SEGMENT_SIZE == 16_384);

/// Why the request is served on none, or not all, of the architectures; nothing where it is served on every one.
pub(crate) const fn unserved(
    architectures: &[ComputeCapability],
    static_max_segment_size: i64,
    deterministic: bool,
    backend: BackendOverride,
) -> Option<&'static str> {
    let input = SelectorInput {
        max_segment_size: static_max_segment_size as u64,
        deterministic,
        // Whoever serves a request unsorted serves it sorted.
        sorted: false,
        backend,
    };
    match LibrarySelector::select_all(architectures, input) {
        Ok(()) => None,
        Err(Unsupported::LengthNeedsClusters { .. }) => Some(NEEDS_CLUSTERS),
        Err(Unsupported::BaselineTooSmall { .. }) => Some(BASELINE_FORCED),
        Err(Unsupported::ForcedClusterNeedsClusters { .. }) => Some(CLUSTER_FORCED),
        Err(_) => Some(OTHER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BackendOverride::{Automatic, ForceBaseline as Baseline, ForceCluster as Cluster};

    const AMPERE: ComputeCapability = ComputeCapability::new(8, 0);
    const HOPPER: ComputeCapability = ComputeCapability::new(9, 0);
    const BLACKWELL: ComputeCapability = ComputeCapability::new(12, 0);

    /// Every list of one to three, capable and not, against what each of its members alone says.
    #[test]
    fn a_list_is_served_where_each_of_it_is() {
        let ccs = [AMPERE, HOPPER, BLACKWELL];
        for (a, b, c) in (0..27).map(|i| (ccs[i / 9], ccs[i / 3 % 3], ccs[i % 3])) {
            for list in [&[a][..], &[a, b], &[a, b, c]] {
                let all_capable = list.iter().all(|&cc| cc != AMPERE);
                for deterministic in [false, true] {
                    let unserved = |size, backend| unserved(list, size, deterministic, backend);
                    for size in [0, 16_384, 16_385, i64::from(i32::MAX)] {
                        let short = size <= 16_384;
                        let expected = (!short && !all_capable).then_some(NEEDS_CLUSTERS);
                        assert_eq!(unserved(size, Automatic), expected, "{list:?} {size}");
                        let expected = (!short).then_some(BASELINE_FORCED);
                        assert_eq!(unserved(size, Baseline), expected, "{list:?} {size}");
                        let expected = (!all_capable).then_some(CLUSTER_FORCED);
                        assert_eq!(unserved(size, Cluster), expected, "{list:?} {size}");
                    }
                    assert_eq!(unserved(1 << 31, Automatic), Some(OTHER));
                }
            }
        }
    }

    #[test]
    fn tokens_are_what_they_say() {
        assert_eq!((ForceBaseline.choice(), ForceBaseline::STATIC), (Baseline, Baseline));
        assert_eq!((ForceCluster.choice(), ForceCluster::STATIC), (Cluster, Cluster));
        for choice in [Automatic, Baseline, Cluster] {
            assert_eq!((choice.choice(), BackendOverride::STATIC), (choice, Automatic));
        }
    }
}
