//! Chromium and Firefox without a window: as much of them as the tests of the report need.
//!
//! Each is controlled in its own protocol, over a WebSocket: Chromium in DevTools (`devtools.rs`), Firefox
//! in WebDriver BiDi (`bidi.rs`). Chromium speaks BiDi only through another program, and crates for either
//! protocol bring an asynchronous run-time system with them.

mod bidi;
mod devtools;
mod wire;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use bidi::Bidi;
use devtools::Devtools;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A key that is held while the mouse acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    Nothing,
    Shift,
    Ctrl,
}

/// What the mouse does at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mouse {
    /// Moves there, with the left button as it is.
    Move,
    Press,
    Release,
    /// Turns the wheel by a number of pixels, to the right and down.
    Wheel(i32, i32),
}

/// What the fingers on the screen do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Start,
    Move,
    End,
}

/// What a protocol can do with a page, which it knows by a name.
trait Protocol {
    fn open(&mut self) -> String;
    fn close(&mut self, page: &str);
    fn navigate(&mut self, page: &str, url: &str);
    /// The value of an expression as JSON, or what it threw.
    fn evaluate(&mut self, page: &str, expression: &str) -> Result<Value, String>;
    fn mouse(&mut self, page: &str, what: Mouse, at: (f64, f64), held: Held);
    /// Fingers at these places; none for the end.
    fn touch(&mut self, page: &str, what: Touch, at: &[(f64, f64)]);
    /// Presses and releases a key, named as in `KeyboardEvent.key`.
    fn press(&mut self, page: &str, key: &str);
    fn resize(&mut self, page: &str, width: u32, height: u32);
    /// A telephone: narrow, two pixels where others have one, touched.
    fn phone(&mut self, page: &str);
    /// A PNG, in base 64.
    fn screenshot(&mut self, page: &str) -> Value;
    /// A PDF, in base 64.
    fn print(&mut self, page: &str) -> Value;
    /// The value of an expression in the frame that the page shows; null while it has no frame.
    fn evaluate_in_frame(&mut self, page: &str, expression: &str) -> Result<Value, String>;
    /// Chooses files in the input that a selector finds.
    fn choose(&mut self, page: &str, selector: &str, files: &[String]);
    /// Drops files at a place.
    fn drop_files(&mut self, page: &str, at: (f64, f64), files: &[String]);
    /// The folder in which the browser saves files.
    fn downloads(&self) -> PathBuf;
    /// What a page complained of, and what it asked the network for, since the last time.
    fn complaints(&mut self, page: &str) -> Vec<Complaint>;
}

/// What went wrong in a page, or what it asked for.
enum Complaint {
    Words(String),
    Request(String),
}

/// A running browser.
pub struct Browser(Engine);

enum Engine {
    Chromium(Devtools),
    Firefox(Bidi),
}

/// One page that is open.
pub struct Tab<'a> {
    browser: &'a mut Browser,
    page: String,
    /// What it may ask for.
    home: String,
    /// What the page complained of, and what it asked the network for.
    pub complaints: Vec<String>,
}

impl Browser {
    /// Starts Chromium; `None` when none is installed that runs (`HEAPVIZ_CHROMIUM`, else `chromium` or its
    /// other names).
    pub fn chromium() -> Option<Browser> {
        Devtools::start().map(|devtools| Browser(Engine::Chromium(devtools)))
    }

    /// Starts Firefox; `None` when none is installed that runs (`HEAPVIZ_FIREFOX`, else `firefox-esr` or
    /// `firefox`).
    pub fn firefox() -> Option<Browser> {
        Bidi::start().map(|bidi| Browser(Engine::Firefox(bidi)))
    }

    pub fn is_firefox(&self) -> bool {
        matches!(self.0, Engine::Firefox(_))
    }

    fn protocol(&mut self) -> &mut dyn Protocol {
        match &mut self.0 {
            Engine::Chromium(devtools) => devtools,
            Engine::Firefox(bidi) => bidi,
        }
    }

    /// Opens a file and waits until it has drawn itself.
    pub fn open(&mut self, file: &Path) -> Tab<'_> {
        self.open_at(file, "", |_| {})
    }

    /// The same with a fragment, and something to be done before the page is loaded.
    pub fn open_at(
        &mut self,
        file: &Path,
        fragment: &str,
        prepare: impl FnOnce(&mut Tab<'_>),
    ) -> Tab<'_> {
        self.open_address(&format!("file://{}{fragment}", file.display()), "file:", prepare)
    }

    /// Opens an address and waits until the page has drawn itself; it may ask for what is below `home`.
    pub fn open_address(
        &mut self,
        url: &str,
        home: &str,
        prepare: impl FnOnce(&mut Tab<'_>),
    ) -> Tab<'_> {
        let page = self.protocol().open();
        let mut tab = Tab { browser: self, page, home: home.to_owned(), complaints: Vec::new() };
        prepare(&mut tab);
        tab.with(|protocol, page| protocol.navigate(page, url));
        tab.wait_for("document.documentElement?.dataset.ready !== undefined");
        tab
    }
}

impl Tab<'_> {
    pub fn is_firefox(&self) -> bool {
        self.browser.is_firefox()
    }

    /// Does something, and keeps what the page complained of.
    fn with<T>(&mut self, act: impl FnOnce(&mut dyn Protocol, &str) -> T) -> T {
        let protocol = self.browser.protocol();
        let answer = act(protocol, &self.page);
        for complaint in protocol.complaints(&self.page) {
            match complaint {
                Complaint::Words(words) => self.complaints.push(words),
                Complaint::Request(url) => {
                    // What is in an address itself asks no network; Firefox loads a font of its own so.
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

    /// Calls a method of DevTools: what only Chromium can.
    pub fn devtools(&mut self, method: &str, params: Value) -> Value {
        let Engine::Chromium(devtools) = &mut self.browser.0 else {
            panic!("only Chromium has {method}")
        };
        devtools.in_page(&self.page, method, params)
    }

    /// The value of an expression; promises are waited for.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        self.with(|protocol, page| protocol.evaluate(page, expression))
            .unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// The value of an expression in the frame that the page shows; null while it has no frame.
    pub fn evaluate_in_frame(&mut self, expression: &str) -> Value {
        self.with(|protocol, page| protocol.evaluate_in_frame(page, expression))
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
        self.with(|protocol, page| protocol.choose(page, selector, files));
    }

    /// Drops files on the first element that a selector finds.
    pub fn drop_files(&mut self, selector: &str, files: &[String]) {
        let at = self.place_of(selector);
        self.with(|protocol, page| protocol.drop_files(page, at, files));
    }

    /// Waits for a file that the page saves, and takes it from the folder of downloads.
    pub fn downloaded(&mut self, name: &str) -> Vec<u8> {
        let folder = self.with(|protocol, _| protocol.downloads());
        // Until it is complete, Chromium gives the file another name; Firefox does, too, and keeps the name
        // with an empty file.
        let mut bytes = Vec::new();
        self.wait_until(name, |_| {
            bytes = fs::read(folder.join(name)).unwrap_or_default();
            !bytes.is_empty()
        });
        fs::remove_file(folder.join(name)).expect("a file that can be removed");
        bytes
    }

    /// Waits for the pictures in which every change has been drawn.
    pub fn settle(&mut self) {
        self.evaluate(
            "new Promise(done => { let left = 3; const next = () => left-- ? requestAnimationFrame(next) \
             : done(); next() })",
        );
    }

    /// Sets the size of the window in pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        self.with(|protocol, page| protocol.resize(page, width, height));
        self.settle();
    }

    /// Makes it a telephone; before the page is loaded.
    pub fn phone(&mut self) {
        self.with(|protocol, page| protocol.phone(page));
    }

    /// Sets what the reader prefers, as media queries name it: `prefers-color-scheme`, `forced-colors`.
    /// Only in Chromium.
    pub fn prefer(&mut self, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// What the mouse does, in the pixels of the window.
    pub fn mouse(&mut self, what: Mouse, at: (f64, f64), held: Held) {
        self.with(|protocol, page| protocol.mouse(page, what, at, held));
    }

    /// What fingers do, and the pictures after it.
    pub fn touch(&mut self, what: Touch, at: &[(f64, f64)]) {
        self.with(|protocol, page| protocol.touch(page, what, at));
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

    /// Presses and releases a key, named as in `KeyboardEvent.key`.
    pub fn press(&mut self, key: &str) {
        self.with(|protocol, page| protocol.press(page, key));
        self.settle();
    }

    /// The middle of the first element that a selector finds.
    pub fn place_of(&mut self, selector: &str) -> (f64, f64) {
        let script = format!(
            "(() => {{ const b = document.querySelector({}).getBoundingClientRect(); \
             return [b.x + b.width / 2, b.y + b.height / 2] }})()",
            json!(selector)
        );
        let place = self.evaluate(&script);
        (place[0].as_f64().expect("a place"), place[1].as_f64().expect("a place"))
    }

    /// Clicks on it, after scrolling it into sight.
    pub fn click(&mut self, selector: &str) {
        self.click_with(selector, Held::Nothing);
    }

    /// The same while a key is held.
    pub fn click_with(&mut self, selector: &str, held: Held) {
        let script = format!(
            "document.querySelector({}).scrollIntoView({{ block: 'center' }})",
            json!(selector)
        );
        self.evaluate(&script);
        let place = self.place_of(selector);
        self.drag(place, place, held);
    }

    /// What is seen, as a PNG.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let data = self.with(|protocol, page| protocol.screenshot(page));
        from_base64(data.as_str().expect("a picture"))
    }

    /// What is printed, as a PDF.
    pub fn print(&mut self) -> Vec<u8> {
        let data = self.with(|protocol, page| protocol.print(page));
        from_base64(data.as_str().expect("a document"))
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let protocol = self.browser.protocol();
            protocol.close(&self.page);
            protocol.complaints(&self.page);
        }
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|&letter| letter != b'=').map(value).collect();
    let mut bytes = Vec::new();
    for group in letters.chunks(4) {
        let bits =
            (0..4).fold(0u32, |bits, i| bits << 6 | u32::from(group.get(i).copied().unwrap_or(0)));
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}
