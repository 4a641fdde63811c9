//! `watertight worker`: tasks on standard input, answers on standard output.

use std::io::{self, BufReader};

use watertight_analysis::worker::{Asked, Channel, work};

use crate::args::Common;
use crate::exit::{Exit, Stop};
use crate::frames::{self, Header};
use crate::messages;

/// The pipes to whoever drives.
struct Pipes(BufReader<io::Stdin>);

impl Channel for Pipes {
    fn next(&mut self) -> Option<Asked> {
        // A driver that is gone needs nothing any more.
        let (header, bytes) = frames::read(&mut self.0).ok()??;
        Some(Asked { number: header.number.unwrap_or_default(), kind: header.kind, bytes })
    }

    fn answer(&mut self, number: u64, answer: Result<Vec<u8>, String>) {
        let (failed, bytes) = match answer {
            Ok(bytes) => (None, bytes),
            Err(why) => (Some(why), Vec::new()),
        };
        let header = Header { number: Some(number), failed, ..Header::default() };
        // Whether the driver is gone is found out with the next task.
        let _ = frames::write(&mut io::stdout().lock(), header, &bytes);
    }
}

pub(crate) fn worker(common: &Common) -> Result<Exit, Stop> {
    let scratch = match &common.cache_dir {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    };
    let scratch = scratch.map_err(messages::no_temporary_directory)?;
    work(&mut Pipes(BufReader::new(io::stdin())), scratch.path(), common.threads)?;
    Ok(Exit::Clean)
}
