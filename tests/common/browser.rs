//! Headless Chromium over its DevTools protocol: as much of it as the tests of the report need.
//!
//! A WebSocket client for one local, well-behaved server is small; a crate for it would bring a
//! dozen others.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running browser.
pub struct Browser {
    process: Child,
    socket: Socket,
    next_id: u64,
    /// What was told and has not been asked for.
    events: VecDeque<Value>,
    _folder: tempfile::TempDir,
}

/// One page that is open.
pub struct Tab<'a> {
    browser: &'a mut Browser,
    target: String,
    session: String,
    /// What it may ask for.
    home: String,
    /// What the page complained of, and what it asked the network for.
    pub complaints: Vec<String>,
}

impl Browser {
    /// Starts one; `None` when none is installed that runs (`HEAPVIZ_CHROMIUM`, else `chromium` or its
    /// other names).
    pub fn start() -> Option<Browser> {
        let named = std::env::var("HEAPVIZ_CHROMIUM").ok();
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        let mut names = named.iter().map(String::as_str).chain(names);
        let folder = tempfile::tempdir().expect("a folder");
        let mut process = names.find_map(|name| {
            let mut command = Command::new(name);
            command
                .args([
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--remote-debugging-port=0",
                ])
                .args(["--no-first-run", "--disable-background-networking", "--disable-extensions"])
                .args(["--force-color-profile=srgb", "--hide-scrollbars", "about:blank"])
                .arg(format!("--user-data-dir={}", folder.path().display()))
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            command.spawn().ok()
        })?;
        let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("DevTools listening on ws://").map(str::to_owned));
        let Some(address) = address else {
            // A stand-in that only says how to install one, or one that cannot run here.
            let _ = process.wait();
            return None;
        };
        // What else it says must be read, or it stops when the pipe is full.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let socket = Socket::connect(&address);
        Some(Browser { process, socket, next_id: 0, events: VecDeque::new(), _folder: folder })
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
        let target = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let target = target["targetId"].as_str().expect("a target").to_owned();
        let params = json!({ "targetId": target, "flatten": true });
        let session = self.call(None, "Target.attachToTarget", params);
        let session = session["sessionId"].as_str().expect("a session").to_owned();
        let home = home.to_owned();
        let mut tab = Tab { browser: self, target, session, home, complaints: Vec::new() };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        prepare(&mut tab);
        tab.call("Page.navigate", json!({ "url": url }));
        tab.wait_for("document.documentElement?.dataset.ready !== undefined");
        tab
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let mut message = json!({ "id": self.next_id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(&message.to_string());
        loop {
            let answer: Value = serde_json::from_str(&self.socket.receive()).expect("JSON");
            if answer["id"] == json!(self.next_id) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push_back(answer);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Tab<'_> {
    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let session = self.session.clone();
        let answer = self.browser.call(Some(&session), method, params);
        self.listen();
        answer
    }

    /// Keeps what the page told since the last time, if it is a complaint.
    fn listen(&mut self) {
        while let Some(event) = self.browser.events.pop_front() {
            let params = &event["params"];
            match event["method"].as_str() {
                Some("Runtime.exceptionThrown") => {
                    self.complaints.push(format!("exception: {}", params["exceptionDetails"]));
                }
                Some("Runtime.consoleAPICalled") => {
                    self.complaints.push(format!("console: {}", params["args"]));
                }
                Some("Log.entryAdded") => self.complaints.push(format!("log: {}", params["entry"])),
                Some("Network.requestWillBeSent") => {
                    let url = params["request"]["url"].as_str().unwrap_or_default();
                    if !url.starts_with(&self.home) && url != "data:," && url != "about:blank" {
                        self.complaints.push(format!("request: {url}"));
                    }
                }
                _ => {}
            }
        }
    }

    /// The value of an expression; promises are waited for.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
        });
        let answer = self.call("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]["exception"]["description"]
        );
        answer["result"]["value"].clone()
    }

    /// The value of an expression in the frame of another origin that the page shows; null while there
    /// is none.
    pub fn evaluate_in_frame(&mut self, expression: &str) -> Value {
        let targets = self.browser.call(None, "Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().expect("a list of targets");
        let Some(frame) = targets.iter().find(|target| target["type"] == json!("iframe")) else {
            return Value::Null;
        };
        let params = json!({ "targetId": frame["targetId"], "flatten": true });
        let session = self.browser.call(None, "Target.attachToTarget", params);
        let session = session["sessionId"].as_str().expect("a session").to_owned();
        let page = std::mem::replace(&mut self.session, session);
        let value = self.evaluate(expression);
        self.browser.call(None, "Target.detachFromTarget", json!({ "sessionId": self.session }));
        self.session = page;
        value
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, expression: &str) {
        let started = Instant::now();
        while self.evaluate(expression) != json!(true) {
            assert!(
                started.elapsed() < PATIENCE,
                "waited in vain for {expression}: {:?}",
                self.complaints
            );
            std::thread::sleep(Duration::from_millis(15));
        }
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
        let params =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", params);
        self.settle();
    }

    /// Sets what the reader prefers: `light` or `dark`.
    pub fn prefer(&mut self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// A mouse event of the protocol, with further parameters.
    pub fn mouse(&mut self, kind: &str, x: f64, y: f64, more: Value) {
        let mut params = json!({ "type": kind, "x": x, "y": y });
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        self.call("Input.dispatchMouseEvent", params);
    }

    /// Moves the pointer.
    pub fn hover(&mut self, x: f64, y: f64) {
        self.mouse("mouseMoved", x, y, json!({}));
        self.settle();
    }

    /// Presses the left button at one place and releases it at another; `modifiers` is 8 for shift.
    pub fn drag(&mut self, from: (f64, f64), to: (f64, f64), modifiers: u32) {
        let with = |buttons: u32| json!({ "button": "left", "buttons": buttons, "clickCount": 1, "modifiers": modifiers });
        self.mouse("mouseMoved", from.0, from.1, json!({ "modifiers": modifiers }));
        self.mouse("mousePressed", from.0, from.1, with(1));
        if from != to {
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            self.mouse("mouseMoved", middle.0, middle.1, with(1));
            self.mouse("mouseMoved", to.0, to.1, with(1));
        }
        self.mouse("mouseReleased", to.0, to.1, with(0));
        self.settle();
    }

    /// Presses and releases a key, named as in `KeyboardEvent.key`.
    pub fn press(&mut self, key: &str) {
        let mut params = json!({ "type": "keyDown", "key": key });
        if key.chars().count() == 1 {
            params["text"] = json!(key);
        }
        if let Some(code) = [("Tab", 9), ("Enter", 13)].iter().find(|(name, _)| *name == key) {
            params["windowsVirtualKeyCode"] = json!(code.1);
            if key == "Enter" {
                params["text"] = json!("\r");
            }
        }
        self.call("Input.dispatchKeyEvent", params);
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
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
    pub fn click(&mut self, selector: &str, modifiers: u32) {
        let script = format!(
            "document.querySelector({}).scrollIntoView({{ block: 'center' }})",
            json!(selector)
        );
        self.evaluate(&script);
        let place = self.place_of(selector);
        self.drag(place, place, modifiers);
    }

    /// What is seen, as a PNG.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        from_base64(answer["data"].as_str().expect("a picture"))
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        let params = json!({ "targetId": self.target });
        if !std::thread::panicking() {
            self.browser.call(None, "Target.closeTarget", params);
            self.browser.events.clear();
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

/// The client's end of a WebSocket (RFC 6455): text only, one frame a message on our side.
struct Socket(BufReader<TcpStream>);

impl Socket {
    fn connect(address: &str) -> Socket {
        let (host, path) = address.split_once('/').expect("a path");
        let mut stream = TcpStream::connect(host).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_nodelay(true).expect("no delay");
        write!(
            stream,
            "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: aGVhcHZpeiBoZWFwdml6IQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        .expect("a request");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).expect("an answer");
        assert!(line.contains("101"), "no WebSocket: {line}");
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).expect("an answer");
        }
        Socket(reader)
    }

    /// A frame, masked with zeros, which masks nothing and is allowed.
    fn send(&mut self, text: &str) {
        let mut frame = vec![0x81];
        match text.len() {
            length @ 0..126 => frame.push(0x80 | length as u8),
            length @ 126..65_536 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.get_mut().write_all(&frame).expect("chromium to listen");
    }

    fn receive(&mut self) -> String {
        let mut text = Vec::new();
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).expect("chromium to answer");
            let mut length = u64::from(head[1] & 0x7f);
            if length >= 126 {
                let mut bytes = [0; 8];
                let from = if length == 126 { 6 } else { 0 };
                self.0.read_exact(&mut bytes[from..]).expect("a length");
                length = u64::from_be_bytes(bytes);
            }
            let at = text.len();
            text.resize(at + length as usize, 0);
            self.0.read_exact(&mut text[at..]).expect("a message");
            match head[0] {
                0x81 | 0x80 => return String::from_utf8(text).expect("text"),
                // A part of a message, or a ping.
                0x01 | 0x00 => {}
                _ => text.truncate(at),
            }
        }
    }
}
