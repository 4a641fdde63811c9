//! The loop that takes connections.
//!
//! Each connection has a thread for as long as its one request takes; there is room for some at a time, and whoever
//! comes beyond that is told to come again. Standing still is dropped after [`PATIENCE`].

use std::io::{self, Read as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::guard::Guard;
use crate::http::{self, Body, Response};
use crate::routes::Site;

/// How long a connection may stand still.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many connections are answered at a time.
const MOST: usize = 32;

/// How much of a refused request is read to its end.
const MOST_UNREAD: u64 = 1 << 20;

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
        let site = Arc::new((site, guard));
        let busy = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            // Somebody who went away before being answered is nobody's mistake.
            let Ok(stream) = stream else { continue };
            let (site, busy) = (Arc::clone(&site), Arc::clone(&busy));
            if busy.fetch_add(1, Ordering::AcqRel) >= MOST {
                busy.fetch_sub(1, Ordering::AcqRel);
                let mut stream = stream;
                let _ = stream.set_write_timeout(Some(PATIENCE));
                let _ = http::write(&mut stream, &Response::text(503, "busy, try again"), Body::Sent);
                continue;
            }
            let counted = Counted(busy);
            let started = std::thread::Builder::new().name("request".to_owned()).spawn(move || {
                let _counted = counted;
                // A connection that breaks concerns nobody else.
                let _ = answer(stream, &site.0, &site.1);
            });
            drop(started);
        }
    }
}

/// Counts a connection down, also when its thread panics or never started.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn answer(mut stream: TcpStream, site: &Site, guard: &Guard) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = match http::read(&mut stream) {
        Ok(request) => request,
        Err(Some(response)) => {
            http::write(&mut stream, &response, Body::Sent)?;
            // A connection that is closed with something unread takes the answer with it.
            stream.shutdown(Shutdown::Write)?;
            return io::copy(&mut stream.take(MOST_UNREAD), &mut io::sink()).map(drop);
        }
        Err(None) => return Ok(()),
    };
    let response = guard.check(&request).map_or_else(|refused| refused, |()| site.answer(&request));
    let body = if request.method == "HEAD" { Body::LeftOut } else { Body::Sent };
    http::write(&mut stream, &response, body)
}
