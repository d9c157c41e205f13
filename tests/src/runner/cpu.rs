//! The CPU engine in the matrix: from the description to the typed call that a user would write.
//!
//! [`call`] works for every engine whose buffers are in host memory.

use super::numbers::{self, Ints, Typed, Visitor, with_int};
use super::{Inputs, Outputs, PayloadOut, Runner, requirements};
use crate::key::TestKey;
use crate::layout::fill;
use crate::request::{Direction, Form, Int, Plane, Request, Written};
use cluster_topk::args::{Argument, KArg, SizeArg};
use cluster_topk::env::{Cpu, Engine, Env};
use cluster_topk::memory::HostMemory;
use cluster_topk::{Error, Segments};
use cluster_topk::{
    max_indices, max_keys, max_keys_and_indices, max_pairs, min_indices, min_keys, min_keys_and_indices,
    min_pairs,
};

/// Runs requests on the CPU engine.
#[derive(Clone, Debug)]
pub struct CpuRunner {
    env: Env<Cpu>,
}

impl Default for CpuRunner {
    fn default() -> Self {
        Self { env: Env::cpu() }
    }
}

impl CpuRunner {
    /// On a pool of `threads` threads.
    ///
    /// # Panics
    ///
    /// When the threads cannot be started.
    #[must_use]
    pub fn with_threads(threads: usize) -> Self {
        Self { env: Env::new(Cpu::with_threads(threads).expect("a few threads can be started")) }
    }
}

impl Runner for CpuRunner {
    fn run<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Error> {
        K::call_cpu(&self.env, request, inputs, out)
    }
}

/// Makes the typed call.
///
/// # Errors
///
/// Those of the call.
///
/// # Panics
///
/// When the request lies in no [`Plane`] of the matrix.
pub fn call<K: TestKey, E: Engine<HostMemory> + Clone>(
    env: &Env<E>,
    request: &Request,
    inputs: Inputs<'_, K>,
    out: &mut Outputs<K>,
) -> Result<(), Error> {
    let (int, values) = request.k.stored();
    let ks = Ints::new(int, &values);
    let (int, values) = match &request.form {
        Form::Single => (Int::U8, Vec::new()),
        Form::Rows { size, .. } => size.stored(),
        Form::Ragged { offsets, int, .. } => (*int, offsets.clone()),
    };
    let forms = Ints::new(int, &values);
    let plane = request.plane().unwrap_or_else(|| panic!("no instance for {request:?}"));
    let call = Call { env, request, inputs, out, ks: &ks, plane };
    match &request.form {
        Form::Single => call.segments_are(Segments::single(inputs.keys)),
        Form::Ragged { int, max_length, .. } => {
            let segments = with_int!(*int, T => Segments::ragged(inputs.keys, T::slice(&forms)));
            call.segments_are(match max_length {
                Some(max) => segments.max_length(*max),
                None => segments,
            })
        }
        Form::Rows { size, .. } => match plane {
            Plane::Requirements => numbers::common_of_rows(size, &forms, Rows(call)),
            Plane::Arguments => numbers::any(size, &forms, AnyRows(call)),
        },
    }
}

/// A call of which the segments are known next, then `k`, then the outputs, then the requirement.
struct Call<'a, 'd, K, E> {
    env: &'d Env<E>,
    request: &'d Request,
    inputs: Inputs<'a, K>,
    out: &'a mut Outputs<K>,
    ks: &'a Ints,
    plane: Plane,
}

struct Rows<'a, 'd, K, E>(Call<'a, 'd, K, E>);
struct AnyRows<'a, 'd, K, E>(Call<'a, 'd, K, E>);
struct WithK<'a, 'd, const ROWS: bool, K: TestKey, E, S>(Call<'a, 'd, K, E>, Segments<'a, K, HostMemory, S>);
struct WithAnyK<'a, 'd, K: TestKey, E, S>(Call<'a, 'd, K, E>, Segments<'a, K, HostMemory, S>);

impl<'a, K: TestKey, E: Engine<HostMemory> + Clone> Call<'a, '_, K, E> {
    fn rows<N: SizeArg<'a, HostMemory>>(&self, size: N) -> Segments<'a, K, HostMemory, N> {
        let Form::Rows { count, pitch, .. } = &self.request.form else { unreachable!("called for rows") };
        let rows = Segments::rows(self.inputs.keys, *count, size);
        match pitch {
            Some(pitch) => rows.pitch(*pitch),
            None => rows,
        }
    }

    /// Segments of the type that single and ragged ones share: every form of `k`.
    fn segments_are<S: Argument<'a, HostMemory>>(
        self,
        segments: Segments<'a, K, HostMemory, S>,
    ) -> Result<(), Error> {
        let (ks, k) = (self.ks, &self.request.k);
        let segments = segments.element_stride(self.request.stride);
        match self.plane {
            Plane::Requirements => numbers::common(k, ks, WithK::<false, _, _, _>(self, segments)),
            Plane::Arguments => numbers::any(k, ks, WithAnyK(self, segments)),
        }
    }

    /// Any output; `ROWS` says which list of requirements.
    fn outputs<const ROWS: bool, S: Argument<'a, HostMemory>, N: KArg<'a, HostMemory>>(
        self,
        segments: Segments<'a, K, HostMemory, S>,
        k: N,
    ) -> Result<(), Error> {
        let Self { env, request, inputs, out, .. } = self;
        let (fill_key, fill_value, fill_index) = fill::<K>(request.seed);
        let Outputs { keys, payload, .. } = out;
        macro_rules! run {
            ($largest:ident, $smallest:ident, ($($argument:expr),*), ($($fill:expr),*)) => {{
                let mut call = match request.direction {
                    Direction::Largest => $largest($($argument),*),
                    Direction::Smallest => $smallest($($argument),*),
                };
                if let Some(pitch) = request.output_pitch {
                    call = call.output_pitch(pitch);
                }
                if request.fill {
                    call = call.fill_with($($fill),*);
                }
                if ROWS {
                    requirements::rows(call, env, request.requirement)
                } else {
                    requirements::any(call, env, request.requirement)
                }
            }};
        }
        macro_rules! pairs {
            ($out:ident, $v:ty) => {{
                let values: &'a [$v] = bytemuck::cast_slice(inputs.values.as_slice());
                let out: &'a mut [$v] = bytemuck::cast_slice_mut($out.as_mut_slice());
                let fill: $v = bytemuck::pod_read_unaligned(&fill_value.to_le_bytes()[..size_of::<$v>()]);
                run!(max_pairs, min_pairs, (segments, values, k, keys, out), (fill_key, fill))
            }};
        }
        macro_rules! indexed {
            ($out:ident, $i:ty) => {
                match request.written {
                    Written::Indices(_) => {
                        run!(max_indices, min_indices, (segments, k, $out), (fill_index as $i))
                    }
                    _ => run!(
                        max_keys_and_indices,
                        min_keys_and_indices,
                        (segments, k, keys, $out),
                        (fill_key, fill_index as $i)
                    ),
                }
            };
        }
        match payload {
            PayloadOut::None => run!(max_keys, min_keys, (segments, k, keys), (fill_key)),
            PayloadOut::U32(out) => indexed!(out, u32),
            PayloadOut::I32(out) => indexed!(out, i32),
            PayloadOut::I64(out) => indexed!(out, i64),
            PayloadOut::Values(1, out) => pairs!(out, u8),
            PayloadOut::Values(2, out) => pairs!(out, u16),
            PayloadOut::Values(3, out) => pairs!(out, [u8; 3]),
            PayloadOut::Values(4, out) => pairs!(out, f32),
            PayloadOut::Values(8, out) => pairs!(out, u64),
            PayloadOut::Values(12, out) => pairs!(out, [u8; 12]),
            PayloadOut::Values(16, out) => pairs!(out, u128),
            PayloadOut::Values(other, _) => panic!("there is no instance of values of {other} bytes"),
        }
    }

    /// Keys and `u32` indices, under few requirements.
    fn keys_and_indices<S: Argument<'a, HostMemory>, N: KArg<'a, HostMemory>>(
        self,
        segments: Segments<'a, K, HostMemory, S>,
        k: N,
    ) -> Result<(), Error> {
        let Self { env, request, out, .. } = self;
        let Outputs { keys, payload: PayloadOut::U32(indices), .. } = out else {
            panic!("this plane writes u32 indices")
        };
        let mut call = match request.direction {
            Direction::Largest => max_keys_and_indices(segments, k, keys, indices),
            Direction::Smallest => min_keys_and_indices(segments, k, keys, indices),
        };
        if let Some(pitch) = request.output_pitch {
            call = call.output_pitch(pitch);
        }
        if request.fill {
            let (key, _, index) = fill::<K>(request.seed);
            call = call.fill_with(key, index as u32);
        }
        requirements::arguments(call, env, request.requirement)
    }
}

impl<'a, K: TestKey, E: Engine<HostMemory> + Clone> Visitor<'a, HostMemory> for Rows<'a, '_, K, E> {
    type Out = Result<(), Error>;
    fn visit<N: KArg<'a, HostMemory> + SizeArg<'a, HostMemory>>(self, size: N) -> Self::Out {
        let call = self.0;
        let segments = call.rows(size).element_stride(call.request.stride);
        numbers::common(&call.request.k, call.ks, WithK::<true, _, _, _>(call, segments))
    }
}

impl<'a, K: TestKey, E: Engine<HostMemory> + Clone> Visitor<'a, HostMemory> for AnyRows<'a, '_, K, E> {
    type Out = Result<(), Error>;
    fn visit<N: KArg<'a, HostMemory> + SizeArg<'a, HostMemory>>(self, size: N) -> Self::Out {
        let call = self.0;
        let segments = call.rows(size).element_stride(call.request.stride);
        let k = call.request.k.get(0);
        call.keys_and_indices(segments, k)
    }
}

impl<'a, const ROWS: bool, K: TestKey, E: Engine<HostMemory> + Clone, S: Argument<'a, HostMemory>>
    Visitor<'a, HostMemory> for WithK<'a, '_, ROWS, K, E, S>
{
    type Out = Result<(), Error>;
    fn visit<N: KArg<'a, HostMemory> + SizeArg<'a, HostMemory>>(self, k: N) -> Self::Out {
        self.0.outputs::<ROWS, _, _>(self.1, k)
    }
}

impl<'a, K: TestKey, E: Engine<HostMemory> + Clone, S: Argument<'a, HostMemory>> Visitor<'a, HostMemory>
    for WithAnyK<'a, '_, K, E, S>
{
    type Out = Result<(), Error>;
    fn visit<N: KArg<'a, HostMemory> + SizeArg<'a, HostMemory>>(self, k: N) -> Self::Out {
        self.0.keys_and_indices(self.1, k)
    }
}
