//! First steps: the largest and the smallest, and what is written of each item.
//!
//! ```text
//! cargo run --package cluster-topk --example 02_keys_pairs_indices
//! ```

use cluster_topk::prelude::*;

fn main() -> Result<(), cluster_topk::Error> {
    let env = Env::cpu();

    // Two segments of five keys, one behind the other.
    let keys = [3.0f32, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0];

    // Keys alone. Row i of the output starts at i * k.
    let mut best = [0.0; 4];
    max_keys(Segments::rows(&keys, 2, 5), 2, &mut best).run(&env)?;
    println!("the 2 largest of each row       {best:?}");
    assert_eq!(best, [5.0, 4.0, 9.0, 6.0]);

    min_keys(Segments::rows(&keys, 2, 5), 2, &mut best).run(&env)?;
    println!("the 2 smallest of each row      {best:?}");
    assert_eq!(best, [1.0, 1.0, 2.0, 3.0]);

    // Where they are, counted from the start of their segment: u32, i32 or i64, as the output buffer says.
    let mut places = [0i64; 4];
    max_indices(Segments::rows(&keys, 2, 5), 2, &mut places).run(&env)?;
    println!("their places                    {places:?}");
    assert_eq!(places, [4, 2, 0, 2]);

    // Both at once.
    max_keys_and_indices(Segments::rows(&keys, 2, 5), 2, &mut best, &mut places).run(&env)?;
    println!("both                            {best:?} at {places:?}");

    // Values that travel with the keys: any plain old data of 1 to 16 bytes.
    let names = [*b"c ", *b"a ", *b"d ", *b"b ", *b"e ", *b"J ", *b"C ", *b"H ", *b"G ", *b"D "];
    let mut winners = [*b"  "; 4];
    max_pairs(Segments::rows(&keys, 2, 5), &names, 2, &mut best, &mut winners).run(&env)?;
    println!(
        "their names                     {}",
        winners.map(|name| name.escape_ascii().to_string()).concat()
    );
    assert_eq!(winners, [*b"e ", *b"d ", *b"J ", *b"H "]);

    // One segment needs no `Segments`: the buffer is one.
    let mut best = [0.0; 3];
    max_keys(&keys, 3, &mut best).run(&env)?;
    println!("the 3 largest of all            {best:?}");
    assert_eq!(best, [9.0, 6.0, 5.0]);

    // Columns: every fifth key is in the first one, and so on. Row i starts at element i, its keys lie 5 apart.
    let mut tallest = [0.0; 5];
    let columns = Segments::rows(&keys, 5, 2).pitch(1).element_stride(5);
    max_keys(columns, 1, &mut tallest).run(&env)?;
    println!("the largest of each column      {tallest:?}");
    assert_eq!(tallest, [9.0, 2.0, 6.0, 5.0, 5.0]);

    // Mistakes are typed errors that name the argument, what was required and what was given.
    let error = max_keys(Segments::rows(&keys, 2, 5), 3, &mut best).run(&env).unwrap_err();
    println!("an output of 3 for 2 rows of 3  {error}");
    assert!(matches!(error, cluster_topk::Error::BufferTooShort { required: 6, given: 3, .. }));
    Ok(())
}
