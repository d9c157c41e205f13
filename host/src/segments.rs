//! Where the segments are: fixed-length rows, padded rows, ragged segments, or the whole buffer as one.

use crate::args::{Argument, Constant, IntView, Integer, LIMIT, Lowered, SegmentCount, SizeArg, Source};
use crate::key::Key;
use crate::memory::{Input, Memory};
use core::marker::PhantomData;

/// The segments of one call: a key buffer and how it is cut.
///
/// | what the keys are | write |
/// | --- | --- |
/// | one segment | the buffer itself, `&keys` |
/// | rows of one length | `Segments::rows(&keys, rows, length)` |
/// | rows with gaps between them | `Segments::rows(&keys, rows, length).pitch(pitch)` |
/// | a padded batch: rows of one pitch, each with a length of its own | `Segments::rows(&keys, rows, DeferredSequence::new(&lengths).bounds(0..=pitch))` |
/// | segments of any length, one behind the other | `Segments::ragged(&keys, &offsets)` |
/// | a column, or every n-th element | any of these with [`element_stride`](Segments::element_stride) |
///
/// A segment that does not start at the first element of the buffer is written by slicing: `&keys[3..]`. Segments are a view
/// and may be copied: one set serves any number of requests.
///
/// ```
/// use cluster_topk::prelude::*;
/// let keys = [3, 1, 4, 1, 5, 9];
/// let rows = Segments::rows(&keys, 2, 3);
/// for k in 1..=3 {
///     let (mut largest, mut smallest) = (vec![0; 2 * k], vec![0; 2 * k]);
///     max_keys(rows, k, &mut largest).run(&Env::cpu())?;
///     min_keys(rows, k, &mut smallest).run(&Env::cpu())?;
///     assert_eq!((largest[0], smallest[0]), (4, 1));
/// }
/// # Ok::<(), cluster_topk::Error>(())
/// ```
pub struct Segments<'a, K: Key, M: Memory, S> {
    pub(crate) keys: M::View<'a, K>,
    pub(crate) form: Form<'a, M>,
    pub(crate) element_stride: usize,
    bound: PhantomData<S>,
}

/// How a buffer is cut into segments.
pub(crate) enum Form<'a, M: Memory> {
    /// One segment, as long as the buffer.
    Single,
    /// Rows at a common pitch (that of the size's upper bound where none is given).
    Rows { count: i128, size: Lowered<'a, M>, pitch: Option<usize> },
    /// Segment i lies between offsets i and i + 1.
    Ragged { offsets: IntView<'a, M>, max_length: Option<i128> },
}

impl<M: Memory> Clone for Form<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Memory> Copy for Form<'_, M> {}

/// The static bound of a segment that is as long as its buffer allows: 2^31 − 1 keys.
#[derive(Clone, Copy, Debug)]
pub struct WholeBuffer(());

impl crate::args::Sealed for WholeBuffer {}
impl<'a, M: Memory> Argument<'a, M> for WholeBuffer {
    const STATIC_MAX: i64 = LIMIT;
    #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
    fn lower(self) -> Lowered<'a, M> {
        Lowered { source: Source::Immediate(LIMIT.into()), lo: 0, hi: LIMIT.into() }
    }
}

impl<'a, K: Key, M: Memory> Segments<'a, K, M, WholeBuffer> {
    /// One segment: the whole buffer. Passing the buffer itself does the same.
    #[must_use]
    pub fn single(keys: impl Input<'a, Elem = K, Memory = M>) -> Self {
        Self { keys: keys.into_view(), form: Form::Single, element_stride: 1, bound: PhantomData }
    }

    /// Segments of any length: segment `i` holds the keys from `offsets[i]` up to, not including, `offsets[i + 1]`.
    ///
    /// `offsets` holds one number more than there are segments, in any integer type; none at all means no segment. They
    /// may start above 0 and end below the number of keys. The longest segment is taken to be as long as the key buffer
    /// unless [`max_length`](Self::max_length) or [`static_max_length`](Self::static_max_length) says better, which the
    /// planner of a GPU engine rewards.
    #[must_use]
    pub fn ragged<T: Integer>(
        keys: impl Input<'a, Elem = K, Memory = M>,
        offsets: impl Input<'a, Elem = T, Memory = M>,
    ) -> Self {
        let offsets = T::int_view::<M>(offsets.into_view());
        let form = Form::Ragged { offsets, max_length: None };
        Self { keys: keys.into_view(), form, element_stride: 1, bound: PhantomData }
    }

    /// States that no ragged segment is longer than `keys` keys, 0 ≤ `keys` ≤ 2^31 − 1.
    ///
    /// Without effect on the other forms: rows state the bound with their size.
    #[must_use]
    pub fn max_length(mut self, keys: impl Integer) -> Self {
        if let Form::Ragged { max_length, .. } = &mut self.form {
            *max_length = Some(keys.widen());
        }
        self
    }

    /// States that no ragged segment is longer than `MAX` keys, where the type system can use it.
    ///
    /// Without effect on the other forms: rows state the bound with their size.
    #[must_use]
    pub fn static_max_length<const MAX: i32>(self) -> Segments<'a, K, M, Constant<MAX>> {
        let _checked = Constant::<MAX>::new();
        let Self { keys, form, element_stride, .. } = self.max_length(MAX);
        Segments { keys, form, element_stride, bound: PhantomData }
    }
}

impl<'a, K: Key, M: Memory, S: SizeArg<'a, M>> Segments<'a, K, M, S> {
    /// `count` rows of `size` keys each, row `i` starting at element `i × pitch` of `keys`.
    ///
    /// `size` may be one number for all rows or one per row; see [`args`](crate::args) for its forms. The pitch is the
    /// upper bound of `size` unless [`pitch`](Self::pitch) says otherwise.
    #[must_use]
    pub fn rows(keys: impl Input<'a, Elem = K, Memory = M>, count: impl SegmentCount, size: S) -> Self {
        let form = Form::Rows { count: count.count(), size: size.lower(), pitch: None };
        Self { keys: keys.into_view(), form, element_stride: 1, bound: PhantomData }
    }

    /// The distance between the starts of neighbouring rows, in elements.
    ///
    /// Rows may overlap (sliding windows): they are only read. Without effect on ragged and single segments.
    #[must_use]
    pub fn pitch(mut self, elements: usize) -> Self {
        if let Form::Rows { pitch, .. } = &mut self.form {
            *pitch = Some(elements);
        }
        self
    }
}

impl<K: Key, M: Memory, S> Segments<'_, K, M, S> {
    /// The distance between neighbouring keys of a segment, in elements, at least 1.
    ///
    /// Key `j` of row `i` is element `i × pitch + j × stride`. Ragged offsets count keys, so the key at offset `o` is
    /// element `o × stride`. A single segment is every `stride`-th element of the buffer. Values that travel with the keys
    /// are read at the same places of their own buffer.
    #[must_use]
    pub fn element_stride(mut self, elements: usize) -> Self {
        self.element_stride = elements;
        self
    }
}

impl<K: Key, M: Memory, S> Clone for Segments<'_, K, M, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Key, M: Memory, S> Copy for Segments<'_, K, M, S> {}

impl<K: Key, M: Memory, S> core::fmt::Debug for Segments<'_, K, M, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut out = f.debug_struct("Segments");
        out.field("key_type", &K::TYPE).field("keys", &M::view_len::<K>(&self.keys));
        match &self.form {
            Form::Single => out.field("form", &"single"),
            Form::Rows { count, size, pitch } => {
                out.field("rows", count).field("size", &size.source).field("pitch", pitch)
            }
            Form::Ragged { offsets, max_length } => {
                out.field("offsets", &offsets.len()).field("max_length", max_length)
            }
        };
        out.field("element_stride", &self.element_stride).finish()
    }
}

/// What an entry point takes as its segments: [`Segments`], or a borrowed key buffer, which is one segment.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name segments of keys",
    label = "expected `Segments` or a borrowed buffer of keys",
    note = "pass `&keys` for one segment, `Segments::rows(&keys, rows, length)` for rows, `Segments::ragged(&keys, &offsets)` for segments of any length"
)]
pub trait IntoSegments<'a> {
    /// The type of the keys.
    type Key: Key;
    /// Where they live.
    type Memory: Memory;
    /// What the type system knows of the segments' length.
    type Bound: Argument<'a, Self::Memory>;
    /// The segments.
    fn into_segments(self) -> Segments<'a, Self::Key, Self::Memory, Self::Bound>;
}

impl<'a, K: Key, M: Memory, S: Argument<'a, M>> IntoSegments<'a> for Segments<'a, K, M, S> {
    type Key = K;
    type Memory = M;
    type Bound = S;
    fn into_segments(self) -> Self {
        self
    }
}

impl<'a, B> IntoSegments<'a> for &'a B
where
    B: ?Sized,
    &'a B: Input<'a>,
    <&'a B as Input<'a>>::Elem: Key,
{
    type Key = <&'a B as Input<'a>>::Elem;
    type Memory = <&'a B as Input<'a>>::Memory;
    type Bound = WholeBuffer;
    fn into_segments(self) -> Segments<'a, Self::Key, Self::Memory, WholeBuffer> {
        Segments::single(self)
    }
}
