//! Where everything lies: segments, output rows, values and canaries, worked out from the request alone.

use crate::key::TestKey;
use crate::request::{Form, Request};

/// One segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The element that holds its first key.
    pub start: usize,
    /// The number of keys.
    pub len: usize,
    /// The items asked for.
    pub k: usize,
}

/// The layout of one request over a key buffer.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The segments.
    pub segments: Vec<Segment>,
    /// Distance of output rows.
    pub pitch: usize,
    /// Elements every output must hold.
    pub elements: usize,
}

impl Layout {
    /// The layout of `request` over `keys` keys.
    #[must_use]
    pub fn of(request: &Request, keys: usize) -> Self {
        let (stride, k) = (request.stride, &request.k);
        let strided = keys.div_ceil(stride);
        let (segments, longest): (Vec<Segment>, usize) = match &request.form {
            Form::Single => (vec![Segment { start: 0, len: strided, k: k.get(0) }], strided),
            Form::Rows { count, size, pitch } => {
                let pitch = pitch.unwrap_or(size.upper());
                let row = |i| Segment { start: i * pitch, len: size.get(i), k: k.get(i) };
                ((0..*count).map(row).collect(), size.upper())
            }
            Form::Ragged { offsets, max_length, .. } => {
                let segments = offsets.windows(2).enumerate().map(|(i, pair)| {
                    let (start, end) = (pair[0] as usize, pair[1] as usize);
                    Segment { start: start * stride, len: end - start, k: k.get(i) }
                });
                (segments.collect(), max_length.map_or(strided, |max| strided.min(max as usize)))
            }
        };
        let row = if request.fill { k.upper() } else { k.upper().min(longest) };
        let pitch = request.output_pitch.unwrap_or(k.upper());
        let elements = if segments.is_empty() || row == 0 { 0 } else { (segments.len() - 1) * pitch + row };
        Self { segments, pitch, elements }
    }
}

/// A good mixer of 64 bits (splitmix64).
#[must_use]
pub const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The value that travels with element `element`: its low four bytes name the element, the rest is a hash of it.
#[must_use]
pub fn value_of(element: usize, width: usize) -> u128 {
    let low = u128::from((element as u32).wrapping_mul(0x9E37_79B1));
    let high = u128::from(mix(element as u64)) << 32 | u128::from(mix(!(element as u64))) << 96;
    (low | high) & mask(width)
}

/// The element that a value of at least four bytes names.
#[must_use]
pub fn element_of(value: u128) -> usize {
    const INVERSE: u32 = inverse(0x9E37_79B1);
    (value as u32).wrapping_mul(INVERSE) as usize
}

/// The inverse of an odd number modulo 2^32, by Newton's iteration.
const fn inverse(odd: u32) -> u32 {
    let mut x = odd;
    let mut i = 0;
    while i < 5 {
        x = x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x)));
        i += 1;
    }
    x
}

/// All ones in the low `width` bytes.
#[must_use]
pub const fn mask(width: usize) -> u128 {
    if width >= 16 { u128::MAX } else { (1 << (8 * width)) - 1 }
}

/// What lies in slot `slot` of an output before the call: key, value and index.
#[must_use]
pub fn canary<K: TestKey>(seed: u64, slot: usize) -> (K, u128, i64) {
    let hash = mix(seed ^ mix(slot as u64));
    let value = u128::from(hash) << 64 | u128::from(mix(hash));
    (K::from_bits64(hash), value, i64::from(hash as i32) | 1 << 30)
}

/// What short rows are filled with: key, value and index.
#[must_use]
pub fn fill<K: TestKey>(seed: u64) -> (K, u128, i64) {
    let hash = mix(!seed);
    (K::from_bits64(hash), u128::from(hash) << 64 | u128::from(hash >> 7), i64::from(hash as u32 >> 1))
}
