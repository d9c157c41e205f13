use super::{Backend, Waves, WidthReason};
use cluster_topk_abi::arch::ComputeCapability;
use core::fmt;

/// The decisions of the GPU engine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuPlan {
    /// The device's compute capability.
    pub compute_capability: ComputeCapability,
    /// The backend.
    pub backend: Backend,
    /// Who works on a segment.
    pub worker: &'static str,
    /// The entry point.
    pub kernel: &'static str,
    /// The most keys that a worker holds.
    pub keys_per_worker: u64,
    /// Thread blocks of the launch.
    pub blocks: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Blocks of a cluster; 1 without clusters.
    pub cluster_width: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes_per_block: u32,
    /// What only the cluster backend decides.
    pub cluster: Option<ClusterPlan>,
    /// The second launch, where one sorts what the first selects.
    pub order: Option<OrderPlan>,
}

/// The launch that sorts what the cluster backend has selected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderPlan {
    /// The entry point.
    pub kernel: &'static str,
    /// Thread blocks, one per segment.
    pub blocks: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes_per_block: u32,
    /// Whether shared memory holds all the items that a segment may give; otherwise segments that give more are sorted in the
    /// workspace.
    pub in_shared_memory: bool,
    /// What [`Request::workspace_bytes`](crate::Request::workspace_bytes) says.
    pub workspace_bytes: u64,
}

/// The decisions of the cluster backend beyond those of every GPU launch.
///
/// A block owns at most `chunks_per_block` chunks of any segment. Those that its shared memory holds are read once. The others are
/// read once, too, where the resident ones bound the k-th key well. Where all are needed for that they are read twice, and where
/// `k` is too large for a bound in every pass. By [`Streaming`](crate::gpu::Streaming) chunks then pass through the shared memory one
/// after the other, a pass the opposite way of the one before, so that it finds there what that has left; or the threads load them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClusterPlan {
    /// Why this backend.
    pub why: &'static str,
    /// Why this width.
    pub width_reason: WidthReason,
    /// The rounds in which all segments get their turn; unknown where the driver was not asked
    /// ([`ClusterSizing::Portable`](crate::gpu::ClusterSizing::Portable)).
    pub waves: Option<Waves>,
    /// Bytes of a chunk.
    pub chunk_bytes: u32,
    /// The most chunks of a block.
    pub chunks_per_block: u32,
    /// Of these, the chunks that are in shared memory at once.
    pub resident_chunks: u32,
    /// Of these, the chunks beyond.
    pub reread_chunks: u32,
    /// Whether chunks pass through the shared memory. Otherwise those that it holds stay.
    pub streams: bool,
    /// The items of a segment that the kernel itself brings in order, in the shared memory of the block that leads; 0 where the
    /// output is not sorted, or a second launch sorts.
    pub sorted_items: u32,
}

impl fmt::Display for GpuPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "backend   {}: {}", self.backend, self.worker)?;
        match &self.cluster {
            None => writeln!(f, ", up to {} keys each", self.keys_per_worker)?,
            Some(cluster) => {
                writeln!(f, " of {} ({}; {})", blocks(self.cluster_width), cluster.why, cluster.width_reason)?
            }
        }
        write!(
            f,
            "launch    {} x {} threads, {} bytes of shared memory a block, kernel {}",
            self.blocks, self.threads_per_block, self.shared_bytes_per_block, self.kernel
        )?;
        let Some(cluster) = &self.cluster else { return Ok(()) };
        let ClusterPlan { waves, chunk_bytes, chunks_per_block, resident_chunks, reread_chunks, .. } =
            cluster;
        match waves {
            Some(Waves { clusters, count }) => {
                let s = if *count == 1 { "" } else { "s" };
                write!(f, "\nwaves     {count} wave{s} of up to {clusters} clusters at once\nkeys      ")?;
            }
            None => f.write_str("\nwaves     unknown: the driver was not asked\nkeys      ")?,
        }
        match reread_chunks {
            0 => write!(f, "resident: up to {chunks_per_block} chunks of {chunk_bytes} bytes a block"),
            _ if cluster.streams => write!(
                f,
                "up to {chunks_per_block} chunks of {chunk_bytes} bytes a block, which pass through the room of \
                 {resident_chunks}"
            ),
            _ => write!(
                f,
                "up to {chunks_per_block} chunks of {chunk_bytes} bytes a block: {resident_chunks} resident, \
                 {reread_chunks} read from global memory"
            ),
        }?;
        if cluster.sorted_items > 0 {
            let items = cluster.sorted_items;
            write!(
                f,
                "\norder     by the leading block, in its shared memory: up to {items} items a segment"
            )?;
        }
        let Some(order) = &self.order else { return Ok(()) };
        let how =
            if order.in_shared_memory { "in shared memory" } else { "by radix passes over the workspace" };
        write!(
            f,
            "\norder     a thread block per segment, {how}: {} x {} threads, {} bytes of shared memory a block, kernel {}\n\
             workspace {} bytes",
            order.blocks,
            order.threads_per_block,
            order.shared_bytes_per_block,
            order.kernel,
            order.workspace_bytes
        )
    }
}

fn blocks(count: u32) -> String {
    if count == 1 { "1 thread block".into() } else { format!("{count} thread blocks") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(cluster: Option<ClusterPlan>) -> GpuPlan {
        let backend = if cluster.is_some() { Backend::Cluster } else { Backend::Baseline };
        GpuPlan {
            compute_capability: ComputeCapability::new(9, 0),
            backend,
            worker: "a cluster per segment",
            kernel: "cluster_32",
            keys_per_worker: 16 * 13 * 4096,
            blocks: 128,
            threads_per_block: 512,
            cluster_width: 16,
            shared_bytes_per_block: 221_808,
            cluster,
            order: None,
        }
    }

    #[test]
    fn a_cluster_plan_says_everything() {
        let mut cluster = ClusterPlan {
            why: "longer segments than the baseline covers",
            width_reason: WidthReason::LeastTime,
            waves: Some(Waves { clusters: 8, count: 2 }),
            chunk_bytes: 16_384,
            chunks_per_block: 16,
            resident_chunks: 13,
            reread_chunks: 3,
            streams: false,
            sorted_items: 0,
        };
        assert_eq!(
            plan(Some(cluster.clone())).to_string(),
            "backend   cluster: a cluster per segment of 16 thread blocks (longer segments than the baseline covers; \
             least time by estimate, of all widths)\n\
             launch    128 x 512 threads, 221808 bytes of shared memory a block, kernel cluster_32\n\
             waves     2 waves of up to 8 clusters at once\n\
             keys      up to 16 chunks of 16384 bytes a block: 13 resident, 3 read from global memory"
        );
        let ordered = GpuPlan {
            order: Some(OrderPlan {
                kernel: "order_32",
                blocks: 8,
                threads_per_block: 1024,
                shared_bytes_per_block: 1500,
                in_shared_memory: true,
                workspace_bytes: 2048,
            }),
            ..plan(Some(cluster.clone()))
        };
        assert_eq!(
            ordered.to_string(),
            plan(Some(cluster.clone())).to_string()
                + "\norder     a thread block per segment, in shared memory: 8 x 1024 threads, 1500 bytes of shared memory a \
                   block, kernel order_32\nworkspace 2048 bytes"
        );
        let text = plan(Some(ClusterPlan { streams: true, ..cluster.clone() })).to_string();
        assert!(
            text.ends_with("up to 16 chunks of 16384 bytes a block, which pass through the room of 13"),
            "{text}"
        );
        cluster = ClusterPlan {
            waves: Some(Waves { clusters: 8, count: 1 }),
            resident_chunks: 16,
            reread_chunks: 0,
            ..cluster
        };
        let sorting = plan(Some(ClusterPlan { sorted_items: 2048, ..cluster.clone() })).to_string();
        assert!(
            sorting.ends_with(
                "\norder     by the leading block, in its shared memory: up to 2048 items a segment"
            )
        );
        let text = plan(Some(cluster.clone())).to_string();
        assert!(text.contains("waves     1 wave of"), "{text}");
        assert!(text.ends_with("resident: up to 16 chunks of 16384 bytes a block"), "{text}");
        cluster = ClusterPlan { width_reason: WidthReason::Portable, waves: None, ..cluster };
        let text = plan(Some(cluster)).to_string();
        assert!(text.contains("; portable: ") && text.contains("waves     unknown: "), "{text}");
    }

    #[test]
    fn a_baseline_plan_stays_as_it_is() {
        let plan = GpuPlan { worker: "a warp per segment", keys_per_worker: 64, ..plan(None) };
        assert_eq!(
            plan.to_string(),
            "backend   baseline: a warp per segment, up to 64 keys each\n\
             launch    128 x 512 threads, 221808 bytes of shared memory a block, kernel cluster_32"
        );
    }
}
