//! ptxas and nvdisasm, from their Python packages, installed nowhere but under `target/device`.

use crate::process;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Assemblers of CUDA 13 know every architecture from sm_75 on.
const PACKAGES: &[&str] = &["nvidia-cuda-nvcc>=13,<14", "nvidia-cuda-nvdisasm>=13,<14"];

/// Where the tools are.
#[derive(Debug)]
pub(crate) struct CudaTools {
    bin: PathBuf,
}

impl CudaTools {
    /// The tools, fetched on first use.
    pub(crate) fn fetch() -> Result<Self> {
        let at = workspace::device_dir().join("cuda-tools");
        if let Some(tools) = Self::look(&at) {
            return Ok(tools);
        }
        eprintln!("fetching ptxas and nvdisasm");
        if at.exists() {
            fs::remove_dir_all(&at)?;
        }
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]);
        // Running as root is fine: nothing is installed outside the directory.
        pip.args(["--root-user-action", "ignore", "--target"]).arg(&at).args(PACKAGES);
        process::run(&mut pip).context("ptxas and nvdisasm come from Python packages")?;
        match Self::look(&at) {
            Some(tools) => Ok(tools),
            None => bail!("no ptxas and nvdisasm in the packages {PACKAGES:?}"),
        }
    }

    /// `nvidia/cuNN/bin` below `at`, if both are there.
    fn look(at: &std::path::Path) -> Option<Self> {
        let versions = fs::read_dir(at.join("nvidia")).ok()?;
        let mut bins = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
        let bin = bins.find(|bin| bin.join("ptxas").exists() && bin.join("nvdisasm").exists())?;
        Some(Self { bin })
    }

    pub(crate) fn ptxas(&self) -> Command {
        Command::new(self.bin.join("ptxas"))
    }

    pub(crate) fn nvdisasm(&self) -> Command {
        Command::new(self.bin.join("nvdisasm"))
    }
}
