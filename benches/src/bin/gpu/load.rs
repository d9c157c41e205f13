//! How long the first calls take, which load the kernels.

use super::measure::row;
use cluster_topk::cudarc::driver::{CudaContext, DeviceRepr, ValidAsZeroBits};
use cluster_topk::env::BackendOverride;
use cluster_topk::half::f16;
use cluster_topk::prelude::*;
use cluster_topk::{Gpu, Key};
use std::error::Error;
use std::time::Instant;

/// Makes the engine, and prints how long each family of kernels takes to load, for each width of a key.
pub(crate) fn first_calls(ordinal: usize) -> Result<Gpu, Box<dyn Error>> {
    let context = CudaContext::new(ordinal)?;
    // SAFETY: everything below runs on one stream, so nothing needs events; a capture could not wait for them.
    unsafe { context.disable_event_tracking() };
    let gpu = Gpu::on(context.new_stream()?)?;
    of_width::<u8>(&gpu, "u8")?;
    of_width::<f16>(&gpu, "f16")?;
    of_width::<f32>(&gpu, "f32")?;
    of_width::<u64>(&gpu, "u64")?;
    Ok(gpu)
}

fn of_width<K: Key + DeviceRepr + ValidAsZeroBits>(gpu: &Gpu, dtype: &str) -> Result<(), Box<dyn Error>> {
    const LENGTH: usize = 16_384;
    let stream = gpu.stream();
    let keys = stream.alloc_zeros::<K>(1000 * LENGTH)?;
    let mut out = stream.alloc_zeros::<K>(1000 * 4)?;
    // One segment has wide blocks, many have narrow ones.
    for (family, backend, segments, length) in [
        ("warp", BackendOverride::ForceBaseline, 1, 1024),
        ("block", BackendOverride::ForceBaseline, 1000, LENGTH),
        ("wide", BackendOverride::ForceBaseline, 1, LENGTH),
        ("cluster", BackendOverride::ForceCluster, 1, LENGTH),
    ] {
        let name = format!("ours-load-{family}-{}", 8 * size_of::<K>());
        let env = Env::gpu(gpu.clone()).require((NotGuaranteed, Unspecified, Unsorted)).backend(backend);
        let request = max_keys(Segments::rows(&keys, segments, length), 4, &mut out);
        let started = Instant::now();
        match request.prepare(&env) {
            Ok(()) => row(&name, dtype, [segments, length, 4], started.elapsed().as_secs_f64() * 1e6, 0),
            Err(error) => println!("# skipped {name}: {error}"),
        }
    }
    // The cluster kernel is loaded by now; what is left is the one that sorts.
    let name = format!("ours-load-order-{}", 8 * size_of::<K>());
    let env = Env::gpu(gpu.clone()).backend(BackendOverride::ForceCluster);
    let request = max_keys(Segments::rows(&keys, 1, LENGTH), 4, &mut out);
    let started = Instant::now();
    match request.prepare(&env) {
        Ok(()) => row(&name, dtype, [1, LENGTH, 4], started.elapsed().as_secs_f64() * 1e6, 0),
        Err(error) => println!("# skipped {name}: {error}"),
    }
    Ok(())
}
