//! One request, from the entry point to the engine.

use crate::args::{Argument, KArg, Lowered};
use crate::env::{BackendChoice, Engine, Env, Spec, Strictness, TargetArchitectures};
use crate::error::Error;
use crate::key::{Direction, Key};
use crate::memory::{Input, Memory, Output};
use crate::payload::{Index, IndexOut, Payload, payload_width};
use crate::plan::Plan;
use crate::requirement::Requirements;
use crate::segments::{Form, IntoSegments, Segments};
use core::marker::PhantomData;

/// What to select from where into which buffers. Made by the entry points ([`max_keys`](crate::max_keys) and its kin).
///
/// The inputs are borrowed for `'i` and the outputs for `'o`; neither holds the other.
///
/// Nothing happens until [`run`](Self::run). [`plan`](Self::plan) answers what would run, and why.
#[must_use = "a request does nothing until `.run(&env)`"]
pub struct Request<'i, 'o, K: Key, M: Memory, S, O> {
    pub(crate) call: Call<'i, 'o, K, M>,
    marker: PhantomData<(S, O)>,
}

/// A request with its argument types lowered to plain data: what an engine gets.
pub(crate) struct Call<'i, 'o, K: Key, M: Memory> {
    pub(crate) keys: M::View<'i, K>,
    pub(crate) form: Form<'i, M>,
    pub(crate) element_stride: usize,
    pub(crate) direction: Direction,
    pub(crate) k: Lowered<'i, M>,
    pub(crate) keys_out: Option<M::ViewMut<'o, K>>,
    pub(crate) payload: PayloadOut<'i, 'o, M>,
    pub(crate) pitch: Option<usize>,
    pub(crate) fill: Option<Fill<K>>,
    pub(crate) workspace: Option<M::ViewMut<'o, u8>>,
}

/// What is written beside, or instead of, the keys.
pub(crate) enum PayloadOut<'i, 'o, M: Memory> {
    /// Nothing.
    None,
    /// The index of each item within its segment.
    Index(IndexOut<'o, M>),
    /// The value at the item's place; both buffers as bytes, `width` of them a value.
    Values { width: usize, input: M::View<'i, u8>, output: M::ViewMut<'o, u8> },
}

/// What the unused slots of a short row are filled with. What an output does not have stays zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill<K> {
    pub(crate) key: K,
    pub(crate) value: [u8; 16],
    pub(crate) index: i64,
}

/// Outputs: keys alone.
#[derive(Clone, Copy, Debug)]
pub struct Keys(());
/// Outputs: keys and the values of type `V` that travel with them.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<V>(PhantomData<V>);
/// Outputs: indices of type `I` alone.
#[derive(Clone, Copy, Debug)]
pub struct Indices<I>(PhantomData<I>);
/// Outputs: keys and indices of type `I`.
#[derive(Clone, Copy, Debug)]
pub struct KeysAndIndices<I>(PhantomData<I>);

type RequestOf<'i, 'o, G, O> = Request<
    'i,
    'o,
    <G as IntoSegments<'i>>::Key,
    <G as IntoSegments<'i>>::Memory,
    <G as IntoSegments<'i>>::Bound,
    O,
>;

/// Lowers the arguments that every entry point has.
fn request<'i, 'o, G: IntoSegments<'i>, O>(
    direction: Direction,
    segments: G,
    k: impl KArg<'i, G::Memory>,
    keys_out: Option<<G::Memory as Memory>::ViewMut<'o, G::Key>>,
    payload: PayloadOut<'i, 'o, G::Memory>,
) -> RequestOf<'i, 'o, G, O> {
    let Segments { keys, form, element_stride, .. } = segments.into_segments();
    let k = k.lower();
    let call = Call {
        keys,
        form,
        element_stride,
        direction,
        k,
        keys_out,
        payload,
        pitch: None,
        fill: None,
        workspace: None,
    };
    Request { call, marker: PhantomData }
}

pub(crate) fn keys<'i, 'o, G: IntoSegments<'i>>(
    direction: Direction,
    segments: G,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
) -> RequestOf<'i, 'o, G, Keys> {
    request(direction, segments, k, Some(keys_out.into_view_mut()), PayloadOut::None)
}

pub(crate) fn pairs<'i, 'o, G: IntoSegments<'i>, V: Payload>(
    direction: Direction,
    segments: G,
    values: impl Input<'i, Elem = V, Memory = G::Memory>,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
    values_out: impl Output<'o, Elem = V, Memory = G::Memory>,
) -> RequestOf<'i, 'o, G, Pairs<V>> {
    let payload = PayloadOut::Values {
        width: payload_width::<V>(),
        input: G::Memory::bytes(values.into_view()),
        output: G::Memory::bytes_mut(values_out.into_view_mut()),
    };
    request(direction, segments, k, Some(keys_out.into_view_mut()), payload)
}

pub(crate) fn indices<'i, 'o, G: IntoSegments<'i>, I: Index>(
    direction: Direction,
    segments: G,
    k: impl KArg<'i, G::Memory>,
    indices_out: impl Output<'o, Elem = I, Memory = G::Memory>,
) -> RequestOf<'i, 'o, G, Indices<I>> {
    request(
        direction,
        segments,
        k,
        None,
        PayloadOut::Index(I::output::<G::Memory>(indices_out.into_view_mut())),
    )
}

pub(crate) fn keys_and_indices<'i, 'o, G: IntoSegments<'i>, I: Index>(
    direction: Direction,
    segments: G,
    k: impl KArg<'i, G::Memory>,
    keys_out: impl Output<'o, Elem = G::Key, Memory = G::Memory>,
    indices_out: impl Output<'o, Elem = I, Memory = G::Memory>,
) -> RequestOf<'i, 'o, G, KeysAndIndices<I>> {
    let payload = PayloadOut::Index(I::output::<G::Memory>(indices_out.into_view_mut()));
    request(direction, segments, k, Some(keys_out.into_view_mut()), payload)
}

impl<'i, 'o, K: Key, M: Memory, S: Argument<'i, M>, O> Request<'i, 'o, K, M, S, O> {
    /// The distance between the starts of neighbouring output rows, in elements; the same for every output.
    ///
    /// The default is the upper bound of `k`. With more than one segment it must hold a row: the smaller of `k` and the
    /// longest segment, or `k` where rows are filled.
    pub fn output_pitch(mut self, elements: usize) -> Self {
        self.call.pitch = Some(elements);
        self
    }

    /// Room for [`workspace_bytes`](Self::workspace_bytes) bytes beside the outputs, in the memory of the engine, aligned to 16
    /// bytes. Where none is needed it is not looked at.
    ///
    /// It is the call's until the stream has passed it; what it holds before and after does not matter. Calls in the order of
    /// one stream may share one.
    ///
    /// ```no_run
    /// use cluster_topk::{Gpu, cudarc::driver::CudaContext, prelude::*};
    ///
    /// let stream = CudaContext::new(0)?.new_stream()?;
    /// let env = Env::gpu(Gpu::on(stream.clone())?); // the default contract: stable-sorted
    /// let scores = stream.clone_htod(&vec![0.5f32; 8 * 100_000])?;
    /// let mut best = stream.alloc_zeros::<u32>(8 * 5000)?;
    ///
    /// let bytes = max_indices(Segments::rows(&scores, 8, 100_000), 5000, &mut best).workspace_bytes(&env)?;
    /// let mut room = stream.alloc_zeros::<u8>(bytes)?; // once, for many calls
    /// max_indices(Segments::rows(&scores, 8, 100_000), 5000, &mut best).workspace(&mut room).run(&env)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn workspace(mut self, room: impl Output<'o, Elem = u8, Memory = M>) -> Self {
        self.call.workspace = Some(room.into_view_mut());
        self
    }

    /// How many bytes of room [`run`](Self::run) needs beside the outputs: 0 for all but sorted requests that the GPU engine
    /// serves by clusters, which sort up to 2,048 items of a segment themselves (portable clusters one), and for those a few bytes
    /// for each item of each segment, whatever the segments' length.
    ///
    /// It follows from what the host knows: the number of segments, the bounds of `k` and of the lengths, the key type, and the
    /// requirement. With [`Env::best_available`] it is 0: what is copied to the GPU gets its room there. Nothing is loaded, nor is the
    /// driver asked.
    ///
    /// # Errors
    ///
    /// The same as [`run`](Self::run), but for what only the workspace or the driver lacks.
    pub fn workspace_bytes<E, R, A, D>(&self, env: &Env<E, R, A, D>) -> Result<usize, Error>
    where
        E: Engine<M>,
        R: Requirements,
        A: TargetArchitectures,
        D: Strictness,
    {
        let bytes = env.engine.workspace_bytes(&self.call, &Self::spec(env))?;
        // More than can be addressed is more than any buffer has.
        Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// Selects, as `env` says, and writes exactly min(k, length) items per segment.
    ///
    /// With the CPU engine the results are there when the call returns.
    ///
    /// # Errors
    ///
    /// [`Error`] names the argument, what was required and what was given. Nothing is written when validation fails.
    pub fn run<E, R, A, D, B>(self, env: &Env<E, R, A, D, B>) -> Result<(), Error>
    where
        E: Engine<M>,
        R: Requirements,
        A: TargetArchitectures,
        D: Strictness,
        B: BackendChoice,
    {
        env.engine.run(self.call, &Self::spec(env))
    }

    /// What [`run`](Self::run) would do, and why, without doing it.
    ///
    /// For the cluster backend the answer takes the driver's, which takes the kernel: it is loaded as [`prepare`](Self::prepare)
    /// would load it.
    ///
    /// # Errors
    ///
    /// The same as [`run`](Self::run).
    pub fn plan<E, R, A, D, B>(&self, env: &Env<E, R, A, D, B>) -> Result<Plan, Error>
    where
        E: Engine<M>,
        R: Requirements,
        A: TargetArchitectures,
        D: Strictness,
        B: BackendChoice,
    {
        env.engine.plan(&self.call, &Self::spec(env))
    }

    /// Loads what [`run`](Self::run) would need, so that the call can be captured into a CUDA graph.
    ///
    /// Without effect on the CPU engine.
    ///
    /// # Errors
    ///
    /// The same as [`run`](Self::run).
    pub fn prepare<E, R, A, D, B>(&self, env: &Env<E, R, A, D, B>) -> Result<(), Error>
    where
        E: Engine<M>,
        R: Requirements,
        A: TargetArchitectures,
        D: Strictness,
        B: BackendChoice,
    {
        env.engine.prepare(&self.call, &Self::spec(env))
    }

    /// The types of the environment and of the request, checked against each other and lowered to plain data.
    fn spec<E: Engine<M>, R: Requirements, A: TargetArchitectures, D: Strictness, B: BackendChoice>(
        env: &Env<E, R, A, D, B>,
    ) -> Spec {
        const {
            if E::USES_GPU && D::STRICT {
                let deterministic = R::CONTRACT.needs_deterministic_set();
                if let Some(why) =
                    crate::env::unserved(A::CAPABILITIES, S::STATIC_MAX, deterministic, B::STATIC)
                {
                    panic!("{}", why);
                }
            }
        };
        Spec { contract: R::CONTRACT, backend: env.backend, static_max_segment_size: S::STATIC_MAX }
    }
}

impl<K: Key, M: Memory, S> Request<'_, '_, K, M, S, Keys> {
    /// Fills the unused slots of a row, from min(k, length) up to `k`, with `key`.
    pub fn fill_with(mut self, key: K) -> Self {
        self.call.fill = Some(Fill { key, value: [0; 16], index: 0 });
        self
    }
}

impl<K: Key, M: Memory, S, V: Payload> Request<'_, '_, K, M, S, Pairs<V>> {
    /// Fills the unused slots of a row, from min(k, length) up to `k`, with `key` and `value`.
    pub fn fill_with(mut self, key: K, value: V) -> Self {
        let mut bytes = [0; 16];
        bytes[..payload_width::<V>()].copy_from_slice(bytemuck::bytes_of(&value));
        self.call.fill = Some(Fill { key, value: bytes, index: 0 });
        self
    }
}

impl<K: Key, M: Memory, S, I: Index> Request<'_, '_, K, M, S, Indices<I>> {
    /// Fills the unused slots of a row, from min(k, length) up to `k`, with `index`.
    pub fn fill_with(mut self, index: I) -> Self {
        self.call.fill = Some(Fill { key: K::zeroed(), value: [0; 16], index: index.widen() });
        self
    }
}

impl<K: Key, M: Memory, S, I: Index> Request<'_, '_, K, M, S, KeysAndIndices<I>> {
    /// Fills the unused slots of a row, from min(k, length) up to `k`, with `key` and `index`.
    pub fn fill_with(mut self, key: K, index: I) -> Self {
        self.call.fill = Some(Fill { key, value: [0; 16], index: index.widen() });
        self
    }
}

impl<K: Key, M: Memory, S, O> core::fmt::Debug for Request<'_, '_, K, M, S, O> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Request")
            .field("direction", &self.call.direction)
            .field("key_type", &K::TYPE)
            .field("k", &self.call.k.source)
            .field("output_pitch", &self.call.pitch)
            .field("fill", &self.call.fill)
            .finish_non_exhaustive()
    }
}
