use core::fmt;

/// The integer types in which sizes, offsets and k may lie in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ScalarType {
    /// `u8`.
    U8 = 0,
    /// `i8`.
    I8 = 1,
    /// `u16`.
    U16 = 2,
    /// `i16`.
    I16 = 3,
    /// `u32`.
    U32 = 4,
    /// `i32`.
    I32 = 5,
    /// `u64`.
    U64 = 6,
    /// `i64`.
    I64 = 7,
}

impl ScalarType {
    /// All eight types.
    pub const ALL: [Self; 8] =
        [Self::U8, Self::I8, Self::U16, Self::I16, Self::U32, Self::I32, Self::U64, Self::I64];

    /// Size of one element, in bytes: 1, 2, 4 or 8. Also its alignment.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        1 << (self as u32 >> 1)
    }

    /// Whether the topmost bit is a sign.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        self as u8 & 1 == 1
    }

    /// The value of an element whose bits are the low [`bytes`](Self::bytes) of `bits`; what lies above is ignored. A
    /// `u64` above `i64::MAX` saturates: nothing that is measured here is as large.
    #[must_use]
    pub const fn value(self, bits: u64) -> i64 {
        match self {
            Self::U8 => bits as u8 as i64,
            Self::I8 => bits as i8 as i64,
            Self::U16 => bits as u16 as i64,
            Self::I16 => bits as i16 as i64,
            Self::U32 => bits as u32 as i64,
            Self::I32 => bits as i32 as i64,
            Self::U64 => {
                if bits > i64::MAX as u64 {
                    i64::MAX
                } else {
                    bits as i64
                }
            }
            Self::I64 => bits as i64,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
        })
    }
}

/// Where a number per segment comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ScalarForm {
    /// [`immediate`](ScalarSource::immediate), for every segment.
    Immediate = 0,
    /// Element 0 of the buffer, for every segment.
    Deferred = 1,
    /// Element `s` of the buffer, for segment `s`.
    DeferredSequence = 2,
}

/// A number per segment: a segment size or k, or a buffer of segment offsets. 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct ScalarSource {
    /// Device address of the buffer, aligned to its elements; 0 for an immediate.
    pub address: u64,
    /// Length of the buffer, in elements; 0 for an immediate.
    pub len: u64,
    /// The value of an immediate, unclamped; otherwise unused.
    pub immediate: i64,
    /// Lower declared bound, inclusive, 0 to 2^31 − 1. A negative value is no fault of this bound: it counts as 0.
    pub lo: i64,
    /// Upper declared bound, inclusive, [`lo`](Self::lo) to 2^31 − 1.
    pub hi: i64,
    /// Type of the buffer's elements; otherwise unused.
    pub scalar: ScalarType,
    /// Where the value comes from.
    pub form: ScalarForm,
    /// Zero.
    pub reserved_16: u16,
    /// Zero.
    pub reserved_32: u32,
}

impl ScalarSource {
    /// A value that the host knows; its bounds are the value itself.
    #[must_use]
    pub const fn immediate(value: i64) -> Self {
        let bound = if value > 0 { value } else { 0 };
        Self {
            address: 0,
            len: 0,
            immediate: value,
            lo: bound,
            hi: bound,
            scalar: ScalarType::I64,
            form: ScalarForm::Immediate,
            reserved_16: 0,
            reserved_32: 0,
        }
    }

    /// One value for every segment, at `address`.
    #[must_use]
    pub const fn deferred(address: u64, scalar: ScalarType, lo: i64, hi: i64) -> Self {
        Self {
            address,
            len: 1,
            immediate: 0,
            lo,
            hi,
            scalar,
            form: ScalarForm::Deferred,
            reserved_16: 0,
            reserved_32: 0,
        }
    }

    /// One value per segment, in a buffer of `len` elements at `address`.
    #[must_use]
    pub const fn deferred_sequence(address: u64, len: u64, scalar: ScalarType, lo: i64, hi: i64) -> Self {
        Self {
            address,
            len,
            immediate: 0,
            lo,
            hi,
            scalar,
            form: ScalarForm::DeferredSequence,
            reserved_16: 0,
            reserved_32: 0,
        }
    }

    /// The device address to read for segment `segment`, or `None` where nothing is to be read: the value is an
    /// immediate, or the element lies outside the buffer (and then counts as 0, see
    /// [`unread_value`](Self::unread_value)).
    #[must_use]
    pub const fn address_of(&self, segment: u64) -> Option<u64> {
        let element = match self.form {
            ScalarForm::Immediate => return None,
            ScalarForm::Deferred => 0,
            ScalarForm::DeferredSequence => segment,
        };
        if element < self.len {
            Some(self.address.wrapping_add(element.wrapping_mul(self.scalar.bytes() as u64)))
        } else {
            None
        }
    }

    /// The value where [`address_of`](Self::address_of) gives no address: the immediate, else 0.
    #[must_use]
    pub const fn unread_value(&self) -> i64 {
        match self.form {
            ScalarForm::Immediate => self.immediate,
            ScalarForm::Deferred | ScalarForm::DeferredSequence => 0,
        }
    }
}

const _: () = {
    use core::mem::{align_of, offset_of, size_of};
    assert!(size_of::<ScalarSource>() == 48 && align_of::<ScalarSource>() == 8);
    assert!(offset_of!(ScalarSource, address) == 0);
    assert!(offset_of!(ScalarSource, len) == 8);
    assert!(offset_of!(ScalarSource, immediate) == 16);
    assert!(offset_of!(ScalarSource, lo) == 24);
    assert!(offset_of!(ScalarSource, hi) == 32);
    assert!(offset_of!(ScalarSource, scalar) == 40);
    assert!(offset_of!(ScalarSource, form) == 41);
};
