//! Reports for services and browsers, and the page of a project, from outside.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::support::Project;

const LOSES: &str = "\
#include <stdlib.h>
char *make(void) { return malloc(8); }
int lose(int n) {
    char *block = make();
    if (block == NULL || n == 3)
        return -1;
    free(block);
    return 0;
}
";

#[test]
fn every_format_tells_the_finding_and_ends_alike() {
    let project = Project::new(&[("a.c", LOSES)]);
    for (format, words) in [
        ("github", "::warning file=a.c,line=4,endLine=4,col=19,endColumn=25,title=memory-leak::"),
        ("gitlab", "\"check_name\": \"memory-leak\""),
        ("junit", "<failure type=\"memory-leak\""),
        ("checkstyle", "<error line=\"4\" column=\"19\" severity=\"warning\""),
        ("html", "<!doctype html>"),
    ] {
        project.run(&["check", "a.c", "--format", format]).exits(1).says(words);
    }
    // A browser has the contract of what the path goes through, also when nothing had to be analysed again.
    project
        .run(&["check", "a.c", "--format", "html"])
        .exits(1)
        .says("the caller must release it with `free`");
    project.write("a.c", "int x;\n");
    for format in ["github", "gitlab", "junit", "checkstyle", "html"] {
        project.run(&["check", "a.c", "--format", format]).exits(0);
    }
}

/// A server that ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(project: &Project, arguments: &[&str]) -> Server {
        let mut all = vec!["serve", "-q", "--listen", "127.0.0.1:0"];
        all.extend(arguments);
        let mut child = project.command(&all).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Server { child, address }
    }

    fn get(&self, target: &str, more: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {}\r\n{more}\r\n", self.address).unwrap();
        let mut out = String::new();
        stream.read_to_string(&mut out).unwrap();
        out
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_shows_what_the_last_check_left() {
    let project = Project::new(&[("a.c", LOSES)]);
    project.run(&["serve", "--listen", "127.0.0.1:0"]).exits(2).says("run `watertight check` here first");
    project.run(&["check", "a.c"]).exits(1);
    let server = Server::start(&project, &[]);
    assert!(server.get("/", "").contains("<title>Watertight</title>"));
    let function = server.get("/api/function?name=make", "");
    assert!(function.contains("the caller must release it with `free`"), "{function}");
    assert!(function.contains("\"name\":\"lose\"") && function.contains("\"name\":\"malloc\""), "{function}");
    assert!(function.contains("char *make(void)"), "the source is shown: {function}");
    let finding = server.get("/api/finding?i=0", "");
    assert!(finding.contains("    char *block = make();"), "{finding}");
}

#[test]
fn the_page_can_check_first_and_keep_nothing() {
    let project = Project::new(&[("a.c", LOSES)]);
    let server = Server::start(&project, &["--no-cache", "a.c"]);
    assert!(server.get("/api/findings", "").contains("\"fingerprints\":[\""));
    assert!(!project.path().join(".watertight").exists());
}

#[test]
fn an_address_that_others_reach_asks_for_a_token() {
    let project = Project::new(&[("a.c", LOSES)]);
    project.run(&["check", "a.c"]).exits(1);
    let mut command = project.command(&["serve", "-q", "--listen", "0.0.0.0:0"]);
    let mut child = command.env_remove("WATERTIGHT_TOKEN").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (address, token) = line.trim().trim_start_matches("http://0.0.0.0").split_once("/?token=").unwrap();
    let server = Server { child, address: format!("127.0.0.1{address}") };
    assert_eq!(token.len(), 32);
    assert!(server.get("/", "").starts_with("HTTP/1.1 401"));
    assert!(server.get("/", &format!("Cookie: watertight={token}\r\n")).starts_with("HTTP/1.1 200"));
    assert!(server.get(&format!("/?token={token}"), "").starts_with("HTTP/1.1 303"));
    let mut command = project.command(&["serve", "--listen", "127.0.0.1:0"]);
    crate::support::Ran::of(command.env("WATERTIGHT_TOKEN", "not; good")).exits(2).says("WATERTIGHT_TOKEN");
}
