//! The server over a real connection: what a browser, a script and somebody with bad intentions get.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use watertight_report::SourceMap;
use watertight_web::guard::Guard;
use watertight_web::{InMemory, Knowledge, Site, listen};

/// Starts a server on any port. It ends with the test process.
fn start(token: Option<&str>) -> SocketAddr {
    let listening = listen(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
    let address = listening.address;
    let guard = Guard::new(address, &[], token.map(str::to_owned)).expect("loopback needs no token");
    let site = Site::new(Knowledge::default(), Box::new(SourceMap::default()), Box::new(InMemory::default()));
    std::thread::spawn(move || listening.serve(site, guard));
    address
}

/// Sends bytes and gives everything that comes back.
fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time");
    stream.write_all(bytes).expect("the server reads");
    let mut out = Vec::new();
    // A server that refuses a long request may close before all of it is sent.
    let _ = stream.read_to_end(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn get(address: SocketAddr, target: &str, host: &str) -> String {
    send(address, format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
}

#[test]
fn a_page_is_served_with_its_policy() {
    let address = start(None);
    let answer = get(address, "/", &address.to_string());
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"));
    assert!(answer.contains("<!doctype html>"));
    let head = send(address, format!("HEAD / HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"));
}

#[test]
fn foreign_hosts_paths_and_noise_get_nothing() {
    let address = start(None);
    let own = address.to_string();
    for (target, host, status) in [
        ("/", "evil.example", "403"),
        ("/", "evil.example:7331", "403"),
        ("/../../../../etc/passwd", own.as_str(), "404"),
        ("/..%2f..%2f..%2fetc%2fpasswd", &own, "404"),
        ("/%00", &own, "404"),
        ("http://evil.example/", &own, "404"),
    ] {
        let answer = get(address, target, host);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{target} {host}: {answer}");
        assert!(!answer.contains("root:"), "{target}");
    }
    assert!(
        send(address, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").starts_with("HTTP/1.1 400")
    );
    assert!(send(address, &[b'A'; 40_000]).starts_with("HTTP/1.1 4"));
    // It is still there.
    assert!(get(address, "/", &own).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_write_without_an_origin_is_refused() {
    let address = start(None);
    let write = |headers: &str| {
        let text = format!(
            "POST /api/mark HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
        );
        send(address, text.as_bytes())
    };
    assert!(write("").starts_with("HTTP/1.1 403"));
    assert!(write("Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
    assert!(
        write(&format!("Origin: http://{address}\r\n")).starts_with("HTTP/1.1 400"),
        "it is no mark, but may be asked"
    );
}

#[test]
fn with_a_token_nobody_else_is_answered() {
    let address = start(Some("secret"));
    let own = address.to_string();
    assert!(get(address, "/", &own).starts_with("HTTP/1.1 401"));
    assert!(get(address, "/api/project", &own).starts_with("HTTP/1.1 401"));
    let welcome = get(address, "/?token=secret", &own);
    assert!(
        welcome.starts_with("HTTP/1.1 303") && welcome.contains("Set-Cookie: watertight=secret; HttpOnly")
    );
    let request = format!("GET /api/project HTTP/1.1\r\nHost: {own}\r\nCookie: watertight=secret\r\n\r\n");
    assert!(send(address, request.as_bytes()).starts_with("HTTP/1.1 200"));
}

#[test]
fn somebody_who_says_nothing_holds_up_nobody() {
    let address = start(None);
    let silent: Vec<TcpStream> =
        (0..300).map(|_| TcpStream::connect(address).expect("there is room")).collect();
    assert!(get(address, "/", &address.to_string()).starts_with("HTTP/1.1 200"));
    drop(silent);
}

/// Many that send a byte now and then, in the head or in the body, hold up nobody, and not for long themselves.
#[test]
fn somebody_who_speaks_slowly_holds_up_nobody() {
    let address = start(None);
    let starts = [
        "GET / HTTP/1.1\r\nX: ".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: {address}\r\nContent-Length: 60000\r\n\r\n"),
        format!(
            "POST /api/mark HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Length: 60000\r\n\r\n"
        ),
    ];
    for start in &starts {
        let mut slow: Vec<TcpStream> =
            (0..40).map(|_| TcpStream::connect(address).expect("there is room")).collect();
        for _ in 0..3 {
            slow.iter_mut().for_each(|stream| stream.write_all(start.as_bytes()).expect("it is read"));
            std::thread::sleep(Duration::from_millis(20));
            assert!(get(address, "/", &address.to_string()).starts_with("HTTP/1.1 200"), "{start}");
        }
    }
    let mut one = TcpStream::connect(address).expect("there is room");
    let begin = std::time::Instant::now();
    one.write_all(starts[0].as_bytes()).expect("it is read");
    while one.write_all(b"x").is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(60), "a head may not take that long");
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn without_the_token_no_body_is_waited_for() {
    let address = start(Some("secret"));
    let head = format!("POST /api/mark HTTP/1.1\r\nHost: {address}\r\nContent-Length: 60000\r\n\r\n");
    assert!(send(address, head.as_bytes()).starts_with("HTTP/1.1 401"));
}
