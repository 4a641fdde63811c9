//! Where bytes go.
//!
//! Results go to standard output or to the file of `-o`; everything else goes to standard error. A reader that has
//! seen enough and closes the pipe is not an error. A disk that is full is one.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use crate::exit::Stop;
use crate::messages;

/// A function that writes a result.
pub(crate) type Writer<'w> = dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'w;

/// Writes a result to a file, or to standard output.
pub(crate) fn write(file: Option<&Path>, writer: Box<Writer<'_>>) -> Result<(), Stop> {
    match file.filter(|path| !is_standard(path)) {
        // A project may have a link under the usual name of a report, to anywhere.
        Some(path) if path.is_relative() && path.is_symlink() => Err(messages::is_link(path.display())),
        Some(path) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
            if let Some(folder) = folder {
                return Err(messages::no_directory(path.display(), folder.display()));
            }
            let done = File::create(path).and_then(|file| buffered(file, writer));
            unless_nobody_reads(done, |error| messages::cannot_write(path.display(), error))
        }
        None => told(buffered(io::stdout().lock(), writer)),
    }
}

/// Whether a path stands for standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// What becomes of an attempt to write to standard output.
pub(crate) fn told(done: io::Result<()>) -> Result<(), Stop> {
    unless_nobody_reads(done, messages::cannot_write_to_standard_output)
}

/// A reader that has gone away has seen enough.
fn unless_nobody_reads(done: io::Result<()>, message: impl FnOnce(io::Error) -> Stop) -> Result<(), Stop> {
    match done {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(message(error)),
        Ok(()) => Ok(()),
    }
}

fn buffered(to: impl Write, writer: Box<Writer<'_>>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, to);
    writer(&mut out)?;
    out.flush()
}

/// Says something to the person. If standard error is gone, nobody is there to be told.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
