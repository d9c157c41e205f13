//! Inputs that broke other implementations, one test each, named after its id in the list of cases.
//!
//! Each asserts the answer that the list gives and, through the matrix, what fits every row: how many slots are written,
//! canaries, indices distinct and in range, keys bit-equal, values at their index, the exact multiset, the exact set where a
//! tie rule is given, the order that was asked for, inputs unchanged.
//!
//! Not here, because no CPU engine can show them:
//!
//! | ids | what it takes |
//! | --- | --- |
//! | LA1, LA2, LA4, LA5, LA8, LA10 | devices, streams, clusters, co-residency, a GPU workspace |
//! | LA6 | the planner of the GPU engine; its arithmetic is tested in `abi` |
//! | RA1, RA2, VL5 | barriers between thread blocks |
//! | AL1 | here without the memory checker that a GPU adds |
//! | AL4 | a compiler: an output that borrows its input does not compile, see `ui-tests` |
//! | TD2 | here without the memory-bound kernel beside it |
//! | PF2, PF4 | their inputs are here, their times in `benches` |
//! | BP1 | a package file and the oldest compiler, in CI |
//!
//! Smaller than in the list, to keep the suite short: OV1 takes as many segments as make four million keys, VL1 70 segments of
//! 2,000, TD4 batches of up to 149 (with a shorter row up to 1,000, in `threads.rs`), SZ2 goes to 2^18 for `i64`, OV3 to
//! 65,536 for 64-bit keys, PF2 to 200,000 keys; SZ5's 17 GB of `f64` and SZ6's 2,120 rows are left out.

mod limits;
mod shapes;
mod special;
mod ties;

use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{
    Direction, Form, IndexType, Int, Order, Pair, Request, Requirement, Written,
};
use cluster_topk_tests::runner::cpu::CpuRunner;

const DIRECTIONS: [Direction; 2] = [Direction::Largest, Direction::Smallest];
const LARGEST: Direction = Direction::Largest;
const SMALLEST: Direction = Direction::Smallest;
const SMALLER: Requirement = Requirement::DEFAULT;
const LARGER: Requirement = Requirement::of(Pair::Larger, Order::StableSorted);

/// The winners of one segment, checked.
#[track_caller]
fn winners<K: TestKey>(keys: &[K], k: usize, direction: Direction, requirement: Requirement) -> Vec<usize> {
    let request = Request { direction, requirement, ..Request::single(k) };
    run(&CpuRunner::default(), &request, keys).winners.remove(0)
}

/// Every requirement and output, alone and in the middle of 200 other segments, twice.
#[track_caller]
fn everywhere<K: TestKey>(row: &[K], ks: &[usize]) {
    let mut batch = keys::<K>(&mut rng(row.len() as u64), Distribution::Boundary, 100 * 7);
    let others = batch.clone();
    batch.extend(row);
    batch.extend(others);
    let ends = (0..=100).map(|i| 7 * i).chain((0..=100).map(|i| 700 + row.len() + 7 * i));
    let offsets: Vec<i128> = ends.map(|end| end as i128).collect();
    let ragged = Form::Ragged { offsets, int: Int::I64, max_length: None };
    let kinds = [
        Written::Keys,
        Written::Pairs(8),
        Written::Indices(IndexType::U32),
        Written::KeysAndIndices(IndexType::I64),
    ];
    for (seed, requirement) in
        [1, 2].into_iter().flat_map(|seed| Requirement::spellings().map(move |r| (seed, r)))
    {
        if requirement.pair.is_none() || requirement.order.is_none() {
            continue;
        }
        for direction in DIRECTIONS {
            for written in kinds {
                for &k in ks {
                    let alone = Request { seed, requirement, direction, written, ..Request::single(k) };
                    run(&CpuRunner::default(), &alone, row);
                    let among =
                        Request { form: ragged.clone(), output_pitch: Some(k.min(batch.len())), ..alone };
                    run(&CpuRunner::default(), &among, &batch);
                }
            }
        }
    }
}

/// Both directions and tie rules, sorted and not; for segments that take the oracle a while.
#[track_caller]
fn both_ways<K: TestKey>(row: &[K], ks: &[usize]) {
    for direction in DIRECTIONS {
        for &k in ks {
            for requirement in [SMALLER, LARGER, Requirement::of(Pair::NotGuaranteed, Order::Unsorted)] {
                winners(row, k, direction, requirement);
            }
        }
    }
}

/// Normally distributed `f32`s (Irwin–Hall of twelve, which is plenty here).
fn normal(seed: u64, n: usize) -> Vec<f32> {
    use rand::RngExt;
    let rng = &mut rng(seed);
    (0..n).map(|_| (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0).collect()
}
