//! A request as plain data: everything the typed call says, and nothing typed.

mod number;
mod requirement;

pub use number::{Bound, Int, Number, StaticBound};
pub use requirement::{Order, Pair, Requirement, Tie};

/// Largest or smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `max_*`.
    Largest,
    /// `min_*`.
    Smallest,
}

/// Where the segments are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// The whole buffer.
    Single,
    /// Rows.
    Rows {
        /// How many.
        count: usize,
        /// How long.
        size: Number,
        /// How far apart.
        pitch: Option<usize>,
    },
    /// Between offsets.
    Ragged {
        /// One more than segments, or none.
        offsets: Vec<i128>,
        /// Their type.
        int: Int,
        /// A bound of the longest.
        max_length: Option<i64>,
    },
}

/// The types indices are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum IndexType {
    U32,
    I32,
    I64,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// `*_keys`.
    Keys,
    /// `*_pairs` with values of 1, 2, 3, 4, 8, 12 or 16 bytes.
    Pairs(usize),
    /// `*_indices`.
    Indices(IndexType),
    /// `*_keys_and_indices`.
    KeysAndIndices(IndexType),
}

impl Written {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Keys,
        Self::Pairs(1),
        Self::Pairs(2),
        Self::Pairs(3),
        Self::Pairs(4),
        Self::Pairs(8),
        Self::Pairs(12),
        Self::Pairs(16),
        Self::Indices(IndexType::U32),
        Self::Indices(IndexType::I32),
        Self::Indices(IndexType::I64),
        Self::KeysAndIndices(IndexType::U32),
        Self::KeysAndIndices(IndexType::I32),
        Self::KeysAndIndices(IndexType::I64),
    ];

    /// Whether keys are written.
    #[must_use]
    pub const fn keys(self) -> bool {
        !matches!(self, Self::Indices(_))
    }

    /// The width of the values, 0 where there are none.
    #[must_use]
    pub const fn value_width(self) -> usize {
        if let Self::Pairs(width) = self { width } else { 0 }
    }
}

/// A request. What it may combine is said by [`plane`](Self::plane).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Names the case in reports and seeds the values and canaries.
    pub seed: u64,
    /// The requirement.
    pub requirement: Requirement,
    /// Largest or smallest.
    pub direction: Direction,
    /// What is written.
    pub written: Written,
    /// Where the segments are.
    pub form: Form,
    /// Distance of neighbouring keys.
    pub stride: usize,
    /// How many items.
    pub k: Number,
    /// Distance of output rows.
    pub output_pitch: Option<usize>,
    /// Whether short rows are filled, with the fill of [`crate::layout`].
    pub fill: bool,
}

/// The two planes of the matrix. The full product of all types would be a hundred thousand instances a key type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// Every output and the common argument forms; every requirement for single and ragged segments,
    /// [`ROWS_REQUIREMENTS`] for rows.
    Requirements,
    /// Any form of a rows' size under a plain `k`, and any form of `k` for the other segments; keys and `u32` indices out,
    /// under [`ARGUMENT_REQUIREMENTS`].
    Arguments,
}

/// The requirements of rows in [`Plane::Requirements`].
pub const ROWS_REQUIREMENTS: [Requirement; 5] = [
    Requirement::DEFAULT,
    Requirement::of(Pair::Larger, Order::Unsorted),
    Requirement::of(Pair::RunToRun, Order::Sorted),
    Requirement::of(Pair::NotGuaranteed, Order::Unsorted),
    Requirement::of(Pair::Larger, Order::StableSorted),
];

/// The requirements of [`Plane::Arguments`].
pub const ARGUMENT_REQUIREMENTS: [Requirement; 2] =
    [Requirement::DEFAULT, Requirement::of(Pair::Larger, Order::Unsorted)];

impl Request {
    /// The keys of one segment, largest `k`, keys and `u32` indices, under the default contract.
    #[must_use]
    pub const fn single(k: usize) -> Self {
        Self {
            seed: 0,
            requirement: Requirement::DEFAULT,
            direction: Direction::Largest,
            written: Written::KeysAndIndices(IndexType::U32),
            form: Form::Single,
            stride: 1,
            k: Number::plain(k),
            output_pitch: None,
            fill: false,
        }
    }

    /// The plane that has instances for this request, if any.
    #[must_use]
    pub fn plane(&self) -> Option<Plane> {
        let size = if let Form::Rows { size, .. } = &self.form { Some(size) } else { None };
        let common = match size {
            None => true,
            Some(size) => {
                size.common()
                    && !matches!(size, Number::Deferred(..))
                    && ROWS_REQUIREMENTS.contains(&self.requirement)
            }
        };
        if common && self.k.common() {
            return Some(Plane::Requirements);
        }
        let plain_k = matches!(self.k, Number::Immediate(_, Int::Usize, None));
        let arguments = (size.is_none() || plain_k)
            && self.written == Written::KeysAndIndices(IndexType::U32)
            && ARGUMENT_REQUIREMENTS.contains(&self.requirement);
        arguments.then_some(Plane::Arguments)
    }
}
