//! The folders of an engine stand in one order.
//!
//! Data moves one way, so a folder imports only what stands before it. The order is that of the list in the comment of
//! `lib.rs`, one line for each folder that begins with "- [`name`]"; whoever reads the list reads the way of the data. Tests are free.

use super::Text;
use super::limits::ENGINES;
use std::collections::BTreeSet;

/// Checks the folders of all engines.
pub(super) fn check(texts: &[Text]) -> Vec<String> {
    ENGINES.iter().flat_map(|engine| check_engine(texts, &format!("crates/{engine}/src/"))).collect()
}

fn check_engine(texts: &[Text], source: &str) -> Vec<String> {
    let inside = |text: &'_ Text| text.path.strip_prefix(source).map(str::to_owned);
    let folder_of = |text: &Text| {
        let path = inside(text)?;
        path.split_once('/')
            .map(|(folder, _)| folder.to_owned())
            .filter(|_| text.is_rust() && !text.is_test())
    };
    let folders: BTreeSet<String> = texts.iter().filter_map(folder_of).collect();
    let lib = format!("{source}lib.rs");
    let listed: Vec<&str> = texts
        .iter()
        .filter(|text| text.path == lib)
        .flat_map(|text| text.content.lines())
        .filter_map(|line| line.strip_prefix("//! - [`")?.split_once("`]").map(|(name, _)| name))
        .collect();
    let place = |name: &str| listed.iter().position(|known| *known == name);
    let mut complaints: Vec<String> = folders
        .iter()
        .filter(|folder| place(folder).is_none())
        .map(|folder| format!("{lib}: does not say where `{folder}` stands in the order of folders"))
        .collect();
    for text in texts {
        let Some(folder) = folder_of(text) else { continue };
        let Some(own) = place(&folder) else { continue };
        for (number, line) in text.outside_tests().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for name in imported(code).filter(|name| *name != folder && folders.contains(*name)) {
                if place(name).is_some_and(|other| other > own) {
                    let at = format!("{}:{}", text.path, number + 1);
                    complaints.push(format!("{at}: imports `{name}`, which stands after `{folder}`"));
                }
            }
        }
    }
    complaints
}

/// The first names of the paths in a line that begin at the root of the crate.
fn imported(code: &str) -> impl Iterator<Item = &str> {
    let name = |rest: &'_ str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let after = |root| code.split(root).skip(1);
    after("crate::").chain(after("super::super::")).map(move |rest| &rest[..name(rest)])
}

#[cfg(test)]
mod tests {
    use super::super::tests::texts_of;
    use super::*;

    const LIB: (&str, &str) = (
        "crates/path/src/lib.rs",
        "//! An engine.\n//!\n//! - [`plan`]: graphs;\n//! - [`machine`]: values.\n",
    );

    #[test]
    fn imports_go_one_way() {
        let check = |path: &str, code: &str| {
            check(&texts_of(&[LIB, (path, code), ("crates/path/src/machine/mod.rs", "")]))
        };
        let none = Vec::<String>::new();
        assert_eq!(check("crates/path/src/machine/state.rs", "use crate::plan::unroll;\n"), none);
        assert_eq!(
            check("crates/path/src/plan/unroll.rs", "use crate::limits;\nuse crate::plan::steered;\n"),
            none
        );
        assert_eq!(check("crates/path/src/plan/unroll.rs", "// As in crate::machine::state.\n"), none);
        let back = ["crates/path/src/plan/unroll.rs:2: imports `machine`, which stands after `plan`"];
        assert_eq!(check("crates/path/src/plan/unroll.rs", "\nuse crate::machine::state;\n"), back);
        assert_eq!(check("crates/path/src/plan/unroll.rs", "\nfn f(x: super::super::machine::X) {}\n"), back);
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::machine::state;\n}\n";
        assert_eq!(check("crates/path/src/plan/unroll.rs", tests), none);
    }

    #[test]
    fn every_folder_has_a_place() {
        let texts = texts_of(&[LIB, ("crates/path/src/exits/lost.rs", "")]);
        let expected = ["crates/path/src/lib.rs: does not say where `exits` stands in the order of folders"];
        assert_eq!(check(&texts), expected);
    }
}
