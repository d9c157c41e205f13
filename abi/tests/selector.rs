//! The selector either side of every threshold, written out as a table.

use cluster_topk_abi::arch::ComputeCapability;
use cluster_topk_abi::selector::{
    BASELINE_MAX_SEGMENT_SIZE, Backend, BackendOverride, BackendSelector,
    CLUSTER_BENEFICIAL_MIN_SEGMENT_SIZE, HARD_MAX_SEGMENT_SIZE, LibrarySelector, ReferenceSelector,
    SINGLE_BLOCK_MAX_SEGMENT_SIZE, SelectorInput, Unsupported,
};

const CC_80: ComputeCapability = ComputeCapability::new(8, 0);
const CC_89: ComputeCapability = ComputeCapability::new(8, 9);
const CC_90: ComputeCapability = ComputeCapability::new(9, 0);
const CC_100: ComputeCapability = ComputeCapability::new(10, 0);
const CC_120: ComputeCapability = ComputeCapability::new(12, 0);
const ALL: [ComputeCapability; 5] = [CC_80, CC_89, CC_90, CC_100, CC_120];

/// One letter per compute capability of `ALL`: b(aseline), c(luster), - (unsupported).
fn row(max_segment_size: u64, deterministic: bool, backend: BackendOverride) -> String {
    letters::<ReferenceSelector>(SelectorInput { max_segment_size, deterministic, sorted: false, backend })
}

fn letters<S: BackendSelector>(input: SelectorInput) -> String {
    ALL.iter()
        .map(|&cc| match S::select(cc, input) {
            Ok(Backend::Baseline) => 'b',
            Ok(Backend::Cluster) => 'c',
            Err(_) => '-',
        })
        .collect()
}

/// The same for the library's selector, to which the contract makes no difference.
fn library_row(max_segment_size: u64, backend: BackendOverride) -> String {
    let input = SelectorInput { max_segment_size, deterministic: false, sorted: false, backend };
    let row = letters::<LibrarySelector>(input);
    for (deterministic, sorted) in [(true, false), (false, true), (true, true)] {
        let other = letters::<LibrarySelector>(SelectorInput { deterministic, sorted, ..input });
        assert_eq!(row, other, "{deterministic} {sorted}");
    }
    row
}

#[test]
fn what_the_library_serves() {
    use BackendOverride::{Automatic, ForceBaseline, ForceCluster};
    for (max, backend, served) in [
        (0, Automatic, "bbbbb"),
        (8192, Automatic, "bbbbb"),
        (16384, Automatic, "bbbbb"),
        (16385, Automatic, "--ccc"),
        ((1 << 31) - 1, Automatic, "--ccc"),
        (1 << 31, Automatic, "-----"),
        (16384, ForceBaseline, "bbbbb"),
        (16385, ForceBaseline, "-----"),
        (1, ForceCluster, "--ccc"),
        (16385, ForceCluster, "--ccc"),
        (1 << 31, ForceCluster, "-----"),
    ] {
        assert_eq!(library_row(max, backend), served, "{max} {backend:?}");
    }
}

#[test]
fn why_the_library_does_not_serve() {
    let reason = |cc, max_segment_size, sorted, backend| {
        let input = SelectorInput { max_segment_size, deterministic: true, sorted, backend };
        LibrarySelector::select(cc, input).unwrap_err()
    };
    use BackendOverride::{Automatic, ForceBaseline, ForceCluster};
    let long = 20_000;
    let cases = [
        (reason(CC_90, 1 << 31, true, Automatic), Unsupported::SegmentTooLong { max_segment_size: 1 << 31 }),
        (
            reason(CC_80, long, false, Automatic),
            Unsupported::LengthNeedsClusters { cc: CC_80, max_segment_size: long },
        ),
        (
            reason(CC_80, long, true, Automatic),
            Unsupported::LengthNeedsClusters { cc: CC_80, max_segment_size: long },
        ),
        (reason(CC_90, long, true, ForceBaseline), Unsupported::BaselineTooSmall { max_segment_size: long }),
        (reason(CC_89, 10, true, ForceCluster), Unsupported::ForcedClusterNeedsClusters { cc: CC_89 }),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    assert!(cases[2].0.to_string().contains("compute capability 9.0; this is 8.0"));
    let input = SelectorInput {
        max_segment_size: 100,
        deterministic: true,
        sorted: true,
        backend: BackendOverride::Automatic,
    };
    assert_eq!(LibrarySelector::select_all(&ALL, input), Ok(()));
    assert!(LibrarySelector::select_all(&[], SelectorInput { max_segment_size: 1 << 31, ..input }).is_err());
}

#[test]
fn thresholds_are_four_numbers() {
    assert_eq!(BASELINE_MAX_SEGMENT_SIZE, 16384);
    assert_eq!(CLUSTER_BENEFICIAL_MIN_SEGMENT_SIZE, 8192);
    assert_eq!(SINGLE_BLOCK_MAX_SEGMENT_SIZE, 8192);
    assert_eq!(HARD_MAX_SEGMENT_SIZE, 2_147_483_647);
}

#[test]
fn automatic() {
    use BackendOverride::Automatic;
    for (max, any_set, reproducible) in [
        (0, "bbbbb", "--ccc"),
        (1, "bbbbb", "--ccc"),
        (8191, "bbbbb", "--ccc"),
        (8192, "bbbcc", "--ccc"),
        (8193, "bbbcc", "--ccc"),
        (16384, "bbbcc", "--ccc"),
        (16385, "--ccc", "--ccc"),
        (1 << 21, "--ccc", "--ccc"),
        ((1 << 21) + 1, "--ccc", "--ccc"),
        ((1 << 31) - 1, "--ccc", "--ccc"),
        (1 << 31, "-----", "-----"),
        (u64::MAX, "-----", "-----"),
    ] {
        assert_eq!(row(max, false, Automatic), any_set, "{max}");
        assert_eq!(row(max, true, Automatic), reproducible, "{max}");
    }
}

#[test]
fn forced() {
    use BackendOverride::{ForceBaseline, ForceCluster};
    for (max, baseline, cluster) in [
        (1, "bbbbb", "--ccc"),
        (8192, "bbbbb", "--ccc"),
        (16384, "bbbbb", "--ccc"),
        (16385, "-----", "--ccc"),
        ((1 << 31) - 1, "-----", "--ccc"),
        (1 << 31, "-----", "-----"),
    ] {
        assert_eq!(row(max, false, ForceBaseline), baseline, "{max}");
        assert_eq!(row(max, true, ForceBaseline), "-----", "{max}");
        assert_eq!(row(max, false, ForceCluster), cluster, "{max}");
        assert_eq!(row(max, true, ForceCluster), cluster, "{max}");
    }
}

#[test]
fn reasons() {
    let reason = |cc, max_segment_size, deterministic, backend| {
        let input = SelectorInput { max_segment_size, deterministic, sorted: true, backend };
        ReferenceSelector::select(cc, input).unwrap_err()
    };
    use BackendOverride::{Automatic, ForceBaseline, ForceCluster};
    let cases = [
        (reason(CC_90, 1 << 31, false, Automatic), Unsupported::SegmentTooLong { max_segment_size: 1 << 31 }),
        (reason(CC_89, 10, true, Automatic), Unsupported::DeterminismNeedsClusters { cc: CC_89 }),
        (
            reason(CC_80, 20_000, false, Automatic),
            Unsupported::LengthNeedsClusters { cc: CC_80, max_segment_size: 20_000 },
        ),
        (reason(CC_90, 10, true, ForceBaseline), Unsupported::BaselineIsNotDeterministic),
        (
            reason(CC_90, 20_000, false, ForceBaseline),
            Unsupported::BaselineTooSmall { max_segment_size: 20_000 },
        ),
        (reason(CC_89, 10, false, ForceCluster), Unsupported::ForcedClusterNeedsClusters { cc: CC_89 }),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    assert!(cases[2].0.to_string().contains("compute capability 9.0; this is 8.0"));
}

#[test]
fn a_list_is_served_only_as_a_whole() {
    let input = SelectorInput {
        max_segment_size: 100,
        deterministic: true,
        sorted: true,
        backend: BackendOverride::Automatic,
    };
    assert_eq!(
        ReferenceSelector::select_all(&ALL, input),
        Err(Unsupported::DeterminismNeedsClusters { cc: CC_80 })
    );
    assert_eq!(ReferenceSelector::select_all(&ALL[2..], input), Ok(()));
    assert_eq!(ReferenceSelector::select_all(&ALL, SelectorInput { deterministic: false, ..input }), Ok(()));
    assert!(
        ReferenceSelector::select_all(&[], SelectorInput { max_segment_size: 1 << 31, ..input }).is_err()
    );
}

/// The use that everything is `const` for.
const _: () = {
    let input = SelectorInput {
        max_segment_size: 1 << 20,
        deterministic: true,
        sorted: true,
        backend: BackendOverride::Automatic,
    };
    assert!(ReferenceSelector::select_all(&[CC_90, CC_100, CC_120], input).is_ok());
    assert!(ReferenceSelector::select_all(&[CC_89, CC_90], input).is_err());
};
