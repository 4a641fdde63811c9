//! The loop that takes connections.
//!
//! Each connection has a thread for as long as its one request takes. It has [`PATIENCE`] for its head, however many
//! pieces that comes in, and costs nobody a place before the guard has let it pass and its request is there: of those
//! that are still to say what they want, the one that has waited longest makes room for a new one. Whoever may ask, and
//! comes while as many are answered as there is room for, is told to come again.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::guard::Guard;
use crate::http::{self, Body, Response};
use crate::routes::Site;

/// How long a head may take, and then a body.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take to send an answer.
const ANSWER_PATIENCE: Duration = Duration::from_secs(60);
/// How many requests are answered at a time.
const MOST: usize = 32;
/// How many connections may be without a whole request at a time.
const MOST_WAITING: usize = 128;

/// How much of a refused request is read to its end, and for how long.
const MOST_UNREAD: u64 = 1 << 20;
const UNREAD_PATIENCE: Duration = Duration::from_secs(1);

/// A server that has its address but does not answer yet.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    /// Where it listens; the port is known even if any was asked for.
    pub address: SocketAddr,
}

/// Takes an address.
///
/// # Errors
///
/// When the address cannot be had.
pub fn listen(address: SocketAddr) -> io::Result<Listening> {
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    Ok(Listening { listener, address })
}

impl Listening {
    /// Answers until the process ends.
    pub fn serve(self, site: Site, guard: Guard) {
        let house = Arc::new(House { site, guard, waiting: Waiting::default(), busy: AtomicUsize::new(0) });
        for (number, stream) in self.listener.incoming().enumerate() {
            // Somebody who went away before being answered is nobody's mistake.
            let Ok(stream) = stream else { continue };
            let Ok(other) = stream.try_clone() else { continue };
            house.waiting.enter(number, other);
            let inside = Arc::clone(&house);
            let started = std::thread::Builder::new().name("request".to_owned()).spawn(move || {
                let _leaves = Leaves(&inside.waiting, number);
                // A connection that breaks concerns nobody else.
                let _ = inside.answer(stream, number);
            });
            if started.is_err() {
                house.waiting.leave(number);
            }
        }
    }
}

/// What all connections share.
struct House {
    site: Site,
    guard: Guard,
    waiting: Waiting,
    /// How many requests are being answered.
    busy: AtomicUsize,
}

impl House {
    fn answer(&self, mut stream: TcpStream, number: usize) -> io::Result<()> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut input = Timed::new(&stream, PATIENCE);
        let head = match http::read_head(&mut input) {
            Ok(head) => head,
            Err(Some(response)) => return refuse(&stream, &response),
            Err(None) => return Ok(()),
        };
        if let Err(refused) = self.guard.check(&head.request) {
            return match head.request.method.as_str() {
                "HEAD" => http::write(&mut stream, &refused, Body::LeftOut),
                _ => refuse(&stream, &refused),
            };
        }
        let Some(request) = head.read_body(&mut Timed::new(&stream, PATIENCE)) else { return Ok(()) };
        self.waiting.leave(number);
        let _place = Place(&self.busy);
        if self.busy.fetch_add(1, Ordering::AcqRel) >= MOST {
            return refuse(&stream, &Response::text(503, "busy, try again"));
        }
        let body = if request.method == "HEAD" { Body::LeftOut } else { Body::Sent };
        http::write(&mut Timed::new(&stream, ANSWER_PATIENCE), &self.site.answer(&request), body)
    }
}

/// Sends an answer to a request that was not read to its end.
fn refuse(mut stream: &TcpStream, response: &Response) -> io::Result<()> {
    http::write(&mut stream, response, Body::Sent)?;
    // A connection that is closed with something unread takes the answer with it.
    stream.shutdown(Shutdown::Write)?;
    let rest = Timed::new(stream, UNREAD_PATIENCE);
    io::copy(&mut rest.take(MOST_UNREAD), &mut io::sink()).map(drop)
}

/// Counts a request down, also when its thread panics.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Connections that have not said what they want, the oldest first.
#[derive(Default)]
struct Waiting(Mutex<VecDeque<(usize, TcpStream)>>);

impl Waiting {
    fn enter(&self, number: usize, stream: TcpStream) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_WAITING
            && let Some((_, oldest)) = all.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        all.push_back((number, stream));
    }

    fn leave(&self, number: usize) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(other, _)| *other != number);
    }
}

/// Takes a connection off the list, also when its thread panics.
struct Leaves<'a>(&'a Waiting, usize);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.leave(self.1);
    }
}

/// A connection that can be read and written until a point in time.
struct Timed<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl<'a> Timed<'a> {
    fn new(stream: &'a TcpStream, patience: Duration) -> Timed<'a> {
        Timed { stream, end: Instant::now() + patience }
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
