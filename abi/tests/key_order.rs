//! Key order against oracles that compare keys as their own types.

use std::cmp::Ordering;

use cluster_topk_abi::key_order::{Direction, KeyBits, KeyMasks, KeyType, KeyWidth};
use half::{bf16, f16};
use proptest::prelude::*;

/// Compares two keys as values of their type: the oracle. Floats by `total_cmp`, with zeros merged beforehand.
fn compare(key_type: KeyType, a: u64, b: u64) -> Ordering {
    match key_type {
        KeyType::U8 => (a as u8).cmp(&(b as u8)),
        KeyType::I8 => (a as i8).cmp(&(b as i8)),
        KeyType::U16 => (a as u16).cmp(&(b as u16)),
        KeyType::I16 => (a as i16).cmp(&(b as i16)),
        KeyType::U32 => (a as u32).cmp(&(b as u32)),
        KeyType::I32 => (a as i32).cmp(&(b as i32)),
        KeyType::U64 => a.cmp(&b),
        KeyType::I64 => (a as i64).cmp(&(b as i64)),
        KeyType::F16 => {
            let merge = |bits: u64| {
                let value = f16::from_bits(bits as u16);
                if value == f16::ZERO { f16::ZERO } else { value }
            };
            merge(a).total_cmp(&merge(b))
        }
        KeyType::BF16 => {
            let merge = |bits: u64| {
                let value = bf16::from_bits(bits as u16);
                if value == bf16::ZERO { bf16::ZERO } else { value }
            };
            merge(a).total_cmp(&merge(b))
        }
        KeyType::F32 => {
            let merge = |bits: u64| {
                let value = f32::from_bits(bits as u32);
                if value == 0.0 { 0.0 } else { value }
            };
            merge(a).total_cmp(&merge(b))
        }
        KeyType::F64 => {
            let merge = |bits: u64| {
                let value = f64::from_bits(bits);
                if value == 0.0 { 0.0 } else { value }
            };
            merge(a).total_cmp(&merge(b))
        }
    }
}

fn ordered_as<K: KeyBits>(key_type: KeyType, bits: u64) -> u64 {
    let masks = K::narrow_masks(key_type.masks());
    K::from_u64(bits).to_ordered(masks).to_u64()
}

/// The map under test, at the width of the type.
fn ordered(key_type: KeyType, bits: u64) -> u64 {
    match key_type.width() {
        KeyWidth::W8 => ordered_as::<u8>(key_type, bits),
        KeyWidth::W16 => ordered_as::<u16>(key_type, bits),
        KeyWidth::W32 => ordered_as::<u32>(key_type, bits),
        KeyWidth::W64 => ordered_as::<u64>(key_type, bits),
    }
}

fn restored_as<K: KeyBits>(key_type: KeyType, ordered: u64) -> u64 {
    K::from_ordered(K::from_u64(ordered), K::narrow_masks(key_type.masks())).to_u64()
}

fn restored(key_type: KeyType, ordered: u64) -> u64 {
    match key_type.width() {
        KeyWidth::W8 => restored_as::<u8>(key_type, ordered),
        KeyWidth::W16 => restored_as::<u16>(key_type, ordered),
        KeyWidth::W32 => restored_as::<u32>(key_type, ordered),
        KeyWidth::W64 => restored_as::<u64>(key_type, ordered),
    }
}

fn check_pair(key_type: KeyType, a: u64, b: u64) {
    assert_eq!(
        ordered(key_type, a).cmp(&ordered(key_type, b)),
        compare(key_type, a, b),
        "{key_type} {a:#x} {b:#x}"
    );
}

fn check_inverse(key_type: KeyType, bits: u64) {
    let is_float = matches!(key_type, KeyType::F16 | KeyType::BF16 | KeyType::F32 | KeyType::F64);
    let expected = if is_float && bits == key_type.width().sign_bit() { 0 } else { bits };
    assert_eq!(restored(key_type, ordered(key_type, bits)), expected, "{key_type} {bits:#x}");
}

/// Sorting every pattern by the map must give what sorting by the oracle gives, ties included.
#[test]
fn eight_and_sixteen_bits_exhaustively() {
    for key_type in KeyType::ALL {
        if key_type.width() > KeyWidth::W16 {
            continue;
        }
        let mut patterns: Vec<u64> = (0..=key_type.width().mask()).collect();
        patterns.sort_by(|&a, &b| compare(key_type, a, b));
        // A total order is pinned by its adjacent pairs.
        for pair in patterns.windows(2) {
            check_pair(key_type, pair[0], pair[1]);
        }
        for &bits in &patterns {
            check_inverse(key_type, bits);
        }
    }
}

/// Bit patterns in which something changes: zeros, extremes, infinities, NaNs of both signs, subnormals, neighbours.
fn special_patterns(key_type: KeyType) -> Vec<u64> {
    let (mask, sign) = (key_type.width().mask(), key_type.width().sign_bit());
    let infinity: u64 = match key_type {
        KeyType::F16 => 0x7C00,
        KeyType::BF16 => 0x7F80,
        KeyType::F32 => 0x7F80_0000,
        KeyType::F64 => 0x7FF0_0000_0000_0000,
        _ => sign >> 1,
    };
    let mut patterns = Vec::new();
    for base in [0, 1, sign, sign - 1, mask, infinity, infinity | sign, infinity | (infinity >> 9), mask >> 2]
    {
        for near in [base.wrapping_sub(1), base, base.wrapping_add(1)] {
            patterns.extend([near & mask, (near ^ sign) & mask]);
        }
    }
    patterns
}

#[test]
fn special_values_pairwise() {
    for key_type in KeyType::ALL {
        let patterns = special_patterns(key_type);
        for &a in &patterns {
            check_inverse(key_type, a);
            for &b in &patterns {
                check_pair(key_type, a, b);
            }
        }
    }
}

#[test]
fn the_documented_float_order() {
    let ascending = [
        -f32::from_bits(0x7FC0_0001),
        -f32::from_bits(0x7FC0_0000),
        f32::NEG_INFINITY,
        f32::MIN,
        -1.0,
        -f32::from_bits(1),
        -0.0,
        f32::from_bits(1),
        1.0,
        f32::MAX,
        f32::INFINITY,
        f32::from_bits(0x7FC0_0000),
        f32::from_bits(0x7FC0_0001),
    ];
    let keys = ascending.map(|value| ordered(KeyType::F32, u64::from(value.to_bits())));
    assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:x?}");
    assert_eq!(ordered(KeyType::F32, 0), ordered(KeyType::F32, u64::from((-0.0f32).to_bits())));
}

#[test]
fn names_and_widths() {
    let names: Vec<_> = KeyType::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(names.join(" "), "u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64");
    for width in KeyWidth::ALL {
        assert_eq!(KeyWidth::from_bytes(width.bytes()), Some(width));
        assert_eq!(width.bits(), width.mask().count_ones());
        assert_eq!(width.sign_bit(), 1 << (width.bits() - 1));
    }
    for bytes in [0, 3, 5, 6, 7, 16] {
        assert_eq!(KeyWidth::from_bytes(bytes), None);
    }
}

/// The constant form must be usable where it is promised to be.
const ONE: u32 = KeyMasks::<u32>::narrowed(KeyType::F32.masks()).ordered(1.0f32.to_bits());
const _: () = assert!(ONE == 0xBF80_0000);

fn any_key_type() -> impl Strategy<Value = KeyType> {
    proptest::sample::select(KeyType::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn random_pairs(key_type in any_key_type(), a: u64, b: u64, same_top in 0u32..64) {
        let mask = key_type.width().mask();
        // Keys that share their top bits differ where a random pair never does.
        let near = a ^ (b >> same_top);
        for other in [b & mask, near & mask] {
            check_pair(key_type, a & mask, other);
        }
        check_inverse(key_type, a & mask);
    }

    #[test]
    fn precedes_follows_the_direction(key_type in any_key_type(), a: u64, b: u64) {
        let mask = key_type.width().mask();
        let (x, y) = (ordered(key_type, a & mask), ordered(key_type, b & mask));
        let by_oracle = compare(key_type, a & mask, b & mask);
        for (direction, before) in [(Direction::Largest, Ordering::Greater), (Direction::Smallest, Ordering::Less)] {
            let expected = by_oracle == before;
            let found = match key_type.width() {
                KeyWidth::W8 => (x as u8).precedes(y as u8, direction.mask() as u8),
                KeyWidth::W16 => (x as u16).precedes(y as u16, direction.mask() as u16),
                KeyWidth::W32 => (x as u32).precedes(y as u32, direction.mask() as u32),
                KeyWidth::W64 => x.precedes(y, direction.mask()),
            };
            prop_assert_eq!(found, expected);
        }
    }
}
