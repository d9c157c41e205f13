//! The matrix of the GPU engine, covered pairwise: key type, direction, outputs, form of the segments, stride, form and size
//! of `k`, fill, length, distribution, number of segments. The cluster backend's matrix has longer segments, and the caps on
//! its launches and the pair of determinism and tie-break as further factors, so that every cap meets every level of the rest.
//!
//! The cover is fixed: it is computed by a greedy rule without chance, and each of its rows seeds its own case.

mod build;
mod greedy;

pub use build::{CaseVisitor, visit};
pub use greedy::{Cover, Factors, cover};

use crate::generators::Distribution;
use crate::request::{IndexType, Pair, Written};
use cluster_topk::gpu::{ClusterCaps, Streaming};

/// The longest segment of the baseline kernels.
pub const MAX_LENGTH: usize = 16_384;

/// Forms of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Shape {
    Single,
    Rows,
    PitchedRows,
    OverlappingRows,
    PaddedRows,
    ConstantSize,
    ImmediateSize,
    DeferredSize,
    SequenceOfSizes,
    Ragged,
    BoundedRagged,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Single,
        Self::Rows,
        Self::PitchedRows,
        Self::OverlappingRows,
        Self::PaddedRows,
        Self::ConstantSize,
        Self::ImmediateSize,
        Self::DeferredSize,
        Self::SequenceOfSizes,
        Self::Ragged,
        Self::BoundedRagged,
    ];

    /// Whether the size is of one of the many forms that are compiled for few key types, keys with `u32` indices, and a plain
    /// `k` only.
    const fn rare(self) -> bool {
        matches!(self, Self::ConstantSize | Self::ImmediateSize | Self::DeferredSize | Self::SequenceOfSizes)
    }

    const fn rows(self) -> bool {
        !matches!(self, Self::Single | Self::Ragged | Self::BoundedRagged)
    }
}

/// Forms of `k`. The last four are compiled for few key types, keys with `u32` indices only, and not for rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum KForm {
    Plain,
    Deferred,
    Sequence,
    Constant,
    AnyImmediate,
    AnyDeferred,
    AnySequence,
}

impl KForm {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::Deferred,
        Self::Sequence,
        Self::Constant,
        Self::AnyImmediate,
        Self::AnyDeferred,
        Self::AnySequence,
    ];

    const fn rare(self) -> bool {
        !matches!(self, Self::Plain | Self::Deferred | Self::Sequence)
    }
}

/// How large `k` is, against the longest segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum KSize {
    Exactly(usize),
    Half,
    AllButOne,
    All,
    More,
}

impl KSize {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Exactly(1),
        Self::Exactly(5),
        Self::Exactly(32),
        Self::Half,
        Self::AllButOne,
        Self::All,
        Self::More,
        Self::Exactly(0),
    ];
}

/// The lengths: all up to 33, and both sides of every length at which another kernel takes over.
#[must_use]
pub fn lengths() -> Vec<usize> {
    let around = |n: usize| [n - 1, n, n + 1];
    let powers = [64, 128, 256, 512, 1024, 2048, 4096, 8192].into_iter().flat_map(around);
    (0..=33).chain(powers).chain([1500, 3000, 6000, 12_000, MAX_LENGTH - 1, MAX_LENGTH]).collect()
}

/// Lengths beyond the baseline's: full chunks of every key width and beside them, up to 16 chunks of the narrowest key.
pub const LONG: [usize; 9] = [16_385, 20_000, 32_768, 40_001, 65_536, 100_003, 131_072, 200_000, 262_144];

/// The pairs of determinism and tie-break.
pub const PAIRS: [Pair; 5] =
    [Pair::NotGuaranteed, Pair::RunToRun, Pair::GpuToGpu, Pair::Smaller, Pair::Larger];

/// Caps on the cluster width: every width that is launched.
pub const WIDTH_CAPS: [Option<u32>; 5] = [None, Some(8), Some(4), Some(2), Some(1)];

/// Caps on the slots of a block: none, and too few to hold the longer segments.
pub const SLOT_CAPS: [Option<u32>; 3] = [None, Some(1), Some(2)];

/// The longest segments that a block takes alone: as usual, none, any that fits.
pub const ALONE: [u32; 3] = [ClusterCaps::NONE.single_block_max_seg_size, 0, i32::MAX as u32];

/// The chunks that a block needs to join.
pub const JOIN: [u32; 2] = [1, 3];

/// The numbers of segments; fewer where all together would be too many keys.
pub const COUNTS: [usize; 4] = [1, 2, 7, 300];

/// The distances between keys.
pub const STRIDES: [usize; 2] = [1, 3];

/// The outputs of the rare forms: keys and `u32` indices.
const INDEXED: usize = 11;

/// The key types of the rare forms, one of each width: `i8`, `f16`, `f32`, `u64`.
const ALL_FORMS: [usize; 4] = [1, 4, 8, 9];

/// Factors of the matrix, in the order of a row's levels.
#[derive(Clone, Debug)]
pub struct Matrix {
    levels: Vec<usize>,
    lengths: Vec<usize>,
    /// The largest bound of a segment that a request may state.
    bound: usize,
}

/// The place of each factor in a row.
pub(crate) mod factor {
    pub(crate) const KEY: usize = 0;
    pub(crate) const DIRECTION: usize = 1;
    pub(crate) const WRITTEN: usize = 2;
    pub(crate) const SHAPE: usize = 3;
    pub(crate) const STRIDE: usize = 4;
    pub(crate) const K_FORM: usize = 5;
    pub(crate) const K_SIZE: usize = 6;
    pub(crate) const FILL: usize = 7;
    pub(crate) const LENGTH: usize = 8;
    pub(crate) const DISTRIBUTION: usize = 9;
    pub(crate) const COUNT: usize = 10;
    // Of the cluster backend's matrix only.
    pub(crate) const PAIR: usize = 11;
    pub(crate) const WIDTH_CAP: usize = 12;
    pub(crate) const SLOT_CAP: usize = 13;
    pub(crate) const ALONE: usize = 14;
    pub(crate) const JOIN: usize = 15;
}

impl Default for Matrix {
    fn default() -> Self {
        debug_assert_eq!(Written::ALL[INDEXED], Written::KeysAndIndices(IndexType::U32));
        let lengths = lengths();
        let levels = vec![
            12,
            2,
            Written::ALL.len(),
            Shape::ALL.len(),
            STRIDES.len(),
            KForm::ALL.len(),
            KSize::ALL.len(),
            2,
            lengths.len(),
            Distribution::ALL.len(),
            COUNTS.len(),
        ];
        Self { levels, lengths, bound: MAX_LENGTH }
    }
}

impl Matrix {
    /// The matrix of the cluster backend.
    #[must_use]
    pub fn of_clusters() -> Self {
        let mut matrix = Self::default();
        matrix.lengths.extend(LONG);
        matrix.levels[factor::LENGTH] = matrix.lengths.len();
        matrix.levels.extend([PAIRS.len(), WIDTH_CAPS.len(), SLOT_CAPS.len(), ALONE.len(), JOIN.len()]);
        matrix.bound = i32::MAX as usize;
        matrix
    }

    /// The caps under which a row of the cluster backend's matrix runs.
    ///
    /// # Panics
    ///
    /// When the row is of another matrix.
    #[must_use]
    pub fn caps(row: &[usize]) -> ClusterCaps {
        ClusterCaps {
            max_cluster_width: WIDTH_CAPS[row[factor::WIDTH_CAP]],
            max_slots: SLOT_CAPS[row[factor::SLOT_CAP]],
            single_block_max_seg_size: ALONE[row[factor::ALONE]],
            min_chunks_per_block: JOIN[row[factor::JOIN]],
            streaming: [Streaming::Always, Streaming::Never][row.iter().sum::<usize>() % 2],
            ..ClusterCaps::NONE
        }
    }
}

impl Factors for Matrix {
    fn levels(&self) -> &[usize] {
        &self.levels
    }

    fn may_meet(&self, left: (usize, usize), right: (usize, usize)) -> bool {
        let (left, right) = if left.0 < right.0 { (left, right) } else { (right, left) };
        let shape = |level: usize| Shape::ALL[level];
        let form = |level: usize| KForm::ALL[level];
        let of_constant = [1, 5, 32];
        match (left, right) {
            ((factor::KEY, key), (factor::SHAPE, s)) => ALL_FORMS.contains(&key) || !shape(s).rare(),
            ((factor::KEY, key), (factor::K_FORM, f)) => ALL_FORMS.contains(&key) || !form(f).rare(),
            ((factor::WRITTEN, written), (factor::SHAPE, s)) => written == INDEXED || !shape(s).rare(),
            ((factor::WRITTEN, written), (factor::K_FORM, f)) => written == INDEXED || !form(f).rare(),
            ((factor::SHAPE, s), (factor::K_FORM, f)) => {
                !(shape(s).rows() && form(f).rare() || shape(s).rare() && form(f) != KForm::Plain)
            }
            ((factor::SHAPE, s), (factor::LENGTH, length)) => {
                shape(s) != Shape::ConstantSize || of_constant.contains(&self.lengths[length])
            }
            ((factor::SHAPE, s), (factor::COUNT, count)) => shape(s) != Shape::Single || COUNTS[count] == 1,
            ((factor::K_FORM, f), (factor::K_SIZE, size)) => {
                form(f) != KForm::Constant
                    || of_constant.iter().any(|&k| KSize::ALL[size] == KSize::Exactly(k))
            }
            _ => true,
        }
    }
}
