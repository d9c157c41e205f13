//! Loops in which each thread takes every n-th index.

/// The indices `first`, `first + step`, … below `end`.
#[derive(Clone, Debug)]
pub struct Strided {
    next: u32,
    end: u32,
    step: u32,
}

/// The indices `first`, `first + step`, … below `end`. `step` is not 0, and `end + step` fits a `u32`.
#[inline(always)]
pub fn strided(first: u32, end: u32, step: u32) -> Strided {
    Strided { next: first, end, step }
}

impl Iterator for Strided {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let index = self.next;
        if index >= self.end {
            return None;
        }
        self.next = index + self.step;
        Some(index)
    }
}
