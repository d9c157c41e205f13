//! Tells the library's build script which sources this crate is made of (as `DEP_CLUSTER_TOPK_ABI_SOURCE_HASH`): prebuilt
//! device modules are embedded beside the very sources that they were built from, and no others.

use std::env;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::metadata=SOURCE_HASH={}", source_hash::hash_of(&root, &["src"])?);
    Ok(())
}

#[allow(dead_code, reason = "shared with others, which use all of it")]
#[path = "source_hash.rs"]
mod source_hash;
