//! Reading what a project holds: plain files, and nothing else.
//!
//! A name in a request, a database or a checkout can be that of a FIFO, for which one would wait without end, or of a
//! device that has no end. Whoever reads a file that somebody else may have put there reads it here; `tidy` sees to it.

use crate::messages;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The longest file that is read where nothing else is said.
const LONGEST: u64 = 1 << 30;

/// Says what is wrong with a path that leads to neither a plain file nor a directory.
///
/// # Errors
///
/// If nothing is there, or something that is not to be opened.
pub fn check(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::InvalidInput, messages::NOT_REGULAR))
}

/// The bytes of a plain file.
///
/// # Errors
///
/// If it is none, or cannot be read.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_at_most(path, LONGEST)
}

/// The bytes of a plain file of at most so many bytes.
///
/// # Errors
///
/// If it is none, cannot be read, or is longer.
pub fn read_at_most(path: impl AsRef<Path>, longest: u64) -> io::Result<Vec<u8>> {
    check(path.as_ref())?;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(longest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::Error::new(ErrorKind::InvalidInput, messages::TOO_LONG));
    }
    Ok(bytes)
}

/// The text of a plain file.
///
/// # Errors
///
/// If it is none, cannot be read, or holds something else than text.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, messages::TEXT_NOT_UTF8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_opened() {
        for path in ["/dev/zero", "/dev/tty"] {
            let error = read(path).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound), "{path}: {error}");
        }
        assert!(
            read_to_string(file!().rsplit('/').next().map(|name| format!("src/{name}")).unwrap()).is_ok()
        );
    }
}
