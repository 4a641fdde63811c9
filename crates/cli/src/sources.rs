//! Source files for reports, from the file system.

use std::path::PathBuf;

use watertight_report::SourceProvider;

/// A file larger than this is not shown; it is not source that a person wrote.
const LARGEST: u64 = 64 << 20;

/// Reads files relative to a directory.
pub(crate) struct Files {
    pub(crate) root: PathBuf,
}

impl SourceProvider for Files {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        let path = self.root.join(file);
        // Reading a pipe or a device could block for ever.
        let plain = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
        plain.then(|| watertight_capture::plain::read(path).ok()).flatten()
    }
}
