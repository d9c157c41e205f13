//! Bounds that enough of a warp's values reach.

use super::cost::Word;
use crate::arch::warp;

/// A value that at least `k` of the warp's `values` reach, one a lane: the last of the `k` best distinct ones, or, if they are
/// fewer, the least such value.
///
/// # Safety
///
/// All 32 lanes call it together with the same `k`, 1 to 32.
#[inline(always)]
pub unsafe fn take_out<W: Word>(value: W, k: u32) -> W {
    let mut left = value;
    let mut best = W::WORST;
    let mut taken = 0;
    while taken < k {
        // SAFETY: the caller's promise; the trip count is the same in every lane.
        best = unsafe { left.warp_min() };
        if left == best {
            left = W::WORST;
        }
        taken += 1;
    }
    if best != W::WORST {
        return best;
    }
    // Equal values go out together, so they ran out. Few as the distinct ones are, those that reach each can be counted; the
    // worst cost, which lanes without a key hold, too, is reached by all.
    left = value;
    loop {
        // SAFETY: as above; what the loop ends by is the same in every lane.
        best = unsafe { left.warp_min() };
        // SAFETY: as above.
        let reached = unsafe { warp::ballot(warp::ALL, value <= best) };
        if reached.count_ones() >= k {
            return best;
        }
        if left == best {
            left = W::WORST;
        }
    }
}

/// A value that at least `k` of the warp's `values` reach, and at most `k + slack` unless ties forbid.
///
/// # Safety
///
/// All 32 lanes call it together with the same `k`, at most `32 N`, and `slack`.
#[inline(always)]
pub unsafe fn bisect<W: Word, const N: usize>(values: &[W; N], k: u32, slack: u32) -> W {
    let (mut best, mut worst) = (W::WORST, W::BEST);
    for &value in values {
        best = best.min(value);
        worst = worst.max(value);
    }
    // SAFETY: the caller's promise.
    let best = unsafe { best.warp_min() };
    // SAFETY: as above.
    let worst = unsafe { worst.warp_max() };
    // SAFETY: as above.
    unsafe { bisect_within(values, best, worst, k, slack) }
}

/// [`bisect`] where the answer is known to lie within `least..=most`.
///
/// # Safety
///
/// As [`bisect`]; at least `k` values are at most `most`, and all lanes pass the same limits.
#[inline(always)]
pub unsafe fn bisect_within<W: Word, const N: usize>(
    values: &[W; N],
    mut least: W,
    mut most: W,
    k: u32,
    slack: u32,
) -> W {
    while least < most {
        let middle = least.plus(most.minus(least).shr(1));
        let mut own = 0;
        for &value in values {
            own += u32::from(value <= middle);
        }
        // SAFETY: the caller's promise; limits and counts are the same in every lane, so the loop is uniform.
        let reached = unsafe { warp::reduce_add(warp::ALL, own) };
        if reached >= k {
            most = middle;
            if reached <= k.wrapping_add(slack) {
                break;
            }
        } else {
            least = middle.plus(W::shifted(1, 0));
        }
    }
    most
}
