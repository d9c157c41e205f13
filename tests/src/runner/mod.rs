//! The seam between the matrix and an engine.

pub mod cpu;
pub mod gpu;
mod numbers;
mod requirements;

use crate::key::TestKey;
use crate::layout::{canary, value_of};
use crate::request::{IndexType, Request, Written};
use cluster_topk::Error;

/// Bytes that are aligned for every payload type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignedBytes {
    words: Vec<u128>,
    len: usize,
}

impl AlignedBytes {
    /// `count` values of `width` bytes, the `i`-th being the low bytes of `value(i)`.
    #[must_use]
    pub fn of(count: usize, width: usize, value: impl Fn(usize) -> u128) -> Self {
        let len = count * width;
        let mut this = Self { words: vec![0; len.div_ceil(16)], len };
        if width > 0 {
            for (i, slot) in this.as_mut_slice().chunks_exact_mut(width).enumerate() {
                slot.copy_from_slice(&value(i).to_le_bytes()[..width]);
            }
        }
        this
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }

    /// The bytes, to write.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.len]
    }

    /// The `i`-th value of `width` bytes.
    #[must_use]
    pub fn get(&self, i: usize, width: usize) -> u128 {
        let mut bytes = [0; 16];
        bytes[..width].copy_from_slice(&self.as_slice()[i * width..(i + 1) * width]);
        u128::from_le_bytes(bytes)
    }
}

/// What a call reads.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, K> {
    /// The keys.
    pub keys: &'a [K],
    /// The values, beside the keys; empty where none travel.
    pub values: &'a AlignedBytes,
}

/// The values that travel with `keys` keys of `request`.
#[must_use]
pub fn values_for(request: &Request, keys: usize) -> AlignedBytes {
    let width = request.written.value_width();
    AlignedBytes::of(keys, width, |element| value_of(element, width))
}

/// What is written beside, or instead of, the keys.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PayloadOut {
    None,
    U32(Vec<u32>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    Values(usize, AlignedBytes),
}

/// What a call writes.
#[derive(Clone, Debug)]
pub struct Outputs<K> {
    /// Keys; empty where none are written.
    pub keys: Vec<K>,
    /// Values or indices.
    pub payload: PayloadOut,
    /// Elements of each output.
    pub len: usize,
}

impl<K: TestKey> Outputs<K> {
    /// Outputs of `len` elements, every slot holding its canary.
    #[must_use]
    pub fn canaries(request: &Request, len: usize) -> Self {
        let seed = request.seed;
        let index = |slot| canary::<K>(seed, slot).2;
        let payload = match request.written {
            Written::Keys => PayloadOut::None,
            Written::Pairs(width) => {
                PayloadOut::Values(width, AlignedBytes::of(len, width, |slot| canary::<K>(seed, slot).1))
            }
            Written::Indices(index_type) | Written::KeysAndIndices(index_type) => match index_type {
                IndexType::U32 => PayloadOut::U32((0..len).map(|slot| index(slot) as u32).collect()),
                IndexType::I32 => PayloadOut::I32((0..len).map(|slot| index(slot) as i32).collect()),
                IndexType::I64 => PayloadOut::I64((0..len).map(index).collect()),
            },
        };
        let keys_len = if request.written.keys() { len } else { 0 };
        Self { keys: (0..keys_len).map(|slot| canary(seed, slot).0).collect(), payload, len }
    }

    /// The bits of slot `slot`: key, value and index, 0 for what is not written.
    #[must_use]
    pub fn slot(&self, slot: usize) -> Slot {
        let key = self.keys.get(slot).map_or(0, |key| key.bits());
        let (value, index) = match &self.payload {
            PayloadOut::None => (0, 0),
            PayloadOut::U32(out) => (0, out[slot].into()),
            PayloadOut::I32(out) => (0, out[slot].into()),
            PayloadOut::I64(out) => (0, out[slot]),
            PayloadOut::Values(width, out) => (out.get(slot, *width), 0),
        };
        Slot { key, value, index }
    }

    /// The slot that would hold these three.
    #[must_use]
    pub fn as_written(&self, key: K, value: u128, index: i64) -> Slot {
        let key = if self.keys.is_empty() { 0 } else { key.bits() };
        let (value, index) = match &self.payload {
            PayloadOut::None => (0, 0),
            PayloadOut::U32(_) => (0, i64::from(index as u32)),
            PayloadOut::I32(_) => (0, i64::from(index as i32)),
            PayloadOut::I64(_) => (0, index),
            PayloadOut::Values(width, _) => (value & crate::layout::mask(*width), 0),
        };
        Slot { key, value, index }
    }

    /// Whether two outputs are the same, bit for bit.
    #[must_use]
    pub fn same_bits(&self, other: &Self) -> bool {
        self.len == other.len && (0..self.len).all(|slot| self.slot(slot) == other.slot(slot))
    }

    /// Overwrites a slot; for tests of the checks.
    pub fn set(&mut self, slot: usize, to: Slot) {
        if let Some(key) = self.keys.get_mut(slot) {
            *key = K::from_bits64(to.key);
        }
        match &mut self.payload {
            PayloadOut::None => {}
            PayloadOut::U32(out) => out[slot] = to.index as u32,
            PayloadOut::I32(out) => out[slot] = to.index as i32,
            PayloadOut::I64(out) => out[slot] = to.index,
            PayloadOut::Values(width, out) => {
                let width = *width;
                out.as_mut_slice()[slot * width..(slot + 1) * width]
                    .copy_from_slice(&to.value.to_le_bytes()[..width]);
            }
        }
    }
}

/// One slot of the outputs, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The key's bits.
    pub key: u64,
    /// The value.
    pub value: u128,
    /// The index.
    pub index: i64,
}

/// An engine under test: makes the typed call that a [`Request`] describes.
///
/// The buffers are in host memory; an engine with memory of its own copies them there and back.
pub trait Runner {
    /// Runs the request.
    ///
    /// # Errors
    ///
    /// Those of the call.
    fn run<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Error>;
}
