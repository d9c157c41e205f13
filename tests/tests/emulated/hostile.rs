//! Numbers in device memory that are wrong: the answer may be wrong for their segments, but no access leaves a buffer.

use crate::agents::agents;
use crate::params::{Prepared, prepare};
use cluster_topk::Key as _;
use cluster_topk_abi::params::{Flags, ScalarType};
use cluster_topk_emulate::{Launch, Schedule, Use, launch};
use cluster_topk_tests::generators::{Distribution, keys, pick, rng};
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::request::{Bound, Form, IndexType, Int, Number, Request, Requirement, Written};
use cluster_topk_tests::runner::{Inputs, Outputs, values_for};
use rand::RngExt;
use rand::rngs::StdRng;

const SEGMENTS: usize = 5;
const LONGEST: i64 = 40;

/// Anything: small, near the limits, or all bits.
fn junk(rng: &mut StdRng) -> i64 {
    match rng.random_range(0..4) {
        0 => rng.random_range(-3..LONGEST + 3),
        1 => pick(rng, &[i64::MIN, -1, 0, i64::from(i32::MAX), 1 << 32, i64::MAX]),
        2 => rng.random_range(0..4 * LONGEST),
        _ => rng.random(),
    }
}

#[test]
fn wrong_sizes_offsets_and_ks() {
    for seed in 0..150 {
        let rng = &mut rng(seed);
        let ks = (0..SEGMENTS).map(|_| junk(rng).into()).collect();
        let sizes = (0..SEGMENTS).map(|_| junk(rng).into()).collect();
        let ragged = rng.random_bool(0.5);
        let form = if ragged {
            let offsets = (0..=SEGMENTS as i128).map(|i| i * 30).collect();
            Form::Ragged { offsets, int: Int::I64, max_length: Some(LONGEST) }
        } else {
            let size = Number::Sequence(sizes, Int::I64, Bound::Runtime(rng.random_range(0..5), LONGEST));
            Form::Rows { count: SEGMENTS, size, pitch: Some(pick(rng, &[0, 7, 40, 1000])) }
        };
        let request = Request {
            seed,
            form,
            stride: pick(rng, &[1, 1, 3]),
            k: Number::Sequence(ks, Int::I64, Bound::Runtime(0, 12)),
            output_pitch: Some(12 + rng.random_range(0..3)),
            written: pick(rng, &[Written::Pairs(3), Written::KeysAndIndices(IndexType::I64)]),
            fill: rng.random(),
            requirement: pick(rng, &Requirement::meanings().collect::<Vec<_>>()),
            ..Request::single(0)
        };
        let keys: Vec<f32> = keys(rng, Distribution::Bits, 150 * request.stride);
        let elements = Layout::of(&Request { k: Number::plain(12), ..request.clone() }, keys.len()).elements;
        let out = Outputs::canaries(&request, elements);
        let values = values_for(&request, keys.len());
        let junk: Vec<u8> = (0..=SEGMENTS).flat_map(|_| junk(rng).to_le_bytes()).collect();
        for agent in agents(f32::TYPE.width(), LONGEST as usize).filter(|agent| agent.threads <= 128) {
            let Prepared { mut params, mut memory, .. } =
                prepare(&request, Inputs { keys: &keys, values: &values }, &out);
            if ragged {
                let offsets = memory.add("wrong offsets", Use::Input, &junk);
                (params.offsets.address, params.offsets.scalar) = (memory.address(offsets), ScalarType::I64);
            }
            let shape = Launch {
                blocks: params.num_segments.div_ceil(agent.segments),
                threads: agent.threads,
                cluster_width: 1,
                shared_bytes: (agent.shared_bytes)(12, params.flags.contains(Flags::SORTED)),
            };
            let kernel = agent.run;
            // SAFETY: the launch has the agent's shape, and the parameters describe buffers that live as long.
            let done = launch(&mut memory, shape, Schedule::nth(seed), move || unsafe { kernel(&params) });
            if let Err(fault) = done {
                panic!("{}: {fault}\n  {request:?}", agent.name);
            }
        }
    }
}
