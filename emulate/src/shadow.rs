//! Who touched which word last: the race detector's memory, beside the memory it watches.
//!
//! After FastTrack: of writes the last one suffices, of reads those since, since a write must be ordered after all of them.
//! Atomic accesses are a third kind: they conflict with the other two, and with each other where their scopes do not
//! cover both threads. Watched in words of four bytes; a word that is accessed in part is watched by bytes from then on.

use crate::clock::{ENGINE, NOBODY, Tid, View};
use crate::site::Site;

/// The threads among which an atomic operation is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// The threads of the cluster.
    Cluster,
    /// All threads of the GPU.
    Device,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Read,
    Write,
    AtomicRead(Scope),
    Atomic(Scope),
}

/// Who accesses, and what it knows of the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accessor<'a> {
    pub(crate) tid: Tid,
    pub(crate) clock: u32,
    pub(crate) site: Site,
    pub(crate) view: &'a View,
    pub(crate) threads: u32,
    pub(crate) cluster_width: u32,
}

impl Accessor<'_> {
    /// Whether an access happens before what this thread does next.
    #[inline]
    pub(crate) fn knows(&self, tid: Tid, clock: u32) -> bool {
        if tid == self.tid {
            return true;
        }
        let (key, index) = if tid >= ENGINE { (tid, 0) } else { (tid / self.threads, tid % self.threads) };
        self.view.get(key, index as usize) >= clock
    }

    /// Whether `scope` holds both this thread and `tid`.
    fn shares(&self, tid: Tid, scope: Scope) -> bool {
        let (own, other) = (self.tid / self.threads, tid / self.threads);
        match scope {
            Scope::Block => own == other,
            Scope::Cluster => own / self.cluster_width == other / self.cluster_width,
            Scope::Device => true,
        }
    }
}

/// An access that happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) tid: Tid,
    pub(crate) clock: u32,
    pub(crate) how: How,
    pub(crate) site: Site,
}

/// Accesses that later ones must be checked against; nearly always one or none.
#[derive(Clone, Debug, Default)]
struct Set {
    first: Option<Access>,
    more: Vec<Access>,
}

impl Set {
    fn iter(&self) -> impl Iterator<Item = &Access> {
        self.first.iter().chain(&self.more)
    }

    fn clear(&mut self) {
        self.first = None;
        self.more.clear();
    }

    /// Adds an access; drops those that it stands for, since whoever knows of it knows of them.
    fn add(&mut self, access: Access, by: &Accessor<'_>) {
        let stands_for =
            |old: &Access| old.how == access.how && (old.tid == access.tid || by.knows(old.tid, old.clock));
        match &mut self.first {
            Some(first) if !stands_for(first) => {
                if let Some(old) =
                    self.more.iter_mut().rev().find(|old| old.tid == access.tid && old.how == access.how)
                {
                    *old = access;
                } else {
                    self.more.push(access);
                }
            }
            first => {
                *first = Some(access);
                self.more.retain(|old| !stands_for(old));
            }
        }
    }
}

/// What is known of a word, or of a byte of one.
#[derive(Clone, Debug, Default)]
struct Cell {
    write: Option<Access>,
    reads: Set,
    atomics: Set,
}

impl Cell {
    fn access(&mut self, how: How, by: &Accessor<'_>) -> Result<(), Access> {
        let unordered = |old: &Access| !by.knows(old.tid, old.clock);
        if let Some(write) = self.write.filter(unordered) {
            return Err(write);
        }
        let access = Access { tid: by.tid, clock: by.clock, how, site: by.site };
        match how {
            How::Read => {
                let conflict = |old: &&Access| matches!(old.how, How::Atomic(_)) && unordered(old);
                if let Some(old) = self.atomics.iter().find(conflict) {
                    return Err(*old);
                }
                self.reads.add(access, by);
            }
            How::Write => {
                if let Some(old) = self.reads.iter().chain(self.atomics.iter()).find(|old| unordered(old)) {
                    return Err(*old);
                }
                self.reads.clear();
                self.atomics.clear();
                self.write = Some(access);
            }
            How::AtomicRead(own) | How::Atomic(own) => {
                let reads = matches!(how, How::AtomicRead(_));
                if let Some(old) = self.reads.iter().find(|old| !reads && unordered(old)) {
                    return Err(*old);
                }
                let conflict = |old: &&Access| match old.how {
                    How::AtomicRead(_) if reads => false,
                    How::AtomicRead(its) | How::Atomic(its) => {
                        // The scopes first: they are cheaper to ask, and mostly settle it.
                        !(by.shares(old.tid, own) && by.shares(old.tid, its)) && unordered(old)
                    }
                    How::Read | How::Write => false,
                };
                if let Some(old) = self.atomics.iter().find(conflict) {
                    return Err(*old);
                }
                self.atomics.add(access, by);
            }
        }
        Ok(())
    }

    fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.write.iter().chain(self.reads.iter()).chain(self.atomics.iter())
    }
}

#[derive(Clone, Debug)]
enum Word {
    Whole(Cell),
    Bytes(Box<[Cell; 4]>),
}

/// The shadow of a range of memory.
#[derive(Debug)]
pub(crate) struct Shadow {
    words: Vec<Word>,
}

impl Shadow {
    pub(crate) fn new(bytes: usize) -> Self {
        Self { words: vec![Word::Whole(Cell::default()); bytes.div_ceil(4)] }
    }

    /// Notes an access to `len` bytes from byte `from` on.
    ///
    /// # Errors
    ///
    /// An earlier access that conflicts with it.
    pub(crate) fn access(
        &mut self,
        from: usize,
        len: usize,
        how: How,
        by: &Accessor<'_>,
    ) -> Result<(), Access> {
        self.cells(from, len, |cell| cell.access(how, by))
    }

    /// Notes that a copy engine wrote the bytes, whatever was there.
    pub(crate) fn engine_write(&mut self, from: usize, len: usize, engine: Tid, clock: u32, site: Site) {
        debug_assert!((ENGINE..NOBODY).contains(&engine));
        let write = Access { tid: engine, clock, how: How::Write, site };
        let done: Result<(), ()> = self.cells(from, len, |cell| {
            *cell = Cell { write: Some(write), ..Cell::default() };
            Ok(())
        });
        debug_assert!(done.is_ok());
    }

    /// The accesses noted for the bytes, each thread's once an epoch.
    pub(crate) fn accesses(&mut self, from: usize, len: usize) -> Vec<Access> {
        let mut all: Vec<Access> = Vec::new();
        let done: Result<(), ()> = self.cells(from, len, |cell| {
            for access in cell.accesses() {
                // Neighbours are mostly alike.
                let same = |old: &&Access| old.tid == access.tid && old.clock == access.clock;
                if all.iter().rev().take(64).find(same).is_none() {
                    all.push(*access);
                }
            }
            Ok(())
        });
        debug_assert!(done.is_ok());
        all
    }

    fn cells<E>(
        &mut self,
        from: usize,
        len: usize,
        mut f: impl FnMut(&mut Cell) -> Result<(), E>,
    ) -> Result<(), E> {
        let end = from + len;
        let mut at = from;
        while at < end {
            let until = (at / 4 * 4 + 4).min(end);
            let word = &mut self.words[at / 4];
            match word {
                Word::Whole(cell) if until - at == 4 => f(cell)?,
                Word::Whole(cell) => {
                    let cell = cell.clone();
                    let mut bytes = Box::new([cell.clone(), cell.clone(), cell.clone(), cell]);
                    let done = bytes[at % 4..=(until - 1) % 4].iter_mut().try_for_each(&mut f);
                    *word = Word::Bytes(bytes);
                    done?;
                }
                Word::Bytes(bytes) => bytes[at % 4..=(until - 1) % 4].iter_mut().try_for_each(&mut f)?,
            }
            at = until;
        }
        Ok(())
    }
}
