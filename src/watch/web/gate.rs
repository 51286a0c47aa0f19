//! Decides which requests are answered. Everything on the page is data about somebody's program,
//! and any web site open in the same browser can send requests to this machine.
//!
//! A request needs the 128 random bits that begin its path. Its `Host` must be one of the names of
//! this server, as a defence against other sites whose names are made to point here; so must its
//! `Origin`, if it has one. No other origin is ever allowed anything.

use std::io;

use hyper::header::{HOST, HeaderName, ORIGIN};
use hyper::{Method, Request, StatusCode};

use super::super::http::only;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePath {
    Page,
    /// The data of the page as they change.
    Events,
    /// The page without data, from which it saves itself as a file.
    Shell,
}

pub struct Gate {
    token: String,
    hosts: [String; 3],
}

impl Gate {
    /// For a server at a port, with a new token.
    ///
    /// # Errors A system that provides no random numbers.
    pub fn new(port: u16) -> io::Result<Gate> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|error| io::Error::other(error.to_string()))?;
        let token = bits.iter().map(|byte| format!("{byte:02x}")).collect();
        let hosts = ["127.0.0.1", "[::1]", "localhost"].map(|host| format!("{host}:{port}"));
        Ok(Gate { token, hosts })
    }

    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.token)
    }

    /// What a request asks for.
    ///
    /// # Errors The status with which it is refused.
    pub fn place<B>(&self, request: &Request<B>) -> Result<PagePath, StatusCode> {
        let headers = request.headers();
        let named = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        let asked = request.uri().authority().is_none_or(|host| named(host.as_str()));
        if !asked || !only(headers, HOST).is_some_and(named) {
            return Err(StatusCode::FORBIDDEN);
        }
        let origin = only(headers, ORIGIN).map(|origin| origin.strip_prefix("http://"));
        if headers.contains_key(ORIGIN) && !origin.flatten().is_some_and(named) {
            return Err(StatusCode::FORBIDDEN);
        }
        let rest = self.inside(request.uri().path()).ok_or(StatusCode::NOT_FOUND)?;
        let place = match rest {
            "" => PagePath::Page,
            "events" => PagePath::Events,
            "shell.json" => PagePath::Shell,
            _ => return Err(StatusCode::NOT_FOUND),
        };
        // Another site may link to the page, but only the page may get the data.
        let site = HeaderName::from_static("sec-fetch-site");
        if place != PagePath::Page
            && headers.contains_key(&site)
            && only(headers, site) != Some("same-origin")
        {
            return Err(StatusCode::FORBIDDEN);
        }
        match *request.method() {
            Method::GET => Ok(place),
            _ => Err(StatusCode::METHOD_NOT_ALLOWED),
        }
    }

    /// The part of a path after the token. The time that the comparison takes does not depend on the
    /// token.
    fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (token, rest) = path.strip_prefix('/')?.split_once('/')?;
        let (given, own) = (token.as_bytes(), self.token.as_bytes());
        let differences =
            given.iter().zip(own).fold(0, |differences, (given, own)| differences | (given ^ own));
        (given.len() == own.len() && differences == 0).then_some(rest)
    }
}
