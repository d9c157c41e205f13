//! Run and check in one step.

use crate::check::{Mismatch, check, check_inputs};
use crate::key::TestKey;
use crate::layout::Layout;
use crate::request::{Form, Number, Request};
use crate::runner::{Inputs, Outputs, Runner, values_for};
use cluster_topk::Error;

/// What a checked run left.
#[derive(Debug)]
pub struct Answer<K> {
    /// The winners of each segment, in the order they were written.
    pub winners: Vec<Vec<usize>>,
    /// The outputs.
    pub out: Outputs<K>,
}

/// A run that was refused, or gave a wrong answer.
#[derive(Debug)]
pub enum Failure {
    /// Refused.
    Refused(Error),
    /// Wrong.
    Wrong(Mismatch),
}

impl core::fmt::Display for Failure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Refused(error) => write!(f, "refused: {error}"),
            Self::Wrong(mismatch) => mismatch.fmt(f),
        }
    }
}

/// Runs a request with a few slots to spare behind the outputs, and checks the answer.
///
/// # Errors
///
/// [`Failure`].
pub fn try_run<K: TestKey>(
    runner: &impl Runner,
    request: &Request,
    keys: &[K],
) -> Result<Answer<K>, Failure> {
    let spare = request.seed as usize % 5;
    let elements = Layout::of(request, keys.len()).elements + spare;
    let mut out = Outputs::canaries(request, elements);
    let (read, values) = (keys.to_vec(), values_for(request, keys.len()));
    runner.run(request, Inputs { keys: &read, values: &values }, &mut out).map_err(Failure::Refused)?;
    check_inputs(request, keys, &read).map_err(Failure::Wrong)?;
    let winners = check(request, keys, &out).map_err(Failure::Wrong)?;
    Ok(Answer { winners, out })
}

/// Runs a request and checks the answer.
///
/// # Panics
///
/// When it is refused, or the answer is wrong.
#[track_caller]
pub fn run<K: TestKey>(runner: &impl Runner, request: &Request, keys: &[K]) -> Answer<K> {
    match try_run(runner, request, keys) {
        Ok(answer) => answer,
        Err(failure) => {
            let small = shrink(runner, request, keys).map(|(request, keys, mismatch)| {
                let bits: Vec<String> = keys.iter().map(|key| format!("{:#x}", key.bits())).collect();
                format!("\nsmallest: {mismatch}\n  k = {}, keys [{}]", request.k.get(0), bits.join(", "))
            });
            panic!("{} keys: {failure}{}", K::NAME, small.unwrap_or_default())
        }
    }
}

/// Makes a wrong answer small: its segment alone, and of that as few keys as still go wrong.
///
/// Answers nothing where the fault needs more than its one segment, or was a refusal.
pub fn shrink<K: TestKey>(
    runner: &impl Runner,
    request: &Request,
    keys: &[K],
) -> Option<(Request, Vec<K>, Mismatch)> {
    let wrong = |request: &Request, keys: &[K]| match try_run(runner, request, keys) {
        Err(Failure::Wrong(mismatch)) => Some(mismatch),
        _ => None,
    };
    let first = wrong(request, keys)?;
    let segment = *Layout::of(request, keys.len()).segments.get(first.segment)?;
    let mut small: Vec<K> = (0..segment.len).map(|i| keys[segment.start + i * request.stride]).collect();
    let (k, fill) = (Number::plain(segment.k), request.fill);
    let mut alone = Request { form: Form::Single, stride: 1, k, output_pitch: None, fill, ..request.clone() };
    let mut mismatch = wrong(&alone, &small)?;
    // Drop runs of keys, half of them first, one at a time in the end; then lower k.
    let mut run = small.len() / 2;
    while run > 0 {
        let mut at = 0;
        while at < small.len() {
            let mut fewer = small.clone();
            fewer.drain(at..(at + run).min(small.len()));
            match wrong(&alone, &fewer) {
                Some(still) => (small, mismatch) = (fewer, still),
                None => at += run,
            }
        }
        run /= 2;
    }
    while let Some(lower) = alone.k.get(0).checked_sub(1) {
        let less = Request { k: Number::plain(lower), ..alone.clone() };
        let Some(still) = wrong(&less, &small) else { break };
        (alone, mismatch) = (less, still);
    }
    Some((alone, small, mismatch))
}
