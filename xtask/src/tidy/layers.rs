//! A crate depends only on crates of lower layers.
//!
//! Each manifest states its layer in `[package.metadata.watertight]`. Data moves one way because every edge between
//! crates of the workspace goes strictly down; engines, which share a layer, cannot know each other. Edges for tests
//! count too: a test that needs a higher layer belongs there.

use std::collections::BTreeMap;

use super::Text;

const LICENSE: &str = "MIT OR Apache-2.0";

/// Checks all manifests.
pub(super) fn check(texts: &[Text]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut crates = Vec::new();
    for text in texts.iter().filter(|text| text.path.ends_with("Cargo.toml")) {
        match text.content.parse::<toml::Table>() {
            Err(error) => complaints.push(format!("{}: {}", text.path, error.message())),
            Ok(manifest) => {
                complaints.extend(license(&text.path, &manifest));
                match layer(&manifest) {
                    Some((name, layer)) => crates.push((&text.path, name, layer, manifest)),
                    None if manifest.contains_key("package") && !text.path.starts_with("fuzz/") => complaints
                        .push(format!("{}: states no layer in [package.metadata.watertight]", text.path)),
                    None => {}
                }
            }
        }
    }
    let layers: BTreeMap<&str, i64> =
        crates.iter().map(|(_, name, layer, _)| (name.as_str(), *layer)).collect();
    for (path, name, layer, manifest) in &crates {
        for dependency in dependencies(manifest) {
            match layers.get(dependency.as_str()) {
                Some(below) if below >= layer => complaints.push(format!(
                    "{path}: {name} (layer {layer}) may not depend on {dependency} (layer {below})"
                )),
                _ => {}
            }
        }
    }
    complaints
}

fn license(path: &str, manifest: &toml::Table) -> Option<String> {
    let package = |table: &toml::Table| table.get("package")?.get("license").cloned();
    let workspace = manifest.get("workspace").and_then(toml::Value::as_table);
    let stated = package(manifest).or_else(|| workspace.and_then(package));
    let holds = stated.is_some_and(|value| {
        value.as_str() == Some(LICENSE) || value.get("workspace").and_then(toml::Value::as_bool) == Some(true)
    });
    (!holds).then(|| format!("{path}: the licence is not {LICENSE}"))
}

fn layer(manifest: &toml::Table) -> Option<(String, i64)> {
    let package = manifest.get("package")?;
    let layer = package.get("metadata")?.get("watertight")?.get("layer")?.as_integer()?;
    Some((package.get("name")?.as_str()?.to_owned(), layer))
}

/// The names of everything a crate depends on, in whatever section it says so.
fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let mut names = Vec::new();
    let sections = ["dependencies", "dev-dependencies", "build-dependencies"];
    let mut tables: Vec<&toml::Table> = vec![manifest];
    if let Some(targets) = manifest.get("target").and_then(toml::Value::as_table) {
        tables.extend(targets.values().filter_map(toml::Value::as_table));
    }
    for table in tables {
        for section in sections {
            let Some(section) = table.get(section).and_then(toml::Value::as_table) else { continue };
            for (name, value) in section {
                let renamed = value.get("package").and_then(toml::Value::as_str);
                names.push(renamed.unwrap_or(name).to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::tests::texts_of;
    use super::*;

    fn manifest(name: &str, layer: &str, rest: &str) -> String {
        format!("[package]\nname = '{name}'\nlicense.workspace = true\n{layer}\n{rest}")
    }

    fn layered(name: &str, layer: u32, rest: &str) -> String {
        manifest(name, &format!("[package.metadata.watertight]\nlayer = {layer}"), rest)
    }

    fn complaints(a: &str, b: &str) -> Vec<String> {
        check(&texts_of(&[("crates/a/Cargo.toml", a), ("crates/b/Cargo.toml", b)]))
    }

    #[test]
    fn edges_go_down() {
        let low = layered("low", 1, "");
        for section in
            ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"]
        {
            let edge = format!("[{section}]\nlow.workspace = true");
            assert_eq!(complaints(&low, &layered("high", 2, &edge)), Vec::<String>::new(), "{section}");
            let complaint = "crates/b/Cargo.toml: same (layer 1) may not depend on low (layer 1)";
            assert_eq!(complaints(&low, &layered("same", 1, &edge)), [complaint], "{section}");
            let complaint = "crates/b/Cargo.toml: lower (layer 0) may not depend on low (layer 1)";
            assert_eq!(complaints(&low, &layered("lower", 0, &edge)), [complaint], "{section}");
        }
        let renamed = layered("same", 1, "[dependencies]\nother = { package = 'low', path = '../low' }");
        assert_eq!(complaints(&low, &renamed).len(), 1);
        let outside = layered("high", 0, "[dependencies]\nserde.workspace = true");
        assert_eq!(complaints(&low, &outside), Vec::<String>::new());
    }

    #[test]
    fn layers_and_licences_are_stated() {
        let complaint = "crates/b/Cargo.toml: states no layer in [package.metadata.watertight]";
        assert_eq!(complaints(&layered("a", 0, ""), &manifest("b", "", "")), [complaint]);
        let other = layered("b", 1, "").replace("license.workspace = true", "license = 'GPL-3.0'");
        let complaint = "crates/b/Cargo.toml: the licence is not MIT OR Apache-2.0";
        assert_eq!(complaints(&layered("a", 0, ""), &other), [complaint]);
        let none = layered("b", 1, "").replace("license.workspace = true", "");
        assert_eq!(complaints(&layered("a", 0, ""), &none), [complaint]);
        let workspace = "[workspace.package]\nlicense = 'MIT OR Apache-2.0'";
        assert_eq!(check(&texts_of(&[("Cargo.toml", workspace)])), Vec::<String>::new());
        let broken = check(&texts_of(&[("Cargo.toml", "[workspace")]));
        assert!(broken[0].starts_with("Cargo.toml: "), "{broken:?}");
    }
}
