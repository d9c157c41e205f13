//! Top-k with the standard library, as well as it can be written.
//!
//! Keys are copied to a scratch buffer that is reused from call to call, mapped to integers that sort best first on the way
//! (faster than a float comparison per step, and NaNs cost nothing). Where indices are wanted, key and index are packed into
//! one integer, which makes ties go to the smaller index without a second comparison: the library's default contract, to the
//! bit.

use crate::bench_key::BenchKey;

/// How the standard library goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `select_nth_unstable`, then `sort_unstable` of the k best.
    SelectNth,
    /// `sort_unstable` of the whole segment.
    Sort,
}

impl Method {
    fn order<T: Ord>(self, items: &mut [T], k: usize) {
        match self {
            Self::SelectNth => {
                items.select_nth_unstable(k - 1);
                items[..k].sort_unstable();
            }
            Self::Sort => items.sort_unstable(),
        }
    }
}

/// Writes the k best keys of one segment, best first. 1 ≤ `keys_out.len()` ≤ `keys.len()`.
pub fn keys<K: BenchKey>(method: Method, keys: &[K], scratch: &mut Vec<K::Bits>, keys_out: &mut [K]) {
    scratch.clear();
    scratch.extend(keys.iter().map(|key| key.best_first()));
    method.order(scratch, keys_out.len());
    for (out, &bits) in keys_out.iter_mut().zip(&*scratch) {
        *out = K::from_best_first(bits);
    }
}

/// Writes the k best keys of one segment and their indices, best first, equal keys by ascending index.
pub fn keys_and_indices<K: BenchKey>(
    method: Method,
    keys: &[K],
    scratch: &mut Vec<K::Packed>,
    keys_out: &mut [K],
    indices_out: &mut [u32],
) {
    scratch.clear();
    scratch.extend((0..).zip(keys).map(|(index, key)| key.pack(index)));
    method.order(scratch, keys_out.len());
    for ((key_out, index_out), &packed) in keys_out.iter_mut().zip(indices_out).zip(&*scratch) {
        (*key_out, *index_out) = K::unpack(packed);
    }
}
