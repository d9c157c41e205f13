//! Which compiler builds the device code.

use crate::process;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// The toolchain that the device code is known to build with. Its compiler is the 1.97.0 nightly.
pub(crate) const KNOWN_GOOD: &str = "nightly-2026-05-20";

/// A nightly toolchain.
#[derive(Debug)]
pub(crate) struct Toolchain {
    /// The name by which rustup knows it.
    name: String,
    /// The compiler's `release`, like `1.97.0-nightly`.
    pub(crate) release: String,
    /// The compiler's commit date and hash, to tell two of the same release apart.
    pub(crate) commit: String,
    pub(crate) sysroot: PathBuf,
}

impl Toolchain {
    /// The known good one where it is installed, else `nightly`.
    pub(crate) fn find() -> Result<Self> {
        let installed = process::stdout(Command::new("rustup").args(["toolchain", "list"]))
            .context("the device code needs a nightly compiler, by rustup")?;
        let dated = installed.lines().any(|line| line.starts_with(KNOWN_GOOD));
        let name = if dated { KNOWN_GOOD } else { "nightly" }.to_owned();

        let run = |arguments: &[&str]| {
            let mut rustc = clean(Command::new("rustup"));
            process::stdout(rustc.args(["run", &name, "rustc"]).args(arguments)).with_context(|| {
                format!("no toolchain `{name}`; install one, `rustup toolchain install {KNOWN_GOOD}`")
            })
        };
        let version = run(&["-vV"])?;
        let field = |key: &str| {
            let value = version.lines().find_map(|line| line.strip_prefix(key));
            value.map(|v| v.trim().to_owned()).with_context(|| format!("`rustc -vV` prints no `{key}`"))
        };
        let release = field("release:")?;
        let commit = format!("{} {}", field("commit-date:")?, field("commit-hash:")?);
        let sysroot = PathBuf::from(run(&["--print", "sysroot"])?.trim());
        Ok(Self { name, release, commit, sysroot })
    }

    /// The toolchain's cargo, in an environment that no enclosing cargo has left its mark on.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = clean(Command::new("rustup"));
        command.args(["run", &self.name, "cargo"]);
        command
    }
}

/// `1.97` of `1.97.0-nightly`.
pub(crate) fn major_minor(version: &str) -> Option<&str> {
    let (first, rest) = version.split_once('.')?;
    let minor = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    (minor > 0).then(|| version.get(..first.len() + 1 + minor)).flatten()
}

/// Takes away what a cargo that runs this program hands down: its flags would reach the device build, and its
/// toolchain would override the one asked for. What says how to reach registries stays.
fn clean(mut command: Command) -> Command {
    const KEPT: &[&str] = &["CARGO_HOME", "CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"];
    for (name, _) in std::env::vars_os() {
        let Some(text) = name.to_str() else { continue };
        let of_cargo = text.starts_with("CARGO") && !KEPT.iter().any(|kept| text.starts_with(kept));
        let of_rustc = text.starts_with("RUSTC") || text.starts_with("RUSTDOC") || text == "RUSTFLAGS";
        if of_cargo || of_rustc || text == "RUSTUP_TOOLCHAIN" || text == "MAKEFLAGS" {
            command.env_remove(text);
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::major_minor;

    #[test]
    fn versions_compare_by_major_and_minor() {
        assert_eq!(major_minor("1.97.0-nightly"), Some("1.97"));
        assert_eq!(major_minor("1.97.1+dfsg1-1~bpo13+1"), Some("1.97"));
        assert_eq!(major_minor("1.9"), Some("1.9"));
        assert_eq!(major_minor("1."), None);
        assert_eq!(major_minor("nightly"), None);
    }
}
