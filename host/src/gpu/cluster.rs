//! A launch of the cluster backend: which kernel, how wide, with how much shared memory.
//!
//! The search itself is `abi`'s [`plan_cluster`]; it takes nanoseconds once the driver's answers are known, which
//! [`Function`] keeps for each shape. So it runs anew for each call, whatever the number of segments, and there is no second
//! cache that could grow with the shapes of the calls.

use super::driver::{Function, LaunchShape};
use crate::error::Error;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::params::KernelParams;
use cluster_topk_abi::plan::{ClusterLimits, ClusterPlan, Demand, NoPlan, plan_cluster};
use cluster_topk_abi::policy::{ClusterPolicy, ClusterSizing};

/// A kernel: its module and its entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) module: &'static str,
    pub(crate) entry: &'static str,
}

/// The kernels of the backend, one for each width of a key. Each serves every contract and form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Chunks stay in shared memory, or are loaded by the threads.
    Resident,
    /// Chunks pass through shared memory, which is faster where many are looked at more than once; of adjacent keys.
    Streaming,
    /// So they do, and the search is that for large k.
    LargeK,
    /// [`Resident`](Self::Resident), with the cluster width compiled in.
    Portable,
}

impl Family {
    /// The one that a launch is planned for, before it is known what else would do better.
    pub(super) const fn planned(sizing: ClusterSizing) -> Self {
        match sizing {
            ClusterSizing::Searched => Self::Resident,
            ClusterSizing::Portable => Self::Portable,
        }
    }

    /// The one that a plan takes.
    pub(super) const fn of(plan: &ClusterPlan, sizing: ClusterSizing) -> Self {
        if plan.large_k {
            Self::LargeK
        } else if plan.streams {
            Self::Streaming
        } else {
            Self::planned(sizing)
        }
    }
}

/// The kernel for keys of this width.
pub(super) const fn entry(width: KeyWidth, family: Family) -> Entry {
    let (module, entry) = match (family, width) {
        (Family::Resident, KeyWidth::W8) => ("cluster-8", "cluster_8"),
        (Family::Resident, KeyWidth::W16) => ("cluster-16", "cluster_16"),
        (Family::Resident, KeyWidth::W32) => ("cluster-32", "cluster_32"),
        (Family::Resident, KeyWidth::W64) => ("cluster-64", "cluster_64"),
        (Family::Streaming, KeyWidth::W8) => ("stream-8", "stream_8"),
        (Family::Streaming, KeyWidth::W16) => ("stream-16", "stream_16"),
        (Family::Streaming, KeyWidth::W32) => ("stream-32", "stream_32"),
        (Family::Streaming, KeyWidth::W64) => ("stream-64", "stream_64"),
        (Family::LargeK, KeyWidth::W8) => ("large-8", "large_8"),
        (Family::LargeK, KeyWidth::W16) => ("large-16", "large_16"),
        (Family::LargeK, KeyWidth::W32) => ("large-32", "large_32"),
        (Family::LargeK, KeyWidth::W64) => ("large-64", "large_64"),
        (Family::Portable, KeyWidth::W8) => ("portable-8", "portable_8"),
        (Family::Portable, KeyWidth::W16) => ("portable-16", "portable_16"),
        (Family::Portable, KeyWidth::W32) => ("portable-32", "portable_32"),
        (Family::Portable, KeyWidth::W64) => ("portable-64", "portable_64"),
    };
    Entry { module, entry }
}

/// Plans a launch of `function`.
pub(super) fn plan(
    function: &Function,
    policy: &ClusterPolicy,
    demand: &Demand,
    limits: &ClusterLimits,
) -> Result<ClusterPlan, Error> {
    let mut failed = None;
    let plan = plan_cluster(policy, demand, limits, |shape| {
        let shape = LaunchShape {
            blocks: shape.cluster_width,
            threads: policy.threads_per_block,
            shared_bytes: shape.dynamic_smem_bytes,
            cluster_width: shape.cluster_width,
        };
        function.max_active_clusters(shape).unwrap_or_else(|error| {
            failed.get_or_insert(error);
            0
        })
    });
    match failed {
        Some(error) => Err(error),
        None => plan.map_err(refused),
    }
}

fn refused(reason: NoPlan) -> Error {
    match reason {
        NoPlan::TooManySegments { given, limit, cluster_width } => {
            Error::TooManySegments { given: given.into(), limit, cluster_width }
        }
        other => Error::Unsupported { reason: other.to_string() },
    }
}

/// The shape of a planned launch over `num_segments` segments.
pub(super) fn shape(plan: &ClusterPlan, policy: &ClusterPolicy, num_segments: u64) -> LaunchShape {
    let cluster_width = plan.shape.cluster_width;
    LaunchShape {
        // The search found that it fits.
        blocks: (num_segments * u64::from(cluster_width)) as u32,
        threads: policy.threads_per_block,
        shared_bytes: plan.shape.dynamic_smem_bytes,
        cluster_width: match policy.sizing {
            ClusterSizing::Searched => cluster_width,
            // The kernel carries it.
            ClusterSizing::Portable => 1,
        },
    }
}

/// The items of a segment that the kernel itself brings in order: at most as many as a block sorts.
pub(super) fn sorted_items(demand: &Demand) -> u32 {
    if demand.sorts { demand.max_k.min(demand.max_segment_size) as u32 } else { 0 }
}

/// Tells the kernel what it was planned with.
pub(super) fn tell(params: &mut KernelParams, plan: &ClusterPlan, policy: &ClusterPolicy, demand: &Demand) {
    params.slots = plan.slots;
    params.single_block_max_seg_size = policy.single_block_max_seg_size;
    params.min_chunks_per_block = policy.min_chunks_per_block;
    params.order_items = sorted_items(demand);
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster_topk_abi::plan::Loads;
    use cluster_topk_abi::policy as abi;
    use cluster_topk_device::KERNELS;

    /// Every entry names a kernel that is built as it is launched.
    #[test]
    fn entries_fit_the_kernels() {
        // The width is the launch's, or the kernel's.
        let portable = abi::LaunchShape::PORTABLE.cluster_width;
        for (family, fixed) in [
            (Family::Resident, None),
            (Family::Streaming, None),
            (Family::LargeK, None),
            (Family::Portable, Some(portable)),
        ] {
            for width in KeyWidth::ALL {
                let Entry { module, entry } = entry(width, family);
                let kernel = KERNELS.iter().find(|kernel| kernel.entry == entry).unwrap();
                assert_eq!(kernel.module, module);
                assert_eq!(kernel.max_threads, ClusterPolicy::DEFAULT.threads_per_block);
                assert_eq!(kernel.min_blocks, ClusterPolicy::DEFAULT.min_blocks_per_sm);
                assert!(kernel.needs_cluster);
                assert_eq!(kernel.cluster_width, fixed);
            }
        }
        let of_clusters = |kernel: &str| {
            ["cluster_", "stream_", "large_", "portable_"].iter().any(|family| kernel.starts_with(family))
        };
        let kernels = KERNELS.iter().filter(|kernel| of_clusters(kernel.entry));
        assert_eq!(kernels.count(), 4 * KeyWidth::ALL.len());
    }

    /// 8 blocks to a segment that the launch does not ask for, and no more shared memory than anyone may have.
    #[test]
    fn a_portable_launch_is_an_ordinary_one() {
        let policy = ClusterPolicy { sizing: ClusterSizing::Portable, ..ClusterPolicy::DEFAULT };
        let limits =
            ClusterLimits { smem_per_block_optin_bytes: 0, max_cluster_width: 0, multiprocessors: 1 };
        for key_width in KeyWidth::ALL {
            let demand = Demand {
                key_width,
                max_segment_size: i32::MAX as u64,
                num_segments: (1 << 28) - 1,
                loads: Loads::Bulk,
                max_k: 64,
                sorts: false,
            };
            let plan = plan_cluster(&policy, &demand, &limits, |_| unreachable!("nobody is asked")).unwrap();
            let launch = shape(&plan, &policy, demand.num_segments);
            assert_eq!((launch.cluster_width, launch.blocks), (1, i32::MAX as u32 - 7));
            assert!(launch.shared_bytes <= 48 << 10, "{launch:?}");
        }
    }

    #[test]
    fn a_plan_becomes_a_launch() {
        let policy = ClusterPolicy { min_chunks_per_block: 2, ..ClusterPolicy::DEFAULT };
        let demand = Demand {
            key_width: KeyWidth::W32,
            max_segment_size: 131_072,
            num_segments: (1 << 27) - 1,
            loads: Loads::Bulk,
            max_k: 64,
            sorts: false,
        };
        let limits = ClusterLimits {
            smem_per_block_optin_bytes: 227 << 10,
            max_cluster_width: 16,
            multiprocessors: 132,
        };
        let plan = plan_cluster(&policy, &demand, &limits, |shape| shape.cluster_width * shape.cluster_width)
            .unwrap();
        let LaunchShape { blocks, threads, shared_bytes, cluster_width } =
            shape(&plan, &policy, demand.num_segments);
        assert_eq!((cluster_width, threads), (16, 512));
        assert_eq!(u64::from(blocks), 16 * demand.num_segments);
        assert_eq!(shared_bytes, plan.shape.dynamic_smem_bytes);

        use cluster_topk_abi::key_order::{Direction, KeyType};
        use cluster_topk_abi::requirement::Contract;
        let mut params = KernelParams::empty(KeyType::F32, Direction::Largest, Contract::WEAKEST);
        tell(&mut params, &plan, &policy, &demand);
        // 32 chunks over 16 blocks; three chunks are one block's, since two are needed to join.
        assert_eq!(params.slots, 3);
        assert_eq!((params.single_block_max_seg_size, params.min_chunks_per_block), (8192, 2));
    }

    #[test]
    fn refusals_are_typed() {
        let many = NoPlan::TooManySegments { given: 9, limit: 8, cluster_width: 4 };
        assert_eq!(refused(many), Error::TooManySegments { given: 9, limit: 8, cluster_width: 4 });
        assert!(matches!(refused(NoPlan::NothingLaunchable), Error::Unsupported { .. }));
    }
}
