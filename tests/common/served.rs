//! A `heapviz watch --web` or `--serve` that runs during a test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use super::command::Running;

/// A running watch, and the address of its page.
pub struct Served {
    child: Running,
    pub address: String,
}

impl Served {
    /// With `--web`.
    pub fn start(folder: &Path, words: &[&str]) -> Served {
        Served::watch(folder, &[&["--web"], words].concat())
    }

    /// With these words only.
    pub fn watch(folder: &Path, words: &[&str]) -> Served {
        Served::of(
            Command::new(env!("CARGO_BIN_EXE_heapviz"))
                .arg("watch")
                .args(words)
                .current_dir(folder),
        )
    }

    /// A command that is one.
    pub fn of(command: &mut Command) -> Served {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = Running::start(command);
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned)
        });
        // Read the rest of its output, or it blocks when the pipe is full.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Served { child, address: address.expect("an address") }
    }

    /// `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        self.address.split('/').nth(2).expect("a host")
    }

    /// Everything that is answered to some bytes until the connection closes.
    pub fn answer(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.host()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
        // A request that is too big is refused before all of it is written.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// The head and the body of the answer to `GET`, with more headers, each with its line end.
    pub fn get(&self, path: &str, more: &str) -> (String, Vec<u8>) {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{more}\r\n", self.host());
        let answer = self.answer(request.as_bytes());
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end + 4..].to_vec())
    }

    /// The path of the page: `/TOKEN/`.
    pub fn path(&self) -> &str {
        let (_, path) = self.address.split_once(self.host()).expect("a path");
        path
    }

    /// Ends it with an interrupt, as Ctrl+C does, and returns its exit status.
    pub fn interrupt(&mut self) -> Option<i32> {
        self.child.signal(Signal::INT);
        self.wait()
    }

    /// Waits until it ends by itself, and returns its exit status.
    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("an end").code()
    }
}
