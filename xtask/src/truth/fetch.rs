//! Getting the sources of a program from its registry, by name and exact version.
//!
//! Debian source packages come through apt with a configuration of its own below the data root. It is derived from that of the
//! machine, whatever mirror that names, with `deb-src` in place of `deb`; the machine's own lists are not
//! touched. Crates come through cargo. What must hold: another version than the one asked for is an error, never a
//! substitute.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use super::bench::{Bench, at};
use super::program::Program;
use super::shell::{copy_tree, logged, printed};

/// apt works for one program at a time.
static APT: Mutex<()> = Mutex::new(());

/// Unpacks the sources of a program into a directory that does not exist yet.
pub(super) fn fetch(bench: &Bench, program: &Program, tree: &Path, log: &Path) -> Result<(), String> {
    if let Some(directory) = &program.local {
        return copy_tree(&bench.root.join(directory), tree);
    }
    let scratch = tree.with_extension("fetch");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(at(&scratch))?;
    }
    fs::create_dir_all(&scratch).map_err(at(&scratch))?;
    let fetched = match (&program.debian, &program.krate) {
        (Some(package), _) => debian(bench, package, &program.version, &scratch, tree, log),
        (_, Some(krate)) => cargo(krate, &program.version, &scratch, tree),
        _ => Err("it comes from nowhere".to_owned()),
    };
    fs::remove_dir_all(&scratch).map_err(at(&scratch))?;
    fetched
}

fn debian(
    bench: &Bench,
    package: &str,
    version: &str,
    scratch: &Path,
    tree: &Path,
    log: &Path,
) -> Result<(), String> {
    let _turn = APT.lock().map_err(|error| error.to_string())?;
    let options = apt_options(bench, log)?;
    let mut command = Command::new("apt-get");
    command.args(&options).args(["source", "-qq"]).arg(format!("{package}={version}"));
    if let Err(message) = logged(command.current_dir(scratch), log) {
        let known = printed(Command::new("apt-cache").args(&options).args(["showsrc", package]))?;
        let mut versions: Vec<&str> =
            known.lines().filter_map(|line| line.strip_prefix("Version: ")).collect();
        versions.sort_unstable();
        versions.dedup();
        if versions.contains(&version) {
            return Err(message);
        }
        let versions = if versions.is_empty() { "none".to_owned() } else { versions.join(", ") };
        return Err(format!("{package} {version} is not in the registry; there is: {versions}"));
    }
    let entries = fs::read_dir(scratch).map_err(at(scratch))?;
    let unpacked = entries.flatten().map(|entry| entry.path()).find(|path| path.is_dir());
    let unpacked = unpacked.ok_or_else(|| format!("{package}: nothing was unpacked"))?;
    fs::rename(&unpacked, tree).map_err(at(tree))
}

/// Options that make apt work on lists of its own, which are fetched the first time.
fn apt_options(bench: &Bench, log: &Path) -> Result<Vec<String>, String> {
    let home = bench.data.join("apt");
    let (parts, lists) = (home.join("parts"), home.join("lists"));
    let options: Vec<String> = [
        "Dir::Etc::sourcelist=/dev/null".to_owned(),
        format!("Dir::Etc::sourceparts={}", parts.display()),
        format!("Dir::State::lists={}", lists.display()),
        "APT::Get::List-Cleanup=0".to_owned(),
        "APT::Sandbox::User=root".to_owned(),
    ]
    .into_iter()
    .flat_map(|option| ["-o".to_owned(), option])
    .collect();
    let done = home.join("done");
    if !done.exists() {
        fs::create_dir_all(lists.join("partial")).map_err(at(&lists))?;
        fs::create_dir_all(&parts).map_err(at(&parts))?;
        derive_sources(Path::new("/etc/apt"), &parts)?;
        logged(Command::new("apt-get").args(&options).arg("update"), log)?;
        fs::write(&done, "").map_err(at(&done))?;
    }
    Ok(options)
}

/// Writes the sources of packages that go with the machine's sources of binaries.
fn derive_sources(from: &Path, to: &Path) -> Result<(), String> {
    let mut files = vec![from.join("sources.list")];
    files.extend(
        fs::read_dir(from.join("sources.list.d")).into_iter().flatten().flatten().map(|entry| entry.path()),
    );
    for (number, file) in files.iter().enumerate() {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        let derived: Vec<String> = text.lines().filter_map(|line| source_line(line, &extension)).collect();
        let path = to.join(format!("{number}.{extension}"));
        fs::write(&path, derived.join("\n") + "\n").map_err(at(&path))?;
    }
    Ok(())
}

fn source_line(line: &str, extension: &str) -> Option<String> {
    match extension {
        "sources" if line.starts_with("Types:") => Some("Types: deb-src".to_owned()),
        "sources" => Some(line.to_owned()),
        _ => line.strip_prefix("deb ").map(|rest| format!("deb-src {rest}")),
    }
}

fn cargo(krate: &str, version: &str, scratch: &Path, tree: &Path) -> Result<(), String> {
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n{krate} = \"={version}\"\n"
    );
    fs::write(scratch.join("Cargo.toml"), manifest).map_err(at(scratch))?;
    fs::create_dir_all(scratch.join("src")).map_err(at(scratch))?;
    fs::write(scratch.join("src/lib.rs"), "").map_err(at(scratch))?;
    let mut command = Command::new("cargo");
    let text = printed(command.args(["metadata", "--format-version", "1", "-q"]).current_dir(scratch))?;
    let metadata: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages
        .filter(|package| package["name"] == krate)
        .find_map(|package| package["manifest_path"].as_str())
        .ok_or_else(|| format!("cargo does not know where {krate} is"))?;
    let from = Path::new(manifest).parent().ok_or("a manifest without a directory")?;
    copy_tree(from, tree)
}

/// Installs the Debian packages that programs need and the machine does not have, all at once.
pub(super) fn install(bench: &Bench, programs: &[&Program]) -> Result<(), String> {
    let mut wanted: Vec<&str> =
        programs.iter().flat_map(|program| &program.packages).map(String::as_str).collect();
    if programs.iter().any(|program| program.debian.is_some()) {
        wanted.extend(["build-essential", "dpkg-dev"]);
    }
    wanted.sort_unstable();
    wanted.dedup();
    let installed = |package: &&str| {
        let status = printed(Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}", package]));
        status.is_ok_and(|status| status == "installed")
    };
    wanted.retain(|package| !installed(package));
    if wanted.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(&bench.data).map_err(at(&bench.data))?;
    let log = bench.data.join("install.log");
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    arguments.extend(&wanted);
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    logged(apt().args(&arguments), &log)
        .or_else(|_| logged(apt().arg("update"), &log).and_then(|()| logged(apt().args(&arguments), &log)))
        .map_err(|message| format!("needs the packages {}: {message}", wanted.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_derived_from_binaries() {
        assert_eq!(source_line("Types: deb", "sources").unwrap(), "Types: deb-src");
        assert_eq!(source_line("Suites: a", "sources").unwrap(), "Suites: a");
        assert_eq!(source_line("deb [x] y stable main", "list").unwrap(), "deb-src [x] y stable main");
        assert_eq!(source_line("# deb y", "list"), None);
    }
}
