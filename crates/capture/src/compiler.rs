//! Two questions about compilers: which clang do we run, and is this program one?
//!
//! [`find_clang`] looks at `WATERTIGHT_CLANG`, then at `clang`, `clang-22` ... `clang-14` on `PATH`, then at the
//! usual places of LLVM packages, and takes the first that is new enough. [`classify`] tells from a program's name
//! whether it compiles C or C++, for which target, and [`skip_wrappers`] finds the compiler behind `ccache` and its
//! kin. The build's own compiler is never run: whatever it was, our clang compiles.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::flags::Driver;
use crate::messages;
use crate::sandbox::{clean, search_path};

/// The oldest clang whose bitcode is understood.
pub const OLDEST_CLANG: u32 = 14;
/// The newest clang that was tested.
pub const NEWEST_CLANG: u32 = 22;

/// The clang in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clang {
    /// The program.
    pub path: PathBuf,
    /// The major version.
    pub major: u32,
    /// The version and default target, as `clang --version` says them; part of every cache key.
    pub version: String,
}

/// Where to look for clang. A value, so that tests can look elsewhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// What the request says.
    pub(crate) chosen: Option<PathBuf>,
    /// `WATERTIGHT_CLANG`.
    pub(crate) variable: Option<PathBuf>,
    /// `PATH`.
    pub(crate) path: OsString,
    /// Patterns with `{}` for the version, and places without a version.
    pub(crate) places: &'static [&'static str],
}

const PLACES: &[&str] = &[
    "/usr/lib/llvm-{}/bin/clang",
    "/usr/lib/llvm/{}/bin/clang",
    "/usr/lib64/llvm{}/bin/clang",
    "/opt/homebrew/opt/llvm/bin/clang",
    "/opt/homebrew/opt/llvm@{}/bin/clang",
    "/usr/local/opt/llvm/bin/clang",
    "/usr/local/opt/llvm@{}/bin/clang",
    "/usr/local/llvm{}/bin/clang",
];

impl Search {
    /// The search as the environment has it.
    pub(crate) fn from_environment(chosen: Option<&Path>) -> Search {
        let variable =
            || std::env::var_os("WATERTIGHT_CLANG").filter(|value| !value.is_empty()).map(PathBuf::from);
        Search {
            chosen: chosen.map(Path::to_path_buf),
            variable: variable(),
            path: std::env::var_os("PATH").unwrap_or_default(),
            places: PLACES,
        }
    }
}

/// Finds a clang that is new enough.
pub(crate) fn find_clang(search: &Search) -> Result<Clang, Error> {
    // A variable holds for every directory; a path in it that starts in the present one would mean a program of whatever
    // project this is. What is typed means what it says.
    if let (None, Some(path)) = (&search.chosen, &search.variable)
        && path.is_relative()
        && path.components().count() > 1
    {
        return Err(Error::Environment(messages::clang_variable(path)));
    }
    if let Some(chosen) = search.chosen.as_ref().or(search.variable.as_ref()) {
        // A bare name is searched on PATH, as a shell would.
        let program = match chosen.components().count() {
            1 if chosen.is_relative() => on_path(&search.path, chosen)
                .ok_or_else(|| Error::Environment(messages::clang_not_on_path(chosen)))?,
            _ => chosen.clone(),
        };
        let clang =
            ask(&program).map_err(|why| Error::Environment(messages::clang_not_usable(chosen, &why)))?;
        return if clang.major < OLDEST_CLANG {
            Err(Error::Environment(messages::clang_too_old(chosen, clang.major)))
        } else {
            Ok(clang)
        };
    }
    let mut rejected = Vec::new();
    for candidate in candidates(search) {
        match ask(&candidate) {
            Ok(clang) if clang.major >= OLDEST_CLANG => return Ok(clang),
            Ok(clang) => rejected.push(messages::clang_of_version(&candidate, clang.major)),
            Err(why) => rejected.push(format!("{}: {why}", candidate.display())),
        }
    }
    Err(Error::Environment(messages::no_clang(&rejected)))
}

/// The programs to try, in order, each existing.
fn candidates(search: &Search) -> Vec<PathBuf> {
    let versions = || (OLDEST_CLANG..=NEWEST_CLANG).rev();
    let names =
        std::iter::once("clang".to_owned()).chain(versions().map(|version| format!("clang-{version}")));
    let mut found: Vec<PathBuf> = names.filter_map(|name| on_path(&search.path, Path::new(&name))).collect();
    for place in search.places {
        if place.contains("{}") {
            found.extend(versions().map(|version| PathBuf::from(place.replace("{}", &version.to_string()))));
        } else {
            found.push(PathBuf::from(place));
        }
    }
    // A wrapper keeps a cache of its own, which is not ours to write.
    let wraps = |path: &PathBuf| path.canonicalize().is_ok_and(|real| is_wrapper(&real.to_string_lossy()));
    found.retain(|path| is_executable(path) && !wraps(path));
    found
}

/// The first executable file of that name on a search path, in one of its absolute folders.
pub(crate) fn on_path(path: &OsString, name: &Path) -> Option<PathBuf> {
    std::env::split_paths(path)
        // An empty or relative entry means the working directory, which may be a foreign project.
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|candidate| is_executable(candidate))
}

/// Whether a path is a file that may be run.
pub(crate) fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}

/// Asks a program for its version.
fn ask(program: &Path) -> Result<Clang, String> {
    let mut command = Command::new(std::path::absolute(program).unwrap_or_else(|_| program.to_path_buf()));
    clean(&mut command, &search_path(program), &std::env::temp_dir());
    let output = command.arg("--version").output().map_err(messages::does_not_run)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let major = parse_version(&text).ok_or(messages::NOT_CLANG)?;
    let version = text.lines().take(2).collect::<Vec<_>>().join("; ");
    Ok(Clang { path: program.to_path_buf(), major, version })
}

/// The major version in the answer to `clang --version`.
fn parse_version(text: &str) -> Option<u32> {
    let after = text.lines().next()?.split("clang version ").nth(1)?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A program whose name says that it is a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompilerName {
    pub(crate) driver: Driver,
    /// The target, when the name begins with one.
    pub(crate) target: Option<String>,
    /// The standard, when the name is one (`c99`).
    pub(crate) standard: Option<&'static str>,
}

const C_COMPILERS: &[&str] =
    &["cc", "gcc", "clang", "tcc", "icc", "icx", "pcc", "nvc", "pgcc", "xlc", "egcc", "armclang", "kgcc"];
const CXX_COMPILERS: &[&str] = &["c++", "g++", "clang++", "icpc", "icpx", "nvc++", "pgc++", "xlC", "eg++"];

/// Programs that take a compiler command as their arguments.
const WRAPPERS: &[&str] =
    &["ccache", "sccache", "distcc", "icecc", "gomacc", "buildcache", "pump", "fccache", "zig", "colorgcc"];
/// Programs that take any command as their arguments; a database may name them, a build starts the compiler itself.
const LAUNCHERS: &[&str] = &["env", "nice", "time", "nohup", "setarch", "linux32", "linux64", "cmake"];

/// First components of a target triple.
const ARCHITECTURES: &[&str] = &[
    "x86_64",
    "amd64",
    "i386",
    "i486",
    "i586",
    "i686",
    "aarch64",
    "aarch64_be",
    "arm",
    "armeb",
    "armv4",
    "armv5",
    "armv6",
    "armv6l",
    "armv7",
    "armv7a",
    "armv7l",
    "armv7hl",
    "armv8l",
    "thumb",
    "mips",
    "mipsel",
    "mips64",
    "mips64el",
    "mipsisa32r6",
    "mipsisa32r6el",
    "mipsisa64r6",
    "mipsisa64r6el",
    "powerpc",
    "powerpc64",
    "powerpc64le",
    "powerpcle",
    "ppc",
    "ppc64",
    "ppc64le",
    "riscv32",
    "riscv64",
    "s390",
    "s390x",
    "sparc",
    "sparc64",
    "sparcv9",
    "m68k",
    "alpha",
    "hppa",
    "hppa64",
    "ia64",
    "sh4",
    "sh4eb",
    "loongarch64",
    "loongarch32",
    "avr",
    "msp430",
    "xtensa",
    "arc",
    "nios2",
    "microblaze",
    "or1k",
    "csky",
    "hexagon",
    "wasm32",
    "wasm64",
    "bpf",
    "lanai",
    "ve",
    "arm64",
    "arm64e",
    "x86_64h",
    "tricore",
    "rx",
    "h8300",
    "m32r",
];

/// The last component of a path.
pub(crate) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a program of this name compiles C or C++.
pub(crate) fn classify(program: &str) -> Option<CompilerName> {
    let name = base_name(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    classify_bare(name).or_else(|| {
        // `gcc-12`, `clang-16.0`, `clang15`: the version comes last. `cc1` is no version of `cc`.
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let versioned =
            |name: &str| ["gcc", "g++", "clang", "clang++"].iter().any(|stem| name.ends_with(stem));
        match bare.strip_suffix('-') {
            _ if bare.len() == name.len() => None,
            Some(bare) => classify_bare(bare),
            None if versioned(bare) => classify_bare(bare),
            None => None,
        }
    })
}

fn classify_bare(name: &str) -> Option<CompilerName> {
    let standard = |name: &str| match name {
        "c89" => Some("c89"),
        "c99" => Some("c99"),
        "c11" => Some("c11"),
        "c17" => Some("c17"),
        _ => None,
    };
    let plain = |name: &str| {
        let driver = if C_COMPILERS.contains(&name) {
            Driver::C
        } else if CXX_COMPILERS.contains(&name) {
            Driver::Cxx
        } else {
            return None;
        };
        Some(CompilerName { driver, target: None, standard: None })
    };
    if let Some(standard) = standard(name) {
        return Some(CompilerName { driver: Driver::C, target: None, standard: Some(standard) });
    }
    plain(name).or_else(|| {
        let (prefix, stem) = name.rsplit_once('-')?;
        let mut compiler = plain(stem)?;
        compiler.standard = standard(prefix);
        let architecture = prefix.split('-').next()?;
        if ARCHITECTURES.contains(&architecture) {
            compiler.target = Some(prefix.to_owned());
        }
        Some(compiler)
    })
}

/// Whether a program of this name runs a compiler that it is told.
pub(crate) fn is_wrapper(program: &str) -> bool {
    WRAPPERS.contains(&base_name(program))
}

/// Which commands to look behind when searching for the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Compiler wrappers such as `ccache`.
    Wrappers,
    /// Also `env`, `nice` and the like.
    WrappersAndLaunchers,
}

/// The position of the compiler in a command, behind `ccache`, `env X=y` and the like.
pub(crate) fn skip_wrappers(arguments: &[String], behind: Behind) -> usize {
    let mut at = 0;
    while let Some(program) = arguments.get(at) {
        let launcher = behind == Behind::WrappersAndLaunchers && LAUNCHERS.contains(&base_name(program));
        if !is_wrapper(program) && !launcher {
            break;
        }
        // Settings and options of the wrapper stand between it and the compiler.
        let next = arguments[at + 1..]
            .iter()
            .position(|word| {
                classify(word).is_some() || is_wrapper(word) || LAUNCHERS.contains(&base_name(word))
            })
            .or_else(|| {
                arguments[at + 1..].iter().position(|word| !word.starts_with('-') && !word.contains('='))
            });
        match next {
            Some(distance) => at += 1 + distance,
            None => return 0,
        }
    }
    if at < arguments.len() { at } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(name: &str) -> String {
        match classify(name) {
            None => "-".to_owned(),
            Some(compiler) => format!(
                "{:?} {} {}",
                compiler.driver,
                compiler.target.as_deref().unwrap_or("-"),
                compiler.standard.unwrap_or("-")
            ),
        }
    }

    #[test]
    fn names_of_compilers() {
        for (name, expected) in [
            ("cc", "C - -"),
            ("/usr/bin/gcc", "C - -"),
            ("gcc-12", "C - -"),
            ("clang-16", "C - -"),
            ("clang15", "C - -"),
            ("gcc-4.9", "C - -"),
            ("clang++-19", "Cxx - -"),
            ("g++", "Cxx - -"),
            ("c++", "Cxx - -"),
            ("c99", "C - c99"),
            ("c89", "C - c89"),
            ("c99-gcc", "C - c99"),
            ("x86_64-linux-gnu-gcc", "C x86_64-linux-gnu -"),
            ("x86_64-linux-gnu-gcc-12", "C x86_64-linux-gnu -"),
            ("/opt/x/aarch64-linux-gnu-g++-13", "Cxx aarch64-linux-gnu -"),
            ("arm-linux-gnueabihf-gcc", "C arm-linux-gnueabihf -"),
            ("i686-w64-mingw32-gcc.exe", "C i686-w64-mingw32 -"),
            ("arm-none-eabi-gcc", "C arm-none-eabi -"),
            ("musl-gcc", "C - -"),
            ("afl-clang", "C - -"),
            ("cc1", "-"),
            ("cc1plus", "-"),
            ("gcc-ar", "-"),
            ("gcc-ar-12", "-"),
            ("x86_64-linux-gnu-gcc-nm-12", "-"),
            ("collect2", "-"),
            ("as", "-"),
            ("ld", "-"),
            ("c++filt", "-"),
            ("clang-format", "-"),
            ("clang-cl", "-"),
            ("make", "-"),
            ("ccache", "-"),
            ("", "-"),
        ] {
            assert_eq!(show(name), expected, "{name}");
        }
    }

    #[test]
    fn compilers_behind_wrappers() {
        let at = |line: &str, behind| {
            let words: Vec<String> = line.split_whitespace().map(String::from).collect();
            skip_wrappers(&words, behind)
        };
        for (line, expected) in [
            ("gcc -c a.c", 0),
            ("ccache gcc -c a.c", 1),
            ("/usr/bin/ccache distcc gcc-12 -c a.c", 2),
            ("ccache compression=true gcc -c a.c", 2),
            ("ccache -s", 0),
            ("ccache", 0),
            ("ccache mycc -c a.c", 1),
            ("zig cc -c a.c", 1),
        ] {
            assert_eq!(at(line, Behind::Wrappers), expected, "{line}");
        }
        assert_eq!(at("env LC_ALL=C nice -n 5 ccache gcc -c a.c", Behind::WrappersAndLaunchers), 6);
        assert_eq!(at("env gcc -c a.c", Behind::Wrappers), 0);
    }

    #[test]
    fn versions() {
        for (text, expected) in [
            ("Debian clang version 14.0.6\nTarget: x", Some(14)),
            ("clang version 22.1.8 (1~deb12u1)", Some(22)),
            ("Apple clang version 15.0.0 (clang-1500.3.9.4)", Some(15)),
            ("Ubuntu clang version 18.1.3 (1ubuntu1)", Some(18)),
            ("gcc (Debian 12.2.0-14) 12.2.0", None),
            ("", None),
        ] {
            assert_eq!(parse_version(text), expected, "{text}");
        }
    }

    #[cfg(unix)]
    fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
        let path = directory.join(name);
        // A child writes the script: if this process did, another thread that starts a process meanwhile would
        // inherit the open file, and a file open for writing cannot be run.
        let status = Command::new("sh")
            .args(["-c", "printf '#!/bin/sh\n%s\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
            .arg(&path)
            .arg(text)
            .status();
        assert!(status.unwrap().success());
        path
    }

    #[cfg(unix)]
    #[test]
    fn search_order_and_messages() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().as_os_str().to_owned();
        let search = |chosen: Option<&str>| Search {
            chosen: chosen.map(PathBuf::from),
            variable: None,
            path: path.clone(),
            places: &[],
        };

        let none = find_clang(&search(None)).unwrap_err();
        assert_eq!(none.exit_code(), 3);
        for distribution in
            ["apt-get install clang", "dnf install clang", "pacman -S clang", "brew install llvm"]
        {
            assert!(none.to_string().contains(distribution), "{none}");
        }

        script(directory.path(), "clang", "echo 'clang version 13.0.1'");
        let old = find_clang(&search(None)).unwrap_err().to_string();
        assert!(old.contains("is version 13"), "{old}");

        let newer = script(directory.path(), "clang-15", "echo 'clang version 15.0.7'; echo Target: t");
        script(directory.path(), "clang-14", "echo 'clang version 14.0.6'");
        let found = find_clang(&search(None)).unwrap();
        assert_eq!(
            found,
            Clang { path: newer, major: 15, version: "clang version 15.0.7; Target: t".into() }
        );

        assert_eq!(find_clang(&search(Some("clang-14"))).unwrap().major, 14);
        assert!(find_clang(&search(Some("clang"))).unwrap_err().to_string().contains("older than 14"));
        assert!(
            find_clang(&search(Some("/no/such/clang"))).unwrap_err().to_string().contains("/no/such/clang")
        );
        script(directory.path(), "odd", "echo hello");
        assert!(find_clang(&search(Some("odd"))).unwrap_err().to_string().contains("--version"));

        // Nothing is taken from the working directory, which may be a foreign project.
        let relative = Search { variable: Some("./clang-15".into()), ..search(None) };
        assert!(find_clang(&relative).unwrap_err().to_string().contains("absolute"));
        let named = Search { variable: Some("clang-14".into()), ..search(None) };
        assert_eq!(find_clang(&named).unwrap().major, 14);
        for path in ["", ".", ":", "bin:.", "../bin"] {
            assert_eq!(on_path(&OsString::from(path), Path::new("Cargo.toml")), None, "{path}");
            let here = OsString::from(format!("{path}:{}", directory.path().display()));
            assert!(on_path(&here, Path::new("clang-15")).unwrap().is_absolute(), "{path}");
        }
    }
}
