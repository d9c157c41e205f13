//! The pairwise cover of the matrix, and every kernel.

use super::device::{Device, SERVED};
use super::harness::{Outcome, Tests};
use cluster_topk_tests::cover::{CaseVisitor, Cover, Matrix, cover, visit};
use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Direction, Form, IndexType, Int, Number, Request, Requirement, Written};
use cluster_topk_tests::runner::gpu::GpuRunner;
use rand::RngExt;
use std::collections::BTreeSet;

struct OnTheGpu<'r> {
    runner: &'r GpuRunner,
    /// Whether the runner serves every requirement.
    orders: bool,
}
impl CaseVisitor for OnTheGpu<'_> {
    fn case<K: TestKey>(&mut self, request: Request, keys: Vec<K>) {
        run(self.runner, &request, &keys);
        if self.orders {
            // The rows are numbered by their seeds: each of the other requirements in turn.
            let mut others =
                Requirement::meanings().filter(|requirement| *requirement != request.requirement);
            let requirement = others.nth(request.seed as usize % 14).expect("there are more");
            run(self.runner, &Request { requirement, ..request }, &keys);
        }
    }
}

pub(crate) fn add(tests: &mut Tests) {
    tests.add("matrix::cover", |device| covered(device, 1));
    tests.add_skippable("matrix::cover_on_clusters", |device| covered_on_clusters(device, 1));
    tests.add("quick::every_tenth_case_of_the_cover", |device| covered(device, 10));
    tests.add_skippable("quick::every_tenth_case_of_the_cover_on_clusters", |device| {
        covered_on_clusters(device, 10)
    });
    tests.add("quick::every_kernel", every_kernel);
}

/// Runs every `step`-th case.
fn covered(device: &'static Device, step: usize) {
    cases(&Matrix::default(), step, |_| None, &device.runner);
}

/// Runs every `step`-th case of the cluster backend's matrix, each under its caps, the backend forced.
fn covered_on_clusters(device: &'static Device, step: usize) -> Outcome {
    device.has_clusters()?;
    let capped = |row: &[usize]| Some(device.runner.on_clusters(Matrix::caps(row)));
    cases(&Matrix::of_clusters(), step, capped, &device.runner);
    Ok(())
}

fn cases(
    matrix: &Matrix,
    step: usize,
    runner_of: impl Fn(&[usize]) -> Option<GpuRunner>,
    otherwise: &GpuRunner,
) {
    let Cover { rows, covered, left_out } = cover(matrix);
    println!(
        "# the cover has {} cases for {covered} pairs of levels; {left_out} pairs cannot meet and are skipped",
        rows.len()
    );
    let mut run = 0;
    for (number, row) in rows.iter().enumerate().step_by(step) {
        let runner = runner_of(row);
        let orders = runner.is_none();
        let mut visitor = OnTheGpu { runner: runner.as_ref().unwrap_or(otherwise), orders };
        visit(matrix, row, number, &mut visitor);
        run += 1;
    }
    println!("# {run} cases run, {} skipped", rows.len() - run);
}

/// Few and many segments of every tile size: a bound far above the lengths chooses the kernel.
fn tiles<K: TestKey>(device: &Device) {
    for (seed, tile) in (0..).zip([64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384]) {
        for (seed, count) in [(2 * seed, 3), (2 * seed + 1, 300)] {
            let rng = &mut rng(seed);
            let longest = if count > 3 { tile / 64 + 2 } else { tile };
            let mut offsets = vec![0i128];
            for i in 0..count {
                let len = if i == 1 { tile } else { rng.random_range(0..=longest) };
                offsets.push(offsets[i] + len as i128);
            }
            let total = offsets[count] as usize;
            let request = Request {
                seed,
                requirement: SERVED,
                direction: if seed % 4 < 2 { Direction::Largest } else { Direction::Smallest },
                written: [Written::KeysAndIndices(IndexType::U32), Written::Keys, Written::Pairs(8)]
                    [seed as usize % 3],
                form: Form::Ragged { offsets, int: Int::I32, max_length: Some(tile as i64) },
                k: Number::plain([9, tile / 2, 1][seed as usize % 3]),
                ..Request::single(0)
            };
            let distribution = [Distribution::Bits, Distribution::Boundary][seed as usize % 2];
            run(&device.runner, &request, &keys::<K>(rng, distribution, total));
        }
    }
}

fn every_kernel(device: &'static Device) {
    macro_rules! tiles {
        ($name:ident, $t:ty) => {
            tiles::<$t>(device)
        };
    }
    each_key_type!(tiles);
    let used: BTreeSet<&str> = device.runner.launched().into_iter().map(|(kernel, _)| kernel).collect();
    let families: [(&str, &[u32]); 3] =
        [("warp", &[2, 4, 8, 16, 32]), ("block", &[8, 16, 32, 64]), ("wide", &[8, 16])];
    let all: BTreeSet<String> = families
        .iter()
        .flat_map(|(family, items)| items.iter().map(move |items| (family, items)))
        .flat_map(|(family, items)| [8, 16, 32, 64].map(|bits| format!("{family}_{bits}x{items}")))
        .collect();
    let missing: Vec<&String> = all.iter().filter(|kernel| !used.contains(kernel.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?} were not launched");
    println!("# all {} kernels launched", all.len());
}
