//! From a requirement as plain data to the tuple of tokens.

use super::GpuRunner;
use crate::request::{Order, Pair, Requirement};
use cluster_topk::args::Argument;
use cluster_topk::gpu::DeviceMemory;
use cluster_topk::prelude::*;
use cluster_topk::{Error, Key, Request};

impl GpuRunner {
    /// Plans and runs a call under a pair, unsorted, which is what the GPU engine serves.
    pub(super) fn under<'i, 'o, K: Key, S: Argument<'i, DeviceMemory>, O>(
        &self,
        requirement: Requirement,
        request: Request<'i, 'o, K, DeviceMemory, S, O>,
    ) -> Result<(), Error> {
        assert_eq!(requirement.order, Some(Order::Unsorted), "the GPU engine writes items unsorted");
        macro_rules! pairs {
            ($($pair:pat => $tokens:expr;)*) => {
                match requirement.pair {
                    $($pair => {
                        let env = self.env.clone().require($tokens);
                        self.settle(request.plan(&env), request.run(&env))
                    })*
                }
            };
        }
        pairs! {
            Some(Pair::NotGuaranteed) => (NotGuaranteed, Unspecified, Unsorted);
            Some(Pair::RunToRun) => (RunToRun, Unspecified, Unsorted);
            Some(Pair::GpuToGpu) => (GpuToGpu, Unspecified, Unsorted);
            None | Some(Pair::Smaller) => (GpuToGpu, PreferSmallerIndex, Unsorted);
            Some(Pair::Larger) => (GpuToGpu, PreferLargerIndex, Unsorted);
        }
    }
}
