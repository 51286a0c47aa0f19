//! Controls Firefox over WebDriver BiDi.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::wire::{Wire, downloads_in, first_of};
use super::{Complaint, Held, Mouse, Protocol, Touch};

/// Turns off features of Firefox that use the network or slow tests down.
const PREFERENCES: &str = "user_pref('app.normandy.enabled', false);
user_pref('app.update.disabledForTesting', true);
user_pref('browser.shell.checkDefaultBrowser', false);
user_pref('browser.startup.page', 0);
user_pref('browser.aboutwelcome.enabled', false);
user_pref('browser.newtabpage.enabled', false);
user_pref('datareporting.policy.dataSubmissionEnabled', false);
user_pref('datareporting.policy.dataSubmissionPolicyBypassNotification', true);
user_pref('extensions.update.enabled', false);
user_pref('network.captive-portal-service.enabled', false);
user_pref('network.connectivity-service.enabled', false);
user_pref('services.settings.server', 'data:,#');
user_pref('toolkit.telemetry.reportingpolicy.firstRun', false);
user_pref('toolkit.cosmeticAnimations.enabled', false);
user_pref('accessibility.tabfocus', 7);
user_pref('layout.css.prefers-color-scheme.content-override', 1);
user_pref('ui.prefersReducedMotion', 1);
user_pref('fission.autostart', false);
user_pref('dom.ipc.processPrelaunch.enabled', false);
user_pref('browser.download.folderList', 2);
";

pub struct Bidi {
    wire: Wire,
}

impl Bidi {
    pub fn start() -> Option<Bidi> {
        let wire = first_of("HEAPVIZ_FIREFOX", &["firefox-esr", "firefox"], |name| {
            let folder = tempfile::tempdir().expect("a folder");
            let downloads = json!(downloads_in(folder.path()));
            let preferences =
                format!("{PREFERENCES}user_pref('browser.download.dir', {downloads});\n");
            fs::write(folder.path().join("user.js"), preferences).expect("written preferences");
            let mut command = Command::new(name);
            command
                .args(["--headless", "--no-remote", "--remote-debugging-port", "0"])
                .arg("--profile")
                .arg(folder.path());
            Wire::start(command, folder, "WebDriver BiDi listening on ", "/session")
        })?;
        let mut bidi = Bidi { wire };
        bidi.call("session.new", json!({ "capabilities": {} }));
        Some(bidi)
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.wire.call(json!({ "method": method, "params": params }));
        assert!(
            answer["type"] == json!("success"),
            "{method}: {} {}",
            answer["error"],
            answer["message"]
        );
        answer["result"].clone()
    }

    fn act(&mut self, page: &str, sources: Value) {
        self.call("input.performActions", json!({ "context": page, "actions": sources }));
    }
}

/// A pointer as a source of actions.
fn pointer(id: &str, kind: &str, actions: &[Value]) -> Value {
    let parameters = json!({ "pointerType": kind });
    json!({ "type": "pointer", "id": id, "parameters": parameters, "actions": actions })
}

fn keys(actions: &[Value]) -> Value {
    json!({ "type": "key", "id": "keys", "actions": actions })
}

fn move_to((x, y): (f64, f64)) -> Value {
    json!({ "type": "pointerMove", "x": x.round(), "y": y.round() })
}

/// A key in WebDriver's encoding.
fn key_value(key: &str) -> &str {
    match key {
        "Backspace" => "\u{e003}",
        "Tab" => "\u{e004}",
        "Enter" => "\u{e007}",
        "Escape" => "\u{e00c}",
        "PageUp" => "\u{e00e}",
        "PageDown" => "\u{e00f}",
        "End" => "\u{e010}",
        "Home" => "\u{e011}",
        "ArrowLeft" => "\u{e012}",
        "ArrowUp" => "\u{e013}",
        "ArrowRight" => "\u{e014}",
        "ArrowDown" => "\u{e015}",
        key if key.chars().count() == 1 => key,
        key => panic!("a key that is not in the list: {key}"),
    }
}

impl Protocol for Bidi {
    fn open(&mut self) -> String {
        let tab = self.call("browsingContext.create", json!({ "type": "tab" }));
        let page = tab["context"].as_str().expect("a page").to_owned();
        // Otherwise the tab has the size of the last one.
        self.resize(&page, 1280, 800);
        // Only for this page and its frames: Firefox's internal pages load things, too.
        let events = ["log.entryAdded", "network.beforeRequestSent"];
        self.call("session.subscribe", json!({ "events": events, "contexts": [page] }));
        page
    }

    fn close(&mut self, page: &str) {
        self.call("browsingContext.close", json!({ "context": page }));
    }

    fn navigate(&mut self, page: &str, url: &str) {
        let params = json!({ "context": page, "url": url, "wait": "interactive" });
        self.call("browsingContext.navigate", params);
    }

    fn evaluate(&mut self, page: &str, expression: &str) -> Result<Value, String> {
        // Values are returned as JSON text: the protocol's own encoding has no plain numbers.
        let params = json!({
            "expression": format!("(async () => JSON.stringify(await ({expression})))()"),
            "target": { "context": page },
            "awaitPromise": true,
            "userActivation": true,
        });
        let answer = self.call("script.evaluate", params);
        if answer["type"] == json!("exception") {
            return Err(answer["exceptionDetails"]["text"].to_string());
        }
        let text = answer["result"]["value"].as_str();
        Ok(text.map_or(Value::Null, |text| serde_json::from_str(text).expect("JSON")))
    }

    fn mouse(&mut self, page: &str, what: Mouse, at: (f64, f64), held: Held) {
        let modifier = match held {
            Held::Nothing => None,
            Held::Shift => Some("\u{e008}"),
            Held::Ctrl => Some("\u{e009}"),
        };
        let key = |page: &str, bidi: &mut Bidi, kind: &str| {
            if let Some(value) = modifier {
                bidi.act(page, json!([keys(&[json!({ "type": kind, "value": value })])]));
            }
        };
        key(page, self, "keyDown");
        let source = match what {
            Mouse::Move => pointer("mouse", "mouse", &[move_to(at)]),
            Mouse::Press => {
                let down = json!({ "type": "pointerDown", "button": 0 });
                pointer("mouse", "mouse", &[move_to(at), down])
            }
            Mouse::Release => {
                let up = json!({ "type": "pointerUp", "button": 0 });
                pointer("mouse", "mouse", &[move_to(at), up])
            }
            Mouse::Wheel(right, down) => {
                let (x, y) = (at.0.round(), at.1.round());
                let scroll =
                    json!({ "type": "scroll", "x": x, "y": y, "deltaX": right, "deltaY": down });
                json!({ "type": "wheel", "id": "wheel", "actions": [scroll] })
            }
        };
        self.act(page, json!([source]));
        key(page, self, "keyUp");
    }

    fn touch(&mut self, page: &str, what: Touch, at: &[(f64, f64)]) {
        if what == Touch::End {
            self.call("input.releaseActions", json!({ "context": page }));
            return;
        }
        let finger = |(id, &place): (usize, &(f64, f64))| {
            let mut actions = vec![move_to(place)];
            if what == Touch::Start {
                actions.push(json!({ "type": "pointerDown", "button": 0 }));
            }
            pointer(&format!("finger{id}"), "touch", &actions)
        };
        let fingers: Vec<Value> = at.iter().enumerate().map(finger).collect();
        self.act(page, json!(fingers));
    }

    fn press(&mut self, page: &str, key: &str) {
        let value = key_value(key);
        let strokes = ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": value }));
        self.act(page, json!([keys(&strokes)]));
    }

    fn resize(&mut self, page: &str, width: u32, height: u32) {
        let viewport = json!({ "width": width, "height": height });
        let params = json!({ "context": page, "viewport": viewport, "devicePixelRatio": 1 });
        self.call("browsingContext.setViewport", params);
    }

    fn phone(&mut self, page: &str) {
        let viewport = json!({ "width": 390, "height": 800 });
        let params = json!({ "context": page, "viewport": viewport, "devicePixelRatio": 2 });
        self.call("browsingContext.setViewport", params);
    }

    fn screenshot(&mut self, page: &str) -> Value {
        self.call("browsingContext.captureScreenshot", json!({ "context": page }))["data"].clone()
    }

    fn print(&mut self, page: &str) -> Value {
        let params = json!({ "context": page, "background": true });
        self.call("browsingContext.print", params)["data"].clone()
    }

    fn evaluate_in_frame(&mut self, page: &str, expression: &str) -> Result<Value, String> {
        let tree = self.call("browsingContext.getTree", json!({ "root": page }));
        match tree["contexts"][0]["children"][0]["context"].as_str() {
            Some(frame) => self.evaluate(frame, expression),
            None => Ok(Value::Null),
        }
    }

    fn choose(&mut self, page: &str, selector: &str, files: &[String]) {
        let locator = json!({ "type": "css", "value": selector });
        let params = json!({ "context": page, "locator": locator });
        let found = self.call("browsingContext.locateNodes", params);
        let element = json!({ "sharedId": found["nodes"][0]["sharedId"] });
        let chosen = json!({ "context": page, "element": element, "files": files });
        self.call("input.setFiles", chosen);
    }

    /// BiDi cannot drag files into a page, so a script makes the events, with files that were chosen in an
    /// input of its own.
    fn drop_files(&mut self, page: &str, (x, y): (f64, f64), files: &[String]) {
        let run = |bidi: &mut Bidi, script: &str| {
            bidi.evaluate(page, script).unwrap_or_else(|error| panic!("{script}: {error}"))
        };
        run(
            self,
            "(() => { const input = document.createElement('input'); input.type = 'file'; \
             input.multiple = true; input.id = 'dropped'; document.body.append(input) })()",
        );
        self.choose(page, "#dropped", files);
        let drop = "(() => { const input = document.getElementById('dropped'); input.remove(); \
             const dataTransfer = new DataTransfer(); \
             for (const file of input.files) dataTransfer.items.add(file); \
             const target = document.elementFromPoint(X, Y); \
             for (const kind of ['dragenter', 'dragover', 'drop']) target.dispatchEvent(\
             new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer })) })()";
        run(self, &drop.replace("X, Y", &format!("{x}, {y}")));
    }

    fn downloads(&self) -> PathBuf {
        self.wire.downloads()
    }

    fn complaints(&mut self) -> Vec<Complaint> {
        let complaint = |event: Value| {
            let params = &event["params"];
            Some(match event["method"].as_str()? {
                "log.entryAdded" => Complaint::Words(format!("log: {}", params["text"])),
                "network.beforeRequestSent" => {
                    Complaint::Request(params["request"]["url"].as_str()?.to_owned())
                }
                _ => return None,
            })
        };
        self.wire.events.drain(..).filter_map(complaint).collect()
    }
}
