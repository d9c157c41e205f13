//! A range of values that is searched for the k-th by histograms.

use super::cost::Word;

/// Values that may be the k-th: `least..=most`, of which `k` are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Open<W> {
    /// The least of them.
    pub least: W,
    /// The greatest of them.
    pub most: W,
    /// How many of the items within are wanted.
    pub k: u32,
}

impl<W: Word> Open<W> {
    /// The width of a bucket, as a shift, that spreads the range over all of `buckets`, a power of two.
    #[inline(always)]
    pub fn shift(self, buckets: u32) -> u32 {
        self.most.minus(self.least).significant().saturating_sub(buckets.ilog2())
    }

    /// The part of the range that bucket `bucket`, of width `2^shift`, covers, of which `k` items are wanted.
    #[inline(always)]
    pub fn within(self, bucket: u32, shift: u32, k: u32) -> Self {
        let least = self.least.plus(W::shifted(bucket, shift));
        let most = least.plus(W::shifted(1, shift).minus(W::shifted(1, 0))).min(self.most);
        Self { least, most, k }
    }
}
