//! The device that all tests share.

use super::harness::{Outcome, Skip};
use cluster_topk::cudarc::driver::{CudaContext, CudaStream};
use cluster_topk::gpu::ClusterCaps;
use cluster_topk::{Error, Gpu};
use cluster_topk_tests::cover::{MAX_LENGTH, PAIRS};
use cluster_topk_tests::harness::{Answer, run};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Form, Order, Pair, Request, Requirement};
use cluster_topk_tests::runner::gpu::GpuRunner;
use std::sync::{Arc, OnceLock};

/// The requirement that every backend of the GPU engine serves.
pub(crate) const SERVED: Requirement = Requirement::of(Pair::NotGuaranteed, Order::Unsorted);

/// The first GPU.
#[derive(Debug)]
pub(crate) struct Device {
    /// Runs requests on a stream of its own, in a context that tracks no events.
    pub(crate) runner: GpuRunner,
    /// Runners that force the cluster backend; none where there are no clusters.
    clusters: Vec<GpuRunner>,
}

/// The longest segment that a request allows.
fn longest(request: &Request, keys: usize) -> usize {
    let strided = keys.div_ceil(request.stride);
    match &request.form {
        Form::Single => strided,
        Form::Rows { size, .. } => size.upper(),
        Form::Ragged { max_length, .. } => max_length.map_or(strided, |max| max as usize),
    }
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
        let mut device = Self { runner: GpuRunner::on(gpu), clusters: Vec::new() };
        if device.has_clusters().is_ok() {
            // As it comes; and with every chunk on a block of its own as far as there are blocks, one slot each.
            let spread =
                ClusterCaps { single_block_max_seg_size: 0, max_slots: Some(1), ..ClusterCaps::NONE };
            device.clusters = [ClusterCaps::NONE, spread].map(|caps| device.runner.on_clusters(caps)).into();
        }
        Ok(device)
    }

    /// Runs a request under [`SERVED`] and checks the answer, which it returns; before that on each of the cluster backend's
    /// runners, and, where a block holds a segment, on the baseline, under other requirements that follow from the request.
    #[track_caller]
    pub(crate) fn run<K: TestKey>(&self, request: &Request, keys: &[K]) -> Answer<K> {
        assert_eq!(request.requirement, SERVED);
        for runner in self.clusters.iter().zip(0..) {
            run(runner.0, &self.on_clusters(request, keys.len(), runner.1), keys);
        }
        if longest(request, keys.len()) <= MAX_LENGTH {
            let mut others = Requirement::meanings().filter(|requirement| *requirement != SERVED);
            let nth = request.seed as usize + request.k.upper() + keys.len();
            let requirement = others.nth(nth % 14).expect("there are more");
            run(&self.runner, &Request { requirement, ..request.clone() }, keys);
        }
        run(&self.runner, request, keys)
    }

    /// All runners, each with the request that it gets.
    pub(crate) fn runners<'r>(
        &'r self,
        request: &'r Request,
        keys: usize,
    ) -> impl Iterator<Item = (&'r GpuRunner, Request)> {
        let clusters = self.clusters.iter().zip(0..);
        let clusters = clusters.map(move |(runner, nth)| (runner, self.on_clusters(request, keys, nth)));
        clusters.chain([(&self.runner, request.clone())])
    }

    fn on_clusters(&self, request: &Request, keys: usize, nth: usize) -> Request {
        let which = request.seed as usize + request.k.upper() + keys + 2 * nth;
        let order = [Order::Unsorted, Order::Sorted, Order::StableSorted][which / PAIRS.len() % 3];
        let requirement = Requirement::of(PAIRS[which % PAIRS.len()], order);
        Request { requirement, ..request.clone() }
    }

    /// Whether the device launches clusters.
    pub(crate) fn has_clusters(&self) -> Outcome {
        let capability = self.runner.gpu().compute_capability();
        let has = (capability.major, capability.minor) >= (9, 0);
        if has { Ok(()) } else { Err(Skip(format!("compute capability {capability} has no clusters"))) }
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
