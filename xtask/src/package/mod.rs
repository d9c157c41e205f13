//! The packages to publish, with prebuilt device modules in the library's.
//!
//! git holds no modules, so the packages are made from a copy of the workspace into which the modules are put. What the
//! library's build script needs to tell modules that do not belong stands in a manifest beside them.

mod trial;

use crate::{device, process, source_hash, workspace};
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Args)]
pub(crate) struct Package {
    /// The folder for the package files, and for the copy of the workspace that they can be published from.
    #[arg(long, default_value = "target/packages")]
    out: PathBuf,
    /// The toolchain that makes and tries the packages, as users have it.
    #[arg(long, default_value = "stable")]
    toolchain: String,
    /// Where the trial builds; by default a folder that is removed afterwards.
    #[arg(long)]
    trial_target: Option<PathBuf>,
}

/// In the order of publication.
const PACKAGES: [&str; 2] = ["cluster-topk-abi", "cluster-topk"];

/// What crates.io accepts, in bytes.
const LARGEST: u64 = 10 << 20;

/// The manifest of the device build, as far as it matters.
#[derive(Deserialize)]
struct Built {
    source_hash: String,
    compiler: String,
    modules: Vec<Module>,
}

#[derive(Deserialize)]
struct Module {
    target: String,
    name: String,
}

/// The manifest of prebuilt modules; `host/build.rs` compares the three fields that it can.
#[derive(Serialize)]
struct Prebuilt {
    /// The version of the packages.
    version: String,
    /// The hash of the `abi` crate's sources.
    abi_hash: String,
    /// The hash of the modules.
    modules_hash: String,
    /// The hash of everything that the modules were built from.
    source_hash: String,
    /// What built them.
    compiler: String,
}

pub(crate) fn run(arguments: &Package) -> Result<()> {
    device::run(device::Command::Build { force: false })?;
    fs::create_dir_all(&arguments.out)?;
    let out = fs::canonicalize(&arguments.out)?;
    let staged = out.join("staged");
    stage(&staged)?;
    let modules = prebuild(&staged)?;
    ensure!(device::is_current()?, "the device sources changed meanwhile; package again");
    let files = package(&staged, &out, &arguments.toolchain)?;
    for file in &files {
        let bytes = fs::metadata(file)?.len();
        println!("{}: {:.2} MB", file.display(), bytes as f64 / 1e6);
        ensure!(bytes <= LARGEST, "crates.io takes no more than {LARGEST} bytes");
    }
    trial::run(&files, modules, &arguments.toolchain, arguments.trial_target.as_deref())?;
    println!("{modules} device modules; publish, in this order, from {}:", staged.display());
    for name in PACKAGES {
        println!("  cargo +{} publish --allow-dirty --package {name}", arguments.toolchain);
    }
    Ok(())
}

/// Copies what git has, and what it would take, to `staged`.
fn stage(staged: &Path) -> Result<()> {
    if staged.exists() {
        fs::remove_dir_all(staged)?;
    }
    let root = workspace::root();
    let mut git = Command::new("git");
    git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = process::output(&mut git)?.stdout;
    for name in listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        // git lists files that were removed, too; links are followed.
        if root.join(name).is_file() {
            let to = staged.join(name);
            fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
            fs::copy(root.join(name), to).with_context(|| format!("copying {}", name.display()))?;
        }
    }
    Ok(())
}

/// Puts the modules into the copy; how many there are.
fn prebuild(staged: &Path) -> Result<usize> {
    let built = workspace::device_dir();
    let manifest: Built = serde_json::from_str(&fs::read_to_string(built.join("manifest.json"))?)?;
    let hash = source_hash::source_hash(staged)?;
    ensure!(
        manifest.source_hash == hash,
        "the sources copied are not those that the modules were built from"
    );
    let prebuilt = staged.join("host/prebuilt");
    // The library never launches the probes.
    let modules = manifest.modules.iter().filter(|module| !module.name.starts_with("probe"));
    let mut count = 0;
    for Module { target, name } in modules {
        let file = Path::new(target).join(name).with_extension("ptx");
        fs::create_dir_all(prebuilt.join(target))?;
        fs::copy(built.join(&file), prebuilt.join(&file))
            .with_context(|| format!("copying {}", file.display()))?;
        count += 1;
    }
    let statement = Prebuilt {
        version: version(staged)?,
        abi_hash: source_hash::hash_of(&staged.join("abi"), &["src"])?,
        modules_hash: source_hash::hash_of(&prebuilt, &["sm_80", "sm_90"])?,
        source_hash: manifest.source_hash,
        compiler: manifest.compiler,
    };
    fs::write(prebuilt.join("manifest.json"), serde_json::to_string_pretty(&statement)? + "\n")?;
    Ok(count)
}

/// The version of the packages.
fn version(root: &Path) -> Result<String> {
    let manifest: toml::Table = toml::from_str(&fs::read_to_string(root.join("Cargo.toml"))?)?;
    let version = manifest.get("workspace").and_then(|w| w.get("package")?.get("version")?.as_str());
    Ok(version.context("the workspace has no version")?.to_owned())
}

/// Makes the package files.
fn package(staged: &Path, out: &Path, toolchain: &str) -> Result<Vec<PathBuf>> {
    let version = version(staged)?;
    let target = out.join("cargo");
    let mut cargo = cargo(toolchain);
    // Not in git, thus dirty; tried below, thus not verified by cargo.
    cargo.current_dir(staged).args(["package", "--quiet", "--locked", "--allow-dirty", "--no-verify"]);
    for name in PACKAGES {
        cargo.args(["--package", name]);
    }
    process::run(cargo.arg("--target-dir").arg(&target))?;
    let files = PACKAGES.map(|name| format!("{name}-{version}.crate"));
    let place = |name: &String| {
        let to = out.join(name);
        fs::copy(target.join("package").join(name), &to).with_context(|| format!("no {name}"))?;
        Ok(to)
    };
    files.iter().map(place).collect()
}

/// The cargo of a toolchain, in an environment that this one and CUDA have left no mark on.
fn cargo(toolchain: &str) -> Command {
    let mut cargo = Command::new("rustup");
    cargo.args(["run", toolchain, "cargo"]);
    for name in
        ["CARGO", "CARGO_TARGET_DIR", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"]
    {
        cargo.env_remove(name);
    }
    cargo
}
