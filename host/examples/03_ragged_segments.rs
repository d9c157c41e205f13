//! Segments of unequal length, a `k` of its own for each, and rows too short for it.
//!
//! ```text
//! cargo run --package cluster-topk --example 03_ragged_segments
//! ```

use cluster_topk::prelude::*;

fn main() -> Result<(), cluster_topk::Error> {
    let env = Env::cpu();

    // Four segments, one behind the other: segment i lies between offsets i and i + 1. The third is empty.
    let scores = [0.2f32, 0.9, 0.4, /**/ 0.7, /**/ /**/ 0.1, 0.8, 0.3, 0.6, 0.5];
    let offsets = [0u32, 3, 4, 4, 9];

    // Exactly min(k, length) items are written per segment; the rest of a short row is left as it was.
    let mut places = [-9i32; 4 * 2];
    max_indices(Segments::ragged(&scores, &offsets), 2, &mut places).run(&env)?;
    println!("left alone   {places:?}");
    assert_eq!(places, [1, 2, 0, -9, -9, -9, 1, 3]);

    // Or the unused slots are filled with a key and an index of the caller's choice.
    let mut best = [0.0; 4 * 2];
    max_keys_and_indices(Segments::ragged(&scores, &offsets), 2, &mut best, &mut places)
        .fill_with(f32::NEG_INFINITY, -1)
        .run(&env)?;
    println!("filled       {places:?} {best:?}");
    assert_eq!(places, [1, 2, 0, -1, -1, -1, 1, 3]);

    // A k per segment. Such numbers live in the engine's memory and may change without the host looking at them, so a
    // type wider than 16 bits needs a bound; it is the pitch of the output rows, too, unless one is given.
    let ks = [1u32, 1, 1, 3];
    let mut places = [-1i32; 4 * 3];
    max_indices(Segments::ragged(&scores, &offsets), DeferredSequence::new(&ks).bounds(0..=3), &mut places)
        .run(&env)?;
    println!("k each       {places:?}");
    assert_eq!(places, [1, -1, -1, 0, -1, -1, -1, -1, -1, 1, 3, 4]);

    // A padded batch: rows of one pitch, of which only the first so many keys count.
    let padded = [5i16, 7, 0, 0, /**/ 9, 3, 8, 0, /**/ 1, 2, 3, 4];
    let lengths = [2u8, 3, 4];
    let rows = Segments::rows(&padded, 3, DeferredSequence::new(&lengths).static_bounds::<0, 4>()).pitch(4);
    let mut smallest = [0i16; 3];
    min_keys(rows, 1, &mut smallest).run(&env)?;
    println!("padded       {smallest:?}");
    assert_eq!(smallest, [5, 3, 1]);

    // What lies in host memory is checked before anything is written.
    let error = max_indices(Segments::ragged(&scores, &[0, 5, 4, 9]), 2, &mut places).run(&env).unwrap_err();
    println!("bad offsets  {error}");
    Ok(())
}
