//! The GPU engine.
//!
//! | file | what it settles |
//! | --- | --- |
//! | `memory` | what a buffer on a device is |
//! | `params` | what the host can check, and what the kernel is told |
//! | `baseline` | which kernel, in which shape |
//! | `modules` | where the device code comes from |
//! | `driver` | the calls into the driver |
//! | `staged` | calls whose buffers are in host memory |
//! | `cust` | streams and buffers of cust, with the feature of that name |

mod baseline;
#[cfg(feature = "cust")]
pub mod cust;
mod driver;
mod memory;
mod modules;
mod params;
mod staged;

pub(crate) use baseline::Launch;
pub use memory::{DeviceMemory, DeviceView, DeviceViewMut};
pub(crate) use staged::run as run_staged;

use crate::env::{BackendOverride, Spec};
use crate::error::Error;
use crate::key::{Direction, Key};
use crate::plan::{EnginePlan, GpuPlan, Plan};
use crate::request::Call;
use crate::validate::Extent;
use cluster_topk_abi::arch::ComputeCapability;
use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, CudaStream};
use modules::Modules;
use params::DeviceShape;
use std::sync::Arc;

/// What to do where the device code is missing.
pub(crate) const REMEDY: &str = "run `cargo xtask device build` in the workspace and build again, or use a published package, which carries it";

/// A GPU, and the stream that calls are enqueued on.
///
/// A call returns when its work is enqueued; results are there once the stream has passed it
/// ([`CudaStream::synchronize`]). No call allocates device memory or synchronises. Calls may be captured into a graph once
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
    modules: Arc<Modules>,
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
            let reason = "the kernels need sm_80 or newer";
            return Err(Error::UnsupportedArchitecture { capability: capability.to_string(), reason });
        }
        let sms = context
            .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(driver::failed("cuDeviceGetAttribute"))?;
        let modules = Modules::of(context, capability);
        Ok(Self { stream, capability, sms: sms.unsigned_abs(), modules })
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

    /// The launch that serves the request.
    pub(crate) fn launch<K: Key>(&self, extent: Extent, spec: &Spec) -> Result<Launch, Error> {
        let unsupported = |reason| Error::Unsupported { reason };
        if spec.backend == BackendOverride::ForceCluster {
            return Err(unsupported("the cluster backend is not part of this version"));
        }
        if spec.contract.needs_deterministic_set() || spec.contract.is_sorted() {
            return Err(unsupported(
                "the GPU engine of this version serves (NotGuaranteed, Unspecified, Unsorted) only; the CPU engine serves \
                 every requirement",
            ));
        }
        let Extent { num_segments, max_size, max_k, .. } = extent;
        baseline::launch(K::TYPE.width(), num_segments, max_size, max_k, self.sms).ok_or(unsupported(
            "segments of more than 16384 keys need the cluster backend, which is not part of this version; bound the size if \
             yours are shorter",
        ))
    }

    /// The plan of a launch.
    pub(crate) fn describe<K: Key>(
        &self,
        direction: Direction,
        extent: Extent,
        launch: &Launch,
        spec: &Spec,
        reason: &str,
    ) -> Plan {
        let engine = EnginePlan::Gpu(GpuPlan {
            compute_capability: self.capability,
            worker: launch.worker,
            kernel: launch.entry,
            keys_per_worker: launch.tile,
            blocks: launch.shape.blocks,
            threads_per_block: launch.shape.threads,
            cluster_width: launch.shape.cluster_width,
            shared_bytes_per_block: launch.shape.shared_bytes,
        });
        Plan {
            contract: spec.contract,
            direction,
            key_type: K::TYPE,
            num_segments: extent.num_segments,
            max_segment_size: extent.max_size,
            max_k: extent.max_k,
            output_pitch: extent.output_pitch,
            engine,
            reason: reason.into(),
        }
    }

    pub(crate) fn plan<K: Key>(
        &self,
        call: &Call<'_, '_, K, DeviceMemory>,
        spec: &Spec,
        reason: &str,
    ) -> Result<Plan, Error> {
        let extent = DeviceShape::of(call)?.extent();
        let launch = self.launch::<K>(extent, spec)?;
        Ok(self.describe::<K>(call.direction, extent, &launch, spec, reason))
    }

    pub(crate) fn prepare<K: Key>(
        &self,
        call: &Call<'_, '_, K, DeviceMemory>,
        spec: &Spec,
    ) -> Result<(), Error> {
        let launch = self.launch::<K>(DeviceShape::of(call)?.extent(), spec)?;
        self.modules.function(launch.module, launch.entry).map(drop)
    }

    #[allow(unsafe_code, reason = "a launch is unsafe; see the argument there")]
    pub(crate) fn run<K: Key>(&self, call: Call<'_, '_, K, DeviceMemory>, spec: &Spec) -> Result<(), Error> {
        let shape = DeviceShape::of(&call)?;
        let launch = self.launch::<K>(shape.extent(), spec)?;
        if shape.output.elements == 0 {
            return Ok(());
        }
        let function = match self.modules.ready(launch.entry) {
            Some(function) => function,
            None if driver::is_capturing(&self.stream)? => return Err(Error::NotPrepared),
            None => self.modules.function(launch.module, launch.entry)?,
        };
        let context = self.stream.context();
        if context.is_managing_stream_synchronization() && driver::is_capturing(&self.stream)? {
            return Err(Error::TrackedUnderCapture);
        }
        context.bind_to_thread().map_err(driver::failed("cuCtxSetCurrent"))?;
        let (params, guards) = params::lower(call, &shape, spec.contract, &self.stream)?;
        // SAFETY: `DeviceShape::of` checked the buffers' lengths against the declared bounds, to which the kernel clamps what
        // lies in device memory; `lower` checked that they are aligned, lie in this context and do not overlap; the borrows
        // and the guards keep them alive and ordered until the launch is enqueued, and cudarc frees in stream order. The
        // shape is the one that the kernel was built for.
        let launched = unsafe { function.launch(&self.stream, launch.shape, &params) };
        drop(guards);
        launched
    }
}
