//! The source files behind a program, as far as annotations in them count.
//!
//! Debug information names the files that functions and types are written in. A header that only declares functions is in none
//! of them, so what these files include is looked for as well: beside the file that includes it, and in the directories around
//! the program's files; where a compiler was told to look is not known here. Every file that was read, or would have been,
//! has a stamp, by which a later run sees whether it is still the same.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};
use watertight_ir::Program;

use crate::limits::{FILE_BYTES, FOLDERS_ABOVE};

/// A file that was written so short a time ago may be written again without its time changing.
const RECENT: Duration = Duration::from_secs(2);

/// What a file was like.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Stamp {
    file: Box<str>,
    /// Its length and when it was written; nothing if it could not be read.
    state: Option<(u64, Duration)>,
    /// A hash over its content, if it was new then.
    content: Option<[u8; 32]>,
}

impl Stamp {
    pub(super) fn of(file: &str, now: SystemTime) -> Self {
        let state = state(file);
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let new = state.is_some_and(|(_, written)| written + RECENT >= now);
        let content = new.then(|| content(file)).flatten();
        Self { file: file.into(), state, content }
    }

    /// Whether the file is still the same.
    pub(crate) fn holds(&self) -> bool {
        let now = state(&self.file);
        now == self.state && (self.content.is_none() || content(&self.file) == self.content)
    }
}

fn state(file: &str) -> Option<(u64, Duration)> {
    let metadata = std::fs::metadata(file).ok().filter(|metadata| metadata.is_file())?;
    let written = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some((metadata.len(), written))
}

fn content(file: &str) -> Option<[u8; 32]> {
    watertight_capture::plain::read(file).ok().map(|bytes| *blake3::hash(&bytes).as_bytes())
}

/// The text of a file. What is not UTF-8 in it keeps its length, so that columns stay what they are.
pub(super) fn text_of(file: &str) -> Option<String> {
    let metadata = std::fs::metadata(file).ok()?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES {
        return None;
    }
    let as_ascii = |bytes: Vec<u8>| {
        bytes.into_iter().map(|byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect()
    };
    let bytes = watertight_capture::plain::read(file).ok()?;
    Some(String::from_utf8(bytes).unwrap_or_else(|error| as_ascii(error.into_bytes())))
}

/// The files that debug information names, in order.
pub(super) fn named(program: &Program) -> Vec<&str> {
    let mut files: Vec<&str> =
        program.units.values().flat_map(|unit| unit.debug.files.values()).map(|file| &**file).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// Whether a file belongs to the system, whose headers are described by models.
pub(super) fn is_system(file: &str) -> bool {
    ["/usr/include/", "/usr/lib/", "/usr/lib64/"].iter().any(|folder| file.starts_with(folder))
}

/// What a look at a text gives: what is seen, and the names that it includes.
type Seen<T> = (T, Vec<Box<str>>);

/// Looks at files, and at the headers that they include and that are not among them, by going on from one to the next.
/// `look` gives what it sees in a text, and what that includes. The result is in the order of the files' names.
pub(super) fn look_through<T: Send>(
    files: &[&str],
    look: impl Fn(&str, &str) -> Seen<T> + Sync,
) -> BTreeMap<Box<str>, Option<T>> {
    let folders = Folders::new(files);
    let mut seen: BTreeMap<Box<str>, Option<T>> = BTreeMap::new();
    let mut sought: BTreeSet<(Option<PathBuf>, Box<str>)> = BTreeSet::new();
    let mut from: BTreeSet<Box<str>> = files.iter().map(|&file| file.into()).collect();
    while !from.is_empty() {
        let looked: Vec<(Box<str>, Option<Seen<T>>)> = from
            .into_par_iter()
            .map(|file| {
                let found = text_of(&file).map(|text| look(&file, &text));
                (file, found)
            })
            .collect();
        from = BTreeSet::new();
        for (file, found) in looked {
            let (found, names) = found.unzip();
            let folder = Path::new(&*file).parent().map(Path::to_path_buf).unwrap_or_default();
            let system = is_system(&file);
            seen.insert(file, found);
            for name in names.unwrap_or_default() {
                // What stands beside the file differs with its folder, what stands elsewhere does not.
                let mut places = Vec::new();
                if !system && sought.insert((Some(folder.clone()), name.clone())) {
                    places.push(folder.join(&*name));
                }
                if !system && sought.insert((None, name.clone())) {
                    places.extend(folders.that_may_have(&name).map(|folder| folder.join(&*name)));
                }
                for place in places {
                    let place = tidy(&place);
                    let file: Box<str> = place.to_string_lossy().into();
                    if !seen.contains_key(&file) && !from.contains(&file) && place.is_file() {
                        from.insert(file);
                    }
                }
            }
        }
    }
    seen
}

/// The directories in which headers of a program may lie: those of its files, some above them, and `include` in each.
struct Folders {
    folders: Vec<PathBuf>,
    /// Which of them have something of a name in them. To list a directory is less work than to ask it for every header.
    by_entry: BTreeMap<Box<str>, Vec<usize>>,
}

impl Folders {
    fn new(files: &[&str]) -> Self {
        let mut folders = BTreeSet::new();
        for file in files.iter().filter(|file| !is_system(file)) {
            let above = Path::new(file).ancestors().skip(1).take(FOLDERS_ABOVE);
            // The root and what lies directly in it is nobody's project.
            for folder in above.filter(|folder| folder.components().count() > 2) {
                if folders.insert(folder.to_path_buf()) {
                    folders.insert(folder.join("include"));
                }
            }
        }
        let folders: Vec<PathBuf> = folders.into_iter().collect();
        let entries = |folder: &PathBuf| -> Vec<Box<str>> {
            let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into()).collect()
        };
        let listed: Vec<Vec<Box<str>>> = folders.par_iter().map(entries).collect();
        let mut by_entry: BTreeMap<Box<str>, Vec<usize>> = BTreeMap::new();
        for (index, entries) in listed.into_iter().enumerate() {
            entries.into_iter().for_each(|entry| by_entry.entry(entry).or_default().push(index));
        }
        Self { folders, by_entry }
    }

    fn that_may_have(&self, name: &str) -> impl Iterator<Item = &PathBuf> {
        let first = name.trim_start_matches("./").split('/').next().unwrap_or_default();
        let all = self.by_entry.get(first).map_or(&[][..], Vec::as_slice);
        all.iter().map(|&index| &self.folders[index])
    }
}

/// A path without steps up and down, as debug information has it.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The names that a text includes.
pub(super) fn includes(text: &str) -> Vec<Box<str>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("include") {
        let start = rest[..at].rsplit('\n').next().unwrap_or_default();
        let after = &rest[at + "include".len()..];
        rest = after;
        if start.trim_start().strip_prefix('#').is_none_or(|between| !between.trim().is_empty()) {
            continue;
        }
        let line = after.split('\n').next().unwrap_or_default().trim_start();
        let mut letters = line.chars();
        let close = match letters.next() {
            Some('"') => '"',
            Some('<') => '>',
            _ => continue,
        };
        if let Some((name, _)) = letters.as_str().split_once(close) {
            found.push(name.into());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_read() {
        let text = "#include <a/b.h>\n  #  include \"c.h\" // more\n#include MACRO\nint include; // include <x>\n#include \"open";
        assert_eq!(includes(text), ["a/b.h".into(), "c.h".into()]);
    }

    #[test]
    fn paths_are_tidy() {
        assert_eq!(tidy(Path::new("/a/b/../c/./d.h")), Path::new("/a/c/d.h"));
        assert_eq!(tidy(Path::new("../d.h")), Path::new("../d.h"));
    }
}
