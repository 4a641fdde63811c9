//! How long loading takes, compared with the compiler in the same run.
//!
//! In: C files, or nothing for a synthetic one. For each file clang writes bitcode and `watertight dump totals` loads
//! it (decoding, lowering, SSA construction, joining) on one core; the best of several runs counts, since noise only
//! ever adds. Out: a table. Only the ratio means something on another machine. With several files, the last row loads
//! all of them together on all cores, against the sum of clang's times divided by the number of cores.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Each time is the best of so many.
const RUNS: usize = 3;
/// The flags that `watertight` compiles with.
const CLANG_FLAGS: &[&str] = &["-O0", "-g", "-w", "-c", "-emit-llvm", "-Xclang", "-disable-O0-optnone"];

/// Measures and gives the table.
pub(crate) fn bench(root: &Path, arguments: &[String]) -> Result<String, String> {
    let watertight = root.join("target/release/watertight");
    if !watertight.is_file() {
        return Err(format!("{} is missing; use `./x bench`", watertight.display()));
    }
    let clang = std::env::var("WATERTIGHT_CLANG").unwrap_or_else(|_| "clang".to_owned());
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let (flags, mut files): (Vec<String>, Vec<PathBuf>) = (
        arguments.iter().filter(|argument| argument.starts_with('-')).cloned().collect(),
        arguments.iter().filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect(),
    );
    if files.is_empty() {
        let path = folder.path().join("synthetic.c");
        std::fs::write(&path, synthetic(3000)).map_err(|error| format!("{}: {error}", path.display()))?;
        files.push(path);
    }
    let mut table = format!(
        "{:<24} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9}\n",
        "file", "bitcode", "clang", "load", "ratio", "peak", "per byte"
    );
    let (mut all, mut clang_time) = (Vec::new(), Duration::ZERO);
    for (number, file) in files.iter().enumerate() {
        let bitcode = folder.path().join(format!("{number}.bc"));
        let mut compile = Command::new(&clang);
        compile.args(CLANG_FLAGS).args(&flags).arg(file).arg("-o").arg(&bitcode);
        let compiled = best(&mut compile)?;
        let loaded = load(&watertight, std::slice::from_ref(&bitcode), 1)?;
        clang_time += compiled;
        row(&mut table, &file.file_name().unwrap_or_default().to_string_lossy(), compiled, &loaded);
        all.push(bitcode);
    }
    if all.len() > 1 {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let loaded = load(&watertight, &all, cores)?;
        row(&mut table, &format!("all on {cores} cores"), clang_time / cores as u32, &loaded);
    }
    Ok(table)
}

/// What loading some bitcode costs.
struct Load {
    time: Duration,
    peak: u64,
    bytes: u64,
}

fn load(watertight: &Path, bitcode: &[PathBuf], threads: usize) -> Result<Load, String> {
    let mut command = Command::new(watertight);
    command.args(["dump", "totals", "--stats=json", "--threads", &threads.to_string()]).args(bitcode);
    // The time of the whole process, not of the stages it chooses to tell.
    let time = best(&mut command)?;
    let output = command.stderr(Stdio::piped()).output().map_err(|error| error.to_string())?;
    let stats = String::from_utf8_lossy(&output.stderr);
    let stats: serde_json::Value = stats
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
        .ok_or_else(|| format!("no stats in: {stats}"))?;
    let peak = stats["peakBytes"].as_u64().unwrap_or(0);
    let size = |path: &PathBuf| path.metadata().map_or(0, |data| data.len());
    Ok(Load { time, peak, bytes: bitcode.iter().map(size).sum() })
}

/// The shortest of several runs of a command.
fn best(command: &mut Command) -> Result<Duration, String> {
    let mut shortest = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        let output = command.stdin(Stdio::null()).output();
        let time = start.elapsed();
        let output = output.map_err(|error| format!("{command:?}: {error}"))?;
        if !output.status.success() {
            return Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)));
        }
        shortest = shortest.min(time);
    }
    Ok(shortest)
}

fn row(table: &mut String, name: &str, clang: Duration, load: &Load) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let ratio = 100.0 * load.time.as_secs_f64() / clang.as_secs_f64();
    writeln!(
        table,
        "{name:<24} {:>6.2} MB {:>7.3} s {:>7.3} s {ratio:>5.1} % {:>6.1} MB {:>8.1}x",
        megabytes(load.bytes),
        clang.as_secs_f64(),
        load.time.as_secs_f64(),
        megabytes(load.peak),
        load.peak as f64 / load.bytes as f64,
    )
    .expect("writing to a string cannot fail");
}

/// A C file with so many functions, of the kind that people write: structs, loops, strings, calls, error paths.
fn synthetic(functions: usize) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         struct node { struct node *next; char *name; int kind; double weight; int counts[4]; };\n\
         typedef int (*visit)(struct node *, void *);\n",
    );
    for n in 0..functions {
        write!(
            text,
            "static int visit_{n}(struct node *head, visit callback, void *data) {{\n\
             \x20   int total = {n};\n\
             \x20   for (struct node *at = head; at != NULL; at = at->next) {{\n\
             \x20       if (at->kind == {kind} && callback != NULL)\n\
             \x20           total += callback(at, data);\n\
             \x20       else\n\
             \x20           at->counts[at->kind & 3] += total;\n\
             \x20       switch (at->kind) {{\n\
             \x20       case 0: at->weight *= 1.5; break;\n\
             \x20       case {kind}: total ^= at->counts[1]; break;\n\
             \x20       default: total--;\n\
             \x20       }}\n\
             \x20   }}\n\
             \x20   return total;\n\
             }}\n\
             struct node *make_{n}(const char *name, int kind) {{\n\
             \x20   struct node *fresh = calloc(1, sizeof *fresh);\n\
             \x20   if (fresh == NULL)\n\
             \x20       return NULL;\n\
             \x20   fresh->name = strdup(name);\n\
             \x20   if (fresh->name == NULL || visit_{n}(fresh, NULL, NULL) < 0) {{\n\
             \x20       free(fresh);\n\
             \x20       return NULL;\n\
             \x20   }}\n\
             \x20   fresh->kind = kind + {n};\n\
             \x20   return fresh;\n\
             }}\n",
            kind = n % 7 + 1,
        )
        .expect("writing to a string cannot fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_synthetic_file_has_what_it_should() {
        let text = synthetic(2);
        assert_eq!(text.matches("calloc").count(), 2);
        assert!(text.contains("visit_1") && !text.contains("visit_2"));
    }

    #[test]
    fn a_row_shows_the_ratio() {
        let mut table = String::new();
        let load = Load { time: Duration::from_millis(50), peak: 20_000_000, bytes: 2_000_000 };
        row(&mut table, "a.c", Duration::from_secs(1), &load);
        assert_eq!(
            table,
            "a.c                        2.00 MB   1.000 s   0.050 s   5.0 %   20.0 MB     10.0x\n"
        );
    }
}
