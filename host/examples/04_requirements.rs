//! Which items, in what order: the same six keys under every kind of requirement.
//!
//! ```text
//! cargo run --package cluster-topk --example 04_requirements
//! ```
//!
//! The three largest of 10 8 8 8 6 5 are the ten and two eights. *Which* two is the first question (determinism and
//! tie-break, named together or not at all); *where they are written* is the second (output ordering). The
//! `manual::requirements` page of the documentation has the whole story.

use cluster_topk::env::Cpu;
use cluster_topk::prelude::*;
use cluster_topk::requirement::Requirements;

const KEYS: [i32; 6] = [10, 8, 8, 8, 6, 5];

fn main() -> Result<(), cluster_topk::Error> {
    let cpu = Env::cpu();

    // Nothing said: the strongest contract. Same items, same places, on every engine.
    assert_eq!(show("nothing", &cpu)?, [0, 1, 2]);

    // The other end of the ties. Written by ascending index all the same: stable order is the order of the input.
    assert_eq!(
        show("(GpuToGpu, PreferLargerIndex)", &cpu.clone().require((GpuToGpu, PreferLargerIndex)))?,
        [0, 2, 3]
    );

    // Only the order is named: the set keeps its default.
    assert_eq!(as_set(show("Sorted", &cpu.clone().require(Sorted))?), [0, 1, 2]);

    // Tokens come in any order.
    let env = cpu.clone().require((Unsorted, PreferSmallerIndex, GpuToGpu));
    assert_eq!(as_set(show("(Unsorted, PreferSmallerIndex, GpuToGpu)", &env)?), [0, 1, 2]);

    // The same set in every run, the library's choice of ties: index 0 is sure, the other two are some of 1, 2, 3.
    let env = cpu.clone().require((RunToRun, Unspecified, Unsorted));
    let first = as_set(show("(RunToRun, Unspecified, Unsorted)", &env)?);
    assert_eq!(first, as_set(select(&env)?));
    assert_eq!(first[0], 0);

    // The least: any valid set, in any order.
    let env = cpu.clone().require((NotGuaranteed, Unspecified, Unsorted));
    assert_eq!(as_set(show("(NotGuaranteed, Unspecified, Unsorted)", &env)?)[0], 0);

    // What has no meaning does not compile, and the message says what to write instead:
    //
    //     cpu.require((RunToRun, PreferSmallerIndex))   a pinned tie-break holds on every device: write `GpuToGpu`
    //     cpu.require(GpuToGpu)                         name a tie-break too, or neither

    // A plan answers the question without running anything.
    let mut places = [0u32; 3];
    println!("\n{}", max_indices(&KEYS, 3, &mut places).plan(&cpu.require((GpuToGpu, PreferLargerIndex)))?);
    Ok(())
}

fn select<R: Requirements>(env: &Env<Cpu, R>) -> Result<[u32; 3], cluster_topk::Error> {
    let mut places = [0; 3];
    max_indices(&KEYS, 3, &mut places).run(env)?;
    Ok(places)
}

fn show<R: Requirements>(written: &str, env: &Env<Cpu, R>) -> Result<[u32; 3], cluster_topk::Error> {
    let places = select(env)?;
    let items = places.map(|place| format!("{}@{place}", KEYS[place as usize]));
    println!("{written:42} {}", items.join(" "));
    Ok(places)
}

fn as_set(mut places: [u32; 3]) -> [u32; 3] {
    places.sort_unstable();
    places
}
