//! From a call to the block of parameters that a kernel gets.

use super::memory::{DeviceMemory, Source, SourceMut};
use crate::args::{self, IntView, LIMIT, Lowered};
use crate::error::{ArgumentName, BufferName, Error};
use crate::key::Key;
use crate::payload::IndexOut;
use crate::request::{Call, PayloadOut};
use crate::requirement::Contract;
use crate::segments::Form;
use crate::validate::{
    Extent, OutputRows, long_enough, no_overlap, output_rows, segment_count, usable_bounds,
};
use cluster_topk_abi::params::{Flags, KernelParams, ScalarSource, ScalarType, SegmentForm, ValueKind};
use cluster_topk_abi::policy::Workspace;
use cudarc::driver::{CudaStream, SyncOnDrop};

/// What the host can check of a call whose numbers may lie in device memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceShape {
    pub(super) num_segments: u64,
    pub(super) max_size: u64,
    pub(super) max_k: u64,
    pub(super) output: OutputRows,
    pitch: u64,
}

impl DeviceShape {
    pub(super) fn of<K: Key>(call: &Call<'_, '_, K, DeviceMemory>) -> Result<Self, Error> {
        let stride = call.element_stride;
        if stride == 0 {
            return Err(Error::ZeroStride);
        }
        let keys = call.keys.len();
        let strided_keys = keys.div_ceil(stride) as u64;
        let (num_segments, max_size, pitch) = match &call.form {
            Form::Single => {
                (1, crate::validate::known_size(None, strided_keys.into(), 0, LIMIT.into())? as u64, 0)
            }
            Form::Rows { count, size, pitch } => {
                let segments = segment_count(*count, 1)?;
                let max_size = bound(ArgumentName::SegmentSize, BufferName::Sizes, size, segments)?;
                let pitch = pitch.map_or(max_size, |pitch| pitch as u64);
                if let (args::Source::Immediate(_), 1.., 1..) = (size.source, segments, max_size) {
                    let elements = u128::from(segments - 1) * u128::from(pitch)
                        + u128::from(max_size - 1) * stride as u128
                        + 1;
                    long_enough(BufferName::Keys, elements, keys)?;
                }
                (segments, max_size, pitch)
            }
            Form::Ragged { offsets, max_length } => {
                let segments = segment_count(offsets.len().saturating_sub(1) as i128, 1)?;
                let longest = match max_length {
                    Some(length) => usable_bounds(ArgumentName::SegmentSize, 0, *length)?,
                    None => LIMIT as u64,
                };
                (segments, longest.min(strided_keys), 0)
            }
        };
        let max_k = bound(ArgumentName::K, BufferName::Ks, &call.k, num_segments)?;
        let output = output_rows(num_segments, max_k, max_size, call.pitch, call.fill.is_some())?;
        let shape = Self { num_segments, max_size, max_k, output, pitch };
        shape.check_buffers(call)?;
        Ok(shape)
    }

    pub(crate) fn extent(&self) -> Extent {
        let output_pitch = self.output.pitch;
        Extent { num_segments: self.num_segments, max_size: self.max_size, max_k: self.max_k, output_pitch }
    }

    fn check_buffers<K: Key>(&self, call: &Call<'_, '_, K, DeviceMemory>) -> Result<(), Error> {
        let elements = self.output.elements;
        if let Some(out) = &call.keys_out {
            long_enough(BufferName::KeysOut, elements, out.len())?;
        }
        match &call.payload {
            PayloadOut::None => Ok(()),
            PayloadOut::Index(out) => long_enough(BufferName::IndicesOut, elements, out.len()),
            PayloadOut::Values { width, input, output } => {
                // Kernels clamp positions to the keys, so the values must be as many.
                long_enough(BufferName::Values, call.keys.len() as u128, input.len() / width)?;
                long_enough(BufferName::ValuesOut, elements, output.len() / width)
            }
        }
    }
}

/// The upper bound of a number that may lie in device memory, its buffer checked for length.
fn bound(
    argument: ArgumentName,
    buffer: BufferName,
    value: &Lowered<'_, DeviceMemory>,
    segments: u64,
) -> Result<u64, Error> {
    let check = match argument {
        ArgumentName::K => crate::validate::known_k,
        _ => crate::validate::known_size,
    };
    match value.source {
        args::Source::Immediate(known) => {
            usable_bounds(argument, value.lo, value.hi)?;
            Ok(check(None, known, value.lo, value.hi)? as u64)
        }
        args::Source::Deferred(view) => {
            long_enough(buffer, u128::from(segments > 0), view.len())?;
            usable_bounds(argument, value.lo, value.hi)
        }
        args::Source::Sequence(view) => {
            long_enough(buffer, segments.into(), view.len())?;
            usable_bounds(argument, value.lo, value.hi)
        }
    }
}

/// The addresses of a call's buffers, and what orders their use among streams; dropped once the work is enqueued.
pub(super) struct Acquired<'s> {
    stream: &'s CudaStream,
    guards: [Option<SyncOnDrop<'s>>; 8],
    held: usize,
    /// The bytes that are written, and the bytes that are read: name, address, length.
    written: [(BufferName, u64, u64); 3],
    read: [(BufferName, u64, u64); 5],
}

impl<'s> Acquired<'s> {
    fn new(stream: &'s CudaStream) -> Self {
        let nothing = (BufferName::Keys, 0, 0);
        Self { stream, guards: [const { None }; 8], held: 0, written: [nothing; 3], read: [nothing; 5] }
    }

    fn hold(&mut self, guard: SyncOnDrop<'s>) {
        if let Some(place) = self.guards.get_mut(self.held) {
            *place = Some(guard);
            self.held += 1;
        }
    }

    fn input(
        &mut self,
        slot: usize,
        name: BufferName,
        source: Source<'s>,
        bytes: u64,
        align: usize,
    ) -> Result<u64, Error> {
        let address = match source {
            Source::Raw(address) => address,
            Source::Managed(buffer) => {
                buffer.check(self.stream, name)?;
                let (address, guard) = buffer.acquire(self.stream);
                self.hold(guard);
                address
            }
        };
        aligned(name, address, align)?;
        self.read[slot] = (name, address, bytes);
        Ok(address)
    }

    fn output<'a: 's>(
        &mut self,
        slot: usize,
        name: BufferName,
        source: SourceMut<'a>,
        bytes: u64,
        align: usize,
    ) -> Result<u64, Error> {
        let address = match source {
            SourceMut::Raw(address) => address,
            SourceMut::Managed(buffer) => {
                buffer.check(self.stream, name)?;
                let (address, guard) = buffer.acquire_mut(self.stream);
                self.hold(guard);
                address
            }
        };
        aligned(name, address, align)?;
        self.written[slot] = (name, address, bytes);
        Ok(address)
    }

    fn scalars<'a: 's>(
        &mut self,
        slot: usize,
        name: BufferName,
        value: &Lowered<'a, DeviceMemory>,
    ) -> Result<ScalarSource, Error> {
        // A lower bound is a help to the planner and no fault to miss: nothing is raised to it.
        let (lo, hi) = (0, value.hi as i64);
        Ok(match value.source {
            args::Source::Immediate(known) => ScalarSource::immediate(known as i64),
            args::Source::Deferred(view) => {
                let (address, scalar, _) = self.integers(slot, name, view)?;
                ScalarSource::deferred(address, scalar, lo, hi)
            }
            args::Source::Sequence(view) => {
                let (address, scalar, len) = self.integers(slot, name, view)?;
                ScalarSource::deferred_sequence(address, len, scalar, lo, hi)
            }
        })
    }

    fn integers<'a: 's>(
        &mut self,
        slot: usize,
        name: BufferName,
        view: IntView<'a, DeviceMemory>,
    ) -> Result<(u64, ScalarType, u64), Error> {
        let (scalar, source) = match view {
            IntView::I8(view) => (ScalarType::I8, view.source),
            IntView::I16(view) => (ScalarType::I16, view.source),
            IntView::I32(view) => (ScalarType::I32, view.source),
            IntView::I64(view) => (ScalarType::I64, view.source),
            IntView::Isize(view) => (ScalarType::I64, view.source),
            IntView::U8(view) => (ScalarType::U8, view.source),
            IntView::U16(view) => (ScalarType::U16, view.source),
            IntView::U32(view) => (ScalarType::U32, view.source),
            IntView::U64(view) => (ScalarType::U64, view.source),
            IntView::Usize(view) => (ScalarType::U64, view.source),
        };
        let len = view.len() as u64;
        let bytes = scalar.bytes();
        let address = self.input(slot, name, source, len * u64::from(bytes), bytes as usize)?;
        Ok((address, scalar, len))
    }
}

fn aligned(buffer: BufferName, address: u64, required: usize) -> Result<(), Error> {
    if address.is_multiple_of(required as u64) {
        Ok(())
    } else {
        Err(Error::Unaligned { buffer, address, required })
    }
}

/// A call as its kernels get it.
pub(super) struct Lowering<'s> {
    pub(super) params: KernelParams,
    /// Device address of the workspace; 0 where the call needs none.
    pub(super) workspace: u64,
    /// To be kept until the work is enqueued.
    pub(super) acquired: Acquired<'s>,
}

/// Lowers a checked call that needs so many bytes of workspace. A workspace that is not needed is not looked at.
pub(super) fn lower<'i: 's, 'o: 's, 's, K: Key>(
    call: Call<'i, 'o, K, DeviceMemory>,
    shape: &DeviceShape,
    contract: Contract,
    workspace_bytes: u64,
    stream: &'s CudaStream,
) -> Result<Lowering<'s>, Error> {
    let mut acquired = Acquired::new(stream);
    let mut params = KernelParams::empty(K::TYPE, call.direction, contract);
    let width = size_of::<K>() as u64;
    let keys = call.keys.len() as u64;
    params.keys_in = acquired.input(0, BufferName::Keys, call.keys.source, keys * width, align_of::<K>())?;
    params.keys_len = keys;
    params.key_element_stride = call.element_stride as u64;
    params.num_segments = shape.num_segments as u32;
    params.output_pitch = if shape.num_segments == 1 { shape.max_k } else { shape.output.pitch };
    params.k = acquired.scalars(1, BufferName::Ks, &call.k)?;
    match &call.form {
        Form::Single => params.size = ScalarSource::immediate(shape.max_size as i64),
        Form::Rows { size, .. } => {
            params.size = acquired.scalars(2, BufferName::Sizes, size)?;
            params.segment_stride = shape.pitch;
        }
        Form::Ragged { offsets, .. } => {
            let (address, scalar, len) = acquired.integers(2, BufferName::Offsets, *offsets)?;
            params.segment_form = SegmentForm::Offsets;
            params.offsets = ScalarSource::deferred_sequence(address, len, scalar, 0, i64::MAX);
            params.size = ScalarSource::immediate(shape.max_size as i64);
        }
    }
    let known = |value: &Lowered<'_, DeviceMemory>| matches!(value.source, args::Source::Immediate(_));
    let known_size = match &call.form {
        Form::Single => true,
        Form::Rows { size, .. } => known(size),
        Form::Ragged { .. } => false,
    };
    if known_size && known(&call.k) {
        // `DeviceShape::of` found every row within the key buffer.
        params.flags.insert(Flags::CHECKED);
        params.size = ScalarSource::immediate(shape.max_size as i64);
        params.k = ScalarSource::immediate(shape.max_k.min(params.output_pitch) as i64);
    }
    if let Some(out) = call.keys_out {
        let bytes = out.len() as u64 * width;
        params.keys_out = acquired.output(0, BufferName::KeysOut, out.source, bytes, align_of::<K>())?;
        params.flags.insert(Flags::WRITE_KEYS);
    }
    match call.payload {
        PayloadOut::None => {}
        PayloadOut::Index(out) => {
            let len = out.len() as u64;
            let (kind, source, width) = match out {
                IndexOut::U32(out) => (ValueKind::IndexU32, out.source, 4),
                IndexOut::I32(out) => (ValueKind::IndexI32, out.source, 4),
                IndexOut::I64(out) => (ValueKind::IndexI64, out.source, 8),
            };
            params.value_kind = kind;
            params.values_out =
                acquired.output(1, BufferName::IndicesOut, source, len * width, width as usize)?;
        }
        PayloadOut::Values { width, input, output } => {
            let bytes = (input.len() as u64, output.len() as u64);
            params.value_kind = ValueKind::Payload;
            params.payload_bytes = width as u8;
            // A payload is moved in pieces that its width and both addresses allow, so any alignment will do.
            params.values_in = acquired.input(3, BufferName::Values, input.source, bytes.0, 1)?;
            params.values_out = acquired.output(1, BufferName::ValuesOut, output.source, bytes.1, 1)?;
        }
    }
    if let Some(fill) = call.fill {
        let [low, high] = [0, 8].map(|at| {
            let mut half = [0; 8];
            half.copy_from_slice(&fill.value[at..at + 8]);
            u64::from_le_bytes(half)
        });
        let mut key = [0; 8];
        key[..size_of::<K>()].copy_from_slice(bytemuck::bytes_of(&fill.key));
        params.flags.insert(Flags::FILL);
        params.fill_key = u64::from_le_bytes(key);
        params.fill_value_lo = low;
        params.fill_value_hi = high;
        params.fill_index = fill.index;
    }
    let mut workspace = 0;
    if workspace_bytes > 0 {
        let name = BufferName::Workspace;
        let given = call.workspace.ok_or(Error::WorkspaceMissing { required: workspace_bytes })?;
        long_enough(name, workspace_bytes.into(), given.len())?;
        let align = const { Workspace::ALIGN as usize };
        workspace = acquired.output(2, name, given.source, workspace_bytes, align)?;
    }
    no_overlap(&acquired.written, &acquired.read)?;
    Ok(Lowering { params, workspace, acquired })
}
