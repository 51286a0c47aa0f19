//! The three addresses that are served: the page, its data as they change, and the page without
//! data.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::report::{self, Island};
use http_body_util::Either;
use http_body_util::channel::{Channel, Sender};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response};
use tokio::sync::watch;
use tokio::time::timeout;

use super::super::http::{Body, Connection, NOTHING, Site, answered, refused};
use super::Gate;
use super::gate::PagePath;

/// An idle stream sends a sign of life.
const PULSE: Duration = Duration::from_secs(15);
/// How long a page waits for the newest data.
const FRESH: Duration = Duration::from_millis(700);

#[derive(Clone, Debug, Default)]
pub struct News {
    pub island: Arc<Island>,
    /// What the page shows before its script has drawn.
    pub picture: Arc<String>,
    /// How many there were before these.
    pub number: u64,
    /// The state of the program, as JSON.
    pub state: String,
    pub end: bool,
}

/// The page, and what it has in common with the thread that makes the data.
pub struct Pages {
    pub gate: Gate,
    pub news: watch::Receiver<News>,
    pub watchers: AtomicUsize,
    /// A page has been asked for: its data should be new.
    pub wanted: AtomicBool,
}

impl Pages {
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
                text += &format!("id: {}\nevent: data\ndata: {}\n\n", now.number, now.island.0);
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

impl Site for Pages {
    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        line: Arc<Connection>,
    ) -> Response<Body> {
        let place = match self.gate.place(&request) {
            Ok(place) => place,
            Err(status) => return refused(status),
        };
        match place {
            PagePath::Page => {
                let mut news = self.news.clone();
                news.mark_unchanged();
                self.wanted.store(true, Ordering::Release);
                // Without new data, show the present data.
                let _ = timeout(FRESH, news.changed()).await;
                let page = news.borrow().clone();
                let page = page.island.live_page(&page.picture);
                let policy = format!("{}; frame-ancestors 'none'", report::live_policy());
                answered("text/html; charset=utf-8", &policy, Either::Left(page.into()))
            }
            PagePath::Shell => {
                let shell = serde_json::to_string(&report::shell()).unwrap_or_default();
                answered("application/json", NOTHING, Either::Left(shell.into()))
            }
            PagePath::Events => {
                line.becomes_stream();
                let (sender, body) = Channel::new(1);
                let known = request.headers().get("last-event-id");
                let known = known.and_then(|id| id.to_str().ok()?.parse().ok());
                tokio::spawn(self.send_news(sender, line, known));
                answered("text/event-stream", NOTHING, Either::Right(body))
            }
        }
    }
}
