//! The cost of watching: the delay from a sample to the picture, the processor time for a busy program, and
//! the memory for a long run. `docs/measured.md` has the figures.
//!
//! It watches a stream that it writes itself, with the same command that users run; `script` provides the
//! terminal. Linux only, because it reads `/proc`.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

fn main() {
    if !cfg!(target_os = "linux") {
        return println!("these measures read /proc, which only Linux has");
    }
    // `cargo bench --bench live -- memory` measures the memory only.
    if std::env::args().any(|word| word == "memory") {
        return memory();
    }
    for view in [View::Terminal, View::Page, View::File] {
        delay(view);
    }
    for view in [View::Terminal, View::Page, View::File] {
        cpu(view);
    }
    memory();
}

/// The kind of view.
#[derive(Clone, Copy, Debug)]
enum View {
    /// In a terminal of 120 columns and 40 lines.
    Terminal,
    /// In a browser, where only the connection is made here.
    Page,
    /// In an SVG file.
    File,
}

/// A watch of a pipe that this program writes.
struct Watched {
    folder: tempfile::TempDir,
    child: Child,
    program: Option<fs::File>,
    shown: Arc<Shown>,
}

/// The output so far.
#[derive(Default)]
struct Shown {
    bytes: AtomicUsize,
    last: Mutex<Option<Instant>>,
}

impl Shown {
    /// Reads the output, and notes when it arrived.
    fn follow(self: Arc<Self>, mut source: impl Read + Send + 'static) {
        thread::spawn(move || {
            let mut piece = vec![0; 1 << 16];
            while let Ok(read @ 1..) = source.read(&mut piece) {
                *self.last.lock().expect("no panic") = Some(Instant::now());
                self.bytes.fetch_add(read, Ordering::Release);
            }
        });
    }
}

const HEAD: &str =
    "JOB \"prog +RTS -hT\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n";

/// A sample at a time in hundredths of a second.
fn sample(at: usize, bands: usize) -> String {
    let time = format!("{}.{:02}", at / 100, at % 100);
    let mut text = format!("BEGIN_SAMPLE {time}\n");
    for band in 0..bands {
        let size = 1000 + (at * (band % 7) + band * 131) % 900_000;
        text += &format!("Some.Module.band{band}\t{size}\n");
    }
    text + &format!("END_SAMPLE {time}\n")
}

impl Watched {
    fn start(view: View) -> Watched {
        let folder = tempfile::tempdir().expect("a folder");
        let program = env!("CARGO_BIN_EXE_heapviz");
        assert!(
            command("mkfifo").arg(folder.path().join("pipe")).status().expect("mkfifo").success()
        );
        let words = match view {
            View::Terminal => "--tui",
            View::Page => "--web",
            View::File => "-o heap.svg",
        };
        let line = format!("echo $$ > pid; exec {program} watch pipe {words}");
        let mut child = match view {
            View::Terminal => command("script"),
            View::Page | View::File => command("sh"),
        };
        match view {
            View::Terminal => {
                let line = format!("stty cols 120 rows 40; {line}");
                child.args(["-qefc", &line, "/dev/null"]).env("TERM", "xterm-256color");
            }
            View::Page | View::File => drop(child.args(["-c", &line])),
        }
        child.current_dir(folder.path()).stdin(Stdio::piped());
        let mut child =
            child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command");
        let shown = Arc::<Shown>::default();
        match view {
            View::Terminal => Arc::clone(&shown).follow(child.stdout.take().expect("a pipe")),
            View::Page => {
                let mut said = child.stderr.take().expect("a pipe");
                Arc::clone(&shown).follow(events(&mut said));
                thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
            }
            View::File => {}
        }
        let pipe = folder.path().join("pipe");
        let pipe = fs::OpenOptions::new().write(true).open(pipe).expect("a reader");
        let mut watched = Watched { folder, child, program: Some(pipe), shown };
        watched.write(HEAD);
        watched
    }

    fn write(&mut self, text: &str) {
        let pipe = self.program.as_mut().expect("a running program");
        pipe.write_all(text.as_bytes()).expect("a reader");
    }

    fn picture(&self) -> PathBuf {
        self.folder.path().join("heap.svg")
    }

    fn process(&self) -> String {
        fs::read_to_string(self.folder.path().join("pid")).expect("a number").trim().to_owned()
    }

    /// The processor time that it has used, in seconds.
    fn used(&self) -> f64 {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.process())).expect("a process");
        let rest = text.rsplit_once(')').expect("a name").1;
        let field = |i: usize| rest.split_whitespace().nth(i).and_then(|n| n.parse::<f64>().ok());
        // utime and stime, in hundredths of a second.
        (field(11).expect("a number") + field(12).expect("a number")) / 100.0
    }

    /// Its memory in MiB, from a line of its status.
    fn memory(&self, line: &str) -> f64 {
        let text =
            fs::read_to_string(format!("/proc/{}/status", self.process())).expect("a process");
        let line = text.lines().find(|found| found.starts_with(line)).expect("a line");
        line.split_whitespace().nth(1).and_then(|n| n.parse::<f64>().ok()).expect("a number")
            / 1024.0
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = command("kill").args(["-INT", &self.process()]).status();
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn command(name: &str) -> Command {
    Command::new(name)
}

/// The stream of events of the page at the address it prints.
fn events(said: &mut impl Read) -> TcpStream {
    let mut text = String::new();
    let mut byte = [0];
    while !text.contains("hint") && said.read(&mut byte).expect("words") == 1 {
        text.push(char::from(byte[0]));
    }
    let address = text.split_whitespace().find_map(|word| word.strip_prefix("http://"));
    let (host, path) = address.and_then(|address| address.split_once('/')).expect("an address");
    let mut stream = TcpStream::connect(host).expect("a connection");
    write!(stream, "GET /{path}events HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("a request");
    stream
}

/// The delay from a sample's arrival to the picture, for occasional samples.
fn delay(view: View) {
    let mut watched = Watched::start(view);
    let mut delays = Vec::new();
    for i in 0..25 {
        let before = watched.shown.bytes.load(Ordering::Acquire);
        let drawn = fs::metadata(watched.picture()).and_then(|about| about.modified()).ok();
        watched.write(&sample(100 * i, 50));
        let written = Instant::now();
        let shown = loop {
            match view {
                View::File => {
                    let now =
                        fs::metadata(watched.picture()).and_then(|about| about.modified()).ok();
                    if now > drawn {
                        break Instant::now();
                    }
                }
                View::Terminal | View::Page => {
                    if watched.shown.bytes.load(Ordering::Acquire) > before {
                        break watched.shown.last.lock().expect("no panic").expect("a time");
                    }
                }
            }
            assert!(written.elapsed() < Duration::from_secs(20), "nothing is shown");
            thread::sleep(Duration::from_millis(1));
        };
        // The first pictures show an empty heap.
        if i >= 5 {
            delays.push(shown.saturating_duration_since(written).as_secs_f64() * 1000.0);
        }
        // Longer than the least time between pictures, and not in phase with them. A terminal also updates
        // the elapsed time twice a second.
        let rest = if matches!(view, View::File) { 1130 } else { 330 + 17 * (i as u64 % 5) };
        thread::sleep(Duration::from_millis(rest));
    }
    delays.sort_by(f64::total_cmp);
    println!(
        "delay, {view:?}: {:.0} ms in the middle, {:.0} ms at most (20 samples)",
        delays[delays.len() / 2],
        delays[delays.len() - 1]
    );
}

/// The share of a processor for 100 samples a second of 1000 bands, over 20 seconds.
fn cpu(view: View) {
    const SECONDS: usize = 20;
    let mut watched = Watched::start(view);
    let texts: Vec<String> = (0..100 * SECONDS).map(|at| sample(at, 1000)).collect();
    let (began, used) = (Instant::now(), watched.used());
    for (i, text) in texts.iter().enumerate() {
        watched.write(text);
        let due = began + Duration::from_millis(10 * (i as u64 + 1));
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    let share = 100.0 * (watched.used() - used) / began.elapsed().as_secs_f64();
    println!("processor, {view:?}: {share:.1} % of a core at 100 samples/s of 1000 bands");
}

/// The most memory after 24 hours of 10 samples a second of 50 bands, fed as fast as they are read.
fn memory() {
    let mut watched = Watched::start(View::Page);
    for hour in 0..24 {
        for at in 0..36_000 {
            let sample = sample((hour * 36_000 + at) * 10, 50);
            watched.write(&sample);
        }
        if [0, 1, 5, 8, 11, 17, 23].contains(&hour) {
            let [now, most] = ["VmRSS:", "VmHWM:"].map(|line| watched.memory(line));
            println!("memory, after {} h: {now:.0} MiB, {most:.0} MiB at most", hour + 1);
        }
    }
}
