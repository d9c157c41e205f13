//! Which backend serves a request: the selector's answer, and whether that backend takes the contract.

use crate::env::BackendOverride;
use crate::error::Error;
use crate::requirement::Contract;
use cluster_topk_abi::arch::ComputeCapability;
use cluster_topk_abi::selector::{
    BASELINE_MAX_SEGMENT_SIZE, Backend, ReferenceSelector, SelectorInput, Unsupported,
};

/// The backend for segments of up to `max_size` keys, and why it is that one.
pub(super) fn select(
    capability: ComputeCapability,
    max_size: u64,
    contract: Contract,
    choice: BackendOverride,
) -> Result<(Backend, &'static str), Error> {
    let deterministic = contract.needs_deterministic_set();
    let input = SelectorInput { max_segment_size: max_size, deterministic, backend: choice };
    let backend = ReferenceSelector::select(capability, input).map_err(refused)?;
    let missing = match backend {
        Backend::Baseline => baseline_misses(contract),
        Backend::Cluster => cluster_misses(contract),
    };
    match missing {
        Some(reason) => Err(Error::Unsupported { reason: reason.into() }),
        None => Ok((backend, why(backend, input))),
    }
}

/// What the baseline lacks for a contract that the selector gives it.
fn baseline_misses(contract: Contract) -> Option<&'static str> {
    contract.is_sorted().then_some(NOT_SORTED)
}

/// What the cluster backend lacks for a contract.
fn cluster_misses(contract: Contract) -> Option<&'static str> {
    contract.is_sorted().then_some(NOT_SORTED)
}

const NOT_SORTED: &str =
    "the GPU engine of this version writes items unsorted; the CPU engine serves every requirement";

/// Why the selector takes this backend. In the order of its own questions.
const fn why(backend: Backend, input: SelectorInput) -> &'static str {
    match (backend, input.backend) {
        (_, BackendOverride::ForceBaseline | BackendOverride::ForceCluster) => "forced",
        (Backend::Baseline, BackendOverride::Automatic) => "any set will do, and a block holds a segment",
        (Backend::Cluster, BackendOverride::Automatic) if input.deterministic => {
            "a reproducible set needs it"
        }
        (Backend::Cluster, BackendOverride::Automatic)
            if input.max_segment_size > BASELINE_MAX_SEGMENT_SIZE =>
        {
            "longer segments than the baseline covers"
        }
        (Backend::Cluster, BackendOverride::Automatic) => "faster than the baseline for segments this long",
    }
}

/// The selector's refusal as the library's error: another device would help, or none would.
fn refused(reason: Unsupported) -> Error {
    match reason {
        Unsupported::DeterminismNeedsClusters { cc }
        | Unsupported::LengthNeedsClusters { cc, .. }
        | Unsupported::ForcedClusterNeedsClusters { cc } => {
            Error::UnsupportedArchitecture { capability: cc.to_string(), reason: reason.to_string() }
        }
        other => Error::Unsupported { reason: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirement::{Determinism, OutputOrdering, TieBreak};

    const HOPPER: ComputeCapability = ComputeCapability::new(9, 0);
    const AMPERE: ComputeCapability = ComputeCapability::new(8, 0);

    fn reproducible() -> Contract {
        Contract { determinism: Determinism::RunToRun, ..Contract::WEAKEST }
    }

    fn chosen(cc: ComputeCapability, size: u64, contract: Contract, choice: BackendOverride) -> Backend {
        select(cc, size, contract, choice).unwrap().0
    }

    #[test]
    fn the_selector_decides() {
        use BackendOverride::{Automatic, ForceBaseline, ForceCluster};
        assert_eq!(chosen(HOPPER, 16_384, Contract::WEAKEST, Automatic), Backend::Baseline);
        assert_eq!(chosen(HOPPER, 16_385, Contract::WEAKEST, Automatic), Backend::Cluster);
        assert_eq!(chosen(HOPPER, 1, reproducible(), Automatic), Backend::Cluster);
        assert_eq!(chosen(HOPPER, 1, Contract::WEAKEST, ForceCluster), Backend::Cluster);
        assert_eq!(chosen(HOPPER, 16_384, Contract::WEAKEST, ForceBaseline), Backend::Baseline);
        assert_eq!(chosen(AMPERE, 16_384, Contract::WEAKEST, Automatic), Backend::Baseline);
        assert_eq!(
            chosen(ComputeCapability::new(10, 0), 8192, Contract::WEAKEST, Automatic),
            Backend::Cluster
        );
        for tie_break in [TieBreak::PreferSmallerIndex, TieBreak::PreferLargerIndex] {
            let pinned = Contract { determinism: Determinism::GpuToGpu, tie_break, ..Contract::WEAKEST };
            assert_eq!(chosen(HOPPER, 100, pinned, Automatic), Backend::Cluster);
        }
    }

    #[test]
    fn a_device_without_clusters_is_named() {
        use BackendOverride::{Automatic, ForceCluster};
        for (size, contract, choice, part) in [
            (9, reproducible(), Automatic, "reproducible"),
            (16_385, Contract::WEAKEST, Automatic, "16385"),
            (9, Contract::WEAKEST, ForceCluster, "forced"),
        ] {
            match select(AMPERE, size, contract, choice) {
                Err(Error::UnsupportedArchitecture { capability, reason }) => {
                    assert!(capability == "8.0" && reason.contains(part), "{reason}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn what_no_device_serves() {
        use BackendOverride::{Automatic, ForceBaseline, ForceCluster};
        let sorted = Contract { ordering: OutputOrdering::Sorted, ..Contract::WEAKEST };
        for (size, contract, choice, part) in [
            (9, reproducible(), ForceBaseline, "reproducible"),
            (16_385, Contract::WEAKEST, ForceBaseline, "16385"),
            (1 << 31, Contract::WEAKEST, Automatic, "2147483648"),
            (9, sorted, Automatic, "unsorted"),
            (9, sorted, ForceCluster, "unsorted"),
            (9, Contract::DEFAULT, Automatic, "unsorted"),
        ] {
            match select(HOPPER, size, contract, choice) {
                Err(Error::Unsupported { reason }) => assert!(reason.contains(part), "{reason}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
