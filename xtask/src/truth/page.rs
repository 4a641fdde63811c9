//! The tables of docs/evaluation.md, written between markers; the prose around them stays.
//!
//! A marker is a line `<!-- truth: NAME -->`, and `<!-- truth: end -->` closes what it opens. What must hold: writing
//! the same tables twice gives the same page, and a table without a marker is an error.

use std::collections::BTreeMap;

/// The page with new text between its markers.
pub(super) fn fill(page: &str, tables: &BTreeMap<&str, String>) -> Result<String, String> {
    let mut out = String::new();
    let mut used = Vec::new();
    let mut skipping = false;
    for line in page.lines() {
        let marker = line.trim().strip_prefix("<!-- truth: ").and_then(|rest| rest.strip_suffix(" -->"));
        if marker == Some("end") {
            skipping = false;
        }
        if !skipping {
            out.push_str(line);
            out.push('\n');
        }
        if let Some(name) = marker.filter(|&name| name != "end") {
            let text = tables.get(name).ok_or_else(|| format!("there is no table `{name}`"))?;
            out.push_str(&format!("\n{}\n\n", text.trim_end()));
            used.push(name);
            skipping = true;
        }
    }
    if skipping {
        return Err("a marker is never closed".to_owned());
    }
    match tables.keys().find(|name| !used.contains(name)) {
        Some(name) => Err(format!("no marker for the table `{name}`")),
        None => Ok(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filling_twice_changes_nothing() {
        let page = "a\n<!-- truth: x -->\nold\n<!-- truth: end -->\nb\n";
        let tables = BTreeMap::from([("x", "| new |\n".to_owned())]);
        let once = fill(page, &tables).unwrap();
        assert_eq!(once, "a\n<!-- truth: x -->\n\n| new |\n\n<!-- truth: end -->\nb\n");
        assert_eq!(fill(&once, &tables).unwrap(), once);
        assert!(fill("a\n", &tables).is_err());
        assert!(fill("<!-- truth: x -->\n", &tables).is_err());
    }
}
