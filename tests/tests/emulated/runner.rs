//! The agents in the matrix of requests.

use crate::agents::Agent;
use crate::params::{Prepared, output_widths, prepare};
use cluster_topk::Error;
use cluster_topk_abi::params::{Flags, KernelParams};
use cluster_topk_emulate::{Fault, Launch, Options, Report, Schedule, launch};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::request::Request;
use cluster_topk_tests::runner::{Inputs, Outputs, PayloadOut, Runner};

/// Runs requests by one agent in an emulated launch.
pub(crate) struct Emulated {
    pub(crate) agent: &'static Agent,
    pub(crate) schedule: Schedule,
}

impl Runner for Emulated {
    /// # Panics
    ///
    /// When the launch ends in a fault.
    fn run<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Error> {
        match run(self.agent, self.schedule.into(), request, inputs, out) {
            Ok(_) => Ok(()),
            Err(fault) => panic!("{}: {fault}\n  {request:?}", self.agent.name),
        }
    }
}

/// Runs a request by an agent, and checks that exactly the slots were written that are to be.
pub(crate) fn run<K: TestKey>(
    agent: &Agent,
    options: Options,
    request: &Request,
    inputs: Inputs<'_, K>,
    out: &mut Outputs<K>,
) -> Result<Report, Box<Fault>> {
    let prepared = prepare(request, inputs, out);
    assert!(prepared.max_size <= agent.capacity.into(), "{} for {} keys", agent.name, prepared.max_size);
    let shape = Launch {
        blocks: prepared.params.num_segments.div_ceil(agent.segments),
        threads: agent.threads,
        cluster_width: 1,
        shared_bytes: (agent.shared_bytes)(
            prepared.max_k.min(prepared.max_size) as u32,
            prepared.params.flags.contains(Flags::SORTED),
        ),
    };
    run_prepared(agent.run, shape, prepared, options, request, inputs, out)
}

/// Launches a kernel on what has been prepared for it, and checks that exactly the slots were written that are to be.
pub(crate) fn run_prepared<K: TestKey>(
    kernel: unsafe fn(&KernelParams),
    shape: Launch,
    prepared: Prepared,
    options: Options,
    request: &Request,
    inputs: Inputs<'_, K>,
    out: &mut Outputs<K>,
) -> Result<Report, Box<Fault>> {
    let mut prepared = prepared;
    let params = prepared.params;
    if params.num_segments == 0 {
        return Ok(Report::default());
    }
    // SAFETY: the launch has the agent's shape, and the parameters describe buffers that live as long.
    let report = launch(&mut prepared.memory, shape, options, move || unsafe { kernel(&params) })?;
    collect(&prepared, request, inputs, out);
    Ok(report)
}

/// Copies what the last launch wrote, and checks that exactly the slots were written that are to be.
pub(crate) fn collect<K: TestKey>(
    prepared: &Prepared,
    request: &Request,
    inputs: Inputs<'_, K>,
    out: &mut Outputs<K>,
) {
    let Prepared { memory, keys_out, values_out, .. } = prepared;
    let (key_bytes, value_bytes) = output_widths(out);
    let layout = Layout::of(request, inputs.keys.len());
    if let Some(buffer) = *keys_out {
        check_slots(request, &layout, memory.written(buffer), key_bytes);
        bytemuck::cast_slice_mut::<K, u8>(&mut out.keys).copy_from_slice(memory.bytes(buffer));
    }
    if let Some(buffer) = *values_out {
        check_slots(request, &layout, memory.written(buffer), value_bytes);
        let bytes = memory.bytes(buffer);
        let to: &mut [u8] = match &mut out.payload {
            PayloadOut::None => &mut [],
            PayloadOut::U32(out) => bytemuck::cast_slice_mut(out),
            PayloadOut::I32(out) => bytemuck::cast_slice_mut(out),
            PayloadOut::I64(out) => bytemuck::cast_slice_mut(out),
            PayloadOut::Values(_, out) => out.as_mut_slice(),
        };
        to.copy_from_slice(bytes);
    }
}

fn check_slots(request: &Request, layout: &Layout, written: &[bool], width: usize) {
    let mut wanted = vec![false; written.len()];
    for (row, segment) in layout.segments.iter().enumerate() {
        let slots = if request.fill { segment.k } else { segment.k.min(segment.len) };
        let first = row * layout.pitch * width;
        if slots > 0 {
            wanted[first..first + slots * width].fill(true);
        }
    }
    let wrong = wanted.iter().zip(written).position(|(wanted, written)| wanted != written);
    assert!(wrong.is_none(), "output byte {wrong:?} is written or not against the request: {request:?}");
}
