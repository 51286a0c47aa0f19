//! Controls Chromium over its DevTools protocol.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::wire::{Wire, first_of};
use super::{Complaint, Held, Mouse, Protocol, Touch};

pub struct Devtools {
    wire: Wire,
    /// Whether the left button is held; the protocol requires it with every movement.
    pressed: bool,
}

impl Devtools {
    pub fn start() -> Option<Devtools> {
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        first_of("HEAPVIZ_CHROMIUM", &names, |name| {
            let folder = tempfile::tempdir().expect("a folder");
            let mut command = Command::new(name);
            command
                .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
                .args(["--no-first-run", "--disable-background-networking", "--disable-extensions"])
                .args(["--force-color-profile=srgb", "--hide-scrollbars"])
                .args(["--remote-debugging-port=0", "about:blank"])
                .arg(format!("--user-data-dir={}", folder.path().display()));
            let wire = Wire::start(command, folder, "DevTools listening on ", "")?;
            let mut devtools = Devtools { wire, pressed: false };
            let saves = json!({ "behavior": "allow", "downloadPath": devtools.wire.downloads() });
            devtools.call(None, "Browser.setDownloadBehavior", saves);
            Some(devtools)
        })
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        let mut command = json!({ "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = json!(session);
        }
        let answer = self.wire.call(command);
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
                self.wire.call(json!({ "method": method, "sessionId": session }));
            }
        }
    }

    /// Calls a method on a page.
    pub fn in_page(&mut self, page: &str, method: &str, params: Value) -> Value {
        self.call(Some(page), method, params)
    }
}

impl Protocol for Devtools {
    fn open(&mut self) -> String {
        let target = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let session = self.attach(&target["targetId"]);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.in_page(&session, &format!("{domain}.enable"), json!({}));
        }
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        self.in_page(&session, "Target.setAutoAttach", attach);
        session
    }

    fn close(&mut self, page: &str) {
        let target = self.in_page(page, "Target.getTargetInfo", json!({}));
        let params = json!({ "targetId": target["targetInfo"]["targetId"] });
        self.call(None, "Target.closeTarget", params);
    }

    fn navigate(&mut self, page: &str, url: &str) {
        self.in_page(page, "Page.navigate", json!({ "url": url }));
    }

    fn evaluate(&mut self, page: &str, expression: &str) -> Result<Value, String> {
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

    fn mouse(&mut self, page: &str, what: Mouse, (x, y): (f64, f64), held: Held) {
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

    fn touch(&mut self, page: &str, what: Touch, at: &[(f64, f64)]) {
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

    fn press(&mut self, page: &str, key: &str) {
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

    fn resize(&mut self, page: &str, width: u32, height: u32) {
        let params =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.in_page(page, "Emulation.setDeviceMetricsOverride", params);
    }

    fn phone(&mut self, page: &str) {
        let metrics =
            json!({ "width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": true });
        self.in_page(page, "Emulation.setDeviceMetricsOverride", metrics);
        let touch = json!({ "enabled": true, "maxTouchPoints": 2 });
        self.in_page(page, "Emulation.setTouchEmulationEnabled", touch);
    }

    fn screenshot(&mut self, page: &str) -> Value {
        self.in_page(page, "Page.captureScreenshot", json!({ "format": "png" }))["data"].clone()
    }

    fn print(&mut self, page: &str) -> Value {
        self.in_page(page, "Page.printToPDF", json!({ "printBackground": true }))["data"].clone()
    }

    fn evaluate_in_frame(&mut self, _: &str, expression: &str) -> Result<Value, String> {
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

    fn choose(&mut self, page: &str, selector: &str, files: &[String]) {
        let document = self.in_page(page, "DOM.getDocument", json!({}));
        let found = json!({ "nodeId": document["root"]["nodeId"], "selector": selector });
        let node = self.in_page(page, "DOM.querySelector", found);
        let chosen = json!({ "nodeId": node["nodeId"], "files": files });
        self.in_page(page, "DOM.setFileInputFiles", chosen);
    }

    fn drop_files(&mut self, page: &str, (x, y): (f64, f64), files: &[String]) {
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
            let event = json!({ "type": kind, "x": x, "y": y, "data": data });
            self.in_page(page, "Input.dispatchDragEvent", event);
        }
    }

    fn downloads(&self) -> PathBuf {
        self.wire.downloads()
    }

    fn complaints(&mut self) -> Vec<Complaint> {
        let events: Vec<Value> = self.wire.events.drain(..).collect();
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
