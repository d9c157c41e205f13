//! `device build`.

use super::manifest::{Entry, Manifest, Module};
use super::ptx::Ptx;
use super::source_hash::source_hash;
use super::target::{TARGETS, Target};
use super::toolchain::{KNOWN_GOOD, Toolchain};
use super::{ptx, rust_src};
use crate::process;
use crate::workspace;
use anyhow::{Context, Result, bail};
use cluster_topk_device::{KERNELS, Kernel};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Builds the modules of every target, unless those there are current.
pub(crate) fn build(force: bool) -> Result<Manifest> {
    let toolchain = Toolchain::find()?;
    let source_hash = source_hash(workspace::root())?;
    let compiler = format!("{} ({})", toolchain.release, toolchain.commit);
    let targets =
        TARGETS.iter().map(|target| format!("{} {}", target.name, target.ptx)).collect::<Vec<_>>().join(", ");
    if let Some(manifest) = Manifest::read().filter(|_| !force)
        && manifest.source_hash == source_hash
        && manifest.compiler == compiler
        && manifest.targets == targets
    {
        println!("device modules are current ({source_hash})");
        return Ok(manifest);
    }

    let library = rust_src::find(&toolchain)?;
    let compiled: Vec<(&Target, String)> = TARGETS
        .iter()
        .map(|target| Ok((target, compile(&toolchain, &library, target)?)))
        .collect::<Result<_>>()
        .with_context(|| {
            format!("the device code is known to build with {KNOWN_GOOD}; this was {compiler}. Install that one, and it is used")
        })?;

    Manifest::remove()?;
    let mut modules = Vec::new();
    for (target, text) in compiled {
        modules.extend(split(target, &text)?);
    }
    let manifest = Manifest { source_hash, compiler, targets, modules };
    manifest.write()?;
    // The library's build script embeds what is there, and cannot watch for files that do not exist yet.
    let script = fs::File::options().append(true).open(workspace::root().join("host/build.rs"))?;
    script.set_modified(std::time::SystemTime::now())?;
    println!("{} device modules under {}", manifest.modules.len(), workspace::device_dir().display());
    Ok(manifest)
}

/// Compiles the device crate for `target`; the PTX of all kernels.
fn compile(toolchain: &Toolchain, library: &Path, target: &Target) -> Result<String> {
    let started = Instant::now();
    let mut cargo = cargo(toolchain, library, target, "rustc");
    process::run(cargo.args(["--crate-type", "cdylib", "--", "--emit=asm"]))?;
    let assembly = target_dir(target).join("nvptx64-nvidia-cuda/release/deps/cluster_topk_device.s");
    let text = fs::read_to_string(&assembly).with_context(|| format!("no PTX at {}", assembly.display()))?;
    println!("{}: compiled in {:.1} s", target.name, started.elapsed().as_secs_f64());
    Ok(text)
}

/// Runs clippy over the device crate as each target compiles it: elsewhere most of it is not there to be looked at.
pub(crate) fn lint() -> Result<()> {
    let toolchain = Toolchain::find()?;
    let library = rust_src::find(&toolchain)?;
    for target in TARGETS {
        process::run(cargo(&toolchain, &library, target, "clippy").args(["--", "-Dwarnings"]))?;
    }
    Ok(())
}

/// Each target has a directory of its own: cargo would take the enclosing one's lock, and wait for itself.
fn target_dir(target: &Target) -> PathBuf {
    workspace::device_dir().join("cargo").join(target.name)
}

/// The command line, up to what is particular to `verb`, of a cargo that works on the device crate for `target`.
fn cargo(toolchain: &Toolchain, library: &Path, target: &Target, verb: &str) -> Command {
    // By environment, so that they reach `core` too. Nothing is linked: the assembly is what is wanted. rustc has no unroll
    // pragma, and LLVM's default threshold leaves loops over a thread's keys rolled, which puts the keys in local memory. So
    // does a closure that is called from two places and not inlined. Loops whose trip count is known at run time only stay
    // rolled: they are cold, and copies of them cost registers.
    let flags = [
        &format!("-Ctarget-cpu={}", target.name),
        &format!("-Ctarget-feature=+{}", target.ptx),
        "-Cllvm-args=-unroll-threshold=20000 -unroll-runtime=false -inline-threshold=100000",
        "-Clinker=true",
    ];
    let mut cargo = toolchain.cargo();
    cargo
        .current_dir(workspace::root())
        .args([verb, "--quiet", "--package", "cluster-topk-device", "--lib", "--release"])
        .args(["--target", "nvptx64-nvidia-cuda", "-Zbuild-std=core"])
        .env("__CARGO_TESTS_ONLY_SRC_ROOT", library)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env("CARGO_TARGET_DIR", target_dir(target))
        .env("CARGO_PROFILE_RELEASE_LTO", "fat")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    if target.cluster {
        cargo.args(["--features", "cluster"]);
    }
    cargo
}

/// Splits a target's PTX into modules, states the launch bounds in them, and writes them.
fn split(target: &Target, text: &str) -> Result<Vec<Module>> {
    let directory = workspace::device_dir().join(target.name);
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;

    let ptx = Ptx::parse(text)?;
    let mut by_module: BTreeMap<&str, Vec<&Kernel>> = BTreeMap::new();
    for kernel in KERNELS.iter().filter(|kernel| target.cluster || !kernel.needs_cluster) {
        by_module.entry(kernel.module).or_default().push(kernel);
    }
    let listed: usize = by_module.values().map(Vec::len).sum();
    let found = ptx.entries().count();
    if found != listed {
        let names: Vec<_> = ptx.entries().collect();
        bail!("{}: the table lists {listed} kernels, the PTX has {found}: {names:?}", target.name);
    }
    let mut modules = Vec::new();
    for (name, kernels) in by_module {
        let bounds: Vec<_> =
            kernels.iter().map(|kernel| (kernel.entry, ptx::launch_bounds(kernel))).collect();
        let module = Module {
            target: target.name.to_owned(),
            name: name.to_owned(),
            entries: kernels.iter().map(|kernel| Entry::of(kernel)).collect(),
        };
        fs::write(module.path(), ptx.module(&bounds)?)?;
        modules.push(module);
    }
    Ok(modules)
}

impl Entry {
    fn of(kernel: &Kernel) -> Self {
        Self {
            name: kernel.entry.to_owned(),
            max_threads: kernel.max_threads,
            min_blocks: kernel.min_blocks,
            cluster_width: kernel.cluster_width,
        }
    }
}
