//! Values of which the compiler forgets where they are from, so that it computes what follows where it is wanted, not ahead of a
//! loop, in registers that the loop has no room for.

use core::arch::asm;

/// The same value: PTX `mov`, which the assembler then leaves out. Any thread.
#[inline(always)]
pub fn opaque(value: u32) -> u32 {
    let same: u32;
    // SAFETY: a move between registers.
    unsafe { asm!("mov.b32 {}, {};", out(reg32) same, in(reg32) value, options(nostack, preserves_flags)) }
    same
}
