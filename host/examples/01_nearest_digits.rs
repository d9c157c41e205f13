//! Reads handwritten digits by their nearest neighbours: one batched top-k call over a real data set.
//!
//! ```text
//! cargo run --release --package cluster-topk --example 01_nearest_digits
//! ```
//!
//! Every sixth image of the set is taken out and asked about. Its squared distances to all the others are one row of keys;
//! the 7 smallest of each row are the nearest neighbours, and the majority of their labels is the answer.
//!
//! Distances of small images are small integers, so two neighbours are often equally far away, also at the seventh place.
//! Under the default contract the one with the smaller index is kept and written first, on every engine, every time: the
//! accuracy printed at the end does not vary by a single image.

use cluster_topk::prelude::*;
use std::error::Error;
use std::path::Path;

const SIDE: usize = 8;
const PIXELS: usize = SIDE * SIDE;
const NEIGHBOURS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    // In the checkout; or beside the program, where it was gathered to run elsewhere.
    let places = [Path::new(env!("CARGO_MANIFEST_DIR")), Path::new(".")].map(|at| at.join("examples/data"));
    let data = places.iter().find(|at| at.is_dir()).unwrap_or(&places[0]);
    let images = read_npy(&data.join("digits.npy"), &[None, Some(PIXELS)])?;
    let images: Vec<&[u8]> = images.chunks_exact(PIXELS).collect();
    let labels = read_npy(&data.join("digits-labels.npy"), &[Some(images.len())])?;

    let (queries, known): (Vec<usize>, Vec<usize>) = (0..images.len()).partition(|i| i % 6 == 0);

    // The keys: one row per query, one distance per known image. 64 pixels of at most 16: a u16 holds their squares.
    let distances: Vec<u16> = queries
        .iter()
        .flat_map(|&query| known.iter().map(move |&other| (query, other)))
        .map(|(query, other)| squared_distance(images[query], images[other]))
        .collect();

    // The GPU where this build and this machine have one, the CPU engine otherwise; the plan says which, and why.
    let env = Env::best_available();
    let mut nearest = vec![0u16; queries.len() * NEIGHBOURS];
    let mut places = vec![0u32; queries.len() * NEIGHBOURS];
    let rows = Segments::rows(&distances, queries.len(), known.len());
    let request = min_keys_and_indices(rows, NEIGHBOURS, &mut nearest, &mut places);
    println!("{}\n", request.plan(&env)?);
    request.run(&env)?;

    let answers: Vec<u8> = places
        .chunks_exact(NEIGHBOURS)
        .map(|places| majority(places.iter().map(|&place| labels[known[place as usize]])))
        .collect();
    let is_right = |q: &usize| answers[*q] == labels[queries[*q]];

    // Three that are read rightly, and the first one that is not.
    let right = (0..queries.len()).filter(is_right).take(3);
    let wrong = (0..queries.len()).filter(|q| !is_right(q)).take(1);
    for q in right.chain(wrong) {
        let row = q * NEIGHBOURS..(q + 1) * NEIGHBOURS;
        let of_row: Vec<usize> = places[row.clone()].iter().map(|&place| known[place as usize]).collect();
        println!("image {}, and the nearest: image {}", queries[q], of_row[0]);
        for (left, right) in images[queries[q]].chunks(SIDE).zip(images[of_row[0]].chunks(SIDE)) {
            println!("    {}    {}", shades(left), shades(right));
        }
        for (&index, distance) in of_row.iter().zip(&nearest[row]) {
            println!("    image {index:4} at squared distance {distance:4} shows a {}", labels[index]);
        }
        let verdict = if is_right(&q) { "rightly" } else { "wrongly" };
        println!("  read as {}, {verdict}: it is a {}\n", answers[q], labels[queries[q]]);
    }

    let right = (0..queries.len()).filter(is_right).count();
    let percent = 100.0 * right as f64 / queries.len() as f64;
    println!("{right} of {} digits read rightly ({percent:.1} %)", queries.len());
    Ok(())
}

/// Reads a `.npy` file of bytes; `None` in the expected shape stands for any length.
fn read_npy(path: &Path, shape: &[Option<usize>]) -> Result<Vec<u8>, Box<dyn Error>> {
    let in_file = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let bytes = std::fs::read(path).map_err(|e| in_file(&e))?;
    let npy = npyz::NpyFile::new(&bytes[..]).map_err(|e| in_file(&e))?;
    let given = npy.shape().to_vec();
    let fits = |(&given, wanted): (&u64, &Option<usize>)| wanted.is_none_or(|wanted| wanted as u64 == given);
    if given.len() != shape.len() || !given.iter().zip(shape).all(fits) {
        return Err(in_file(&format_args!("unexpected shape {given:?}")).into());
    }
    Ok(npy.into_vec().map_err(|e| in_file(&e))?)
}

fn squared_distance(a: &[u8], b: &[u8]) -> u16 {
    a.iter().zip(b).map(|(&a, &b)| u16::from(a.abs_diff(b)).pow(2)).sum()
}

/// The most frequent digit; of equally frequent ones, that of the nearest neighbour.
fn majority(labels: impl Iterator<Item = u8>) -> u8 {
    let labels: Vec<u8> = labels.collect();
    let votes = |digit: u8| labels.iter().filter(|&&label| label == digit).count();
    let most = labels.iter().map(|&digit| votes(digit)).max().unwrap_or(0);
    labels.iter().copied().find(|&digit| votes(digit) == most).unwrap_or(0)
}

/// Pixels from 0 to 16 as characters, two a pixel so that it looks square.
fn shades(pixels: &[u8]) -> String {
    const SHADES: [&str; 6] = ["  ", "..", "::", "oo", "OO", "@@"];
    pixels.iter().map(|&ink| SHADES[usize::from(ink.min(16)) * (SHADES.len() - 1) / 16]).collect()
}
