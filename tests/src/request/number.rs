//! Sizes and `k` in their forms.

/// The integer types of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Int {
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
}

impl Int {
    /// All ten.
    pub const ALL: [Self; 10] = [
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::Isize,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::Usize,
    ];

    /// The largest value, as far as sizes go.
    #[must_use]
    pub const fn max(self) -> i128 {
        match self {
            Self::I8 => i8::MAX as i128,
            Self::I16 => i16::MAX as i128,
            Self::I32 => i32::MAX as i128,
            Self::I64 | Self::Isize => i64::MAX as i128,
            Self::U8 => u8::MAX as i128,
            Self::U16 => u16::MAX as i128,
            Self::U32 => u32::MAX as i128,
            Self::U64 | Self::Usize => u64::MAX as i128,
        }
    }

    /// Whether the type needs no bound.
    #[must_use]
    pub const fn narrow(self) -> bool {
        matches!(self, Self::I8 | Self::U8 | Self::I16 | Self::U16)
    }

    /// Whether the type is signed.
    #[must_use]
    pub const fn signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::Isize)
    }
}

/// The static bounds that the typed runner has instances of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaticBound {
    /// `0..=64`.
    To64,
    /// `-8..=4096`.
    To4096,
    /// `0..=2^31 − 1`.
    ToLimit,
}

impl StaticBound {
    /// The upper bound.
    #[must_use]
    pub const fn hi(self) -> i128 {
        match self {
            Self::To64 => 64,
            Self::To4096 => 4096,
            Self::ToLimit => i32::MAX as i128,
        }
    }
}

/// The bounds of a deferred number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// None: narrow types only.
    None,
    /// Static; `i32` and `u64` only.
    Static(StaticBound),
    /// Known at run time.
    Runtime(i64, i64),
}

/// A size or `k` in one of its forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// `constant::<V>()`, V of 1, 5 and 32.
    Constant(i32),
    /// A host integer; with static bounds `i32` only.
    Immediate(i128, Int, Option<StaticBound>),
    /// One number in memory.
    Deferred(i128, Int, Bound),
    /// One number per segment in memory.
    Sequence(Vec<i128>, Int, Bound),
}

impl Number {
    /// A plain `usize`.
    #[must_use]
    pub const fn plain(value: usize) -> Self {
        Self::Immediate(value as i128, Int::Usize, None)
    }

    /// One `i32` per segment under run-time bounds `0..=hi`.
    #[must_use]
    pub const fn each(values: Vec<i128>, hi: i64) -> Self {
        Self::Sequence(values, Int::I32, Bound::Runtime(0, hi))
    }

    /// The number of segment `i`; negative counts as 0.
    #[must_use]
    pub fn get(&self, i: usize) -> usize {
        let value = match self {
            Self::Constant(value) => i128::from(*value),
            Self::Immediate(value, ..) | Self::Deferred(value, ..) => *value,
            Self::Sequence(values, ..) => values[i],
        };
        value.max(0) as usize
    }

    /// The upper bound: what output rows are sized by.
    #[must_use]
    pub fn upper(&self) -> usize {
        let (int, bound) = match self {
            Self::Constant(_) | Self::Immediate(..) => return self.get(0),
            Self::Deferred(_, int, bound) | Self::Sequence(_, int, bound) => (*int, *bound),
        };
        let hi = match bound {
            Bound::None => int.max(),
            Bound::Static(bound) => bound.hi(),
            Bound::Runtime(_, hi) => hi.into(),
        };
        hi as usize
    }

    /// The numbers that lie in memory.
    #[must_use]
    pub fn stored(&self) -> (Int, Vec<i128>) {
        match self {
            Self::Constant(_) | Self::Immediate(..) => (Int::U8, Vec::new()),
            Self::Deferred(value, int, _) => (*int, vec![*value]),
            Self::Sequence(values, int, _) => (*int, values.clone()),
        }
    }

    /// Whether this is one of the three common forms.
    #[must_use]
    pub const fn common(&self) -> bool {
        matches!(
            self,
            Self::Immediate(_, Int::Usize, None)
                | Self::Deferred(_, Int::U32, Bound::Runtime(..))
                | Self::Sequence(_, Int::I32, Bound::Runtime(..))
        )
    }
}
