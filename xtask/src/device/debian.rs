//! The standard library's sources from Debian's package `rust-src`, without installing anything.
//!
//! A private configuration of apt, with lists and cache of its own, reads the mirror from the machine's sources files
//! and looks in the suites that carry current compilers.

use super::toolchain::major_minor;
use crate::process;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Suites that follow Rust's releases.
const SUITES: &[&str] = &["trixie-backports", "forky", "sid"];

/// The `library` directory of Debian's `rust-src` of version `wanted` (major and minor).
pub(crate) fn library(wanted: &str) -> Result<PathBuf> {
    let at = workspace::device_dir().join("rust-src").join(wanted);
    let library = at.join("library");
    if library.join("core/src/lib.rs").exists() {
        return Ok(library);
    }
    let apt = Apt::configure(&workspace::device_dir().join("apt"))?;
    eprintln!("fetching Debian's rust-src {wanted}");
    // A mirror may lack one of the suites; whether the others suffice shows below.
    let updated = process::output(apt.command("apt-get").args(["-q", "update"]));
    let versions = process::stdout(apt.command("apt-cache").args(["madison", "rust-src"]))?;
    let version = versions
        .lines()
        .filter_map(|line| line.split('|').nth(1).map(str::trim))
        .find(|version| major_minor(version) == Some(wanted));
    let Some(version) = version else {
        updated.context("apt-get update")?;
        bail!("no suite of {SUITES:?} has rust-src {wanted}");
    };

    let unpacking = workspace::device_dir().join("rust-src").join(format!("{wanted}.part"));
    if unpacking.exists() {
        fs::remove_dir_all(&unpacking)?;
    }
    fs::create_dir_all(&unpacking)?;
    let package = format!("rust-src={version}");
    process::output(apt.command("apt-get").args(["-q", "download", &package]).current_dir(&unpacking))?;
    unpack(&unpacking)?;
    if at.exists() {
        fs::remove_dir_all(&at)?;
    }
    fs::rename(&unpacking, &at)?;
    Ok(library)
}

/// Takes `library` and nothing else out of the package in `directory`, and removes the package.
fn unpack(directory: &Path) -> Result<()> {
    let package = fs::read_dir(directory)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|e| e == "deb"))
        .context("apt-get download left no package")?;
    let mut reader =
        Command::new("dpkg-deb").arg("--fsys-tarfile").arg(&package).stdout(Stdio::piped()).spawn()?;
    let files = reader.stdout.take().context("dpkg-deb has no output")?;
    // ./usr/src/rustc-VERSION/library
    let untar = Command::new("tar")
        .arg("-C")
        .arg(directory)
        .args([
            "-x",
            "--strip-components=4",
            "--wildcards",
            "--no-wildcards-match-slash",
            "./usr/src/*/library",
        ])
        .stdin(files)
        .status()?;
    let read = reader.wait()?;
    if !untar.success() || !read.success() || !directory.join("library/core/src/lib.rs").exists() {
        bail!("{} does not unpack as expected", package.display());
    }
    fs::remove_file(&package)?;
    Ok(())
}

/// A private configuration of apt.
struct Apt {
    configuration: PathBuf,
}

impl Apt {
    fn configure(at: &Path) -> Result<Self> {
        let mirror = mirror()?;
        fs::create_dir_all(at.join("state/lists/partial"))?;
        fs::create_dir_all(at.join("cache/archives/partial"))?;
        let keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let line = |suite| format!("deb [signed-by={keyring}] {mirror} {suite} main\n");
        fs::write(at.join("sources.list"), SUITES.iter().map(line).collect::<String>())?;
        let dir = at.display();
        let configuration = at.join("apt.conf");
        fs::write(
            &configuration,
            format!(
                "Dir::State \"{dir}/state\";\nDir::State::status \"/dev/null\";\nDir::Cache \"{dir}/cache\";\n\
                 Dir::Etc::sourcelist \"{dir}/sources.list\";\nDir::Etc::sourceparts \"-\";\n\
                 Acquire::Languages \"none\";\nAPT::Sandbox::User \"\";\n"
            ),
        )?;
        Ok(Self { configuration })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.arg("-c").arg(&self.configuration);
        command
    }
}

/// The mirror that this machine uses.
fn mirror() -> Result<String> {
    let sources = fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten();
    for path in sources
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "sources"))
    {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let uris = text.lines().filter_map(|line| line.strip_prefix("URIs:"));
        if let Some(uri) = uris.flat_map(str::split_whitespace).find(|uri| !uri.contains("security")) {
            return Ok(uri.to_owned());
        }
    }
    bail!("no Debian mirror in /etc/apt/sources.list.d")
}
