//! From the description of a request to the typed call on device buffers.
//!
//! Keys are cudarc views, everything else raw addresses, so that the two kinds of buffers meet in every call.

use super::GpuRunner;
use super::buffer::{Buffer, Guard};
use super::forms::{Forms, Rows, WithK};
use crate::key::TestKey;
use crate::layout::fill;
use crate::request::{Direction, Form, Int, Plane, Request, Requirement, Written};
use crate::runner::numbers::{self, Ints, Stored, Typed, with_int};
use crate::runner::{Inputs, Outputs, PayloadOut};
use cluster_topk::args::{Argument, KArg, SizeArg};
use cluster_topk::cudarc::driver::CudaView;
use cluster_topk::gpu::{DeviceMemory, DeviceView, DeviceViewMut};
use cluster_topk::memory::Input;
use cluster_topk::{Error, Segments};
use cluster_topk::{
    max_indices, max_keys, max_keys_and_indices, max_pairs, min_indices, min_keys, min_keys_and_indices,
    min_pairs,
};

/// Makes the typed call, and checks that nothing around the buffers and none of the inputs was written.
pub(crate) fn call<K: TestKey, F: Forms>(
    runner: &GpuRunner,
    request: &Request,
    inputs: Inputs<'_, K>,
    out: &mut Outputs<K>,
) -> Result<(), Error> {
    let stream = runner.gpu.stream();
    let seed = request.seed;
    // Keys that would win in one direction or the other: a key read from outside spoils the answer.
    let sign = 1u64 << (K::BITS - 1);
    let extremes = [u64::MAX, 0, sign - 1, sign].map(K::from_bits64);
    let fill = bytemuck::cast_slice(&extremes);
    let guard = Guard::of_input(seed, size_of::<K>(), fill);
    let keys = Buffer::input(stream, bytemuck::cast_slice(inputs.keys), guard);
    let values = Buffer::input(stream, inputs.values.as_slice(), Guard { width: 1, ..guard });

    let (int, stored) = request.k.stored();
    let ks = Numbers::upload(runner, seed, int, &stored);
    let (int, stored) = match &request.form {
        Form::Single => (Int::U8, Vec::new()),
        Form::Rows { size, .. } => size.stored(),
        Form::Ragged { offsets, int, .. } => (*int, offsets.clone()),
    };
    let forms = Numbers::upload(runner, seed >> 2, int, &stored);

    let lead = [3, 0, 1, 5][seed as usize % 4];
    let keys_guard = Guard { lead, width: size_of::<K>(), fill: &[0xA5] };
    let payload_width = match out.payload {
        PayloadOut::U32(_) | PayloadOut::I32(_) => 4,
        PayloadOut::I64(_) => 8,
        PayloadOut::None | PayloadOut::Values(..) => 1,
    };
    let payload_guard = Guard { width: payload_width, ..keys_guard };
    let keys_out = Buffer::output(stream, bytemuck::cast_slice(&out.keys), keys_guard);
    let payload_out = Buffer::output(stream, payload_bytes(&mut out.payload), payload_guard);

    let view = keys.view::<K>();
    let call = Call {
        runner,
        request,
        keys: &view,
        ks: &ks,
        values: values.address(stream),
        keys_out: keys_out.address(stream),
        payload_out: payload_out.address(stream),
        len: out.len,
    };
    let plane = Request { requirement: Requirement::DEFAULT, ..request.clone() }.plane();
    let plane = plane.unwrap_or_else(|| panic!("no instance for {request:?}"));
    let result = match &request.form {
        Form::Single => call.segments_are::<F, _>(plane, Segments::single(&view)),
        Form::Ragged { int, max_length, .. } => {
            let segments = with_int!(*int, T => Segments::ragged(&view, (&forms).get::<T>()));
            call.segments_are::<F, _>(
                plane,
                match max_length {
                    Some(max) => segments.max_length(*max),
                    None => segments,
                },
            )
        }
        Form::Rows { size, .. } => match plane {
            Plane::Requirements => numbers::common_of_rows(size, &forms, Rows(call)),
            Plane::Arguments => F::any_size(call, size, &forms),
        },
    };
    keys.unchanged(stream, "keys");
    values.unchanged(stream, "values");
    ks.buffer.unchanged(stream, "numbers k");
    forms.buffer.unchanged(stream, "sizes or offsets");
    bytemuck::cast_slice_mut(&mut out.keys).copy_from_slice(&keys_out.download(stream, "key output"));
    payload_bytes(&mut out.payload).copy_from_slice(&payload_out.download(stream, "payload output"));
    result
}

fn payload_bytes(payload: &mut PayloadOut) -> &mut [u8] {
    match payload {
        PayloadOut::None => &mut [],
        PayloadOut::U32(out) => bytemuck::cast_slice_mut(out),
        PayloadOut::I32(out) => bytemuck::cast_slice_mut(out),
        PayloadOut::I64(out) => bytemuck::cast_slice_mut(out),
        PayloadOut::Values(_, out) => out.as_mut_slice(),
    }
}

/// Sizes, offsets or `k` on the device.
#[derive(Debug)]
pub(crate) struct Numbers {
    buffer: Buffer,
    address: u64,
    int: Int,
    len: usize,
}

impl Numbers {
    fn upload(runner: &GpuRunner, seed: u64, int: Int, values: &[i128]) -> Self {
        let stream = runner.gpu.stream();
        let ints = Ints::new(int, values);
        let width = ints.bytes().len() / values.len().max(1);
        let buffer = Buffer::input(stream, ints.bytes(), Guard::of_input(seed, width, &[0x7F]));
        Self { address: buffer.address(stream), buffer, int, len: values.len() }
    }
}

impl<'a> Stored<'a> for &'a Numbers {
    type Memory = DeviceMemory;
    fn get<T: Typed>(self) -> impl Input<'a, Elem = T, Memory = DeviceMemory> {
        assert_eq!(T::INT, self.int);
        // SAFETY: `len` numbers of this type were copied to the buffer, which outlives 'a; nothing writes it.
        unsafe { DeviceView::<'a, T>::from_raw(self.address, self.len) }
    }
}

/// A call of which the segments are known next, then `k`, then the outputs.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a, K> {
    runner: &'a GpuRunner,
    pub(super) request: &'a Request,
    keys: &'a CudaView<'a, K>,
    pub(super) ks: &'a Numbers,
    /// Addresses.
    values: u64,
    keys_out: u64,
    payload_out: u64,
    /// Elements of each output.
    len: usize,
}

/// Sets what is optional, and runs; a macro, because the type of a request is of no interest.
macro_rules! run {
    ($call:ident, $largest:ident, $smallest:ident, ($($argument:expr),*), ($($fill:expr),*)) => {{
        let entry = match $call.request.direction {
            Direction::Largest => $largest,
            Direction::Smallest => $smallest,
        };
        let mut typed = entry($($argument),*);
        if let Some(pitch) = $call.request.output_pitch {
            typed = typed.output_pitch(pitch);
        }
        if $call.request.fill {
            typed = typed.fill_with($($fill),*);
        }
        $call.runner.under($call.request.requirement, typed)
    }};
}

impl<'a, K: TestKey> Call<'a, K> {
    pub(super) fn rows<N: SizeArg<'a, DeviceMemory>>(&self, size: N) -> Segments<'a, K, DeviceMemory, N> {
        let Form::Rows { count, pitch, .. } = &self.request.form else { unreachable!("called for rows") };
        let rows = Segments::rows(self.keys, *count, size).element_stride(self.request.stride);
        match pitch {
            Some(pitch) => rows.pitch(*pitch),
            None => rows,
        }
    }

    /// Segments of the type that single and ragged ones share: every form of `k`.
    fn segments_are<F: Forms, S: Argument<'a, DeviceMemory>>(
        self,
        plane: Plane,
        segments: Segments<'a, K, DeviceMemory, S>,
    ) -> Result<(), Error> {
        let segments = segments.element_stride(self.request.stride);
        match plane {
            Plane::Requirements => numbers::common(&self.request.k, self.ks, WithK(self, segments)),
            Plane::Arguments => F::any_k(self, segments),
        }
    }

    fn keys_out(&self) -> DeviceViewMut<'a, K> {
        // SAFETY: the output holds `len` keys, nothing else uses it until the stream is synchronised.
        unsafe { DeviceViewMut::from_raw(self.keys_out, self.len) }
    }

    fn payload_out<T>(&self) -> DeviceViewMut<'a, T> {
        // SAFETY: the output holds `len` elements of the type that `written` says, which is `T`; as above.
        unsafe { DeviceViewMut::from_raw(self.payload_out, self.len) }
    }

    /// The values beside the keys; bytes, because they may lie anywhere.
    fn values<const W: usize>(&self) -> DeviceView<'a, [u8; W]> {
        // SAFETY: there are as many values of `W` bytes as keys, and nothing writes them.
        unsafe { DeviceView::from_raw(self.values, self.keys.len()) }
    }

    /// Any output.
    pub(super) fn outputs<S: Argument<'a, DeviceMemory>, N: KArg<'a, DeviceMemory>>(
        self,
        segments: Segments<'a, K, DeviceMemory, S>,
        k: N,
    ) -> Result<(), Error> {
        let (fill_key, fill_value, fill_index) = fill::<K>(self.request.seed);
        macro_rules! pairs {
            ($width:literal) => {{
                let value: [u8; $width] =
                    fill_value.to_le_bytes()[..$width].try_into().expect("the slice is that long");
                let (values, out) = (self.values::<$width>(), self.payload_out::<[u8; $width]>());
                run!(
                    self,
                    max_pairs,
                    min_pairs,
                    (segments, values, k, self.keys_out(), out),
                    (fill_key, value)
                )
            }};
        }
        macro_rules! indexed {
            ($i:ty) => {{
                let (out, index) = (self.payload_out::<$i>(), fill_index as $i);
                if self.request.written.keys() {
                    let keys = self.keys_out();
                    let pair = (fill_key, index);
                    run!(
                        self,
                        max_keys_and_indices,
                        min_keys_and_indices,
                        (segments, k, keys, out),
                        (pair.0, pair.1)
                    )
                } else {
                    run!(self, max_indices, min_indices, (segments, k, out), (index))
                }
            }};
        }
        use crate::request::IndexType as I;
        match self.request.written {
            Written::Keys => run!(self, max_keys, min_keys, (segments, k, self.keys_out()), (fill_key)),
            Written::Indices(I::U32) | Written::KeysAndIndices(I::U32) => indexed!(u32),
            Written::Indices(I::I32) | Written::KeysAndIndices(I::I32) => indexed!(i32),
            Written::Indices(I::I64) | Written::KeysAndIndices(I::I64) => indexed!(i64),
            Written::Pairs(1) => pairs!(1),
            Written::Pairs(2) => pairs!(2),
            Written::Pairs(3) => pairs!(3),
            Written::Pairs(4) => pairs!(4),
            Written::Pairs(8) => pairs!(8),
            Written::Pairs(12) => pairs!(12),
            Written::Pairs(16) => pairs!(16),
            Written::Pairs(other) => panic!("there is no instance of values of {other} bytes"),
        }
    }

    /// Keys and `u32` indices.
    pub(super) fn keys_and_indices<S: Argument<'a, DeviceMemory>, N: KArg<'a, DeviceMemory>>(
        self,
        segments: Segments<'a, K, DeviceMemory, S>,
        k: N,
    ) -> Result<(), Error> {
        let (key, _, index) = fill::<K>(self.request.seed);
        let (keys, indices) = (self.keys_out(), self.payload_out::<u32>());
        run!(
            self,
            max_keys_and_indices,
            min_keys_and_indices,
            (segments, k, keys, indices),
            (key, index as u32)
        )
    }
}
