//! Headless Chromium, as far as the tests of the report need it. The crates for its protocol depend on an
//! asynchronous run-time system.

mod devtools;

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use devtools::Devtools;

/// The time limit for any operation.
const PATIENCE: Duration = Duration::from_secs(60);

/// What scripts of tests share: an element by its identifier, the elements that a selector finds, their texts, and the
/// colours of a part of a canvas, measured as its elements are: a canvas that is read itself is drawn otherwise.
const HELPERS: &str = "(() => { window.$ = (id) => document.getElementById(id); \
     window.$$ = (selector) => [...document.querySelectorAll(selector)]; \
     window.texts = (selector) => $$(selector).map((element) => element.textContent); \
     window.painted = (id, x, y, width, height) => { \
     const canvas = $(id), ratio = canvas.width / canvas.clientWidth; \
     const copy = new OffscreenCanvas(canvas.width, canvas.height); \
     const context = copy.getContext('2d', { willReadFrequently: true }); \
     context.drawImage(canvas, 0, 0); \
     const place = [x, y, width, height].map((length) => Math.round(length * ratio)); \
     return context.getImageData(place[0], place[1], Math.max(1, place[2]), Math.max(1, place[3])) }; return null })()";

/// A key held during a mouse action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    Nothing,
    Shift,
    Ctrl,
}

/// A mouse action at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mouse {
    /// Moves there without changing the state of the left button.
    Move,
    Press,
    Release,
    /// Turns the wheel by this many pixels to the right and down.
    Wheel(i32, i32),
}

/// An action of fingers on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Start,
    Move,
    End,
}

/// A problem in a page, or a request that it made.
enum Complaint {
    Words(String),
    Request(String),
}

/// A running browser.
pub struct Browser(Option<Devtools>);

/// The Chromiums of tests that passed: the next tests use them, because one takes a second to start.
static IDLE: Mutex<Vec<Devtools>> = Mutex::new(Vec::new());

/// An open page.
pub struct Tab<'a> {
    browser: &'a mut Browser,
    page: String,
    /// The prefix of the addresses it may request.
    home: String,
    /// The page's complaints, and its requests to other addresses.
    pub complaints: Vec<String>,
    /// Whether a complaint fails the test when the page is closed.
    pub must_be_quiet: bool,
}

impl Browser {
    /// An idle Chromium, or a new one (`HEAPVIZ_CHROMIUM`, otherwise `chromium` or one of its other names); `None` if no
    /// installed one runs.
    pub fn chromium() -> Option<Browser> {
        let idle = IDLE.lock().expect("the browsers").pop();
        idle.or_else(Devtools::start).map(|devtools| Browser(Some(devtools)))
    }

    fn devtools(&mut self) -> &mut Devtools {
        self.0.as_mut().expect("a browser until the end")
    }

    /// Opens a file and waits until the page has drawn itself.
    pub fn open(&mut self, file: &Path) -> Tab<'_> {
        self.open_at(file, "", |_| {})
    }

    /// The same with a fragment, and an action before the page is loaded.
    pub fn open_at(
        &mut self,
        file: &Path,
        fragment: &str,
        prepare: impl FnOnce(&mut Tab<'_>),
    ) -> Tab<'_> {
        self.open_address(&format!("file://{}{fragment}", file.display()), "file:", prepare)
    }

    /// Opens an address and waits until the page has drawn itself; it may request addresses under `home`.
    pub fn open_address(
        &mut self,
        url: &str,
        home: &str,
        prepare: impl FnOnce(&mut Tab<'_>),
    ) -> Tab<'_> {
        let page = self.devtools().open();
        let home = home.to_owned();
        let mut tab =
            Tab { browser: self, page, home, complaints: Vec::new(), must_be_quiet: true };
        prepare(&mut tab);
        tab.with(|devtools, page| devtools.navigate(page, url));
        tab.wait_for("document.documentElement?.dataset.ready !== undefined");
        tab.evaluate(HELPERS);
        tab
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The page of a failed test is still open.
        if !std::thread::panicking() {
            IDLE.lock().expect("the browsers").extend(self.0.take());
        }
    }
}

impl Tab<'_> {
    /// Performs an action, and keeps the page's complaints.
    fn with<T>(&mut self, act: impl FnOnce(&mut Devtools, &str) -> T) -> T {
        let devtools = self.browser.devtools();
        let answer = act(devtools, &self.page);
        for complaint in devtools.complaints() {
            match complaint {
                Complaint::Words(words) => self.complaints.push(words),
                Complaint::Request(url) => {
                    // `data:` URLs use no network.
                    if !url.starts_with(&self.home)
                        && !url.starts_with("data:")
                        && url != "about:blank"
                    {
                        self.complaints.push(format!("request: {url}"));
                    }
                }
            }
        }
        answer
    }

    /// Calls a DevTools method.
    pub fn devtools(&mut self, method: &str, params: Value) -> Value {
        self.browser.devtools().in_page(&self.page, method, params)
    }

    /// The value of an expression, after awaiting it if it is a promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        self.with(|devtools, page| devtools.evaluate(page, expression))
            .unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// The value of an expression, as a type.
    pub fn read<T: serde::de::DeserializeOwned>(&mut self, expression: &str) -> T {
        let value = self.evaluate(expression);
        let read = serde_json::from_value(value.clone());
        read.unwrap_or_else(|error| panic!("{expression}: {error}: {value}"))
    }

    /// Fails unless an expression is true.
    pub fn holds(&mut self, expression: &str) {
        assert_eq!(self.evaluate(expression), json!(true), "{expression}");
    }

    /// Shows what a fragment of the address says.
    pub fn go(&mut self, fragment: &str) {
        self.evaluate(&format!("location.hash = {}", json!(fragment)));
        self.settle();
    }

    /// Enters a text, or another choice, as a reader does.
    pub fn enter(&mut self, id: &str, text: &str) {
        let text = json!(text);
        self.evaluate(&format!(
            "['input', 'change'].forEach((event) => {{ $('{id}').value = {text}; $('{id}').dispatchEvent(new Event(event)) }})"
        ));
        self.settle();
    }

    /// The value of an expression in the frame that the page shows; null while it has no frame.
    pub fn evaluate_in_frame(&mut self, expression: &str) -> Value {
        self.with(|devtools, _| devtools.evaluate_in_frame(expression))
            .unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, expression: &str) {
        self.wait_until(expression, |tab| tab.evaluate(expression) == json!(true));
    }

    /// Waits until an expression is true in the frame that the page shows.
    pub fn wait_for_in_frame(&mut self, expression: &str) {
        self.wait_until(expression, |tab| tab.evaluate_in_frame(expression) == json!(true));
    }

    fn wait_until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) {
        let started = Instant::now();
        while !is_so(self) {
            let complaints = &self.complaints;
            assert!(started.elapsed() < PATIENCE, "waited in vain for {what}: {complaints:?}");
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Chooses files in the input that a selector finds.
    pub fn choose(&mut self, selector: &str, files: &[String]) {
        self.with(|devtools, page| devtools.choose(page, selector, files));
    }

    /// Drops files on the first element that a selector finds.
    pub fn drop_files(&mut self, selector: &str, files: &[String]) {
        let at = self.place_of(selector);
        self.with(|devtools, page| devtools.drop_files(page, at, files));
    }

    /// Waits for a file that the page saves, and takes it from the folder of downloads.
    pub fn downloaded(&mut self, name: &str) -> Vec<u8> {
        let folder = self.with(|devtools, _| devtools.downloads());
        // A file that is not complete has another name.
        let mut bytes = Vec::new();
        self.wait_until(name, |_| {
            bytes = fs::read(folder.join(name)).unwrap_or_default();
            !bytes.is_empty()
        });
        fs::remove_file(folder.join(name)).expect("a file that can be removed");
        bytes
    }

    /// Waits for enough frames that every change has been drawn.
    pub fn settle(&mut self) {
        self.evaluate(
            "new Promise(done => { let left = 3; const next = () => left-- ? requestAnimationFrame(next) \
             : done(); next() })",
        );
    }

    /// The page has neither complained nor shown a problem.
    pub fn quiet(&mut self) {
        self.settle();
        assert!(self.complaints.is_empty(), "{:#?}", self.complaints);
        assert_eq!(self.evaluate("document.getElementById('problem').hidden"), json!(true));
    }

    /// Sets the size of the window, in pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        self.with(|devtools, page| devtools.resize(page, width, height));
        self.settle();
    }

    /// Emulates a phone. Call it before the page is loaded.
    pub fn phone(&mut self) {
        self.with(|devtools, page| devtools.phone(page));
    }

    /// Sets the reader's preferences for media queries such as `prefers-color-scheme` and `forced-colors`.
    pub fn prefer(&mut self, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// A mouse action, in pixels of the window.
    pub fn mouse(&mut self, what: Mouse, at: (f64, f64), held: Held) {
        self.with(|devtools, page| devtools.mouse(page, what, at, held));
    }

    /// A touch action, followed by the frames that draw its effect.
    pub fn touch(&mut self, what: Touch, at: &[(f64, f64)]) {
        self.with(|devtools, page| devtools.touch(page, what, at));
        self.settle();
    }

    /// Moves the pointer.
    pub fn hover(&mut self, x: f64, y: f64) {
        self.mouse(Mouse::Move, (x, y), Held::Nothing);
        self.settle();
    }

    /// Turns the wheel.
    pub fn wheel(&mut self, at: (f64, f64), down: i32, held: Held) {
        self.mouse(Mouse::Wheel(0, down), at, held);
        self.settle();
    }

    /// Presses the left button at one place and releases it at another.
    pub fn drag(&mut self, from: (f64, f64), to: (f64, f64), held: Held) {
        self.mouse(Mouse::Move, from, held);
        self.mouse(Mouse::Press, from, held);
        if from != to {
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            self.mouse(Mouse::Move, middle, held);
            self.mouse(Mouse::Move, to, held);
        }
        self.mouse(Mouse::Release, to, held);
        self.settle();
    }

    /// Presses and releases a key with the name that `KeyboardEvent.key` has.
    pub fn press(&mut self, key: &str) {
        self.with(|devtools, page| devtools.press(page, key));
        self.settle();
    }

    /// The middle of the first element that matches a selector.
    pub fn place_of(&mut self, selector: &str) -> (f64, f64) {
        let script = format!(
            "(() => {{ const b = document.querySelector({}).getBoundingClientRect(); \
             return [b.x + b.width / 2, b.y + b.height / 2] }})()",
            json!(selector)
        );
        let place = self.evaluate(&script);
        (place[0].as_f64().expect("a place"), place[1].as_f64().expect("a place"))
    }

    /// Clicks on an element, after scrolling it into view.
    pub fn click(&mut self, selector: &str) {
        self.click_with(selector, Held::Nothing);
    }

    /// The same while holding a key.
    pub fn click_with(&mut self, selector: &str, held: Held) {
        let script = format!(
            "document.querySelector({}).scrollIntoView({{ block: 'center' }})",
            json!(selector)
        );
        self.evaluate(&script);
        let place = self.place_of(selector);
        self.drag(place, place, held);
    }

    /// The visible part of the page, as a PNG.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let data = self.with(|devtools, page| devtools.screenshot(page));
        BASE64.decode(data.as_str().expect("a picture")).expect("Base 64")
    }

    /// The printed page, as a PDF.
    pub fn print(&mut self) -> Vec<u8> {
        let data = self.with(|devtools, page| devtools.print(page));
        BASE64.decode(data.as_str().expect("a document")).expect("Base 64")
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            if self.must_be_quiet {
                self.quiet();
            }
            let devtools = self.browser.devtools();
            devtools.close(&self.page);
            devtools.complaints();
        }
    }
}
