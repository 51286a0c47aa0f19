//! Shows the heap in a browser as it changes: the report page, with data that is replaced.
//!
//! A server on this machine ([`pages`]) answers the requests that are allowed ([`gate`]). The data
//! is made here, by the main thread, and only while a page is open.

mod gate;
mod pages;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::live::LogProgress;
use crate::profile::{ProfileBuilder, Source};
use crate::slice::Privacy;
use serde_json::json;
use tokio::sync::watch;

use super::http;
use super::plain::Beside;
use super::{Outputs, Shared, SourceState, Status};
use crate::cli::Message;
use gate::Gate;
use pages::{News, Pages};

/// The least time between two pictures.
const EVERY: Duration = Duration::from_millis(200);
/// The ratio of rest to making data, so that making it takes at most a thirteenth of the time, and
/// less than a tenth together with reading.
const REST: u32 = 12;
/// How long to wait until the pages have received the end.
const FAREWELL: Duration = Duration::from_millis(500);

/// What a page shows: the number of samples, the generation of the engine, and whether more may
/// arrive.
type Version = (usize, u64, bool);

/// A server, and what it serves.
pub struct Web {
    pages: Arc<Pages>,
    news: watch::Sender<News>,
    privacy: Privacy,
    shown: Option<Version>,
    due: Instant,
}

impl Web {
    /// Starts a server at a port (0: any free port) that cannot be reached from other machines, and
    /// prints its address.
    pub fn start(port: u16, privacy: Privacy, outputs: &mut Outputs) -> Result<Web, Message> {
        let cannot = |error: io::Error| {
            Message::error(format!("cannot serve a page at port {port}: {error}"))
                .hint("without --port, heapviz takes a free port")
        };
        let listeners = http::listen_here(port).map_err(cannot)?;
        let port = listeners[0].local_addr().map_err(cannot)?.port();
        let empty = ProfileBuilder::new(Source::Eventlog).finish();
        let (island, picture) = outputs.island(&empty).unwrap_or_default();
        let (island, picture) = (Arc::new(island), Arc::new(picture));
        let first = News { island, picture, ..News::default() };
        let (sender, news) = watch::channel(first);
        let gate = Gate::new(port).map_err(cannot)?;
        let (watchers, wanted) = Default::default();
        let pages = Arc::new(Pages { gate, news, watchers, wanted });
        http::spawn(Arc::clone(&pages), listeners).map_err(cannot)?;
        Message::note(format_args!("the page is at {}", pages.gate.address()))
            .hint(format_args!(
                "from another machine: ssh -L {port}:127.0.0.1:{port} HOST, then open the same address there"
            ))
            .say();
        let due = Instant::now();
        Ok(Web { pages, news: sender, privacy, shown: None, due })
    }

    fn publish(&mut self, now: Version, shared: &Shared, outputs: &mut Outputs) {
        let profile = shared.state().profile();
        let Some((island, picture)) = profile.and_then(|profile| outputs.island(&profile)) else {
            return;
        };
        self.shown = Some(now);
        self.news.send_modify(|news| {
            news.island = Arc::new(island);
            news.picture = Arc::new(picture);
            news.number += 1;
        });
    }

    /// The rows to show, and the state of the program.
    fn look(&self, shared: &Shared) -> (Version, String) {
        let state = shared.state();
        let over =
            state.engine.progress() == LogProgress::Ended || state.source == SourceState::Closed;
        let now = (state.engine.samples().0, state.engine.generation(), over);
        let text = match (Status::new(&state, Instant::now()), self.privacy) {
            (Status::Waiting(_), Privacy::Redact) => "waiting for the program".to_owned(),
            (status, _) => status.to_string(),
        };
        let text =
            state.damage().map_or(text.clone(), |damage| format!("{text}; damaged: {damage}"));
        (now, json!({ "text": text, "over": over }).to_string())
    }

    /// Sends the last data to the pages, and that no more will follow.
    pub fn finish(mut self, shared: &Shared, outputs: &mut Outputs) {
        if self.pages.watchers.load(Ordering::Acquire) == 0 {
            return;
        }
        let (now, state) = self.look(shared);
        if self.shown != Some(now) {
            self.publish(now, shared, outputs);
        }
        self.news.send_modify(|news| {
            news.state = state;
            news.end = true;
        });
        let began = Instant::now();
        while self.pages.watchers.load(Ordering::Acquire) > 0 && began.elapsed() < FAREWELL {
            thread::sleep(Duration::from_millis(10));
        }
        // The data must still be written to the connections.
        thread::sleep(Duration::from_millis(50));
    }
}

/// New data is made only if there are new samples and a page is open.
impl Beside for Web {
    fn rest(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now()).clamp(Duration::from_millis(5), EVERY)
    }

    fn update(&mut self, shared: &Shared, outputs: &mut Outputs) {
        let (now, state) = self.look(shared);
        if self.news.borrow().state != state {
            self.news.send_modify(|news| news.state = state);
        }
        let wanted = self.pages.wanted.load(Ordering::Acquire);
        let looked_at = wanted || self.pages.watchers.load(Ordering::Acquire) > 0;
        if !looked_at || Instant::now() < self.due {
            return;
        }
        self.pages.wanted.store(false, Ordering::Release);
        if self.shown == Some(now) {
            if wanted {
                self.news.send_modify(|_| {});
            }
            return;
        }
        let began = Instant::now();
        self.publish(now, shared, outputs);
        self.due = began + EVERY.max(began.elapsed() * (REST + 1));
    }
}
