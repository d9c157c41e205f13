//! Wrong sizes, offsets and `k` in device memory: what lies around the buffers is never touched, and every row is answered as
//! if its numbers had been clamped to their bounds and to the buffers.

use super::device::{Device, SERVED};
use super::harness::Tests;
use super::ties::normal;
use cluster_topk_tests::check::check_layout;
use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::{Layout, Segment};
use cluster_topk_tests::request::{Bound, Form, IndexType, Int, Number, Request, Written};
use cluster_topk_tests::runner::{Inputs, Outputs, Runner, values_for};

const ABSURD: [i128; 8] = [
    i64::MIN as i128,
    -1,
    i32::MAX as i128,
    i32::MAX as i128 + 1,
    u32::MAX as i128,
    1 << 40,
    i64::MAX as i128 - 1,
    i64::MAX as i128,
];

const OUTPUTS: [Written; 4] = [
    Written::Keys,
    Written::Pairs(16),
    Written::Indices(IndexType::I64),
    Written::KeysAndIndices(IndexType::U32),
];

pub(crate) fn add(tests: &mut Tests) {
    tests.add("wrong_numbers::sizes", |device| sizes(device, &[40, 700, 3000]));
    tests.add("wrong_numbers::offsets", |device| offsets(device, &[64, 1024, 4096]));
    tests.add("wrong_numbers::k", |device| ks(device, &[40, 700, 3000]));
    tests.add("wrong_numbers::of_every_key_type", |device| {
        macro_rules! all {
            ($name:ident, $t:ty) => {
                small::<$t>(device)
            };
        }
        each_key_type!(all);
    });
    tests.add("quick::wrong_numbers", |device| {
        small::<f32>(device);
        small::<u8>(device);
        sizes(device, &[100, 1500]);
        offsets(device, &[100, 1500]);
        ks(device, &[100, 1500]);
    });
}

/// A number as the device takes it: within its bounds, nothing for a negative one.
fn clamped(value: i128, hi: usize) -> usize {
    usize::try_from(value).unwrap_or(0).min(hi)
}

/// Where the segments of a request lie once its numbers are clamped.
fn layout(request: &Request, keys: usize) -> Layout {
    let stride = request.stride;
    let k = |i: usize| match &request.k {
        Number::Sequence(values, ..) => clamped(values[i], request.k.upper()),
        Number::Deferred(value, ..) => clamped(*value, request.k.upper()),
        plain => plain.get(i),
    };
    let (mut segments, longest) = match &request.form {
        Form::Rows { count, size: Number::Sequence(sizes, ..), pitch: Some(pitch) } => {
            let Form::Rows { size, .. } = &request.form else { unreachable!() };
            let row = |i: usize| {
                let start = i * pitch;
                let len = clamped(sizes[i], size.upper()).min(keys.saturating_sub(start).div_ceil(stride));
                Segment { start, len, k: k(i) }
            };
            ((0..*count).map(row).collect::<Vec<_>>(), size.upper())
        }
        Form::Ragged { offsets, max_length, .. } => {
            let all = keys.div_ceil(stride);
            let longest = max_length.map_or(all, |max| all.min(max as usize));
            let segment = |(i, pair): (usize, &[i128])| {
                let (start, end) = (clamped(pair[0], all), clamped(pair[1], all));
                Segment { start: start * stride, len: end.saturating_sub(start).min(longest), k: k(i) }
            };
            (offsets.windows(2).enumerate().map(segment).collect(), longest)
        }
        other => panic!("{other:?} has no wrong numbers"),
    };
    let row = if request.fill { request.k.upper() } else { request.k.upper().min(longest) };
    let pitch = request.output_pitch.unwrap_or(request.k.upper());
    for segment in &mut segments {
        segment.k = segment.k.min(pitch);
    }
    Layout { elements: (segments.len() - 1) * pitch + row, pitch, segments }
}

fn run<K: TestKey>(device: &Device, request: &Request, keys: &[K]) {
    let layout = layout(request, keys.len());
    let values = values_for(request, keys.len());
    for (runner, request) in device.runners(request, keys.len()) {
        let mut out = Outputs::canaries(&request, layout.elements + request.seed as usize % 5);
        runner.run(&request, Inputs { keys, values: &values }, &mut out).expect("the host cannot see it");
        if let Err(mismatch) = check_layout(&request, &layout, keys, &out) {
            panic!("{} keys: {mismatch}", K::NAME);
        }
    }
}

/// Good numbers with bad ones in between.
fn spoilt(good: impl Fn(usize) -> i128) -> Vec<i128> {
    let bad = |i: usize| if i % 3 == 1 { ABSURD[i / 3 % ABSURD.len()] } else { good(i) };
    (0..3 * ABSURD.len() + 2).map(bad).collect()
}

fn rows(sizes: Vec<i128>, hi: usize, pitch: usize) -> Form {
    let size = Number::Sequence(sizes.clone(), Int::I64, Bound::Runtime(0, hi as i64));
    Form::Rows { count: sizes.len(), size, pitch: Some(pitch) }
}

fn sizes(device: &Device, lengths: &[usize]) {
    let (stride, fill) = (1, false);
    for (seed, &n) in (0..).zip(lengths) {
        let numbers = spoilt(|i| (n - i) as i128);
        let all = normal(seed, numbers.len() * n);
        for written in OUTPUTS {
            // A buffer that holds all rows; one that ends within the last rows; one that ends before most of them.
            for have in [all.len(), all.len() - n / 2, 5 * n + 3, 1, 0] {
                let request = Request {
                    seed,
                    requirement: SERVED,
                    written: Written::KeysAndIndices(IndexType::U32),
                    form: rows(numbers.clone(), n, n),
                    stride,
                    fill,
                    ..Request::single(n / 3)
                };
                run(device, &request, &all[..have]);
                // The common type of sizes, any output, rows filled, every third key.
                let narrow = numbers.iter().map(|&size| size.clamp(-9, i32::MAX.into())).collect();
                let size = Number::Sequence(narrow, Int::I32, Bound::Runtime(0, n as i64));
                let form = Form::Rows { count: numbers.len(), size, pitch: Some(n) };
                run(device, &Request { form, written, stride: 3, fill: true, ..request }, &all[..have]);
            }
        }
    }
}

fn offsets(device: &Device, lengths: &[usize]) {
    for (seed, &n) in (0..).zip(lengths) {
        let numbers = spoilt(|i| (i * n) as i128);
        let all = normal(seed, numbers.len() * n);
        let up_and_down: Vec<i128> = (0..40).map(|i| (i * 7 % 11 * n) as i128).collect();
        for offsets in [numbers, up_and_down, vec![i64::MAX.into(); 9], vec![-1, i64::MAX.into()]] {
            for written in OUTPUTS {
                for (have, stride) in [(all.len(), 1), (all.len() / 2, 1), (all.len(), 3), (0, 1)] {
                    let request = Request {
                        seed,
                        requirement: SERVED,
                        written,
                        form: Form::Ragged {
                            offsets: offsets.clone(),
                            int: Int::I64,
                            max_length: Some(n as i64),
                        },
                        stride,
                        ..Request::single(n / 4)
                    };
                    run(device, &request, &all[..have]);
                }
            }
        }
    }
}

fn ks(device: &Device, lengths: &[usize]) {
    for (seed, &n) in (0..).zip(lengths) {
        let numbers: Vec<i128> = spoilt(|i| (i * n / 20) as i128)
            .iter()
            .map(|&k| k.clamp(i32::MIN.into(), i32::MAX.into()))
            .collect();
        let sizes = vec![n as i128; numbers.len()];
        let all = normal(seed, numbers.len() * n);
        for written in OUTPUTS {
            for (fill, hi) in [(false, n), (true, n), (false, n / 2), (true, n + 30)] {
                let request = Request {
                    seed,
                    requirement: SERVED,
                    written,
                    form: Form::Rows {
                        count: numbers.len(),
                        size: Number::Sequence(sizes.clone(), Int::I32, Bound::Runtime(0, n as i64)),
                        pitch: Some(n),
                    },
                    k: Number::Sequence(numbers.clone(), Int::I32, Bound::Runtime(-2, hi as i64)),
                    fill,
                    ..Request::single(0)
                };
                run(device, &request, &all);
                // One number for all.
                let k = Number::Deferred(u32::MAX.into(), Int::U32, Bound::Runtime(0, hi as i64));
                run(device, &Request { k, ..request }, &all);
            }
        }
    }
}

/// All three wrong at once.
fn small<K: TestKey>(device: &Device) {
    for (seed, n) in (0..).zip([50, 1300]) {
        let all = keys::<K>(&mut rng(seed), Distribution::Bits, 20 * n);
        let offsets = spoilt(|i| (i * n) as i128);
        let ks: Vec<i128> =
            (0..offsets.len() - 1).map(|i| [5, -1, i32::MAX, i32::MIN, 0][i % 5].into()).collect();
        let form = Form::Ragged { offsets, int: Int::I64, max_length: Some(n as i64 + 7) };
        let request = Request {
            seed,
            requirement: SERVED,
            written: Written::Pairs(8),
            form,
            k: Number::Sequence(ks, Int::I32, Bound::Runtime(0, n as i64)),
            fill: true,
            ..Request::single(0)
        };
        run(device, &request, &all);
    }
}
