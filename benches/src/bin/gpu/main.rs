//! Times the GPU engine: graph replays over rotated inputs, every result checked before it is timed.
//!
//! Prints rows of `name,key type,segments,length,k,microseconds,GB/s of keys read`, and lines that start with `#`. Without
//! arguments it takes the shapes that the peers were measured on.

mod measure;
mod shape;

use clap::{Parser, ValueEnum};
use cluster_topk::Gpu;
use cluster_topk_benches::distribution::Distribution;
use shape::{PEER_SHAPES, Shape};
use std::error::Error;

/// What is written of each item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Outputs {
    /// Keys alone.
    Keys,
    /// Keys and their indices.
    Pairs,
    /// Indices alone.
    Index,
}

#[derive(Debug, Parser)]
#[command(about = "Times the GPU engine")]
struct Arguments {
    /// `dtype,segments,length,k`; the peers' shapes where none is given.
    shapes: Vec<Shape>,
    /// How the keys are distributed: normal, uniform-bits, sorted, reversed, all-equal, clustered, few-distinct or all.
    #[arg(long, default_value = "normal")]
    distribution: String,
    /// What is written of each item.
    #[arg(long, value_enum, default_values = ["pairs"])]
    outputs: Vec<Outputs>,
    /// The device.
    #[arg(long, default_value_t = 0)]
    device: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let gpu = measure::first_call(arguments.device)?;
    measure::host_cost(&gpu)?;
    let shapes = if arguments.shapes.is_empty() { PEER_SHAPES.to_vec() } else { arguments.shapes };
    let wanted = |distribution: &&Distribution| {
        arguments.distribution == "all" || arguments.distribution == distribution.name()
    };
    let mut any = false;
    for distribution in Distribution::ALL.iter().filter(wanted) {
        any = true;
        println!("# dist {}", distribution.name());
        for shape in &shapes {
            for outputs in &arguments.outputs {
                run(&gpu, *distribution, *shape, *outputs)?;
            }
        }
    }
    if any { Ok(()) } else { Err(format!("there is no distribution `{}`", arguments.distribution).into()) }
}

fn run(gpu: &Gpu, distribution: Distribution, shape: Shape, outputs: Outputs) -> Result<(), Box<dyn Error>> {
    match shape.measure(gpu, distribution, outputs) {
        Err(error) if error.downcast_ref::<cluster_topk::Error>().is_some() => {
            println!("# skipped {shape}: {error}");
            Ok(())
        }
        other => other,
    }
}
