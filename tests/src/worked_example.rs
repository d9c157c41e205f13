//! The worked example that the contract is published with: keys 10 8 8 8 6 5, k = 3, largest first.

use crate::request::{Order, Pair, Requirement};

/// The keys.
pub const KEYS: [i32; 6] = [10, 8, 8, 8, 6, 5];
/// Winners of it.
pub const K: usize = 3;

/// Checks the `winners`, in the order in which they were written, against the row and the column of `requirement`.
///
/// # Panics
///
/// With `by`, who gave them, if the table has another set or sequence.
#[track_caller]
pub fn check(requirement: Requirement, winners: &[usize], by: &str) {
    let mut set = winners.to_vec();
    set.sort_unstable();
    // Three eights tie for two places.
    let sets: &[[usize; K]] = match requirement.membership() {
        Pair::Smaller => &[[0, 1, 2]],
        Pair::Larger => &[[0, 2, 3]],
        Pair::NotGuaranteed | Pair::RunToRun | Pair::GpuToGpu => &[[0, 1, 2], [0, 1, 3], [0, 2, 3]],
    };
    let wrong = format!("{by}: {requirement:?} gave {winners:?}");
    assert!(sets.iter().any(|allowed| *allowed == set[..]), "{wrong}");
    match requirement.ordering() {
        Order::Unsorted => {}
        Order::Sorted => assert_eq!(winners[0], 0, "{wrong}"),
        // Ten is at index 0, so the whole sequence ascends.
        Order::StableSorted => assert_eq!(winners, set, "{wrong}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn other_answers_are_wrong() {
        let fails = |pair, order, winners: [usize; K]| {
            catch_unwind(|| check(Requirement::of(pair, order), &winners, "test")).is_err()
        };
        assert!(!fails(Pair::Smaller, Order::StableSorted, [0, 1, 2]));
        assert!(fails(Pair::Smaller, Order::StableSorted, [0, 2, 1]));
        assert!(fails(Pair::Smaller, Order::Unsorted, [0, 2, 3]));
        assert!(fails(Pair::Larger, Order::Unsorted, [0, 1, 2]));
        assert!(fails(Pair::NotGuaranteed, Order::Sorted, [1, 0, 2]));
        assert!(fails(Pair::NotGuaranteed, Order::Unsorted, [1, 2, 3]));
    }
}
