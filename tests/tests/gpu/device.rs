//! The device that all tests share.

use cluster_topk::cudarc::driver::{CudaContext, CudaStream};
use cluster_topk::{Error, Gpu};
use cluster_topk_tests::runner::gpu::GpuRunner;
use std::sync::{Arc, OnceLock};

/// The requirement that the GPU engine serves.
pub(crate) const SERVED: cluster_topk_tests::request::Requirement =
    cluster_topk_tests::request::Requirement::of(
        cluster_topk_tests::request::Pair::NotGuaranteed,
        cluster_topk_tests::request::Order::Unsorted,
    );

/// The first GPU.
#[derive(Debug)]
pub(crate) struct Device {
    /// Runs requests on a stream of its own, in a context that tracks no events.
    pub(crate) runner: GpuRunner,
}

impl Device {
    /// The device, or why there is none.
    pub(crate) fn get() -> Result<&'static Self, String> {
        static DEVICE: OnceLock<Result<Device, String>> = OnceLock::new();
        DEVICE.get_or_init(Self::find).as_ref().map_err(Clone::clone)
    }

    fn find() -> Result<Self, String> {
        match Gpu::new(0) {
            Ok(_) => {}
            // A driver that is there and fails is no reason to skip.
            Err(error @ Error::Driver { .. }) => panic!("{error}"),
            Err(reason) => return Err(reason.to_string()),
        }
        let stream = untracked(&CudaContext::new(0).expect("the engine had a context"));
        let gpu = Gpu::on(stream).expect("the engine was there before");
        println!("# device 0: compute capability {}", gpu.compute_capability());
        Ok(Self { runner: GpuRunner::on(gpu) })
    }

    /// The stream of the shared runner.
    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        self.runner.gpu().stream()
    }
}

/// A new stream in a context that tracks no events from here on.
pub(crate) fn untracked(context: &Arc<CudaContext>) -> Arc<CudaStream> {
    // SAFETY: the tests that use such a stream keep every buffer on one stream, or synchronise.
    unsafe { context.disable_event_tracking() };
    context.new_stream().expect("a stream can be made")
}
