//! All tests that need a GPU. Where there is none, or no device code in this build, each says so and is skipped.
//!
//! ```text
//! gpu                              all tests, one after the other
//! gpu quick                        the small ones, which a sanitizer gets through in minutes
//! gpu --require-gpu                a test that finds no GPU fails
//! gpu --sanitizer-canary=oob       launches a faulty kernel that memcheck must report;
//!                                  race, uninit and sync are for racecheck, initcheck and synccheck
//! ```
//!
//! The arguments of Rust's own test programs are understood, too.

mod beyond;
mod clusters;
mod contracts;
mod device;
mod errors;
mod faults;
mod graphs;
mod harness;
mod large_k;
mod limits;
mod long;
mod matrix;
mod order;
mod sets;
mod special;
mod streams;
mod ties;
mod workspace;
mod wrong_numbers;

use harness::Tests;
use libtest_mimic::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().collect();
    if let Some(name) = arguments.iter().find_map(|argument| argument.strip_prefix("--sanitizer-canary=")) {
        return faults::launch(name);
    }
    let before = arguments.len();
    arguments.retain(|argument| argument != "--require-gpu");
    let mut tests = Tests::new(arguments.len() < before);
    matrix::add(&mut tests);
    contracts::add(&mut tests);
    special::add(&mut tests);
    ties::add(&mut tests);
    clusters::add(&mut tests);
    order::add(&mut tests);
    sets::add(&mut tests);
    large_k::add(&mut tests);
    limits::add(&mut tests);
    beyond::add(&mut tests);
    wrong_numbers::add(&mut tests);
    graphs::add(&mut tests);
    errors::add(&mut tests);
    workspace::add(&mut tests);
    streams::add(&mut tests);

    let mut arguments = Arguments::from_iter(arguments);
    // Tests share a stream, and what they print should stand beside their names.
    arguments.test_threads.get_or_insert(1);
    libtest_mimic::run(&arguments, tests.into_trials()).exit_code()
}
