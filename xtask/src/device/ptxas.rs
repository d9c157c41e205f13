//! Assembling a module, and what ptxas says about each kernel.

use super::cuda_tools::CudaTools;
use crate::process;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// What one kernel uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) registers: u32,
    /// Statically allocated shared memory; the dynamic part is the launch's.
    pub(crate) shared: u32,
    pub(crate) stack: u32,
    pub(crate) spill_stores: u32,
    pub(crate) spill_loads: u32,
}

/// Assembles `module` for `arch` into `cubin`.
pub(crate) fn assemble(
    tools: &CudaTools,
    module: &Path,
    arch: &str,
    cubin: &Path,
) -> Result<BTreeMap<String, Usage>> {
    let mut ptxas = tools.ptxas();
    ptxas.args(["--verbose", "--warn-on-spills", "--gpu-name", arch, "--output-file"]).arg(cubin).arg(module);
    let output = process::output(&mut ptxas)?;
    // It reports on standard error; take both, it has changed before.
    let report = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    parse(&report).with_context(|| format!("ptxas reports otherwise than expected:\n{report}"))
}

fn parse(report: &str) -> Result<BTreeMap<String, Usage>> {
    let mut kernels: BTreeMap<String, Usage> = BTreeMap::new();
    let mut current = None;
    for line in report.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let name = rest.split('\'').next().context("no name")?;
            current = Some(name.to_owned());
            kernels.entry(name.to_owned()).or_default();
        }
        let Some(usage) = current.as_ref().and_then(|name| kernels.get_mut(name)) else { continue };
        if line.contains("bytes stack frame") {
            usage.stack += number_before(line, " bytes stack frame").context("no stack frame")?;
            usage.spill_stores += number_before(line, " bytes spill stores").context("no spill stores")?;
            usage.spill_loads += number_before(line, " bytes spill loads").context("no spill loads")?;
        } else if line.contains(": Used ") {
            usage.registers = number_before(line, " registers").context("no registers")?;
            usage.shared = number_before(line, " bytes smem").unwrap_or(0);
        }
    }
    Ok(kernels)
}

fn number_before(line: &str, unit: &str) -> Option<u32> {
    line.split(unit)
        .next()
        .filter(|before| before.len() < line.len())?
        .rsplit([' ', ','])
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::{Usage, parse};

    #[test]
    fn reads_the_report() {
        let report = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
            ptxas info    : Function properties for a\n    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n\
            ptxas info    : Used 22 registers, used 1 barriers, 16 bytes smem, 384 bytes cmem[0]\n";
        let usage = Usage { registers: 22, shared: 16, stack: 8, spill_stores: 4, spill_loads: 12 };
        assert_eq!(parse(report).unwrap().into_iter().collect::<Vec<_>>(), [("a".to_owned(), usage)]);
    }
}
