//! The checks can fail: each kind of fault, planted in a right answer, is caught under its name.

use cluster_topk::Error;
use cluster_topk_tests::check::{Fault, Mismatch, check, check_inputs, check_untouched};
use cluster_topk_tests::harness::{run, shrink};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::request::{
    Direction, Form, IndexType, Int, Order, Pair, Request, Requirement, Written,
};
use cluster_topk_tests::runner::cpu::CpuRunner;
use cluster_topk_tests::runner::{Inputs, Outputs, Runner, Slot};

/// Two segments of eight keys with ties and one of two; five items each, in rows of seven slots.
fn request(written: Written, requirement: Requirement) -> (Request, Vec<i32>) {
    let keys = vec![5, 9, 5, 5, 1, 5, 7, 2, 3, 3, 8, 8, 8, 8, 8, 8, 1, 2, 0, 0, 0, 0, 0, 0];
    let form = Form::Ragged { offsets: vec![0, 8, 16, 18], int: Int::U8, max_length: None };
    let request =
        Request { seed: 3, written, requirement, form, output_pitch: Some(7), ..Request::single(5) };
    (request, keys)
}

/// What `check` says after `spoil` has had its way with a right answer.
fn caught(written: Written, requirement: Requirement, spoil: impl Fn(&mut Outputs<i32>)) -> Option<Fault> {
    let (request, keys) = request(written, requirement);
    let mut out = run(&CpuRunner::default(), &request, &keys).out;
    spoil(&mut out);
    check(&request, &keys, &out).err().map(|Mismatch { fault, .. }| fault)
}

fn swap(out: &mut Outputs<i32>, a: usize, b: usize) {
    let (left, right) = (out.slot(a), out.slot(b));
    out.set(a, right);
    out.set(b, left);
}

const INDEXED: Written = Written::KeysAndIndices(IndexType::I64);
const STABLE: Requirement = Requirement::DEFAULT;
const UNSORTED: Requirement = Requirement::of(Pair::Smaller, Order::Unsorted);
const FREE: Requirement = Requirement::of(Pair::NotGuaranteed, Order::Unsorted);
const FREE_STABLE: Requirement = Requirement::of(Pair::RunToRun, Order::StableSorted);
const SORTED: Requirement = Requirement::of(Pair::Smaller, Order::Sorted);

#[test]
fn a_right_answer_passes() {
    for written in Written::ALL {
        for requirement in [STABLE, UNSORTED, FREE] {
            assert_eq!(caught(written, requirement, |_| {}), None, "{written:?} {requirement:?}");
        }
    }
}

#[test]
fn a_wrong_item() {
    // Row 0 is [9@1, 7@6, 5@0, 5@2, 5@3]: a 2 that is there, at its own index, does not belong.
    let worse = |out: &mut Outputs<i32>| out.set(4, Slot { key: 2, value: 0, index: 7 });
    assert_eq!(caught(INDEXED, UNSORTED, worse), Some(Fault::Multiset));
    assert_eq!(caught(INDEXED, FREE, worse), Some(Fault::Multiset));
    assert_eq!(caught(Written::Keys, STABLE, worse), Some(Fault::Multiset));
    // A key that is not that of its index, and one that is nowhere.
    assert_eq!(
        caught(INDEXED, STABLE, |out| out.set(0, Slot { key: 7, value: 0, index: 1 })),
        Some(Fault::Item)
    );
    assert_eq!(
        caught(Written::Keys, STABLE, |out| out.set(0, Slot { key: 6, value: 0, index: 0 })),
        Some(Fault::Item)
    );
}

#[test]
fn a_wrong_value() {
    for width in [1, 2, 3, 4, 8, 12, 16] {
        let spoil = |out: &mut Outputs<i32>| {
            let slot = out.slot(1);
            out.set(1, Slot { value: slot.value ^ 1 << (8 * width - 1), ..slot });
        };
        let fault = caught(Written::Pairs(width), STABLE, spoil);
        let wanted = if width == 4 { Fault::IndexRange } else { Fault::Item };
        assert_eq!(fault, Some(wanted), "width {width}");
    }
}

#[test]
fn a_duplicate() {
    let twice = |out: &mut Outputs<i32>| out.set(3, out.slot(2));
    assert_eq!(caught(INDEXED, UNSORTED, twice), Some(Fault::Duplicate));
    assert_eq!(caught(Written::Pairs(8), UNSORTED, twice), Some(Fault::Duplicate));
    assert_eq!(caught(Written::Pairs(1), UNSORTED, twice), Some(Fault::Duplicate));
    assert_eq!(caught(Written::Keys, FREE, |out| out.set(1, out.slot(0))), Some(Fault::Duplicate));
}

#[test]
fn an_index_out_of_range() {
    for index in [-1, 8, i64::from(u32::MAX), i64::MIN] {
        let fault = caught(INDEXED, STABLE, |out| out.set(0, Slot { key: 9, value: 0, index }));
        assert_eq!(fault, Some(Fault::IndexRange), "{index}");
    }
}

#[test]
fn an_overwritten_canary() {
    let (request, keys) = request(INDEXED, STABLE);
    let layout = Layout::of(&request, keys.len());
    // Between rows, behind the items of the short row, and behind the last row.
    for slot in [5, 6, 12, 13, 16, 17, 18] {
        assert!(slot < layout.elements + 3, "the output has that slot");
        let wrong = |out: &mut Outputs<i32>| {
            let slot_was = out.slot(slot);
            out.set(slot, Slot { index: slot_was.index ^ 1, ..slot_was });
        };
        assert_eq!(caught(INDEXED, STABLE, wrong), Some(Fault::Canary), "slot {slot}");
    }
    let mut out = Outputs::<i32>::canaries(&request, 20);
    assert!(check_untouched(&request, &out).is_ok());
    out.set(19, Slot { key: 0, value: 0, index: 0 });
    assert_eq!(check_untouched(&request, &out).map_err(|m| m.fault), Err(Fault::Canary));
}

#[test]
fn a_missing_fill() {
    let (mut request, keys) = request(INDEXED, STABLE);
    request.fill = true;
    let answer = run(&CpuRunner::default(), &request, &keys);
    // Row 2 has two keys; slots 16 to 18 are filled.
    for slot in [16, 17, 18] {
        let mut out = answer.out.clone();
        out.set(slot, Slot { key: 1, value: 0, index: 0 });
        assert_eq!(check(&request, &keys, &out).map_err(|m| m.fault), Err(Fault::Fill), "slot {slot}");
    }
}

#[test]
fn a_wrong_order() {
    assert_eq!(caught(INDEXED, STABLE, |out| swap(out, 0, 1)), Some(Fault::Order));
    assert_eq!(caught(INDEXED, SORTED, |out| swap(out, 0, 1)), Some(Fault::Order));
    assert_eq!(caught(INDEXED, UNSORTED, |out| swap(out, 0, 1)), None);
    // Equal keys, swapped: wrong only where the order is stable.
    assert_eq!(caught(INDEXED, STABLE, |out| swap(out, 2, 3)), Some(Fault::Order));
    assert_eq!(caught(INDEXED, FREE_STABLE, |out| swap(out, 2, 3)), Some(Fault::Order));
    assert_eq!(caught(INDEXED, SORTED, |out| swap(out, 2, 3)), None);
    assert_eq!(caught(Written::Pairs(1), STABLE, |out| swap(out, 2, 3)), Some(Fault::Order));
    assert_eq!(caught(Written::Pairs(1), FREE_STABLE, |out| swap(out, 2, 3)), Some(Fault::Order));
    assert_eq!(caught(Written::Pairs(16), STABLE, |out| swap(out, 2, 3)), Some(Fault::Order));
    assert_eq!(caught(Written::Keys, STABLE, |out| swap(out, 0, 1)), Some(Fault::Order));
}

#[test]
fn a_wrong_tie() {
    // 5@5 in the place of 5@3: the same keys, another set.
    let other = |out: &mut Outputs<i32>| out.set(4, Slot { key: 5, value: 0, index: 5 });
    assert_eq!(caught(INDEXED, STABLE, other), Some(Fault::Tie));
    assert_eq!(caught(INDEXED, UNSORTED, other), Some(Fault::Tie));
    assert_eq!(caught(INDEXED, FREE, other), None);
    assert_eq!(caught(INDEXED, FREE_STABLE, other), None);
}

#[test]
fn zeros_of_the_wrong_sign() {
    let request = Request { direction: Direction::Smallest, ..Request::single(2) };
    let keys = [1.0f32, -0.0, 0.0, -0.0];
    let mut out = run(&CpuRunner::default(), &request, &keys).out;
    assert_eq!(out.slot(0).key, 1 << 31);
    out.set(0, Slot { key: 0, ..out.slot(0) });
    assert_eq!(check(&request, &keys, &out).map_err(|m| m.fault), Err(Fault::Item));
}

#[test]
fn a_changed_input() {
    let request = Request::single(1);
    let fault = check_inputs(&request, &[f32::NAN, 0.0], &[f32::NAN, -0.0]).map_err(|m| (m.fault, m.slot));
    assert_eq!(fault, Err((Fault::InputChanged, 1)));
}

/// An engine that gives NaNs away: each in the first slot of a row comes out as a zero.
struct LosesNan;
impl Runner for LosesNan {
    fn run<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Error> {
        CpuRunner::default().run(request, inputs, out)?;
        for slot in 0..out.len {
            let given = out.slot(slot);
            if K::from_bits64(given.key).order(K::from_bits64(0x7F80_0000)).is_gt() {
                out.set(slot, Slot { key: 0, ..given });
            }
        }
        Ok(())
    }
}

#[test]
fn a_fault_shrinks_to_its_core() {
    let mut keys: Vec<f32> = (0..600).map(|i| (i % 50) as f32).collect();
    keys[333] = f32::NAN;
    let form = Form::Ragged { offsets: vec![0, 200, 500, 600], int: Int::U16, max_length: None };
    let request = Request { form, ..Request::single(20) };
    let (small, left, mismatch) = shrink(&LosesNan, &request, &keys).expect("it loses the NaN");
    assert_eq!(left.iter().map(|key| key.to_bits()).collect::<Vec<_>>(), [f32::NAN.to_bits()]);
    assert_eq!((small.k.get(0), mismatch.fault), (1, Fault::Item));
}
