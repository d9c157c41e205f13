//! The GPU engine in the matrix: buffers are copied to the device and back, each with a guard around it.

mod buffer;
mod call;
mod forms;
mod requirements;

use super::{Inputs, Outputs, Runner};
use crate::key::TestKey;
use crate::request::Request;
use cluster_topk::env::{BackendOverride, Env};
use cluster_topk::gpu::ClusterCaps;
use cluster_topk::plan::{EnginePlan, GpuPlan, Plan};
use cluster_topk::requirement::{NotGuaranteed, Unsorted, Unspecified};
use cluster_topk::{Error, Gpu};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use call::call;
pub(crate) use forms::{All, Common};

/// What every backend of the GPU engine serves.
pub type Served = (NotGuaranteed, Unspecified, Unsorted);

/// What the GPU engine has planned.
///
/// # Panics
///
/// When it is another engine's plan.
#[must_use]
pub fn of_gpu(plan: &Plan) -> &GpuPlan {
    match &plan.engine {
        EnginePlan::Gpu(gpu) => gpu,
        _ => panic!("the GPU engine plans for itself: {plan}"),
    }
}

/// Runs requests on a GPU, under any requirement.
///
/// A driver's error panics: after one the context is lost.
#[derive(Debug)]
pub struct GpuRunner {
    gpu: Gpu,
    env: Env<Gpu, Served>,
    backend: BackendOverride,
    caps: ClusterCaps,
    /// The kernels that were launched so far, each with its cluster width; shared with the runners made from this one.
    launched: Arc<Mutex<BTreeSet<(&'static str, u32)>>>,
}

impl GpuRunner {
    /// On `gpu`'s stream. The engine must have no caps.
    #[must_use]
    pub fn on(gpu: Gpu) -> Self {
        let env = Env::gpu(gpu.clone()).require((NotGuaranteed, Unspecified, Unsorted));
        let (backend, caps) = (BackendOverride::Automatic, ClusterCaps::NONE);
        Self { gpu, env, backend, caps, launched: Arc::default() }
    }

    /// A runner on this one's stream that forces the cluster backend, under caps.
    ///
    /// # Panics
    ///
    /// When the caps are not usable.
    #[must_use]
    pub fn on_clusters(&self, caps: ClusterCaps) -> Self {
        let gpu = self.gpu.clone().with_cluster_caps(caps).expect("the caps are usable");
        let runner = Self::on(gpu);
        let backend = BackendOverride::ForceCluster;
        Self { env: runner.env.backend(backend), backend, caps, launched: self.launched.clone(), ..runner }
    }

    /// The engine.
    #[must_use]
    pub const fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The environment that requests run in.
    #[must_use]
    pub const fn env(&self) -> &Env<Gpu, Served> {
        &self.env
    }

    /// The kernels that were launched so far, each with its cluster width.
    #[must_use]
    pub fn launched(&self) -> BTreeSet<(&'static str, u32)> {
        self.launched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Compares plan and call, and notes the kernel, unless there was nothing to launch it for.
    fn settle(
        &self,
        plan: Result<Plan, Error>,
        workspace_bytes: u64,
        called: Result<(), Error>,
    ) -> Result<(), Error> {
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                assert_eq!(Err(error), called, "the plan and the call disagree");
                return called;
            }
        };
        let gpu = of_gpu(&plan);
        match (self.backend, &gpu.cluster) {
            (BackendOverride::Automatic, _) | (BackendOverride::ForceBaseline, None) => {}
            (BackendOverride::ForceCluster, Some(cluster)) => {
                assert!(gpu.cluster_width <= self.caps.max_cluster_width.unwrap_or(16), "{plan}");
                assert!(cluster.resident_chunks <= self.caps.max_slots.unwrap_or(u32::MAX), "{plan}");
                assert_eq!(
                    cluster.resident_chunks + cluster.reread_chunks,
                    cluster.chunks_per_block,
                    "{plan}"
                );
                assert_eq!(u64::from(gpu.blocks), plan.num_segments * u64::from(gpu.cluster_width), "{plan}");
            }
            (forced, _) => panic!("{forced:?} was not heeded: {plan}"),
        }
        assert_eq!(gpu.order.as_ref().map_or(0, |order| order.workspace_bytes), workspace_bytes, "{plan}");
        if called.is_ok() && plan.num_segments > 0 && plan.max_k > 0 && plan.max_segment_size > 0 {
            let mut launched = self.launched.lock().unwrap_or_else(PoisonError::into_inner);
            launched.insert((gpu.kernel, gpu.cluster_width));
            launched.extend(gpu.order.as_ref().map(|order| (order.kernel, 1)));
        }
        called
    }
}

impl Runner for GpuRunner {
    fn run<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Error> {
        K::call_gpu(self, request, inputs, out)
    }
}
