//! A small HTTP server: one thread, and limits on everything that a client decides. A [`Site`]
//! makes the answers: the page of `--web`, or the figures of `--serve`.

use std::convert::Infallible;
use std::future::{Future, pending, poll_fn};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use http_body_util::channel::{Channel, Sender};
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::locked;

/// The most of a request's head.
const MOST_HEAD: usize = 8 << 10;
/// How long a client may take to send it.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a client may take to read anything.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// The most connections at a time. One more takes the place of the oldest that has not asked for anything, or else
/// of the oldest that does not read its answer; if all wait for one, it is closed.
const MOST_CONNECTIONS: usize = 32;

/// An answer, complete or as a stream.
pub type Body = Either<Full<Bytes>, Channel<Bytes>>;

pub trait Site: Send + Sync + 'static {
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        line: Arc<Connection>,
    ) -> impl Future<Output = Response<Body>> + Send;
}

/// A site, and the connections to it.
struct Server<S> {
    site: Arc<S>,
    /// The open ones, in the order in which they came.
    connections: Mutex<Vec<Arc<Connection>>>,
}

#[derive(Default)]
pub struct Connection {
    /// The head of a request has come.
    has_asked: AtomicBool,
    /// The answer was given, and only has to be read.
    is_answered: AtomicBool,
    /// The answer is a stream of events, which goes on for as long as somebody reads.
    is_stream: AtomicBool,
    /// To be closed, because nobody reads from it or another connection replaces it.
    dropped: Notify,
}

/// Listens at a port of this machine (0: any free port) that cannot be reached from others.
pub fn listen_here(port: u16) -> io::Result<Vec<TcpListener>> {
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = first.local_addr()?.port();
    // Without IPv6, nobody needs this address.
    let second = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).ok();
    Ok([Some(first), second].into_iter().flatten().collect())
}

/// Serves a site in a separate thread, which ends with the program.
pub fn spawn<S: Site>(site: Arc<S>, listeners: Vec<TcpListener>) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let inside = runtime.enter();
    let listeners = listeners
        .into_iter()
        .map(|listener| {
            listener.set_nonblocking(true)?;
            tokio::net::TcpListener::from_std(listener)
        })
        .collect::<io::Result<Vec<_>>>()?;
    drop(inside);
    let server = Arc::new(Server { site, connections: Mutex::default() });
    thread::spawn(move || {
        runtime.block_on(async move {
            for listener in listeners {
                tokio::spawn(Arc::clone(&server).accept(listener));
            }
            pending::<()>().await;
        });
    });
    Ok(())
}

impl<S: Site> Server<S> {
    async fn accept(self: Arc<Self>, listener: tokio::net::TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // No file descriptors left: some will be given back.
                sleep(Duration::from_millis(100)).await;
                continue;
            };
            // Without a place, it is closed.
            let Some(line) = self.admit() else { continue };
            let server = Arc::clone(&self);
            tokio::spawn(async move {
                Arc::clone(&server).serve(stream, &line).await;
                locked(&server.connections).retain(|other| !Arc::ptr_eq(other, &line));
            });
        }
    }

    /// A place for one more connection.
    fn admit(&self) -> Option<Arc<Connection>> {
        let mut open = locked(&self.connections);
        if open.len() >= MOST_CONNECTIONS {
            let first = |may_go: fn(&Connection) -> bool| open.iter().position(|it| may_go(it));
            let is_idle = |line: &Connection| !line.has_asked.load(Ordering::Acquire);
            let only_reads = |line: &Connection| {
                line.is_answered.load(Ordering::Acquire) && !line.is_stream.load(Ordering::Acquire)
            };
            let one = first(is_idle).or_else(|| first(only_reads))?;
            open.remove(one).dropped.notify_one();
        }
        open.push(Arc::default());
        open.last().cloned()
    }

    async fn serve(self: Arc<Self>, stream: TcpStream, line: &Arc<Connection>) {
        // Pages get small pieces, each of which is to be seen at once.
        let _ = stream.set_nodelay(true);
        let service = service_fn(|request| {
            let (site, line) = (Arc::clone(&self.site), Arc::clone(line));
            line.has_asked.store(true, Ordering::Release);
            async move {
                let answer = site.answer(request, Arc::clone(&line)).await;
                line.is_answered.store(true, Ordering::Release);
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(MOST_HEAD)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service);
        let (mut connection, mut lost) = (pin!(connection), pin!(line.lost()));
        // An error of the connection ends it; the browser connects again.
        poll_fn(|context| {
            let done = connection.as_mut().poll(context).is_ready();
            if done || lost.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            Poll::Pending
        })
        .await;
    }
}

impl Connection {
    /// Makes the connection a stream of events.
    pub fn becomes_stream(&self) {
        self.is_stream.store(true, Ordering::Release);
    }

    /// Whether somebody took what was sent.
    pub async fn send(&self, sender: &mut Sender<Bytes>, text: String) -> bool {
        match timeout(ANSWER_TIME, sender.send_data(text.into())).await {
            Ok(sent) => sent.is_ok(),
            Err(_) => {
                self.dropped.notify_one();
                false
            }
        }
    }

    /// Ends when the other side does not read, or another connection takes the place of this one.
    async fn lost(&self) {
        while timeout(HEAD_TIME + ANSWER_TIME, self.dropped.notified()).await.is_err() {
            if !self.is_stream.load(Ordering::Acquire) {
                return;
            }
        }
    }
}

/// The policy of what is not a page.
pub const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

/// An answer that no browser shows inside a page of another site, or keeps.
pub fn answered(kind: &str, policy: &str, body: Body) -> Response<Body> {
    let answer = Response::builder()
        .header(CONTENT_TYPE, kind)
        .header(CONTENT_SECURITY_POLICY, policy)
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff")
        .header(X_FRAME_OPTIONS, "DENY")
        .header(REFERRER_POLICY, "no-referrer")
        .header(CACHE_CONTROL, "no-store")
        .header("cross-origin-resource-policy", "same-origin")
        .header("cross-origin-opener-policy", "same-origin")
        .body(body);
    answer.unwrap_or_else(|_| Response::new(Either::Left(Full::default())))
}

/// A request that is not answered.
pub fn refused(status: StatusCode) -> Response<Body> {
    plain_answer(status, &status.to_string())
}

/// A text as an answer, such as the reason of a refusal.
pub fn plain_answer(status: StatusCode, why: &str) -> Response<Body> {
    let text = format!("{}\n", crate::base::text::visible(why));
    let mut answer = answered("text/plain; charset=utf-8", NOTHING, Either::Left(text.into()));
    *answer.status_mut() = status;
    answer
}

/// The value of a header that occurs exactly once, as text.
pub fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
