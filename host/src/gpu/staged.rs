//! A call whose buffers are in host memory, run on the GPU: everything is copied there, and the outputs back.
#![allow(unsafe_code, reason = "typed views of byte buffers in device memory; see the argument there")]

use super::driver::failed;
use super::memory::{DeviceMemory, DeviceView, DeviceViewMut};
use super::{Gpu, Spec};
use crate::args::{IntView, Lowered, Source};
use crate::error::Error;
use crate::key::Key;
use crate::memory::HostMemory;
use crate::payload::IndexOut;
use crate::request::{Call, PayloadOut};
use crate::segments::Form;
use crate::validate::HostShape;
use bytemuck::Pod;
use cudarc::driver::{CudaSlice, DevicePtr};

/// Device copies of host buffers, alive until the results are back.
struct Staging<'g> {
    gpu: &'g Gpu,
    buffers: Vec<CudaSlice<u8>>,
}

impl Staging<'_> {
    /// Copies `data` to the device; the index of the copy and its address.
    fn copy<T: Pod>(&mut self, data: &[T]) -> Result<(usize, u64), Error> {
        let stream = self.gpu.stream();
        let bytes: &[u8] = bytemuck::must_cast_slice(data);
        // The driver refuses to allocate nothing.
        let buffer = stream
            .clone_htod(if bytes.is_empty() { &[0][..] } else { bytes })
            .map_err(failed("cuMemcpyHtoDAsync"))?;
        let address = buffer.device_ptr(stream).0;
        self.buffers.push(buffer);
        Ok((self.buffers.len() - 1, address))
    }

    fn input<T: Pod>(&mut self, data: &[T]) -> Result<DeviceView<'static, T>, Error> {
        let (_, address) = self.copy(data)?;
        // SAFETY: the copy is as long as the data, aligned as every allocation of the driver is, to 256 bytes, and kept by
        // `self` until the stream has been waited for.
        Ok(unsafe { DeviceView::from_raw(address, data.len()) })
    }

    /// Outputs travel both ways: slots that the call does not write keep what they hold.
    fn output<T: Pod>(&mut self, data: &[T]) -> Result<(usize, DeviceViewMut<'static, T>), Error> {
        let (copy, address) = self.copy(data)?;
        // SAFETY: as for inputs, and the copy is handed out once.
        Ok((copy, unsafe { DeviceViewMut::from_raw(address, data.len()) }))
    }

    /// Room for `bytes` bytes, which are not initialised; none for 0.
    fn room(&mut self, bytes: u64) -> Result<Option<DeviceViewMut<'static, u8>>, Error> {
        if bytes == 0 {
            return Ok(None);
        }
        let stream = self.gpu.stream();
        // Where it does not fit the address space, it does not fit the device.
        let len = usize::try_from(bytes).unwrap_or(usize::MAX);
        // SAFETY: the kernels write what they read of a workspace.
        let buffer = unsafe { stream.alloc::<u8>(len) }.map_err(failed("cuMemAllocAsync"))?;
        let address = buffer.device_ptr(stream).0;
        self.buffers.push(buffer);
        // SAFETY: as for outputs; the buffer is `len` bytes long.
        Ok(Some(unsafe { DeviceViewMut::from_raw(address, len) }))
    }

    fn back<T: Pod>(&self, copy: usize, data: &mut [T]) -> Result<(), Error> {
        let bytes: &mut [u8] = bytemuck::must_cast_slice_mut(data);
        match self.buffers.get(copy) {
            Some(buffer) if !bytes.is_empty() => {
                self.gpu.stream().memcpy_dtoh(buffer, bytes).map_err(failed("cuMemcpyDtoHAsync"))
            }
            _ => Ok(()),
        }
    }

    fn integers(&mut self, view: IntView<'_, HostMemory>) -> Result<IntView<'static, DeviceMemory>, Error> {
        Ok(match view {
            IntView::I8(view) => IntView::I8(self.input(view)?),
            IntView::I16(view) => IntView::I16(self.input(view)?),
            IntView::I32(view) => IntView::I32(self.input(view)?),
            IntView::I64(view) => IntView::I64(self.input(view)?),
            IntView::Isize(view) => IntView::Isize(self.input(view)?),
            IntView::U8(view) => IntView::U8(self.input(view)?),
            IntView::U16(view) => IntView::U16(self.input(view)?),
            IntView::U32(view) => IntView::U32(self.input(view)?),
            IntView::U64(view) => IntView::U64(self.input(view)?),
            IntView::Usize(view) => IntView::Usize(self.input(view)?),
        })
    }

    fn number(&mut self, number: &Lowered<'_, HostMemory>) -> Result<Lowered<'static, DeviceMemory>, Error> {
        let source = match number.source {
            Source::Immediate(value) => Source::Immediate(value),
            Source::Deferred(view) => Source::Deferred(self.integers(view)?),
            Source::Sequence(view) => Source::Sequence(self.integers(view)?),
        };
        Ok(Lowered { source, lo: number.lo, hi: number.hi })
    }
}

/// The outputs of a call: the host's buffer, and the index of its copy.
enum Back<'o> {
    U32(usize, &'o mut [u32]),
    I32(usize, &'o mut [i32]),
    I64(usize, &'o mut [i64]),
    Bytes(usize, &'o mut [u8]),
}

/// Runs a call that `shape` was resolved from, and waits for it.
pub(crate) fn run<K: Key>(
    gpu: &Gpu,
    call: Call<'_, '_, K, HostMemory>,
    shape: &HostShape<'_>,
    spec: &Spec,
) -> Result<(), Error> {
    if shape.output.elements == 0 {
        return Ok(());
    }
    let mut staging = Staging { gpu, buffers: Vec::new() };
    let form = match &call.form {
        Form::Single => Form::Single,
        Form::Rows { count, size, pitch } => {
            Form::Rows { count: *count, size: staging.number(size)?, pitch: *pitch }
        }
        Form::Ragged { offsets, max_length } => {
            Form::Ragged { offsets: staging.integers(*offsets)?, max_length: *max_length }
        }
    };
    let keys = staging.input(call.keys)?;
    let k = staging.number(&call.k)?;
    let mut keys_back = None;
    let keys_out = match call.keys_out {
        Some(out) => {
            let (copy, view) = staging.output(out)?;
            keys_back = Some((copy, out));
            Some(view)
        }
        None => None,
    };
    let mut back = None;
    let payload = match call.payload {
        PayloadOut::None => PayloadOut::None,
        PayloadOut::Index(IndexOut::U32(out)) => {
            let (copy, view) = staging.output(out)?;
            back = Some(Back::U32(copy, out));
            PayloadOut::Index(IndexOut::U32(view))
        }
        PayloadOut::Index(IndexOut::I32(out)) => {
            let (copy, view) = staging.output(out)?;
            back = Some(Back::I32(copy, out));
            PayloadOut::Index(IndexOut::I32(view))
        }
        PayloadOut::Index(IndexOut::I64(out)) => {
            let (copy, view) = staging.output(out)?;
            back = Some(Back::I64(copy, out));
            PayloadOut::Index(IndexOut::I64(view))
        }
        PayloadOut::Values { width, input, output } => {
            let input = staging.input(input)?;
            let (copy, view) = staging.output(output)?;
            back = Some(Back::Bytes(copy, output));
            PayloadOut::Values { width, input, output: view }
        }
    };
    let Call { element_stride, direction, pitch, fill, .. } = call;
    let workspace = None;
    let mut call =
        Call { keys, form, element_stride, direction, k, keys_out, payload, pitch, fill, workspace };
    call.workspace = staging.room(gpu.workspace_bytes(&call, spec)?)?;
    gpu.run(call, spec)?;
    if let Some((copy, out)) = keys_back {
        staging.back(copy, out)?;
    }
    match back {
        None => {}
        Some(Back::U32(copy, out)) => staging.back(copy, out)?,
        Some(Back::I32(copy, out)) => staging.back(copy, out)?,
        Some(Back::I64(copy, out)) => staging.back(copy, out)?,
        Some(Back::Bytes(copy, out)) => staging.back(copy, out)?,
    }
    gpu.stream().synchronize().map_err(failed("cuStreamSynchronize"))
}
