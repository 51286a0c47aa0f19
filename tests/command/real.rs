//! `heapviz watch` on a real program that serves its event log, from GHC to the picture. Needs `ghc`, and
//! `HEAPVIZ_LIVE=1` because it takes half a minute.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::common;
use crate::common::command::Folder;

/// The compiled program; `None` if it cannot be built.
fn built() -> Option<Folder> {
    if std::env::var_os("HEAPVIZ_LIVE").is_none() {
        common::skipped("set HEAPVIZ_LIVE=1 to watch a real program");
        return None;
    }
    let server = common::shared_data()?.join("live/server");
    let folder = Folder::new();
    for file in ["Live.hs", "livesock.c"] {
        fs::copy(server.join(file), folder.path().join(file)).expect("the program's source");
    }
    let built = Command::new("ghc")
        .args(["-v0", "-O1", "-rtsopts", "-eventlog", "-threaded"])
        .args(["Live.hs", "livesock.c", "-o", "live"])
        .current_dir(folder.path())
        .status();
    match built {
        Ok(status) if status.success() => Some(folder),
        _ => {
            common::skipped("no ghc that builds the program (apt-get install ghc)");
            None
        }
    }
}

/// The program, serving at `s.sock` and waiting for its first viewer.
fn start(folder: &Folder, seconds: &str) -> Child {
    Command::new(folder.path().join("live"))
        .args([seconds, "busy", "+RTS", "-hT", "-i0.1", "-l-au"])
        .current_dir(folder.path())
        .env("LIVE_SOCKET", "s.sock")
        .env("LIVE_WAIT", "1")
        .stdout(Stdio::null())
        .spawn()
        .expect("the program")
}

/// A running watch, with its messages as they are printed.
struct Watched {
    child: Child,
    lines: Receiver<String>,
}

impl Watched {
    fn start(folder: &Folder, words: &[&str]) -> Watched {
        let mut command = folder.heapviz(&[&["watch"], words].concat());
        let mut child = command.stdout(Stdio::null()).spawn().expect("the command");
        let said = BufReader::new(child.stderr.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            said.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        });
        Watched { child, lines }
    }

    /// Waits until it has printed a message with this text.
    fn hears(&self, text: &str) {
        let mut heard = Vec::new();
        loop {
            match self.lines.recv_timeout(Duration::from_secs(20)) {
                Ok(line) if line.contains(text) => return,
                Ok(line) => heard.push(line),
                Err(_) => panic!("waited in vain for `{text}`: {heard:#?}"),
            }
        }
    }

    fn end(&mut self) -> Option<i32> {
        self.child.wait().expect("an end").code()
    }
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().expect("kill").success());
}

fn samples_in(folder: &Folder, csv: &str) -> usize {
    let text = folder.read(csv);
    let times: std::collections::BTreeSet<&str> =
        text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    times.len()
}

#[test]
fn a_real_program_is_watched_through_a_kill_and_a_restart() {
    let Some(folder) = built() else { return };
    let words = ["s.sock", "--forever", "-o", "heap.csv", "--record", "all.eventlog"];
    let mut watched = Watched::start(&folder, &words);
    watched.hears("waiting for s.sock");
    let mut first = start(&folder, "20");
    watched.hears("only the header");
    thread::sleep(Duration::from_secs(1));
    signal(&first, "-KILL");
    first.wait().unwrap();
    // Its socket is left behind, and nothing listens on it.
    watched.hears("nothing listens");
    let mut second = start(&folder, "3");
    watched.hears("the run has ended");
    assert!(second.wait().unwrap().success());
    signal(&watched.child, "-INT");
    assert_eq!(watched.end(), Some(0));
    assert!(samples_in(&folder, "heap.csv") >= 15);
    // A GHC before 9.2 flushes nothing while it runs. The killed run has only a header, which does not
    // identify the run and precedes the next one.
    folder.run(&["all.eventlog", "-q", "-o", "again.csv"]).drawn();
    assert_eq!(samples_in(&folder, "again.csv"), samples_in(&folder, "heap.csv"));
}

#[test]
fn of_two_viewers_the_second_waits_and_is_served_when_the_first_leaves() {
    let Some(folder) = built() else { return };
    let mut program = start(&folder, "6");
    thread::sleep(Duration::from_millis(500));
    let mut first = Watched::start(&folder, &["s.sock", "-o", "first.csv"]);
    first.hears("only the header");
    let mut second = Watched::start(&folder, &["s.sock", "-o", "second.csv"]);
    second.hears("connected, nothing yet");
    signal(&first.child, "-INT");
    first.end();
    second.hears("only the header");
    second.hears("the run has ended");
    assert!(program.wait().unwrap().success());
    assert_eq!(second.end(), Some(0));
    assert!(samples_in(&folder, "second.csv") >= 10);
}
