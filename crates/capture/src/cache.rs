//! Bitcode on disk, found again by content.
//!
//! ```text
//! <root>/v2/units/ab/<key>.bc      bitcode
//! <root>/v2/units/ab/<key>.i       preprocessed text
//! <root>/v2/units/ab/<key>.json    checksums of the two; written last, so what it names is complete
//! <root>/v2/manifests/ab/<key>     which files a command read, and the unit key that came out (see `manifest.rs`)
//! <root>/v2/tools/, builds/        shims in front of compilers, and commands of earlier builds
//! <root>/v2/tmp/                   files being written
//! ```
//!
//! Every file is written under a temporary name and renamed, so two runs at once never see half a file; the worst
//! that happens is that both do the same work. Bitcode is checked against its checksum each time it is found, and
//! what does not match counts as absent. When the directory cannot be written, or something in it is a link or belongs
//! to another user, a temporary one takes its place for one run. The oldest units are removed when the whole exceeds a limit, never those of the present run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tempfile::{NamedTempFile, TempDir, TempPath};

use crate::captured::{Note, NoteKind};
use crate::error::Error;
use crate::messages;
use crate::trust::distrust;

/// The layout of the files below. A change makes older caches invisible, and they are pruned in time.
pub(crate) const LAYOUT: &str = "v2";

/// Units touched more recently than this are never pruned: another run may be about to read them.
const YOUNG: Duration = Duration::from_secs(3600);

/// A blake3 checksum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Checksum([u8; 32]);

impl Checksum {
    /// The checksum of some bytes.
    pub fn of(bytes: &[u8]) -> Checksum {
        Checksum(*blake3::hash(bytes).as_bytes())
    }

    /// The checksum as 64 hexadecimal digits.
    pub fn to_hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    pub(crate) fn from_hex(text: &str) -> Option<Checksum> {
        blake3::Hash::from_hex(text).ok().map(|hash| Checksum(*hash.as_bytes()))
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

/// The name under which something is stored: a checksum over everything it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(pub(crate) Checksum);

/// Collects what a key depends on. Every field is preceded by its length, so that no two lists of fields agree.
pub(crate) struct KeyBuilder(blake3::Hasher);

impl KeyBuilder {
    pub(crate) fn new(purpose: &str) -> KeyBuilder {
        let mut builder = KeyBuilder(blake3::Hasher::new());
        builder.field(LAYOUT.as_bytes());
        builder.field(purpose.as_bytes());
        builder
    }

    pub(crate) fn field(&mut self, bytes: &[u8]) -> &mut KeyBuilder {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub(crate) fn path(&mut self, path: &Path) -> &mut KeyBuilder {
        self.field(path.as_os_str().as_encoded_bytes())
    }

    pub(crate) fn finish(&self) -> Key {
        Key(Checksum(*self.0.finalize().as_bytes()))
    }
}

/// A temporary directory in place of a cache that cannot be written; removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    _directory: TempDir,
}

/// An open cache.
pub(crate) struct Cache {
    root: PathBuf,
    scratch: Option<Scratch>,
}

/// One stored unit.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) bitcode: PathBuf,
    pub(crate) bitcode_checksum: Checksum,
    pub(crate) bitcode_bytes: u64,
    /// Path and checksum of the preprocessed text; absent for LLVM assembly.
    pub(crate) text: Option<(PathBuf, Checksum)>,
    /// Flags that clang rejected while compiling.
    pub(crate) rejected: Vec<String>,
}

/// The description of a unit on disk.
#[derive(Serialize, Deserialize)]
struct Description {
    bitcode: String,
    text: Option<String>,
    text_bytes: u64,
    rejected: Vec<String>,
}

impl Cache {
    /// Opens a cache, creating what is missing, or a temporary one with a note saying why.
    pub(crate) fn open(directory: &Path) -> Result<(Cache, Option<Note>), Error> {
        let root = directory.join(LAYOUT);
        let prepared = match distrust(directory) {
            Some(why) => Err(messages::cache_not_used(directory, &why)),
            None => prepare(directory, &root).map_err(|error| messages::cache_not_written(directory, error)),
        };
        match prepared {
            Ok(()) => Ok((Cache { root, scratch: None }, None)),
            Err(why) => {
                let note = Note::new(NoteKind::Cache, why);
                let scratch = tempfile::Builder::new()
                    .prefix("watertight-cache-")
                    .tempdir()
                    .map_err(|error| Error::file(messages::CREATE_CACHE, &std::env::temp_dir(), &error))?;
                let root = scratch.path().join(LAYOUT);
                prepare(scratch.path(), &root).map_err(|error| Error::file("write", &root, &error))?;
                Ok((Cache { root, scratch: Some(Scratch { _directory: scratch }) }, Some(note)))
            }
        }
    }

    /// What keeps a temporary cache alive.
    pub(crate) fn into_scratch(self) -> Option<Scratch> {
        self.scratch
    }

    /// A place for something that is neither unit nor manifest.
    pub(crate) fn place(&self, folder: &str, name: &str) -> PathBuf {
        self.root.join(folder).join(name)
    }

    fn unit_file(&self, key: Key, extension: &str) -> PathBuf {
        let name = key.0.to_hex();
        self.root.join("units").join(&name[..2]).join(format!("{name}.{extension}"))
    }

    fn manifest_file(&self, key: Key) -> PathBuf {
        let name = key.0.to_hex();
        self.root.join("manifests").join(&name[..2]).join(name)
    }

    /// An empty temporary file for another program to write to; removed when dropped.
    pub(crate) fn temporary(&self, suffix: &str) -> Result<TempPath, Error> {
        let folder = self.root.join("tmp");
        let file = tempfile::Builder::new().suffix(suffix).tempfile_in(&folder);
        file.map(NamedTempFile::into_temp_path).map_err(|error| Error::file("write to", &folder, &error))
    }

    /// An empty folder for another program to work in; removed when dropped.
    pub(crate) fn room(&self) -> Result<TempDir, Error> {
        let folder = self.root.join("tmp");
        // A program in there has another working directory, for which a relative path means something else.
        let absolute = std::path::absolute(&folder).unwrap_or(folder);
        let made = tempfile::Builder::new().prefix("room-").tempdir_in(&absolute);
        made.map_err(|error| Error::file("write to", &absolute, &error))
    }

    /// Writes a file so that it appears whole or not at all.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let write = || {
            let mut file = NamedTempFile::new_in(self.root.join("tmp"))?;
            file.write_all(bytes)?;
            file.flush()?;
            place(file.into_temp_path(), path)
        };
        write().map_err(|error| Error::file("write", path, &error))
    }

    /// Finds a unit whose bitcode is intact.
    pub(crate) fn find(&self, key: Key) -> Option<Stored> {
        let file = self.unit_file(key, "json");
        let description: Description = serde_json::from_slice(&crate::plain::read(&file).ok()?).ok()?;
        let bitcode = self.unit_file(key, "bc");
        let bitcode_checksum = Checksum::from_hex(&description.bitcode)?;
        let bytes = crate::plain::read(&bitcode).ok()?;
        if Checksum::of(&bytes) != bitcode_checksum {
            return None;
        }
        let text = match description.text {
            Some(checksum) => {
                let path = self.unit_file(key, "i");
                if fs::metadata(&path).ok()?.len() != description.text_bytes {
                    return None;
                }
                Some((path, Checksum::from_hex(&checksum)?))
            }
            None => None,
        };
        // The time of last use decides what is pruned first. Failing to note it is harmless.
        if let Ok(file) = File::options().append(true).open(&file) {
            let _ = file.set_modified(SystemTime::now());
        }
        let bitcode_bytes = bytes.len() as u64;
        Some(Stored { bitcode, bitcode_checksum, bitcode_bytes, text, rejected: description.rejected })
    }

    /// Stores preprocessed text for a unit that is about to be compiled.
    pub(crate) fn store_text(&self, key: Key, text: &[u8]) -> Result<(), Error> {
        self.write(&self.unit_file(key, "i"), text)
    }

    /// Stores the bitcode that clang wrote to a temporary file, and with it the whole unit.
    pub(crate) fn store(
        &self,
        key: Key,
        bitcode: TempPath,
        text: Option<(Checksum, u64)>,
        rejected: Vec<String>,
    ) -> Result<Stored, Error> {
        let bytes = crate::plain::read(&bitcode).map_err(|error| Error::file("read", &bitcode, &error))?;
        let bitcode_checksum = Checksum::of(&bytes);
        let path = self.unit_file(key, "bc");
        place(bitcode, &path).map_err(|error| Error::file("write", &path, &error))?;
        let description = Description {
            bitcode: bitcode_checksum.to_hex(),
            text: text.map(|(checksum, _)| checksum.to_hex()),
            text_bytes: text.map_or(0, |(_, bytes)| bytes),
            rejected: rejected.clone(),
        };
        let json = serde_json::to_vec(&description).map_err(|error| Error::Internal(error.to_string()))?;
        self.write(&self.unit_file(key, "json"), &json)?;
        Ok(Stored {
            bitcode: path,
            bitcode_checksum,
            bitcode_bytes: bytes.len() as u64,
            text: text.map(|(checksum, _)| (self.unit_file(key, "i"), checksum)),
            rejected,
        })
    }

    /// The text of a manifest, if there is one.
    pub(crate) fn read_manifest(&self, key: Key) -> Option<Vec<u8>> {
        crate::plain::read(self.manifest_file(key)).ok()
    }

    /// Stores a manifest.
    pub(crate) fn write_manifest(&self, key: Key, bytes: &[u8]) -> Result<(), Error> {
        self.write(&self.manifest_file(key), bytes)
    }

    /// Removes the units used least recently until at most `limit` bytes are left, sparing those in `used` and those
    /// touched within the hour. Returns the number of units removed. Errors only mean that less is removed.
    pub(crate) fn prune(&self, limit: u64, used: &BTreeSet<Key>) -> usize {
        #[derive(Default)]
        struct Unit {
            bytes: u64,
            touched: Option<SystemTime>,
            files: Vec<PathBuf>,
        }
        let now = SystemTime::now();
        let is_old = |time: Option<SystemTime>| {
            time.and_then(|time| now.duration_since(time).ok()).is_some_and(|age| age > YOUNG)
        };
        let mut units: BTreeMap<String, Unit> = BTreeMap::new();
        let mut total = 0;
        for path in files_below(&self.root.join("units")) {
            let Ok(data) = path.metadata() else { continue };
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let unit = units.entry(stem).or_default();
            unit.bytes += data.len();
            unit.touched = unit.touched.max(data.modified().ok());
            unit.files.push(path);
            total += data.len();
        }
        let used: BTreeSet<String> = used.iter().map(|key| key.0.to_hex()).collect();
        let mut oldest: Vec<(&String, &Unit)> =
            units.iter().filter(|(name, unit)| !used.contains(*name) && is_old(unit.touched)).collect();
        oldest.sort_by_key(|(name, unit)| (unit.touched, *name));
        let mut removed = 0;
        for (_, unit) in oldest {
            if total <= limit {
                break;
            }
            total -= unit.bytes;
            removed += 1;
            for file in &unit.files {
                let _ = fs::remove_file(file);
            }
        }
        // Files that a killed run left behind.
        for path in files_below(&self.root.join("tmp")) {
            if is_old(path.metadata().and_then(|data| data.modified()).ok()) {
                let _ = fs::remove_file(path);
            }
        }
        for entry in fs::read_dir(self.root.join("tmp")).into_iter().flatten().flatten() {
            // A room that is in use is young or not empty; only an empty one goes.
            if is_old(entry.metadata().and_then(|data| data.modified()).ok()) {
                let _ = fs::remove_dir(entry.path());
            }
        }
        removed
    }
}

/// Creates the folders and proves that they can be written.
fn prepare(directory: &Path, root: &Path) -> io::Result<()> {
    let fresh = !directory.exists();
    for folder in ["units", "manifests", "tools", "builds", "tmp"] {
        fs::create_dir_all(root.join(folder))?;
    }
    if fresh {
        // Nobody wants the cache in a repository or a backup. Failing to say so is harmless.
        let _ = fs::write(directory.join(".gitignore"), "*\n");
        let _ = fs::write(
            directory.join("CACHEDIR.TAG"),
            // What the standard of such files asks for, not a sentence.
            "Signature: 8a477f597d28d172789f06886806bc55\n# This directory can be removed at any time.\n",
        );
    }
    let mut probe = NamedTempFile::new_in(root.join("tmp"))?;
    probe.write_all(b"probe")?;
    probe.flush()
}

/// Moves a temporary file to its name, creating the folder when it is the first in it.
fn place(file: TempPath, path: &Path) -> io::Result<()> {
    // Renaming first saves a system call for all files but the first of a folder.
    match file.persist(path) {
        Ok(()) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
            error.path.persist(path).map_err(|error| error.error)
        }
        Err(error) => Err(error.error),
    }
}

pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![directory.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => files.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(directory: &TempDir) -> Cache {
        let (cache, note) = Cache::open(&directory.path().join("cache")).unwrap();
        assert_eq!(note, None);
        cache
    }

    fn key(name: &str) -> Key {
        KeyBuilder::new("test").field(name.as_bytes()).finish()
    }

    fn store(cache: &Cache, key: Key, bitcode: &[u8], text: &[u8]) -> Stored {
        cache.store_text(key, text).unwrap();
        let temporary = cache.temporary(".bc").unwrap();
        fs::write(&temporary, bitcode).unwrap();
        cache
            .store(key, temporary, Some((Checksum::of(text), text.len() as u64)), vec!["-fx".into()])
            .unwrap()
    }

    fn age(cache: &Cache, key: Key, hours: u64) {
        for extension in ["bc", "i", "json"] {
            let file = File::options().append(true).open(cache.unit_file(key, extension)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(3600 * hours)).unwrap();
        }
    }

    #[test]
    fn units_come_back() {
        let directory = tempfile::tempdir().unwrap();
        let cache = open(&directory);
        assert!(cache.find(key("a")).is_none());
        store(&cache, key("a"), b"bitcode", b"text");
        let found = open(&directory).find(key("a")).unwrap();
        assert_eq!(fs::read(&found.bitcode).unwrap(), b"bitcode");
        assert_eq!(found.bitcode_bytes, 7);
        assert_eq!(found.rejected, ["-fx"]);
        assert_eq!(fs::read(&found.text.unwrap().0).unwrap(), b"text");
        assert!(cache.find(key("b")).is_none());
        // Storing again over an existing unit is what two runs at once do.
        store(&cache, key("a"), b"bitcode", b"text");
        assert!(cache.find(key("a")).is_some());
        assert!(files_below(&directory.path().join("cache/v2/tmp")).is_empty());
    }

    #[test]
    fn damage_counts_as_absent() {
        let directory = tempfile::tempdir().unwrap();
        let cache = open(&directory);
        for (extension, damage) in [
            ("bc", &b"bitcodX"[..]),
            ("bc", b"bit"),
            ("bc", b""),
            ("i", b"tex"),
            ("json", b"{"),
            ("json", b""),
            ("json", br#"{"bitcode":"zz","text":null,"text_bytes":0,"rejected":[]}"#),
        ] {
            store(&cache, key("a"), b"bitcode", b"text");
            assert!(cache.find(key("a")).is_some());
            fs::write(cache.unit_file(key("a"), extension), damage).unwrap();
            assert!(cache.find(key("a")).is_none(), "{extension} {damage:?}");
        }
        store(&cache, key("a"), b"bitcode", b"text");
        fs::remove_file(cache.unit_file(key("a"), "bc")).unwrap();
        assert!(cache.find(key("a")).is_none());
    }

    #[test]
    fn an_unwritable_cache_becomes_temporary() {
        let directory = tempfile::tempdir().unwrap();
        let blocked = directory.path().join("file");
        fs::write(&blocked, "in the way").unwrap();
        let (cache, note) = Cache::open(&blocked.join("cache")).unwrap();
        assert!(note.unwrap().text.contains("cannot be written"));
        let stored = store(&cache, key("a"), b"bitcode", b"text");
        assert!(cache.find(key("a")).is_some());
        let scratch = cache.into_scratch();
        assert!(scratch.is_some() && stored.bitcode.exists());
        drop(scratch);
        assert!(!stored.bitcode.exists());
    }

    #[test]
    fn pruning_takes_the_oldest_and_spares_the_used() {
        let directory = tempfile::tempdir().unwrap();
        let cache = open(&directory);
        for (name, hours) in [("a", 50), ("b", 40), ("c", 30), ("d", 20), ("young", 0)] {
            store(&cache, key(name), &[0; 10_000], b"text");
            age(&cache, key(name), hours);
        }
        let left = |cache: &Cache| {
            ["a", "b", "c", "d", "young"]
                .into_iter()
                .filter(|name| cache.unit_file(key(name), "bc").exists())
                .collect::<String>()
        };
        assert_eq!(cache.prune(1_000_000, &BTreeSet::new()), 0);
        assert_eq!(cache.prune(35_000, &BTreeSet::from([key("a")])), 2);
        assert_eq!(left(&cache), "adyoung");
        // What is young stays, even beyond the limit.
        assert_eq!(cache.prune(0, &BTreeSet::new()), 2);
        assert_eq!(left(&cache), "young");
    }

    #[test]
    fn keys_keep_fields_apart() {
        let two = KeyBuilder::new("x").field(b"ab").field(b"c").finish();
        let other = KeyBuilder::new("x").field(b"a").field(b"bc").finish();
        assert_ne!(two, other);
        assert_ne!(KeyBuilder::new("x").finish(), KeyBuilder::new("y").finish());
    }
}
