//! A launch in the words of a plan.

use super::{Choice, Gpu, cluster};
use crate::env::Spec;
use crate::error::Error;
use crate::key::{Direction, Key};
use crate::plan::{Backend, ClusterPlan, EnginePlan, GpuPlan, OrderPlan, Plan};
use crate::validate::Extent;
use cluster_topk_abi::layout::TileGeometry;
use cluster_topk_abi::policy::OrderPolicy;

impl Gpu {
    /// The plan of what was chosen. For a cluster it asks the driver, and so loads the kernel, as a call would.
    pub(crate) fn describe<K: Key>(
        &self,
        direction: Direction,
        extent: Extent,
        choice: &Choice,
        spec: &Spec,
        reason: &str,
    ) -> Result<Plan, Error> {
        let (_, kernel) = choice.kernel();
        let engine = match choice {
            Choice::Baseline(launch) => GpuPlan {
                compute_capability: self.capability,
                backend: Backend::Baseline,
                worker: launch.worker,
                kernel,
                keys_per_worker: launch.tile,
                blocks: launch.shape.blocks,
                threads_per_block: launch.shape.threads,
                cluster_width: launch.shape.cluster_width,
                shared_bytes_per_block: launch.shape.shared_bytes,
                cluster: None,
                order: None,
            },
            Choice::Cluster { demand, why, order, .. } => {
                let function = self.function(choice.kernel())?;
                let (plan, runs, _) = self.cluster_plan(function, demand)?;
                let shape = cluster::shape(&plan, &self.policy, demand.num_segments);
                let width = plan.shape.cluster_width;
                let chunk_keys = TileGeometry::of(&self.policy, demand.key_width, 0).chunk_keys();
                GpuPlan {
                    compute_capability: self.capability,
                    backend: Backend::Cluster,
                    worker: "a cluster per segment",
                    kernel: runs.entry,
                    keys_per_worker: u64::from(width) * u64::from(plan.slots) * chunk_keys,
                    blocks: shape.blocks,
                    threads_per_block: shape.threads,
                    cluster_width: width,
                    shared_bytes_per_block: shape.shared_bytes,
                    cluster: Some(ClusterPlan {
                        why,
                        width_reason: plan.reason,
                        waves: plan.waves,
                        chunk_bytes: self.policy.chunk_bytes,
                        chunks_per_block: plan.chunks_per_rank,
                        resident_chunks: plan.resident_chunks_per_rank(),
                        reread_chunks: plan.reread_chunks_per_rank(),
                        streams: plan.streams,
                        sorted_items: cluster::sorted_items(demand),
                    }),
                    order: order.map(|order| OrderPlan {
                        kernel: order.entry,
                        blocks: order.shape.blocks,
                        threads_per_block: order.shape.threads,
                        shared_bytes_per_block: order.shape.shared_bytes,
                        in_shared_memory: order.workspace.items <= OrderPolicy::DEFAULT.capacity(),
                        workspace_bytes: order.workspace_bytes,
                    }),
                }
            }
        };
        Ok(Plan {
            contract: spec.contract,
            direction,
            key_type: K::TYPE,
            num_segments: extent.num_segments,
            max_segment_size: extent.max_size,
            max_k: extent.max_k,
            output_pitch: extent.output_pitch,
            engine: EnginePlan::Gpu(engine),
            reason: reason.into(),
        })
    }
}
