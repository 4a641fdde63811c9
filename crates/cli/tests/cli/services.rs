//! What build services, pre-commit and VS Code get: each part that is a shell script runs here, in a directory of its own and with the
//! binary under test; the descriptions around it are read as far as a program for it is there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Project, Ran, binary, repository, skip};

const LEAK: &str = "\
#include <stdlib.h>
int first(int n) {
    char *block = malloc(16);
    if (n == 3)
        return -1;
    free(block);
    return 0;
}
";

const CLEAN: &str = "int first(int n) { return n; }\n";

/// A folder with nothing but a shell's usual programs on its PATH, and the binary if it is wanted.
struct Machine {
    project: Project,
    path: String,
}

impl Machine {
    fn new(files: &[(&str, &str)], installed: bool) -> Machine {
        let project = Project::new(files);
        let tools = project.path().join(".tools");
        std::fs::create_dir(&tools).unwrap();
        if installed {
            std::os::unix::fs::symlink(binary(), tools.join("watertight")).unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", tools.display());
        Machine { project, path }
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project.path()).stdin(Stdio::null()).env("PATH", &self.path);
        // Away from the settings of whoever runs the tests.
        for name in ["GITHUB_ACTIONS", "GITHUB_OUTPUT", "GITHUB_PATH"] {
            command.env_remove(name);
        }
        command.env("HOME", self.project.path());
        command
    }

    fn script(&self, name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(repository().join("ci").join(name));
        Ran::of(command.args(arguments).envs(variables.iter().copied()))
    }

    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"];
        let done = self.command("git").args(identity).args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

/// A tarball as `./x package` makes it, with the binary under test.
fn tarball(folder: &Path) -> PathBuf {
    let tree = folder.join("watertight-0/bin");
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::copy(binary(), tree.join("watertight")).unwrap();
    let made = folder.join("watertight-0.tar.gz");
    let done = Command::new("tar").arg("-C").arg(folder).arg("-czf").arg(&made).arg("watertight-0").status();
    assert!(done.unwrap().success());
    made
}

#[test]
fn the_installer_takes_a_package_by_path_and_by_address() {
    let machine = Machine::new(&[("a.c", LEAK)], false);
    let folder = tempfile::tempdir().unwrap();
    let package = tarball(folder.path());
    let path = package.to_str().unwrap();
    let clang = [("WATERTIGHT_CLANG", "clang")];
    let address = format!("file://{path}");
    for (named, prefix) in [(path, "one"), (&*address, "two")] {
        let prefix = machine.project.path().join(prefix);
        let added = machine.project.path().join("github-path");
        let variables = [
            ("WATERTIGHT_PACKAGE", named),
            ("WATERTIGHT_PREFIX", prefix.to_str().unwrap()),
            ("GITHUB_PATH", added.to_str().unwrap()),
            clang[0],
        ];
        machine.script("install.sh", &[], &variables).exits(0).says("watertight 0.1.0 is installed");
        assert!(prefix.join("bin/watertight").is_file());
        assert!(std::fs::read_to_string(added).unwrap().contains(prefix.to_str().unwrap()));
    }
    machine
        .script("install.sh", &[], &[("WATERTIGHT_PACKAGE", "watertight.zip"), clang[0]])
        .exits(2)
        .says("neither a .deb nor a .tar.gz");
    machine.script("install.sh", &[], &[clang[0]]).exits(3).says("name a package in WATERTIGHT_PACKAGE");
    let installed = Machine::new(&[], true);
    installed.script("install.sh", &[], &[clang[0]]).exits(0).says("is installed");
}

#[test]
fn the_action_writes_a_report_and_annotations() {
    let machine = Machine::new(&[("a.c", LEAK)], true);
    let outputs = machine.project.write("outputs", "");
    let github = [("GITHUB_ACTIONS", "true"), ("GITHUB_OUTPUT", outputs.to_str().unwrap())];
    machine.script("check.sh", &["a.c"], &github).exits(1).says("::warning file=a.c,line=3");
    assert_eq!(std::fs::read_to_string(&outputs).unwrap(), "report=findings.sarif\n");
    assert!(
        std::fs::read_to_string(machine.project.path().join("findings.sarif"))
            .unwrap()
            .contains("memory-leak")
    );
    // A build that makes the database, another name for the report, and findings that are no failure.
    let variables = [
        (
            "WATERTIGHT_BUILD",
            r#"printf '[{"directory": "%s", "file": "a.c", "command": "cc -c a.c"}]' "$PWD" > compile_commands.json"#,
        ),
        ("WATERTIGHT_REPORT", "other.sarif"),
        ("WATERTIGHT_FAIL", "false"),
    ];
    machine.script("check.sh", &[], &variables).exits(0).does_not_say("::warning");
    assert!(machine.project.path().join("other.sarif").is_file());
    // What went wrong is no finding.
    machine.script("check.sh", &["missing.c"], &[("WATERTIGHT_FAIL", "false")]).exits(2);
    machine.script("check.sh", &[], &[("WATERTIGHT_BUILD", "false")]).exits(1);
}

#[test]
fn the_hook_for_commits_reports_what_changed() {
    let machine = Machine::new(&[("a.c", LEAK), ("b.c", CLEAN)], true);
    machine.git(&["init", "-q"]);
    machine.script("pre-commit.sh", &["a.c", "b.c"], &[]).exits(0);
    machine.git(&["add", "a.c", "b.c"]);
    machine.git(&["commit", "-qm", "first"]);
    machine.script("pre-commit.sh", &["a.c", "b.c"], &[]).exits(0).does_not_say("a.c:3");
    machine.project.write("b.c", LEAK.replace("first", "second"));
    machine.script("pre-commit.sh", &["a.c", "b.c"], &[]).exits(1).says("b.c:3:").does_not_say("a.c:3");
}

/// The lines of a list of commands in a description.
fn steps(text: &str, key: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| line.trim() != format!("{key}:")).skip(1);
    let mut steps = Vec::new();
    while let Some(step) = lines.next().and_then(|line| line.trim_start().strip_prefix("- ")) {
        steps.push(step.to_owned());
    }
    steps
}

#[test]
fn the_template_for_gitlab_installs_and_checks() {
    let text = std::fs::read_to_string(repository().join("ci/gitlab.yml")).unwrap();
    let machine = Machine::new(&[("a.c", LEAK)], true);
    // What only a container may do is written down instead.
    let apt = machine.project.write(".tools/apt-get", "#!/bin/sh\necho \"$@\" >> apt.log\n");
    std::fs::set_permissions(&apt, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let package = machine.project.write("package.deb", "a package");
    let before = steps(&text, "before_script");
    assert_eq!(before.len(), 4);
    let run = |steps: &[String], variables: &[(&str, &str)]| {
        let mut command = machine.command("sh");
        Ran::of(command.args(["-e", "-c", &steps.join("\n")]).envs(variables.iter().copied()))
    };
    run(&before, &[]).exits(2).says("name the .deb of watertight in WATERTIGHT_PACKAGE");
    let address = format!("file://{}", package.display());
    run(&before, &[("WATERTIGHT_PACKAGE", &*address), ("WATERTIGHT_NEEDS", "make")]).exits(0);
    let log = std::fs::read_to_string(machine.project.path().join("apt.log")).unwrap();
    assert!(log.contains("clang make\n") && log.ends_with("install -y -q /tmp/watertight.deb\n"), "{log}");
    let script = steps(&text, "script");
    assert_eq!(script.len(), 2);
    run(&script, &[("WATERTIGHT_BUILD", "touch built"), ("WATERTIGHT_ARGUMENTS", "a.c")]).exits(1);
    assert!(machine.project.path().join("built").is_file());
    let report = std::fs::read_to_string(machine.project.path().join("gl-code-quality-report.json")).unwrap();
    assert!(report.contains("memory-leak"));
}

#[test]
fn the_descriptions_are_yaml_and_name_files_that_exist() {
    let root = repository();
    let names = ["action.yml", "ci/gitlab.yml", ".pre-commit-hooks.yaml"];
    for name in names {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        for script in text.split("ci/").skip(1).filter_map(|rest| rest.split(['"', ' ', '\n', '\'']).next()) {
            let known = script.starts_with("watertight.yml") || root.join("ci").join(script).is_file();
            assert!(known, "{name} names ci/{script}");
        }
    }
    let read = "import sys, yaml\nfor name in sys.argv[1:]:\n    yaml.safe_load(open(name))";
    match Command::new("python3").args(["-c", "import yaml"]).output() {
        Ok(done) if done.status.success() => {
            let done =
                Command::new("python3").current_dir(&root).args(["-c", read]).args(names).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        }
        _ => skip("there is no Python with yaml to read the descriptions with"),
    }
}

#[test]
fn the_hook_is_one_for_pre_commit() {
    let Ok(done) = Command::new("pre-commit").arg("--version").output() else {
        return skip("pre-commit is not installed");
    };
    if !done.status.success() {
        return skip("pre-commit does not run");
    }
    let manifest = repository().join(".pre-commit-hooks.yaml");
    let done = Command::new("pre-commit").arg("validate-manifest").arg(manifest).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn the_extension_for_vs_code_starts_with_the_real_client() {
    let root = repository();
    let manifest = std::fs::read_to_string(root.join("editors/vscode/package.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert!(root.join("editors/vscode").join(manifest["main"].as_str().unwrap()).is_file());
    if Command::new("npm").arg("--version").output().is_err() {
        return skip("npm is missing, so the extension for VS Code is not started");
    }
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("vscode");
    let done = Command::new("cp").arg("-R").arg(root.join("editors/vscode")).arg(&made).status().unwrap();
    assert!(done.success());
    let install = ["ci", "--omit=dev", "--no-audit", "--no-fund", "--prefer-offline"];
    let done = Command::new("npm").args(install).current_dir(&made).output().unwrap();
    if !done.status.success() {
        return skip(
            "npm cannot fetch the language client here, so the extension for VS Code is not started",
        );
    }
    let ran = Ran::of(
        Command::new("node").arg("test/start.js").arg(binary()).current_dir(&made).stdin(Stdio::null()),
    );
    ran.exits(0).says("the extension starts");
}
