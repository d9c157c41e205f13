//! The oracle: a full stable sort, and nothing of the library.

use crate::key::TestKey;
use crate::request::{Direction, Tie};
use core::cmp::Ordering;

/// Compares two keys, best first.
pub fn best_first<K: TestKey>(direction: Direction, left: K, right: K) -> Ordering {
    match direction {
        Direction::Largest => right.order(left),
        Direction::Smallest => left.order(right),
    }
}

/// The indices of the min(k, n) winners, best first, equal keys by ascending index.
#[must_use]
pub fn winners<K: TestKey>(keys: &[K], k: usize, direction: Direction, tie: Tie) -> Vec<usize> {
    let mut all: Vec<usize> = (0..keys.len()).collect();
    if tie == Tie::Larger {
        all.reverse();
    }
    // Stable: equal keys stay in the order that the tie rule prefers.
    all.sort_by(|&l, &r| best_first(direction, keys[l], keys[r]));
    all.truncate(k);
    all.sort_by(|&l, &r| best_first(direction, keys[l], keys[r]).then(l.cmp(&r)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        let keys = [10, 8, 8, 8, 6, 5];
        assert_eq!(winners(&keys, 3, Direction::Largest, Tie::Smaller), [0, 1, 2]);
        assert_eq!(winners(&keys, 3, Direction::Largest, Tie::Larger), [0, 2, 3]);
        assert_eq!(winners(&keys, 4, Direction::Smallest, Tie::Larger), [5, 4, 2, 3]);
        assert_eq!(winners(&keys, 9, Direction::Smallest, Tie::Smaller), [5, 4, 1, 2, 3, 0]);
    }

    #[test]
    fn the_order_of_floats() {
        let ascending = [
            -f32::NAN,
            f32::NEG_INFINITY,
            -1.0,
            -f32::from_bits(1),
            -0.0,
            f32::from_bits(1),
            1.0,
            f32::INFINITY,
            f32::NAN,
        ];
        assert!(ascending.windows(2).all(|pair| pair[0].order(pair[1]) == Ordering::Less));
        assert_eq!((-0.0f32).order(0.0), Ordering::Equal);
        // The 16-bit orders, written by bits, agree with the wider type's over every pattern.
        for (l, r) in (0..=u16::MAX).map(|b| (b, b.wrapping_mul(0x9E37).wrapping_add(77))) {
            let wide = |b: u16| f32::from_bits(u32::from(b) << 16);
            let half = |b: u16| half::bf16::from_bits(b);
            assert_eq!(half(l).order(half(r)), wide(l).order(wide(r)), "{l:#06x} {r:#06x}");
        }
    }
}
