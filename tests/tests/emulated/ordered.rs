//! The order agent, alone behind winners that the oracle chose, and behind the cluster agent.

use crate::cluster;
use crate::params::{Prepared, prepare};
use crate::runner::collect;
use cluster_topk::Error;
use cluster_topk_abi::params::OrderParams;
use cluster_topk_abi::policy::{OrderMemory, OrderPolicy, Workspace};
use cluster_topk_device::agents::order::run;
use cluster_topk_emulate::{Buffer, Fault, Launch, Options, Report, Schedule, Use, launch};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::{Layout, mix};
use cluster_topk_tests::oracle;
use cluster_topk_tests::request::{Request, Tie};
use cluster_topk_tests::runner::{Inputs, Outputs, Runner};

/// The order agent with its compile-time parameters.
pub(crate) struct Agent {
    pub(crate) policy: OrderPolicy,
    kernels: [unsafe fn(&OrderParams); 4],
}

macro_rules! agents {
    ($($threads:literal x $items:literal),*) => {
        /// Every order agent: those of the kernels, and smaller ones that sort by radix passes sooner.
        pub(crate) const AGENTS: &[Agent] = &[$(Agent {
            policy: OrderPolicy { threads: $threads, items_per_thread: $items },
            kernels: [
                run::<u8, $threads, $items>,
                run::<u16, $threads, $items>,
                run::<u32, $threads, $items>,
                run::<u64, $threads, $items>,
            ],
        }),*];
    };
}
agents! { 32 x 1, 64 x 2, 128 x 1, 512 x 2, 1024 x 4 }

/// Who selects.
#[derive(Clone, Copy)]
pub(crate) enum Selection {
    /// The oracle; winners lie in no order.
    Oracle,
    /// The cluster agent, of that number, in a shape at random.
    Cluster { agent: usize, seed: u64 },
}

/// Runs requests by two launches, the second of an order agent.
pub(crate) struct Ordered {
    pub(crate) agent: &'static Agent,
    pub(crate) selection: Selection,
    pub(crate) schedule: Schedule,
}

impl Ordered {
    /// What the second launch did, under `options`.
    pub(crate) fn launch<K: TestKey>(
        &self,
        options: Options,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<Report, Box<Fault>> {
        let (prepared, report) = self.launches(options, request, inputs, out)?;
        if let Some(prepared) = prepared {
            collect(&prepared, request, inputs, out);
        }
        Ok(report)
    }

    /// Both launches of a request whose numbers are wrong: what they write is not looked at.
    pub(crate) fn wrong_numbers<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Box<Fault>> {
        self.launches(self.schedule.into(), request, inputs, out).map(drop)
    }

    /// What both launches left, unless there was nothing to launch, and what the second did.
    fn launches<K: TestKey>(
        &self,
        options: Options,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &Outputs<K>,
    ) -> Result<(Option<Prepared>, Report), Box<Fault>> {
        let mut prepared = prepare(request, inputs, out);
        if prepared.params.num_segments == 0 {
            return Ok((None, Report::default()));
        }
        let items = prepared.max_k.min(prepared.max_size);
        let word_bytes = size_of::<K>().max(4) as u32;
        let workspace = Workspace::of(self.agent.policy, word_bytes, items);
        let bytes = workspace.bytes(prepared.params.num_segments.into()) as usize;
        let room = prepared.memory.add("workspace", Use::Scratch, &vec![0xEE; bytes]);
        let order = OrderParams::of(prepared.params, workspace, prepared.memory.address(room));
        match self.selection {
            Selection::Oracle => by_oracle(&mut prepared, room, workspace, request, inputs),
            Selection::Cluster { agent, seed } => {
                let shape = cluster::Shape::random(seed);
                let cluster =
                    cluster::Emulated { agent: &cluster::AGENTS[agent], shape, schedule: self.schedule };
                let mut params = order.selection();
                let (kernel, shape) = cluster.configure::<K>(&mut params);
                // SAFETY: the launch has the agent's shape, and the parameters describe buffers that live as long.
                launch(&mut prepared.memory, shape, self.schedule, move || unsafe { kernel(&params) })?;
                for buffer in [prepared.keys_out, prepared.values_out].into_iter().flatten() {
                    assert!(prepared.memory.written(buffer).iter().all(|written| !written), "not its output");
                }
            }
        }
        let shape = Launch {
            blocks: prepared.params.num_segments,
            threads: self.agent.policy.threads,
            cluster_width: 1,
            shared_bytes: OrderMemory::of(self.agent.policy, word_bytes, workspace.items).bytes,
        };
        let kernel = self.agent.kernels[size_of::<K>().trailing_zeros() as usize];
        // SAFETY: as above.
        let report = launch(&mut prepared.memory, shape, options, move || unsafe { kernel(&order) })?;
        Ok((Some(prepared), report))
    }
}

/// Leaves the indices of the winners in the workspace, as a cluster would.
fn by_oracle<K: TestKey>(
    prepared: &mut Prepared,
    room: Buffer,
    workspace: Workspace,
    request: &Request,
    inputs: Inputs<'_, K>,
) {
    let tie = request.requirement.tie().unwrap_or(Tie::Smaller);
    let layout = Layout::of(request, inputs.keys.len());
    for (row, segment) in layout.segments.iter().enumerate() {
        let keys: Vec<K> =
            (0..segment.len).map(|i| inputs.keys[segment.start + i * request.stride]).collect();
        let mut winners = oracle::winners(&keys, segment.k, request.direction, tie);
        winners.sort_by_key(|&index| mix(request.seed ^ index as u64));
        let first = row * workspace.row_bytes as usize;
        for (slot, index) in winners.into_iter().enumerate() {
            let at = first + 4 * slot;
            prepared.memory.bytes_mut(room)[at..at + 4].copy_from_slice(&(index as u32).to_le_bytes());
        }
    }
}

impl Runner for Ordered {
    /// # Panics
    ///
    /// When a launch ends in a fault.
    fn run<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Error> {
        match self.launch(self.schedule.into(), request, inputs, out) {
            Ok(_) => Ok(()),
            Err(fault) => panic!("{:?}: {fault}\n  {request:?}", self.agent.policy),
        }
    }
}
