//! What a command read the last time, so that an unchanged unit needs no clang at all.
//!
//! A manifest is stored under a key made of the command (clang version, directory, source, flags, environment). It
//! names the unit that came out and every file that was read, with size, time and checksum, and every folder that was
//! searched, with its time and the names in it. A file whose size and time agree is unchanged; when only the time
//! differs, the content decides. A folder whose time and names both differ may hold a header that now comes first, so
//! the unit is preprocessed again, which costs far less than compiling; the bitcode is still found by content.
//!
//! Times are trusted only when they lay well in the past as they were taken: a file written twice within the
//! resolution of the clock would look unchanged. A file that changed while clang was reading leaves no manifest.
//!
//! Not noticed: a header that newly appears in a sub-folder of a searched folder where no header was found before.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::cache::{Checksum, Key};

/// How long before it was looked at a file must have been written for its time to be trusted.
const SETTLED: Duration = Duration::from_secs(2);
/// The resolution of file times: a file may seem this much older than it is.
const RESOLUTION: Duration = Duration::from_millis(20);

/// A manifest on disk.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    unit: String,
    rejected: Vec<String>,
    files: Vec<FileStamp>,
    folders: Vec<FolderStamp>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FileStamp {
    path: PathBuf,
    bytes: u64,
    time: Time,
    settled: bool,
    checksum: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FolderStamp {
    path: PathBuf,
    /// Absent when the folder does not exist.
    time: Option<Time>,
    settled: bool,
    /// Over the names in it.
    names: Option<String>,
}

/// Seconds and nanoseconds since 1970.
type Time = (u64, u32);

/// What a manifest that still holds says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unchanged {
    pub(crate) unit: Key,
    pub(crate) rejected: Vec<String>,
    /// What was read for it.
    pub(crate) files: Vec<PathBuf>,
}

/// What was read and searched, before it is made a manifest.
#[derive(Debug)]
pub(crate) struct Reads {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) folders: Vec<PathBuf>,
    /// When clang started.
    pub(crate) since: SystemTime,
}

/// The state of files, asked once per run: units share most of their headers.
#[derive(Default)]
pub(crate) struct FileStates {
    metadata: Mutex<FxHashMap<PathBuf, Option<(u64, Time)>>>,
    checksums: Mutex<FxHashMap<PathBuf, Option<Checksum>>>,
    names: Mutex<FxHashMap<PathBuf, Option<Checksum>>>,
}

impl FileStates {
    /// Size and time of a file or folder.
    fn metadata(&self, path: &Path) -> Option<(u64, Time)> {
        remembered(&self.metadata, path, || {
            let data = fs::metadata(path).ok()?;
            Some((data.len(), time_of(data.modified().ok()?)))
        })
    }

    /// The checksum of a file's content.
    pub(crate) fn checksum(&self, path: &Path) -> Option<Checksum> {
        remembered(&self.checksums, path, || Some(Checksum::of(&crate::plain::read(path).ok()?)))
    }

    /// The checksum of the names in a folder, hidden ones left out.
    fn names(&self, path: &Path) -> Option<Checksum> {
        remembered(&self.names, path, || {
            let entries = fs::read_dir(path).ok()?.flatten().map(|entry| entry.file_name());
            let mut names: Vec<_> =
                entries.filter(|name| !name.as_encoded_bytes().starts_with(b".")).collect();
            names.sort();
            let lines: Vec<&[u8]> = names.iter().map(|name| name.as_encoded_bytes()).collect();
            Some(Checksum::of(&lines.join(&0)))
        })
    }
}

fn remembered<T: Copy>(
    memory: &Mutex<FxHashMap<PathBuf, Option<T>>>,
    path: &Path,
    ask: impl FnOnce() -> Option<T>,
) -> Option<T> {
    let lock = || memory.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = lock().get(path) {
        return *known;
    }
    // Two threads may ask at once; both get the same answer.
    let answer = ask();
    lock().insert(path.to_path_buf(), answer);
    answer
}

fn time_of(time: SystemTime) -> Time {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    (since.as_secs(), since.subsec_nanos())
}

/// Reads a manifest and says which unit it stands for, if nothing changed since.
pub(crate) fn check(bytes: &[u8], states: &FileStates) -> Option<Unchanged> {
    let manifest: Manifest = serde_json::from_slice(bytes).ok()?;
    for folder in &manifest.folders {
        let time = states.metadata(&folder.path).map(|(_, time)| time);
        let same_time = folder.settled && time == folder.time;
        if !same_time && states.names(&folder.path).map(|names| names.to_hex()) != folder.names {
            return None;
        }
    }
    for file in &manifest.files {
        let (bytes, time) = states.metadata(&file.path)?;
        if bytes != file.bytes {
            return None;
        }
        let same_time = file.settled && time == file.time;
        if !same_time && states.checksum(&file.path) != Checksum::from_hex(&file.checksum) {
            return None;
        }
    }
    let files = manifest.files.into_iter().map(|file| file.path).collect();
    Some(Unchanged { unit: Key(Checksum::from_hex(&manifest.unit)?), rejected: manifest.rejected, files })
}

/// Writes a manifest as bytes; `None` when a file changed meanwhile or its name cannot be stored.
pub(crate) fn write(unit: Key, rejected: &[String], reads: &Reads, states: &FileStates) -> Option<Vec<u8>> {
    let trusted_before = time_of(reads.since.checked_sub(SETTLED)?);
    let changed_after = time_of(reads.since.checked_sub(RESOLUTION)?);
    let mut files = Vec::new();
    for path in &reads.files {
        let (bytes, time) = states.metadata(path)?;
        if time >= changed_after {
            return None;
        }
        let checksum = states.checksum(path)?.to_hex();
        files.push(FileStamp { path: path.clone(), bytes, time, settled: time < trusted_before, checksum });
    }
    let folders = reads
        .folders
        .iter()
        .map(|path| {
            let time = states.metadata(path).map(|(_, time)| time);
            let settled = time.is_none_or(|time| time < trusted_before);
            FolderStamp {
                path: path.clone(),
                time,
                settled,
                names: states.names(path).map(|names| names.to_hex()),
            }
        })
        .collect();
    serde_json::to_vec(&Manifest { unit: unit.0.to_hex(), rejected: rejected.to_vec(), files, folders }).ok()
}

/// The files in a dependency list as `clang -MD` writes it, without the target.
pub(crate) fn parse_dependencies(text: &str) -> Vec<String> {
    let Some((_, list)) = text.split_once(':') else { return Vec::new() };
    let mut files = Vec::new();
    let mut file = String::new();
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
                files.push(std::mem::take(&mut file));
            }
            ('\\', Some('\r')) => {}
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => file.extend(chars.next()),
            (' ' | '\n' | '\r', _) => files.push(std::mem::take(&mut file)),
            _ => file.push(c),
        }
    }
    files.push(file);
    files.retain(|file| !file.is_empty());
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::KeyBuilder;

    #[test]
    fn dependency_lists() {
        for (text, expected) in [
            ("x: a.c b.h", vec!["a.c", "b.h"]),
            ("x: a.c \\\n  /usr/include/b.h \\\n  c.h\n", vec!["a.c", "/usr/include/b.h", "c.h"]),
            (r"x: my\ file.c a\#b.h p$$q.h", vec!["my file.c", "a#b.h", "p$q.h"]),
            (r"x: a\b.c", vec![r"a\b.c"]),
            ("x:", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(parse_dependencies(text), expected, "{text}");
        }
    }

    /// Writes a file and dates it back.
    fn write_file(path: &Path, text: &str, seconds_ago: u64) {
        fs::write(path, text).unwrap();
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds_ago)).unwrap();
    }

    fn date_folder(path: &Path, seconds_ago: u64) {
        let folder = fs::File::open(path).unwrap();
        folder.set_modified(SystemTime::now() - Duration::from_secs(seconds_ago)).unwrap();
    }

    #[test]
    fn changes_are_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let (file, folder) = (directory.path().join("a.h"), directory.path().to_path_buf());
        let unit = KeyBuilder::new("test").finish();
        write_file(&file, "one", 100);
        date_folder(&folder, 100);
        let reads = Reads {
            files: vec![file.clone()],
            folders: vec![folder.clone(), directory.path().join("absent")],
            since: SystemTime::now(),
        };
        let bytes = write(unit, &["-fx".to_owned()], &reads, &FileStates::default()).unwrap();
        let holds = || check(&bytes, &FileStates::default()).is_some();
        assert_eq!(
            check(&bytes, &FileStates::default()),
            Some(Unchanged { unit, rejected: vec!["-fx".to_owned()], files: vec![file.clone()] })
        );

        // Same content, other time: unchanged. Other content of the same size: changed.
        write_file(&file, "one", 50);
        assert!(holds());
        write_file(&file, "two", 30);
        assert!(!holds());
        write_file(&file, "one", 30);
        assert!(holds());
        // Hidden files do not matter, others do, in folders that were not there as well.
        write_file(&folder.join(".hidden"), "", 10);
        assert!(holds());
        write_file(&folder.join("b.h"), "", 10);
        assert!(!holds());
        fs::remove_file(folder.join("b.h")).unwrap();
        assert!(holds());
        fs::create_dir(folder.join("absent")).unwrap();
        assert!(!holds());
        fs::remove_dir(folder.join("absent")).unwrap();
        fs::remove_file(&file).unwrap();
        assert!(!holds());
    }

    #[test]
    fn recent_files_are_compared_by_content_and_changing_ones_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.h");
        let unit = KeyBuilder::new("test").finish();
        write_file(&file, "one", 1);
        let reads = Reads { files: vec![file.clone()], folders: vec![], since: SystemTime::now() };
        let bytes = write(unit, &[], &reads, &FileStates::default()).unwrap();
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        assert!(check(&bytes, &FileStates::default()).is_some());
        // The same size and time, as a second write within the clock's resolution would give.
        fs::write(&file, "two").unwrap();
        fs::File::options().append(true).open(&file).unwrap().set_modified(time).unwrap();
        assert!(check(&bytes, &FileStates::default()).is_none());

        write_file(&file, "one", 0);
        let reads = Reads { since: SystemTime::now() - Duration::from_secs(5), ..reads };
        assert!(write(unit, &[], &reads, &FileStates::default()).is_none());
    }

    #[test]
    fn damaged_manifests_say_nothing() {
        for bytes in [&b""[..], b"{", b"[]", br#"{"unit":"zz","rejected":[],"files":[],"folders":[]}"#] {
            assert!(check(bytes, &FileStates::default()).is_none());
        }
    }
}
