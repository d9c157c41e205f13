//! As many seeds as fit the time: `cargo xtask soak --minutes 30`.

use crate::{contracts, matrix, probe};
use cluster_topk_emulate::Schedule;
use std::time::{Duration, Instant};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
#[ignore = "runs for minutes: `cargo xtask soak`"]
fn soak() {
    let until = Instant::now() + Duration::from_secs(60 * number("EMULATED_MINUTES", 1));
    let from = number("EMULATED_FROM", 1 << 32);
    let mut seed = from;
    while Instant::now() < until {
        println!("seed {seed}");
        macro_rules! every {
            ($name:ident, $key:ty) => {
                matrix::all_agents::<$key>(seed..seed + 4, 1000);
                contracts::ties::<$key>(seed..seed + 1);
            };
        }
        cluster_topk_tests::each_key_type!(every);
        matrix::full_tiles::<u16>(seed..seed + 1);
        matrix::full_tiles::<f32>(seed..seed + 1);
        matrix::full_tiles::<f64>(seed..seed + 1);
        for width in [1, 2, 4, 8] {
            if let Err(fault) = probe::run(Schedule::nth(seed).into(), Some(width), 2048, seed) {
                panic!("{fault}");
            }
        }
        seed += 4;
    }
    println!("{} seeds from {from} on", seed - from);
}
