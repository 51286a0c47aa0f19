//! Runs the command in a temporary folder.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// A small profile: three bands, four samples.
pub const HP: &str = "JOB \"prog +RTS -hy\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\n\
    VALUE_UNIT \"bytes\"\nBEGIN_SAMPLE 0.0\nEND_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\nMap\t1000\n[]\t10\n\
    tiny\t1\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\nMap\t3000\nEND_SAMPLE 2.0\nBEGIN_SAMPLE 3.0\n\
    END_SAMPLE 3.0\n";

/// A `.hp` with these samples: the time of each, and its rows.
pub fn hp(samples: impl IntoIterator<Item = (f64, String)>) -> String {
    let samples = samples
        .into_iter()
        .map(|(time, rows)| format!("BEGIN_SAMPLE {time:.6}\n{rows}END_SAMPLE {time:.6}\n"));
    HP.split("BEGIN_SAMPLE").take(1).map(str::to_owned).chain(samples).collect()
}

pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)
}

/// A temporary folder to run the command in; removed on drop.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    pub fn inside(parent: &Path) -> Self {
        Folder(tempfile::tempdir_in(parent).expect("a folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.path().join(name), content).expect("a file");
        self
    }

    /// With an executable script for `sh`.
    #[cfg(unix)]
    pub fn with_script(self, name: &str, body: &str) -> Self {
        let folder = self.with(name, format!("#!/bin/sh\n{body}"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(folder.path().join(name), mode).expect("its own file");
        folder
    }

    pub fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> Run {
        self.run_with_input(words, b"")
    }

    /// Runs the words of a line.
    pub fn line(&self, line: &str) -> Run {
        self.run(&words(line))
    }

    /// Runs a script of a shell, for which the command is `$HEAPVIZ`.
    pub fn shell(&self, script: &str) -> Run {
        let mut shell = Command::new("bash");
        shell.args(["-c", script]).env("HEAPVIZ", env!("CARGO_BIN_EXE_heapviz"));
        self.run_command(&mut shell, b"")
    }

    pub fn run_with_input<S: AsRef<OsStr>>(&self, words: &[S], input: &[u8]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapviz"));
        self.run_command(command.args(words), input)
    }

    /// The command in this folder, without a standard input.
    pub fn heapviz<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapviz"));
        command.args(words).current_dir(self.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run_command(&self, command: &mut Command, input: &[u8]) -> Run {
        let mut child = command
            .current_dir(self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command");
        // It may exit before it has read everything.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        Run(child.wait_with_output().expect("an end"))
    }

    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    pub fn read_bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).expect("a file")
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("a file")
    }
}

/// The words of a line: what is in single quotes is one word, and `@NAME` is the path of a sample.
pub fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().collect::<Vec<_>>(),
        _ => vec![part],
    });
    let sample_of = |word: &str| {
        let name = word.strip_prefix('@').filter(|name| !name.starts_with('/'));
        name.map(sample).filter(|path| path.exists())
    };
    let word = |word| sample_of(word).map_or(word.to_owned(), |path| path.display().to_string());
    words.map(word).collect()
}

/// Every format of a run, by the ending of its file: those that the command names for an ending that it does not know.
pub fn endings() -> Vec<String> {
    let said = Folder::new().with("a.hp", "").run(&["a.hp", "-o", "heap.unknown"]).said();
    let (_, known) = said.split_once("extension: use ").expect("the endings");
    let known = known.lines().next().unwrap_or_default().split(", ");
    let endings: Vec<String> =
        known.map(|ending| ending.trim_start_matches('.').to_owned()).collect();
    assert!(endings.len() > 8 && endings.contains(&"svg".to_owned()), "{said}");
    endings
}

/// The formats of a verb, which it names for one that it does not know.
pub fn formats(verb: &str) -> Vec<String> {
    let said = Folder::new().line(&format!("{verb} a.hp b.hp -f unknown")).said();
    let (_, known) = said.split_once("[possible values: ").expect("the formats");
    let known = known.split(']').next().unwrap_or_default();
    known.split(", ").map(str::to_owned).collect()
}

/// A program that runs beside a test. It ends with the test, also with one that panics.
pub struct Running(Option<Child>);

impl Running {
    pub fn start(command: &mut Command) -> Self {
        Running(Some(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"))))
    }

    /// No program sends it, because not every machine has a program `kill`.
    #[cfg(unix)]
    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(self), signal)
            .expect("a process");
    }

    /// Waits until it ends by itself.
    pub fn end(mut self) -> Run {
        Run(self.0.take().and_then(|child| child.wait_with_output().ok()).expect("an end"))
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().expect("a program until its end")
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().expect("a program until its end")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A finished run of the command.
pub struct Run(pub Output);

impl Run {
    pub fn status(&self) -> i32 {
        self.0.status.code().expect("an exit status")
    }

    pub fn said(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    pub fn wrote(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    /// What it wrote to standard output, as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.wrote()).unwrap_or_else(|_| panic!("{}", self.said()))
    }

    /// Asserts its exit status, and that one of its outputs contains all of these texts, with `|` between them.
    pub fn says(self, status: i32, texts: &str) -> Self {
        let all = self.wrote() + &self.said();
        assert_eq!(self.status(), status, "{all}");
        texts.split('|').for_each(|text| assert!(all.contains(text), "{text}: {all}"));
        self
    }

    /// Asserts that it succeeded.
    pub fn drawn(self) -> Self {
        assert_eq!(self.status(), 0, "{}", self.said());
        self
    }

    /// Asserts that it failed with a message that contains all of `says`, and wrote nothing.
    pub fn failed(self, says: &[&str]) -> Self {
        assert_eq!(self.status(), 1, "{}", self.said());
        says.iter().for_each(|text| assert!(self.said().contains(text), "{}", self.said()));
        assert_eq!(self.wrote(), "");
        self
    }
}
