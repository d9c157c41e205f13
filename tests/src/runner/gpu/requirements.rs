//! From a requirement as plain data to the tuple of tokens.

use super::GpuRunner;
use super::buffer::{Buffer, Guard};
use crate::request::{Order, Pair, Requirement};
use cluster_topk::args::Argument;
use cluster_topk::gpu::{DeviceMemory, DeviceViewMut};
use cluster_topk::prelude::*;
use cluster_topk::{Error, Key, Request};

/// The workspace of one call, with a guard around it.
struct Workspace {
    buffer: Option<Buffer>,
    len: usize,
}

impl Workspace {
    fn of(runner: &GpuRunner, len: usize) -> Self {
        let guard = Guard { lead: 1, width: 16, fill: &[0x5A] };
        let buffer = (len > 0).then(|| Buffer::output(runner.gpu.stream(), &vec![0xEE; len], guard));
        Self { buffer, len }
    }

    fn view<'a>(&self, runner: &GpuRunner) -> Option<DeviceViewMut<'a, u8>> {
        let address = self.buffer.as_ref()?.address(runner.gpu.stream());
        // SAFETY: the buffer holds `len` bytes, and nothing else uses it until `check` has waited for the stream.
        Some(unsafe { DeviceViewMut::from_raw(address, self.len) })
    }

    /// Waits for the call, and checks that it kept to its room.
    fn check(&self, runner: &GpuRunner) {
        if let Some(buffer) = &self.buffer {
            buffer.download(runner.gpu.stream(), "workspace");
        }
    }
}

impl GpuRunner {
    /// Plans and runs a call under a requirement, every token of it named.
    pub(super) fn under<'i, 'o, K: Key, S: Argument<'i, DeviceMemory>, O>(
        &self,
        requirement: Requirement,
        request: Request<'i, 'o, K, DeviceMemory, S, O>,
    ) -> Result<(), Error> {
        macro_rules! meanings {
            ($($pair:ident => $determinism:ident, $tie_break:ident;)*) => {
                match (requirement.membership(), requirement.ordering()) {
                    $(
                        (Pair::$pair, Order::Unsorted) => meanings!(@run $determinism, $tie_break, Unsorted),
                        (Pair::$pair, Order::Sorted) => meanings!(@run $determinism, $tie_break, Sorted),
                        (Pair::$pair, Order::StableSorted) => meanings!(@run $determinism, $tie_break, StableSorted),
                    )*
                }
            };
            (@run $determinism:ident, $tie_break:ident, $order:ident) => {{
                let env = self.env.clone().require(($determinism, $tie_break, $order));
                // Room that holds garbage, where any is needed; whether it should have been is the plan's to say.
                let bytes = request.workspace_bytes(&env).unwrap_or(0);
                let room = Workspace::of(self, bytes);
                let plan = request.plan(&env);
                let called = match room.view(self) {
                    Some(view) => request.workspace(view).run(&env),
                    None => request.run(&env),
                };
                room.check(self);
                self.settle(plan, bytes as u64, called)
            }};
        }
        meanings! {
            NotGuaranteed => NotGuaranteed, Unspecified;
            RunToRun => RunToRun, Unspecified;
            GpuToGpu => GpuToGpu, Unspecified;
            Smaller => GpuToGpu, PreferSmallerIndex;
            Larger => GpuToGpu, PreferLargerIndex;
        }
    }
}
