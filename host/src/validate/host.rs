//! A call whose numbers all lie in host memory, resolved segment by segment.

use super::{
    Extent, OutputRows, known_k, known_size, long_enough, output_rows, segment_count, usable_bounds,
};
use crate::args::{IntView, LIMIT, Lowered, Source};
use crate::error::{ArgumentName, BufferName, Error};
use crate::key::Key;
use crate::memory::HostMemory;
use crate::request::{Call, PayloadOut};
use crate::segments::Form;

/// The checked shape of a call: every segment lies within the key buffer, every row within the outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostShape<'a> {
    pub(crate) num_segments: usize,
    pub(crate) max_size: u64,
    pub(crate) max_k: u64,
    /// The keys of all segments together.
    pub(crate) total_keys: u128,
    pub(crate) output: OutputRows,
    layout: Layout<'a>,
    k: Values<'a>,
}

/// One segment of a checked call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostSegment {
    /// The element of the key buffer that holds its first key.
    pub(crate) start: usize,
    /// The number of keys.
    pub(crate) len: usize,
    /// The number of items asked for.
    pub(crate) k: usize,
}

#[derive(Clone, Copy)]
enum Layout<'a> {
    Rows { pitch: usize, size: Values<'a> },
    Ragged { offsets: IntView<'a, HostMemory>, stride: usize },
}

impl core::fmt::Debug for Layout<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Rows { pitch, size } => {
                f.debug_struct("Rows").field("pitch", pitch).field("size", size).finish()
            }
            Self::Ragged { stride, .. } => {
                f.debug_struct("Ragged").field("stride", stride).finish_non_exhaustive()
            }
        }
    }
}

/// One number for all segments, or one per segment.
#[derive(Clone, Copy)]
enum Values<'a> {
    Same(usize),
    Each(IntView<'a, HostMemory>),
}

impl Values<'_> {
    /// The number of segment `i`; a negative one is 0. Checked before: it fits and exists.
    fn get(&self, i: usize) -> usize {
        match self {
            Self::Same(value) => *value,
            Self::Each(view) => view.get(i).and_then(|value| usize::try_from(value).ok()).unwrap_or(0),
        }
    }
}

impl core::fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Same(value) => write!(f, "{value}"),
            Self::Each(_) => f.write_str("one per segment"),
        }
    }
}

/// Checks one argument's values with `check` and says where they are.
fn resolve<'a>(
    argument: &Lowered<'a, HostMemory>,
    segments: usize,
    buffer: BufferName,
    check: fn(Option<usize>, i128, i128, i128) -> Result<usize, Error>,
) -> Result<Values<'a>, Error> {
    let Lowered { source, lo, hi } = *argument;
    match source {
        Source::Immediate(value) => Ok(Values::Same(check(None, value, lo, hi)?)),
        Source::Deferred(view) => match view.get(0) {
            Some(value) => Ok(Values::Same(check(None, value, lo, hi)?)),
            None if segments == 0 => Ok(Values::Same(0)),
            None => Err(Error::BufferTooShort { buffer, required: 1, given: 0 }),
        },
        Source::Sequence(view) => {
            long_enough(buffer, segments as u128, view.len())?;
            for (segment, value) in (0..segments).filter_map(|i| Some((i, view.get(i)?))) {
                check(Some(segment), value, lo, hi)?;
            }
            Ok(Values::Each(view))
        }
    }
}

impl<'a> HostShape<'a> {
    /// Checks everything there is to check about a call in host memory.
    pub(crate) fn resolve<K: Key>(call: &Call<'a, '_, K, HostMemory>) -> Result<Self, Error> {
        let stride = call.element_stride;
        if stride == 0 {
            return Err(Error::ZeroStride);
        }
        let keys = call.keys.len();
        // The keys there are when every `stride`-th element is one.
        let strided_keys = keys.div_ceil(stride) as u64;

        let max_k = usable_bounds(ArgumentName::K, call.k.lo, call.k.hi)?;
        let (num_segments, max_size, layout) = match &call.form {
            Form::Single => {
                let size = known_size(None, strided_keys.into(), 0, LIMIT.into())?;
                (1, size as u64, Layout::Rows { pitch: 0, size: Values::Same(size) })
            }
            Form::Rows { count, size, pitch } => {
                let segments = segment_count(*count, 1)? as usize;
                let mut max_size = usable_bounds(ArgumentName::SegmentSize, size.lo, size.hi)?;
                let sizes = resolve(size, segments, BufferName::Sizes, known_size)?;
                if let Source::Immediate(_) = size.source {
                    max_size = sizes.get(0) as u64;
                }
                let pitch = pitch.unwrap_or(max_size as usize);
                (segments, max_size, Layout::Rows { pitch, size: sizes })
            }
            Form::Ragged { offsets, max_length } => {
                let segments = segment_count(offsets.len().saturating_sub(1) as i128, 1)? as usize;
                let bound = match max_length {
                    Some(bound) => usable_bounds(ArgumentName::SegmentSize, 0, *bound)?,
                    None => LIMIT as u64,
                };
                check_offsets(offsets, segments, strided_keys, bound)?;
                (segments, bound.min(strided_keys), Layout::Ragged { offsets: *offsets, stride })
            }
        };
        let k = resolve(&call.k, num_segments, BufferName::Ks, known_k)?;
        // An immediate is known exactly; its static bounds say no more.
        let max_k = if let Source::Immediate(_) = call.k.source { k.get(0) as u64 } else { max_k };
        let output = output_rows(num_segments as u64, max_k, max_size, call.pitch, call.fill.is_some())?;

        let mut shape = Self { num_segments, max_size, max_k, total_keys: 0, output, layout, k };
        let elements = shape.count_keys(stride);
        long_enough(BufferName::Keys, elements, keys)?;
        if let PayloadOut::Values { width, input, .. } = &call.payload {
            long_enough(BufferName::Values, elements, input.len() / width)?;
        }
        shape.check_outputs(call)?;
        Ok(shape)
    }

    /// Counts the keys of all segments and returns how many elements the key buffer must hold.
    fn count_keys(&mut self, stride: usize) -> u128 {
        let segments = self.num_segments as u128;
        let end = |start: u128, len: usize| match len {
            0 => 0,
            len => start + (len as u128 - 1) * stride as u128 + 1,
        };
        match self.layout {
            Layout::Rows { pitch, size: Values::Same(size) } => {
                self.total_keys = segments * size as u128;
                if segments == 0 { 0 } else { end((segments - 1) * pitch as u128, size) }
            }
            Layout::Rows { pitch, size } => {
                let sizes = (0..self.num_segments).map(|i| (i, size.get(i)));
                let mut elements = 0;
                for (i, size) in sizes {
                    self.total_keys += size as u128;
                    elements = elements.max(end(i as u128 * pitch as u128, size));
                }
                elements
            }
            Layout::Ragged { offsets, .. } => {
                let first = offsets.get(0).unwrap_or(0);
                let last = offsets.get(self.num_segments).unwrap_or(first);
                self.total_keys = last.abs_diff(first);
                // The offsets were checked against the keys already, but the values must reach as far. They are monotone,
                // so the last one is the end of all that is read.
                end(0, if self.total_keys == 0 { 0 } else { last as usize })
            }
        }
    }

    fn check_outputs<K: Key>(&self, call: &Call<'_, '_, K, HostMemory>) -> Result<(), Error> {
        if let Some(keys_out) = &call.keys_out {
            long_enough(BufferName::KeysOut, self.output.elements, keys_out.len())?;
        }
        match &call.payload {
            PayloadOut::None => Ok(()),
            PayloadOut::Index(indices) => {
                long_enough(BufferName::IndicesOut, self.output.elements, indices.len())
            }
            PayloadOut::Values { width, output, .. } => {
                long_enough(BufferName::ValuesOut, self.output.elements, output.len() / width)
            }
        }
    }

    pub(crate) fn extent(&self) -> Extent {
        let output_pitch = self.output.pitch;
        Extent {
            num_segments: self.num_segments as u64,
            max_size: self.max_size,
            max_k: self.max_k,
            output_pitch,
        }
    }

    /// Segment `i`, `i` < number of segments.
    pub(crate) fn segment(&self, i: usize) -> HostSegment {
        let k = self.k.get(i);
        match self.layout {
            Layout::Rows { pitch, size } => {
                // An empty row may lie anywhere, even where the product overflows.
                HostSegment { start: i.saturating_mul(pitch), len: size.get(i), k }
            }
            Layout::Ragged { offsets, stride } => {
                let at = |i| offsets.get(i).and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0);
                HostSegment { start: at(i).saturating_mul(stride), len: at(i + 1) - at(i), k }
            }
        }
    }
}

fn check_offsets(
    offsets: &IntView<'_, HostMemory>,
    segments: usize,
    keys: u64,
    max_length: u64,
) -> Result<(), Error> {
    let all = (0..offsets.len()).filter_map(|i| Some((i, offsets.get(i)?)));
    for (index, offset) in all {
        if !(0..=i128::from(keys)).contains(&offset) {
            return Err(Error::OffsetOutOfRange { index, offset, limit: keys });
        }
    }
    for segment in 0..segments {
        let (Some(start), Some(end)) = (offsets.get(segment), offsets.get(segment + 1)) else { continue };
        if start > end {
            return Err(Error::OffsetsNotMonotone { segment, start, end });
        }
        known_size(Some(segment), end - start, 0, max_length.into())?;
    }
    Ok(())
}
