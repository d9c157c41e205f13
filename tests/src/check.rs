//! The checks that every answer must pass, whatever engine gave it.

mod fault;
mod items;

pub use fault::{Fault, Mismatch};

use crate::key::TestKey;
use crate::layout::{Layout, Segment, canary, fill, value_of};
use crate::oracle::{best_first, winners};
use crate::request::{Order, Request, Tie};
use crate::runner::{Outputs, Slot};
use core::cmp::Ordering;
use fault::At;

/// Checks the outputs of `request` over `keys`; they held [`canary`] values before.
///
/// Answers the winners of each segment in the order they were written. Where neither an index nor a value tells which of
/// several identical items was written, one of them that fits is named.
///
/// # Errors
///
/// The first [`Mismatch`].
pub fn check<K: TestKey>(
    request: &Request,
    keys: &[K],
    out: &Outputs<K>,
) -> Result<Vec<Vec<usize>>, Mismatch> {
    check_layout(request, &Layout::of(request, keys.len()), keys, out)
}

/// [`check`] for segments that lie elsewhere than the request says: where its numbers are wrong and an engine clamps them.
///
/// # Errors
///
/// The first [`Mismatch`].
pub fn check_layout<K: TestKey>(
    request: &Request,
    layout: &Layout,
    keys: &[K],
    out: &Outputs<K>,
) -> Result<Vec<Vec<usize>>, Mismatch> {
    let mut written_until = 0;
    let mut all = Vec::with_capacity(layout.segments.len());
    for (number, &segment) in layout.segments.iter().enumerate() {
        let row = number * layout.pitch;
        if segment.k > 0 {
            untouched(request, out, written_until..row.min(out.len), number)?;
        }
        let count = segment.k.min(segment.len);
        all.push(check_segment(request, keys, out, number, segment, row)?);
        let mut end = row + count;
        if request.fill && segment.k > count {
            let (key, value, index) = fill::<K>(request.seed);
            let wanted = out.as_written(key, value, index);
            for slot in end..row + segment.k {
                let given = out.slot(slot);
                At { request, segment: number, slot }.same(Fault::Fill, wanted, given)?;
            }
            end = row + segment.k;
        }
        if segment.k > 0 {
            written_until = end;
        }
    }
    untouched(request, out, written_until..out.len, layout.segments.len())?;
    Ok(all)
}

/// Checks that nothing at all was written: what an error promises.
///
/// # Errors
///
/// The first slot that lost its canary.
pub fn check_untouched<K: TestKey>(request: &Request, out: &Outputs<K>) -> Result<(), Mismatch> {
    untouched(request, out, 0..out.len, 0)
}

/// Checks that the inputs are what they were.
///
/// # Errors
///
/// The first element that differs.
pub fn check_inputs<K: TestKey>(request: &Request, before: &[K], after: &[K]) -> Result<(), Mismatch> {
    for (slot, (b, a)) in before.iter().zip(after).enumerate() {
        let bits = |key: &K| Slot { key: key.bits(), value: 0, index: 0 };
        At { request, segment: 0, slot }.same(Fault::InputChanged, bits(b), bits(a))?;
    }
    Ok(())
}

fn untouched<K: TestKey>(
    request: &Request,
    out: &Outputs<K>,
    slots: core::ops::Range<usize>,
    segment: usize,
) -> Result<(), Mismatch> {
    for slot in slots {
        let (key, value, index) = canary::<K>(request.seed, slot);
        At { request, segment, slot }.same(
            Fault::Canary,
            out.as_written(key, value, index),
            out.slot(slot),
        )?;
    }
    Ok(())
}

fn check_segment<K: TestKey>(
    request: &Request,
    keys: &[K],
    out: &Outputs<K>,
    number: usize,
    segment: Segment,
    row: usize,
) -> Result<Vec<usize>, Mismatch> {
    let Segment { start, len, k } = segment;
    let element = |i: usize| start + i * request.stride;
    let own: Vec<K> = (0..len).map(|i| keys[element(i)]).collect();
    let tie = request.requirement.tie();
    let expected = winners(&own, k, request.direction, tie.unwrap_or(Tie::Smaller));
    let at = |slot| At { request, segment: number, slot };
    let item =
        |i: usize| out.as_written(own[i], value_of(element(i), request.written.value_width()), i as i64);

    let slots: Vec<Slot> = (row..row + expected.len()).map(|slot| out.slot(slot)).collect();
    let given = match items::named(request, &segment, &slots) {
        Some(indices) => {
            let mut seen = vec![false; len];
            for (slot, (&index, &bits)) in indices.iter().zip(&slots).enumerate() {
                let Some(index) = usize::try_from(index).ok().filter(|&i| i < len) else {
                    return Err(at(slot).fault(Fault::IndexRange, format!("index {index} of {len} keys")));
                };
                if core::mem::replace(&mut seen[index], true) {
                    return Err(at(slot).fault(Fault::Duplicate, format!("index {index} came before")));
                }
                at(slot).same(Fault::Item, item(index), bits)?;
            }
            indices.iter().map(|&index| index as usize).collect()
        }
        None => items::found(request, &own, &expected, &slots, item, at)?,
    };

    // The multiset of selected keys: equal class by class, in order.
    let mut by_key = given.clone();
    by_key.sort_by(|&l, &r| best_first(request.direction, own[l], own[r]).then(l.cmp(&r)));
    for (slot, (&e, &g)) in expected.iter().zip(&by_key).enumerate() {
        if own[e].order(own[g]) != Ordering::Equal {
            return Err(at(slot).fault(
                Fault::Multiset,
                format!(
                    "rank {slot} of the selected keys is {:#x}, expected {:#x}",
                    own[g].bits(),
                    own[e].bits()
                ),
            ));
        }
    }
    let other_set = expected.iter().zip(&by_key).enumerate().find(|(_, (e, g))| e != g);
    if let (Some(_), Some((slot, (e, g)))) = (tie, other_set) {
        return Err(at(slot).fault(Fault::Tie, format!("rank {slot} of the set is index {g}, expected {e}")));
    }
    let ordering = request.requirement.ordering();
    for (slot, pair) in given.windows(2).enumerate() {
        let by_key = best_first(request.direction, own[pair[0]], own[pair[1]]);
        let wrong = match ordering {
            Order::Unsorted => false,
            Order::Sorted => by_key == Ordering::Greater,
            Order::StableSorted => by_key.then(pair[0].cmp(&pair[1])) != Ordering::Less,
        };
        if wrong {
            let [l, r] = [pair[0], pair[1]].map(|i| format!("{:#x}@{i}", own[i].bits()));
            return Err(at(slot).fault(Fault::Order, format!("{l} is written before {r}")));
        }
    }
    Ok(given)
}
