//! The outputs row by row, and the sharing of rows between threads.

use super::ranks::{Dense, Order, Strided};
use super::scratch::Pooled;
use super::select::{Rules, Sink, select};
use super::{MIN_KEYS_PER_TASK, splits};
use crate::key::{Direction, Key};
use crate::memory::HostMemory;
use crate::payload::IndexOut;
use crate::request::{Call, Fill, PayloadOut};
use crate::requirement::Contract;
use crate::validate::{HostSegment, HostShape};
use cluster_topk_abi::key_order::KeyBits;
use core::ops::Range;

/// Everything the rows of a call share.
struct Context<'c, 'a, K: Key> {
    keys: &'a [K],
    /// The bytes of the values; empty where none travel.
    values: &'a [u8],
    stride: usize,
    order: Order<K::Ordered>,
    rules: Rules,
    fill: Option<Fill<K>>,
    pitch: usize,
    shape: &'c HostShape<'a>,
    /// Threads that share the work.
    threads: usize,
    /// Segments that one task takes.
    grain: usize,
}

/// The output rows of a range of segments, every buffer starting at the first of them.
struct RowsOut<'o, K> {
    keys: Option<&'o mut [K]>,
    payload: RowPayload<'o>,
}

enum RowPayload<'o> {
    None,
    U32(&'o mut [u32]),
    I32(&'o mut [i32]),
    I64(&'o mut [i64]),
    Values { width: usize, bytes: &'o mut [u8] },
}

/// Selects every segment of a checked call, on the calling thread alone where `threads` is 1.
pub(crate) fn run<'a, K: Key>(
    call: Call<'a, '_, K, HostMemory>,
    shape: &HostShape<'a>,
    contract: Contract,
    threads: usize,
) {
    let (values, payload) = match call.payload {
        PayloadOut::None => (&[][..], RowPayload::None),
        PayloadOut::Index(IndexOut::U32(out)) => (&[][..], RowPayload::U32(out)),
        PayloadOut::Index(IndexOut::I32(out)) => (&[][..], RowPayload::I32(out)),
        PayloadOut::Index(IndexOut::I64(out)) => (&[][..], RowPayload::I64(out)),
        PayloadOut::Values { width, input, output } => (input, RowPayload::Values { width, bytes: output }),
    };
    let mean = (shape.total_keys / shape.num_segments.max(1) as u128).max(1) as u64;
    let context = Context {
        keys: call.keys,
        values,
        stride: call.element_stride,
        order: Order {
            flip: match call.direction {
                Direction::Largest => K::Ordered::ZERO,
                Direction::Smallest => K::Ordered::ONES,
            },
        },
        rules: Rules::new(contract),
        fill: call.fill,
        // A single row is as long as its buffers; only neighbours need a pitch.
        pitch: if shape.num_segments == 1 { usize::MAX } else { shape.output.pitch as usize },
        shape,
        threads,
        grain: if threads > 1 { (MIN_KEYS_PER_TASK / mean).max(1) as usize } else { usize::MAX },
    };
    context.range(0..shape.num_segments, RowsOut { keys: call.keys_out, payload });
}

impl<K: Key> Context<'_, '_, K> {
    /// Splits the segments in halves until a task's worth is left.
    fn range(&self, segments: Range<usize>, out: RowsOut<'_, K>) {
        let count = segments.len();
        if count <= self.grain {
            return self.serial(segments, out);
        }
        let middle = segments.start + count / 2;
        let (front, back) = out.split_at((count / 2) * self.pitch);
        rayon::join(|| self.range(segments.start..middle, front), || self.range(middle..segments.end, back));
    }

    fn serial(&self, segments: Range<usize>, mut out: RowsOut<'_, K>) {
        for segment in segments {
            let (mut row, rest) = out.split_at(self.pitch);
            self.segment(self.shape.segment(segment), &mut row);
            out = rest;
        }
    }

    fn segment(&self, HostSegment { start, len, k }: HostSegment, out: &mut RowsOut<'_, K>) {
        if k == 0 {
            return;
        }
        if len > 0 {
            let keys = &self.keys[start..start + (len - 1) * self.stride + 1];
            let threads = splits(len, self.shape.total_keys, self.threads);
            let sink =
                RowSink { out, keys, values: self.values, start, stride: self.stride, order: self.order };
            <K::Ordered as Pooled>::with_scratch(|scratch| {
                if self.stride == 1 {
                    select(Dense::new(keys, self.order), k, self.rules, threads, scratch, sink);
                } else {
                    let ranks = Strided::new(keys, self.order, self.stride, len);
                    select(ranks, k, self.rules, threads, scratch, sink);
                }
            });
        }
        if let Some(fill) = &self.fill {
            out.fill(len.min(k)..k, fill);
        }
    }
}

/// The output row of one segment.
struct RowSink<'r, 'o, K: Key> {
    out: &'r mut RowsOut<'o, K>,
    /// From the first key of the segment on.
    keys: &'r [K],
    values: &'r [u8],
    /// The element of the first key.
    start: usize,
    stride: usize,
    order: Order<K::Ordered>,
}

impl<K: Key> Sink<K::Ordered> for RowSink<'_, '_, K> {
    fn ranks_suffice(&self, lowest: K::Ordered) -> bool {
        matches!(self.out.payload, RowPayload::None) && self.order.names_keys::<K>(lowest)
    }

    #[inline(always)]
    fn item(&mut self, slot: usize, index: usize) {
        let element = index * self.stride;
        self.out.write(slot, index, || self.keys[element], self.values, self.start + element);
    }

    #[inline(always)]
    fn items(&mut self, first_slot: usize, indices: Range<usize>) {
        let slots = first_slot..first_slot + indices.len();
        if let (1, RowPayload::None, Some(keys)) = (self.stride, &self.out.payload, &mut self.out.keys) {
            keys[slots].copy_from_slice(&self.keys[indices]);
        } else {
            slots.zip(indices).for_each(|(slot, index)| self.item(slot, index));
        }
    }

    fn reversed(&mut self, indices: Range<usize>) {
        if let (1, Some(keys)) = (self.stride, &mut self.out.keys) {
            for (out, key) in keys.iter_mut().zip(self.keys[indices].iter().rev()) {
                *out = *key;
            }
        } else {
            indices.rev().enumerate().for_each(|(slot, index)| self.item(slot, index));
        }
    }

    #[inline(always)]
    fn rank(&mut self, slot: usize, rank: K::Ordered) {
        if let Some(keys) = &mut self.out.keys {
            keys[slot] = self.order.key(rank);
        }
    }
}

impl<K: Copy> RowsOut<'_, K> {
    /// Splits every buffer after `elements` elements; the last row may be shorter than the pitch.
    fn split_at(self, elements: usize) -> (Self, Self) {
        fn split<T>(buffer: &mut [T], elements: usize) -> (&mut [T], &mut [T]) {
            buffer.split_at_mut(elements.min(buffer.len()))
        }
        let (front, back) = match self.payload {
            RowPayload::None => (RowPayload::None, RowPayload::None),
            RowPayload::U32(out) => {
                let (front, back) = split(out, elements);
                (RowPayload::U32(front), RowPayload::U32(back))
            }
            RowPayload::I32(out) => {
                let (front, back) = split(out, elements);
                (RowPayload::I32(front), RowPayload::I32(back))
            }
            RowPayload::I64(out) => {
                let (front, back) = split(out, elements);
                (RowPayload::I64(front), RowPayload::I64(back))
            }
            RowPayload::Values { width, bytes } => {
                let (front, back) = split(bytes, elements.saturating_mul(width));
                (RowPayload::Values { width, bytes: front }, RowPayload::Values { width, bytes: back })
            }
        };
        let (keys, keys_back) = self.keys.map(|keys| split(keys, elements)).unzip();
        (Self { keys, payload: front }, Self { keys: keys_back, payload: back })
    }

    /// Writes the item with index `index` into `slot`; its value is the `element`-th of `values`.
    #[inline(always)]
    fn write(&mut self, slot: usize, index: usize, key: impl FnOnce() -> K, values: &[u8], element: usize) {
        if let Some(keys) = &mut self.keys {
            keys[slot] = key();
        }
        match &mut self.payload {
            RowPayload::None => {}
            RowPayload::U32(out) => out[slot] = index as u32,
            RowPayload::I32(out) => out[slot] = index as i32,
            RowPayload::I64(out) => out[slot] = index as i64,
            RowPayload::Values { width, bytes } => {
                let width = *width;
                bytes[slot * width..(slot + 1) * width]
                    .copy_from_slice(&values[element * width..(element + 1) * width]);
            }
        }
    }

    fn fill(&mut self, slots: Range<usize>, fill: &Fill<K>) {
        if let Some(keys) = &mut self.keys {
            keys[slots.clone()].fill(fill.key);
        }
        match &mut self.payload {
            RowPayload::None => {}
            RowPayload::U32(out) => out[slots].fill(fill.index as u32),
            RowPayload::I32(out) => out[slots].fill(fill.index as i32),
            RowPayload::I64(out) => out[slots].fill(fill.index),
            RowPayload::Values { width, bytes } => {
                for value in bytes[slots.start * *width..slots.end * *width].chunks_exact_mut(*width) {
                    value.copy_from_slice(&fill.value[..*width]);
                }
            }
        }
    }
}
