//! A `heapviz watch --web` that runs during a test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running watch, and the address of its page.
pub struct Served {
    child: Child,
    pub address: String,
}

impl Served {
    pub fn start(folder: &Path, words: &[&str]) -> Served {
        let mut child = Command::new(env!("CARGO_BIN_EXE_heapviz"))
            .arg("watch")
            .args(words)
            .arg("--web")
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command");
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

    /// The path of the page: `/TOKEN/`.
    pub fn path(&self) -> &str {
        let (_, path) = self.address.split_once(self.host()).expect("a path");
        path
    }

    /// Ends it with an interrupt, as Ctrl+C does, and returns its exit status.
    pub fn interrupt(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().expect("kill");
        self.child.wait().expect("an end").code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
