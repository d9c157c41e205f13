//! Calls captured into CUDA graphs.

use super::device::{Device, SERVED, untracked};
use super::harness::Tests;
use super::ties::normal;
use cluster_topk::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cluster_topk::cudarc::driver::{CudaContext, CudaGraph, CudaSlice, CudaStream};
use cluster_topk::env::{BackendOverride, Env};
use cluster_topk::gpu::ClusterCaps;
use cluster_topk::prelude::*;
use cluster_topk::requirement::Requirements;
use cluster_topk::{Error, Gpu};
use cluster_topk_tests::check::check;
use cluster_topk_tests::generators::rng;
use cluster_topk_tests::request::{Form, Number, Request, Requirement};
use cluster_topk_tests::runner::gpu::GpuRunner;
use cluster_topk_tests::runner::{Outputs, PayloadOut};
use rand::RngExt;
use std::sync::Arc;

pub(crate) fn add(tests: &mut Tests) {
    tests.add("graphs::replay_with_new_keys_sizes_and_k", |device| {
        for length in [60, 1000, 3000, 12_000] {
            for count in [1, 40, 400] {
                replayed(&device.runner, count, length, 6);
            }
        }
    });
    tests.add_skippable("graphs::replay_on_clusters", |device| {
        device.has_clusters()?;
        let few = ClusterCaps { max_slots: Some(1), single_block_max_seg_size: 0, ..ClusterCaps::NONE };
        for caps in [ClusterCaps::NONE, few] {
            for (count, length) in [(40, 1000), (5, 12_000), (3, 100_000), (200, 10_000)] {
                replayed(&device.runner.on_clusters(caps), count, length, 4);
            }
        }
        Ok(())
    });
    tests.add("quick::graph", |device| replayed(&device.runner, 5, 1000, 3));
    tests.add_skippable("quick::graph_on_clusters", |device| {
        device.has_clusters()?;
        replayed(&device.runner.on_clusters(ClusterCaps::NONE), 3, 30_000, 2);
        Ok(())
    });
    tests.add_skippable("graphs::replay_of_sorted_calls_on_clusters", |device| {
        device.has_clusters()?;
        // Sorted by the kernel that selects, by a second one, and by one that holds more than its shared memory.
        for (count, length) in [(40, 1000), (20, 4000), (3, 20_000), (2, 100_000)] {
            replayed_sorted(device, count, length, 4);
        }
        Ok(())
    });
    tests.add("graphs::two_graphs_replayed_at_once", two_graphs);
    tests.add("graphs::an_unprepared_call_is_refused", |_| unprepared(|runner| runner));
    tests.add_skippable("graphs::an_unprepared_call_on_clusters_is_refused", |device| {
        device.has_clusters()?;
        unprepared(|runner| runner.on_clusters(ClusterCaps::NONE));
        Ok(())
    });
    tests.add("graphs::a_context_that_tracks_events_is_refused", tracked);
}

/// The buffers of a padded batch: everything that can lie on the device does.
pub(crate) struct Batch {
    count: usize,
    length: usize,
    keys: CudaSlice<f32>,
    sizes: CudaSlice<i32>,
    ks: CudaSlice<i32>,
    keys_out: CudaSlice<f32>,
    indices_out: CudaSlice<u32>,
    /// What the calls need beside their outputs.
    room: Option<CudaSlice<u8>>,
    /// The requirement that answers are checked under.
    requirement: Requirement,
}

impl Batch {
    pub(crate) fn new(stream: &Arc<CudaStream>, count: usize, length: usize) -> Self {
        let zeros = |n| stream.alloc_zeros(n).expect("the GPU has room");
        Self {
            count,
            length,
            keys: zeros(count * length),
            sizes: stream.alloc_zeros(count).expect("the GPU has room"),
            ks: stream.alloc_zeros(count).expect("the GPU has room"),
            keys_out: zeros(count * length),
            indices_out: stream.alloc_zeros(count * length).expect("the GPU has room"),
            room: None,
            requirement: SERVED,
        }
    }

    /// A batch of calls under the default requirement, with the room that they need.
    fn sorted(env: &Env<Gpu>, count: usize, length: usize) -> Self {
        let stream = env.engine().stream();
        let mut batch = Self { requirement: Requirement::DEFAULT, ..Self::new(stream, count, length) };
        let bounds = 0..=length as i64;
        let sizes = DeferredSequence::new(&batch.sizes).bounds(bounds.clone());
        let rows = Segments::rows(&batch.keys, count, sizes).pitch(length);
        let k = DeferredSequence::new(&batch.ks).bounds(bounds);
        let request = max_keys_and_indices(rows, k, &mut batch.keys_out, &mut batch.indices_out);
        let bytes = request.workspace_bytes(env).expect("it is served");
        if length > 2048 {
            assert!(bytes >= 4 * count * length);
            batch.room = Some(stream.alloc_zeros(bytes).expect("the GPU has room"));
        } else {
            assert_eq!(bytes, 0, "the cluster sorts in shared memory");
        }
        batch
    }

    /// Enqueues the call, or only prepares it.
    pub(crate) fn call<R: Requirements>(&mut self, env: &Env<Gpu, R>, prepare: bool) -> Result<(), Error> {
        let bounds = 0..=self.length as i64;
        let sizes = DeferredSequence::new(&self.sizes).bounds(bounds.clone());
        let rows = Segments::rows(&self.keys, self.count, sizes).pitch(self.length);
        let k = DeferredSequence::new(&self.ks).bounds(bounds);
        let request = max_keys_and_indices(rows, k, &mut self.keys_out, &mut self.indices_out);
        match &mut self.room {
            _ if prepare => request.prepare(env),
            None => request.run(env),
            Some(room) => request.workspace(room).run(env),
        }
    }

    /// Enqueues new inputs, and canaries in the outputs.
    pub(crate) fn fill(&mut self, stream: &Arc<CudaStream>, seed: u64) -> Filled {
        let rng = &mut rng(seed);
        let numbers = |rng: &mut rand::rngs::StdRng| -> Vec<i32> {
            (0..self.count).map(|_| rng.random_range(0..=self.length as i32)).collect()
        };
        let (sizes, ks) = (numbers(rng), numbers(rng));
        let keys = normal(seed, self.count * self.length);
        let wide = |numbers: &[i32]| numbers.iter().map(|&n| n.into()).collect();
        let hi = self.length as i64;
        let size = Number::each(wide(&sizes), hi);
        let request = Request {
            seed,
            requirement: self.requirement,
            form: Form::Rows { count: self.count, size, pitch: Some(self.length) },
            k: Number::each(wide(&ks), hi),
            ..Request::single(0)
        };
        let out = Outputs::<f32>::canaries(&request, self.count * self.length);
        let PayloadOut::U32(indices) = &out.payload else { unreachable!("u32 indices were asked for") };
        stream.memcpy_htod(&keys, &mut self.keys).expect("the GPU failed");
        stream.memcpy_htod(&sizes, &mut self.sizes).expect("the GPU failed");
        stream.memcpy_htod(&ks, &mut self.ks).expect("the GPU failed");
        stream.memcpy_htod(&out.keys, &mut self.keys_out).expect("the GPU failed");
        stream.memcpy_htod(indices, &mut self.indices_out).expect("the GPU failed");
        Filled { request, keys }
    }

    /// Waits for the answer and checks it.
    pub(crate) fn check(&self, stream: &Arc<CudaStream>, Filled { request, keys }: &Filled) {
        let out = Outputs {
            keys: stream.clone_dtoh(&self.keys_out).expect("the GPU failed"),
            payload: PayloadOut::U32(stream.clone_dtoh(&self.indices_out).expect("the GPU failed")),
            len: self.count * self.length,
        };
        stream.synchronize().expect("the GPU failed");
        if let Err(mismatch) = check(request, keys, &out) {
            panic!("{mismatch}");
        }
    }
}

/// What the buffers were filled with.
pub(crate) struct Filled {
    request: Request,
    keys: Vec<f32>,
}

fn begin(stream: &CudaStream) {
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    stream.begin_capture(mode).expect("a capture can begin");
}

fn end(stream: &Arc<CudaStream>) -> Option<CudaGraph> {
    stream.end_capture(CUgraphInstantiate_flags(0)).expect("the capture is still valid")
}

fn captured<R: Requirements>(env: &Env<Gpu, R>, batch: &mut Batch) -> CudaGraph {
    batch.call(env, true).expect("the call can be prepared");
    let stream = env.engine().stream();
    stream.synchronize().expect("the GPU failed");
    begin(stream);
    batch.call(env, false).expect("the call can be captured");
    end(stream).expect("the capture holds a launch")
}

fn replayed(runner: &GpuRunner, count: usize, length: usize, rounds: u64) {
    let stream = runner.gpu().stream();
    let batch = Batch::new(stream, count, length);
    replayed_batch(runner.env(), batch, rounds);
}

fn replayed_sorted(device: &'static Device, count: usize, length: usize, rounds: u64) {
    let env = Env::gpu(device.runner.gpu().clone()).backend(BackendOverride::ForceCluster);
    let batch = Batch::sorted(&env, count, length);
    replayed_batch(&env, batch, rounds);
}

fn replayed_batch<R: Requirements>(env: &Env<Gpu, R>, mut batch: Batch, rounds: u64) {
    let stream = env.engine().stream();
    let graph = captured(env, &mut batch);
    for seed in 0..rounds {
        let filled = batch.fill(stream, seed);
        // Twice: the second answer replaces the first.
        graph.launch().expect("the GPU failed");
        graph.launch().expect("the GPU failed");
        batch.check(stream, &filled);
    }
}

fn two_graphs(device: &'static Device) {
    let runners = [0, 1].map(|_| {
        let stream = device.stream().context().new_stream().expect("a stream can be made");
        GpuRunner::on(Gpu::on(stream).expect("the device is there"))
    });
    let mut batches = runners.each_ref().map(|runner| Batch::new(runner.gpu().stream(), 300, 2000));
    let graphs = [0, 1].map(|i| captured(runners[i].env(), &mut batches[i]));
    for seed in 0..5 {
        let filled = [0, 1].map(|i| batches[i].fill(runners[i].gpu().stream(), 2 * seed + i as u64));
        for _ in 0..10 {
            for graph in &graphs {
                graph.launch().expect("the GPU failed");
            }
        }
        for i in 0..2 {
            batches[i].check(runners[i].gpu().stream(), &filled[i]);
        }
    }
}

fn unprepared(chosen: impl Fn(GpuRunner) -> GpuRunner) {
    // A context of its own has loaded nothing yet.
    let context = CudaContext::new_non_primary(0, 0).expect("a second context can be made");
    let stream = untracked(&context);
    let runner = chosen(GpuRunner::on(Gpu::on(stream.clone()).expect("the device is there")));
    let mut batch = Batch::new(&stream, 20, 500);
    let filled = batch.fill(&stream, 1);
    stream.synchronize().expect("the GPU failed");
    // Neither call loads a kernel into a capture.
    for prepare in [false, true] {
        begin(&stream);
        assert_eq!(batch.call(runner.env(), prepare), Err(Error::NotPrepared));
        drop(end(&stream));
    }
    // Nothing was written, and once prepared it works.
    let graph = captured(runner.env(), &mut batch);
    graph.launch().expect("the GPU failed");
    batch.check(&stream, &filled);
}

fn tracked(_: &'static Device) {
    let context = CudaContext::new(0).expect("the device is there");
    let stream = context.new_stream().expect("a stream can be made");
    let runner = GpuRunner::on(Gpu::on(stream.clone()).expect("the device is there"));
    let mut batch = Batch::new(&stream, 20, 500);
    let filled = batch.fill(&stream, 1);
    batch.call(runner.env(), true).expect("the call can be prepared");
    stream.synchronize().expect("the GPU failed");
    begin(&stream);
    assert_eq!(batch.call(runner.env(), false), Err(Error::TrackedUnderCapture));
    drop(end(&stream));
    // Without a capture it works as ever.
    batch.call(runner.env(), false).expect("the call is fine");
    batch.check(&stream, &filled);
}
