//! The driver calls that cudarc does not wrap, each behind a safe function.
#![allow(unsafe_code, reason = "the one place that calls the driver's C interface")]

use crate::error::Error;
use cluster_topk_abi::arch::MAX_PORTABLE_CLUSTER_WIDTH;
use core::ffi::c_void;
use cudarc::driver::sys::{
    self, CUfunction_attribute, CUlaunchAttribute, CUlaunchAttributeValue, CUlaunchConfig,
};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

/// Dynamic shared memory that every kernel may use without asking, in bytes.
const WITHOUT_OPT_IN: u32 = 48 << 10;

/// Whether the driver library is there. cudarc's own calls panic where it is not.
pub(super) fn present() -> bool {
    // SAFETY: tries to open the library by its known names, which runs no more than its initialisers.
    unsafe { sys::is_culib_present() }
}

/// Turns a driver's answer into the library's error.
pub(super) fn failed(call: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| {
        let text = |name: Result<&core::ffi::CStr, DriverError>| {
            name.map_or_else(|_| format!("{:?}", error.0), |name| name.to_string_lossy().into_owned())
        };
        Error::Driver { call, code: text(error.error_name()), message: text(error.error_string()) }
    }
}

/// A loaded module; unloaded when dropped.
#[derive(Debug)]
pub(super) struct Module {
    raw: sys::CUmodule,
    context: Arc<CudaContext>,
}

// SAFETY: a module handle may be used from any thread; the driver locks.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Compiles and loads a module's PTX.
    pub(super) fn load(context: &Arc<CudaContext>, ptx: &str) -> Result<Self, Error> {
        context.bind_to_thread().map_err(failed("cuCtxSetCurrent"))?;
        let image = CString::new(ptx).map_err(|_| Error::DeviceCodeMissing { remedy: super::REMEDY })?;
        // SAFETY: the image is a string that ends in a zero byte, as the driver wants PTX.
        let raw = unsafe { result::module::load_data(image.as_ptr().cast()) }
            .map_err(failed("cuModuleLoadData"))?;
        Ok(Self { raw, context: context.clone() })
    }

    /// Looks an entry point up.
    pub(super) fn function(self: &Arc<Self>, entry: &str) -> Result<Function, Error> {
        let name = CString::new(entry).map_err(|_| Error::DeviceCodeMissing { remedy: super::REMEDY })?;
        // SAFETY: the module is loaded, and stays so for as long as the function holds it.
        let raw =
            unsafe { result::module::get_function(self.raw, name) }.map_err(failed("cuModuleGetFunction"))?;
        let allowed = Allowed { dynamic_shared: WITHOUT_OPT_IN, non_portable: false };
        Ok(Function {
            raw,
            module: self.clone(),
            allowed: Mutex::new(allowed),
            active_clusters: Mutex::default(),
        })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: the handle is this object's own, and no function outlives it. An error has nowhere to go.
            let _ = unsafe { result::module::unload(self.raw) };
        }
    }
}

/// An entry point of a loaded module.
#[derive(Debug)]
pub(super) struct Function {
    raw: sys::CUfunction,
    module: Arc<Module>,
    allowed: Mutex<Allowed>,
    /// The occupancy query's answers so far, by shape. They do not change while the function is loaded, and there are few
    /// shapes: a width, a number of chunks, and a power of two of items to sort each.
    active_clusters: Mutex<HashMap<LaunchShape, u32>>,
}

/// What launches may ask for by now.
#[derive(Debug)]
struct Allowed {
    /// Dynamic shared memory, in bytes.
    dynamic_shared: u32,
    /// Clusters wider than the portable width.
    non_portable: bool,
}

// SAFETY: a function handle may be used from any thread; the driver locks.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// The shape of a launch along its only axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LaunchShape {
    /// Thread blocks.
    pub(crate) blocks: u32,
    /// Threads per block.
    pub(crate) threads: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub(crate) shared_bytes: u32,
    /// Blocks per cluster that the launch asks for; 1 asks for none: there are no clusters, or those that the kernel was
    /// compiled for.
    pub(crate) cluster_width: u32,
}

impl Function {
    /// Allows what the shape needs beyond what every launch may have. Nothing is ever taken back: another thread may be
    /// launching.
    pub(super) fn allow(&self, shape: LaunchShape) -> Result<(), Error> {
        let mut allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if shape.shared_bytes > allowed.dynamic_shared {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function's module is loaded.
            unsafe {
                result::function::set_function_attribute(self.raw, attribute, shape.shared_bytes as i32)
            }
            .map_err(failed("cuFuncSetAttribute"))?;
            allowed.dynamic_shared = shape.shared_bytes;
        }
        if shape.cluster_width > MAX_PORTABLE_CLUSTER_WIDTH && !allowed.non_portable {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
            // SAFETY: as above.
            unsafe { result::function::set_function_attribute(self.raw, attribute, 1) }
                .map_err(failed("cuFuncSetAttribute"))?;
            allowed.non_portable = true;
        }
        Ok(())
    }

    /// How many clusters of this shape the device runs at once; 0 for a width that it does not launch. The number of blocks
    /// does not matter. Asks the driver once for each shape.
    pub(super) fn max_active_clusters(&self, shape: LaunchShape) -> Result<u32, Error> {
        let shape = LaunchShape { blocks: shape.cluster_width, ..shape };
        let mut answers = self.active_clusters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&answer) = answers.get(&shape) {
            return Ok(answer);
        }
        self.module.context.bind_to_thread().map_err(failed("cuCtxSetCurrent"))?;
        self.allow(shape)?;
        let mut cluster = cluster_attribute(shape);
        let config = launch_config(shape, core::ptr::null_mut(), &mut cluster, 1);
        let mut clusters = 0;
        // SAFETY: the function is loaded, and configuration and answer outlive the call.
        let answer =
            unsafe { sys::cuOccupancyMaxActiveClusters(&raw mut clusters, self.raw, &raw const config) };
        let answer = match answer {
            sys::CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE => 0,
            answer => {
                answer.result().map_err(failed("cuOccupancyMaxActiveClusters"))?;
                u32::try_from(clusters).unwrap_or(0)
            }
        };
        answers.insert(shape, answer);
        Ok(answer)
    }

    /// Enqueues a launch.
    ///
    /// # Safety
    ///
    /// `P` is what the kernel takes by value. The parameters describe live device memory of the stream's context, in the way
    /// that the kernel documents, and the shape is one that the kernel was compiled for.
    pub(super) unsafe fn launch<P: Copy>(
        &self,
        stream: &CudaStream,
        shape: LaunchShape,
        params: &P,
    ) -> Result<(), Error> {
        self.allow(shape)?;
        let mut cluster = cluster_attribute(shape);
        let attributes = u32::from(shape.cluster_width > 1);
        let config = launch_config(shape, stream.cu_stream(), &mut cluster, attributes);
        let mut arguments = [core::ptr::from_ref(params).cast_mut().cast::<c_void>()];
        // SAFETY: configuration and arguments outlive the call, which copies them; the rest is the caller's promise.
        unsafe {
            sys::cuLaunchKernelEx(&raw const config, self.raw, arguments.as_mut_ptr(), core::ptr::null_mut())
        }
        .result()
        .map_err(failed("cuLaunchKernelEx"))
    }
}

fn cluster_attribute(shape: LaunchShape) -> CUlaunchAttribute {
    let dimension = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x: shape.cluster_width, y: 1, z: 1 };
    CUlaunchAttribute {
        id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        pad: [0; 4],
        value: CUlaunchAttributeValue { clusterDim: dimension },
    }
}

/// The configuration points at the attribute, of which it takes `attributes`: 0 or 1.
fn launch_config(
    shape: LaunchShape,
    stream: sys::CUstream,
    attribute: &mut CUlaunchAttribute,
    attributes: u32,
) -> CUlaunchConfig {
    CUlaunchConfig {
        gridDimX: shape.blocks,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: shape.threads,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: shape.shared_bytes,
        hStream: stream,
        attrs: &raw mut *attribute,
        numAttrs: attributes,
    }
}

/// Whether the stream is being captured into a graph.
pub(super) fn is_capturing(stream: &CudaStream) -> Result<bool, Error> {
    let status = stream.capture_status().map_err(failed("cuStreamIsCapturing"))?;
    Ok(status != sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
}
