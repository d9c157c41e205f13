//! Finding the standard library's sources, of which the device build compiles `core`.

use super::debian;
use super::toolchain::{Toolchain, major_minor};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Names a `library` directory of the standard library's sources.
const OVERRIDE: &str = "CLUSTER_TOPK_RUST_SRC";

/// The `library` directory for `toolchain`: rustup's component, else what the environment names, else Debian's
/// package.
pub(crate) fn find(toolchain: &Toolchain) -> Result<PathBuf> {
    let component = toolchain.sysroot.join("lib/rustlib/src/rust/library");
    if component.join("core/src/lib.rs").exists() {
        return Ok(component);
    }
    let wanted = major_minor(&toolchain.release)
        .with_context(|| format!("the compiler's release `{}` is no version", toolchain.release))?;
    if let Some(library) = std::env::var_os(OVERRIDE) {
        let library = PathBuf::from(library);
        check(&library, wanted).with_context(|| format!("{OVERRIDE} is {}", library.display()))?;
        return Ok(library);
    }
    debian::library(wanted).context("the toolchain has no rust-src, and Debian's package could not stand in for it").with_context(
        || format!("no sources of the standard library: `rustup component add rust-src`, or set {OVERRIDE} to a `library` directory of version {wanted}"),
    )
}

/// Compares the version that the sources state, where they do, with the compiler's.
fn check(library: &Path, wanted: &str) -> Result<()> {
    if !library.join("core/src/lib.rs").exists() {
        bail!("no `core` there");
    }
    let stated =
        ["../src/version", "../version"].iter().find_map(|at| fs::read_to_string(library.join(at)).ok());
    match stated {
        Some(version) if major_minor(version.trim()) != Some(wanted) => {
            bail!("sources of version {}, but the compiler is {wanted}", version.trim())
        }
        Some(_) => {}
        None => eprintln!("{}: no version stated, taken to be {wanted}", library.display()),
    }
    Ok(())
}
