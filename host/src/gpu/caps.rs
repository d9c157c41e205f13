//! What the caller may restrict of the cluster backend.

use crate::error::Error;
use cluster_topk_abi::policy::{ClusterPolicy, ClusterSizing, Streaming};

/// Restrictions on launches of the cluster backend, for [`Gpu::with_cluster_caps`](super::Gpu::with_cluster_caps).
///
/// The backend by itself takes as many multiprocessors and as much shared memory as make it fast. Caps leave room for a kernel
/// that runs beside it, and steer measurements and tests. They change how fast a result is there, never which result: where
/// a segment no longer fits shared memory, what does not fit is read from global memory, again where that is needed.
///
/// ```
/// use cluster_topk::gpu::ClusterCaps;
/// // At most four thread blocks to a segment, at most 8 chunks of 16 KiB in the shared memory of each.
/// let caps = ClusterCaps { max_cluster_width: Some(4), max_slots: Some(8), ..ClusterCaps::NONE };
/// # let _ = caps;
/// ```
///
/// [`PORTABLE`](Self::PORTABLE) goes further: one shape of launch for every GPU with clusters, about which nothing is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterCaps {
    /// Whether the width of the clusters and the shared memory are searched for, or what every device launches.
    pub sizing: ClusterSizing,
    /// Thread blocks per segment: 1 to 16. Widths are powers of two, so that a cap of 12 counts as 8. A portable launch has 8,
    /// and a cap below that is refused.
    pub max_cluster_width: Option<u32>,
    /// Chunks of 16 KiB in the shared memory of one thread block: at least 1.
    pub max_slots: Option<u32>,
    /// Whether what does not fit shared memory passes through it.
    pub streaming: Streaming,
    /// The longest segment, in keys, that one thread block takes alone where it fits one: up to 2^31 − 1.
    pub single_block_max_seg_size: u32,
    /// The chunks that a thread block must have to join in: at least 1.
    pub min_chunks_per_block: u32,
}

impl ClusterCaps {
    /// No restriction: what an engine has that was given no caps.
    pub const NONE: Self = Self {
        sizing: ClusterPolicy::DEFAULT.sizing,
        max_cluster_width: ClusterPolicy::DEFAULT.max_cluster_width,
        max_slots: ClusterPolicy::DEFAULT.max_slots,
        streaming: ClusterPolicy::DEFAULT.streaming,
        single_block_max_seg_size: ClusterPolicy::DEFAULT.single_block_max_seg_size,
        min_chunks_per_block: ClusterPolicy::DEFAULT.min_chunks_per_block,
    };

    /// Clusters of 8 blocks with at most 48 KiB of shared memory each, and no other restriction.
    ///
    /// Every GPU with clusters launches that. Planning asks the driver nothing, so that a plan does not know how many clusters
    /// run at once; no limit of a kernel is raised; and the launch is an ordinary one, since its kernels carry their width.
    /// Longer segments than the shared memory holds are served as ever, by reading again what does not fit: for contexts that
    /// may not ask or raise, or that must not depend on the product, at the price of speed.
    ///
    /// ```no_run
    /// use cluster_topk::Gpu;
    /// use cluster_topk::gpu::ClusterCaps;
    /// let gpu = Gpu::new(0)?.with_cluster_caps(ClusterCaps::PORTABLE)?;
    /// # let _ = gpu;
    /// # Ok::<(), cluster_topk::Error>(())
    /// ```
    pub const PORTABLE: Self = Self { sizing: ClusterSizing::Portable, ..Self::NONE };

    /// The policy that launches are planned under. What kernels are compiled with is not the caller's to change.
    pub(super) fn policy(self) -> Result<ClusterPolicy, Error> {
        let Self {
            sizing,
            max_cluster_width,
            max_slots,
            streaming,
            single_block_max_seg_size,
            min_chunks_per_block,
        } = self;
        let policy = ClusterPolicy {
            sizing,
            max_cluster_width,
            max_slots,
            streaming,
            single_block_max_seg_size,
            min_chunks_per_block,
            ..ClusterPolicy::DEFAULT
        };
        policy.validate().map_err(|fault| Error::BadClusterCaps { fault })?;
        Ok(policy)
    }
}

impl Default for ClusterCaps {
    fn default() -> Self {
        Self::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster_topk_abi::policy::PolicyError;

    #[test]
    fn no_caps_are_the_default_policy() {
        assert_eq!(ClusterCaps::default().policy(), Ok(ClusterPolicy::DEFAULT));
    }

    #[test]
    fn every_field_has_a_range() {
        let none = ClusterCaps::NONE;
        for (caps, fault) in [
            (ClusterCaps { max_cluster_width: Some(0), ..none }, PolicyError::MaxClusterWidth(0)),
            (ClusterCaps { max_cluster_width: Some(17), ..none }, PolicyError::MaxClusterWidth(17)),
            (
                ClusterCaps { max_cluster_width: Some(7), ..ClusterCaps::PORTABLE },
                PolicyError::PortableWidth(7),
            ),
            (ClusterCaps { max_slots: Some(0), ..none }, PolicyError::MaxSlots),
            (
                ClusterCaps { single_block_max_seg_size: 1 << 31, ..none },
                PolicyError::SingleBlockMaxSegSize(1 << 31),
            ),
            (ClusterCaps { min_chunks_per_block: 0, ..none }, PolicyError::MinChunksPerBlock),
        ] {
            assert_eq!(caps.policy(), Err(Error::BadClusterCaps { fault }));
        }
        let caps = ClusterCaps { max_cluster_width: Some(16), max_slots: Some(1), ..none };
        let policy = caps.policy().unwrap();
        assert_eq!((policy.max_cluster_width, policy.max_slots), (Some(16), Some(1)));
    }
}
