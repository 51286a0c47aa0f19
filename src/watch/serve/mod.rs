//! Serves what is watched to databases: metrics, which Prometheus and others pull, and the live
//! heap as a profile, which Pyroscope, Parca and `go tool pprof` pull.
//!
//! It uses the HTTP server of the page ([`http`](super::http)) with other rules, which
//! `SECURITY.md` compares: there is no token, because databases cannot keep one; only two paths can
//! be read; nothing can be controlled.

mod families;
mod metrics_text;
mod served;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs};
use std::str::FromStr;
use std::sync::Arc;

use http_body_util::Either;
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CONTENT_DISPOSITION, HOST, HeaderName, HeaderValue, ORIGIN, RETRY_AFTER,
};
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::Mutex;

use super::http::{self, Body, Connection, NOTHING, Site, answered, only, plain_answer, refused};
use crate::cli::Message;
pub use served::ServedSource;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// The address or the name of a host; `None` for this machine only.
    host: Option<String>,
    /// 0 for any free port.
    port: u16,
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (Some(host), port),
            None => (None, text),
        };
        let port = port.parse().map_err(|_| "expected a port, or ADDRESS:PORT".to_owned())?;
        match host {
            Some("") => Err("the address is missing; 0.0.0.0 stands for all addresses of this \
                     machine"
                .to_owned()),
            host => Ok(Listen { host: host.map(str::to_owned), port }),
        }
    }
}

impl Listen {
    fn bind(&self) -> io::Result<Vec<TcpListener>> {
        let Some(host) = &self.host else { return http::listen_here(self.port) };
        let mut listeners: Vec<TcpListener> = Vec::new();
        let mut port = self.port;
        for address in format!("{host}:{port}").to_socket_addrs()? {
            let listener = TcpListener::bind(SocketAddr::new(address.ip(), port))?;
            port = listener.local_addr()?.port();
            listeners.push(listener);
        }
        match listeners.is_empty() {
            true => Err(io::Error::new(io::ErrorKind::NotFound, "the host has no address")),
            false => Ok(listeners),
        }
    }
}

/// From where the server can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exposure {
    Loopback,
    Network,
}

/// Starts to serve, and prints the addresses.
pub fn start(listen: &Listen, source: ServedSource) -> Result<(), Message> {
    let cannot = |error: io::Error| {
        let port = listen.port;
        let place = listen.host.as_ref().map_or(port.to_string(), |host| format!("{host}:{port}"));
        Message::error(format!("cannot serve at {place}: {error}"))
            .hint("--serve 0 takes any free port of this machine")
    };
    let listeners = listen.bind().map_err(cannot)?;
    let addresses: Vec<SocketAddr> =
        listeners.iter().map(TcpListener::local_addr).collect::<io::Result<_>>().map_err(cannot)?;
    let exposure = match addresses.iter().all(|address| address.ip().is_loopback()) {
        true => Exposure::Loopback,
        false => Exposure::Network,
    };
    http::spawn(Arc::new(Scraped::new(source, exposure)), listeners).map_err(cannot)?;
    let place = addresses[0];
    let note = Message::note(format_args!(
        "metrics are at http://{place}/metrics, the live heap is at http://{place}/debug/pprof/heap"
    ));
    match exposure {
        Exposure::Loopback => note.say(),
        Exposure::Network => note
            .hint(
                "everybody who can reach this address can read them; --redact leaves out folders \
                 and hosts",
            )
            .say(),
    }
    Ok(())
}

struct Scraped {
    source: Arc<ServedSource>,
    exposure: Exposure,
    /// Whoever makes figures has this; the others wait for it, as long as somebody waits for their answer.
    figures: Arc<Mutex<()>>,
    /// Whoever makes a profile has this; the others are refused.
    profiles: Arc<Mutex<()>>,
}

#[derive(Clone, Debug, PartialEq)]
enum ServedPath {
    Metrics,
    Heap,
}

/// With which status a request is refused, and why.
type Refusal = (StatusCode, String);

fn refusal(status: StatusCode) -> Refusal {
    (status, status.to_string())
}

impl Scraped {
    fn new(source: ServedSource, exposure: Exposure) -> Scraped {
        let (figures, profiles) = Default::default();
        Scraped { source: Arc::new(source), exposure, figures, profiles }
    }

    /// The answer for engines of metrics.
    async fn metrics(&self) -> Response<Body> {
        let turn = Arc::clone(&self.figures).lock_owned().await;
        let source = Arc::clone(&self.source);
        let text = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            source.metrics()
        });
        match text.await {
            Ok(text) => answered(metrics_text::CONTENT_TYPE, NOTHING, Either::Left(text.into())),
            Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    /// The answer for engines of profiles: the one that was made of this sample, or a new one, unless it is being
    /// made.
    async fn profile(&self) -> Response<Body> {
        let later = |why: &str| plain_answer(StatusCode::SERVICE_UNAVAILABLE, why);
        let made = match (self.source.made_profile(), Arc::clone(&self.profiles).try_lock_owned()) {
            (Some(profile), _) => Ok(Ok(profile)),
            (None, Ok(turn)) => {
                let source = Arc::clone(&self.source);
                tokio::task::spawn_blocking(move || {
                    let _turn = turn;
                    source.make_profile()
                })
                .await
            }
            (None, Err(_)) => {
                let mut answer = later("another profile is being made; ask again");
                answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
                return answer;
            }
        };
        match made {
            Ok(Ok(profile)) => {
                let body = Either::Left(profile.into());
                let mut answer = answered("application/octet-stream", NOTHING, body);
                let name = HeaderValue::from_static("attachment; filename=\"heap.pb.gz\"");
                answer.headers_mut().insert(CONTENT_DISPOSITION, name);
                answer
            }
            Ok(Err(why)) => later(&why),
            Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    fn place<B>(&self, request: &Request<B>) -> Result<ServedPath, Refusal> {
        let headers = request.headers();
        // Engines are no browsers. A page of another site can make one send requests here, and may read
        // the answers only if its own name was made to point here: then that name is in the request.
        let site = HeaderName::from_static("sec-fetch-site");
        let is_foreign = headers.contains_key(ORIGIN)
            || headers.contains_key(&site)
                && !matches!(only(headers, site), Some("none" | "same-origin"));
        let asked = request.uri().authority().is_none_or(|host| is_address(host.as_str()));
        let is_named = !asked || !only(headers, HOST).is_some_and(is_address);
        if is_foreign || (self.exposure == Exposure::Loopback && is_named) {
            return Err(refusal(StatusCode::FORBIDDEN));
        }
        let query = request.uri().query().unwrap_or_default();
        let place = match request.uri().path() {
            "/metrics" => ServedPath::Metrics,
            "/debug/pprof/heap" => {
                newest_only(query).map_err(|why| (StatusCode::BAD_REQUEST, why.to_owned()))?;
                ServedPath::Heap
            }
            _ => return Err(refusal(StatusCode::NOT_FOUND)),
        };
        match *request.method() {
            Method::GET | Method::HEAD => Ok(place),
            _ => Err(refusal(StatusCode::METHOD_NOT_ALLOWED)),
        }
    }
}

impl Site for Scraped {
    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        _: Arc<Connection>,
    ) -> Response<Body> {
        let place = match self.place(&request) {
            Ok(place) => place,
            Err((status, why)) => {
                let mut answer = plain_answer(status, &why);
                if status == StatusCode::METHOD_NOT_ALLOWED {
                    answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
                }
                return answer;
            }
        };
        match place {
            ServedPath::Metrics => self.metrics().await,
            ServedPath::Heap => self.profile().await,
        }
    }
}

/// Whether a host with or without a port is an address or `localhost`, and so no name that somebody else
/// decides about.
fn is_address(host: &str) -> bool {
    let is_port = |text: &str| text.parse::<u16>().is_ok();
    let has_port = |rest: &str| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    let name = match host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((inner, rest)) => return has_port(rest) && inner.parse::<IpAddr>().is_ok(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_own = name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok();
    is_own && has_port(&host[name.len()..])
}

/// Refuses a query for another profile than that of the newest sample.
fn newest_only(query: &str) -> Result<(), &'static str> {
    for pair in query.split('&') {
        match pair.split_once('=').unwrap_or((pair, "")) {
            ("at", _) => return Err("`at` is gone: the profile is that of the newest sample"),
            ("seconds", value) if value != "0" => {
                return Err(
                    "`seconds` would be a difference: ask twice, and let pprof compare the answers",
                );
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::LiveOptions;
    use crate::watch::shared::Shared;

    fn ask(
        exposure: Exposure,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
    ) -> Result<ServedPath, u16> {
        let shared = Arc::new(Shared::new(LiveOptions::default(), None));
        let source = ServedSource::new(shared, crate::profile_view::ViewOptions::default());
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let place = Scraped::new(source, exposure).place(&request.body(()).unwrap());
        place.map_err(|(status, _)| status.as_u16())
    }

    #[test]
    fn a_name_that_points_to_this_machine_is_refused_where_only_this_machine_is_served() {
        for (host, is_own) in [
            ("127.0.0.1:9100", true),
            ("localhost", true),
            ("LOCALHOST:1", true),
            ("[::1]:9100", true),
            ("[::1]", true),
            ("10.0.0.1:80", true),
            ("evil.example:9100", false),
            ("127.0.0.1.evil.example", false),
            ("[evil]:1", false),
            ("127.0.0.1:x", false),
            ("", false),
        ] {
            let expected = [if is_own { Ok(()) } else { Err(403) }, Ok(())];
            let asked = [Exposure::Loopback, Exposure::Network]
                .map(|exposure| ask(exposure, "GET", "/metrics", &[("host", host)]).map(drop));
            assert_eq!(asked, expected, "{host}");
        }
        assert_eq!(ask(Exposure::Loopback, "GET", "/metrics", &[]), Err(403));
        let foreign =
            ask(Exposure::Loopback, "GET", "http://evil.example/metrics", &[("host", "[::1]")]);
        assert_eq!(foreign, Err(403));
        for exposure in [Exposure::Loopback, Exposure::Network] {
            let own = ("host", "127.0.0.1:1");
            for header in [("origin", "http://127.0.0.1:1"), ("sec-fetch-site", "cross-site")] {
                assert_eq!(ask(exposure, "GET", "/metrics", &[own, header]), Err(403));
            }
            assert!(ask(exposure, "GET", "/metrics", &[own, ("sec-fetch-site", "none")]).is_ok());
        }
    }
}
