//! From a program of the corpus to a compilation database and bitcode, once.
//!
//! In goes a program, out come its tree, its `compile_commands.json` and a warm cache of bitcode in the tree; later checks of any
//! build of watertight need neither the registry nor the program's own build. The database is left by
//! `watertight run --database`, which watches the build.
//!
//! What must hold: what is there is used only if it was made from the same origin and commands ([`stamp`]), and a build that
//! failed leaves nothing that looks built.

use std::fs;
use std::process::Command;

use super::bench::{Bench, Room, at};
use super::fetch;
use super::program::Program;
use super::shell::logged;

/// Whether everything is there.
pub(super) fn is_built(bench: &Bench, program: &Program) -> bool {
    let room = bench.room(program);
    fs::read_to_string(room.stamp()).is_ok_and(|found| found == stamp(program)) && room.database().is_file()
}

/// Makes what is missing.
pub(super) fn build(bench: &Bench, program: &Program) -> Result<(), String> {
    if is_built(bench, program) {
        return Ok(());
    }
    let room = bench.room(program);
    if room.path.exists() {
        fs::remove_dir_all(&room.path).map_err(at(&room.path))?;
    }
    fs::create_dir_all(&room.path).map_err(at(&room.path))?;
    fetch::fetch(bench, program, &room.tree(), &room.log())?;
    for line in &program.prepare {
        logged(&mut shell(program, &room, line), &room.log())
            .map_err(|message| format!("`{line}`: {message}"))?;
    }
    watch(bench, program, &room)?;
    fs::write(room.stamp(), stamp(program)).map_err(at(&room.stamp()))
}

/// Everything that what is built depends on.
fn stamp(program: &Program) -> String {
    let Program { debian, krate, local, version, directory, prepare, build, .. } = program;
    format!("{debian:?} {krate:?} {local:?} {version}\n{directory}\n{prepare:?}\n{build:?}\n")
}

fn shell(program: &Program, room: &Room, line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-e", "-c", line]).current_dir(room.tree().join(&program.directory));
    command
}

fn watch(bench: &Bench, program: &Program, room: &Room) -> Result<(), String> {
    let done = room.path.join("built");
    let directory = room.tree().join(&program.directory);
    // Some builds fail in a late step that compiles nothing; whether that matters is for the program's file to say.
    let script =
        format!("cd '{}'\n{}\ntouch '{}'\n", directory.display(), program.build.join("\n"), done.display());
    let script_path = room.path.join("build.sh");
    fs::write(&script_path, script).map_err(at(&script_path))?;
    room.separate()?;
    let mut command = Command::new(&bench.binary);
    command
        .args(["run", "-q", "--threads", "1", "--format", "json", "--confidence", "low", "--database"])
        .arg(room.database())
        .arg("-o")
        .arg(room.report())
        .args(["--", "sh", "-e"])
        .arg(&script_path)
        .env_remove("MAKEFLAGS")
        .current_dir(room.tree());
    let ran = logged(&mut command, &room.log());
    if !done.exists() {
        let message = ran.err().unwrap_or_else(|| format!("see {}", room.log().display()));
        return Err(format!("the build failed: {message}"));
    }
    if !room.database().is_file() {
        return Err(ran.err().unwrap_or_else(|| "the build compiled nothing".to_owned()));
    }
    Ok(())
}
