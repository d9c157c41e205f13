//! Neither the number of threads nor the batch changes an answer.

use cluster_topk_tests::generators::{Distribution, case, keys, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Direction, Form, Number, Order, Pair, Request, Requirement};
use cluster_topk_tests::runner::cpu::CpuRunner;

/// Long enough to be shared between threads.
const LONG: usize = (1 << 18) + 4321;

fn runners() -> [CpuRunner; 3] {
    [1, 2, 7].map(CpuRunner::with_threads)
}

fn long_segments<K: TestKey>() {
    let runners = runners();
    for (seed, distribution) in
        [Distribution::Bits, Distribution::Boundary, Distribution::FewDistinct, Distribution::AllEqual]
            .into_iter()
            .enumerate()
    {
        let some = keys::<K>(&mut rng(seed as u64), distribution, LONG);
        for (k, pair) in
            [(1, Pair::Smaller), (300, Pair::Larger), (LONG / 3, Pair::Smaller), (LONG - 1, Pair::Larger)]
        {
            let request =
                Request { requirement: Requirement::of(pair, Order::StableSorted), ..Request::single(k) };
            let [one, others @ ..] = runners.each_ref().map(|runner| run(runner, &request, &some));
            for other in others {
                assert!(one.winners == other.winners, "{distribution:?}, k = {k}");
            }
        }
    }
}

#[test]
fn long_segments_of_wide_keys() {
    long_segments::<f32>();
}

#[test]
fn long_segments_of_narrow_keys() {
    long_segments::<u8>();
}

#[test]
fn sets_do_not_depend_on_threads() {
    let runners = runners();
    for seed in 0..400 {
        let case = case::<i16>(seed << 8 | 7, 1 << 15);
        let [one, others @ ..] = runners.each_ref().map(|runner| run(runner, &case.request, &case.keys));
        if case.request.requirement.membership() == Pair::NotGuaranteed {
            continue;
        }
        let sets = |winners: &[Vec<usize>]| -> Vec<Vec<usize>> {
            let sorted = |set: &Vec<usize>| {
                let mut set = set.clone();
                set.sort_unstable();
                set
            };
            winners.iter().map(sorted).collect()
        };
        for other in others {
            assert_eq!(sets(&one.winners), sets(&other.winners), "{:?}", case.request);
        }
    }
}

#[test]
fn the_batch_does_not_matter() {
    let len = 500;
    let row = keys::<half::bf16>(&mut rng(1), Distribution::FewDistinct, len);
    for pair in [Pair::RunToRun, Pair::GpuToGpu, Pair::Smaller, Pair::Larger] {
        let requirement = Requirement::of(pair, Order::StableSorted);
        let alone = run(&CpuRunner::default(), &Request { requirement, ..Request::single(8) }, &row).winners;
        for rows in [1, 7, 33, 149, 1000] {
            for place in [0, rows / 2, rows - 1] {
                let mut batch = keys::<half::bf16>(&mut rng(rows as u64), Distribution::Bits, rows * len);
                batch[place * len..(place + 1) * len].copy_from_slice(&row);
                let form = Form::Rows { count: rows, size: Number::plain(len), pitch: None };
                let requirement = match pair {
                    // Rows have no instance of these two; ragged segments do.
                    Pair::RunToRun | Pair::GpuToGpu => {
                        let offsets = (0..=rows).map(|i| (i * len) as i128).collect();
                        let form = Form::Ragged {
                            offsets,
                            int: cluster_topk_tests::request::Int::U32,
                            max_length: None,
                        };
                        let request = Request { form, requirement, ..Request::single(8) };
                        assert_eq!(run(&CpuRunner::default(), &request, &batch).winners[place], alone[0]);
                        continue;
                    }
                    Pair::Smaller => Requirement::DEFAULT,
                    _ => requirement,
                };
                let request = Request { form, requirement, ..Request::single(8) };
                assert_eq!(run(&CpuRunner::default(), &request, &batch).winners[place], alone[0]);
            }
        }
    }
}

#[test]
fn sets_are_nested() {
    for (seed, distribution) in (0..).zip(Distribution::ALL) {
        let some = keys::<f32>(&mut rng(seed), distribution, 700);
        for pair in [Pair::RunToRun, Pair::GpuToGpu, Pair::Smaller, Pair::Larger] {
            for direction in [Direction::Largest, Direction::Smallest] {
                let mut before: Vec<usize> = Vec::new();
                for k in (0..=700).step_by(7).chain([1, 2, 3, 699]).collect::<std::collections::BTreeSet<_>>()
                {
                    let requirement = Requirement::of(pair, Order::Unsorted);
                    let request = Request { requirement, direction, ..Request::single(k) };
                    let mut set = run(&CpuRunner::default(), &request, &some).winners.remove(0);
                    set.sort_unstable();
                    assert!(
                        before.iter().all(|i| set.binary_search(i).is_ok()),
                        "{distribution:?} {pair:?} k = {k}"
                    );
                    before = set;
                }
            }
        }
    }
}
