//! Times the GPU engine: graph replays over rotated inputs, every result checked before it is timed.
//!
//! Prints rows of `name,key type,segments,length,k,microseconds,GB/s of keys read`, and lines that start with `#`, the plan of
//! each shape among them. Without shapes it takes a set of them, by default those that the peers were measured on.
//!
//! ```text
//! gpu --contract nondet --contract det-stable --backend cluster f32,64,131072,2048
//! gpu --contract det --set streaming --portable
//! ```

mod load;
mod measure;
mod setting;
mod shape;

use clap::Parser;
use cluster_topk::Gpu;
use cluster_topk::gpu::ClusterCaps;
use cluster_topk_benches::distribution::Distribution;
use setting::{Backend, Contract, Outputs, Setting, Streams};
use shape::{Set, Shape};
use std::error::Error;
use std::num::NonZeroUsize;

#[derive(Debug, Parser)]
#[command(about = "Times the GPU engine")]
struct Arguments {
    /// `dtype,segments,length,k`; those of `--set` where none is given.
    shapes: Vec<Shape>,
    /// The shapes where none is given.
    #[arg(long, value_enum, default_value = "peers")]
    set: Set,
    /// How the keys are distributed: normal, uniform-bits, sorted, reversed, all-equal, clustered, few-distinct or all.
    #[arg(long, default_value = "normal")]
    distribution: String,
    /// What is written of each item.
    #[arg(long, value_enum, default_values = ["pairs"])]
    outputs: Vec<Outputs>,
    /// nondet, run-to-run, det, smaller or larger, with -sorted or -stable behind it or not; the end of a row's name.
    #[arg(long, default_values = ["nondet"])]
    contract: Vec<Contract>,
    /// Who chooses the backend; a forced one is appended to a row's name.
    #[arg(long, value_enum, default_values = ["auto"])]
    backend: Vec<Backend>,
    /// The most blocks of a cluster; appended to a row's name as `-wN`.
    #[arg(long)]
    max_cluster_width: Option<u32>,
    /// The most chunks of 16 KiB in the shared memory of a block; appended to a row's name as `-sN`.
    #[arg(long)]
    max_slots: Option<u32>,
    /// How keys come in that do not fit shared memory; appended to a row's name.
    #[arg(long, value_enum, default_value = "estimated")]
    streaming: Streams,
    /// Clusters of 8 blocks with 48 KiB each, and nothing asked of the driver; appended to a row's name as `-portable`.
    #[arg(long)]
    portable: bool,
    /// Elements from a key to the next; appended to a row's name as `-eN` if not 1.
    #[arg(long, default_value = "1")]
    element_stride: NonZeroUsize,
    /// The device.
    #[arg(long, default_value_t = 0)]
    device: usize,
}

impl Arguments {
    fn caps(&self) -> ClusterCaps {
        let Self { max_cluster_width, max_slots, streaming, .. } = *self;
        let unrestricted = if self.portable { ClusterCaps::PORTABLE } else { ClusterCaps::NONE };
        ClusterCaps { max_cluster_width, max_slots, streaming: streaming.caps(), ..unrestricted }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let gpu = load::first_calls(arguments.device)?;
    measure::host_cost(&gpu)?;
    let caps = arguments.caps();
    let gpu = gpu.with_cluster_caps(caps)?;
    let element_stride = arguments.element_stride.get();
    let shapes = if arguments.shapes.is_empty() { arguments.set.shapes().to_vec() } else { arguments.shapes };
    let wanted = |distribution: &&Distribution| {
        arguments.distribution == "all" || arguments.distribution == distribution.name()
    };
    let mut any = false;
    for distribution in Distribution::ALL.iter().filter(wanted) {
        any = true;
        println!("# dist {}", distribution.name());
        for shape in &shapes {
            for &outputs in &arguments.outputs {
                for &backend in &arguments.backend {
                    for &contract in &arguments.contract {
                        let setting = Setting { contract, backend, caps, outputs, element_stride };
                        run(&gpu, *distribution, *shape, setting)?;
                    }
                }
            }
        }
    }
    if any { Ok(()) } else { Err(format!("there is no distribution `{}`", arguments.distribution).into()) }
}

fn run(gpu: &Gpu, distribution: Distribution, shape: Shape, setting: Setting) -> Result<(), Box<dyn Error>> {
    match shape.measure(gpu, distribution, setting) {
        Err(error) if error.downcast_ref::<cluster_topk::Error>().is_some() => {
            println!("# skipped {setting} {shape}: {error}");
            Ok(())
        }
        other => other,
    }
}
