//! The documents hang together: each page has its place in the order for a reader, and each link leads to a page and a heading.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::support::repository;

/// Every page for readers, by its path in the repository.
fn pages() -> BTreeMap<PathBuf, String> {
    let root = repository();
    let mut pages = BTreeMap::new();
    let mut add = |path: PathBuf| {
        let text = std::fs::read_to_string(root.join(&path)).unwrap();
        pages.insert(path, text);
    };
    for name in
        ["README.md", "CHANGELOG.md", "corpus/README.md", "tests/c/README.md", "editors/vscode/README.md"]
    {
        add(name.into());
    }
    for folder in ["docs", "docs/decisions", "docs/rules"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                add(path.strip_prefix(&root).unwrap().to_path_buf());
            }
        }
    }
    pages
}

/// The text without what stands in blocks of code, where brackets are no links.
fn prose(text: &str) -> String {
    let mut inside = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// The targets of the links in a page.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    // Code in a line is no link either.
    let outside: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let targets = outside.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.contains(' ')).map(str::to_owned).collect()
}

/// The names under which the headings of a page can be linked to.
fn headings(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let titles = prose
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    let name = |title: &str| -> String {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    titles.map(name).collect()
}

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

#[test]
fn links_lead_to_pages_and_headings_that_exist() {
    let pages = pages();
    let mut wrong = Vec::new();
    for (page, text) in &pages {
        for link in links(text) {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file.is_empty() {
                true => page.clone(),
                false => tidy(&page.parent().unwrap().join(file)),
            };
            let known = pages.get(&target).map(|text| headings(text));
            let fits = match known {
                Some(headings) => heading.is_empty() || headings.contains(heading),
                None => repository().join(&target).exists(),
            };
            if !fits {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}

#[test]
fn every_page_has_its_place_in_the_order_for_a_reader() {
    let pages = pages();
    let summary = Path::new("docs/SUMMARY.md");
    let listed: Vec<PathBuf> =
        links(&pages[summary]).iter().map(|link| tidy(&Path::new("docs").join(link))).collect();
    let distinct: BTreeSet<&PathBuf> = listed.iter().collect();
    assert_eq!(distinct.len(), listed.len(), "a page is listed twice");
    for page in pages.keys().filter(|page| page.starts_with("docs") && *page != summary) {
        assert!(distinct.contains(page), "docs/SUMMARY.md does not list {}", page.display());
    }
    // A page is listed under its own title.
    for line in pages[summary].lines().filter(|line| line.contains("](") && !line.contains("../README.md")) {
        let title = line.split('[').nth(1).and_then(|rest| rest.split(']').next()).unwrap();
        let page = tidy(&Path::new("docs").join(&links(line)[0]));
        let first = pages[&page].lines().find(|line| line.starts_with("# ")).unwrap();
        assert_eq!(first, format!("# {title}"), "{}", page.display());
    }
}

#[test]
fn links_and_headings_are_read() {
    let text = "# A `b`, c\n[x](y.md#z) `[a](b)` [e](https://e.org)\n```\n[n](o)\n```\n## Two words\n";
    assert_eq!(links(text), ["y.md#z"]);
    assert_eq!(headings(text), BTreeSet::from(["a-b-c".to_owned(), "two-words".to_owned()]));
}
