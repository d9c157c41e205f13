//! From a row of the cover to its case.

use super::{COUNTS, KForm, KSize, Matrix, PAIRS, STRIDES, Shape, factor};
use crate::generators::{Distribution, keys, pick, rng};
use crate::key::TestKey;
use crate::request::{
    Bound, Direction, Form, Int, Number, Order, Request, Requirement, StaticBound, Written,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// Takes the case of a row.
pub trait CaseVisitor {
    /// The request and its keys.
    fn case<K: TestKey>(&mut self, request: Request, keys: Vec<K>);
}

/// Keys of all segments together, about.
const TOTAL: usize = 1 << 18;
/// Output slots beyond which bounds are tightened and pitches stated.
const SLOTS: usize = 1 << 20;

/// Hands over the case of row number `number` of the matrix's cover.
pub fn visit(matrix: &Matrix, row: &[usize], number: usize, visitor: &mut impl CaseVisitor) {
    match row[factor::KEY] {
        0 => of_type::<u8>(matrix, row, number, visitor),
        1 => of_type::<i8>(matrix, row, number, visitor),
        2 => of_type::<u16>(matrix, row, number, visitor),
        3 => of_type::<i16>(matrix, row, number, visitor),
        4 => of_type::<half::f16>(matrix, row, number, visitor),
        5 => of_type::<half::bf16>(matrix, row, number, visitor),
        6 => of_type::<u32>(matrix, row, number, visitor),
        7 => of_type::<i32>(matrix, row, number, visitor),
        8 => of_type::<f32>(matrix, row, number, visitor),
        9 => of_type::<u64>(matrix, row, number, visitor),
        10 => of_type::<i64>(matrix, row, number, visitor),
        _ => of_type::<f64>(matrix, row, number, visitor),
    }
}

fn of_type<K: TestKey>(matrix: &Matrix, row: &[usize], number: usize, visitor: &mut impl CaseVisitor) {
    let (request, distribution, count) = request(matrix, row, number as u64);
    let keys = keys(&mut rng(!request.seed), distribution, count);
    visitor.case::<K>(request, keys);
}

/// The request of a row, how its keys are distributed, and how many there are.
fn request(matrix: &Matrix, row: &[usize], seed: u64) -> (Request, Distribution, usize) {
    let rng = &mut rng(seed);
    let (length, shape) = (matrix.lengths[row[factor::LENGTH]], Shape::ALL[row[factor::SHAPE]]);
    let stride = STRIDES[row[factor::STRIDE]];
    let count = COUNTS[row[factor::COUNT]].min((TOTAL / length.max(1)).max(1));
    let fill = row[factor::FILL] == 1;
    let (form, keys) = match shape {
        Shape::Single => (Form::Single, length.saturating_sub(1) * stride + length.min(1)),
        Shape::Ragged | Shape::BoundedRagged => ragged(rng, shape, count, length, stride, matrix.bound),
        _ => rows(rng, shape, count, length, stride, matrix.bound),
    };
    let k = match KSize::ALL[row[factor::K_SIZE]] {
        KSize::Exactly(k) => k,
        KSize::Half => length / 2,
        KSize::AllButOne => length.saturating_sub(1),
        KSize::All => length,
        KSize::More => length + 3,
    };
    let k = k_of(rng, KForm::ALL[row[factor::K_FORM]], count, k, fill);
    let longest = match &form {
        Form::Rows { size, .. } => size.upper(),
        Form::Ragged { max_length: Some(max), .. } => *max as usize,
        _ => keys.div_ceil(stride),
    };
    let slots = if fill { k.upper() } else { k.upper().min(longest) };
    let wide = count * k.upper() > SLOTS;
    let output_pitch = (wide || rng.random()).then(|| slots + rng.random_range(0..5));
    let request = Request {
        seed,
        requirement: Requirement::of(PAIRS[row.get(factor::PAIR).copied().unwrap_or(0)], Order::Unsorted),
        direction: [Direction::Largest, Direction::Smallest][row[factor::DIRECTION]],
        written: Written::ALL[row[factor::WRITTEN]],
        form,
        stride,
        k,
        output_pitch,
        fill,
    };
    (request, Distribution::ALL[row[factor::DISTRIBUTION]], keys)
}

/// Lengths of which one is the longest, some are nothing and some negative.
fn sizes(rng: &mut StdRng, count: usize, length: usize) -> Vec<i128> {
    let mut sizes: Vec<i128> = (0..count)
        .map(|_| match rng.random_range(0..10) {
            0 => -rng.random_range(0..3),
            1 => length as i128,
            _ => rng.random_range(0..=length as i128),
        })
        .collect();
    sizes[rng.random_range(0..count)] = length as i128;
    sizes
}

fn rows(
    rng: &mut StdRng,
    shape: Shape,
    count: usize,
    length: usize,
    stride: usize,
    cap: usize,
) -> (Form, usize) {
    let span = length.saturating_sub(1) * stride + length.min(1);
    let hi = (length + rng.random_range(0..4)).min(cap);
    let runtime = Bound::Runtime(rng.random_range(-2..=0), hi as i64);
    let size = match shape {
        Shape::PaddedRows => Number::Sequence(sizes(rng, count, length), Int::I32, runtime),
        Shape::ConstantSize => Number::Constant(length as i32),
        Shape::ImmediateSize => immediate(rng, length, cap),
        Shape::DeferredSize => {
            let (int, bound) = int_and_bound(rng, length as i128, false, runtime, cap);
            Number::Deferred(length as i128, int, bound)
        }
        Shape::SequenceOfSizes => {
            let sizes = sizes(rng, count, length);
            let negative = sizes.iter().any(|&size| size < 0);
            let (int, bound) = int_and_bound(rng, length as i128, negative, runtime, cap);
            Number::Sequence(sizes, int, bound)
        }
        _ => Number::plain(length),
    };
    let apart = span + rng.random_range(0..9);
    let pitch = match shape {
        Shape::Rows if stride == 1 => None,
        Shape::Rows => Some(span),
        Shape::OverlappingRows => Some(length / 3),
        Shape::PitchedRows => Some(apart),
        _ => (stride > 1 || size.upper() > 2 * length + 100 || rng.random()).then_some(apart),
    };
    let step = pitch.unwrap_or(size.upper());
    let end = |i: usize| match size.get(i) {
        0 => 0,
        len => i * step + (len - 1) * stride + 1,
    };
    let keys = (0..count).map(end).max().unwrap_or(0) + rng.random_range(0..3);
    (Form::Rows { count, size, pitch }, keys)
}

/// Ragged segments; without a stated maximum the whole buffer must not be longer than a segment may be.
fn ragged(
    rng: &mut StdRng,
    shape: Shape,
    count: usize,
    length: usize,
    stride: usize,
    cap: usize,
) -> (Form, usize) {
    let bounded = shape == Shape::BoundedRagged;
    let room = if bounded { usize::MAX } else { cap - length };
    let others = length.min(room / count);
    let place = rng.random_range(0..count);
    let mut offsets = vec![rng.random_range(0..4).min(room % count.max(2)) as i128];
    for i in 0..count {
        let short = if rng.random_bool(0.1) { 0 } else { rng.random_range(0..=others) };
        let len = if i == place { length } else { short };
        offsets.push(offsets[i] + len as i128);
    }
    let last = offsets[count];
    let spare = rng.random_range(0..3).min(room.saturating_add(length).saturating_sub(last as usize));
    let keys = (last as usize + spare) * stride;
    let ints: Vec<Int> = Int::ALL.into_iter().filter(|int| int.max() >= last).collect();
    let max_length = bounded.then(|| (length + rng.random_range(0..3)).min(cap) as i64);
    (Form::Ragged { offsets, int: pick(rng, &ints), max_length }, keys)
}

/// The tightest static bound that admits `value`, if it is at most `cap`.
fn static_bound(value: i128, cap: usize) -> Option<StaticBound> {
    let bounds = [StaticBound::To64, StaticBound::To4096, StaticBound::ToLimit];
    bounds.into_iter().find(|bound| bound.hi() >= value).filter(|bound| bound.hi() <= cap as i128)
}

fn immediate(rng: &mut StdRng, value: usize, cap: usize) -> Number {
    let value = value as i128;
    let int = pick(rng, &Int::ALL.into_iter().filter(|int| int.max() >= value).collect::<Vec<_>>());
    let bound = if int == Int::I32 { static_bound(value, cap) } else { None };
    Number::Immediate(value, int, bound)
}

/// An integer type for values up to `largest`, and a bound of at most `cap`.
fn int_and_bound(
    rng: &mut StdRng,
    largest: i128,
    negative: bool,
    runtime: Bound,
    cap: usize,
) -> (Int, Bound) {
    let fit = |int: &Int| int.max() >= largest && (int.signed() || !negative);
    let int = pick(rng, &Int::ALL.into_iter().filter(fit).collect::<Vec<_>>());
    let bound = match static_bound(largest, cap) {
        _ if int.narrow() && int.max() <= cap as i128 && rng.random() => Bound::None,
        Some(bound) if matches!(int, Int::I32 | Int::U64) => Bound::Static(bound),
        _ => runtime,
    };
    (int, bound)
}

/// `k` in a form; where rows are filled its bound sizes the output, so it is kept low.
fn k_of(rng: &mut StdRng, form: KForm, count: usize, k: usize, fill: bool) -> Number {
    let cap = if fill { (SLOTS / count).max(k) } else { i32::MAX as usize };
    let runtime = Bound::Runtime(rng.random_range(-2..=0), (k + rng.random_range(0..9)) as i64);
    let each = |rng: &mut StdRng| -> Vec<i128> {
        let mut ks: Vec<i128> =
            (0..count).map(|_| if rng.random() { k } else { rng.random_range(0..=k) } as i128).collect();
        ks[rng.random_range(0..count)] = k as i128;
        ks
    };
    match form {
        KForm::Plain => Number::plain(k),
        KForm::Deferred => Number::Deferred(k as i128, Int::U32, runtime),
        KForm::Sequence => Number::Sequence(each(rng), Int::I32, runtime),
        KForm::Constant => Number::Constant(k as i32),
        KForm::AnyImmediate => immediate(rng, k, cap),
        KForm::AnyDeferred => {
            let (int, bound) = int_and_bound(rng, k as i128, false, runtime, cap);
            Number::Deferred(k as i128, int, bound)
        }
        KForm::AnySequence => {
            let (int, bound) = int_and_bound(rng, k as i128, false, runtime, cap);
            Number::Sequence(each(rng), int, bound)
        }
    }
}
