//! Whether the packages do for a user what they should: built from their files alone, away from the workspace.

use super::{PACKAGES, cargo};
use crate::{process, workspace};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that goes away with this value.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("cluster-topk-packages-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The unpacked packages, and a program that depends on them.
struct Trial<'a> {
    scratch: Scratch,
    unpacked: Vec<PathBuf>,
    toolchain: &'a str,
    target: PathBuf,
}

/// Unpacks `files`, and builds and runs a program with them, which must find exactly `modules` modules; then twice more with a
/// fault, which must keep all of them out.
pub(super) fn run(files: &[PathBuf], modules: usize, toolchain: &str, target: Option<&Path>) -> Result<()> {
    let scratch = Scratch::new()?;
    let target = match target {
        Some(target) => std::path::absolute(target)?,
        None => scratch.0.join("target"),
    };
    let unpacked = files.iter().map(|file| unpack(file, &scratch.0)).collect::<Result<_>>()?;
    let program = workspace::root().join("ci/packaged");
    for file in ["Cargo.toml", "src/main.rs"] {
        let to = scratch.0.join("program").join(file);
        fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
        fs::copy(program.join(file), to)?;
    }
    let trial = Trial { scratch, unpacked, toolchain, target };
    trial.licences()?;
    trial.expect("the packages as they are", modules)?;
    trial.examples()?;
    let [abi, host] = &trial.unpacked[..] else { bail!("there are {} packages", trial.unpacked.len()) };
    // Without the first fault the second would not show.
    let module = some_module(&host.join("prebuilt/sm_90"))?;
    trial.with_fault("a module that is not whole", &module, "// one line more\n")?;
    trial.with_fault("another `abi`", &abi.join("src/lib.rs"), "// one line more\n")?;
    trial.expect("both put right", modules)
}

fn unpack(file: &Path, scratch: &Path) -> Result<PathBuf> {
    process::run(Command::new("tar").arg("-xzf").arg(file).arg("-C").arg(scratch))?;
    Ok(scratch.join(file.file_stem().context("a package file has a name")?))
}

fn some_module(directory: &Path) -> Result<PathBuf> {
    let first = fs::read_dir(directory)?.next().context("there are no modules")?;
    Ok(first?.path())
}

/// A line of cargo's report, as far as it matters.
#[derive(Deserialize)]
struct Message {
    reason: String,
    package_id: Option<String>,
    out_dir: Option<PathBuf>,
    executable: Option<PathBuf>,
}

impl Trial<'_> {
    fn licences(&self) -> Result<()> {
        for package in &self.unpacked {
            for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
                ensure!(package.join(file).is_file(), "{} lacks {file}", package.display());
            }
        }
        Ok(())
    }

    /// A cargo that takes the packages for those of the registry.
    fn cargo(&self) -> Command {
        let mut cargo = cargo(self.toolchain);
        for (name, path) in PACKAGES.iter().zip(&self.unpacked) {
            cargo.arg("--config").arg(format!("patch.crates-io.{name}.path='{}'", path.display()));
        }
        cargo.env("CARGO_TARGET_DIR", &self.target).stdin(Stdio::null());
        cargo
    }

    /// The library and its examples, of the unpacked package.
    fn examples(&self) -> Result<()> {
        let [abi, host] = &self.unpacked[..] else { bail!("there are {} packages", self.unpacked.len()) };
        let mut cargo = cargo(self.toolchain);
        cargo.current_dir(host).args(["check", "--quiet", "--lib", "--examples"]);
        cargo.arg("--config").arg(format!("patch.crates-io.{}.path='{}'", PACKAGES[0], abi.display()));
        process::run(cargo.env("CARGO_TARGET_DIR", &self.target))
    }

    /// Builds the program and runs it; fails unless exactly `modules` modules are embedded.
    fn expect(&self, what: &str, modules: usize) -> Result<()> {
        let mut cargo = self.cargo();
        cargo.current_dir(self.scratch.0.join("program")).args(["build", "--quiet"]);
        cargo.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
        let report = process::stdout(&mut cargo)?;
        let messages: Vec<Message> =
            report.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let is_script = |message: &&Message| {
            let id = message.package_id.as_deref().unwrap_or_default();
            message.reason == "build-script-executed" && id.contains("cluster-topk") && !id.contains("abi")
        };
        let out_dir = messages.iter().find(is_script).and_then(|message| message.out_dir.as_ref());
        let generated = out_dir.context("the library's build script did not run")?.join("modules.rs");
        let embedded = fs::read_to_string(generated)?.matches("Embedded {").count();
        ensure!(embedded == modules, "{what}: {embedded} modules are embedded, {modules} should be");
        let program = messages.iter().find_map(|message| message.executable.as_ref());
        let said = process::stdout(&mut Command::new(program.context("cargo built no program")?))?;
        let any = said.starts_with("device code");
        ensure!(any == (modules > 0), "{what}: the program says: {said}");
        println!("{what}: {embedded} modules are embedded; {}", said.trim_end());
        Ok(())
    }

    /// Adds a line to `file`, which must keep all modules out, and puts the file right again.
    fn with_fault(&self, what: &str, file: &Path, line: &str) -> Result<()> {
        let whole = fs::read_to_string(file)?;
        fs::write(file, format!("{whole}{line}"))?;
        self.expect(what, 0)?;
        Ok(fs::write(file, whole)?)
    }
}
