//! The cover of the GPU matrix, on the CPU engine: its cases are what they claim to be.

use cluster_topk::gpu::ClusterCaps;
use cluster_topk_tests::cover::{
    CaseVisitor, Cover, MAX_LENGTH, Matrix, PAIRS, SLOT_CAPS, WIDTH_CAPS, cover, visit,
};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::request::{Form, Order, Request, Requirement};
use cluster_topk_tests::runner::cpu::CpuRunner;

struct OnTheCpu {
    /// The largest bound that a request may state.
    longest: usize,
    seen: Vec<Requirement>,
}
impl CaseVisitor for OnTheCpu {
    fn case<K: TestKey>(&mut self, request: Request, keys: Vec<K>) {
        let bound = match &request.form {
            Form::Rows { size, .. } => size.upper(),
            Form::Ragged { max_length: Some(max), .. } => *max as usize,
            _ => keys.len().div_ceil(request.stride),
        };
        self.seen.push(request.requirement);
        assert!(bound <= self.longest, "{request:?}");
        assert!(Layout::of(&request, keys.len()).segments.iter().all(|segment| segment.len <= bound));
        // The CPU runner has the rare forms under other requirements than this one.
        let request = Request { requirement: Requirement::DEFAULT, ..request };
        run(&CpuRunner::default(), &request, &keys);
    }
}

#[test]
fn its_cases_are_valid() {
    let matrix = Matrix::default();
    let Cover { rows, covered, left_out } = cover(&matrix);
    println!("{} cases cover {covered} pairs; {left_out} pairs cannot meet", rows.len());
    assert!((600..2000).contains(&rows.len()), "{} cases", rows.len());
    for (number, row) in rows.iter().enumerate() {
        visit(&matrix, row, number, &mut OnTheCpu { longest: MAX_LENGTH, seen: Vec::new() });
    }
}

#[test]
fn cases_for_clusters_are_valid() {
    let matrix = Matrix::of_clusters();
    let Cover { rows, covered, left_out } = cover(&matrix);
    println!("{} cases cover {covered} pairs; {left_out} pairs cannot meet", rows.len());
    assert!((600..2000).contains(&rows.len()), "{} cases", rows.len());
    let mut visitor = OnTheCpu { longest: i32::MAX as usize, seen: Vec::new() };
    for (number, row) in rows.iter().enumerate() {
        visit(&matrix, row, number, &mut visitor);
    }
    for pair in PAIRS {
        let times =
            visitor.seen.iter().filter(|seen| **seen == Requirement::of(pair, Order::Unsorted)).count();
        assert!(times > 50, "{pair:?} {times} times");
    }
    // Every combination of a width and a number of slots, both of which decide how a segment is laid out.
    let caps: Vec<ClusterCaps> = rows.iter().map(|row| Matrix::caps(row)).collect();
    for width in WIDTH_CAPS {
        for slots in SLOT_CAPS {
            assert!(caps.iter().any(|caps| (caps.max_cluster_width, caps.max_slots) == (width, slots)));
        }
    }
}
