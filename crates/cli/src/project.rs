//! Where a project is, how it is built, and where its compile commands are.
//!
//! In: the working directory, or what was typed. Out: the root of the project, to which the store and the marks belong;
//! the nearest `compile_commands.json`, above or, if there is none, below; and, where there is none, the one command that makes it.
//!
//! The root is the folder of `watertight.toml`, else the top of the work tree (`.git`, `.hg`, `.svn`), else the nearest folder
//! that has marks or a store already, else the one that the nearest database is for, else the highest of the folders with build
//! files that lie directly above each other, else the working directory. A search upwards ends at the first two. It also ends below
//! a folder that everybody may write to, such as `/tmp`: what lies there is nobody's project.

use std::path::{Path, PathBuf};

use watertight_capture::{DATABASE, database_sources, is_build_output, tidy};

use crate::args::Inputs;
use crate::exit::Stop;
use crate::messages;
use crate::output::say;
use crate::settings::{Settings, Talk};

/// Folders of a project in which builds leave their database.
const BUILD_FOLDERS: [&str; 3] = ["build", "builddir", "out"];

/// What marks the top of a work tree.
const TOPS: [&str; 3] = [".git", ".hg", ".svn"];

/// What watertight leaves in the root of a project.
const BEGUN: [&str; 2] = [crate::marks::NAME, crate::settings::STORE];

/// Build files, in the order in which they are believed: the system, its file, the command that makes a database where it is
/// typed, and the same from another folder (`{}`). Who generates Makefiles has a Makefile too, so those come last.
const BUILDS: &[Build] = &[
    Build::of(
        "CMake",
        "CMakeLists.txt",
        "cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        "cmake -S {} -B {}/build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
    ),
    Build::of("Meson", "meson.build", "meson setup builddir", "meson setup {}/builddir {}"),
    Build::of(
        "xmake",
        "xmake.lua",
        "xmake project -k compile_commands",
        "(cd {} && xmake project -k compile_commands)",
    ),
    Build::of(
        "ninja",
        "build.ninja",
        "ninja -t compdb > compile_commands.json",
        "ninja -C {} -t compdb > {}/compile_commands.json",
    ),
    Build::of(
        "SCons",
        "SConstruct",
        "watertight run --database compile_commands.json -- scons",
        "watertight run --database {}/compile_commands.json -- scons -C {}",
    ),
    Build::of(
        "waf",
        "wscript",
        "watertight run --database compile_commands.json -- ./waf configure build",
        "(cd {} && watertight run --database compile_commands.json -- ./waf configure build)",
    ),
    Build::of(
        "configure",
        "config.status",
        "watertight run --database compile_commands.json -- make clean all",
        "watertight run --database {}/compile_commands.json -- make -C {} clean all",
    ),
    Build::make("GNUmakefile"),
    Build::make("makefile"),
    Build::make("Makefile"),
    Build::of(
        "configure",
        "configure",
        "./configure && watertight run --database compile_commands.json -- make",
        "(cd {} && ./configure) && watertight run --database {}/compile_commands.json -- make -C {}",
    ),
    Build::of(
        "autoconf",
        "configure.ac",
        "autoreconf -i && ./configure && watertight run --database compile_commands.json -- make",
        "(cd {} && autoreconf -i && ./configure) && watertight run --database {}/compile_commands.json -- make -C {}",
    ),
];

/// A way to build a project.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Build {
    /// What it is called.
    pub(crate) system: &'static str,
    /// The file by which it is known.
    pub(crate) file: &'static str,
    /// The command that makes a database, typed in the folder of the file.
    pub(crate) command: &'static str,
    /// The same, typed in another folder.
    elsewhere: &'static str,
}

impl Build {
    const fn of(
        system: &'static str,
        file: &'static str,
        command: &'static str,
        elsewhere: &'static str,
    ) -> Build {
        Build { system, file, command, elsewhere }
    }

    const fn make(file: &'static str) -> Build {
        Build::of(
            "make",
            file,
            "watertight run --database compile_commands.json -- make -B",
            "watertight run --database {}/compile_commands.json -- make -C {} -B",
        )
    }

    /// The build of a folder.
    pub(crate) fn in_folder(folder: &Path) -> Option<&'static Build> {
        BUILDS.iter().find(|build| folder.join(build.file).is_file())
    }

    /// Whether the command checks the program too.
    pub(crate) fn checks(&self) -> bool {
        self.command.contains("watertight run")
    }

    /// The command as it is typed in `here` for a build file in `folder`.
    fn command_from(&self, here: &Path, folder: &Path) -> String {
        match folder == here {
            true => self.command.to_owned(),
            false => self.elsewhere.replace("{}", &quoted(&relative(here, folder))),
        }
    }
}

/// A folder as it is named from another one: `app`, `../..`, or in full if neither lies in the other.
fn relative(here: &Path, folder: &Path) -> String {
    match (folder.strip_prefix(here), here.strip_prefix(folder)) {
        (Ok(below), _) => below.display().to_string(),
        (_, Ok(above)) => vec![".."; above.components().count()].join("/"),
        _ => folder.display().to_string(),
    }
}

/// A name as a shell takes it.
fn quoted(name: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "/._-+".contains(sign);
    match name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("'{}'", name.replace('\'', "'\\''")),
    }
}

/// The folders of a project that a search from `start` goes through, upwards.
fn upwards(start: &Path) -> impl Iterator<Item = &Path> {
    let mut done = false;
    start.ancestors().enumerate().map_while(move |(height, folder)| {
        if done || (height > 0 && is_open_to_all(folder)) {
            return None;
        }
        done = is_top(folder);
        Some(folder)
    })
}

fn is_top(folder: &Path) -> bool {
    folder.join(crate::config::NAME).is_file() || TOPS.iter().any(|top| folder.join(top).exists())
}

#[cfg(unix)]
fn is_open_to_all(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(folder).is_ok_and(|data| data.permissions().mode() & 0o002 != 0)
}

#[cfg(not(unix))]
fn is_open_to_all(_folder: &Path) -> bool {
    false
}

/// The root of the project that a directory belongs to.
pub(crate) fn root(directory: &Path) -> PathBuf {
    let nearest = |such: &dyn Fn(&Path) -> bool| upwards(directory).find(|folder| such(folder));
    let has_begun = |folder: &Path| BEGUN.iter().any(|name| folder.join(name).exists());
    let is_built = |folder: &&Path| Build::in_folder(folder).is_some();
    let highest_built =
        || upwards(directory).skip_while(|folder| !is_built(folder)).take_while(is_built).last();
    nearest(&is_top)
        .or_else(|| nearest(&has_begun))
        .or_else(|| nearest(&|folder| database_in(folder).is_some()))
        .or_else(highest_built)
        .unwrap_or(directory)
        .to_path_buf()
}

/// The nearest compilation database: here, in the usual folders of builds and in any that a build made, then the same a folder above.
pub(crate) fn database(start: &Path) -> Option<PathBuf> {
    upwards(start).find_map(database_in)
}

fn database_in(folder: &Path) -> Option<PathBuf> {
    let database = |place: PathBuf| Some(place.join(DATABASE)).filter(|file| file.is_file());
    let usual =
        std::iter::once(folder.to_path_buf()).chain(BUILD_FOLDERS.iter().map(|name| folder.join(name)));
    let made = || folders(folder).into_iter().filter(|folder| is_build_output(folder));
    usual.into_iter().find_map(database).or_else(|| made().find_map(database))
}

/// The nearest build file, and the folder that it is in.
fn build(start: &Path) -> Option<(&'static Build, &Path)> {
    upwards(start).find_map(|folder| Build::in_folder(folder).map(|build| (build, folder)))
}

/// What the highest folders below a folder have that have any: the search goes down level by level and ends with the first one that
/// has something. Hidden folders and links are left out.
fn highest_below<T>(start: &Path, has: impl Fn(&Path) -> Option<T>) -> Vec<(PathBuf, T)> {
    let mut level = vec![start.to_path_buf()];
    while !level.is_empty() {
        level = level.iter().flat_map(|folder| folders(folder)).collect();
        let found: Vec<(PathBuf, T)> =
            level.iter().filter_map(|folder| Some((folder.clone(), has(folder)?))).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// The folders in a folder that are not hidden.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let is_hidden = |entry: &std::fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut folders: Vec<PathBuf> =
        entries.filter(|entry| is_folder(entry) && !is_hidden(entry)).map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// What was typed, with the database that belongs to it if none was named.
pub(crate) fn complete(settings: &Settings, inputs: &Inputs) -> Result<Inputs, Stop> {
    let mut found = Inputs { files: inputs.files.clone(), ..Inputs::default() };
    found.database.clone_from(&inputs.database);
    found.flags.clone_from(&inputs.flags);
    if found.database.is_some() {
        return Ok(found);
    }
    match found.files.is_empty() {
        true => whole_project(settings, &mut found)?,
        false => selected(settings, &mut found),
    }
    Ok(found)
}

/// Nothing was typed: everything that the project compiles, or, if it has no build, every C file here.
fn whole_project(settings: &Settings, inputs: &mut Inputs) -> Result<(), Stop> {
    let directory = &settings.directory;
    let named = settings.config.database.as_ref().map(|path| file_of(path));
    if let Some(missing) = named.as_ref().filter(|path| !path.is_file()) {
        let how = build(directory).map(|(build, folder)| advice(settings, build, folder)).unwrap_or_default();
        return Err(messages::named_database_missing(&shown(settings, missing), &how));
    }
    if let Some(database) = named.or_else(|| database(directory)) {
        note(settings, &format!("compile commands from {}", shown(settings, &database)));
        inputs.database = Some(database);
        return Ok(());
    }
    if let Some((build, folder)) = build(directory) {
        return Err(messages::no_database(&advice(settings, build, folder)));
    }
    let below = highest_below(directory, database_in);
    match &below[..] {
        [] => {}
        [(_, database)] => {
            let name = shown(settings, database);
            note(settings, &format!("compile commands from {name}, the only ones below this directory"));
            inputs.database = Some(database.clone());
            return Ok(());
        }
        [(first, _), ..] => {
            let names: Vec<String> =
                below.iter().map(|(_, database)| format!("\n  {}", shown(settings, database))).collect();
            return Err(messages::several_databases(&names.concat(), &relative(directory, first)));
        }
    }
    if !has_sources(directory) {
        return Err(messages::no_sources());
    }
    let builds = highest_below(directory, Build::in_folder);
    let how = builds.first().map(|(folder, build)| advice(settings, build, folder)).unwrap_or_default();
    let what = "no compile_commands.json and no build file here; every C file here is checked, without flags";
    note(settings, &format!("{what}{how}"));
    inputs.files.push(PathBuf::from("."));
    Ok(())
}

/// Files or directories were typed: the database that has an entry for each of them.
fn selected(settings: &Settings, inputs: &mut Inputs) {
    let paths: Vec<PathBuf> = inputs.files.iter().map(|file| tidy(&settings.directory.join(file))).collect();
    // Bitcode needs no commands, a directory may bring its own, and who types flags means those.
    let asks = |path: &PathBuf| match path.is_dir() {
        true => !path.join(DATABASE).is_file(),
        false => path.is_file() && path.extension().is_some_and(|end| end == "c"),
    };
    if !inputs.flags.is_empty() || !paths.iter().all(asks) {
        return;
    }
    let start = paths.first().map(|path| if path.is_dir() { path } else { path.parent().unwrap_or(path) });
    let Some(start) = start else { return };
    let named = settings.config.database.as_ref().map(|path| file_of(path)).filter(|path| path.is_file());
    let Some(database) = named.or_else(|| database(start)) else {
        if let Some((build, folder)) = build(start).filter(|_| paths.iter().any(|path| path.is_dir())) {
            let how = advice(settings, build, folder);
            note(settings, &format!("no compile_commands.json, so no flags of the build are known{how}"));
        }
        return;
    };
    let name = shown(settings, &database);
    let Ok(sources) = database_sources(&database) else {
        return note(settings, &format!("{name} cannot be read, so it is not used"));
    };
    match paths.iter().position(|path| !sources.iter().any(|source| source.starts_with(path))) {
        None => {
            note(settings, &format!("compile commands from {name}"));
            inputs.database = Some(database);
        }
        Some(index) => {
            let file = inputs.files[index].display();
            note(settings, &format!("{name} has no entry for {file}, so it is not used"));
        }
    }
}

/// A database by its file or its folder.
pub(crate) fn file_of(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(DATABASE) } else { path.to_path_buf() }
}

/// How to make a database, to be read after what is missing.
fn advice(settings: &Settings, build: &Build, folder: &Path) -> String {
    let place = match folder == settings.directory {
        true => String::new(),
        false => format!(" in `{}`", relative(&settings.directory, folder)),
    };
    let then = match build.checks() {
        true => "checks the program and writes its compile commands for the next time",
        false => "writes its compile commands",
    };
    let command = build.command_from(&settings.directory, folder);
    format!("; there is a `{}`{place}, and this command {then}:\n  {command}", build.file)
}

/// A path as people would write it in the working directory.
pub(crate) fn shown(settings: &Settings, path: &Path) -> String {
    path.strip_prefix(&settings.directory).unwrap_or(path).display().to_string()
}

fn note(settings: &Settings, text: &str) {
    if settings.talk != Talk::Quiet {
        say(&format!("note: {text}"));
    }
}

/// Whether a directory has C files in it, at any depth that is neither hidden nor made by a build.
fn has_sources(directory: &Path) -> bool {
    let mut entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_source = |entry: std::fs::DirEntry| {
        let is_file = entry.file_type().is_ok_and(|kind| !kind.is_dir());
        is_file && entry.path().extension().is_some_and(|end| end == "c")
    };
    entries.any(is_source)
        || folders(directory).iter().any(|folder| !is_build_output(folder) && has_sources(folder))
}

/// Lets git ignore a folder of kept results: it has a `.gitignore` inside, so that no project needs a line for it. What
/// cannot be written is no loss.
pub(crate) fn ignore_in_git(folder: &Path) {
    let file = folder.join(".gitignore");
    if folder.is_dir() && !file.exists() {
        let _ = std::fs::write(file, "*\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "[]").unwrap();
        }
        folder
    }

    fn check(files: &[&str], start: &str, root_name: &str, database_name: Option<&str>) {
        let tree = tree(files);
        let start = tree.path().join(start);
        std::fs::create_dir_all(&start).unwrap();
        assert_eq!(root(&start), tree.path().join(root_name), "{files:?}");
        let expected = database_name.map(|name| tree.path().join(name));
        assert_eq!(database(&start), expected, "{files:?}");
    }

    #[test]
    fn the_root_is_marked_by_settings_or_a_work_tree() {
        check(&["p/.git/HEAD"], "p/src/deep", "p", None);
        check(&["p/.git", "p/src/watertight.toml"], "p/src/deep", "p/src", None);
        check(&["p/a.c"], "p/src", "p/src", None);
        // What was begun stays where it is.
        check(&["p/watertight-marks.toml", "p/src/Makefile"], "p/src/deep", "p", None);
        check(&["p/.watertight/store.db", "p/q/a.c"], "p/q", "p", None);
        // Without either the build says where the project is, also where every folder has a file of it.
        let db = "p/build/compile_commands.json";
        check(&["p/CMakeLists.txt", "p/src/CMakeLists.txt", "p/src/a.c"], "p/src/deep", "p", None);
        check(&["p/Makefile", "p/src/a.c"], "p/src", "p", None);
        check(&[db, "p/src/a.c"], "p/src", "p", Some(db));
    }

    #[test]
    fn the_nearest_database_is_taken() {
        let db = "compile_commands.json";
        check(&["p/.git", "p/build/compile_commands.json"], "p", "p", Some("p/build/compile_commands.json"));
        check(
            &["p/.git", "p/builddir/compile_commands.json"],
            "p/src",
            "p",
            Some("p/builddir/compile_commands.json"),
        );
        check(
            &["p/.git", "p/out/compile_commands.json"],
            "p/src/a",
            "p",
            Some("p/out/compile_commands.json"),
        );
        check(
            &["p/.git", "p/compile_commands.json", "p/build/compile_commands.json"],
            "p",
            "p",
            Some("p/compile_commands.json"),
        );
        check(&["p/.git", db], "p", "p", None);
        check(&[db], "p", "", Some(db));
    }

    #[test]
    fn the_command_is_that_of_the_build_system() {
        let command = |files: &[&str]| Build::in_folder(tree(files).path()).map(|build| build.command);
        assert_eq!(command(&["a.c"]), None);
        assert!(command(&["CMakeLists.txt", "Makefile"]).unwrap().starts_with("cmake -B build"));
        assert!(command(&["meson.build"]).unwrap().starts_with("meson setup"));
        assert!(command(&["Makefile"]).unwrap().ends_with("-- make -B"));
        assert!(command(&["configure", "configure.ac"]).unwrap().starts_with("./configure"));
        assert!(command(&["configure", "config.status", "Makefile"]).unwrap().ends_with("make clean all"));
    }

    #[test]
    fn from_elsewhere_the_command_names_the_folder() {
        for build in BUILDS {
            let here = Path::new("/p");
            assert_eq!(build.command_from(here, here), build.command);
            let below = build.command_from(here, Path::new("/p/app"));
            assert!(below.contains("app") && !below.contains('{'), "{below}");
            let above = build.command_from(Path::new("/p/src/deep"), here);
            assert!(above.contains("../.."), "{above}");
        }
        let cmake = &BUILDS[0];
        let command = cmake.command_from(Path::new("/p"), Path::new("/p/my app"));
        assert_eq!(command, "cmake -S 'my app' -B 'my app'/build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
        assert_eq!(relative(Path::new("/p/q"), Path::new("/r")), "/r");
    }
}
