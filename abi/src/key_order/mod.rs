//! The order of keys, as unsigned bits.
//!
//! Integers are ordered numerically. Floats follow the IEEE 754 total order, except that −0.0 and +0.0 are equal:
//! −NaN < −∞ < … < −0.0 = +0.0 < … < +∞ < +NaN, where NaNs are told apart by their bits alone.
//!
//! One map turns the bits `x` of any key of `w` bits into an unsigned integer of the same width and the same order:
//!
//! ```text
//! y = (x == negative_zero) ? 0 : x
//! ordered(x) = y ^ ((asr(y, w - 1) & m1) | m2)
//! ```
//!
//! | keys | `m1` | `m2` | `negative_zero` |
//! | --- | --- | --- | --- |
//! | unsigned | 0 | 0 | 0 (selects 0 for 0: no change) |
//! | signed | 0 | sign bit | 0 (no change) |
//! | float | all ones | sign bit | sign bit |
//!
//! The [masks](KeyMasks) are run-time values, so one kernel per key *width* serves every key type of that width. A
//! direction never changes the map: [`digits`](crate::digits) reverses the bucket *index* instead. Were the bits
//! inverted, whether −0.0 is merged before or after the inversion would change the result.

mod direction;
mod key_bits;
mod key_type;
mod masks;

pub use direction::Direction;
pub use key_bits::KeyBits;
pub use key_type::{KeyKind, KeyType, KeyWidth};
pub use masks::KeyMasks;
