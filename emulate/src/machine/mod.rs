//! The state of a launch: what the hardware would hold.
//!
//! Device operations are methods of [`Machine`], by kind in the files beside this one. A method acts for the thread
//! [`Machine::current`]; one that must wait says so, and whoever ends the wait makes the thread ready again.

mod access;
mod atomic;
mod barrier;
mod bulk;
mod cluster;
mod exit;
mod mbarrier;
mod order;
mod queue;
mod stuck;
mod warp;

pub(crate) use access::Space;
pub(crate) use barrier::Reduction;
pub(crate) use queue::Step;
pub(crate) use warp::Collective;

use crate::clock::{Tid, View};
use crate::fault::{Fault, Place, Rule, ThreadId};
use crate::launch::{Launch, Mutation, Options};
use crate::memory::Memory;
use crate::schedule::{Ranking, Rng};
use crate::shadow::Accessor;
use crate::shared::Shared;
use crate::site::{Op, Site};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What an operation gives, or what stops the launch.
pub(crate) type Outcome<T> = Result<T, Box<Fault>>;

/// Whether the thread goes on or waits to be made ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Go,
    Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    NotStarted,
    Ready,
    Waiting,
    Exited,
}

/// A thread.
#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) state: State,
    /// Its releases so far, plus 1.
    pub(crate) clock: u32,
    pub(crate) view: Rc<View>,
    /// The operation it is at.
    pub(crate) site: Site,
    /// What the operation that it waited in gave.
    pub(crate) result: u64,
    /// What fences published and what they are yet to acquire.
    order: order::Ordering,
    /// The phase of the cluster barrier that it has arrived at and not yet waited for.
    cluster_phase: Option<u64>,
    /// Atomic loads and tries in a row.
    spins: u32,
}

/// A block, from its start on.
#[derive(Debug)]
pub(crate) struct Block {
    live: u32,
    pub(crate) shared: Shared,
    barriers: [barrier::Barrier; 16],
    warps: Vec<warp::Warp>,
    mbarriers: BTreeMap<u32, mbarrier::Mbarrier>,
    /// The last access that each thread of another block made to this one's shared memory.
    visits: HashMap<Tid, (u32, Site)>,
}

/// A block's place in the grid.
#[derive(Debug)]
pub(crate) enum Slot {
    NotStarted,
    Running(Box<Block>),
    Exited,
}

/// What a launch did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Operations.
    pub operations: u64,
    /// Switches from one thread to another.
    pub switches: u64,
    /// How often the barrier of a cluster was passed, all clusters together.
    pub cluster_barriers: u64,
    /// Bulk copies into shared memory.
    pub bulk_copies: u64,
    /// Where operations stood that order others.
    pub sites: BTreeSet<Site>,
    /// Where atomic operations stood whose scope is wider than a block.
    pub scoped: BTreeSet<Site>,
}

#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) launch: Launch,
    pub(crate) options: Options,
    pub(crate) memory: Memory,
    pub(crate) current: Tid,
    pub(crate) threads: Vec<Thread>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) fault: Option<Box<Fault>>,
    pub(crate) report: Report,
    queue: queue::Queue,
    clusters: BTreeMap<u32, cluster::ClusterBarrier>,
    copies: Vec<bulk::Copy>,
    /// What releases to memory left to be acquired.
    released: order::Released,
    rng: Rng,
    /// How seldom a thread is made to give way.
    patience: u32,
    /// Names copies and barriers in shared memory.
    serial: u64,
    /// Operations since something last changed.
    idle: u64,
    /// Which call sites the report has.
    seen: Vec<(Op, usize)>,
}

impl Machine {
    #[track_caller]
    pub(crate) fn new(launch: Launch, options: Options, memory: Memory) -> Self {
        let mut rng = Rng::new(options.schedule.seed);
        let ranking = Ranking::new(options.schedule, launch.threads, launch.cluster_width);
        let patience = [1, 2, 4, 16, 64][rng.below(5) as usize];
        let start = Site::here(Op::Start);
        let view = Rc::new(View::default());
        let thread = |_| Thread {
            state: State::NotStarted,
            clock: 1,
            view: view.clone(),
            site: start,
            result: 0,
            order: order::Ordering::default(),
            cluster_phase: None,
            spins: 0,
        };
        Self {
            threads: (0..launch.blocks * launch.threads).map(thread).collect(),
            slots: (0..launch.blocks).map(|_| Slot::NotStarted).collect(),
            queue: queue::Queue::new(launch, options.schedule.mode, ranking, &mut rng),
            launch,
            options,
            memory,
            current: 0,
            fault: None,
            report: Report::default(),
            clusters: BTreeMap::new(),
            copies: Vec::new(),
            released: order::Released::default(),
            rng,
            patience,
            serial: 0,
            idle: 0,
            seen: Vec::new(),
        }
    }

    /// Notes that the current thread is at `site`. Whether it must give way first.
    #[inline]
    pub(crate) fn begin(&mut self, site: Site) -> bool {
        let current = self.current;
        self.threads[current as usize].site = site;
        self.report.operations += 1;
        self.idle += 1;
        let gives_way = self.queue.takes_turns() || self.rng.one_in(self.patience);
        if gives_way {
            self.queue.ready(current);
        }
        gives_way
    }

    /// Whether a mutation takes the operation out; notes that it is there if not.
    pub(crate) fn removed(&mut self, site: Site) -> bool {
        // By address first: comparing file names takes longer than most operations.
        let address = (site.op, std::ptr::from_ref(site.at).addr());
        if site.op.orders() && !self.seen.contains(&address) {
            self.seen.push(address);
            self.report.sites.insert(site);
        }
        match self.options.mutation {
            // `cluster::sync` is two operations at one place.
            Some(Mutation::Remove(out)) => out.at == site.at && out.op.pair() == site.op.pair(),
            _ => false,
        }
    }

    #[inline]
    pub(crate) fn me(&mut self) -> &mut Thread {
        &mut self.threads[self.current as usize]
    }

    pub(crate) const fn block_of(&self, tid: Tid) -> u32 {
        tid / self.launch.threads
    }

    pub(crate) const fn name(&self, tid: Tid) -> ThreadId {
        let index = tid % self.launch.threads;
        ThreadId { block: tid / self.launch.threads, warp: index / 32, lane: index % 32 }
    }

    /// The current thread's block. It runs, or the thread would not.
    fn own_block(&mut self) -> &mut Block {
        let block = self.block_of(self.current);
        match &mut self.slots[block as usize] {
            Slot::Running(block) => block,
            other => unreachable!("a thread of block {block} runs while the block is {other:?}"),
        }
    }

    /// What the race detector must know of the current thread.
    #[inline]
    fn accessor(&self) -> Accessor<'_> {
        let thread = &self.threads[self.current as usize];
        Accessor {
            tid: self.current,
            clock: thread.clock,
            site: thread.site,
            view: &thread.view,
            threads: self.launch.threads,
            cluster_width: self.launch.cluster_width,
        }
    }

    /// A fault of the current thread.
    #[cold]
    pub(crate) fn fault(&self, rule: Rule, detail: impl Into<String>) -> Box<Fault> {
        Box::new(Fault {
            rule,
            thread: self.name(self.current),
            site: self.threads[self.current as usize].site,
            place: None,
            other: None,
            detail: detail.into(),
            schedule: self.options.schedule,
        })
    }

    /// A fault of the current thread at a place in memory.
    #[cold]
    fn fault_at(&self, rule: Rule, place: Place, detail: impl Into<String>) -> Box<Fault> {
        let mut fault = self.fault(rule, detail);
        fault.place = Some(place);
        fault
    }

    /// A thread goes on, with what its operation gave.
    fn wake(&mut self, tid: Tid, result: u64) {
        let thread = &mut self.threads[tid as usize];
        thread.result = result;
        thread.state = State::Ready;
        thread.spins = 0;
        self.idle = 0;
        self.queue.calm(tid);
        self.queue.ready(tid);
    }
}
