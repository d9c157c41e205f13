//! One folder with everything a machine without Rust needs to test and time the GPU engine.

use crate::{device, process, workspace};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::Deserialize;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Args)]
pub(crate) struct Gather {
    /// The folder; what it held before is removed.
    #[arg(long, default_value = "target/gather")]
    out: PathBuf,
}

/// A program: its package, the kind and name of its target, and its name in the folder.
const PROGRAMS: [(&str, &str, &str, &str); 3] = [
    ("cluster-topk-tests", "test", "gpu", "gpu-tests"),
    ("cluster-topk-benches", "bin", "gpu", "gpu-bench"),
    ("cluster-topk", "example", "01_nearest_digits", "nearest-digits"),
];

/// Marks a folder as one that may be replaced.
const README: &str = "README.md";
const README_TEXT: &str = include_str!("readme.md");
const SCRIPT: &str = "run-gpu.sh";
const SCRIPT_TEXT: &str = include_str!("run-gpu.sh");

/// A profile of its own, so that these builds and ordinary release builds leave each other's results alone. Debug
/// information is left out; the thousands of instances in the tests need no more than light optimisation.
const PROFILE: [&str; 4] = [
    "profile.gathered.inherits='release'",
    "profile.gathered.debug=false",
    "profile.gathered.strip='symbols'",
    "profile.gathered.package.cluster-topk-tests.opt-level=1",
];

pub(crate) fn run(arguments: &Gather) -> Result<()> {
    device::run(device::Command::Build { force: false })?;
    let programs = build()?;
    // The library leaves modules out that do not fit the sources; then every GPU test would be skipped.
    ensure!(device::is_current()?, "the device sources changed during the build; gather again");
    let out = &arguments.out;
    replace(out)?;
    let mut total = 0;
    for ((.., name), program) in PROGRAMS.iter().zip(programs) {
        total +=
            fs::copy(&program, out.join(name)).with_context(|| format!("copying {}", program.display()))?;
    }
    let data = out.join("examples/data");
    fs::create_dir_all(&data)?;
    for file in fs::read_dir(workspace::root().join("host/examples/data"))? {
        let file = file?;
        total += fs::copy(file.path(), data.join(file.file_name()))?;
    }
    fs::write(out.join(README), README_TEXT)?;
    fs::write(out.join(SCRIPT), SCRIPT_TEXT)?;
    fs::set_permissions(out.join(SCRIPT), fs::Permissions::from_mode(0o755))?;
    println!("{}: {:.1} MB; run {SCRIPT} there", out.display(), total as f64 / 1e6);
    Ok(())
}

/// Makes an empty folder, unless that would remove something else.
fn replace(out: &Path) -> Result<()> {
    if out.exists() {
        let empty = fs::read_dir(out)?.next().is_none();
        ensure!(empty || out.join(SCRIPT).exists(), "{} is in use for something else", out.display());
        fs::remove_dir_all(out)?;
    }
    fs::create_dir_all(out)?;
    Ok(())
}

/// A line of cargo's report, as far as it matters.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// Builds all programs at once; answers where they are, in their order.
fn build() -> Result<Vec<PathBuf>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace::root()).args(["build", "--profile", "gathered"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    for setting in PROFILE {
        cargo.args(["--config", setting]);
    }
    for (package, kind, target, _) in PROGRAMS {
        cargo.args(["--package", package, &format!("--{kind}"), target]);
    }
    cargo.stderr(std::process::Stdio::inherit());
    let report = process::stdout(&mut cargo)?;
    let built: Vec<Message> = report.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let find = |(_, kind, name, _): &(&str, &str, &str, &str)| {
        let of = |message: &Message| {
            let target = message.target.as_ref()?;
            let same = target.name == *name && target.kind.iter().any(|one| one == kind);
            if same { message.executable.clone() } else { None }
        };
        match built.iter().find_map(of) {
            Some(program) => Ok(program),
            None => bail!("cargo built no {kind} `{name}`"),
        }
    };
    PROGRAMS.iter().map(find).collect()
}
