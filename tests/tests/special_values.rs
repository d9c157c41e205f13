//! The special values of every type, in every direction, under every requirement.

use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::{Distribution, keys, rng, specials};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Direction, IndexType, Order, Pair, Request, Requirement, Written};
use cluster_topk_tests::runner::cpu::CpuRunner;

const DIRECTIONS: [Direction; 2] = [Direction::Largest, Direction::Smallest];

fn every_request<K: TestKey>(keys: &[K], ks: &[usize]) {
    let runner = CpuRunner::default();
    for (seed, requirement) in (0..).zip(Requirement::spellings()) {
        for direction in DIRECTIONS {
            for &k in ks {
                for written in [Written::Keys, Written::KeysAndIndices(IndexType::U32), Written::Pairs(4)] {
                    let request = Request { seed, requirement, direction, written, ..Request::single(k) };
                    run(&runner, &request, keys);
                }
            }
        }
    }
}

fn special<K: TestKey>() {
    let some = specials::<K>();
    every_request(&some, &[1, some.len() / 2, some.len() - 1, some.len()]);
    // Thrice over, so that every value ties.
    every_request(&[&some[..], &some, &some].concat(), &[1, 5, some.len()]);
    // One value alone.
    for &one in &some {
        let request =
            Request { requirement: Requirement::of(Pair::Larger, Order::StableSorted), ..Request::single(3) };
        let winners = run(&CpuRunner::default(), &request, &[one; 7]).winners;
        assert_eq!(winners, [[4, 5, 6]], "all keys are {:#x}", one.bits());
    }
}

fn mixed<K: TestKey>() {
    // Around every length at which the engine changes its mind.
    for (seed, n) in [31, 64, 100, 511, 513, 4096, 20_000].into_iter().enumerate() {
        for distribution in Distribution::TIES {
            let some = keys::<K>(&mut rng(seed as u64), distribution, n);
            for pair in [Pair::Smaller, Pair::Larger, Pair::NotGuaranteed] {
                for direction in DIRECTIONS {
                    for k in [1, 7, n / 16 + 1, n / 2, n - 1] {
                        let requirement = Requirement::of(pair, Order::StableSorted);
                        let request = Request { requirement, direction, ..Request::single(k) };
                        run(&CpuRunner::default(), &request, &some);
                    }
                }
            }
        }
    }
}

macro_rules! tests {
    ($name:ident, $t:ty) => {
        mod $name {
            use super::*;
            #[test]
            fn special_values() {
                special::<$t>();
            }
            #[test]
            fn mixed_with_others() {
                mixed::<$t>();
            }
        }
    };
}
each_key_type!(tests);
