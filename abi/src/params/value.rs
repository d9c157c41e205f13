/// What is written beside a selected key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ValueKind {
    /// Nothing.
    None = 0,
    /// The element of the value array at the position of the key.
    Payload = 1,
    /// The index of the key in its segment, as `u32`.
    IndexU32 = 2,
    /// The index of the key in its segment, as `i32`.
    IndexI32 = 3,
    /// The index of the key in its segment, as `i64`.
    IndexI64 = 4,
}

impl ValueKind {
    /// Whether the index of a key is written, and no value array is read.
    #[must_use]
    pub const fn is_index(self) -> bool {
        matches!(self, Self::IndexU32 | Self::IndexI32 | Self::IndexI64)
    }

    /// Width of what is written, in bytes: 0 for nothing, 4 or 8 for an index, `payload_bytes` for a payload.
    #[must_use]
    pub const fn bytes(self, payload_bytes: u32) -> u32 {
        match self {
            Self::None => 0,
            Self::Payload => payload_bytes,
            Self::IndexU32 | Self::IndexI32 => 4,
            Self::IndexI64 => 8,
        }
    }
}

/// The widest payload, in bytes.
pub const MAX_PAYLOAD_BYTES: u32 = 16;
