//! Names of files as the user would write them.
//!
//! Debug information has the path that the compiler saw, mostly absolute. A finding names a file as it was typed, if it
//! was an input; relative to the working directory, if it is below it; and in full otherwise. That is what people read,
//! what editors open, and what does not change when a project moves.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use watertight_finding::{Finding, Place, Problem};

use crate::describe::Described;

/// Calls the files of described functions as the user would write them, who typed these names in this directory.
pub fn spell_described<'n>(
    described: &mut [Described],
    directory: &Path,
    typed: impl Iterator<Item = &'n str>,
) {
    let mut spelling = Spelling::new(directory, typed);
    described.iter_mut().for_each(|one| spelling.of_described(one));
}

/// How the files of one run are called.
#[derive(Debug)]
pub(crate) struct Spelling {
    root: PathBuf,
    /// Inputs by their plain absolute path.
    typed: BTreeMap<PathBuf, Arc<str>>,
    /// What was asked before.
    known: BTreeMap<Arc<str>, Arc<str>>,
}

impl Spelling {
    /// The spelling in a working directory, with the names that were typed.
    pub(crate) fn new<'n>(directory: &Path, typed: impl Iterator<Item = &'n str>) -> Spelling {
        let root = plain(directory);
        let typed = typed.map(|name| (plain(&root.join(name)), Arc::from(name))).collect();
        Spelling { root, typed, known: BTreeMap::new() }
    }

    /// Renames the files of a finding.
    pub(crate) fn of_finding(&mut self, finding: &mut Finding) {
        self.of_place(&mut finding.place);
        let steps = finding.exits.iter_mut().flat_map(|exit| &mut exit.steps).chain(&mut finding.sibling);
        for step in steps {
            self.of_place(&mut step.place);
        }
        for assumption in &mut finding.assumptions {
            self.of_place(&mut assumption.place);
        }
    }

    /// Renames the file of a problem.
    pub(crate) fn of_problem(&mut self, problem: &mut Problem) {
        if let Some(place) = &mut problem.place {
            self.of_place(place);
        }
    }

    /// Renames the file of a described function.
    pub(crate) fn of_described(&mut self, described: &mut Described) {
        if let Some(site) = &mut described.site {
            self.of_place(site);
            described.place = Some(format!("{}:{}", site.file, site.line));
        }
    }

    /// Renames the file of a place.
    pub(crate) fn of_place(&mut self, place: &mut Place) {
        place.file = self.of_file(&place.file);
    }

    /// The name of a file.
    pub(crate) fn of_file(&mut self, file: &str) -> Arc<str> {
        match self.known.get(file) {
            Some(name) => name.clone(),
            None => {
                let file: Arc<str> = Arc::from(file);
                let name = self.spell(&file);
                self.known.insert(file, name.clone());
                name
            }
        }
    }

    fn spell(&self, file: &Arc<str>) -> Arc<str> {
        let path = plain(&self.root.join(&**file));
        if let Some(name) = self.typed.get(&path) {
            return name.clone();
        }
        match path.strip_prefix(&self.root).ok().and_then(Path::to_str) {
            Some(inside) if !inside.is_empty() => Arc::from(inside),
            _ => file.clone(),
        }
    }
}

/// A path without `.` and `..`, as text: links are not followed, since a name must not depend on the disk.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_as_people_call_them() {
        let typed = ["./a.c", "../lib/b.c", "/opt/c.c", "sub/d.c"];
        let mut spelling = Spelling::new(Path::new("/work/project"), typed.into_iter());
        for (file, expected) in [
            ("/work/project/a.c", "./a.c"),
            ("/work/project/build/../a.c", "./a.c"),
            ("/work/lib/b.c", "../lib/b.c"),
            ("/opt/c.c", "/opt/c.c"),
            ("/work/project/sub/d.c", "sub/d.c"),
            ("/work/project/include/x.h", "include/x.h"),
            ("/work/project2/y.h", "/work/project2/y.h"),
            ("/usr/include/stdio.h", "/usr/include/stdio.h"),
            ("relative.c", "relative.c"),
            ("<built-in>", "<built-in>"),
        ] {
            for _ in 0..2 {
                let mut place = Place::new(file, 1, 1);
                spelling.of_place(&mut place);
                assert_eq!(&*place.file, expected, "{file}");
            }
        }
    }
}
