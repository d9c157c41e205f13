//! From a requirement as plain data to the tuple of tokens.

use super::GpuRunner;
use crate::request::{Order, Pair, Requirement};
use cluster_topk::args::Argument;
use cluster_topk::gpu::DeviceMemory;
use cluster_topk::prelude::*;
use cluster_topk::{Error, Key, Request};

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
                self.settle(request.plan(&env), request.run(&env))
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
