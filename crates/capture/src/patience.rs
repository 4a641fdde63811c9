//! Runs of clang that come to an end.
//!
//! A header can be a FIFO that nobody writes to, and a macro can stand for a text without end. A process that has used no
//! processor time for [`IDLE`], or runs for [`MOST`], is ended, and what it wrote says so; one that is only slow is not.

use crate::messages;
use std::io::{self, Read, Write as _};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a process may wait for something.
const IDLE: Duration = Duration::from_secs(60);
/// How long it may run.
const MOST: Duration = Duration::from_secs(30 * 60);

/// Runs a command to its end, as [`Command::output`] does. One that had to be ended has failed, with a line of ours
/// at the end of its error output.
pub(crate) fn output(command: &mut Command) -> io::Result<Output> {
    output_within(command, IDLE, MOST)
}

fn output_within(command: &mut Command, idle: Duration, most: Duration) -> io::Result<Output> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (sender, parts) = channel();
    let pipes: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
        child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
    ];
    let readers: Vec<_> = pipes
        .into_iter()
        .flatten()
        .map(|mut pipe| {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let read = pipe.read_to_end(&mut bytes).map(|_| bytes);
                let _ = sender.send(());
                read
            })
        })
        .collect();
    drop(sender);
    let end = Instant::now() + most;
    let mut used = processor_time(&child);
    let mut why = None;
    let mut open = readers.len();
    while open > 0 {
        match parts.recv_timeout(idle.min(end.saturating_duration_since(Instant::now()))) {
            Ok(()) => open -= 1,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let now = processor_time(&child);
                let idles = now.is_some() && now == used;
                used = now;
                why = match () {
                    () if idles => Some(messages::WAITED),
                    () if Instant::now() >= end => Some(messages::ENDLESS),
                    () => continue,
                };
                child.kill()?;
                break;
            }
        }
    }
    let status = child.wait()?;
    if let Some(why) = why {
        // Children of its own may keep the pipes open, so the readers are left to themselves.
        let mut stderr = Vec::new();
        writeln!(stderr, "{}", messages::ended_because(why))?;
        return Ok(Output { status, stdout: Vec::new(), stderr });
    }
    let mut texts = readers.into_iter().map(|reader| reader.join().unwrap_or_else(|_| Ok(Vec::new())));
    let mut next = || texts.next().unwrap_or_else(|| Ok(Vec::new()));
    Ok(Output { status, stdout: next()?, stderr: next()? })
}

/// The processor time that a process has used, in ticks, where the system tells.
fn processor_time(child: &Child) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The name of the program is in parentheses and may have spaces; user and system time are fields 14 and 15.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str, idle: u64, most: u64) -> Output {
        let mut command = Command::new("sh");
        let time = Duration::from_millis;
        output_within(command.args(["-c", text]).stdin(Stdio::null()), time(idle), time(most)).unwrap()
    }

    #[test]
    fn what_ends_by_itself_is_as_it_was() {
        let ran = shell("echo out; echo err >&2; exit 3", 60_000, 60_000);
        assert_eq!(
            (ran.status.code(), &ran.stdout[..], &ran.stderr[..]),
            (Some(3), &b"out\n"[..], &b"err\n"[..])
        );
    }

    #[test]
    fn what_waits_or_never_ends_is_ended() {
        if !std::path::Path::new("/proc/self/stat").exists() {
            return;
        }
        let begin = Instant::now();
        let ran = shell("exec sleep 100", 300, 60_000);
        assert!(
            !ran.status.success() && String::from_utf8_lossy(&ran.stderr).contains(crate::messages::WAITED)
        );
        let ran = shell("while :; do :; done", 10_000, 500);
        assert!(
            !ran.status.success() && String::from_utf8_lossy(&ran.stderr).contains(crate::messages::ENDLESS)
        );
        assert!(begin.elapsed() < Duration::from_secs(50));
    }
}
