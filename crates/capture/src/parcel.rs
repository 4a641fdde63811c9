//! Units that somebody else compiles: which are missing, and what of a cache goes from one machine to another.
//!
//! In: a request. Out: the sources that no unit is kept of ([`absent`]). Whoever compiled them with a cache of his own gives what is in
//! it as files ([`pack`]), and [`unpack`] puts them into the cache of the request. Everything in a cache has a name that is a checksum over what it was made
//! from, so a unit is the same whoever made it; and bitcode is checked against its own whenever it is found.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, LAYOUT, files_below};
use crate::captured::{Language, Seen, Stats};
use crate::compile::Workshop;
use crate::error::Error;
use crate::progress::Silent;
use crate::request::{DEFAULT_CACHE, Request};
use crate::{Run, gather, messages};

/// A file of a cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parcel {
    /// The path below the cache.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What of a cache is worth sending, in the order in which it is to be written.
const FOLDERS: [&str; 2] = ["units", "manifests"];

/// The sources of a request of which no unit is kept that is known to be right, each once.
///
/// # Errors
///
/// When there is nothing to go on with, as for [`crate::capture`].
pub fn absent(request: &Request) -> Result<Vec<PathBuf>, Error> {
    request.check()?;
    let directory = std::path::absolute(&request.directory)
        .map_err(|error| Error::file(messages::USE_DIRECTORY, &request.directory, &error))?;
    let mut request = request.clone();
    request.flags = gather::typed_flags(&request, &directory)?;
    let (cache, _) =
        Cache::open(&directory.join(request.cache.as_deref().unwrap_or(Path::new(DEFAULT_CACHE))))?;
    let (notes, seen, stats) = (Vec::new(), Seen::default(), Stats::default());
    let mut run = Run { request: &request, directory, progress: &Silent, notes, seen, stats, clang: None };
    let jobs = run.gather(&cache)?.jobs;
    let clang = run.clang()?;
    let workshop = Workshop::new(&clang, &cache, request.keep, &jobs, 1);
    let given = |language| matches!(language, Language::Bitcode | Language::Assembly);
    let mut named = BTreeSet::new();
    let absent = jobs.iter().filter(|job| !given(job.language) && !workshop.keeps(job));
    Ok(absent.map(|job| job.source.clone()).filter(|source| named.insert(source.clone())).collect())
}

/// Everything in a cache that another one can use.
///
/// # Errors
///
/// When something in it cannot be read.
pub fn pack(cache: &Path) -> io::Result<Vec<Parcel>> {
    let root = cache.join(LAYOUT);
    let mut parcels = Vec::new();
    for folder in FOLDERS {
        let mut files: Vec<PathBuf> = files_below(&root.join(folder));
        // What a description names is there before it.
        files.sort_by_key(|file| (file.extension().is_some_and(|end| end == "json"), file.clone()));
        for file in files {
            let Some(name) = file.strip_prefix(&root).ok().and_then(Path::to_str) else { continue };
            parcels.push(Parcel { name: name.to_owned(), bytes: crate::plain::read(&file)? });
        }
    }
    Ok(parcels)
}

/// Puts files into a cache. What no cache would have written is left out.
///
/// # Errors
///
/// When the cache cannot be written.
pub fn unpack(request: &Request, parcels: &[Parcel]) -> Result<(), Error> {
    let folder = request.directory.join(request.cache.as_deref().unwrap_or(Path::new(DEFAULT_CACHE)));
    let (cache, _) = Cache::open(&folder)?;
    for parcel in parcels.iter().filter(|parcel| is_ours(&parcel.name)) {
        cache.write(&cache.place("", &parcel.name), &parcel.bytes)?;
    }
    Ok(())
}

/// Whether a cache has files with this name.
fn is_ours(name: &str) -> bool {
    let mut parts = name.split('/');
    let (Some(folder), Some(short), Some(file), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let stem = match (folder, file.rsplit_once('.')) {
        ("units", Some((stem, "bc" | "json" | "i"))) => stem,
        ("manifests", None) => file,
        _ => return false,
    };
    let is_key = stem.len() == 64 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_key && stem.starts_with(short) && short.len() == 2
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn only_what_a_cache_writes_is_written() {
        let key = "ab".repeat(32);
        for name in
            [format!("units/ab/{key}.bc"), format!("units/ab/{key}.json"), format!("manifests/ab/{key}")]
        {
            assert!(is_ours(&name), "{name}");
        }
        for name in [
            format!("units/cd/{key}.bc"),
            format!("units/ab/../{key}.bc"),
            format!("tools/ab/{key}"),
            format!("/units/ab/{key}.bc"),
            format!("units/ab/{key}.sh"),
            format!("manifests/ab/{}", &key[1..]),
            "units/../../../etc/passwd".to_owned(),
        ] {
            assert!(!is_ours(&name), "{name}");
        }
    }
}
