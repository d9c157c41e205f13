//! What can be wrong, and the report of it.

use crate::request::Request;
use crate::runner::Slot;

/// The kinds of wrong answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A slot that must be left alone was written.
    Canary,
    /// A slot of a short row does not hold the fill.
    Fill,
    /// An index outside its segment.
    IndexRange,
    /// An index that came twice.
    Duplicate,
    /// A key or value that is not that of its index, or of no item at all.
    Item,
    /// Other keys than the best k.
    Multiset,
    /// The best keys, but other ones of those that tie than the rule says.
    Tie,
    /// The right items in the wrong order.
    Order,
    /// An input was written.
    InputChanged,
}

/// A wrong answer: what, where, and of which request.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The kind.
    pub fault: Fault,
    /// The segment.
    pub segment: usize,
    /// The slot: of the whole output for canaries and fills, within its row otherwise.
    pub slot: usize,
    /// What was found.
    pub detail: String,
    /// The request, its seed included.
    pub request: String,
}

impl core::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { fault, segment, slot, detail, request } = self;
        write!(f, "{fault:?} in segment {segment}, slot {slot}: {detail}\n  {request}")
    }
}

/// A place in the outputs of a request.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) request: &'a Request,
    pub(super) segment: usize,
    pub(super) slot: usize,
}

impl At<'_> {
    pub(super) fn fault(self, fault: Fault, detail: String) -> Mismatch {
        let mut request = format!("{:?}", self.request);
        if request.len() > 1500 {
            request.truncate(request.floor_char_boundary(1500));
            request.push('…');
        }
        Mismatch { fault, segment: self.segment, slot: self.slot, detail, request }
    }

    pub(super) fn same(self, fault: Fault, wanted: Slot, given: Slot) -> Result<(), Mismatch> {
        if wanted == given {
            return Ok(());
        }
        let show = |s: Slot| format!("key {:#x} value {:#x} index {}", s.key, s.value, s.index);
        Err(self.fault(fault, format!("{}, expected {}", show(given), show(wanted))))
    }
}
