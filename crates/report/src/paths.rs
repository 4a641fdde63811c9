//! Paths as text: the same file under one name, and file names as URIs.
//!
//! Reports never touch the file system, so everything here is about spelling alone. `..` is
//! resolved by spelling only in URIs, where other tools would do the same; names of files to read keep it, since
//! a symbolic link may stand before it.

/// A path without empty and `.` segments. Two spellings of a path that differ only in these become equal.
pub(crate) fn plain(path: &str) -> String {
    let segments: Vec<&str> =
        path.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", segments.join("/"))
}

/// Where a file is, for a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    /// Below the root directory, by a relative URI reference.
    BelowRoot(String),
    /// Elsewhere, or the root is not known.
    Elsewhere(String),
}

/// The URI of a file, relative to the root directory if it lies below it.
pub(crate) fn locate(path: &str, root: Option<&str>) -> Location {
    let Some(root) = root.filter(|root| root.starts_with('/')) else {
        let uri = if path.starts_with('/') { file_uri(&resolve("/", path)) } else { encode(&plain(path)) };
        return Location::Elsewhere(uri);
    };
    let absolute = resolve(root, path);
    let root = resolve("/", root);
    let below = match root.as_str() {
        "/" => absolute.strip_prefix('/'),
        root => absolute.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')),
    };
    match below {
        Some(relative) if !relative.is_empty() => Location::BelowRoot(encode(relative)),
        _ => Location::Elsewhere(file_uri(&absolute)),
    }
}

/// A file as services that know the repository name it: relative to the root if it lies below, without `.` and `..`;
/// else absolute if the root is known, and as it is written if not.
pub(crate) fn relative(path: &str, root: Option<&str>) -> String {
    let Some(root) = root.filter(|root| root.starts_with('/')) else { return plain(path) };
    let absolute = resolve(root, path);
    let root = resolve("/", root);
    let below = match root.as_str() {
        "/" => absolute.strip_prefix('/'),
        root => absolute.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')),
    };
    match below {
        Some(relative) if !relative.is_empty() => relative.to_owned(),
        _ => absolute,
    }
}

/// The URI of a directory, with a slash at its end as a base of relative references needs it.
pub(crate) fn directory_uri(path: &str) -> String {
    let mut uri = file_uri(&resolve("/", path));
    if !uri.ends_with('/') {
        uri.push('/');
    }
    uri
}

/// An absolute path without `.` and `..`, seen from a directory.
fn resolve(directory: &str, path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { directory };
    for segment in base.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            other => segments.push(other),
        }
    }
    format!("/{}", segments.join("/"))
}

fn file_uri(absolute: &str) -> String {
    format!("file://{}", encode(absolute))
}

/// Percent-encodes everything in a path that is not unreserved, apart from the slashes.
fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_matter() {
        for (path, expected) in [
            ("a.c", "a.c"),
            ("./src//a.c", "src/a.c"),
            ("src/./a.c", "src/a.c"),
            ("/x/./y", "/x/y"),
            ("../a.c", "../a.c"),
            ("a/../b.c", "a/../b.c"),
            ("", ""),
        ] {
            assert_eq!(plain(path), expected);
        }
    }

    fn check(path: &str, root: Option<&str>, expected: &str) {
        let shown = match locate(path, root) {
            Location::BelowRoot(uri) => format!("root {uri}"),
            Location::Elsewhere(uri) => uri,
        };
        assert_eq!(shown, expected, "{path}");
    }

    #[test]
    fn files_below_the_root_are_relative() {
        let root = Some("/home/me/project");
        check("src/a.c", root, "root src/a.c");
        check("./src/../a.c", root, "root a.c");
        check("/home/me/project/src/a.c", root, "root src/a.c");
        check("/home/me/project-two/a.c", root, "file:///home/me/project-two/a.c");
        check("../lib/a.c", root, "file:///home/me/lib/a.c");
        check("/usr/include/stdio.h", root, "file:///usr/include/stdio.h");
        check("a.c", Some("/"), "root a.c");
    }

    #[test]
    fn services_see_names_below_the_root() {
        let root = Some("/home/me/project");
        assert_eq!(relative("./src/../a b.c", root), "a b.c");
        assert_eq!(relative("/home/me/project/src/a.c", root), "src/a.c");
        assert_eq!(relative("../lib/a.c", root), "/home/me/lib/a.c");
        assert_eq!(relative("./src//a.c", None), "src/a.c");
    }

    #[test]
    fn without_a_root_paths_stay_as_they_are() {
        check("src/a.c", None, "src/a.c");
        check("../a.c", None, "../a.c");
        check("/x/a.c", None, "file:///x/a.c");
        check("src/a.c", Some("not/absolute"), "src/a.c");
    }

    #[test]
    fn names_are_percent_encoded() {
        check("a b/ü#?.c", Some("/r"), "root a%20b/%C3%BC%23%3F.c");
        check("c:\\x\n<y>\".c", Some("/r"), "root c%3A%5Cx%0A%3Cy%3E%22.c");
        check("100%.c", None, "100%25.c");
        assert_eq!(directory_uri("/home/my dir"), "file:///home/my%20dir/");
        assert_eq!(directory_uri("/"), "file:///");
    }
}
