//! Total integer arithmetic: nothing here panics, whatever it is given.

/// `a / b` rounded down; 0 where `b` is 0.
pub(crate) const fn div_floor(a: u64, b: u64) -> u64 {
    match a.checked_div(b) {
        Some(quotient) => quotient,
        None => 0,
    }
}

/// `a / b` rounded up; 0 where `b` is 0.
pub(crate) const fn div_ceil(a: u64, b: u64) -> u64 {
    // Written without `a + b - 1`, which could leave 64 bits.
    let quotient = div_floor(a, b);
    if quotient.wrapping_mul(b) < a && b != 0 { quotient.wrapping_add(1) } else { quotient }
}

/// `a` rounded down to a multiple of `b`; 0 where `b` is 0.
pub(crate) const fn round_down(a: u64, b: u64) -> u64 {
    div_floor(a, b).wrapping_mul(b)
}

/// `a` rounded up to a multiple of `b`, saturating at `u64::MAX`; 0 where `b` is 0.
pub(crate) const fn round_up(a: u64, b: u64) -> u64 {
    div_ceil(a, b).saturating_mul(b)
}

/// The smaller of two numbers (`Ord::min` is not `const`).
pub(crate) const fn min(a: u64, b: u64) -> u64 {
    if a < b { a } else { b }
}

/// The larger of two numbers (`Ord::max` is not `const`).
pub(crate) const fn max(a: u64, b: u64) -> u64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rounding_agrees_with_wide_arithmetic(
            // Small numbers, where one divides the other often enough, and all numbers.
            a in prop_oneof![0u64..200, any::<u64>()],
            b in prop_oneof![0u64..=16, any::<u64>()],
        ) {
            let (wide_a, wide_b) = (u128::from(a), u128::from(b));
            if b == 0 {
                prop_assert_eq!((div_floor(a, b), div_ceil(a, b), round_down(a, b), round_up(a, b)), (0, 0, 0, 0));
            } else {
                let up = wide_a / wide_b + u128::from(wide_a % wide_b != 0);
                prop_assert_eq!(u128::from(div_floor(a, b)), wide_a / wide_b);
                prop_assert_eq!(u128::from(div_ceil(a, b)), up);
                prop_assert_eq!(u128::from(round_down(a, b)), wide_a - wide_a % wide_b);
                prop_assert_eq!(u128::from(round_up(a, b)), (up * wide_b).min(u128::from(u64::MAX)));
            }
        }
    }
}
