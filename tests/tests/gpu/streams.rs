//! Several streams, threads, contexts and GPUs at once; buffers that are gone right after the call.

use super::device::{Device, SERVED, untracked};
use super::graphs::Batch;
use super::harness::{Outcome, Skip, Tests};
use super::ties::normal;
use cluster_topk::Gpu;
use cluster_topk::cudarc::driver::{CudaContext, CudaStream};
use cluster_topk::prelude::*;
use cluster_topk_tests::check::check;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::request::{Form, IndexType, Number, Request, Written};
use cluster_topk_tests::runner::gpu::GpuRunner;
use cluster_topk_tests::runner::{Outputs, PayloadOut};
use std::sync::{Arc, Barrier};
use std::thread;

pub(crate) fn add(tests: &mut Tests) {
    tests.add("streams::four_streams_and_threads", |device| {
        let context = device.stream().context();
        at_once(&[0; 4].map(|_| context.new_stream().expect("a stream can be made")));
    });
    tests.add("streams::four_threads_on_one_engine", four_threads_on_one_engine);
    tests.add("streams::the_first_calls_of_eight_threads", |_| {
        // Modules are loaded once, by whoever comes first.
        let context = CudaContext::new_non_primary(0, 0).expect("a second context can be made");
        let stream = untracked(&context);
        let streams = [0; 8].map(|_| stream.context().new_stream().expect("a stream can be made"));
        at_once(&streams);
    });
    tests.add("streams::buffers_dropped_after_the_call", dropped);
    tests.add("streams::buffers_of_another_stream", other_stream);
    tests.add_skippable("streams::la1_every_gpu_works_on_its_own_buffers", every_gpu);
}

/// Enqueues 50 calls with different data on each stream from a thread of its own, then checks all answers.
fn at_once(streams: &[Arc<CudaStream>]) {
    let start = Barrier::new(streams.len());
    thread::scope(|scope| {
        for (number, stream) in (0..).zip(streams) {
            let start = &start;
            scope.spawn(move || {
                let runner = GpuRunner::on(Gpu::on(stream.clone()).expect("the device is there"));
                let mut batches: Vec<_> = (0..50)
                    .map(|i| {
                        let [length, count] = [[200, 30], [900, 9], [3000, 5], [9000, 2]][i % 4];
                        let mut batch = Batch::new(stream, count, length);
                        let filled = batch.fill(stream, number * 1000 + i as u64);
                        (batch, filled)
                    })
                    .collect();
                start.wait();
                for (batch, _) in &mut batches {
                    batch.call(runner.env(), false).expect("the call is fine");
                }
                for (batch, filled) in &batches {
                    batch.check(stream, filled);
                }
            });
        }
    });
}

fn four_threads_on_one_engine(device: &'static Device) {
    thread::scope(|scope| {
        for number in 0..4u64 {
            scope.spawn(move || {
                // A clone shares stream and modules.
                let runner = GpuRunner::on(device.runner.gpu().clone());
                for i in 0..50 {
                    let length = [40, 700, 2500, 10_000][i as usize % 4];
                    let written = [Written::Keys, Written::Pairs(8), Written::KeysAndIndices(IndexType::U32)]
                        [i as usize % 3];
                    let seed = number * 100 + i;
                    let request =
                        Request { seed, requirement: SERVED, written, ..Request::single(length / 3) };
                    run(&runner, &request, &keys::<f32>(&mut rng(seed), Distribution::Bits, length));
                }
            });
        }
    });
}

/// Three rows of keys, the ten largest of each with their indices.
fn rows(length: usize) -> Request {
    let form = Form::Rows { count: 3, size: Number::plain(length), pitch: None };
    Request { form, requirement: SERVED, ..Request::single(10) }
}

/// Keys and sizes are freed as soon as the call is enqueued, and their memory is used again.
fn dropped(device: &'static Device) {
    let (stream, env) = (device.stream(), device.runner.env());
    for length in [500, 3000, 16_000] {
        let all: Vec<Vec<f32>> = (0..50).map(|seed| normal(seed, 3 * length)).collect();
        let mut outputs = Vec::new();
        for host in &all {
            let keys = stream.clone_htod(host).expect("the GPU has room");
            let sizes = stream.clone_htod(&[length as i32; 3]).expect("the GPU has room");
            let mut out = stream.alloc_zeros::<f32>(30).expect("the GPU has room");
            let mut indices = stream.alloc_zeros::<u32>(30).expect("the GPU has room");
            let sizes_arg = DeferredSequence::new(&sizes).bounds(0..=length as i64);
            let segments = Segments::rows(&keys, 3, sizes_arg);
            max_keys_and_indices(segments, 10, &mut out, &mut indices).run(env).expect("the call is fine");
            drop((keys, sizes));
            outputs.push((out, indices));
        }
        for (host, (out, indices)) in all.iter().zip(&outputs) {
            let out = Outputs {
                keys: stream.clone_dtoh(out).expect("the GPU failed"),
                payload: PayloadOut::U32(stream.clone_dtoh(indices).expect("the GPU failed")),
                len: 30,
            };
            stream.synchronize().expect("the GPU failed");
            check(&rows(length), host, &out).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
}

/// In a context that tracks events, buffers are written on one stream, selected from on a second and read on a third.
fn other_stream(_: &'static Device) {
    let context = CudaContext::new(0).expect("the device is there");
    let [before, engine, after] = [0; 3].map(|_| context.new_stream().expect("a stream can be made"));
    let env = Env::gpu(Gpu::on(engine).expect("the device is there")).require((
        NotGuaranteed,
        Unspecified,
        Unsorted,
    ));
    for seed in 0..30 {
        let length = [900, 6000][seed as usize % 2];
        let host = normal(seed, 3 * length);
        let keys = before.clone_htod(&host).expect("the GPU has room");
        let mut out = before.alloc_zeros::<f32>(30).expect("the GPU has room");
        let mut indices = after.alloc_zeros::<u32>(30).expect("the GPU has room");
        let segments = Segments::rows(&keys, 3, length);
        max_keys_and_indices(segments, 10, &mut out, &mut indices).run(&env).expect("the call is fine");
        drop(keys);
        let out = Outputs {
            keys: after.clone_dtoh(&out).expect("the GPU failed"),
            payload: PayloadOut::U32(after.clone_dtoh(&indices).expect("the GPU failed")),
            len: 30,
        };
        after.synchronize().expect("the GPU failed");
        check(&rows(length), &host, &out).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}

fn every_gpu(_: &'static Device) -> Outcome {
    let count = CudaContext::device_count().expect("the driver is there") as usize;
    if count < 2 {
        return Err(Skip("there is one GPU only".into()));
    }
    let streams: Vec<_> = (0..count)
        .map(|ordinal| untracked(&CudaContext::new(ordinal).expect("the device is there")))
        .collect();
    // The last device is current now; each engine uses its own all the same.
    for (seed, stream) in (0..).zip(&streams) {
        let runner = GpuRunner::on(Gpu::on(stream.clone()).expect("the device is there"));
        let keys: Vec<f32> = (0..256u16).map(f32::from).collect();
        let request = Request { seed, requirement: SERVED, ..Request::single(8) };
        let mut winners = run(&runner, &request, &keys).winners.remove(0);
        winners.sort_unstable();
        assert_eq!(winners, (248..256).collect::<Vec<_>>());
    }
    at_once(&streams);
    Ok(())
}
