//! Who may ask.
//!
//! A server on the own machine can be reached by every page in the browser of the same machine. Three checks keep them
//! out, before anything is answered:
//!
//! * The `Host` must be one that this server has. A page that has made its own name point here (DNS rebinding) sends its
//!   own name.
//! * A write must say where it comes from (`Origin`), and that must be this server. Browsers say so on every write.
//! * A server that others can reach asks for a token on every request: from a cookie that only our own pages send, or from
//!   an `Authorization` header.
//!
//! What must hold: without the token nothing is told, not even what exists.

use std::net::{IpAddr, SocketAddr};

use crate::http::{Request, Response};

/// The name of the cookie with the token.
const COOKIE: &str = "watertight";

/// What is asked of every request.
#[derive(Debug, Clone)]
pub struct Guard {
    port: u16,
    reach: Reach,
    /// Further names of this machine, in lower case.
    names: Vec<String>,
    token: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Only this machine.
    Loopback,
    /// Other machines too.
    Network,
}

/// Why an address cannot be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeedsToken;

impl Guard {
    /// The guard of a server on an address, with further names of the machine.
    ///
    /// # Errors
    ///
    /// When others could reach the address and there is no token.
    pub fn new(address: SocketAddr, names: &[String], token: Option<String>) -> Result<Guard, NeedsToken> {
        let reach = if address.ip().is_loopback() { Reach::Loopback } else { Reach::Network };
        let token = token.filter(|token| !token.is_empty());
        if reach == Reach::Network && token.is_none() {
            return Err(NeedsToken);
        }
        let names = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Ok(Guard { port: address.port(), reach, names, token })
    }

    /// Lets a request pass, or gives the answer that stops it.
    ///
    /// # Errors
    ///
    /// The answer to a request that may not pass.
    pub fn check(&self, request: &Request) -> Result<(), Response> {
        if !request.header("host").is_some_and(|host| self.is_host(host)) {
            return Err(Response::text(403, "this server has another name"));
        }
        if let Some(token) = &self.token {
            self.check_token(token, request)?;
        }
        match request.method.as_str() {
            "GET" | "HEAD" => Ok(()),
            "POST" if self.is_own_origin(request) => Ok(()),
            "POST" => Err(Response::text(403, "a write must come from a page of this server")),
            _ => Err(Response::text(405, "this method is not known")),
        }
    }

    fn check_token(&self, token: &str, request: &Request) -> Result<(), Response> {
        let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let cookie = request.header("cookie").and_then(|cookies| {
            let mut pairs = cookies.split(';').map(|pair| pair.trim().split_once('=').unwrap_or_default());
            pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
        });
        if [bearer, cookie].into_iter().flatten().any(|given| is_same(given, token)) {
            return Ok(());
        }
        // The address that was printed at the start has the token; from then on the cookie has it, and the address
        // that the reader sees and sends around does not.
        let given = request.value("token").filter(|_| request.method == "GET" && request.path == "/");
        if given.is_some_and(|given| is_same(given, token)) {
            let mut response = Response::text(303, "welcome");
            let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/");
            response.headers = vec![("Set-Cookie", cookie), ("Location", "/".to_owned())];
            return Err(response);
        }
        Err(Response::text(401, "open the address that watertight printed, which has a token in it"))
    }

    /// Whether a `Host` is ours. Where a token protects, any address in numbers is: only names can be made to point
    /// here.
    fn is_host(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
                (name, port)
            }
            _ => (host, "80"),
        };
        if port.parse() != Ok(self.port) {
            return false;
        }
        let name = name.to_ascii_lowercase();
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(&name);
        let address: Option<IpAddr> = bare.parse().ok();
        match self.reach {
            Reach::Loopback => name == "localhost" || address.is_some_and(|address| address.is_loopback()),
            Reach::Network => address.is_some() || self.names.contains(&name),
        }
    }

    fn is_own_origin(&self, request: &Request) -> bool {
        let (Some(origin), Some(host)) = (request.header("origin"), request.header("host")) else {
            return false;
        };
        origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
            && request.header("sec-fetch-site").is_none_or(|site| site == "same-origin")
    }
}

/// Compares without telling by the time it takes how much was right.
fn is_same(given: &str, token: &str) -> bool {
    given.len() == token.len()
        && given.bytes().zip(token.bytes()).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> Request {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.split_once('=').map(|(n, v)| (n.to_owned(), v.to_owned())).into_iter().collect(),
            headers: headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            body: Vec::new(),
        }
    }

    fn status(guard: &Guard, method: &str, target: &str, headers: &[(&str, &str)]) -> u16 {
        guard.check(&request(method, target, headers)).map_or_else(|response| response.status, |()| 200)
    }

    fn guard(address: &str, token: Option<&str>) -> Guard {
        Guard::new(address.parse().unwrap(), &["Build.example".to_owned()], token.map(str::to_owned)).unwrap()
    }

    #[test]
    fn a_foreign_host_is_refused() {
        let guard = guard("127.0.0.1:7007", None);
        for host in ["localhost:7007", "127.0.0.1:7007", "[::1]:7007", "LOCALHOST:7007", "127.9.9.9:7007"] {
            assert_eq!(status(&guard, "GET", "/", &[("host", host)]), 200, "{host}");
        }
        for host in [
            "evil.example:7007",
            "localhost.evil.example:7007",
            "localhost",
            "localhost:7008",
            "127.0.0.1.evil.example:7007",
            "192.168.0.1:7007",
            "localhost:7007@evil.example",
            "",
        ] {
            assert_eq!(status(&guard, "GET", "/", &[("host", host)]), 403, "{host}");
        }
        assert_eq!(status(&guard, "GET", "/", &[]), 403);
        assert_eq!(
            status(&guard, "GET", "/", &[("host", "localhost:7007"), ("host", "localhost:7007")]),
            403
        );
    }

    #[test]
    fn a_write_must_come_from_our_own_page() {
        let guard = guard("127.0.0.1:7007", None);
        let host = ("host", "localhost:7007");
        let own = ("origin", "http://localhost:7007");
        assert_eq!(status(&guard, "POST", "/api/mark", &[host, own]), 200);
        assert_eq!(status(&guard, "POST", "/api/mark", &[host]), 403);
        for origin in [
            "http://evil.example",
            "null",
            "https://localhost:7007",
            "http://localhost:7008",
            "http://127.0.0.1:7007",
        ] {
            assert_eq!(status(&guard, "POST", "/api/mark", &[host, ("origin", origin)]), 403, "{origin}");
        }
        assert_eq!(status(&guard, "POST", "/api/mark", &[host, own, ("sec-fetch-site", "cross-site")]), 403);
        for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"] {
            assert_eq!(status(&guard, method, "/", &[host, own]), 405, "{method}");
        }
    }

    #[test]
    fn an_address_that_others_reach_needs_a_token() {
        let address = "0.0.0.0:7007".parse().unwrap();
        assert_eq!(Guard::new(address, &[], None).unwrap_err(), NeedsToken);
        assert_eq!(Guard::new(address, &[], Some(String::new())).unwrap_err(), NeedsToken);
        let guard = guard("192.168.0.7:7007", Some("secret"));
        let host = ("host", "192.168.0.7:7007");
        assert_eq!(status(&guard, "GET", "/", &[host]), 401);
        assert_eq!(status(&guard, "GET", "/nothing", &[host]), 401, "not even what exists is told");
        assert_eq!(status(&guard, "GET", "/", &[host, ("cookie", "a=b; watertight=secret")]), 200);
        assert_eq!(status(&guard, "GET", "/", &[host, ("cookie", "watertight=Secret")]), 401);
        assert_eq!(status(&guard, "GET", "/", &[host, ("authorization", "Bearer secret")]), 200);
        assert_eq!(status(&guard, "GET", "/", &[host, ("authorization", "Bearer ")]), 401);
        assert_eq!(status(&guard, "GET", "/api/findings?token=secret", &[host]), 401);
        let welcome = guard.check(&request("GET", "/?token=secret", &[host])).unwrap_err();
        assert_eq!(welcome.status, 303);
        assert_eq!(welcome.headers[0].1, "watertight=secret; HttpOnly; SameSite=Strict; Path=/");
        assert_eq!(
            status(&guard, "GET", "/", &[("host", "build.example:7007"), ("cookie", "watertight=secret")]),
            200
        );
        assert_eq!(
            status(&guard, "GET", "/", &[("host", "evil.example:7007"), ("cookie", "watertight=secret")]),
            403
        );
    }

    #[test]
    fn a_token_may_protect_the_own_machine_too() {
        let guard = guard("[::1]:7007", Some("secret"));
        assert_eq!(status(&guard, "GET", "/", &[("host", "localhost:7007")]), 401);
    }
}
