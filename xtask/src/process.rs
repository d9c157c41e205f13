//! Running other programs.

use anyhow::{Context, Result, bail};
use std::process::{Command, Output, Stdio};

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs `command`, which talks to the user itself.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed: {status}", shown(command));
    }
    Ok(())
}

/// Runs `command` and gives what it wrote. A failure quotes its standard error.
pub(crate) fn output(command: &mut Command) -> Result<Output> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed: {}\n{}", shown(command), output.status, errors.trim_end());
    }
    Ok(output)
}

/// Runs `command` and gives its standard output as text.
pub(crate) fn stdout(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8(output(command)?.stdout)?)
}
