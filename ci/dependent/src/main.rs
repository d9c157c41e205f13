//! Uses the library as a user would: its public API, a payload type of its own, its error type behind `?`.

use cluster_topk::prelude::*;
use std::error::Error;

/// What travels with a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Candidate {
    document: u32,
    page: u16,
    shard: u16,
}

fn main() -> Result<(), Box<dyn Error>> {
    let scores = [0.3f32, 0.8, 0.5, 0.9, 0.1, 0.9];
    let candidates: Vec<Candidate> =
        (0..6).map(|document| Candidate { document, page: 1, shard: 7 }).collect();
    let (mut best, mut theirs) = ([0.0; 4], [Candidate::default(); 4]);

    let env = Env::best_available();
    let request =
        max_pairs(Segments::rows(&scores, 2, 3), &candidates, 2, &mut best, &mut theirs);
    println!("{}", request.plan(&env)?);
    request.run(&env)?;
    assert_eq!(best, [0.8, 0.5, 0.9, 0.9]);
    assert_eq!(theirs.map(|candidate| candidate.document), [1, 2, 3, 5]);

    let too_short = max_keys(&scores, 3, &mut best[..2]).run(&env);
    assert!(matches!(too_short, Err(cluster_topk::Error::BufferTooShort { required: 3, given: 2, .. })));
    println!("the dependent crate works");
    Ok(())
}
