//! How a shape is measured.

use super::setting::{Order, Pair};
use super::{Outputs, Setting, Shape};
use cluster_topk::cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cluster_topk::cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use cluster_topk::env::BackendOverride;
use cluster_topk::gpu::DeviceMemory;
use cluster_topk::prelude::*;
use cluster_topk::requirement::Requirements;
use cluster_topk::{Gpu, Key};
use cluster_topk_benches::bench_key::BenchKey;
use cluster_topk_benches::distribution::Distribution;
use rayon::prelude::*;
use std::borrow::Cow;
use std::error::Error;
use std::time::Instant;

/// Prints what a call costs the host: many enqueued in a row, none waited for.
pub(crate) fn host_cost(gpu: &Gpu) -> Result<(), Box<dyn Error>> {
    const CALLS: usize = 1000;
    let stream = gpu.stream();
    let keys = stream.clone_htod(&vec![0f32; 256])?;
    let (mut out, mut indices) = (stream.alloc_zeros::<f32>(4)?, stream.alloc_zeros::<u32>(4)?);
    stream.synchronize()?;
    for (name, backend) in [
        ("ours-host-cost", BackendOverride::Automatic),
        ("ours-host-cost-cluster", BackendOverride::ForceCluster),
    ] {
        let env = Env::gpu(gpu.clone()).require((NotGuaranteed, Unspecified, Unsorted)).backend(backend);
        if let Err(error) = max_keys_and_indices(&keys, 4, &mut out, &mut indices).prepare(&env) {
            println!("# skipped {name}: {error}");
            continue;
        }
        let mut times: Vec<f64> = Vec::new();
        for _ in 0..9 {
            let started = Instant::now();
            for _ in 0..CALLS {
                max_keys_and_indices(&keys, 4, &mut out, &mut indices).run(&env)?;
            }
            times.push(started.elapsed().as_secs_f64() * 1e6 / CALLS as f64);
            stream.synchronize()?;
        }
        row(name, "f32", [1, 256, 4], median(times), 0);
    }
    Ok(())
}

/// Prints a row.
pub(crate) fn row(name: &str, dtype: &str, [segments, length, k]: [usize; 3], us: f64, bytes: usize) {
    println!("{name},{dtype},{segments},{length},{k},{us:.2},{:.0}", bytes as f64 / us * 1e-3);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Inputs in rotation: at least 512 MiB, so that none is still in the cache when its turn comes.
fn rotations(bytes: usize) -> usize {
    ((512 << 20) / bytes.max(1)).clamp(2, 32)
}

/// The buffers of one shape.
struct Buffers<K> {
    inputs: Vec<CudaSlice<K>>,
    keys: CudaSlice<K>,
    indices: CudaSlice<u32>,
    /// What a call needs beside its outputs.
    room: Option<CudaSlice<u8>>,
}

/// Checks and times one shape, and prints its plan and its row.
pub(crate) fn shape<K: BenchKey + DeviceRepr + ValidAsZeroBits>(
    gpu: &Gpu,
    distribution: Distribution,
    shape: Shape,
    setting: Setting,
) -> Result<(), Box<dyn Error>> {
    macro_rules! contracts {
        ($($pair:ident => $determinism:ident, $tie_break:ident;)*) => {
            match (setting.contract.pair, setting.contract.order) {
                $(
                    (Pair::$pair, Order::Unsorted) => contracts!(@under $determinism, $tie_break, Unsorted),
                    (Pair::$pair, Order::Sorted) => contracts!(@under $determinism, $tie_break, Sorted),
                    (Pair::$pair, Order::Stable) => contracts!(@under $determinism, $tie_break, StableSorted),
                )*
            }
        };
        (@under $determinism:ident, $tie_break:ident, $order:ident) => {
            under::<K, _>(gpu, ($determinism, $tie_break, $order), distribution, shape, setting)
        };
    }
    contracts! {
        Nondet => NotGuaranteed, Unspecified;
        RunToRun => RunToRun, Unspecified;
        Det => GpuToGpu, Unspecified;
        Smaller => GpuToGpu, PreferSmallerIndex;
        Larger => GpuToGpu, PreferLargerIndex;
    }
}

fn under<K: BenchKey + DeviceRepr + ValidAsZeroBits, R: Requirements>(
    gpu: &Gpu,
    requirement: R,
    distribution: Distribution,
    shape: Shape,
    setting: Setting,
) -> Result<(), Box<dyn Error>> {
    let env = &Env::gpu(gpu.clone()).backend(setting.backend.choice()).require(requirement);
    let Shape { segments, length, k, .. } = shape;
    let stride = setting.element_stride;
    let stream = gpu.stream();

    let host: Vec<K> = (0..segments)
        .into_par_iter()
        .with_max_len(segments.div_ceil(64))
        .flat_map_iter(|segment| distribution.segment::<K>(segment as u64, length))
        .collect();
    let bytes = size_of_val(&host[..]);
    let laid_out = apart(&host, stride);
    let rotations = rotations(size_of_val(&laid_out[..]));
    let mut buffers = Buffers {
        inputs: (0..rotations).map(|_| stream.clone_htod(&laid_out[..])).collect::<Result<_, _>>()?,
        keys: stream.alloc_zeros::<K>(segments * k)?,
        indices: stream.alloc_zeros::<u32>(segments * k)?,
        room: None,
    };
    let rows = shape.rows(stride, &buffers.inputs[0]);
    let room = max_keys(rows, k, &mut buffers.keys).workspace_bytes(env)?;
    if room > 0 {
        buffers.room = Some(stream.alloc_zeros::<u8>(room)?);
    }
    let call = |buffers: &mut Buffers<K>, rotation: usize| {
        let rows = shape.rows(stride, &buffers.inputs[rotation]);
        let (keys, indices) = (&mut buffers.keys, &mut buffers.indices);
        // The requests' types differ.
        macro_rules! run {
            ($request:expr) => {
                match &mut buffers.room {
                    Some(room) => $request.workspace(room).run(env),
                    None => $request.run(env),
                }
            };
        }
        match setting.outputs {
            Outputs::Keys => run!(max_keys(rows, k, keys)),
            Outputs::Pairs => run!(max_keys_and_indices(rows, k, keys, indices)),
            Outputs::Index => run!(max_indices(rows, k, indices)),
        }
    };
    let rows = shape.rows(stride, &buffers.inputs[0]);
    let plan = max_keys(rows, k, &mut buffers.keys).plan(env)?.to_string();
    plan.lines().for_each(|line| println!("# {line}"));
    call(&mut buffers, 0)?;
    stream.synchronize()?;
    check(gpu, requirement, &host, &buffers, shape, setting)?;

    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    for rotation in 0..buffers.inputs.len() {
        call(&mut buffers, rotation)?;
    }
    let graph = stream.end_capture(CUgraphInstantiate_flags(0))?.ok_or("the capture gave no graph")?;
    graph.launch()?;
    stream.synchronize()?;
    let mut times = Vec::new();
    while times.len() < 5
        || (times.len() < 30 && times.iter().sum::<f64>() * (buffers.inputs.len() as f64) < 300e3)
    {
        let timing = Some(CUevent_flags::CU_EVENT_DEFAULT);
        let start = stream.record_event(timing)?;
        graph.launch()?;
        let end = stream.record_event(timing)?;
        stream.synchronize()?;
        times.push(f64::from(start.elapsed_ms(&end)?) * 1e3 / buffers.inputs.len() as f64);
    }
    row(&setting.to_string(), shape.dtype.name(), [segments, length, k], median(times), bytes);
    Ok(())
}

impl Shape {
    /// The segments in a buffer of keys that are [apart].
    fn rows<K: Key + DeviceRepr>(
        self,
        stride: usize,
        keys: &CudaSlice<K>,
    ) -> Segments<'_, K, DeviceMemory, usize> {
        Segments::rows(keys, self.segments, self.length).pitch(self.length * stride).element_stride(stride)
    }
}

/// The keys, each `stride` elements behind the one before, with zeros between them.
fn apart<K: Key>(keys: &[K], stride: usize) -> Cow<'_, [K]> {
    if stride == 1 {
        return keys.into();
    }
    let mut apart = vec![K::zeroed(); keys.len() * stride];
    apart.par_chunks_exact_mut(stride).zip(keys).for_each(|(to, &key)| to[0] = key);
    apart.into()
}

/// Compares the outputs with the CPU engine's: the keys as a multiset, or in their order where the output is sorted; the indices
/// by the keys they name, and as a set where the contract pins it; and equal keys by their indices where it is stable.
fn check<K: Key + DeviceRepr, R: Requirements>(
    gpu: &Gpu,
    requirement: R,
    host: &[K],
    buffers: &Buffers<K>,
    shape: Shape,
    setting: Setting,
) -> Result<(), Box<dyn Error>> {
    let Shape { segments, length, k, .. } = shape;
    let (stream, outputs) = (gpu.stream(), setting.outputs);
    let mut wanted = vec![K::zeroed(); segments * k];
    max_keys(Segments::rows(host, segments, length), k, &mut wanted).run(&Env::cpu())?;
    let mut wanted_places = Vec::new();
    if setting.contract.pins_the_set() && outputs != Outputs::Keys {
        wanted_places.resize(segments * k, 0u32);
        let rows = Segments::rows(host, segments, length);
        max_indices(rows, k, &mut wanted_places).run(&Env::cpu().require(requirement))?;
    }
    let keys = stream.clone_dtoh(&buffers.keys)?;
    let indices = stream.clone_dtoh(&buffers.indices)?;
    let taken = k.min(length);
    let wrong = (0..segments).into_par_iter().find_first(|&segment| {
        let row = segment * k..segment * k + taken;
        let of_segment = &host[segment * length..(segment + 1) * length];
        let mut found: Vec<K> = match outputs {
            Outputs::Keys => keys[row.clone()].to_vec(),
            _ => {
                let mut places: Vec<u32> = indices[row.clone()].to_vec();
                places.sort_unstable();
                if places.windows(2).any(|pair| pair[0] == pair[1])
                    || places.last().is_some_and(|&i| i as usize >= length)
                {
                    return true;
                }
                if let Some(wanted) = wanted_places.get(row.clone()) {
                    let mut wanted = wanted.to_vec();
                    wanted.sort_unstable();
                    if wanted != places {
                        return true;
                    }
                }
                if setting.contract.order == Order::Stable {
                    let unstable = |pair: &[u32]| {
                        let [left, right] = [pair[0], pair[1]].map(|i| of_segment[i as usize]);
                        left.key_cmp(right).is_eq() && pair[0] > pair[1]
                    };
                    if indices[row.clone()].windows(2).any(unstable) {
                        return true;
                    }
                }
                let named = indices[row.clone()].iter().map(|&i| of_segment[i as usize]);
                let same = |(key, out): (K, &K)| bytemuck_eq(&key, out);
                if outputs == Outputs::Pairs && !named.clone().zip(&keys[row.clone()]).all(same) {
                    return true;
                }
                named.collect()
            }
        };
        if setting.contract.order == Order::Unsorted {
            found.sort_by(|a, b| b.key_cmp(*a));
        }
        !found.iter().zip(&wanted[row]).all(|(a, b)| a.key_cmp(*b).is_eq())
    });
    match wrong {
        None => Ok(()),
        Some(segment) => Err(format!("{shape}: segment {segment} is wrong").into()),
    }
}

fn bytemuck_eq<K: Key>(a: &K, b: &K) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}
