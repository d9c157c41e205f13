//! Every agent over requests of every form.

use crate::agents::agents;
use crate::runner::Emulated;
use crate::times;
use cluster_topk::Key as _;
use cluster_topk_emulate::{Mode, Schedule};
use cluster_topk_tests::generators::case;
use cluster_topk_tests::harness;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::request::{Form, Request, Requirement};

/// Every other time the weakest requirement, otherwise each of the others in turn.
fn requirement(seed: u64) -> Requirement {
    let all: Vec<Requirement> = Requirement::meanings().collect();
    if seed.is_multiple_of(2) { all[0] } else { all[1 + (seed / 2) as usize % (all.len() - 1)] }
}

/// The longest segment that the request allows.
fn longest(request: &Request, keys: usize) -> usize {
    let strided = keys.div_ceil(request.stride);
    match &request.form {
        Form::Single => strided,
        Form::Rows { size, .. } => size.upper().min(strided),
        Form::Ragged { max_length, .. } => max_length.map_or(strided, |max| strided.min(max as usize)),
    }
}

/// Cases of `seeds`, of up to `max_keys` keys, each by every agent whose tile holds it.
pub(crate) fn all_agents<K: TestKey>(seeds: core::ops::Range<u64>, max_keys: usize) {
    for seed in seeds {
        let case = case::<K>(seed, max_keys);
        let layout = Layout::of(&case.request, case.keys.len());
        let work: usize = layout.segments.len().max(1);
        for (number, agent) in (0..).zip(agents(K::TYPE.width(), longest(&case.request, case.keys.len()))) {
            // Large blocks with little to do cost much and show little: now and then is enough.
            let cost = work * agent.threads as usize / agent.segments as usize;
            if cost > 2048 && seed % 8 != 0 {
                continue;
            }
            let request = Request { requirement: requirement(seed + number), ..case.request.clone() };
            harness::run(&Emulated { agent, schedule: Schedule::nth(seed) }, &request, &case.keys);
        }
    }
}

macro_rules! every_form {
    ($name:ident, $key:ty) => {
        #[test]
        fn $name() {
            all_agents::<$key>(0..150 * times(), 300);
        }
    };
}
cluster_topk_tests::each_key_type!(every_form);

/// The largest tiles, nearly full.
pub(crate) fn full_tiles<K: TestKey>(seeds: core::ops::Range<u64>) {
    for seed in seeds {
        for (number, agent) in (0..).zip(agents(K::TYPE.width(), 0)) {
            let keys = cluster_topk_tests::generators::keys::<K>;
            let rng = &mut cluster_topk_tests::generators::rng(seed);
            let distribution = cluster_topk_tests::generators::Distribution::random(rng);
            let len = agent.capacity as usize - (seed as usize % 3);
            let keys = keys(rng, distribution, len);
            let k = [1, len / 64 + 1, len / 3 + 1, len.saturating_sub(1), len][seed as usize % 5];
            let request = Request { requirement: requirement(seed + 3 * number), seed, ..Request::single(k) };
            harness::run(&Emulated { agent, schedule: Schedule::nth(seed / 5) }, &request, &keys);
        }
    }
}

#[test]
fn full_tiles_of_every_width() {
    full_tiles::<u8>(0..15 * times());
    full_tiles::<half::f16>(0..15 * times());
    full_tiles::<f32>(0..15 * times());
    full_tiles::<i64>(0..15 * times());
}

#[test]
fn one_case_under_many_schedules() {
    for mode in Mode::ALL {
        for seed in 0..60 * times() {
            let case = case::<f32>(7, 200);
            for agent in agents(f32::TYPE.width(), longest(&case.request, case.keys.len()))
                .filter(|a| a.threads <= 128)
            {
                let request = Request { requirement: requirement(seed), ..case.request.clone() };
                harness::run(&Emulated { agent, schedule: Schedule { mode, seed } }, &request, &case.keys);
            }
        }
    }
}
