//! Which thread runs next: one seed and one mode are one interleaving.

use std::fmt;

/// How the scheduler picks among the threads that can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Any of them.
    Random,
    /// In turn, switching at every operation.
    RoundRobin,
    /// One warp of every block runs only when nothing else can.
    StarveOneWarp,
    /// The first lane of every warp runs only when nothing else can.
    LeaderLast,
    /// One block of every cluster (of every few blocks, where clusters have one) runs whenever it can, and starts first.
    OneBlockAhead,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 5] =
        [Self::Random, Self::RoundRobin, Self::StarveOneWarp, Self::LeaderLast, Self::OneBlockAhead];
}

/// A mode and a seed, which together replay an interleaving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// How threads are picked.
    pub mode: Mode,
    /// What the choices that the mode leaves open are drawn from.
    pub seed: u64,
}

impl Schedule {
    /// Seed `seed` under the mode that its low digits choose, so that counting seeds covers all modes.
    #[must_use]
    pub const fn nth(seed: u64) -> Self {
        Self { mode: Mode::ALL[(seed % Mode::ALL.len() as u64) as usize], seed }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mode {:?}, seed {}", self.mode, self.seed)
    }
}

/// A good mixer of 64 bits (splitmix64).
pub(crate) const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The scheduler's choices.
#[derive(Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number below `n`, which is not 0.
    pub(crate) const fn below(&mut self, n: u32) -> u32 {
        // The bias is below 2^-32.
        (((self.next() >> 32) * n as u64) >> 32) as u32
    }

    /// True once in `n` times.
    pub(crate) const fn one_in(&mut self, n: u32) -> bool {
        n <= 1 || self.below(n) == 0
    }
}

/// How threads are ranked by a mode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranking {
    schedule: Schedule,
    warps: u32,
    group: u32,
}

impl Ranking {
    pub(crate) const fn new(schedule: Schedule, threads: u32, cluster_width: u32) -> Self {
        let group = if cluster_width > 1 { cluster_width } else { 3 };
        Self { schedule, warps: threads.div_ceil(32), group }
    }

    /// Whether a thread runs only when those that are not deferred cannot.
    pub(crate) const fn defers(self, block: u32, thread: u32) -> bool {
        match self.schedule.mode {
            Mode::Random | Mode::RoundRobin => false,
            Mode::StarveOneWarp => {
                thread / 32 == (mix(self.schedule.seed ^ block as u64) % self.warps as u64) as u32
            }
            Mode::LeaderLast => thread.is_multiple_of(32),
            Mode::OneBlockAhead => self.defers_block(block),
        }
    }

    /// Whether a block starts only once those ahead of it cannot go on.
    pub(crate) const fn defers_block(self, block: u32) -> bool {
        let ahead = mix(self.schedule.seed ^ (block / self.group) as u64) % self.group as u64;
        matches!(self.schedule.mode, Mode::OneBlockAhead) && !((block % self.group) as u64 == ahead)
    }
}
