//! Clamps under random garbage, and flags and scalars of the parameter block.

use cluster_topk_abi::clamp::{
    SegmentRange, clamp_to_bounds, keys_from, offset_segment, row_slots, segment_range, selected,
    strided_segment,
};
use cluster_topk_abi::key_order::{Direction, KeyType};
use cluster_topk_abi::params::{
    Flags, KernelParams, ScalarForm, ScalarSource, ScalarType, SegmentForm, ValueKind,
};
use cluster_topk_abi::requirement::{Contract, Determinism, OutputOrdering, TieBreak};
use proptest::prelude::*;

const MAX: i64 = (1 << 31) - 1;

fn params(
    keys_len: u64,
    segment_stride: u64,
    stride: u64,
    form: SegmentForm,
    lo: i64,
    hi: i64,
) -> KernelParams {
    KernelParams {
        keys_len,
        segment_stride,
        key_element_stride: stride,
        segment_form: form,
        size: ScalarSource::deferred(8, ScalarType::I64, lo, hi),
        k: ScalarSource::deferred(8, ScalarType::I64, lo, hi),
        ..KernelParams::empty(KeyType::F32, Direction::Largest, Contract::DEFAULT)
    }
}

/// The elements of a segment by the definition, in 128 bits: those of its nominal keys that exist, up to the first that
/// does not.
fn nominal(first: u128, stride: u128, len: u128, keys_len: u64) -> Vec<u64> {
    (0..len)
        .map(|index| first + index * stride)
        .take_while(|&element| element < u128::from(keys_len))
        .map(|element| element as u64)
        .collect()
}

fn elements(range: SegmentRange) -> Vec<u64> {
    (0..range.len).map(|index| range.element(index)).collect()
}

/// Numbers around everything that a comparison could get wrong.
fn garbage() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        -20i64..200,
        Just(i64::MIN),
        Just(i64::MAX),
        MAX - 2..=MAX + 2,
        (1i64 << 32) - 2..=(1i64 << 32) + 2,
    ]
}

fn garbage_u64() -> impl Strategy<Value = u64> {
    prop_oneof![garbage().prop_map(|value| value as u64), 0u64..200, Just(1u64)]
}

fn bounds() -> impl Strategy<Value = (i64, i64)> {
    prop_oneof![(0i64..50, 0i64..50), (0i64..=MAX, 0i64..=MAX)].prop_map(|(a, b)| (a.min(b), a.max(b)))
}

#[test]
fn documented_table() {
    let strided = params(100, 40, 1, SegmentForm::Strided, 2, 30);
    for (segment, size, first, len) in [
        (0, 10, 0, 10),
        (1, 10, 40, 10),
        (0, -1, 0, 0),
        (0, i64::MIN, 0, 0),
        (0, 0, 0, 2),
        (0, 31, 0, 30),
        (0, i64::MAX, 0, 30),
        (2, 25, 80, 20),
        (3, 5, 0, 0),
        (u64::MAX, 5, 0, 0),
    ] {
        let expected = SegmentRange { first, stride: 1, len };
        assert_eq!(strided_segment(&strided, segment, size), expected, "{segment} {size}");
        assert_eq!(segment_range(&strided, segment, size, 7, 9), expected);
    }
    // A product of 2^64 is beyond the buffer, not at its begin.
    let huge_stride = params(100, 1 << 32, 1, SegmentForm::Strided, 2, 30);
    assert_eq!(strided_segment(&huge_stride, 1 << 32, 10), SegmentRange::EMPTY);
    let ragged = params(100, 0, 1, SegmentForm::Offsets, 2, 30);
    for (begin, end, first, len) in [
        (10, 20, 10, 10),
        (20, 10, 0, 0),
        (10, 10, 0, 0),
        (10, 11, 10, 1),
        (-5, 7, 0, 7),
        (10, -1, 0, 0),
        (90, 200, 90, 10),
        (200, 300, 0, 0),
        (10, 90, 10, 30),
        (i64::MIN, i64::MAX, 0, 30),
    ] {
        let expected = SegmentRange { first, stride: 1, len };
        assert_eq!(offset_segment(&ragged, begin, end), expected, "{begin} {end}");
        assert_eq!(segment_range(&ragged, 3, 17, begin, end), expected);
    }
}

#[test]
fn selected_items_stay_in_the_row() {
    let mut call = params(0, 0, 1, SegmentForm::Strided, 2, 30);
    call.output_pitch = 20;
    for (k, slots) in [(5, 5), (-3, 0), (0, 2), (20, 20), (21, 20), (i64::MAX, 20)] {
        assert_eq!(row_slots(&call, k), slots, "{k}");
    }
    assert_eq!((selected(5, 3), selected(3, 5), selected(0, 9), selected(9, 0)), (3, 3, 0, 0));
}

#[test]
fn beyond_two_to_the_thirty_two_elements() {
    let call = params(5 << 32, 1 << 31, 1, SegmentForm::Strided, 0, MAX);
    let range = strided_segment(&call, 9, MAX);
    assert_eq!((range.first, range.len), (9 << 31, MAX as u32));
    let last = strided_segment(&call, 9, MAX).element(range.len - 1);
    assert_eq!(last, (9 << 31) + MAX as u64 - 1);
    let ragged = params(5 << 32, 0, 1, SegmentForm::Offsets, 0, MAX);
    assert_eq!(offset_segment(&ragged, 4 << 32, i64::MAX).len, MAX as u32);
}

#[test]
fn scalars_are_widened_as_their_type() {
    let bits = 0xFEDC_BA98_F6F5_F4F3_u64;
    for (scalar, value) in [
        (ScalarType::U8, i64::from(bits as u8)),
        (ScalarType::I8, i64::from(bits as u8 as i8)),
        (ScalarType::U16, i64::from(bits as u16)),
        (ScalarType::I16, i64::from(bits as u16 as i16)),
        (ScalarType::U32, i64::from(bits as u32)),
        (ScalarType::I32, i64::from(bits as u32 as i32)),
        (ScalarType::U64, i64::MAX),
        (ScalarType::I64, bits as i64),
    ] {
        assert_eq!(scalar.value(bits), value, "{scalar}");
        let name = scalar.to_string();
        assert_eq!(scalar.bytes() * 8, name[1..].parse::<u32>().unwrap(), "{scalar}");
        assert_eq!(scalar.is_signed(), name.starts_with('i'), "{scalar}");
    }
}

#[test]
fn sources_read_inside_their_buffers() {
    let immediate = ScalarSource::immediate(7);
    assert_eq!((immediate.address_of(3), immediate.unread_value()), (None, 7));
    let one = ScalarSource::deferred(1000, ScalarType::I32, 0, 9);
    assert_eq!((one.address_of(0), one.address_of(u64::MAX)), (Some(1000), Some(1000)));
    let sequence = ScalarSource::deferred_sequence(1000, 4, ScalarType::U16, 0, 9);
    assert_eq!(sequence.form, ScalarForm::DeferredSequence);
    assert_eq!((sequence.address_of(3), sequence.address_of(4)), (Some(1006), None));
    assert_eq!(sequence.unread_value(), 0);
}

#[test]
fn flags_of_every_contract() {
    for determinism in Determinism::ALL {
        for tie_break in TieBreak::ALL {
            for ordering in OutputOrdering::ALL {
                let contract = Contract { determinism, tie_break, ordering };
                if !contract.is_legal() {
                    continue;
                }
                let flags = Flags::of(contract, Direction::Largest);
                assert_eq!(flags.contains(Flags::DETERMINISTIC), determinism != Determinism::NotGuaranteed);
                assert_eq!(
                    flags.contains(Flags::PREFER_LARGER_INDEX),
                    tie_break == TieBreak::PreferLargerIndex
                );
                assert_eq!(flags.contains(Flags::SORTED), ordering != OutputOrdering::Unsorted);
                assert_eq!(flags.contains(Flags::STABLE), ordering == OutputOrdering::StableSorted);
                assert!(!flags.intersects(Flags::WRITE_KEYS | Flags::FILL));
                for direction in Direction::ALL {
                    assert_eq!(Flags::of(contract, direction).direction(), direction);
                }
            }
        }
    }
}

#[test]
fn values_have_widths() {
    assert_eq!(ValueKind::None.bytes(16), 0);
    assert_eq!(ValueKind::Payload.bytes(12), 12);
    assert_eq!(
        (ValueKind::IndexU32.bytes(0), ValueKind::IndexI32.bytes(0), ValueKind::IndexI64.bytes(0)),
        (4, 4, 8)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn bounds_hold(value in garbage(), (lo, hi) in bounds()) {
        let clamped = i64::from(clamp_to_bounds(&ScalarSource::deferred(0, ScalarType::I64, lo, hi), value));
        if value < 0 {
            prop_assert_eq!(clamped, 0);
        } else {
            prop_assert_eq!(clamped, value.clamp(lo, hi));
        }
    }

    /// Bounds that no host lets through still give a legal number.
    #[test]
    fn absurd_bounds_give_a_legal_number(value in garbage(), lo in garbage(), hi in garbage()) {
        let clamped = clamp_to_bounds(&ScalarSource::deferred(0, ScalarType::I64, lo, hi), value);
        prop_assert!(i64::from(clamped) <= MAX);
    }

    #[test]
    fn small_strided_segments_by_definition(
        keys_len in 0u64..300, segment_stride in 0u64..60, stride in 1u64..5, segment in 0u64..12,
        size in garbage(), (lo, hi) in (0i64..20, 20i64..80),
    ) {
        let call = params(keys_len, segment_stride, stride, SegmentForm::Strided, lo, hi);
        let len = if size < 0 { 0 } else { size.clamp(lo, hi) };
        let first = u128::from(segment) * u128::from(segment_stride);
        let expected = nominal(first, stride.into(), len as u128, keys_len);
        prop_assert_eq!(elements(strided_segment(&call, segment, size)), expected);
    }

    #[test]
    fn small_ragged_segments_by_definition(
        keys_len in 0u64..300, stride in 1u64..5, begin in garbage(), end in garbage(), hi in 0i64..80,
    ) {
        let call = params(keys_len, 0, stride, SegmentForm::Offsets, 0, hi);
        // From 0 where the begin is negative; never more than `hi` keys.
        let from = begin.max(0);
        let len = (i128::from(end) - i128::from(from)).clamp(0, i128::from(hi)) as u128;
        let expected = nominal(from as u128 * u128::from(stride), stride.into(), len, keys_len);
        prop_assert_eq!(elements(offset_segment(&call, begin, end)), expected);
    }

    /// Whatever is in memory and in the block, the last key of a segment lies inside the buffer.
    #[test]
    fn never_outside(
        keys_len in garbage_u64(), segment_stride in garbage_u64(), stride in garbage_u64(), segment in garbage_u64(),
        (size, begin, end) in (garbage(), garbage(), garbage()), (lo, hi) in (garbage(), garbage()), ragged: bool,
    ) {
        let form = if ragged { SegmentForm::Offsets } else { SegmentForm::Strided };
        let call = params(keys_len, segment_stride, stride, form, lo, hi);
        let range = segment_range(&call, segment, size, begin, end);
        if range.len > 0 {
            let last = u128::from(range.first) + u128::from(range.stride) * u128::from(range.len - 1);
            prop_assert!(last < u128::from(keys_len));
            prop_assert_eq!(u128::from(range.element(range.len - 1)), last);
            prop_assert!(i64::from(range.len) <= MAX);
        }
        prop_assert!(keys_from(keys_len, segment, stride) <= keys_len);
    }

    #[test]
    fn rows_end_at_the_pitch(k in garbage(), pitch in garbage_u64(), (lo, hi) in (garbage(), garbage()), len: u32) {
        let mut call = params(0, 0, 1, SegmentForm::Strided, lo, hi);
        call.output_pitch = pitch;
        let slots = row_slots(&call, k);
        prop_assert!(u64::from(slots) <= pitch);
        prop_assert!(k >= 0 || slots == 0);
        prop_assert!(selected(slots, len) <= slots.min(len));
    }
}
