//! The engines.

use super::BackendOverride;
use crate::cpu;
use crate::error::Error;
use crate::gpu::{Choice, DeviceMemory, Gpu, run_staged};
use crate::key::Key;
use crate::memory::{HostMemory, Memory};
use crate::plan::Plan;
use crate::request::Call;
use crate::requirement::Contract;
use crate::validate::HostShape;
use std::sync::Arc;

mod sealed {
    pub trait Sealed {}
}

/// What runs a request whose buffers are in memory `M`. Sealed.
#[diagnostic::on_unimplemented(
    message = "the engine `{Self}` does not work on buffers in `{M}`",
    label = "engine and buffers do not match",
    note = "the CPU engine and `best_available` take slices, vectors and arrays; the GPU engine takes cudarc's slices and views"
)]
pub trait Engine<M: Memory>: sealed::Sealed {
    /// Whether the engine may use a GPU, so that the target architectures matter.
    const USES_GPU: bool;

    #[doc(hidden)]
    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn run<K: Key>(&self, call: Call<'_, '_, K, M>, spec: &Spec) -> Result<(), Error>;

    #[doc(hidden)]
    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn plan<K: Key>(&self, call: &Call<'_, '_, K, M>, spec: &Spec) -> Result<Plan, Error>;

    #[doc(hidden)]
    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn prepare<K: Key>(&self, call: &Call<'_, '_, K, M>, spec: &Spec) -> Result<(), Error> {
        self.plan(call, spec).map(drop)
    }

    #[doc(hidden)]
    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn workspace_bytes<K: Key>(&self, call: &Call<'_, '_, K, M>, spec: &Spec) -> Result<u64, Error> {
        self.plan(call, spec).map(|_| 0)
    }
}

/// What the types of an environment and a request say, as plain data.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "the backend and the static bound matter to GPU engines only")]
pub(crate) struct Spec {
    pub(crate) contract: Contract,
    pub(crate) backend: BackendOverride,
    pub(crate) static_max_segment_size: i64,
}

/// The CPU engine: the whole contract on worker threads, deterministic at every level.
///
/// Segments are shared between the threads of a rayon pool, and a long segment is shared within. Results do not depend on
/// the number of threads.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Cpu {
    /// The CPU engine on rayon's global pool.
    #[must_use]
    pub const fn new() -> Self {
        Self { pool: None }
    }

    /// The CPU engine on a pool of its own.
    ///
    /// # Errors
    ///
    /// [`Error::ThreadPool`] when the threads cannot be started; 0 threads means as many as there are cores.
    pub fn with_threads(threads: usize) -> Result<Self, Error> {
        let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = built.map_err(|e| Error::ThreadPool { threads, message: e.to_string() })?;
        Ok(Self::with_pool(Arc::new(pool)))
    }

    /// The CPU engine on the caller's pool.
    #[must_use]
    pub const fn with_pool(pool: Arc<rayon::ThreadPool>) -> Self {
        Self { pool: Some(pool) }
    }

    /// The number of threads that share the work.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads())
    }

    pub(crate) fn pool(&self) -> Option<&rayon::ThreadPool> {
        self.pool.as_deref()
    }
}

impl sealed::Sealed for Cpu {}
impl Engine<HostMemory> for Cpu {
    const USES_GPU: bool = false;

    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn run<K: Key>(&self, call: Call<'_, '_, K, HostMemory>, spec: &Spec) -> Result<(), Error> {
        cpu::run(self, call, spec)
    }

    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn plan<K: Key>(&self, call: &Call<'_, '_, K, HostMemory>, spec: &Spec) -> Result<Plan, Error> {
        cpu::plan(self, call, spec, "the environment names the CPU engine")
    }
}

impl sealed::Sealed for Gpu {}
impl Engine<DeviceMemory> for Gpu {
    const USES_GPU: bool = true;

    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn run<K: Key>(&self, call: Call<'_, '_, K, DeviceMemory>, spec: &Spec) -> Result<(), Error> {
        Self::run(self, call, spec)
    }

    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn plan<K: Key>(&self, call: &Call<'_, '_, K, DeviceMemory>, spec: &Spec) -> Result<Plan, Error> {
        Self::plan(self, call, spec, "the environment names the GPU engine")
    }

    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn prepare<K: Key>(&self, call: &Call<'_, '_, K, DeviceMemory>, spec: &Spec) -> Result<(), Error> {
        Self::prepare(self, call, spec)
    }

    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn workspace_bytes<K: Key>(
        &self,
        call: &Call<'_, '_, K, DeviceMemory>,
        spec: &Spec,
    ) -> Result<u64, Error> {
        Self::workspace_bytes(self, call, spec)
    }
}

/// The GPU where this build and this machine have one that serves the request, the CPU engine otherwise.
///
/// Buffers are in host memory. On the GPU a call copies them there and the results back, and waits for them; who calls often
/// keeps the buffers on the device and uses [`Gpu`].
#[derive(Clone, Debug)]
pub struct BestAvailable {
    cpu: Cpu,
    gpu: Result<Gpu, Arc<str>>,
}

impl BestAvailable {
    /// Looks for device 0 once.
    #[must_use]
    pub fn detect() -> Self {
        let gpu = Gpu::new(0).map_err(|why_not| why_not.to_string().into());
        Self { cpu: Cpu::new(), gpu }
    }

    /// The GPU and what serves the request on it, or why it is not the best available for this request.
    fn choose<K: Key>(
        &self,
        call: &Call<'_, '_, K, HostMemory>,
        shape: &HostShape<'_>,
        spec: &Spec,
    ) -> Result<(&Gpu, Choice), String> {
        let gpu = self.gpu.as_ref().map_err(ToString::to_string)?;
        let choice = gpu.choose::<K>(shape.extent(), call.element_stride, spec);
        Ok((gpu, choice.map_err(|why_not| why_not.to_string())?))
    }
}

impl Default for BestAvailable {
    fn default() -> Self {
        Self::detect()
    }
}

impl sealed::Sealed for BestAvailable {}
impl Engine<HostMemory> for BestAvailable {
    const USES_GPU: bool = true;

    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn run<K: Key>(&self, call: Call<'_, '_, K, HostMemory>, spec: &Spec) -> Result<(), Error> {
        let shape = HostShape::resolve(&call)?;
        match self.choose(&call, &shape, spec) {
            Ok((gpu, _)) => run_staged(gpu, call, &shape, spec),
            Err(_) => cpu::run_checked(&self.cpu, call, &shape, spec),
        }
    }

    #[allow(private_interfaces, reason = "a sealed trait's link to the request")]
    fn plan<K: Key>(&self, call: &Call<'_, '_, K, HostMemory>, spec: &Spec) -> Result<Plan, Error> {
        let shape = HostShape::resolve(call)?;
        match self.choose(call, &shape, spec) {
            Ok((gpu, choice)) => {
                let reason = "best available: this GPU serves the request; buffers are copied there and back";
                gpu.describe::<K>(call.direction, shape.extent(), &choice, spec, reason)
            }
            Err(why_not) => cpu::plan(&self.cpu, call, spec, &format!("best available: {why_not}")),
        }
    }
}
