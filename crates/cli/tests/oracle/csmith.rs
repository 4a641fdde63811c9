//! Random programs from csmith, where it is installed.

use std::path::Path;
use std::process::Command;

/// Where its headers are.
const HEADERS: &str = "/usr/include/csmith";

/// Limits that make most programs end soon.
const SMALL: &[&str] =
    &["--max-funcs", "6", "--max-block-depth", "4", "--max-array-dim", "2", "--max-expr-complexity", "8"];

/// Options that bring out one feature each; the seed selects the row.
const VARIANTS: &[(&str, &[&[&str]])] = &[
    ("small", &[SMALL]),
    ("default", &[]),
    ("builtins", &[SMALL, &["--builtins", "--builtin-function-prob", "30"]]),
    ("float", &[SMALL, &["--float"]]),
    ("bit-fields", &[SMALL, &["--bitfields", "--packed-struct", "--max-struct-fields", "16"]]),
    ("inline", &[&["--inline-function", "--inline-function-prob", "80", "--no-volatiles"]]),
    ("unions", &[SMALL, &["--unions", "--max-union-fields", "8", "--max-pointer-depth", "4"]]),
    (
        "deep",
        &[&[
            "--max-funcs",
            "14",
            "--max-block-depth",
            "3",
            "--max-array-dim",
            "4",
            "--max-array-len-per-dim",
            "5",
        ]],
    ),
];

/// Whether programs can be made here.
pub(crate) fn installed() -> bool {
    // It leaves a file about the platform wherever it runs.
    let runs = || Command::new("csmith").arg("--version").current_dir(std::env::temp_dir()).output().is_ok();
    Path::new(HEADERS).is_dir() && runs()
}

/// What the seed selects.
pub(crate) fn variant(seed: u64) -> &'static str {
    row(seed).0
}

fn row(seed: u64) -> (&'static str, &'static [&'static [&'static str]]) {
    VARIANTS[(seed / 4 % VARIANTS.len() as u64) as usize]
}

/// Writes the program of a seed.
pub(crate) fn write(seed: u64, path: &Path) -> Result<(), String> {
    let mut command = Command::new("csmith");
    command.args(["--seed", &seed.to_string(), "--concise", "--output"]).arg(path);
    command.args(row(seed).1.iter().copied().flatten());
    command.current_dir(path.parent().unwrap_or(Path::new("/")));
    let output = command.output().map_err(|error| format!("csmith: {error}"))?;
    if output.status.success() { Ok(()) } else { Err(format!("csmith failed on seed {seed}")) }
}

/// What its programs need to compile.
pub(crate) fn flags() -> Vec<String> {
    [
        format!("-I{HEADERS}"),
        // Its programs with floating-point numbers pass `float *` for `char *`, which newer clangs reject.
        "-Wno-incompatible-pointer-types".to_owned(),
        // An instruction of one kind of machine, in place of which any function will do.
        "-D__builtin_ia32_crc32qi(a,b)=((a)*33u^(b))".to_owned(),
    ]
    .into()
}
