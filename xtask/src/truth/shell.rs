//! Running other programs, with what they print kept in a file.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

use super::bench::at;

/// Runs a command with its output added to a log. The end of the log is in the message when it fails.
pub(super) fn logged(command: &mut Command, log: &Path) -> Result<(), String> {
    let file: File = OpenOptions::new().create(true).append(true).open(log).map_err(at(log))?;
    let copy = file.try_clone().map_err(at(log))?;
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.stdin(Stdio::null()).stdout(file).stderr(copy).status();
    let status = status.map_err(|error| format!("{name}: {error}"))?;
    if status.success() {
        return Ok(());
    }
    let text = std::fs::read(log).map_err(at(log))?;
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let end = lines[lines.len().saturating_sub(6)..].join("\n    ");
    Err(format!("{name} ended with {status}; the end of {}:\n    {end}", log.display()))
}

/// What a command prints.
pub(super) fn printed(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Copies a directory with everything in it.
pub(super) fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::create_dir_all(to).map_err(at(to))?;
    let mut command = Command::new("cp");
    command.arg("-rL").arg(from.join(".")).arg(to);
    printed(&mut command)?;
    // Registries unpack some files as read-only.
    printed(Command::new("chmod").arg("-R").arg("u+w").arg(to)).map(drop)
}
