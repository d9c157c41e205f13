//! Values of which the compiler forgets where they are from: of no use here.

/// The same value. Any thread.
#[inline(always)]
pub fn opaque(value: u32) -> u32 {
    value
}
