use core::fmt;

use super::KeyMasks;

/// The width of a key. Kernels are compiled per width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum KeyWidth {
    /// 1 byte.
    W8 = 1,
    /// 2 bytes.
    W16 = 2,
    /// 4 bytes.
    W32 = 4,
    /// 8 bytes.
    W64 = 8,
}

impl KeyWidth {
    /// All four widths, ascending.
    pub const ALL: [Self; 4] = [Self::W8, Self::W16, Self::W32, Self::W64];

    /// Width in bytes: 1, 2, 4 or 8. Also the alignment that keys of this width must have.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self as u32
    }

    /// Width in bits: 8, 16, 32 or 64.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bytes() << 3
    }

    /// The low [`bits`](Self::bits) bits set.
    #[must_use]
    pub const fn mask(self) -> u64 {
        match self {
            Self::W8 => 0xFF,
            Self::W16 => 0xFFFF,
            Self::W32 => 0xFFFF_FFFF,
            Self::W64 => u64::MAX,
        }
    }

    /// The topmost bit of a key of this width.
    #[must_use]
    pub const fn sign_bit(self) -> u64 {
        match self {
            Self::W8 => 1 << 7,
            Self::W16 => 1 << 15,
            Self::W32 => 1 << 31,
            Self::W64 => 1 << 63,
        }
    }

    /// The width of `bytes` bytes, if there is one.
    #[must_use]
    pub const fn from_bytes(bytes: u32) -> Option<Self> {
        match bytes {
            1 => Some(Self::W8),
            2 => Some(Self::W16),
            4 => Some(Self::W32),
            8 => Some(Self::W64),
            _ => None,
        }
    }
}

/// How the bits of a key are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum KeyKind {
    /// An unsigned integer.
    Unsigned = 0,
    /// A two's complement integer.
    Signed = 1,
    /// A sign-magnitude float: any format whose topmost bit is the sign and whose magnitude grows with the rest.
    Float = 2,
}

/// The twelve types a key may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum KeyType {
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
    /// IEEE 754 binary16.
    F16 = 8,
    /// bfloat16: the upper half of a binary32.
    BF16 = 9,
    /// IEEE 754 binary32.
    F32 = 10,
    /// IEEE 754 binary64.
    F64 = 11,
}

impl KeyType {
    /// All twelve types.
    pub const ALL: [Self; 12] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
    ];

    /// The width of a key of this type.
    #[must_use]
    pub const fn width(self) -> KeyWidth {
        match self {
            Self::U8 | Self::I8 => KeyWidth::W8,
            Self::U16 | Self::I16 | Self::F16 | Self::BF16 => KeyWidth::W16,
            Self::U32 | Self::I32 | Self::F32 => KeyWidth::W32,
            Self::U64 | Self::I64 | Self::F64 => KeyWidth::W64,
        }
    }

    /// How the bits of a key of this type are read.
    #[must_use]
    pub const fn kind(self) -> KeyKind {
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => KeyKind::Unsigned,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => KeyKind::Signed,
            Self::F16 | Self::BF16 | Self::F32 | Self::F64 => KeyKind::Float,
        }
    }

    /// The masks of the order-preserving map, in the low [`width`](Self::width) bits.
    #[must_use]
    pub const fn masks(self) -> KeyMasks<u64> {
        let width = self.width();
        match self.kind() {
            KeyKind::Unsigned => KeyMasks { m1: 0, m2: 0, negative_zero: 0 },
            KeyKind::Signed => KeyMasks { m1: 0, m2: width.sign_bit(), negative_zero: 0 },
            KeyKind::Float => {
                KeyMasks { m1: width.mask(), m2: width.sign_bit(), negative_zero: width.sign_bit() }
            }
        }
    }

    /// The name as Rust (or, for the two 16-bit floats, the `half` crate) spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
