//! Which backend serves a request: the selector's answer, and why.

use crate::env::BackendOverride;
use crate::error::Error;
use crate::requirement::Contract;
use cluster_topk_abi::arch::ComputeCapability;
use cluster_topk_abi::selector::{Backend, LibrarySelector, SelectorInput, Unsupported};

/// The backend for segments of up to `max_size` keys, and why it is that one.
pub(super) fn select(
    capability: ComputeCapability,
    max_size: u64,
    contract: Contract,
    choice: BackendOverride,
) -> Result<(Backend, &'static str), Error> {
    let input = SelectorInput {
        max_segment_size: max_size,
        deterministic: contract.needs_deterministic_set(),
        sorted: contract.is_sorted(),
        backend: choice,
    };
    let backend = LibrarySelector::select(capability, input).map_err(refused)?;
    Ok((backend, why(backend, choice)))
}

/// Why the selector takes this backend. In the order of its own questions.
const fn why(backend: Backend, choice: BackendOverride) -> &'static str {
    match (backend, choice) {
        (_, BackendOverride::ForceBaseline | BackendOverride::ForceCluster) => "forced",
        (Backend::Baseline, BackendOverride::Automatic) => "a block holds a segment",
        (Backend::Cluster, BackendOverride::Automatic) => "longer segments than the baseline covers",
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
    use crate::requirement::{Determinism, OutputOrdering};

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
        for contract in [Contract::WEAKEST, reproducible(), Contract::DEFAULT] {
            assert_eq!(chosen(HOPPER, 16_384, contract, Automatic), Backend::Baseline);
            assert_eq!(chosen(AMPERE, 16_384, contract, Automatic), Backend::Baseline);
            assert_eq!(chosen(HOPPER, 16_384, contract, ForceBaseline), Backend::Baseline);
        }
        let sorted = Contract { ordering: OutputOrdering::Sorted, ..Contract::WEAKEST };
        for contract in [Contract::WEAKEST, reproducible(), sorted, Contract::DEFAULT] {
            assert_eq!(chosen(HOPPER, 16_385, contract, Automatic), Backend::Cluster);
            assert_eq!(chosen(HOPPER, 1, contract, ForceCluster), Backend::Cluster);
        }
    }

    #[test]
    fn a_device_without_clusters_is_named() {
        use BackendOverride::{Automatic, ForceCluster};
        for (size, contract, choice, part) in [
            (16_385, Contract::WEAKEST, Automatic, "16385"),
            (16_385, reproducible(), Automatic, "16385"),
            (16_385, Contract::DEFAULT, Automatic, "16385"),
            (9, Contract::DEFAULT, ForceCluster, "forced"),
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
        use BackendOverride::{Automatic, ForceBaseline};
        for (size, contract, choice, part) in [
            (16_385, Contract::WEAKEST, ForceBaseline, "16385"),
            (16_385, Contract::DEFAULT, ForceBaseline, "16385"),
            (1 << 31, Contract::WEAKEST, Automatic, "2147483648"),
        ] {
            match select(HOPPER, size, contract, choice) {
                Err(Error::Unsupported { reason }) => assert!(reason.contains(part), "{reason}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
