//! Tests that are skipped, with the reason, where they cannot run.

use super::device::Device;
use libtest_mimic::{Completion, Failed, Trial};

/// What a test may answer.
pub(crate) type Outcome = Result<(), Skip>;

/// Why a test cannot run here.
#[derive(Debug)]
pub(crate) struct Skip(pub(crate) String);

/// The list of tests.
pub(crate) struct Tests {
    trials: Vec<Trial>,
    require_gpu: bool,
}

impl Tests {
    pub(crate) const fn new(require_gpu: bool) -> Self {
        Self { trials: Vec::new(), require_gpu }
    }

    /// Adds a test that takes the device.
    pub(crate) fn add(
        &mut self,
        name: impl Into<String>,
        test: impl Fn(&'static Device) + Send + Sync + 'static,
    ) {
        self.add_skippable(name, move |device| {
            test(device);
            Ok(())
        });
    }

    /// Adds a test that takes the device and may find that it lacks something.
    pub(crate) fn add_skippable(
        &mut self,
        name: impl Into<String>,
        test: impl Fn(&'static Device) -> Outcome + Send + Sync + 'static,
    ) {
        let require_gpu = self.require_gpu;
        self.trials.push(Trial::ignorable_test(name, move || match Device::get() {
            Err(reason) if require_gpu => Err(Failed::from(reason)),
            Err(reason) => Ok(Completion::ignored_with(reason)),
            Ok(device) => match test(device) {
                Ok(()) => Ok(Completion::Completed),
                Err(Skip(reason)) => Ok(Completion::ignored_with(reason)),
            },
        }));
    }

    pub(crate) fn into_trials(self) -> Vec<Trial> {
        self.trials
    }
}
