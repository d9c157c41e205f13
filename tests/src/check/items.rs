//! Which item lies in which slot.

use super::fault::{At, Fault, Mismatch};
use crate::key::TestKey;
use crate::layout::{Segment, element_of};
use crate::oracle::best_first;
use crate::request::{Order, Request, Written};
use crate::runner::Slot;
use core::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

/// The indices that the outputs name: directly, or by values wide enough to name their element.
pub(super) fn named(request: &Request, segment: &Segment, slots: &[Slot]) -> Option<Vec<i64>> {
    match request.written {
        Written::Indices(_) | Written::KeysAndIndices(_) => {
            Some(slots.iter().map(|slot| slot.index).collect())
        }
        Written::Pairs(width) if width >= 4 => {
            let index = |slot: &Slot| {
                let offset = element_of(slot.value) as i64 - segment.start as i64;
                let stride = request.stride as i64;
                if offset % stride == 0 { offset / stride } else { -1 }
            };
            Some(slots.iter().map(index).collect())
        }
        Written::Keys | Written::Pairs(_) => None,
    }
}

/// The indices of items that fit, where several look the same: from the expected set where it is pinned, from all that are
/// good enough where it is not, ascending within a run of equal keys where the order is stable.
pub(super) fn found<'r, K: TestKey>(
    request: &'r Request,
    own: &[K],
    expected: &[usize],
    slots: &[Slot],
    item: impl Fn(usize) -> Slot,
    at: impl Fn(usize) -> At<'r>,
) -> Result<Vec<usize>, Mismatch> {
    let Some(&worst) = expected.last() else { return Ok(Vec::new()) };
    let good = |&i: &usize| best_first(request.direction, own[i], own[worst]) != Ordering::Greater;
    let pool: Vec<usize> = match request.requirement.tie() {
        Some(_) => expected.to_vec(),
        None => (0..own.len()).filter(good).collect(),
    };
    let mut free: HashMap<(u64, u128), BTreeSet<usize>> = HashMap::new();
    for i in pool {
        let Slot { key, value, .. } = item(i);
        free.entry((key, value)).or_default().insert(i);
    }
    let stable = request.requirement.ordering() == Order::StableSorted;
    let mut given: Vec<usize> = Vec::with_capacity(slots.len());
    for (slot, bits) in slots.iter().enumerate() {
        let none = |fault, what: &str| {
            at(slot).fault(fault, format!("key {:#x} value {:#x}: {what}", bits.key, bits.value))
        };
        let Some(set) = free.get_mut(&(bits.key, bits.value)) else {
            let anywhere = (0..own.len()).any(|i| item(i).key == bits.key && item(i).value == bits.value);
            let fault = if anywhere { Fault::Multiset } else { Fault::Item };
            return Err(none(fault, "not among the items that may be selected"));
        };
        let last = given.last().filter(|&&last| stable && own[last].order(K::from_bits64(bits.key)).is_eq());
        let next = last.map_or(0, |last| last + 1);
        let Some(index) = set.range(next..).next().copied() else {
            let fault = if set.is_empty() { Fault::Duplicate } else { Fault::Order };
            return Err(none(fault, "no such item is left"));
        };
        set.remove(&index);
        given.push(index);
    }
    Ok(given)
}
