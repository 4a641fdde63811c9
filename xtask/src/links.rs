//! The links of a book: every one that stays inside leads to a file and, where it names one, to an anchor there.
//!
//! In: a folder of HTML, as mdBook writes it. Out: complaints, each naming a page. Links to other machines are not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Complaints about links in a folder of HTML.
pub(crate) fn check(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    read(folder, &mut pages)?;
    let anchors: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(path, text)| (path, attributes(text, "id").collect())).collect();
    let mut complaints = Vec::new();
    for (page, text) in &pages {
        for link in attributes(text, "href").chain(attributes(text, "src")) {
            if link.contains("://") || ["mailto:", "data:"].iter().any(|start| link.starts_with(start)) {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file.is_empty() {
                true => page.clone(),
                false => tidy(&page.parent().unwrap_or(folder).join(file)),
            };
            // A folder of examples has no page.
            let is_folder = target.is_dir();
            let target = if is_folder { target.join("index.html") } else { target };
            let name = page.strip_prefix(folder).unwrap_or(page).display();
            match anchors.get(&target) {
                None if is_folder || target.is_file() => {}
                None => complaints.push(format!("{name}: {link} leads nowhere")),
                Some(known) if anchor.is_empty() || known.contains(anchor) => {}
                Some(_) => complaints.push(format!("{name}: {link} names no heading there")),
            }
        }
    }
    complaints.sort();
    complaints.dedup();
    Ok(complaints)
}

fn read(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html") {
            pages.insert(path.clone(), std::fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// The values of an attribute of HTML.
fn attributes<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {name}=\"");
    let parts: Vec<&str> = text.split(&*start).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    parts.into_iter()
}

/// A path without `.` and `..`.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(tidied.pop()),
            part => tidied.push(part),
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "index.html",
            r##"<a href="sub/a.html#one">x</a><a href="https://x.org">y</a><a href="#top">z</a>"##,
        );
        write(
            "sub/a.html",
            r##"<h2 id="one">x</h2><a href="../index.html">x</a><a href="b.html">x</a><a href="#two">z</a>"##,
        );
        assert_eq!(
            check(folder.path()).unwrap(),
            [
                "index.html: #top names no heading there",
                "sub/a.html: #two names no heading there",
                "sub/a.html: b.html leads nowhere"
            ]
        );
    }
}
