//! Sets that must be the same every time: at every width of a cluster, with all keys resident and with most read again, by the threads
//! and through the slots, beside a stream of copies and kernels that keeps the memory busy; and the CPU engine's, where the tie-break
//! pins them.

use super::clusters::CHUNK;
use super::device::Device;
use super::harness::Tests;
use cluster_topk::cudarc::driver::{CudaContext, CudaSlice};
use cluster_topk::gpu::{ClusterCaps, Streaming};
use cluster_topk::prelude::*;
use cluster_topk::requirement::Requirements;
use cluster_topk::{Env, Gpu};
use cluster_topk_tests::cover::WIDTH_CAPS;
use cluster_topk_tests::generators::rng;
use cluster_topk_tests::oracle::winners;
use cluster_topk_tests::request::{Direction, Tie};
use cluster_topk_tests::runner::gpu::of_gpu;
use rand::RngExt;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

pub(crate) fn add(tests: &mut Tests) {
    tests.add_skippable("sets::the_same_a_thousand_times_beside_copies", |device| {
        device.has_clusters()?;
        beside_others(device.stream().context(), || the_same(device, 1000, 200));
        Ok(())
    });
    tests.add_skippable("quick::the_same_set_every_time", |device| {
        device.has_clusters()?;
        the_same(device, 1, 0);
        Ok(())
    });
}

/// Runs `test` while another stream copies 128 MiB and looks for the largest key of each of many rows of it, over and over.
fn beside_others(context: &Arc<CudaContext>, test: impl FnOnce()) {
    /// Ends the copies when the test ends, in whatever way.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let stream = context.new_stream().expect("a stream can be made");
            let (rows, length) = (32_768, 1024);
            let from = stream.alloc_zeros::<f32>(rows * length).expect("the GPU has room");
            let mut to = stream.alloc_zeros::<f32>(rows * length).expect("the GPU has room");
            let mut best = stream.alloc_zeros::<f32>(rows).expect("the GPU has room");
            let gpu = Gpu::on(stream.clone()).expect("the device is served");
            let env = Env::gpu(gpu).require((NotGuaranteed, Unspecified, Unsorted));
            let mut rounds = 0;
            while !stop.load(Ordering::Relaxed) {
                for _ in 0..10 {
                    stream.memcpy_dtod(&from, &mut to).expect("the GPU failed");
                    max_keys(Segments::rows(&to, rows, length), 1, &mut best)
                        .run(&env)
                        .expect("it is served");
                }
                stream.synchronize().expect("the GPU failed");
                rounds += 10;
            }
            println!("# beside {rounds} copies of 128 MiB and kernels that read them");
        });
        let _stop = Stop(&stop);
        test();
    });
}

/// Keys that tie at zero, of either sign, thinly spread over the segment: 100 are better and most are worse.
const BETTER: usize = 100;
const TIED: usize = 2000;

fn tying_keys() -> Vec<f32> {
    let rng = &mut rng(17);
    let len = 16 * CHUNK / size_of::<f32>() + 77;
    let mut keys: Vec<f32> = (0..len).map(|_| -1.0 - rng.random::<f32>()).collect();
    let mut places: Vec<usize> = (0..len).collect();
    for i in 0..BETTER + TIED {
        let j = rng.random_range(i..len);
        places.swap(i, j);
        keys[places[i]] = match i {
            ..BETTER => 1.0 + rng.random::<f32>(),
            _ if rng.random() => 0.0,
            _ => -0.0,
        };
    }
    keys
}

/// Two segments of the keys, the outputs, and what is expected of each `k`.
struct Case<'k> {
    keys: &'k [f32],
    on_device: CudaSlice<f32>,
    indices: CudaSlice<u32>,
    host: Vec<u32>,
}

impl Case<'_> {
    /// The set that a call selects from each of two segments that hold the same keys, sorted.
    fn set<R: Requirements>(&mut self, env: &Env<Gpu, R>, k: usize) -> Vec<u32> {
        let (stream, len) = (env.engine().stream(), self.keys.len());
        let rows = Segments::rows(&self.on_device, 2, len);
        max_indices(rows, k, &mut self.indices).run(env).expect("it is served");
        stream.memcpy_dtoh(&self.indices, &mut self.host).expect("the GPU failed");
        stream.synchronize().expect("the GPU failed");
        let [mut first, mut second] = [&self.host[..k], &self.host[k..2 * k]].map(<[u32]>::to_vec);
        first.sort_unstable();
        second.sort_unstable();
        assert!(first == second, "the set depends on the segment's place");
        first
    }

    /// The width of the clusters that such a call launches.
    fn width<R: Requirements>(&mut self, env: &Env<Gpu, R>, k: usize) -> u32 {
        let rows = Segments::rows(&self.on_device, 2, self.keys.len());
        let plan = max_indices(rows, k, &mut self.indices).plan(env).expect("it is served");
        of_gpu(&plan).cluster_width
    }
}

/// Under every pair of caps, `times` times the same call, whose cut through the ties falls elsewhere for every pair, and `cuts` times
/// calls that differ in it.
fn the_same(device: &'static Device, times: usize, cuts: usize) {
    let keys = tying_keys();
    let stream = device.stream();
    let mut case = Case {
        on_device: stream.clone_htod(&[&keys[..], &keys].concat()).expect("the GPU has room"),
        indices: stream.alloc_zeros(2 * (BETTER + TIED)).expect("the GPU has room"),
        host: vec![0; 2 * (BETTER + TIED)],
        keys: &keys,
    };
    // The cut through the ties falls into every sixteenth of the segment once.
    let ks: Vec<usize> = (0..16).map(|part| BETTER + (2 * part + 1) * TIED / 32).collect();
    let sorted = |k, tie| {
        let mut set: Vec<u32> =
            winners(&keys, k, Direction::Largest, tie).iter().map(|&i| i as u32).collect();
        set.sort_unstable();
        set
    };
    let smaller: Vec<_> = ks.iter().map(|&k| sorted(k, Tie::Smaller)).collect();
    let larger: Vec<_> = ks.iter().map(|&k| sorted(k, Tie::Larger)).collect();
    let by_the_cpu = |k, larger: bool| {
        let mut set = vec![0u32; k];
        let env = Env::cpu();
        if larger {
            max_indices(&keys, k, &mut set).run(&env.require((GpuToGpu, PreferLargerIndex, Unsorted)))
        } else {
            max_indices(&keys, k, &mut set).run(&env.require((GpuToGpu, PreferSmallerIndex, Unsorted)))
        }
        .expect("it is served");
        set.sort_unstable();
        set
    };
    for ((&k, smaller), larger) in ks.iter().zip(&smaller).zip(&larger) {
        assert!(by_the_cpu(k, false) == *smaller, "the CPU engine and the oracle disagree");
        assert!(by_the_cpu(k, true) == *larger, "the CPU engine and the oracle disagree");
    }
    // Whatever an unspecified tie-break gives at first.
    let (mut run_to_run, mut gpu_to_gpu) = (vec![None; ks.len()], vec![None; ks.len()]);
    let (mut runs, mut pairs, mut widths) = (0, 0, BTreeSet::new());
    let ways = [(None, Streaming::Never), (Some(1), Streaming::Never), (Some(1), Streaming::Always)];
    for max_cluster_width in WIDTH_CAPS {
        for (max_slots, streaming) in ways {
            let caps = ClusterCaps { max_cluster_width, max_slots, streaming, ..ClusterCaps::NONE };
            let gpu = device.runner.gpu().clone().with_cluster_caps(caps).expect("the caps are usable");
            let env = Env::gpu(gpu);
            // Five widths, three ways: a sixteenth for each pair.
            let fixed = 11 * pairs % ks.len();
            pairs += 1;
            let of_width = env.clone().require((GpuToGpu, PreferSmallerIndex, Unsorted));
            let width = case.width(&of_width, ks[fixed]);
            assert!(width <= max_cluster_width.unwrap_or(16), "{caps:?}: {width}");
            widths.insert(width);
            for time in 0..times + cuts {
                let at = if time < times { fixed } else { time % ks.len() };
                let k = ks[at];
                let context = || format!("k = {k}, time {time}, {caps:?}");
                let pinned = env.clone().require((GpuToGpu, PreferSmallerIndex, Unsorted));
                assert!(case.set(&pinned, k) == smaller[at], "smaller index, {}", context());
                let pinned = env.clone().require((GpuToGpu, PreferLargerIndex, Unsorted));
                assert!(case.set(&pinned, k) == larger[at], "larger index, {}", context());
                let open = case.set(&env.clone().require((RunToRun, Unspecified, Unsorted)), k);
                assert!(*run_to_run[at].get_or_insert(open.clone()) == open, "run to run, {}", context());
                let open = case.set(&env.clone().require((GpuToGpu, Unspecified, Unsorted)), k);
                assert!(*gpu_to_gpu[at].get_or_insert(open.clone()) == open, "GPU to GPU, {}", context());
                runs += 4;
            }
        }
    }
    println!("# {runs} runs by clusters of {widths:?} blocks");
}
