//! Embeds the device modules that were built from the sources as they are.
//!
//! In the workspace they lie under `target/device`, where `cargo xtask device build` puts them, and are taken only if they
//! were built from the very sources that are there now. A published package has no sources of device code; it carries the
//! modules under `prebuilt/`, where `cargo xtask package` puts them, and they are taken only if they are whole, and if the `abi`
//! crate in this build is made of the sources that they were built from. Where there are none the library builds without, and
//! a GPU call says so.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const TARGETS: [&str; 2] = ["sm_80", "sm_90"];

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("modules.rs");
    println!("cargo::rerun-if-changed=build.rs");

    let directory = match workspace(&root) {
        Some(workspace) => built(workspace),
        None => prebuilt(&root.join("prebuilt")),
    };
    let mut text = String::from("/// The device modules of this build.\nstatic MODULES: &[Embedded] = &[\n");
    for (directory, target) in
        directory.iter().flat_map(|directory| TARGETS.map(|target| (directory, target)))
    {
        for path in ptx_files(&directory.join(target)) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            writeln!(
                text,
                "    Embedded {{ target: {target:?}, name: {name:?}, ptx: include_str!({path:?}) }},"
            )
            .expect("a string takes it");
        }
    }
    text.push_str("];\n");
    fs::write(out, text)
}

/// The workspace around a checkout. What surrounds a package, such as the folder of vendored crates, is not taken for one.
fn workspace(root: &Path) -> Option<&Path> {
    let workspace = root.parent()?;
    let ours = ["abi/src", "device/src/kernels.rs", "xtask/Cargo.toml"];
    ours.iter().all(|path| workspace.join(path).exists()).then_some(workspace)
}

/// The modules of the workspace, if they are current.
fn built(workspace: &Path) -> Option<PathBuf> {
    let directory = workspace.join("target/device");
    for path in
        ["abi/src", "abi/Cargo.toml", "device/src", "device/Cargo.toml", "target/device/manifest.json"]
    {
        watch(&workspace.join(path));
    }
    let manifest = fs::read_to_string(directory.join("manifest.json")).ok()?;
    let hash = source_hash::source_hash(workspace).ok()?;
    if states(&manifest, "source_hash", &hash) {
        Some(directory)
    } else {
        println!("cargo::warning=device modules are stale and left out; run `cargo xtask device build`");
        None
    }
}

/// The modules of a package, if they belong to it and to the `abi` crate of this build.
fn prebuilt(directory: &Path) -> Option<PathBuf> {
    // No file of a published package changes; this is for whoever works on an unpacked one.
    watch(directory);
    let Ok(manifest) = fs::read_to_string(directory.join("manifest.json")) else {
        println!(
            "cargo::warning=this package carries no device code; `cargo xtask package` makes one that does"
        );
        return None;
    };
    let abi = env::var("DEP_CLUSTER_TOPK_ABI_SOURCE_HASH").unwrap_or_default();
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let modules = source_hash::hash_of(directory, &TARGETS).unwrap_or_default();
    for (field, value) in [("version", version), ("abi_hash", abi), ("modules_hash", modules)] {
        if !states(&manifest, field, &value) {
            println!("cargo::warning=prebuilt device modules are left out: their {field} is not `{value}`");
            return None;
        }
    }
    Some(directory.to_owned())
}

/// Whether a manifest has `value` under `field`. A parser would be a dependency for every user.
fn states(manifest: &str, field: &str, value: &str) -> bool {
    manifest.contains(&format!("\"{field}\": \"{value}\""))
}

/// Runs this script again when `path` changes. One that is not there would make cargo run it every time; `cargo xtask device
/// build` touches this file instead when it makes the first modules.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
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

mod source_hash;
