//! Radix digits against a naive oracle that works on the written-out bits of a key.

use cluster_topk_abi::digits::{DEFAULT_BITS_PER_PASS, Digits, MAX_BITS_PER_PASS};
use cluster_topk_abi::key_order::{Direction, KeyBits, KeyWidth};
use proptest::prelude::*;

/// The digits of a key, cut from its binary text from the left.
fn naive_digits(key: u64, key_bits: u32, bits_per_pass: u32) -> Vec<String> {
    let text = format!("{key:064b}")[(64 - key_bits as usize)..].to_string();
    text.as_bytes()
        .chunks(bits_per_pass as usize)
        .map(|digit| String::from_utf8(digit.to_vec()).unwrap())
        .collect()
}

#[test]
fn the_documented_table() {
    for (width, expected) in [
        (KeyWidth::W8, &[8][..]),
        (KeyWidth::W16, &[11, 5]),
        (KeyWidth::W32, &[11, 11, 10]),
        (KeyWidth::W64, &[11, 11, 11, 11, 11, 9]),
    ] {
        let digits = Digits::new(width, DEFAULT_BITS_PER_PASS);
        let bits: Vec<u32> = (0..digits.passes()).map(|pass| digits.bits(pass)).collect();
        assert_eq!(bits, expected);
        assert_eq!(digits.histogram_buckets(), 1 << expected[0]);
        assert_eq!(digits.shift(digits.passes() - 1), 0);
    }
}

#[test]
fn the_short_last_digit_reverses_within_its_own_buckets() {
    let digits = Digits::new(KeyWidth::W16, 11);
    assert_eq!(digits.reversal_mask(0, Direction::Largest), 2047);
    assert_eq!(digits.reversal_mask(1, Direction::Largest), 31);
    assert_eq!(digits.reversal_mask(1, Direction::Smallest), 0);
    assert_eq!(digits.bucket(0, 1, Direction::Largest), 31);
    assert_eq!(digits.bucket(31, 1, Direction::Largest), 0);
}

#[test]
fn only_legal_digit_widths() {
    for width in KeyWidth::ALL {
        assert!(Digits::checked(width, 0).is_none());
        assert!(Digits::checked(width, MAX_BITS_PER_PASS + 1).is_none());
        assert!(Digits::checked(width, u32::MAX).is_none());
        assert!((1..=MAX_BITS_PER_PASS).all(|bits| Digits::checked(width, bits).is_some()));
    }
}

#[test]
fn passes_beyond_the_last_are_empty() {
    for width in KeyWidth::ALL {
        for bits_per_pass in 1..=MAX_BITS_PER_PASS {
            let digits = Digits::new(width, bits_per_pass);
            for pass in [digits.passes(), digits.passes() + 1, 1000, u32::MAX] {
                assert_eq!((digits.bits(pass), digits.buckets(pass), digits.shift(pass)), (0, 1, 0));
                assert_eq!(digits.bucket(u64::MAX, pass, Direction::Largest), 0);
                assert_eq!(digits.prefix_mask(pass), width.mask());
            }
        }
    }
}

#[test]
fn streaming_enters_the_filter_in_scan_order() {
    for width in KeyWidth::ALL {
        for bits_per_pass in 1..=MAX_BITS_PER_PASS {
            let digits = Digits::new(width, bits_per_pass);
            for scan_is_forward in [false, true] {
                let mut forward = digits.first_pass_is_forward(scan_is_forward);
                for _ in 0..digits.passes() {
                    forward = !forward;
                }
                assert_eq!(forward, scan_is_forward);
            }
        }
    }
}

/// Selects the k-th best key by radix passes, and with it the number of keys strictly before it.
fn radix_select(keys: &[u64], k: usize, digits: Digits, direction: Direction) -> (u64, usize) {
    let (mut prefix, mut left, mut before) = (0, k, 0);
    for pass in 0..digits.passes() {
        let mut histogram = vec![0usize; digits.buckets(pass) as usize];
        for &key in keys.iter().filter(|&&key| digits.is_candidate(key, prefix, pass)) {
            histogram[digits.bucket(key, pass, direction) as usize] += 1;
        }
        let mut bucket = 0;
        while histogram[bucket] < left {
            left -= histogram[bucket];
            before += histogram[bucket];
            bucket += 1;
        }
        prefix = digits.fold(prefix, bucket as u32, pass, direction);
    }
    (prefix, before)
}

fn any_width() -> impl Strategy<Value = KeyWidth> {
    proptest::sample::select(KeyWidth::ALL.to_vec())
}

fn any_direction() -> impl Strategy<Value = Direction> {
    proptest::sample::select(Direction::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn digits_are_the_written_bits(width in any_width(), bits_per_pass in 1..=MAX_BITS_PER_PASS, key: u64) {
        let key = key & width.mask();
        let digits = Digits::new(width, bits_per_pass);
        let naive = naive_digits(key, width.bits(), bits_per_pass);
        prop_assert_eq!(digits.passes() as usize, naive.len());
        for (pass, text) in naive.iter().enumerate() {
            let pass = pass as u32;
            let value = u32::from_str_radix(text, 2).unwrap();
            let buckets = 2u32.pow(text.len() as u32);
            prop_assert_eq!(digits.bits(pass) as usize, text.len());
            prop_assert_eq!(digits.buckets(pass), buckets);
            prop_assert_eq!(digits.digit(key, pass), value);
            prop_assert_eq!(digits.bucket(key, pass, Direction::Smallest), value);
            prop_assert_eq!(digits.bucket(key, pass, Direction::Largest), buckets - 1 - value);
            let (shift, mask) = (digits.shift(pass), digits.digit_mask(pass));
            let narrow = match width {
                KeyWidth::W8 => (key as u8).digit(shift, mask),
                KeyWidth::W16 => (key as u16).digit(shift, mask),
                KeyWidth::W32 => (key as u32).digit(shift, mask),
                KeyWidth::W64 => key.digit(shift, mask),
            };
            prop_assert_eq!(narrow, value);
        }
    }

    #[test]
    fn folding_every_bucket_gives_the_key_back(
        width in any_width(), bits_per_pass in 1..=MAX_BITS_PER_PASS, direction in any_direction(), key: u64, other: u64,
    ) {
        let (key, other) = (key & width.mask(), other & width.mask());
        let digits = Digits::new(width, bits_per_pass);
        let text = naive_digits(key, width.bits(), bits_per_pass);
        let other_text = naive_digits(other, width.bits(), bits_per_pass);
        let mut prefix = 0;
        for pass in 0..=digits.passes() {
            let done = pass as usize;
            prop_assert!(digits.is_candidate(key, prefix, pass));
            prop_assert_eq!(digits.is_candidate(other, prefix, pass), text[..done] == other_text[..done]);
            if pass < digits.passes() {
                prefix = digits.fold(prefix, digits.bucket(key, pass, direction), pass, direction);
            }
        }
        prop_assert_eq!(prefix, key);
    }

    #[test]
    fn radix_passes_find_the_kth_key(
        width in any_width(), bits_per_pass in 1..=MAX_BITS_PER_PASS, direction in any_direction(),
        keys in proptest::collection::vec(any::<u64>(), 1..80), coarse in 0u32..64, pick: prop::sample::Index,
    ) {
        // Dropping low bits makes ties.
        let mut keys: Vec<u64> = keys.iter().map(|key| (key >> coarse) & width.mask()).collect();
        let k = pick.index(keys.len()) + 1;
        let found = radix_select(&keys, k, Digits::new(width, bits_per_pass), direction);
        keys.sort_unstable();
        if direction == Direction::Largest {
            keys.reverse();
        }
        let kth = keys[k - 1];
        let before = keys.iter().position(|&key| key == kth).unwrap();
        prop_assert_eq!(found, (kth, before));
    }
}
