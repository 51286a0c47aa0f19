//! Controls Chromium over its DevTools protocol: messages in JSON, through a pipe in each direction.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::{Complaint, Held, Mouse, PATIENCE, Touch};

/// Runs a program that reads and writes messages as files 3 and 4, until standard input closes, and then removes a
/// folder: so Chromium ends with the tests even if nobody ends it.
const WITH_PIPES: &str =
    r#"folder=$1; shift; "$@" 3<&0 4>&1 < /dev/null > /dev/null 2>&1; rm -rf "$folder""#;

/// A running Chromium. Each command has a number, which its answer repeats; events may arrive in between.
pub struct Devtools {
    process: Child,
    answers: Receiver<Value>,
    last_id: u64,
    /// Events that have not been read yet.
    events: VecDeque<Value>,
    folder: tempfile::TempDir,
    /// Whether the left button is held; the protocol requires it with every movement.
    pressed: bool,
}

impl Devtools {
    pub fn start() -> Option<Devtools> {
        let named = std::env::var("HEAPVIZ_CHROMIUM").ok();
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        named.iter().map(String::as_str).chain(names).find_map(Devtools::of)
    }

    /// `None` if the program does not run: it is missing, or only says how to install the browser.
    fn of(program: &str) -> Option<Devtools> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("sh");
        command
            .args(["-c", WITH_PIPES, "sh"])
            .arg(folder.path())
            .args([program, "--headless=new", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-extensions"])
            .args(["--force-color-profile=srgb", "--hide-scrollbars"])
            .args(["--remote-debugging-pipe", "about:blank"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            // A browser that is killed leaves its temporary files.
            .env("TMPDIR", folder.path());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let read = serde_json::from_slice(&message).expect("JSON");
                if send.send(read).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let (last_id, events, pressed) = (0, VecDeque::new(), false);
        let mut devtools = Devtools { process, answers, last_id, events, folder, pressed };
        fs::create_dir(devtools.downloads()).expect("a folder for downloads");
        let saves = json!({ "behavior": "allow", "downloadPath": devtools.downloads() });
        devtools.ask(json!({ "method": "Browser.setDownloadBehavior", "params": saves }))?;
        Some(devtools)
    }

    /// Sends a command and waits for its answer, an object with a result or an error; `None` if the browser has ended.
    fn ask(&mut self, mut command: Value) -> Option<Value> {
        self.last_id += 1;
        command["id"] = json!(self.last_id);
        let input = self.process.stdin.as_mut().expect("a pipe");
        input.write_all(format!("{command}\0").as_bytes()).ok()?;
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).ok()?;
            if answer["id"] == command["id"] {
                return Some(answer);
            }
            self.events.push_back(answer);
        }
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        let mut command = json!({ "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = json!(session);
        }
        let answer = self.ask(command).unwrap_or_else(|| panic!("no answer to {method}"));
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// A session for a page or a frame.
    fn attach(&mut self, target: &Value) -> String {
        let params = json!({ "targetId": target, "flatten": true });
        let session = self.call(None, "Target.attachToTarget", params);
        session["sessionId"].as_str().expect("a session").to_owned()
    }

    /// Lets a worker or a frame of another origin run that was stopped at its start, once its requests are
    /// reported too.
    fn watch_started(&mut self, event: &Value) {
        if event["params"]["waitingForDebugger"] == json!(true) {
            let session = &event["params"]["sessionId"];
            for method in ["Network.enable", "Runtime.runIfWaitingForDebugger"] {
                // The answer is an error when it has ended meanwhile, which does not matter.
                self.ask(json!({ "method": method, "sessionId": session }));
            }
        }
    }

    /// Calls a method on a page.
    pub fn in_page(&mut self, page: &str, method: &str, params: Value) -> Value {
        self.call(Some(page), method, params)
    }

    /// Opens a page; what follows names it by this answer.
    pub fn open(&mut self) -> String {
        let target = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let session = self.attach(&target["targetId"]);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.in_page(&session, &format!("{domain}.enable"), json!({}));
        }
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        self.in_page(&session, "Target.setAutoAttach", attach);
        session
    }

    pub fn close(&mut self, page: &str) {
        let target = self.in_page(page, "Target.getTargetInfo", json!({}));
        let params = json!({ "targetId": target["targetInfo"]["targetId"] });
        self.call(None, "Target.closeTarget", params);
    }

    pub fn navigate(&mut self, page: &str, url: &str) {
        self.in_page(page, "Page.navigate", json!({ "url": url }));
    }

    /// The value of an expression as JSON, or the error it threw.
    pub fn evaluate(&mut self, page: &str, expression: &str) -> Result<Value, String> {
        let params = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
        });
        let answer = self.in_page(page, "Runtime.evaluate", params);
        let thrown = &answer["exceptionDetails"];
        if thrown.is_null() {
            Ok(answer["result"]["value"].clone())
        } else {
            Err(thrown["exception"]["description"].to_string())
        }
    }

    pub fn mouse(&mut self, page: &str, what: Mouse, (x, y): (f64, f64), held: Held) {
        let modifiers = match held {
            Held::Nothing => 0,
            Held::Ctrl => 2,
            Held::Shift => 8,
        };
        let mut params = json!({ "x": x, "y": y, "modifiers": modifiers });
        let kind = match what {
            Mouse::Move => "mouseMoved",
            Mouse::Press => "mousePressed",
            Mouse::Release => "mouseReleased",
            Mouse::Wheel(right, down) => {
                params["deltaX"] = json!(right);
                params["deltaY"] = json!(down);
                "mouseWheel"
            }
        };
        params["type"] = json!(kind);
        match what {
            Mouse::Press => self.pressed = true,
            Mouse::Release => self.pressed = false,
            Mouse::Move | Mouse::Wheel(..) => {}
        }
        params["buttons"] = json!(u8::from(self.pressed));
        if self.pressed || what == Mouse::Release {
            params["button"] = json!("left");
            params["clickCount"] = json!(1);
        }
        self.in_page(page, "Input.dispatchMouseEvent", params);
    }

    /// Touches these places; the list is empty at the end of a gesture.
    pub fn touch(&mut self, page: &str, what: Touch, at: &[(f64, f64)]) {
        let kind = match what {
            Touch::Start => "touchStart",
            Touch::Move => "touchMove",
            Touch::End => "touchEnd",
        };
        let point = |(id, (x, y)): (usize, &(f64, f64))| json!({ "x": x, "y": y, "id": id });
        let points: Vec<Value> = at.iter().enumerate().map(point).collect();
        let params = json!({ "type": kind, "touchPoints": points });
        self.in_page(page, "Input.dispatchTouchEvent", params);
    }

    /// Presses and releases a key with the name that `KeyboardEvent.key` has.
    pub fn press(&mut self, page: &str, key: &str) {
        let mut params = json!({ "type": "keyDown", "key": key });
        if key.chars().count() == 1 {
            params["text"] = json!(key);
        }
        if let Some(code) =
            [("Tab", 9), ("Enter", 13), ("Escape", 27)].iter().find(|(name, _)| *name == key)
        {
            params["windowsVirtualKeyCode"] = json!(code.1);
            if key == "Enter" {
                params["text"] = json!("\r");
            }
        }
        self.in_page(page, "Input.dispatchKeyEvent", params);
        self.in_page(page, "Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }

    pub fn resize(&mut self, page: &str, width: u32, height: u32) {
        let params =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.in_page(page, "Emulation.setDeviceMetricsOverride", params);
    }

    /// A phone: narrow, with double pixel density and touch.
    pub fn phone(&mut self, page: &str) {
        let metrics =
            json!({ "width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": true });
        self.in_page(page, "Emulation.setDeviceMetricsOverride", metrics);
        let touch = json!({ "enabled": true, "maxTouchPoints": 2 });
        self.in_page(page, "Emulation.setTouchEmulationEnabled", touch);
    }

    /// A PNG, base64-encoded.
    pub fn screenshot(&mut self, page: &str) -> Value {
        self.in_page(page, "Page.captureScreenshot", json!({ "format": "png" }))["data"].clone()
    }

    /// A PDF, base64-encoded.
    pub fn print(&mut self, page: &str) -> Value {
        self.in_page(page, "Page.printToPDF", json!({ "printBackground": true }))["data"].clone()
    }

    /// The value of an expression in the frame that the page shows; null while it has no frame.
    pub fn evaluate_in_frame(&mut self, expression: &str) -> Result<Value, String> {
        // A frame of another origin is a target of its own.
        let targets = self.call(None, "Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().expect("a list of targets");
        let Some(frame) = targets.iter().find(|target| target["type"] == json!("iframe")) else {
            return Ok(Value::Null);
        };
        let session = self.attach(&frame["targetId"].clone());
        let value = self.evaluate(&session, expression);
        self.call(None, "Target.detachFromTarget", json!({ "sessionId": session }));
        value
    }

    /// Chooses files in the input that a selector finds.
    pub fn choose(&mut self, page: &str, selector: &str, files: &[String]) {
        let document = self.in_page(page, "DOM.getDocument", json!({}));
        let found = json!({ "nodeId": document["root"]["nodeId"], "selector": selector });
        let node = self.in_page(page, "DOM.querySelector", found);
        let chosen = json!({ "nodeId": node["nodeId"], "files": files });
        self.in_page(page, "DOM.setFileInputFiles", chosen);
    }

    /// Drops files at a place.
    pub fn drop_files(&mut self, page: &str, (x, y): (f64, f64), files: &[String]) {
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
            let event = json!({ "type": kind, "x": x, "y": y, "data": data });
            self.in_page(page, "Input.dispatchDragEvent", event);
        }
    }

    /// The folder in which the browser saves files.
    pub fn downloads(&self) -> PathBuf {
        self.folder.path().join("downloads")
    }

    /// The page's complaints and network requests since the last call.
    pub fn complaints(&mut self) -> Vec<Complaint> {
        let events: Vec<Value> = self.events.drain(..).collect();
        for event in &events {
            self.watch_started(event);
        }
        let complaint = |event: Value| {
            let params = &event["params"];
            Some(match event["method"].as_str()? {
                "Runtime.exceptionThrown" => {
                    Complaint::Words(format!("exception: {}", params["exceptionDetails"]))
                }
                "Runtime.consoleAPICalled" => {
                    Complaint::Words(format!("console: {}", params["args"]))
                }
                "Log.entryAdded" => Complaint::Words(format!("log: {}", params["entry"])),
                "Network.requestWillBeSent" => {
                    Complaint::Request(params["request"]["url"].as_str()?.to_owned())
                }
                _ => return None,
            })
        };
        events.into_iter().filter_map(complaint).collect()
    }
}

impl Drop for Devtools {
    fn drop(&mut self) {
        // Closes standard input first, upon which the browser ends.
        let _ = self.process.wait();
    }
}
