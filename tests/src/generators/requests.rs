//! Requests of every form.

use super::{Distribution, keys, log_uniform, pick, rng};
use crate::key::TestKey;
use crate::request::{
    ARGUMENT_REQUIREMENTS, Bound, Direction, Form, IndexType, Int, Number, Plane, ROWS_REQUIREMENTS, Request,
    Requirement, StaticBound, Written,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// A request with its keys.
#[derive(Clone, Debug)]
pub struct Case<K> {
    /// The request.
    pub request: Request,
    /// The keys.
    pub keys: Vec<K>,
    /// How they are distributed.
    pub distribution: Distribution,
}

/// Bounds up to here may size a buffer.
const SLACK: usize = 300;

/// The case of a seed, with at most `max_keys` keys in a segment or so.
#[must_use]
pub fn case<K: TestKey>(seed: u64, max_keys: usize) -> Case<K> {
    let rng = &mut rng(seed);
    let (request, count) = request(rng, seed, max_keys);
    let distribution = Distribution::random(rng);
    Case { keys: keys(rng, distribution, count), request, distribution }
}

/// A request and the length of its key buffer.
fn request(rng: &mut StdRng, seed: u64, max_keys: usize) -> (Request, usize) {
    let plane = pick(rng, &[Plane::Requirements, Plane::Arguments]);
    let common = plane == Plane::Requirements;
    let total = log_uniform(rng, max_keys);
    let count = if total > 1 << 14 { rng.random_range(1..=4) } else { log_uniform(rng, 20) };
    let stride = if rng.random_bool(0.7) { 1 } else { rng.random_range(2..=5) };
    let mut longest = total / count.max(1);
    if !common && rng.random_bool(0.2) {
        longest = pick(rng, &[1, 5, 32]);
    }

    // In the plane of argument forms the rows' size is of any form, or the `k` of other segments.
    let kind = rng.random_range(0..3);
    let any_size = !common && kind == 1;
    let (form, keys, count, longest_known) = match kind {
        0 => (Form::Single, total, 1, total.div_ceil(stride)),
        1 => rows(rng, count, longest, stride, any_size),
        _ => ragged(rng, count, longest, stride),
    };
    let any_k = !common && !any_size;

    let fill = rng.random_bool(0.3);
    // A bound far above what is needed is fine as long as it sizes no buffer.
    let cap =
        if fill || longest_known > 4 * longest + SLACK { 2 * longest + SLACK } else { i32::MAX as usize };
    let wanted = ks(rng, count, longest);
    let k =
        if any_size { Number::plain(wanted[0] as usize) } else { number(rng, &wanted, any_k, cap, false) };
    let row = if fill { k.upper() } else { k.upper().min(longest_known) };
    let too_wide = k.upper() > 4 * longest + SLACK;
    let output_pitch = (too_wide || rng.random()).then(|| row + rng.random_range(0..5));

    let spellings: Vec<_> = Requirement::spellings().collect();
    let requirement = match (plane, kind) {
        (Plane::Requirements, 1) => pick(rng, &ROWS_REQUIREMENTS),
        (Plane::Requirements, _) => pick(rng, &spellings),
        (Plane::Arguments, _) => pick(rng, &ARGUMENT_REQUIREMENTS),
    };
    let written = if common { pick(rng, &Written::ALL) } else { Written::KeysAndIndices(IndexType::U32) };
    let direction = pick(rng, &[Direction::Largest, Direction::Smallest]);
    (Request { seed, requirement, direction, written, form, stride, k, output_pitch, fill }, keys)
}

/// Rows: fixed or padded; apart, touching, or overlapping.
fn rows(
    rng: &mut StdRng,
    count: usize,
    longest: usize,
    stride: usize,
    any_form: bool,
) -> (Form, usize, usize, usize) {
    let padded = rng.random_bool(0.4);
    let sizes: Vec<i128> = if padded {
        let short = |rng: &mut StdRng| match rng.random_range(0..10) {
            0 => -rng.random_range(0..3),
            1 => longest as i128,
            _ => rng.random_range(0..=longest as i128),
        };
        (0..count).map(|_| short(rng)).collect()
    } else {
        vec![longest as i128; count]
    };
    let cap = if rng.random_bool(0.2) { i32::MAX as usize } else { 2 * longest + SLACK };
    let size = number(rng, &sizes, any_form, cap, true);
    let upper = size.upper();
    let span = if longest == 0 { 0 } else { (longest - 1) * stride + 1 };
    let pitch = match rng.random_range(0..4) {
        0 if upper <= 4 * longest + SLACK => None,
        1 => Some(rng.random_range(0..=longest)),
        2 => Some(span),
        _ => Some(span + rng.random_range(0..9)),
    };
    let step = pitch.unwrap_or(upper);
    let end = |i: usize| match size.get(i) {
        0 => 0,
        len => i * step + (len - 1) * stride + 1,
    };
    let keys = (0..count).map(end).max().unwrap_or(0) + rng.random_range(0..3);
    (Form::Rows { count, size, pitch }, keys, count, upper)
}

/// Ragged segments, not necessarily from the first key on.
fn ragged(rng: &mut StdRng, count: usize, longest: usize, stride: usize) -> (Form, usize, usize, usize) {
    if count == 0 {
        let offsets = if rng.random() { Vec::new() } else { vec![0] };
        return (
            Form::Ragged { offsets, int: pick(rng, &Int::ALL), max_length: None },
            longest,
            0,
            longest.div_ceil(stride),
        );
    }
    let mut offsets = vec![rng.random_range(0..4i128)];
    for _ in 0..count {
        let len = if rng.random_bool(0.1) { 0 } else { rng.random_range(0..=longest) };
        offsets.push(offsets.last().copied().unwrap_or(0) + len as i128);
    }
    let last = *offsets.last().expect("there is one at least");
    let ints: Vec<Int> = Int::ALL.into_iter().filter(|int| int.max() >= last).collect();
    let keys = (last as usize + rng.random_range(0..3)) * stride;
    let max_length = rng.random_bool(0.3).then(|| (longest + rng.random_range(0..3)) as i64);
    let known = keys.div_ceil(stride).min(max_length.map_or(usize::MAX, |max| max as usize));
    (Form::Ragged { offsets, int: pick(rng, &ints), max_length }, keys, count, known)
}

/// `k`s per segment: none, one, few, about the length, more than there is.
fn ks(rng: &mut StdRng, count: usize, longest: usize) -> Vec<i128> {
    let one = |rng: &mut StdRng| match rng.random_range(0..12) {
        0 => 0,
        1 => 1,
        2 => longest / 2,
        3 => longest.saturating_sub(1),
        4 => longest,
        5 => longest + rng.random_range(1..9),
        6 => pick(rng, &[1, 5, 32]),
        _ => log_uniform(rng, longest),
    };
    let same = one(rng);
    let each = rng.random_bool(0.5);
    (0..count.max(1)).map(|_| if each { one(rng) } else { same } as i128).collect()
}

/// A number of some form with these values, its upper bound at most `cap`.
fn number(rng: &mut StdRng, values: &[i128], any_form: bool, cap: usize, size: bool) -> Number {
    let largest = values.iter().copied().max().unwrap_or(0).max(0);
    let least = values.iter().copied().min().unwrap_or(0);
    let same = values.iter().all(|value| *value == values[0]);
    let value = values.first().copied().unwrap_or(0);
    let runtime = |rng: &mut StdRng| {
        let hi = (largest as i64 + rng.random_range(0..9)).min(cap as i64).max(largest as i64);
        // The lower bound of a size does not matter, that of k does.
        let lo =
            if size { rng.random_range(-3..=hi.min(3)) } else { rng.random_range(-3..=least.min(1) as i64) };
        Bound::Runtime(lo, hi)
    };
    for _ in 0..20 * usize::from(any_form) {
        let int = pick(rng, &Int::ALL);
        let fits = int.max() >= largest && (int.signed() || least >= 0);
        let limit = pick(rng, &[StaticBound::To64, StaticBound::To4096, StaticBound::ToLimit]);
        let bound = match rng.random_range(0..3) {
            0 if int.narrow() && int.max() as usize <= cap => Bound::None,
            1 if matches!(int, Int::I32 | Int::U64)
                && limit.hi() >= largest
                && limit.hi() as usize <= cap =>
            {
                Bound::Static(limit)
            }
            _ => runtime(rng),
        };
        match rng.random_range(0..4) {
            0 if same && [1, 5, 32].contains(&value) => return Number::Constant(value as i32),
            1 if same && fits => {
                let bound = (int == Int::I32 && limit.hi() >= value && rng.random()).then_some(limit);
                return Number::Immediate(value, int, bound);
            }
            2 if same && fits => return Number::Deferred(value, int, bound),
            3 if fits => return Number::Sequence(values.to_vec(), int, bound),
            _ => {}
        }
    }
    if !same || (rng.random_bool(0.3) && !values.is_empty()) {
        Number::Sequence(values.to_vec(), Int::I32, runtime(rng))
    } else if !size && rng.random_bool(0.4) {
        Number::Deferred(value, Int::U32, runtime(rng))
    } else {
        Number::plain(value.max(0) as usize)
    }
}
