//! Says whether the library that it was built with carries device code.

use cluster_topk::{Error, Gpu};

fn main() {
    // The device code is looked for before the driver.
    match Gpu::new(0) {
        Err(error @ Error::DeviceCodeMissing { .. }) => println!("no device code: {error}"),
        Err(error) => println!("device code: {error}"),
        Ok(gpu) => println!("device code: {gpu:?}"),
    }
}
