//! From a request as plain data to the parameters of a kernel, as the library's GPU engine makes them.

use cluster_topk_abi::params::{Flags, KernelParams, ScalarSource, ScalarType, SegmentForm, ValueKind};
use cluster_topk_abi::requirement::Contract;
use cluster_topk_emulate::{Buffer, Memory, Use};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::{Layout, fill};
use cluster_topk_tests::request::{
    Bound, Direction, Form, IndexType, Int, Number, Order, Pair, Request, Requirement, Written,
};
use cluster_topk_tests::runner::{Inputs, Outputs, PayloadOut};

/// The parameters, and the buffers that they name.
pub(crate) struct Prepared {
    pub(crate) params: KernelParams,
    pub(crate) memory: Memory,
    pub(crate) keys_out: Option<Buffer>,
    pub(crate) values_out: Option<Buffer>,
    /// The longest segment there can be, and the largest k.
    pub(crate) max_size: u64,
    pub(crate) max_k: u64,
}

/// Element sizes of outputs, 0 where there is none.
pub(crate) fn output_widths<K>(out: &Outputs<K>) -> (usize, usize) {
    let values = match &out.payload {
        PayloadOut::None => 0,
        PayloadOut::U32(_) | PayloadOut::I32(_) => 4,
        PayloadOut::I64(_) => 8,
        PayloadOut::Values(width, _) => *width,
    };
    (if out.keys.is_empty() { 0 } else { size_of::<K>() }, values)
}

/// Makes the buffers of a call and describes it.
pub(crate) fn prepare<K: TestKey>(request: &Request, inputs: Inputs<'_, K>, out: &Outputs<K>) -> Prepared {
    let layout = Layout::of(request, inputs.keys.len());
    let mut memory = Memory::new();
    // Anywhere that the alignment of the keys allows.
    let past = |seed: u64, align: usize| (seed % 7) * align as u64;
    let seed = request.seed;
    let direction = match request.direction {
        Direction::Largest => cluster_topk::Direction::Largest,
        Direction::Smallest => cluster_topk::Direction::Smallest,
    };
    let mut params = KernelParams::empty(K::TYPE, direction, contract(request.requirement));
    let keys =
        memory.add_at("keys", Use::Input, bytemuck::cast_slice(inputs.keys), past(seed, size_of::<K>()));
    params.keys_in = memory.address(keys);
    params.keys_len = inputs.keys.len() as u64;
    params.key_element_stride = request.stride as u64;
    params.num_segments = layout.segments.len() as u32;
    params.output_pitch = layout.pitch as u64;

    let strided = inputs.keys.len().div_ceil(request.stride) as u64;
    let mut size_is_known = false;
    let max_size = match &request.form {
        Form::Single => {
            size_is_known = true;
            params.size = ScalarSource::immediate(strided as i64);
            strided
        }
        Form::Rows { size, pitch, .. } => {
            size_is_known = matches!(size, Number::Constant(_) | Number::Immediate(..));
            // A bound above what the buffer holds says nothing that the buffer does not.
            params.size = source(&mut memory, "sizes", size, strided as i64);
            // Nor does a size below its lower bound count as a wrong one in the matrix.
            params.size.lo = params.size.lo.min(0);
            params.segment_stride = pitch.unwrap_or(size.upper()) as u64;
            params.size.hi as u64
        }
        Form::Ragged { offsets, int, max_length } => {
            let longest = max_length.map_or(strided, |max| strided.min(max as u64));
            params.segment_form = SegmentForm::Offsets;
            params.size = ScalarSource::immediate(longest as i64);
            if !offsets.is_empty() {
                let all = Number::Sequence(offsets.clone(), *int, Bound::Runtime(0, i64::MAX));
                params.offsets = source(&mut memory, "offsets", &all, i64::MAX);
            }
            longest
        }
    };
    params.k = source(&mut memory, "ks", &request.k, i64::from(i32::MAX));
    let max_k = params.k.hi as u64;
    if size_is_known && matches!(request.k, Number::Constant(_) | Number::Immediate(..)) {
        params.flags.insert(Flags::CHECKED);
        params.size = ScalarSource::immediate(max_size as i64);
        params.k = ScalarSource::immediate(max_k.min(params.output_pitch) as i64);
    }

    let (key_bytes, value_bytes) = output_widths(out);
    let keys_out = (key_bytes > 0).then(|| {
        let buffer = memory.add_at(
            "keys out",
            Use::Output,
            bytemuck::cast_slice(&out.keys),
            past(seed / 7, key_bytes),
        );
        params.keys_out = memory.address(buffer);
        params.flags.insert(Flags::WRITE_KEYS);
        buffer
    });
    let bytes: &[u8] = match &out.payload {
        PayloadOut::None => &[],
        PayloadOut::U32(out) => bytemuck::cast_slice(out),
        PayloadOut::I32(out) => bytemuck::cast_slice(out),
        PayloadOut::I64(out) => bytemuck::cast_slice(out),
        PayloadOut::Values(_, out) => out.as_slice(),
    };
    params.value_kind = match request.written {
        Written::Keys => ValueKind::None,
        Written::Pairs(_) => ValueKind::Payload,
        Written::Indices(index) | Written::KeysAndIndices(index) => match index {
            IndexType::U32 => ValueKind::IndexU32,
            IndexType::I32 => ValueKind::IndexI32,
            IndexType::I64 => ValueKind::IndexI64,
        },
    };
    if params.value_kind == ValueKind::Payload {
        // Payloads may lie anywhere.
        let values = memory.add_at("values", Use::Input, inputs.values.as_slice(), seed / 49 % 9);
        params.values_in = memory.address(values);
        params.payload_bytes = value_bytes as u8;
    }
    let values_out = (value_bytes > 0).then(|| {
        let align = if params.value_kind == ValueKind::Payload { 1 } else { value_bytes };
        let buffer = memory.add_at("values out", Use::Output, bytes, past(seed / 343, align));
        params.values_out = memory.address(buffer);
        buffer
    });
    if request.fill {
        let (key, value, index) = fill::<K>(request.seed);
        params.flags.insert(Flags::FILL);
        params.fill_key = key.bits();
        params.fill_value_lo = value as u64;
        params.fill_value_hi = (value >> 64) as u64;
        params.fill_index = index;
    }
    Prepared { params, memory, keys_out, values_out, max_size, max_k }
}

const fn contract(requirement: Requirement) -> Contract {
    use cluster_topk_abi::requirement::{Determinism, OutputOrdering, TieBreak};
    let (determinism, tie_break) = match requirement.membership() {
        Pair::NotGuaranteed => (Determinism::NotGuaranteed, TieBreak::Unspecified),
        Pair::RunToRun => (Determinism::RunToRun, TieBreak::Unspecified),
        Pair::GpuToGpu => (Determinism::GpuToGpu, TieBreak::Unspecified),
        Pair::Smaller => (Determinism::GpuToGpu, TieBreak::PreferSmallerIndex),
        Pair::Larger => (Determinism::GpuToGpu, TieBreak::PreferLargerIndex),
    };
    let ordering = match requirement.ordering() {
        Order::Unsorted => OutputOrdering::Unsorted,
        Order::Sorted => OutputOrdering::Sorted,
        Order::StableSorted => OutputOrdering::StableSorted,
    };
    Contract { determinism, tie_break, ordering }
}

/// A number's source, in a buffer of its own where it lies in memory; its upper bound cut to `cap`.
fn source(memory: &mut Memory, name: &str, number: &Number, cap: i64) -> ScalarSource {
    let (int, bound) = match number {
        Number::Constant(_) | Number::Immediate(..) => return ScalarSource::immediate(number.get(0) as i64),
        Number::Deferred(_, int, bound) | Number::Sequence(_, int, bound) => (*int, *bound),
    };
    let scalar = match int {
        Int::I8 => ScalarType::I8,
        Int::I16 => ScalarType::I16,
        Int::I32 => ScalarType::I32,
        Int::I64 | Int::Isize => ScalarType::I64,
        Int::U8 => ScalarType::U8,
        Int::U16 => ScalarType::U16,
        Int::U32 => ScalarType::U32,
        Int::U64 | Int::Usize => ScalarType::U64,
    };
    let width = scalar.bytes() as usize;
    let bytes: Vec<u8> =
        number.stored().1.iter().flat_map(|value| value.to_le_bytes()[..width].to_vec()).collect();
    let buffer = memory.add(name, Use::Input, &bytes);
    let (lo, hi) = match bound {
        Bound::None => (0, int.max() as i64),
        Bound::Static(bound) => (0, bound.hi() as i64),
        Bound::Runtime(lo, hi) => (lo.max(0), hi),
    };
    let (address, hi) = (memory.address(buffer), hi.min(cap));
    let lo = lo.min(hi);
    match number {
        Number::Deferred(..) => ScalarSource::deferred(address, scalar, lo, hi),
        _ => ScalarSource::deferred_sequence(address, (bytes.len() / width) as u64, scalar, lo, hi),
    }
}
