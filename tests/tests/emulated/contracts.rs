//! Every requirement by every agent, where ties and orders matter.

use crate::agents::{AGENTS, agents};
use crate::runner::Emulated;
use crate::times;
use cluster_topk::Key as _;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::policy::{BlockMemory, word_bytes};
use cluster_topk_emulate::Schedule;
use cluster_topk_tests::generators::{Distribution, keys, pick, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::oracle;
use cluster_topk_tests::request::{Direction, IndexType, Order, Pair, Request, Requirement, Tie, Written};
use cluster_topk_tests::runner::Outputs;
use cluster_topk_tests::runner::cpu::CpuRunner;
use cluster_topk_tests::worked_example;

const DIRECTIONS: [Direction; 2] = [Direction::Largest, Direction::Smallest];

fn sorted(mut winners: Vec<usize>) -> Vec<usize> {
    winners.sort_unstable();
    winners
}

/// Keys 10 8 8 8 6 5, k = 3: the sets and the sequences of every row and column of the published table.
#[test]
fn the_worked_example() {
    for requirement in Requirement::spellings() {
        for agent in agents(i32::TYPE.width(), worked_example::KEYS.len()) {
            for (seed, written) in (0..).zip(Written::ALL) {
                let request = Request { requirement, written, ..Request::single(worked_example::K) };
                let emulated = Emulated { agent, schedule: Schedule::nth(seed) };
                let given = run(&emulated, &request, &worked_example::KEYS).winners.remove(0);
                worked_example::check(requirement, &given, &format!("{} {written:?}", agent.name));
            }
        }
    }
}

/// One segment of ties by every agent under every requirement. Sets that are reproducible are the same under every schedule
/// and by every agent; what is pinned altogether is, bit by bit, what the CPU engine gives.
pub(crate) fn ties<K: TestKey>(seeds: core::ops::Range<u64>) {
    for seed in seeds {
        let rng = &mut rng(seed);
        let distribution = pick(rng, &Distribution::TIES);
        for (number, agent) in (0..).zip(agents(K::TYPE.width(), 0)) {
            if agent.threads > 256 && seed % 5 != 0 {
                continue;
            }
            // Up to four rows of ties for each warp of a block.
            let most = agent.capacity.min(4 * 32 * agent.threads) as usize;
            let len = most - (seed + number) as usize % 40.min(most);
            let keys: Vec<K> = keys(rng, distribution, len);
            let k = pick(rng, &[1, 3, len / 8, len / 3, len / 2, len.saturating_sub(1), len, len + 2]);
            let direction = DIRECTIONS[(seed + number) as usize % 2];
            let written =
                pick(rng, &[Written::KeysAndIndices(IndexType::U32), Written::Keys, Written::Pairs(3)]);
            for (nth, requirement) in (seed..).zip(Requirement::meanings()) {
                // Not all of them every time.
                if nth % 3 != number % 3 {
                    continue;
                }
                let request = Request { seed, requirement, direction, written, ..Request::single(k) };
                let emulated = Emulated { agent, schedule: Schedule::nth(nth) };
                let answer = run(&emulated, &request, &keys);
                if written == Written::Keys {
                    // Which of identical keys it was cannot be told.
                    continue;
                }
                let tie = match requirement.membership() {
                    Pair::NotGuaranteed => continue,
                    Pair::Larger => Tie::Larger,
                    Pair::RunToRun | Pair::GpuToGpu | Pair::Smaller => Tie::Smaller,
                };
                let expected = oracle::winners(&keys, k, direction, tie);
                if let Written::KeysAndIndices(_) = written {
                    let given = answer.winners[0].clone();
                    assert_eq!(sorted(given), sorted(expected), "{} {request:?}", agent.name);
                }
                if requirement.ordering() == Order::StableSorted && requirement.tie().is_some() {
                    let cpu = run(&CpuRunner::default(), &request, &keys);
                    let slots =
                        |out: &Outputs<K>| (0..out.len).map(|slot| out.slot(slot)).collect::<Vec<_>>();
                    assert_eq!(slots(&answer.out), slots(&cpu.out), "{} {request:?}", agent.name);
                }
            }
        }
    }
}

macro_rules! ties_of {
    ($name:ident, $key:ty) => {
        #[test]
        fn $name() {
            ties::<$key>(0..15 * times());
        }
    };
}
cluster_topk_tests::each_key_type!(ties_of);

/// Zeros of both signs are equal, whichever wins, and come out as they are; in both directions.
#[test]
fn zeros() {
    fn of<K: TestKey>(sign: u64) {
        for (seed, len) in [2, 31, 64, 100, 200, 500, 700].into_iter().enumerate() {
            let keys: Vec<K> = (0..len)
                .map(|i| K::from_bits64(if (i * 7 + seed) % 3 == 0 { sign } else { u64::from(i % 29 == 5) }))
                .collect();
            for agent in agents(K::TYPE.width(), len).filter(|agent| agent.threads <= 256) {
                for requirement in Requirement::meanings() {
                    for direction in DIRECTIONS {
                        let request = Request { requirement, direction, ..Request::single(len / 3 + 1) };
                        let emulated = Emulated { agent, schedule: Schedule::nth(seed as u64) };
                        run(&emulated, &request, &keys);
                    }
                }
            }
        }
    }
    of::<f32>(1 << 31);
    of::<f64>(1 << 63);
    of::<half::f16>(1 << 15);
}

/// The best keys all in the tile of one thread, which are more than it lists; then one fewer, and so on.
#[test]
fn the_best_in_one_thread() {
    let agents = agents(KeyWidth::W32, 1024);
    let (mut listed, mut crowded) = (0, 0);
    for agent in agents.filter(|agent| agent.name.contains("block_select") && agent.threads <= 256) {
        let items = agent.capacity / agent.threads;
        let room = BlockMemory::of(word_bytes(agent.width), agent.threads, items).listed;
        for best in 1..=items {
            let thread = best * 5 % agent.threads;
            let key = |i: u32| {
                let (item, of) = (i / agent.threads, i % agent.threads);
                if of == thread && item < best { 1000.0 + (i % 3) as f32 } else { (i * 7 % 900) as f32 }
            };
            let keys: Vec<f32> = (0..agent.capacity).map(key).collect();
            let all: Vec<Requirement> = Requirement::meanings().collect();
            let requirement = all[best as usize % all.len()];
            let request = Request { requirement, ..Request::single(best as usize) };
            run(&Emulated { agent, schedule: Schedule::nth(best.into()) }, &request, &keys);
            *if best <= room { &mut listed } else { &mut crowded } += 1;
        }
    }
    assert!(listed > 0 && crowded > 0, "{listed} fit, {crowded} do not");
}

/// Winners either side of what is sorted by counting, and of what is sorted with the costs beside them.
#[test]
fn many_winners() {
    fn of<K: TestKey>(distribution: Distribution) {
        for agent in AGENTS.iter().filter(|agent| agent.width == K::TYPE.width() && agent.capacity >= 8192) {
            let most = BlockMemory::of(word_bytes(agent.width), agent.threads, agent.capacity / agent.threads)
                .sorted_capacity() as usize;
            for (seed, k) in (0..).zip([256, 257, most - 1, most, most + 1, 8000, 8191, 8192]) {
                let requirement = [Requirement::DEFAULT, Requirement::of(Pair::Larger, Order::StableSorted)];
                let keys: Vec<K> = keys(&mut rng(seed), distribution, 8192);
                let request = Request { requirement: requirement[seed as usize % 2], ..Request::single(k) };
                run(&Emulated { agent, schedule: Schedule::nth(seed) }, &request, &keys);
            }
        }
    }
    of::<f32>(Distribution::Boundary);
    of::<u64>(Distribution::LastBits);
}
