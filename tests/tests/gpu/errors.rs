//! What the GPU engine refuses: the typed error, and nothing written.

use super::device::Device;
use super::harness::{Outcome, Skip, Tests};
use cluster_topk::cudarc::driver::{CudaContext, CudaSlice, DevicePtr};
use cluster_topk::env::{BackendOverride, ForceBaseline};
use cluster_topk::gpu::{ClusterCaps, DeviceView, DeviceViewMut};
use cluster_topk::prelude::*;
use cluster_topk::{ArgumentName, BufferName, Error, Gpu};

const KEYS: [f32; 12] = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 8.0];

pub(crate) fn add(tests: &mut Tests) {
    tests.add("errors::what_this_version_does_not_serve", unsupported);
    tests.add_skippable("errors::what_needs_clusters", without_clusters);
    tests.add("errors::caps_outside_their_range", caps);
    tests.add("errors::short_buffers", short);
    tests.add("errors::bad_numbers", numbers);
    tests.add("errors::unaligned_buffers", unaligned);
    tests.add("errors::overlapping_buffers", overlap);
    tests.add("errors::buffers_of_another_context", wrong_context);
    tests.add("errors::no_such_device", |_| {
        let count = CudaContext::device_count().expect("the driver is there") as usize;
        assert_eq!(Gpu::new(99).err(), Some(Error::NoDevice { ordinal: 99, count }));
    });
}

/// Keys, and outputs that hold sevens, 64 slots at first.
pub(crate) struct Buffers {
    device: &'static Device,
    pub(crate) keys: CudaSlice<f32>,
    pub(crate) keys_out: CudaSlice<f32>,
    pub(crate) indices_out: CudaSlice<u32>,
}

impl Buffers {
    pub(crate) fn new(device: &'static Device) -> Self {
        let stream = device.stream();
        let copied = |host: &[f32]| stream.clone_htod(host).expect("the GPU has room");
        let indices_out = stream.clone_htod(&[7u32; 64]).expect("the GPU has room");
        Self { device, keys: copied(&KEYS), keys_out: copied(&[7.0; 64]), indices_out }
    }

    /// Checks that the outputs still hold sevens.
    #[track_caller]
    pub(crate) fn untouched(&self) {
        let stream = self.device.stream();
        let keys = stream.clone_dtoh(&self.keys_out).expect("the GPU failed");
        let indices = stream.clone_dtoh(&self.indices_out).expect("the GPU failed");
        stream.synchronize().expect("the GPU failed");
        let sevens = keys.iter().all(|&key| key == 7.0) && indices.iter().all(|&index| index == 7);
        assert!(sevens, "something was written");
    }
}

/// Asserts that a call is refused with this error by `plan`, `prepare` and `run`, and writes nothing.
macro_rules! refused {
    ($buffers:ident, $env:expr, $request:expr, $error:pat) => {{
        let env = $env;
        let request = $request;
        assert!(matches!(request.plan(&env), Err($error)), "{:?}", request.plan(&env));
        assert!(matches!(request.prepare(&env), Err($error)), "{:?}", request.prepare(&env));
        let given = request.run(&env);
        assert!(matches!(given, Err($error)), "{given:?}");
        $buffers.untouched();
    }};
}

fn unsupported(device: &'static Device) {
    let mut b = Buffers::new(device);
    let served = || device.runner.env().clone();
    let all = || Env::gpu(device.runner.gpu().clone());
    let stream = device.stream();
    let long = stream.alloc_zeros::<f32>(16_385).expect("the GPU has room");
    // A forced backend is never replaced by the other one.
    refused!(
        b,
        all().require((GpuToGpu, PreferLargerIndex, StableSorted)).backend(BackendOverride::ForceBaseline),
        max_keys_and_indices(&long, 2, &mut b.keys_out, &mut b.indices_out),
        Error::Unsupported { .. }
    );
    let forced = || served().backend(BackendOverride::ForceBaseline);
    // One key more than a block holds: in the buffer, by the size's bound, by the length of a ragged buffer.
    let offsets = stream.clone_htod(&[0i32, 5]).expect("the GPU has room");
    refused!(b, forced(), max_keys(&long, 2, &mut b.keys_out), Error::Unsupported { .. });
    let sizes = DeferredSequence::new(&offsets).bounds(0..=16_385);
    refused!(
        b,
        forced(),
        max_keys(Segments::rows(&long, 2, sizes.clone()).pitch(1), 2, &mut b.keys_out),
        Error::Unsupported { .. }
    );
    refused!(
        b,
        forced(),
        max_keys(Segments::ragged(&long, &offsets), 2, &mut b.keys_out),
        Error::Unsupported { .. }
    );
    // As it is by a token whose check a lenient environment leaves to the call.
    refused!(
        b,
        served().lenient().backend(ForceBaseline),
        max_keys(&long, 2, &mut b.keys_out),
        Error::Unsupported { .. }
    );
    // With a bound it is served.
    let bounded = Segments::ragged(&long, &offsets).max_length(16_384);
    max_keys(bounded, 2, &mut b.keys_out).run(&forced()).expect("the segments are short");
}

/// What needs clusters, on a device without.
fn without_clusters(device: &'static Device) -> Outcome {
    if device.has_clusters().is_ok() {
        return Err(Skip("this device has clusters".into()));
    }
    let mut b = Buffers::new(device);
    let env = || device.runner.env().clone().lenient();
    let long = device.stream().alloc_zeros::<f32>(16_385).expect("the GPU has room");
    refused!(b, env(), max_keys(&long, 2, &mut b.keys_out), Error::UnsupportedArchitecture { .. });
    refused!(
        b,
        env().backend(BackendOverride::ForceCluster),
        max_keys(&b.keys, 2, &mut b.keys_out),
        Error::UnsupportedArchitecture { .. }
    );
    refused!(
        b,
        env().require((RunToRun, Unspecified, Unsorted)),
        max_keys(&long, 2, &mut b.keys_out),
        Error::UnsupportedArchitecture { .. }
    );
    Ok(())
}

fn caps(device: &'static Device) {
    let gpu = || device.runner.gpu().clone();
    for caps in [
        ClusterCaps { max_cluster_width: Some(0), ..ClusterCaps::NONE },
        ClusterCaps { max_cluster_width: Some(17), ..ClusterCaps::NONE },
        ClusterCaps { max_cluster_width: Some(4), ..ClusterCaps::PORTABLE },
        ClusterCaps { max_slots: Some(0), ..ClusterCaps::NONE },
        ClusterCaps { single_block_max_seg_size: u32::MAX, ..ClusterCaps::NONE },
    ] {
        let given = gpu().with_cluster_caps(caps);
        assert!(matches!(given, Err(Error::BadClusterCaps { .. })), "{given:?}");
    }
}

fn short(device: &'static Device) {
    let mut b = Buffers::new(device);
    let env = || device.runner.env().clone();
    let stream = device.stream();
    macro_rules! too_short {
        ($request:expr, $buffer:ident, $required:literal, $given:literal) => {
            refused!(
                b,
                env(),
                $request,
                Error::BufferTooShort { buffer: BufferName::$buffer, required: $required, given: $given }
            )
        };
    }
    too_short!(max_keys(Segments::rows(&b.keys, 3, 5), 2, &mut b.keys_out), Keys, 15, 12);
    too_short!(max_keys(Segments::rows(&b.keys, 3, 4).pitch(5), 2, &mut b.keys_out), Keys, 14, 12);
    too_short!(max_keys(Segments::rows(&b.keys, 3, 4).element_stride(2), 2, &mut b.keys_out), Keys, 15, 12);
    let mut few = stream.clone_htod(&[7.0f32; 8]).expect("the GPU has room");
    too_short!(max_keys(Segments::rows(&b.keys, 3, 4), 3, &mut few), KeysOut, 9, 8);
    let mut few = stream.clone_htod(&[7u32; 8]).expect("the GPU has room");
    too_short!(max_indices(Segments::rows(&b.keys, 3, 4), 3, &mut few), IndicesOut, 9, 8);
    let values = stream.clone_htod(&[7u16; 11]).expect("the GPU has room");
    let mut values_out = stream.clone_htod(&[7u16; 8]).expect("the GPU has room");
    too_short!(max_pairs(&b.keys, &values, 2, &mut b.keys_out, &mut values_out), Values, 12, 11);
    let values = stream.clone_htod(&[7u16; 12]).expect("the GPU has room");
    too_short!(
        max_pairs(Segments::rows(&b.keys, 3, 4), &values, 3, &mut b.keys_out, &mut values_out),
        ValuesOut,
        9,
        8
    );
    let numbers = stream.clone_htod(&[1u8, 1]).expect("the GPU has room");
    let two = DeferredSequence::new(&numbers).bounds(0..=4);
    too_short!(max_keys(Segments::rows(&b.keys, 3, two.clone()).pitch(4), 2, &mut b.keys_out), Sizes, 3, 2);
    too_short!(max_keys(Segments::rows(&b.keys, 3, 4), two.clone(), &mut b.keys_out), Ks, 3, 2);
}

fn numbers(device: &'static Device) {
    let mut b = Buffers::new(device);
    let env = || device.runner.env().clone();
    refused!(
        b,
        env(),
        max_keys(&b.keys, -1, &mut b.keys_out),
        Error::OutOfBounds { argument: ArgumentName::K, segment: None, lo: 0, value: -1, .. }
    );
    refused!(
        b,
        env(),
        max_keys(Segments::rows(&b.keys, 3, 4), 3, &mut b.keys_out).output_pitch(2),
        Error::PitchTooSmall { required: 3, given: 2 }
    );
    refused!(
        b,
        env(),
        max_keys(Segments::rows(&b.keys, 3, 4).element_stride(0), 3, &mut b.keys_out),
        Error::ZeroStride
    );
    let number = device.stream().clone_htod(&[2i64]).expect("the GPU has room");
    refused!(
        b,
        env(),
        max_keys(&b.keys, Deferred::new(&number).bounds(0..=1 << 31), &mut b.keys_out),
        Error::BadBounds { argument: ArgumentName::K, .. }
    );
    refused!(
        b,
        env(),
        max_keys(Segments::rows(&b.keys, 1u32 << 31, 0), 3, &mut b.keys_out),
        Error::TooManySegments { .. }
    );
}

fn unaligned(device: &'static Device) {
    let b = Buffers::new(device);
    let env = || device.runner.env().clone();
    let stream = device.stream();
    let [keys, keys_out] = [&b.keys, &b.keys_out].map(|buffer| buffer.device_ptr(stream).0);
    let indices_out = b.indices_out.device_ptr(stream).0;
    // SAFETY: the buffers hold as many elements; a misaligned address is refused before anything reads it.
    let view = |address| unsafe { DeviceView::<f32>::from_raw(address, 8) };
    // SAFETY: as above.
    let view_mut = |address| unsafe { DeviceViewMut::<f32>::from_raw(address, 8) };
    // SAFETY: as above.
    let view_indices = |address| unsafe { DeviceViewMut::<u32>::from_raw(address, 8) };
    let refused = |given: Result<(), Error>, buffer, address| {
        assert_eq!(given, Err(Error::Unaligned { buffer, address, required: 4 }));
        b.untouched();
    };
    for off in 1..4 {
        let given = max_keys(Segments::single(view(keys + off)), 2, view_mut(keys_out)).run(&env());
        refused(given, BufferName::Keys, keys + off);
        let given = max_keys(Segments::single(view(keys)), 2, view_mut(keys_out + off)).run(&env());
        refused(given, BufferName::KeysOut, keys_out + off);
        let given = max_indices(Segments::single(view(keys)), 2, view_indices(indices_out + off)).run(&env());
        refused(given, BufferName::IndicesOut, indices_out + off);
    }
    // Any multiple of the element's size will do.
    let given = max_keys(Segments::single(view(keys + 4)), 2, view_mut(keys_out + 12)).run(&env());
    assert_eq!(given, Ok(()));
}

fn overlap(device: &'static Device) {
    let b = Buffers::new(device);
    let env = || device.runner.env().clone();
    let stream = device.stream();
    let (keys, out) = (b.keys.device_ptr(stream).0, b.keys_out.device_ptr(stream).0);
    // SAFETY: the buffers hold as many elements, and the overlap is refused before anything is written.
    let input = |address, len| unsafe { DeviceView::<f32>::from_raw(address, len) };
    // SAFETY: as above.
    let output = |address, len| unsafe { DeviceViewMut::<f32>::from_raw(address, len) };
    // SAFETY: as above.
    let indices = |address, len| unsafe { DeviceViewMut::<u32>::from_raw(address, len) };
    let shared = |first, second| Err(Error::Overlap { first, second });
    let given = max_keys(Segments::single(input(keys, 12)), 2, output(keys + 44, 2)).run(&env());
    assert_eq!(given, shared(BufferName::KeysOut, BufferName::Keys));
    let request =
        max_keys_and_indices(Segments::single(input(keys, 12)), 4, output(out, 4), indices(out + 12, 4));
    assert_eq!(request.run(&env()), shared(BufferName::KeysOut, BufferName::IndicesOut));
    let sizes = DeferredSequence::new(input_ints(out)).bounds(0..=4);
    let rows = Segments::rows(input(keys, 12), 3, sizes);
    let given = max_keys(rows, 2, output(out, 6)).run(&env());
    assert_eq!(given, shared(BufferName::KeysOut, BufferName::Sizes));
    b.untouched();
    // Side by side is fine.
    let request =
        max_keys_and_indices(Segments::single(input(keys, 12)), 4, output(out, 4), indices(out + 16, 4));
    assert_eq!(request.run(&env()), Ok(()));
}

fn input_ints<'a>(address: u64) -> DeviceView<'a, i32> {
    // SAFETY: the caller's buffer holds three elements of that size.
    unsafe { DeviceView::from_raw(address, 3) }
}

fn wrong_context(device: &'static Device) {
    let mut b = Buffers::new(device);
    let env = || device.runner.env().clone();
    let other = CudaContext::new_non_primary(0, 0).expect("a second context can be made");
    let stream = other.default_stream();
    let keys = stream.clone_htod(&KEYS).expect("the GPU has room");
    let mut out = stream.alloc_zeros::<f32>(4).expect("the GPU has room");
    let number = stream.clone_htod(&[2u8]).expect("the GPU has room");
    stream.synchronize().expect("the GPU failed");
    let wrong = |buffer| Err(Error::WrongDevice { buffer });
    assert_eq!(max_keys(&keys, 2, &mut b.keys_out).run(&env()), wrong(BufferName::Keys));
    assert_eq!(max_keys(&b.keys, 2, &mut out).run(&env()), wrong(BufferName::KeysOut));
    let k = Deferred::new(&number).bounds(0..=2);
    assert_eq!(max_keys(&b.keys, k, &mut b.keys_out).run(&env()), wrong(BufferName::Ks));
    b.untouched();
}
