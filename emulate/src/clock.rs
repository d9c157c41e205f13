//! Happens-before, by vector clocks that are shared for as long as they are the same.
//!
//! A thread counts its own releases: its *clock*. What it knows of the others is a [`View`]: for each the clock up to which
//! their accesses happen before what it does next. Barriers nest, so nearly always all threads of a block share one view, and a
//! barrier makes one new view for all of them.

use std::rc::Rc;

/// A thread's index in the grid; or a copy engine, from [`ENGINE`] on.
pub(crate) type Tid = u32;
/// No thread.
pub(crate) const NOBODY: Tid = u32::MAX;
/// The first index that stands for the bulk copies which complete on one barrier. Their clock is the phase's number plus 1.
pub(crate) const ENGINE: Tid = 1 << 31;

/// The clocks of the threads of a block (or of one engine), by the index of the block (or the engine).
type Chunk = (u32, Rc<[u32]>);

/// What a thread knows of others.
#[derive(Debug, Default)]
pub(crate) struct View {
    chunks: Vec<Chunk>,
}

impl View {
    /// The clock known of member `index` of chunk `key`; 0 where nothing is.
    #[inline]
    pub(crate) fn get(&self, key: u32, index: usize) -> u32 {
        // Few chunks: one for a block, and one for each peer it has met.
        for (k, clocks) in &self.chunks {
            if *k == key {
                return clocks[index];
            }
        }
        0
    }

    /// Whether anything is known of chunk `key`.
    pub(crate) fn knows(&self, key: u32) -> bool {
        self.chunks.iter().any(|(k, _)| *k == key)
    }

    /// What either knows.
    pub(crate) fn join(a: &Rc<Self>, b: &Rc<Self>) -> Rc<Self> {
        if Rc::ptr_eq(a, b) || b.chunks.is_empty() {
            return a.clone();
        }
        if a.chunks.is_empty() {
            return b.clone();
        }
        let mut chunks: Vec<Chunk> = Vec::with_capacity(a.chunks.len() + 1);
        let (mut left, mut right) = (a.chunks.iter().peekable(), b.chunks.iter().peekable());
        loop {
            let take = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some((l, _)), Some((r, _))) => l.cmp(r),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
            };
            let (l, r) = (left.next_if(|_| take.is_le()), right.next_if(|_| take.is_ge()));
            chunks.extend(match (l, r) {
                (Some((key, l)), Some((_, r))) => Some((*key, merged(l, r))),
                (one, other) => one.or(other).cloned(),
            });
        }
        Rc::new(Self { chunks })
    }

    /// This view with member `index` of the `len` of chunk `key` at `clock` at least, for all of `raised`.
    fn raised(&self, key: u32, len: usize, raised: impl Iterator<Item = (usize, u32)>) -> Self {
        let mut chunks = self.chunks.clone();
        let at = chunks.partition_point(|(k, _)| *k < key);
        if chunks.get(at).is_none_or(|(k, _)| *k != key) {
            chunks.insert(at, (key, vec![0; len].into()));
        }
        let clocks = Rc::make_mut(&mut chunks[at].1);
        for (index, clock) in raised {
            clocks[index] = clocks[index].max(clock);
        }
        Self { chunks }
    }
}

/// The greater of each pair; one of the two where that is it.
fn merged(a: &Rc<[u32]>, b: &Rc<[u32]>) -> Rc<[u32]> {
    if Rc::ptr_eq(a, b) || a.iter().zip(b.iter()).all(|(a, b)| a >= b) {
        a.clone()
    } else {
        a.iter().zip(b.iter()).map(|(a, b)| *a.max(b)).collect()
    }
}

/// What those who release together know: the making of one view for all who acquire.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    views: Vec<Rc<View>>,
    clocks: Vec<(Tid, u32)>,
}

impl Gather {
    /// `tid` releases what it has done up to its clock, and what it knows.
    pub(crate) fn add(&mut self, tid: Tid, clock: u32, view: &Rc<View>) {
        self.clocks.push((tid, clock));
        if !self.views.iter().rev().any(|v| Rc::ptr_eq(v, view)) {
            self.views.push(view.clone());
        }
    }

    /// What there is to acquire, in blocks of `threads` threads.
    pub(crate) fn finish(mut self, threads: u32) -> Rc<View> {
        let mut all = Rc::new(View::default());
        for view in &self.views {
            all = View::join(&all, view);
        }
        let key = |tid: Tid| if tid >= ENGINE { tid } else { tid / threads };
        self.clocks.sort_unstable();
        for of_chunk in self.clocks.chunk_by(|a, b| key(a.0) == key(b.0)) {
            let first = of_chunk[0].0;
            let (start, len) = if first >= ENGINE { (first, 1) } else { (key(first) * threads, threads) };
            let raised = of_chunk.iter().map(|(tid, clock)| ((tid - start) as usize, *clock));
            all = Rc::new(all.raised(key(first), len as usize, raised));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(threads: u32, clocks: &[(Tid, u32)]) -> Rc<View> {
        let mut gather = Gather::default();
        for (tid, clock) in clocks {
            gather.add(*tid, *clock, &Rc::new(View::default()));
        }
        gather.finish(threads)
    }

    #[test]
    fn a_join_knows_what_either_knows() {
        let (a, b) = (view(2, &[(0, 3), (1, 1), (4, 9)]), view(2, &[(0, 2), (1, 5), (3, 7)]));
        let both = View::join(&a, &b);
        let known: Vec<u32> = (0..6).map(|tid: u32| both.get(tid / 2, (tid % 2) as usize)).collect();
        assert_eq!(known, [3, 5, 0, 7, 9, 0]);
        assert!(both.knows(2) && !both.knows(3));
        assert!(Rc::ptr_eq(&View::join(&a, &a), &a));
    }

    #[test]
    fn engines_have_a_clock_each() {
        let both = view(2, &[(ENGINE + 1, 4), (0, 1)]);
        assert_eq!((both.get(ENGINE + 1, 0), both.get(ENGINE, 0), both.get(0, 0)), (4, 0, 1));
    }
}
