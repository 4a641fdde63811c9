//! Addresses of files, as editors write them: `file:///home/a%20b.c`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;

/// The path of a file; absent for documents that are not files.
pub(crate) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // Some editors name the machine.
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut rest = rest.bytes();
    while let Some(byte) = rest.next() {
        let decoded = match byte {
            b'%' => {
                let (high, low) = (rest.next()?, rest.next()?);
                let digit = |byte: u8| char::from(byte).to_digit(16);
                u8::try_from(digit(high)? * 16 + digit(low)?).ok()?
            }
            byte => byte,
        };
        bytes.push(decoded);
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

/// The address of a file with an absolute path.
pub(crate) fn uri(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    for byte in path.to_str()?.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                text.push(char::from(byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_there_and_back() {
        for name in ["/a/b.c", "/with blank/ä%.c", "/a+b,(c)#?.c"] {
            let there = uri(Path::new(name)).expect("a path has an address");
            assert_eq!(path(&there).as_deref(), Some(Path::new(name)), "{there:?}");
        }
    }

    #[test]
    fn other_documents_are_no_files() {
        let parse = |text: &str| path(&Uri::from_str(text).expect("an address"));
        assert_eq!(parse("untitled:Untitled-1"), None);
        assert_eq!(parse("https://example.org/a.c"), None);
        assert_eq!(parse("file://localhost/a.c"), Some("/a.c".into()));
        assert_eq!(parse("file:///c%3A/a.c"), Some("/c:/a.c".into()));
    }
}
