//! Embeds the device modules that were built from the sources as they are.
//!
//! A published package carries them under `prebuilt/`. In the workspace they lie under `target/device`, where
//! `cargo xtask device build` puts them, and are taken only if they were built from the very sources that are there now. Where
//! there are none the library builds without, and a GPU call says so.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("modules.rs");
    println!("cargo::rerun-if-changed=build.rs");
    watch(&root.join("prebuilt"));

    let mut text = String::from("/// The device modules of this build.\nstatic MODULES: &[Embedded] = &[\n");
    if let Some(directory) = prebuilt(&root).or_else(|| built_in_workspace(&root)) {
        for target in ["sm_80", "sm_90"] {
            for path in ptx_files(&directory.join(target)) {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                writeln!(
                    text,
                    "    Embedded {{ target: {target:?}, name: {name:?}, ptx: include_str!({path:?}) }},"
                )
                .expect("a string takes it");
            }
        }
    }
    text.push_str("];\n");
    fs::write(out, text)
}

/// Runs this script again when `path` changes. One that is not there would make cargo run it every time; `cargo xtask device
/// build` touches this file instead when it makes the first modules.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

fn prebuilt(root: &Path) -> Option<PathBuf> {
    let directory = root.join("prebuilt");
    directory.join("sm_90").is_dir().then_some(directory)
}

fn built_in_workspace(root: &Path) -> Option<PathBuf> {
    let workspace = root.parent()?;
    if !workspace.join("device/src").is_dir() {
        return None;
    }
    let directory = workspace.join("target/device");
    for path in
        ["abi/src", "abi/Cargo.toml", "device/src", "device/Cargo.toml", "target/device/manifest.json"]
    {
        watch(&workspace.join(path));
    }
    let manifest = fs::read_to_string(directory.join("manifest.json")).ok()?;
    let hash = source_hash::source_hash(workspace).ok()?;
    if manifest.contains(&format!("\"source_hash\": \"{hash}\"")) {
        Some(directory)
    } else {
        println!("cargo::warning=device modules are stale and left out; run `cargo xtask device build`");
        None
    }
}

fn ptx_files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    files.sort();
    files
}

// In a package there are no sources to hash, and this file goes along unused.
#[path = "source_hash.rs"]
mod source_hash;
