//! The server: one thread, three places, and limits on everything that a client decides.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use crate::report::{self, Islands};
use http_body_util::channel::{Channel, Sender};
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use super::gate::{Gate, Place};

/// The most of a request's head.
const MOST_HEAD: usize = 8 << 10;
/// How long a client may take to send it.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a client may take to read anything.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// The most connections at a time. One more takes the place of the oldest that has not asked for anything;
/// if all have asked, it is refused.
const MOST_CONNECTIONS: usize = 32;
/// An idle stream sends a sign of life.
const PULSE: Duration = Duration::from_secs(15);
/// How long a page waits for the newest data.
const FRESH: Duration = Duration::from_millis(700);

/// What pages are to show.
#[derive(Clone, Debug, Default)]
pub struct News {
    /// The data of the page.
    pub islands: Arc<Islands>,
    /// How many there were before these.
    pub number: u64,
    /// The state of the program, as JSON.
    pub state: String,
    /// Nothing more comes.
    pub end: bool,
}

/// What the server has in common with the thread that makes the data.
pub struct Server {
    pub gate: Gate,
    pub news: watch::Receiver<News>,
    /// How many pages are open.
    pub watchers: AtomicUsize,
    /// A page has been asked for: its data should be new.
    pub wanted: AtomicBool,
    /// The open ones, in the order in which they came.
    connections: Mutex<Vec<Arc<Connection>>>,
}

type Body = Either<Full<Bytes>, Channel<Bytes>>;

/// How one connection is doing.
#[derive(Default)]
struct Connection {
    /// The head of a request has come.
    has_asked: AtomicBool,
    /// It carries events, and goes on for as long as somebody reads.
    is_stream: AtomicBool,
    /// To be closed, because nobody reads from it or another connection replaces it.
    dropped: Notify,
}

impl Server {
    /// A server that was not started.
    pub fn new(gate: Gate, news: watch::Receiver<News>) -> Self {
        Server {
            gate,
            news,
            watchers: AtomicUsize::new(0),
            wanted: AtomicBool::new(false),
            connections: Mutex::default(),
        }
    }

    /// Serves until the program ends.
    pub async fn accept(self: Arc<Self>, listener: TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // No file descriptors left: some will be given back.
                sleep(Duration::from_millis(100)).await;
                continue;
            };
            let Some(line) = self.admit() else { continue };
            let server = Arc::clone(&self);
            tokio::spawn(async move {
                Arc::clone(&server).serve(stream, &line).await;
                server.with_connections(|open| open.retain(|other| !Arc::ptr_eq(other, &line)));
            });
        }
    }

    /// A place for one more connection.
    fn admit(&self) -> Option<Arc<Connection>> {
        self.with_connections(|open| {
            if open.len() >= MOST_CONNECTIONS {
                let idle = open.iter().position(|line| !line.has_asked.load(Ordering::Acquire))?;
                open.remove(idle).dropped.notify_one();
            }
            open.push(Arc::default());
            open.last().cloned()
        })
    }

    fn with_connections<T>(&self, with: impl FnOnce(&mut Vec<Arc<Connection>>) -> T) -> T {
        with(&mut self.connections.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn serve(self: Arc<Self>, stream: TcpStream, line: &Arc<Connection>) {
        // Pages get small pieces, each of which is to be seen at once.
        let _ = stream.set_nodelay(true);
        let service = service_fn(|request| {
            let (server, line) = (Arc::clone(&self), Arc::clone(line));
            line.has_asked.store(true, Ordering::Release);
            async move { Ok::<_, Infallible>(server.answer(&request, line).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(MOST_HEAD)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service);
        let (mut connection, mut lost) = (pin!(connection), pin!(line.lost()));
        // What went wrong on the line is nothing that can be made good here.
        poll_fn(|context| {
            let done = connection.as_mut().poll(context).is_ready();
            if done || lost.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            Poll::Pending
        })
        .await;
    }

    async fn answer(
        self: Arc<Self>,
        request: &Request<Incoming>,
        line: Arc<Connection>,
    ) -> Response<Body> {
        let place = match self.gate.place(request) {
            Ok(place) => place,
            Err(status) => return refused(status),
        };
        match place {
            Place::Page => {
                let mut news = self.news.clone();
                news.mark_unchanged();
                self.wanted.store(true, Ordering::Release);
                // Without new data, show the present data.
                let _ = timeout(FRESH, news.changed()).await;
                let page = news.borrow().islands.live_page();
                let policy = format!("{}; frame-ancestors 'none'", report::live_policy());
                answered("text/html; charset=utf-8", &policy, Either::Left(page.into()))
            }
            Place::Shell => {
                let shell = serde_json::to_string(&report::shell()).unwrap_or_default();
                answered("application/json", NOTHING, Either::Left(shell.into()))
            }
            Place::Events => {
                line.is_stream.store(true, Ordering::Release);
                let (sender, body) = Channel::new(1);
                let known = request.headers().get("last-event-id");
                let known = known.and_then(|id| id.to_str().ok()?.parse().ok());
                tokio::spawn(self.send_news(sender, line, known));
                answered("text/event-stream", NOTHING, Either::Right(body))
            }
        }
    }

    /// Sends new data to one page, as long as it reads. Of the data that arrives while the page is slow,
    /// only the latest is sent.
    async fn send_news(
        self: Arc<Self>,
        mut sender: Sender<Bytes>,
        line: Arc<Connection>,
        known: Option<u64>,
    ) {
        self.watchers.fetch_add(1, Ordering::AcqRel);
        let mut news = self.news.clone();
        let (mut known, mut said) = (known, String::new());
        loop {
            let now = news.borrow_and_update().clone();
            let mut text = String::new();
            if known.replace(now.number) != Some(now.number) {
                let Islands { exact, thinned, .. } = &*now.islands;
                text +=
                    &format!("id: {}\nevent: data\ndata: {exact}\ndata: {thinned}\n\n", now.number);
            }
            if said != now.state {
                text += &format!("event: state\ndata: {}\n\n", now.state);
                said = now.state;
            }
            if now.end {
                text += "event: end\ndata:\n\n";
            }
            if !text.is_empty() && !line.send(&mut sender, text).await || now.end {
                break;
            }
            match timeout(PULSE, news.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => break,
                Err(_) if line.send(&mut sender, ":\n\n".to_owned()).await => {}
                Err(_) => break,
            }
        }
        self.watchers.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Connection {
    /// Whether somebody took what was sent.
    async fn send(&self, sender: &mut Sender<Bytes>, text: String) -> bool {
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
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

fn answered(kind: &str, policy: &str, body: Body) -> Response<Body> {
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

fn refused(status: StatusCode) -> Response<Body> {
    let text = format!("{status}\n");
    let mut answer = answered("text/plain; charset=utf-8", NOTHING, Either::Left(text.into()));
    *answer.status_mut() = status;
    answer
}
