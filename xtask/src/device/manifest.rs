//! What the device build leaves for others: `target/device/manifest.json`.

use crate::workspace;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

/// What was built, from what, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The hash of the sources: see `source_hash`.
    pub(crate) source_hash: String,
    /// The compiler's release and commit.
    pub(crate) compiler: String,
    /// The targets and their PTX ISA versions.
    pub(crate) targets: String,
    pub(crate) modules: Vec<Module>,
}

/// A PTX module, at `target/device/<target>/<name>.ptx`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Module {
    pub(crate) target: String,
    pub(crate) name: String,
    pub(crate) entries: Vec<Entry>,
}

/// An entry point and the bounds of its launches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) max_threads: u32,
    pub(crate) min_blocks: u32,
    pub(crate) cluster_width: Option<u32>,
}

impl Module {
    pub(crate) fn path(&self) -> PathBuf {
        workspace::device_dir().join(&self.target).join(&self.name).with_extension("ptx")
    }
}

impl Manifest {
    fn path() -> PathBuf {
        workspace::device_dir().join("manifest.json")
    }

    /// The manifest of the last build, if it and all of its modules are there.
    pub(crate) fn read() -> Option<Self> {
        let manifest: Self = serde_json::from_str(&fs::read_to_string(Self::path()).ok()?).ok()?;
        manifest.modules.iter().all(|module| module.path().exists()).then_some(manifest)
    }

    pub(crate) fn write(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(Self::path(), text).with_context(|| format!("cannot write {}", Self::path().display()))
    }

    /// Before the modules change: no manifest speaks for them until the new one does.
    pub(crate) fn remove() -> Result<()> {
        match fs::remove_file(Self::path()) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e.into()),
            _ => Ok(()),
        }
    }
}
