//! Sorted requests by the cluster agent and the order agent: what long segments get.

use crate::cluster::{PAIRS, any_agent};
use crate::ordered::{AGENTS, Ordered, Selection};
use crate::times;
use cluster_topk_abi::policy::{OrderPolicy, Workspace};
use cluster_topk_emulate::{Mode, Schedule};
use cluster_topk_tests::generators::{Distribution, case, keys, pick, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::oracle;
use cluster_topk_tests::request::{
    Bound, Direction, Form, IndexType, Int, Number, Order, Pair, Request, Requirement, Tie, Written,
};
use cluster_topk_tests::runner::cpu::CpuRunner;
use cluster_topk_tests::runner::{Inputs, Outputs, values_for};
use cluster_topk_tests::worked_example;

const DIRECTIONS: [Direction; 2] = [Direction::Largest, Direction::Smallest];

fn requirement(seed: u64) -> Requirement {
    let order = if seed.is_multiple_of(3) { Order::Sorted } else { Order::StableSorted };
    Requirement::of(PAIRS[seed as usize % 5], order)
}

fn selection(seed: u64) -> Selection {
    if seed.is_multiple_of(4) {
        Selection::Oracle
    } else {
        Selection::Cluster { agent: any_agent(seed), seed }
    }
}

/// Cases of `seeds`, of up to `max_keys` keys: every form of segments and of k, every output.
pub(crate) fn cases<K: TestKey>(seeds: core::ops::Range<u64>, max_keys: usize) {
    for seed in seeds {
        let case = case::<K>(seed, max_keys);
        let request = Request { requirement: requirement(seed), ..case.request };
        // The kernel's own blocks are large, and cost much.
        let agents = if seed % 16 == 0 { AGENTS } else { &AGENTS[..3] };
        let agent = &agents[seed as usize / 5 % agents.len()];
        let ordered = Ordered { agent, selection: selection(seed / 2), schedule: Schedule::nth(seed) };
        run(&ordered, &request, &case.keys);
    }
}

macro_rules! every_form {
    ($name:ident, $key:ty) => {
        #[test]
        fn $name() {
            cases::<$key>(0..200 * times(), 400);
        }
    };
}
cluster_topk_tests::each_key_type!(every_form);

/// Keys 10 8 8 8 6 5, k = 3: every row and column of the published table.
#[test]
fn the_worked_example() {
    for requirement in Requirement::spellings() {
        for (number, agent) in AGENTS[..3].iter().enumerate() {
            for (seed, written) in (0..).zip(Written::ALL) {
                let request = Request { requirement, written, ..Request::single(worked_example::K) };
                let selection = Selection::Cluster { agent: number, seed };
                let ordered = Ordered { agent, selection, schedule: Schedule::nth(seed) };
                let given = run(&ordered, &request, &worked_example::KEYS).winners.remove(0);
                worked_example::check(requirement, &given, &format!("{written:?}"));
            }
        }
    }
}

/// Ties everywhere: where the contract pins the answer, it is the CPU engine's, bit by bit.
fn ties<K: TestKey>(seeds: core::ops::Range<u64>) {
    for seed in seeds {
        let rng = &mut rng(seed);
        let agent = &AGENTS[seed as usize % 3];
        let len = 700 - seed as usize % 40;
        let distribution = pick(rng, &Distribution::TIES);
        let keys: Vec<K> = keys(rng, distribution, len);
        let k = pick(rng, &[1, 2, 31, 33, len / 3, len - 1, len, len + 2]);
        let written = pick(rng, &[Written::KeysAndIndices(IndexType::U32), Written::Pairs(8)]);
        for direction in DIRECTIONS {
            for tie in [Pair::Smaller, Pair::Larger] {
                let requirement = Requirement::of(tie, Order::StableSorted);
                let request = Request { seed, requirement, direction, written, ..Request::single(k) };
                let ordered = Ordered { agent, selection: selection(seed), schedule: Schedule::nth(seed) };
                let answer = run(&ordered, &request, &keys);
                let cpu = run(&CpuRunner::default(), &request, &keys);
                let slots = |out: &Outputs<K>| (0..out.len).map(|slot| out.slot(slot)).collect::<Vec<_>>();
                assert_eq!(slots(&answer.out), slots(&cpu.out), "{:?} {request:?}", agent.policy);
                let tie = if tie == Pair::Larger { Tie::Larger } else { Tie::Smaller };
                assert_eq!(answer.winners[0], oracle::winners(&keys, k, direction, tie));
            }
        }
    }
}

macro_rules! ties_of {
    ($name:ident, $key:ty) => {
        mod $name {
            #[test]
            fn ties() {
                super::ties::<$key>(0..12 * super::times());
            }
        }
    };
}
cluster_topk_tests::each_key_type!(ties_of);

/// Zeros of both signs are one cost, and come out as they are.
#[test]
fn zeros() {
    fn of<K: TestKey>(sign: u64) {
        for (seed, len) in (0..).zip([31, 100, 200, 700]) {
            let key = |i: u64| if (i * 7 + seed).is_multiple_of(3) { sign } else { u64::from(i % 29 == 5) };
            let keys: Vec<K> = (0..len).map(|i| K::from_bits64(key(i))).collect();
            for agent in &AGENTS[..3] {
                for pair in PAIRS {
                    for direction in DIRECTIONS {
                        let requirement = Requirement::of(pair, Order::StableSorted);
                        let k = len as usize * 2 / 3;
                        let request = Request { requirement, direction, ..Request::single(k) };
                        let selection = Selection::Cluster { agent: 1, seed };
                        run(&Ordered { agent, selection, schedule: Schedule::nth(seed) }, &request, &keys);
                    }
                }
            }
        }
    }
    of::<f32>(1 << 31);
    of::<f64>(1 << 63);
    of::<half::f16>(1 << 15);
}

/// Either side of what shared memory holds, and far beyond; by the kernels' own blocks, too.
#[test]
fn many_winners() {
    fn of<K: TestKey>(distribution: Distribution) {
        for (number, agent) in (0..).zip(AGENTS) {
            let most = agent.policy.capacity() as usize;
            let far = if most > 2000 { most + 5000 } else { 5 * most + 77 };
            for (seed, k) in (number..).zip([most - 1, most, most + 1, far]) {
                let requirement = requirement(seed);
                let keys: Vec<K> = keys(&mut rng(seed), distribution, far + 9);
                let request = Request { seed, requirement, ..Request::single(k) };
                let ordered = Ordered { agent, selection: Selection::Oracle, schedule: Schedule::nth(seed) };
                run(&ordered, &request, &keys);
            }
        }
    }
    of::<f32>(Distribution::Bits);
    of::<f64>(Distribution::Bits);
    of::<half::bf16>(Distribution::Clustered);
    of::<u64>(Distribution::LastBits);
    of::<u8>(Distribution::Bits);
    of::<i32>(Distribution::Outliers);
}

/// Rows that give few and many items in one call.
#[test]
fn a_k_of_each_segment() {
    for seed in 0..40 * times() {
        let rng = &mut rng(seed);
        let (count, length) = (6, 300);
        let ks = (0..count).map(|_| pick(rng, &[0, 1, 20, 32, 33, 128, 150, 299, 300, 310])).collect();
        let distribution = Distribution::random(rng);
        let keys: Vec<f32> = keys(rng, distribution, count * length);
        let request = Request {
            seed,
            requirement: requirement(seed),
            form: Form::Rows { count, size: Number::plain(length), pitch: None },
            k: Number::each(ks, 320),
            fill: seed.is_multiple_of(2),
            ..Request::single(0)
        };
        let agent = &AGENTS[seed as usize % 3];
        run(&Ordered { agent, selection: selection(seed), schedule: Schedule::nth(seed) }, &request, &keys);
    }
}

#[test]
fn one_case_under_many_schedules() {
    for mode in Mode::ALL {
        for seed in 0..20 * times() {
            let keys: Vec<f32> = keys(&mut rng(3), Distribution::ALL[4], 400);
            for (agent, k) in [(&AGENTS[1], 100), (&AGENTS[1], 300), (&AGENTS[0], 37)] {
                let request = Request { requirement: requirement(seed), ..Request::single(k) };
                let schedule = Schedule { mode, seed };
                run(&Ordered { agent, selection: Selection::Oracle, schedule }, &request, &keys);
            }
        }
    }
}

/// The workspace grows with k, and not with the segments' length.
#[test]
fn the_workspace_is_a_few_bytes_an_item() {
    for word_bytes in [4, 8] {
        for k in [2u64, 64, 4096, 4097, 100_000] {
            let of = |length: u64| Workspace::of(OrderPolicy::DEFAULT, word_bytes, k.min(length));
            assert_eq!(of(200_000), of((1 << 31) - 1));
            assert!(of(200_000).bytes(7) <= 7 * (24 * k + 30));
        }
    }
}

/// Numbers in device memory that are wrong: the answer may be wrong for their segments, but no access leaves a buffer.
#[test]
fn wrong_numbers() {
    for seed in 0..60 * times() {
        let rng = &mut rng(seed);
        let (count, longest) = (5, 150);
        let mut junk = || {
            let anything = [i64::MIN, -1, 0, 20, 40, 70, 150, 151, i64::from(i32::MAX), 1 << 32, i64::MAX];
            i128::from(pick(rng, &anything))
        };
        let ks = (0..count).map(|_| junk()).collect();
        let sizes = (0..count).map(|_| junk()).collect();
        let agent = &AGENTS[seed as usize % 3];
        let request = Request {
            seed,
            form: Form::Rows {
                count,
                size: Number::Sequence(sizes, Int::I64, Bound::Runtime(0, longest)),
                pitch: Some(100),
            },
            k: Number::Sequence(ks, Int::I64, Bound::Runtime(0, 140)),
            output_pitch: Some(140),
            fill: seed.is_multiple_of(2),
            requirement: requirement(seed),
            ..Request::single(0)
        };
        let keys: Vec<f32> = keys(rng, Distribution::Bits, 480);
        let mut out = Outputs::canaries(&request, count * 140);
        let values = values_for(&request, keys.len());
        let selection = Selection::Cluster { agent: any_agent(seed), seed };
        let ordered = Ordered { agent, selection, schedule: Schedule::nth(seed) };
        if let Err(fault) = ordered.wrong_numbers(&request, Inputs { keys: &keys, values: &values }, &mut out)
        {
            panic!("{:?}: {fault}\n  {request:?}", agent.policy);
        }
    }
}
