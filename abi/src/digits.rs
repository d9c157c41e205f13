//! The radix digits of an ordered key, most significant first.
//!
//! A key of `w` bits is cut into digits of `bits_per_pass` bits from the top; the last digit is short where
//! `bits_per_pass` does not divide `w`, and a key narrower than a digit has that one short digit only:
//!
//! | width | digits of 11 bits |
//! | --- | --- |
//! | 8 | 8 |
//! | 16 | 11, 5 |
//! | 32 | 11, 11, 10 |
//! | 64 | 11, 11, 11, 11, 11, 9 |
//!
//! Pass `p` counts keys per *bucket*. For the largest keys the bucket index is the digit reversed within the bucket
//! count of *that* pass, so that a scan from bucket 0 up meets the best keys first in both directions. The counts are
//! powers of two, so reversing is one exclusive or with [`reversal_mask`](Digits::reversal_mask), and undoing it is the
//! same operation: [`fold`](Digits::fold) writes the winning digit, not the bucket index, into the splitter.
//!
//! The kernels' passes are as many, but for what they know of the keys: they spread the buckets of a pass over the range of keys that is
//! still open, which is the first digit where nothing is known. Of what is here they use the widths.

use crate::key_order::{Direction, KeyWidth};

/// Bits per digit unless a policy says otherwise: 2,048 buckets.
pub const DEFAULT_BITS_PER_PASS: u32 = 11;

/// The widest digit: 4,096 buckets of four bytes are a third of the portable shared memory.
pub const MAX_BITS_PER_PASS: u32 = 12;

/// The digits of keys of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digits {
    key_bits: u32,
    bits_per_pass: u32,
    passes: u32,
}

impl Digits {
    /// The digits of keys of `width`, or `None` unless `bits_per_pass` is 1 to [`MAX_BITS_PER_PASS`].
    #[must_use]
    pub const fn checked(width: KeyWidth, bits_per_pass: u32) -> Option<Self> {
        if bits_per_pass == 0 || bits_per_pass > MAX_BITS_PER_PASS {
            return None;
        }
        let key_bits = width.bits();
        Some(Self { key_bits, bits_per_pass, passes: key_bits.div_ceil(bits_per_pass) })
    }

    /// [`checked`](Self::checked), for a `const` item.
    ///
    /// # Panics
    ///
    /// Unless `bits_per_pass` is 1 to [`MAX_BITS_PER_PASS`].
    #[must_use]
    pub const fn new(width: KeyWidth, bits_per_pass: u32) -> Self {
        match Self::checked(width, bits_per_pass) {
            Some(digits) => digits,
            None => panic!("bits per pass out of range"),
        }
    }

    /// Width of a key in bits.
    #[must_use]
    pub const fn key_bits(self) -> u32 {
        self.key_bits
    }

    /// Width of every digit but the last, in bits.
    #[must_use]
    pub const fn bits_per_pass(self) -> u32 {
        self.bits_per_pass
    }

    /// Number of passes, which is the number of digits: at least 1.
    #[must_use]
    pub const fn passes(self) -> u32 {
        self.passes
    }

    /// Number of key bits below the digit of pass `pass`: 0 for the last pass and beyond.
    #[must_use]
    pub const fn shift(self, pass: u32) -> u32 {
        self.key_bits.saturating_sub(pass.saturating_add(1).saturating_mul(self.bits_per_pass))
    }

    /// Number of key bits above the digit of pass `pass`: those that earlier passes decided.
    #[must_use]
    pub const fn decided_bits(self, pass: u32) -> u32 {
        let above = pass.saturating_mul(self.bits_per_pass);
        if above < self.key_bits { above } else { self.key_bits }
    }

    /// Width of the digit of pass `pass` in bits: `bits_per_pass`, or fewer in the last pass; 0 beyond it.
    #[must_use]
    pub const fn bits(self, pass: u32) -> u32 {
        // Never negative: the bits above, the digit and the bits below add up to the key.
        self.key_bits.saturating_sub(self.decided_bits(pass)).saturating_sub(self.shift(pass))
    }

    /// Number of buckets of pass `pass`: two to the power of [`bits`](Self::bits).
    #[must_use]
    pub const fn buckets(self, pass: u32) -> u32 {
        // At most MAX_BITS_PER_PASS, by construction.
        1 << (self.bits(pass) & 31)
    }

    /// Number of buckets that a histogram for any pass must hold: that of pass 0, whose digit is the widest.
    #[must_use]
    pub const fn histogram_buckets(self) -> u32 {
        self.buckets(0)
    }

    /// The digit of pass `pass`, all bits set.
    #[must_use]
    pub const fn digit_mask(self, pass: u32) -> u32 {
        self.buckets(pass) - 1
    }

    /// What turns a digit of pass `pass` into a bucket index, and back, by exclusive or: all bits of *this* pass's digit
    /// for the largest keys, 0 for the smallest.
    #[must_use]
    pub const fn reversal_mask(self, pass: u32, direction: Direction) -> u32 {
        self.digit_mask(pass) & direction.mask() as u32
    }

    /// The digit of pass `pass` of an ordered key (zero-extended to 64 bits).
    #[must_use]
    pub const fn digit(self, ordered: u64, pass: u32) -> u32 {
        // The shift is below 64: at least one bit lies above or in the digit.
        (ordered >> (self.shift(pass) & 63)) as u32 & self.digit_mask(pass)
    }

    /// The bucket of pass `pass` in which an ordered key is counted.
    #[must_use]
    pub const fn bucket(self, ordered: u64, pass: u32, direction: Direction) -> u32 {
        self.digit(ordered, pass) ^ self.reversal_mask(pass, direction)
    }

    /// The splitter prefix extended by the digit that `bucket` stands for. Bits of `bucket` beyond the digit of this
    /// pass are dropped.
    #[must_use]
    pub const fn fold(self, prefix: u64, bucket: u32, pass: u32, direction: Direction) -> u64 {
        let digit = (bucket ^ self.reversal_mask(pass, direction)) & self.digit_mask(pass);
        prefix | ((digit as u64) << (self.shift(pass) & 63))
    }

    /// The bits of a key that the first `passes_done` passes decided: those in which a candidate equals the splitter.
    #[must_use]
    pub const fn prefix_mask(self, passes_done: u32) -> u64 {
        let all = u64::MAX >> ((64 - self.key_bits) & 63);
        match all.checked_shr(self.decided_bits(passes_done)) {
            Some(undecided) => all & !undecided,
            None => all,
        }
    }

    /// Whether an ordered key may still be the splitter after `passes_done` passes.
    #[must_use]
    pub const fn is_candidate(self, ordered: u64, prefix: u64, passes_done: u32) -> bool {
        (ordered ^ prefix) & self.prefix_mask(passes_done) == 0
    }

    /// The initial visiting direction of a streaming rank: whether pass 0 walks the chunks forward, so that after one
    /// flip per pass the final filter starts in scan order (`scan_is_forward`) with the last chunks still in shared
    /// memory.
    #[must_use]
    pub const fn first_pass_is_forward(self, scan_is_forward: bool) -> bool {
        scan_is_forward ^ (self.passes & 1 == 1)
    }
}
