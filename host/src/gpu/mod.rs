//! The GPU engine.
//!
//! | file | what it settles |
//! | --- | --- |
//! | `memory` | what a buffer on a device is |
//! | `params` | what the host can check, and what the kernel is told |
//! | `backend` | baseline or cluster, and why |
//! | `baseline` | which of the baseline's kernels, in which shape |
//! | `cluster` | the cluster kernel: how wide, with how much shared memory, searched for or portable |
//! | `order` | the kernel that sorts what it selects, and the workspace between the two |
//! | `caps` | what the caller may restrict of that |
//! | `describe` | all of it in a plan |
//! | `modules` | where the device code comes from |
//! | `driver` | the calls into the driver |
//! | `staged` | calls whose buffers are in host memory |
//! | `cust` | streams and buffers of cust, with the feature of that name |

mod backend;
mod baseline;
mod caps;
mod cluster;
#[cfg(feature = "cust")]
pub mod cust;
mod describe;
mod driver;
mod memory;
mod modules;
mod order;
mod params;
mod staged;

pub use caps::ClusterCaps;
pub use cluster_topk_abi::policy::{ClusterSizing, PolicyError, Streaming};
pub use memory::{DeviceMemory, DeviceView, DeviceViewMut};
pub(crate) use staged::run as run_staged;

use crate::env::Spec;
use crate::error::Error;
use crate::key::Key;
use crate::plan::Plan;
use crate::request::Call;
use crate::validate::Extent;
use cluster_topk_abi::arch::{ComputeCapability, MAX_CLUSTER_WIDTH};
use cluster_topk_abi::params::OrderParams;
use cluster_topk_abi::plan::{ClusterLimits, ClusterPlan, Demand, Loads};
use cluster_topk_abi::policy::{ClusterPolicy, SortedBy};
use cluster_topk_abi::selector::{BASELINE_MAX_SEGMENT_SIZE, Backend};
use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, CudaStream};
use driver::{Function, LaunchShape};
use modules::Modules;
use params::DeviceShape;
use std::sync::Arc;

/// What to do where the device code is missing.
pub(crate) const REMEDY: &str = "run `cargo xtask device build` in the workspace and build again, or use a published package, which carries it";

/// A GPU, and the stream that calls are enqueued on.
///
/// A call returns when its work is enqueued; results are there once the stream has passed it
/// ([`CudaStream::synchronize`]). No call allocates device memory or synchronises; the one kind that needs room beside its
/// outputs, sorted output of the cluster backend, is given it by the caller:
/// [`Request::workspace`](crate::Request::workspace). Calls may be captured into a graph once
/// [`Request::prepare`](crate::Request::prepare) has loaded what they need; where the context tracks events (cudarc does once it
/// has several streams) the capture needs `disable_event_tracking` before the buffers are made.
///
/// Cheap to clone; engines of one context share the loaded modules.
#[derive(Clone, Debug)]
pub struct Gpu {
    stream: Arc<CudaStream>,
    capability: ComputeCapability,
    /// Multiprocessors of the device.
    sms: u32,
    limits: ClusterLimits,
    policy: ClusterPolicy,
    modules: Arc<Modules>,
}

/// What serves a request, as far as is known before anything is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    /// A kernel of the baseline, in its shape.
    Baseline(baseline::Launch),
    /// The cluster kernel; its shape takes the driver's answers.
    Cluster {
        kernel: cluster::Entry,
        demand: Demand,
        /// Why this backend.
        why: &'static str,
        /// The second launch, where one sorts the items.
        order: Option<order::Launch>,
    },
}

impl Choice {
    const fn kernel(&self) -> (&'static str, &'static str) {
        match self {
            Self::Baseline(launch) => (launch.module, launch.entry),
            Self::Cluster { kernel, .. } => (kernel.module, kernel.entry),
        }
    }

    /// The second launch, if there is one.
    const fn order(&self) -> Option<&order::Launch> {
        match self {
            Self::Baseline(_) => None,
            Self::Cluster { order, .. } => order.as_ref(),
        }
    }

    /// Bytes of device memory that the call needs beside its outputs.
    pub(crate) fn workspace_bytes(&self) -> u64 {
        self.order().map_or(0, |order| order.workspace_bytes)
    }
}

impl Gpu {
    /// Device `ordinal` on its default stream.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceCodeMissing`], [`Error::NoDriver`], [`Error::NoDevice`], [`Error::UnsupportedArchitecture`], or
    /// [`Error::Driver`] if the context cannot be made.
    pub fn new(ordinal: usize) -> Result<Self, Error> {
        if !modules::any() {
            return Err(Error::DeviceCodeMissing { remedy: REMEDY });
        }
        if !driver::present() {
            return Err(Error::NoDriver);
        }
        // A driver without a device refuses to initialise.
        let count = CudaContext::device_count().unwrap_or(0) as usize;
        if ordinal >= count {
            return Err(Error::NoDevice { ordinal, count });
        }
        let context = CudaContext::new(ordinal).map_err(driver::failed("cuDevicePrimaryCtxRetain"))?;
        Self::on(context.default_stream())
    }

    /// The device and context of `stream`, on that stream.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceCodeMissing`] or [`Error::UnsupportedArchitecture`].
    pub fn on(stream: Arc<CudaStream>) -> Result<Self, Error> {
        if !modules::any() {
            return Err(Error::DeviceCodeMissing { remedy: REMEDY });
        }
        let context = stream.context();
        let (major, minor) = context.compute_capability().map_err(driver::failed("cuDeviceGetAttribute"))?;
        let capability = ComputeCapability::new(major as u8, minor as u8);
        if !capability.at_least(ComputeCapability::new(8, 0)) {
            let reason = "the kernels need sm_80 or newer".into();
            return Err(Error::UnsupportedArchitecture { capability: capability.to_string(), reason });
        }
        let attribute = |attribute| {
            let value = context.attribute(attribute).map_err(driver::failed("cuDeviceGetAttribute"))?;
            Ok::<u32, Error>(value.unsigned_abs())
        };
        let sms = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let optin = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let limits = ClusterLimits {
            smem_per_block_optin_bytes: optin,
            // A device that the table does not know is asked for every width.
            max_cluster_width: capability
                .limits()
                .map_or(MAX_CLUSTER_WIDTH, |limits| limits.max_cluster_width),
            multiprocessors: sms,
        };
        let modules = Modules::of(context, capability);
        Ok(Self { stream, capability, sms, limits, policy: ClusterPolicy::DEFAULT, modules })
    }

    /// The same engine, its cluster backend restricted; caps that it had are replaced.
    ///
    /// # Errors
    ///
    /// [`Error::BadClusterCaps`] if a field is outside its range.
    pub fn with_cluster_caps(self, caps: ClusterCaps) -> Result<Self, Error> {
        Ok(Self { policy: caps.policy()?, ..self })
    }

    /// The stream that calls are enqueued on.
    #[must_use]
    pub const fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The device's compute capability.
    #[must_use]
    pub const fn compute_capability(&self) -> ComputeCapability {
        self.capability
    }

    /// What serves the request. Nothing is loaded for the answer, nor is the driver asked.
    pub(crate) fn choose<K: Key>(
        &self,
        extent: Extent,
        element_stride: usize,
        spec: &Spec,
    ) -> Result<Choice, Error> {
        let Extent { num_segments, max_size, max_k, .. } = extent;
        let width = K::TYPE.width();
        match backend::select(self.capability, max_size, spec.contract, spec.backend)? {
            (Backend::Baseline, _) => {
                let sorted = spec.contract.is_sorted();
                let launch = baseline::launch(width, num_segments, max_size, max_k, sorted, self.sms);
                let too_long =
                    || format!("the baseline covers {BASELINE_MAX_SEGMENT_SIZE} keys, not {max_size}");
                Ok(Choice::Baseline(launch.ok_or_else(|| Error::Unsupported { reason: too_long() })?))
            }
            (Backend::Cluster, why) => {
                let (items, sizing) = (max_k.min(max_size), self.policy.sizing);
                let by = SortedBy::of(spec.contract.is_sorted(), items, sizing);
                Ok(Choice::Cluster {
                    kernel: cluster::entry(width, cluster::Family::planned(sizing)),
                    demand: Demand {
                        key_width: width,
                        max_segment_size: max_size,
                        num_segments,
                        loads: Loads::of_stride(element_stride as u64),
                        max_k,
                        sorts: by == SortedBy::ClusterKernel,
                    },
                    why,
                    order: order::launch(width, num_segments, items, by),
                })
            }
        }
    }

    /// A kernel, loaded if need be, which a capture does not allow.
    fn function(&self, (module, entry): (&'static str, &'static str)) -> Result<Arc<Function>, Error> {
        match self.modules.ready(entry) {
            Some(function) => Ok(function),
            None if driver::is_capturing(&self.stream)? => Err(Error::NotPrepared),
            None => self.modules.function(module, entry),
        }
    }

    /// The second launch of a choice and its kernel, if there is one.
    fn second<'c>(&self, choice: &'c Choice) -> Result<Option<(&'c order::Launch, Arc<Function>)>, Error> {
        let order = choice.order();
        order.map(|order| Ok((order, self.function((order.module, order.entry))?))).transpose()
    }

    /// Width and shared memory of a chosen cluster launch, and the kernel that it runs: `function`, for which the launch is
    /// planned, or a sibling for chunks that pass through shared memory, of which as many fit a multiprocessor. A portable
    /// launch asks the driver nothing.
    fn cluster_plan(
        &self,
        function: Arc<Function>,
        demand: &Demand,
    ) -> Result<(ClusterPlan, cluster::Entry, Arc<Function>), Error> {
        let plan = cluster::plan(&function, &self.policy, demand, &self.limits)?;
        let sizing = self.policy.sizing;
        let entry = |family| cluster::entry(demand.key_width, family);
        let (planned, runs) =
            (entry(cluster::Family::planned(sizing)), entry(cluster::Family::of(&plan, sizing)));
        let function = if runs == planned { function } else { self.function((runs.module, runs.entry))? };
        Ok((plan, runs, function))
    }

    pub(crate) fn plan<K: Key>(
        &self,
        call: &Call<'_, '_, K, DeviceMemory>,
        spec: &Spec,
        reason: &str,
    ) -> Result<Plan, Error> {
        let extent = DeviceShape::of(call)?.extent();
        let choice = self.choose::<K>(extent, call.element_stride, spec)?;
        self.describe::<K>(call.direction, extent, &choice, spec, reason)
    }

    pub(crate) fn prepare<K: Key>(
        &self,
        call: &Call<'_, '_, K, DeviceMemory>,
        spec: &Spec,
    ) -> Result<(), Error> {
        let choice = self.choose::<K>(DeviceShape::of(call)?.extent(), call.element_stride, spec)?;
        let function = self.function(choice.kernel())?;
        if let Some((order, function)) = self.second(&choice)? {
            function.allow(order.shape)?;
        }
        match &choice {
            Choice::Baseline(_) => Ok(()),
            Choice::Cluster { demand, .. } => {
                let (plan, _, function) = self.cluster_plan(function, demand)?;
                function.allow(cluster::shape(&plan, &self.policy, demand.num_segments))
            }
        }
    }

    /// Bytes of device memory that the call needs beside its outputs. Nothing is loaded for the answer.
    pub(crate) fn workspace_bytes<K: Key>(
        &self,
        call: &Call<'_, '_, K, DeviceMemory>,
        spec: &Spec,
    ) -> Result<u64, Error> {
        let extent = DeviceShape::of(call)?.extent();
        Ok(self.choose::<K>(extent, call.element_stride, spec)?.workspace_bytes())
    }

    #[allow(unsafe_code, reason = "a launch is unsafe; see the argument there")]
    pub(crate) fn run<K: Key>(&self, call: Call<'_, '_, K, DeviceMemory>, spec: &Spec) -> Result<(), Error> {
        let shape = DeviceShape::of(&call)?;
        let choice = self.choose::<K>(shape.extent(), call.element_stride, spec)?;
        if shape.output.elements == 0 {
            return Ok(());
        }
        let mut function = self.function(choice.kernel())?;
        let second = self.second(&choice)?;
        let context = self.stream.context();
        if context.is_managing_stream_synchronization() && driver::is_capturing(&self.stream)? {
            return Err(Error::TrackedUnderCapture);
        }
        context.bind_to_thread().map_err(driver::failed("cuCtxSetCurrent"))?;
        let lowered = params::lower(call, &shape, spec.contract, choice.workspace_bytes(), &self.stream)?;
        let params::Lowering { mut params, workspace, acquired: guards } = lowered;
        let launch: LaunchShape = match &choice {
            Choice::Baseline(launch) => launch.shape,
            Choice::Cluster { demand, .. } => {
                let (plan, _, runs) = self.cluster_plan(function, demand)?;
                function = runs;
                cluster::tell(&mut params, &plan, &self.policy, demand);
                cluster::shape(&plan, &self.policy, demand.num_segments)
            }
        };
        let order = second.map(|(order, function)| {
            let params = OrderParams::of(params, order.workspace, workspace);
            (order, function, params)
        });
        if let Some((.., order)) = &order {
            params = order.selection();
        }
        // SAFETY: `DeviceShape::of` checked the buffers' lengths against the declared bounds, to which the kernel clamps what
        // lies in device memory; `lower` checked that they are aligned, lie in this context and do not overlap; the borrows
        // and the guards keep them alive and ordered until the launch is enqueued, and cudarc frees in stream order. The
        // shape is the one that the kernel was built for: the baseline's table says it, or the search took it from the policy
        // that the kernel was compiled with, and told the kernel the slots that the shared memory holds. Where the output is
        // the workspace, `lower` checked that it is as long as its rows, to which `selection` keeps the kernel.
        let mut launched = unsafe { function.launch(&self.stream, launch, &params) };
        if let (Ok(()), Some((order, function, params))) = (&launched, &order) {
            // SAFETY: as above; the shape is that of the policy that the kernel was compiled with, and the launch before it on
            // this stream leaves the workspace as the kernel expects it.
            launched = unsafe { function.launch(&self.stream, order.shape, params) };
        }
        drop(guards);
        launched
    }
}
