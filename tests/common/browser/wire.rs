//! The process of a browser, and the WebSocket that controls it.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use super::PATIENCE;

/// Whether a browser ends with the tests even if nobody ends it: needs a shell.
pub const ENDS_WITH_TESTS: bool = cfg!(unix);

/// Runs a program until standard input closes, then removes a folder. Standard error is the program's
/// alone, so that it closes if the program does not run.
const UNTIL_CLOSED: &str = r#"folder=$1; shift; "$@" < /dev/null & exec 2> /dev/null
read -r _; kill -9 $!; wait $!; rm -rf "$folder""#;

/// Each command has a number, which its answer repeats; events may arrive in between.
pub struct Wire {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    last_id: u64,
    /// Events that have not been read yet.
    pub events: VecDeque<Value>,
    folder: tempfile::TempDir,
}

impl Wire {
    /// Starts a program that prints `announcement` and its address to stderr, and connects to `path` at
    /// that address. `None` if it does not run.
    pub fn start(
        mut command: Command,
        folder: tempfile::TempDir,
        announcement: &str,
        path: &str,
    ) -> Option<Wire> {
        fs::create_dir(downloads_in(folder.path())).expect("a folder for downloads");
        if ENDS_WITH_TESTS {
            let mut shell = Command::new("sh");
            shell.args(["-c", UNTIL_CLOSED, "sh"]).arg(folder.path());
            shell.arg(command.get_program()).args(command.get_args());
            command = shell;
        }
        // A browser that is killed leaves its temporary files.
        command.env("TMPDIR", folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().ok()?;
        let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix(announcement).map(|rest| rest.trim().to_owned()));
        let Some(address) = address else {
            // A placeholder that only says how to install the browser, or a browser that does not run here.
            // To wait closes the shell's standard input.
            let _ = process.wait();
            return None;
        };
        // Read the rest of its output, or it blocks when the pipe is full.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let (socket, _) =
            tungstenite::connect(format!("{address}{path}")).expect("a connection to the browser");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
            stream.set_nodelay(true).expect("no delay");
        }
        Some(Wire { process, socket, last_id: 0, events: VecDeque::new(), folder })
    }

    /// The folder in which the browser saves files.
    pub fn downloads(&self) -> PathBuf {
        downloads_in(self.folder.path())
    }

    /// Sends a command and waits for its answer, an object with a result or an error.
    pub fn call(&mut self, mut command: Value) -> Value {
        self.last_id += 1;
        command["id"] = json!(self.last_id);
        self.socket.send(Message::text(command.to_string())).expect("the browser to listen");
        loop {
            let message = self.socket.read().unwrap_or_else(|error| {
                panic!("the browser does not answer {}: {error}", command["method"])
            });
            let Message::Text(text) = message else { continue };
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            if answer["id"] == command["id"] {
                return answer;
            }
            self.events.push_back(answer);
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if !ENDS_WITH_TESTS {
            let _ = self.process.kill();
        }
        // Closes standard input first, upon which the shell kills the browser.
        let _ = self.process.wait();
    }
}

/// Where a browser with this folder saves files.
pub fn downloads_in(folder: &Path) -> PathBuf {
    folder.join("downloads")
}

/// The first of these programs that `start` can start; the variable may name another one.
pub fn first_of<T>(
    variable: &str,
    names: &[&str],
    start: impl FnMut(&str) -> Option<T>,
) -> Option<T> {
    let named = std::env::var(variable).ok();
    named.iter().map(String::as_str).chain(names.iter().copied()).find_map(start)
}
