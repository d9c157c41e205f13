//! One segment of a call: where its keys are, how many items it gives, and the row they go to.

use super::cost::{Costs, Key, Word};
use crate::arch::Scalar;
use crate::arch::global::Global;
use crate::arch::shared::Shared;
use cluster_topk_abi::clamp::{self, SegmentRange};
use cluster_topk_abi::params::{Flags, KernelParams, ScalarSource, ScalarType, SegmentForm, ValueKind};

/// Reads the number of segment `segment`, before any clamp. Any thread.
#[inline(always)]
fn read(source: &ScalarSource, segment: u64) -> i64 {
    match source.address_of(segment) {
        Some(address) => read_scalar(address, source.scalar),
        None => source.unread_value(),
    }
}

#[inline(always)]
fn read_scalar(address: u64, scalar: ScalarType) -> i64 {
    #[inline(always)]
    fn bits<T: Scalar>(address: u64) -> u64 {
        // SAFETY: the host checked that the buffer is aligned and as long as `ScalarSource::len` says, and the address lies
        // within it.
        unsafe { Global::<T>::new(address, 1) }.load(0).widen()
    }
    let bits = match scalar.bytes() {
        1 => bits::<u8>(address),
        2 => bits::<u16>(address),
        4 => bits::<u32>(address),
        _ => bits::<u64>(address),
    };
    scalar.value(bits)
}

/// A segment as its worker sees it.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'p, K> {
    params: &'p KernelParams,
    keys: Global<K>,
    range: SegmentRange,
    /// Its number among all.
    number: u64,
    slots: u32,
}

impl<'p, K: Key + core::ops::BitXor<Output = K>> Segment<'p, K> {
    /// Segment `segment`, below the number of segments. Any thread; all of a worker's threads get the same.
    ///
    /// # Safety
    ///
    /// The parameters describe live device memory: the promise that the host gave at the launch.
    #[inline(always)]
    pub unsafe fn of(params: &'p KernelParams, segment: u64) -> Self {
        // SAFETY: the caller's promise; the range is clamped to the buffer.
        let keys = unsafe { Global::new(params.keys_in, params.keys_len) };
        if params.flags.contains(Flags::CHECKED) {
            // The common case, for which the clamps below would cost as much as a short segment's selection.
            let first = segment.wrapping_mul(params.segment_stride);
            let range =
                SegmentRange { first, stride: params.key_element_stride, len: params.size.immediate as u32 };
            return Self { params, keys, range, number: segment, slots: params.k.immediate as u32 };
        }
        let size = read(&params.size, segment);
        let (begin, end) = match params.segment_form {
            SegmentForm::Strided => (0, 0),
            SegmentForm::Offsets => {
                (read(&params.offsets, segment), read(&params.offsets, segment.wrapping_add(1)))
            }
        };
        let range = clamp::segment_range(params, segment, size, begin, end);
        let slots = clamp::row_slots(params, read(&params.k, segment));
        Self { params, keys, range, number: segment, slots }
    }

    /// Words that [`store`](Self::store) takes.
    pub const WORDS: u32 = 4;

    /// Keeps it in shared memory. One thread.
    #[inline(always)]
    pub fn store(&self, words: Shared<u64>) {
        words.store(0, self.range.first);
        words.store(1, self.range.stride);
        words.store(2, u64::from(self.range.len) << 32 | u64::from(self.slots));
        words.store(3, self.params.flags.bits().into());
    }

    /// The same segment again, as it was kept, and the flags of the call. Any thread, after a barrier.
    #[inline(always)]
    pub fn load(&self, words: Shared<u64>) -> (Self, Flags) {
        let sizes = words.load(2);
        let range =
            SegmentRange { first: words.load(0), stride: words.load(1), len: sizes.wrapping_shr(32) as u32 };
        let flags = Flags::from_bits_retain(words.load(3) as u32);
        (Self { range, slots: sizes as u32, ..*self }, flags)
    }

    /// The first element of its row in every output: not kept, which would take registers while keys are held.
    #[inline(always)]
    fn row(&self) -> u64 {
        self.number.wrapping_mul(self.params.output_pitch)
    }

    /// How many keys it has.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.range.len
    }

    /// Whether it has none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.range.len == 0
    }

    /// How many items it gives: min(k, length).
    #[inline(always)]
    pub fn selected(&self) -> u32 {
        clamp::selected(self.slots, self.range.len)
    }

    /// What the call asks for.
    #[inline(always)]
    pub fn flags(&self) -> Flags {
        self.params.flags
    }

    /// Whether its keys lie one behind the other.
    #[inline(always)]
    pub fn is_contiguous(&self) -> bool {
        self.range.stride == 1
    }

    /// The address of its first key.
    #[inline(always)]
    pub fn address(&self) -> u64 {
        self.params.keys_in.wrapping_add(self.range.first.wrapping_mul(K::BYTES.into()))
    }

    /// Its keys, which are contiguous.
    #[inline(always)]
    pub fn keys(&self) -> Global<K> {
        self.keys.slice(self.range.first, self.range.len.into())
    }

    /// Key `index`, below the length, for now. Any thread.
    #[inline(always)]
    pub fn load_key(&self, index: u32) -> K {
        self.keys.load_once(self.range.element(index))
    }

    /// The costs of keys `first`, `first + STEP`, …; the worst one where there is no key. The segment is not empty. Any
    /// thread.
    ///
    /// All keys are loaded before the first is looked at, and without a branch for each, so that the loads are in flight
    /// together.
    #[inline(always)]
    pub fn costs<const ITEMS: usize, const STEP: u32>(
        &self,
        first: u32,
        costs: Costs<K>,
    ) -> [K::Word; ITEMS] {
        let mut held = [K::Word::WORST; ITEMS];
        let mut keys = [K::ZERO; ITEMS];
        if self.range.stride == 1 && self.range.len >= const { ITEMS as u32 * STEP } {
            // A whole tile: one address and constant offsets.
            let start = self.range.element(first);
            let from = self.keys.slice(start, self.keys.len().wrapping_sub(start));
            for (item, key) in keys.iter_mut().enumerate() {
                *key = from.load_once(u64::from(item as u32 * STEP));
            }
            for (cost, key) in held.iter_mut().zip(&keys) {
                *cost = costs.cost(*key);
            }
        } else {
            // Behind the end a thread's last key, or the segment's, is loaded again, and dropped.
            let mut element = self.range.element(first.min(self.range.len.wrapping_sub(1)));
            let left = self.left(first);
            let step = self.range.stride.wrapping_mul(STEP.into());
            for (item, key) in keys.iter_mut().enumerate() {
                *key = self.keys.load_once(element);
                if (item as u32 + 1) * STEP < left {
                    element = element.wrapping_add(step);
                }
            }
            for (item, (cost, key)) in held.iter_mut().zip(&keys).enumerate() {
                if (item as u32 * STEP) < left {
                    *cost = costs.cost(*key);
                }
            }
        }
        held
    }

    /// The cost of key `index`, which there is. Any thread.
    #[inline(always)]
    pub fn cost(&self, index: u32, costs: Costs<K>) -> K::Word {
        costs.cost(self.keys.load(self.range.element(index)))
    }

    /// How many keys there are from `first` on.
    #[inline(always)]
    pub fn left(&self, first: u32) -> u32 {
        self.range.len.saturating_sub(first)
    }

    /// Writes item `index` to slot `slot` of the row; both are below their limits. Any thread, one a slot.
    #[inline(always)]
    pub fn write(&self, slot: u32, index: u32) {
        self.write_known(slot, index, || None);
    }

    /// [`Self::write`] of an item whose cost is at hand, which spares loading its key again; unless it is a zero, whose
    /// sign the cost does not tell.
    #[inline(always)]
    pub fn write_cost(&self, slot: u32, index: u32, cost: K::Word, costs: Costs<K>) {
        self.write_known(slot, index, || costs.key(cost));
    }

    /// [`Self::write`] of an item whose key is at hand.
    #[inline(always)]
    pub fn write_key(&self, slot: u32, index: u32, key: K) {
        self.write_known(slot, index, || Some(key));
    }

    /// [`Self::write`] of an item whose key may be at hand.
    #[inline(always)]
    pub fn write_known(&self, slot: u32, index: u32, known: impl FnOnce() -> Option<K>) {
        let element = self.range.element(index);
        let place = self.row().wrapping_add(u64::from(slot));
        if self.params.flags.contains(Flags::WRITE_KEYS) {
            let key = match known() {
                Some(key) => key,
                None => self.keys.load(element),
            };
            self.keys_out().store(place, key);
        }
        match self.params.value_kind {
            ValueKind::None => {}
            ValueKind::Payload => self.copy_payload(place, element),
            ValueKind::IndexU32 | ValueKind::IndexI32 => self.values_out::<u32>().store(place, index),
            ValueKind::IndexI64 => self.values_out::<u64>().store(place, u64::from(index)),
        }
    }

    /// Fills the slots from min(k, length) up to k where the call asks for it; thread `first` of `step` threads.
    #[inline(always)]
    pub fn fill(&self, first: u32, step: u32) {
        if !self.params.flags.contains(Flags::FILL) {
            return;
        }
        // 64 bits, since the last slot plus the step may leave 32.
        let mut slot = u64::from(self.selected()) + u64::from(first);
        while slot < u64::from(self.slots) {
            let place = self.row().wrapping_add(slot);
            if self.params.flags.contains(Flags::WRITE_KEYS) {
                self.keys_out().store(place, <K as Scalar>::truncate(self.params.fill_key));
            }
            match self.params.value_kind {
                ValueKind::None => {}
                ValueKind::Payload => self.fill_payload(place),
                ValueKind::IndexU32 | ValueKind::IndexI32 => {
                    self.values_out::<u32>().store(place, self.params.fill_index as u32);
                }
                ValueKind::IndexI64 => {
                    self.values_out::<u64>().store(place, self.params.fill_index as u64);
                }
            }
            slot += u64::from(step);
        }
    }

    /// The slots of its row for keys and for indices of 32 bits, if the call writes these.
    #[inline(always)]
    pub fn slots(&self) -> Option<(Global<K>, Global<u32>)> {
        let has_indices = matches!(self.params.value_kind, ValueKind::IndexU32 | ValueKind::IndexI32);
        (has_indices && self.params.flags.contains(Flags::WRITE_KEYS)).then(|| {
            let (row, k) = (self.row(), self.selected().into());
            (self.keys_out().slice(row, k), self.values_out().slice(row, k))
        })
    }

    #[inline(always)]
    fn keys_out(&self) -> Global<K> {
        // SAFETY: the host checked that every row of the output lies within the buffer, which lives while the kernel runs.
        unsafe { Global::new(self.params.keys_out, u64::MAX) }
    }

    #[inline(always)]
    fn values_out<T: Scalar>(&self) -> Global<T> {
        // SAFETY: the host checked that every row of the output lies within the buffer, which lives while the kernel runs, and
        // that it is aligned to its elements.
        unsafe { Global::new(self.params.values_out, u64::MAX) }
    }

    /// Bytes that one access may move without leaving a payload or its alignment: 1, 2, 4 or 8.
    #[inline(always)]
    fn payload_unit(&self) -> u32 {
        let bits = self.params.values_in as u32
            | self.params.values_out as u32
            | u32::from(self.params.payload_bytes)
            | 8;
        bits & bits.wrapping_neg()
    }

    /// One loop for all units: this is there wherever an item is written.
    #[inline(always)]
    fn copy_payload(&self, place: u64, element: u64) {
        #[inline(always)]
        fn copy<T: Scalar>(to: u64, from: u64) {
            // SAFETY: the host checked every row of the output against its buffer, which is aligned to the unit, and payloads are
            // whole units.
            let to = unsafe { Global::<T>::new(to, 1) };
            // SAFETY: the host checked the value buffer against the same elements as the key buffer; the rest is as above.
            let from = unsafe { Global::<T>::new(from, 1) };
            to.store(0, from.load(0));
        }
        let (unit, bytes) = (self.payload_unit(), u32::from(self.params.payload_bytes));
        let mut to = self.params.values_out.wrapping_add(place.wrapping_mul(bytes.into()));
        let mut from = self.params.values_in.wrapping_add(element.wrapping_mul(bytes.into()));
        let mut left = bytes;
        while left > 0 {
            match unit {
                8 => copy::<u64>(to, from),
                4 => copy::<u32>(to, from),
                2 => copy::<u16>(to, from),
                _ => copy::<u8>(to, from),
            }
            to = to.wrapping_add(unit.into());
            from = from.wrapping_add(unit.into());
            left -= unit.min(left);
        }
    }

    #[inline(always)]
    fn fill_payload(&self, place: u64) {
        let bytes = u64::from(self.params.payload_bytes);
        let to = self.values_out::<u8>();
        let mut byte = 0u64;
        while byte < bytes {
            let word = if byte < 8 { self.params.fill_value_lo } else { self.params.fill_value_hi };
            to.store(place.wrapping_mul(bytes) + byte, word.wrapping_shr(8 * (byte as u32 & 7)) as u8);
            byte += 1;
        }
    }
}
