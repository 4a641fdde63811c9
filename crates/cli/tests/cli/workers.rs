//! A worker by itself, and a check without those that it should have. Checks with workers are in `cluster/tests`.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::support::{ONE_FUNCTION, Project};

/// Everything that a worker says to some bytes.
fn said(tasks: &[u8]) -> String {
    let project = Project::new(&[]);
    let mut worker = project.command(&["worker"]);
    let mut worker = worker.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    worker.stdin.take().unwrap().write_all(tasks).unwrap();
    let mut said = String::new();
    worker.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(worker.wait().unwrap().code(), Some(0));
    said
}

#[test]
fn a_worker_says_what_it_cannot_do_and_goes_on() {
    let tasks = b"{\"number\":1,\"kind\":\"load\",\"bytes\":3}\n\xff\xff\xff\
        {\"number\":2,\"kind\":\"evaluate\",\"bytes\":0}\n\
        {\"number\":3,\"kind\":\"compile\",\"bytes\":2}\n\x00\x00\
        {\"number\":4,\"kind\":\"dance\",\"bytes\":0}\n";
    assert_eq!(
        said(tasks),
        "{\"number\":1,\"failed\":\"the task makes no sense to this version\",\"bytes\":0}\n\
         {\"number\":2,\"failed\":\"no program was loaded\",\"bytes\":0}\n\
         {\"number\":3,\"failed\":\"the task makes no sense to this version\",\"bytes\":0}\n\
         {\"number\":4,\"failed\":\"this version knows no task `dance`\",\"bytes\":0}\n"
    );
    assert_eq!(said(b""), "");
    assert_eq!(said(b"no frame\n"), "");
    assert_eq!(said(b"{\"number\":1,\"kind\":\"load\",\"bytes\":99}\nfew"), "");
}

#[test]
fn a_check_without_its_workers_does_not_begin() {
    let project = Project::new(&[("one.c", ONE_FUNCTION)]);
    let ran = project.run(&["check", "one.c", "--cluster", "nobody"]).exits(3);
    assert!(ran.stderr.contains("cannot reach the workers at `nobody`"), "{}", ran.stderr);
}
