//! The second launch of a sorted call on the cluster backend, and the workspace between the two: pure functions over plain
//! numbers.

use super::driver::LaunchShape;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::policy::{OrderMemory, OrderPolicy, SortedBy, Workspace, word_bytes};

/// A kernel, the shape of its launch, and the workspace that the cluster kernel leaves indices in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) module: &'static str,
    pub(crate) entry: &'static str,
    pub(crate) shape: LaunchShape,
    pub(crate) workspace: Workspace,
    /// Bytes of the workspace.
    pub(crate) workspace_bytes: u64,
}

/// The launch for `segments` segments that give up to `items` items each, sorted by whomever; `None` where the cluster kernel serves
/// the call alone.
pub(crate) fn launch(width: KeyWidth, segments: u64, items: u64, by: SortedBy) -> Option<Launch> {
    match by {
        SortedBy::Nobody | SortedBy::ClusterKernel => return None,
        SortedBy::OrderKernel => {}
    }
    let (module, entry) = match width {
        KeyWidth::W8 => ("order-8", "order_8"),
        KeyWidth::W16 => ("order-16", "order_16"),
        KeyWidth::W32 => ("order-32", "order_32"),
        KeyWidth::W64 => ("order-64", "order_64"),
    };
    let policy = OrderPolicy::DEFAULT;
    let workspace = Workspace::of(policy, word_bytes(width), items);
    let shape = LaunchShape {
        // A cluster's launch numbers more blocks, and is refused where it cannot.
        blocks: segments.min(u32::MAX.into()) as u32,
        threads: policy.threads,
        shared_bytes: OrderMemory::of(policy, word_bytes(width), workspace.items).bytes,
        cluster_width: 1,
    };
    Some(Launch { module, entry, shape, workspace, workspace_bytes: workspace.bytes(segments) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster_topk_abi::policy::ClusterSizing;
    use cluster_topk_device::KERNELS;

    /// Items that the order kernel is there for.
    fn few() -> u64 {
        SortedBy::WITHOUT_WORKSPACE_UP_TO + 64
    }

    fn of(width: KeyWidth, segments: u64, items: u64, sorted: bool) -> Option<Launch> {
        launch(width, segments, items, SortedBy::of(sorted, items, ClusterSizing::Searched))
    }

    #[test]
    fn launches_fit_the_kernels() {
        for width in KeyWidth::ALL {
            let launch = of(width, 7, few(), true).unwrap();
            let kernel = KERNELS.iter().find(|kernel| kernel.entry == launch.entry).unwrap();
            assert_eq!(kernel.module, launch.module);
            assert_eq!(kernel.max_threads, launch.shape.threads);
            assert!(!kernel.needs_cluster);
            assert_eq!((launch.shape.blocks, launch.shape.cluster_width), (7, 1));
        }
        assert_eq!(KERNELS.iter().filter(|kernel| kernel.entry.starts_with("order_")).count(), 4);
    }

    /// No workspace where none is needed, and one that grows with the items and nothing else where one is.
    #[test]
    fn the_workspace_is_proportional_to_the_items() {
        for width in KeyWidth::ALL {
            assert_eq!(of(width, 7, 1_000_000, false), None);
            assert_eq!(of(width, 7, 0, true), None);
            assert_eq!(of(width, 7, SortedBy::WITHOUT_WORKSPACE_UP_TO, true), None);
            for items in [few(), few() + 4096, 4097, 100_000, (1 << 31) - 1] {
                let one = of(width, 1, items, true).unwrap();
                let many = of(width, 1000, items, true).unwrap();
                assert_eq!(many.workspace_bytes, 1000 * one.workspace_bytes);
                assert!((4 * items..=24 * items + 30).contains(&one.workspace_bytes));
                assert!(one.shape.shared_bytes <= 99 << 10);
            }
        }
    }
}
