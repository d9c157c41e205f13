//! The GPU engine in the matrix: buffers are copied to the device and back, each with a guard around it.

mod buffer;
mod call;
mod forms;

use super::{Inputs, Outputs, Runner};
use crate::key::TestKey;
use crate::request::Request;
use cluster_topk::env::Env;
use cluster_topk::plan::{EnginePlan, Plan};
use cluster_topk::requirement::{NotGuaranteed, Unsorted, Unspecified};
use cluster_topk::{Error, Gpu};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

pub(crate) use call::call;
pub(crate) use forms::{All, Common};

/// What the GPU engine serves.
pub type Served = (NotGuaranteed, Unspecified, Unsorted);

/// Runs requests on a GPU. They must be under [`Pair::NotGuaranteed`](crate::request::Pair::NotGuaranteed) and
/// [`Order::Unsorted`](crate::request::Order::Unsorted).
///
/// A driver's error panics: after one the context is lost.
#[derive(Debug)]
pub struct GpuRunner {
    gpu: Gpu,
    env: Env<Gpu, Served>,
    kernels: Mutex<BTreeSet<&'static str>>,
}

impl GpuRunner {
    /// On `gpu`'s stream.
    #[must_use]
    pub fn on(gpu: Gpu) -> Self {
        let env = Env::gpu(gpu.clone()).require((NotGuaranteed, Unspecified, Unsorted));
        Self { gpu, env, kernels: Mutex::default() }
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

    /// The kernels that were launched so far.
    #[must_use]
    pub fn kernels(&self) -> BTreeSet<&'static str> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Compares plan and call, and notes the kernel, unless there was nothing to launch it for.
    fn settle(&self, plan: Result<Plan, Error>, called: Result<(), Error>) -> Result<(), Error> {
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                assert_eq!(Err(error), called, "the plan and the call disagree");
                return called;
            }
        };
        let EnginePlan::Gpu(gpu) = &plan.engine else { panic!("the GPU engine plans for itself: {plan}") };
        if called.is_ok() && plan.num_segments > 0 && plan.max_k > 0 && plan.max_segment_size > 0 {
            self.kernels.lock().unwrap_or_else(PoisonError::into_inner).insert(gpu.kernel);
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
