//! Reads a source, in a separate thread.

use std::fs::{self, File};
use std::io::{self, Read};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{LOOK, LiveSource, Shared, WatchEnd, WatchedProgram, follow, is_socket, surviving};
use crate::cli::read::similar;
use crate::cli::{Input, Message};
use crate::input::Buffer;
use crate::program::residency;

/// The longest pause between two attempts to connect. Each successful attempt costs the program a
/// file descriptor for ever, so attempts are rare.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
const PIECE: usize = 64 << 10;

pub struct ReaderThread {
    thread: JoinHandle<()>,
    program: Option<Arc<WatchedProgram>>,
}

pub fn spawn(
    source: LiveSource,
    shared: Arc<Shared>,
    forever: bool,
    program: Option<WatchedProgram>,
) -> ReaderThread {
    let program = program.map(Arc::new);
    if let Some(program) = program.clone() {
        residency::cannot_be_read().into_iter().for_each(|note| shared.say(note));
        shared.state().begin_program();
        let shared = Arc::clone(&shared);
        thread::spawn(move || read_memory(&program, &shared));
    }
    let started = program.clone();
    let thread = thread::spawn(move || {
        let read = || read(&source, &shared, forever, started.as_deref());
        while surviving("reading", read).is_none() {
            if !forever {
                shared.fail(Message::error("the source was not read to its end"));
                break;
            }
            sleep(LONGEST_PAUSE, &shared);
        }
        if shared.state().engine.samples().0 == 0 {
            started.and_then(|program| program.advice()).into_iter().for_each(|m| shared.say(m));
        }
        shared.finish();
    });
    ReaderThread { thread, program }
}

impl ReaderThread {
    /// Waits for the thread if it has nothing more to do, and for the program if one was started.
    /// Returns the program's exit status.
    pub fn join_if_done(self, ended: WatchEnd) -> Option<u8> {
        // A thread that waits for a pipe ends with the process.
        if ended == WatchEnd::Run {
            let _ = self.thread.join();
        }
        self.program.map(|program| program.wait(ended))
    }
}

/// Reads the resident memory of the program as long as it runs.
fn read_memory(program: &WatchedProgram, shared: &Shared) {
    while !program.has_ended() {
        if let Some(memory) = &mut shared.state().memory {
            memory.look(program.id());
        }
        thread::sleep(LOOK);
    }
}

fn read(source: &LiveSource, shared: &Shared, forever: bool, program: Option<&WatchedProgram>) {
    match source {
        LiveSource::Input(Input::Stdin) => {
            shared.connected();
            drain(io::stdin().lock(), shared);
        }
        LiveSource::Tcp(address) => connect_again(shared, forever, || tcp(address)),
        LiveSource::Input(Input::File(path)) => watch_path(path, shared, forever, program),
    }
}

/// Reads a path, whether it is a file, a pipe or a socket.
fn watch_path(path: &Path, shared: &Shared, forever: bool, program: Option<&WatchedProgram>) {
    let began = Instant::now();
    let mut path = path.to_owned();
    let mut meant = None;
    while !shared.stopped() {
        let about = fs::metadata(&path);
        if let Err(error) = &about
            && error.kind() != io::ErrorKind::NotFound
        {
            return shared.cannot_read(&path, error);
        }
        let Ok(about) = about else {
            if let Some(program) = program {
                if let Some((other, why)) = program.other_source(began.elapsed()) {
                    shared.say(why);
                    path = other;
                    continue;
                }
                if program.has_ended() {
                    return;
                }
            }
            // A program that was started writes its log under this name.
            let meant = meant.get_or_insert_with(|| match program {
                None => {
                    similar(&path).filter(|other| fs::metadata(other).is_ok_and(|a| a.is_file()))
                }
                Some(_) => None,
            });
            let meant = meant
                .as_ref()
                .map_or_else(String::new, |meant| format!("; did you mean {}?", meant.display()));
            let name = path.display();
            shared.wait_for(format!("waiting for {name}, which does not exist yet{meant}"));
            thread::sleep(LOOK);
            continue;
        };
        if is_socket(&about) {
            return socket(&path, shared, forever);
        }
        if about.is_dir() {
            return shared.cannot_read(&path, &io::ErrorKind::IsADirectory.into());
        }
        if about.is_file() {
            return follow::follow(&path, shared, forever, program);
        }
        // A pipe or a device. Opening a pipe waits for the program that writes to it.
        shared.wait_for(format!("waiting for a program to open {}", path.display()));
        match File::open(&path) {
            Ok(file) => {
                shared.connected();
                drain(file, shared);
            }
            Err(error) => return shared.cannot_read(&path, &error),
        }
        if !forever {
            return;
        }
        thread::sleep(LOOK);
    }
}

/// Reads to the end, even while the picture is paused: a program whose pipe is full would stop.
fn drain(source: impl Read, shared: &Shared) {
    if let Err(error) = receive(source, shared) {
        shared.fail(Message::error(format!("cannot continue reading: {error}")));
    }
    shared.closed();
}

/// A connection, and a second handle to write to it.
/// Connects, reads until the connection ends, and tries again after increasing pauses.
fn connect_again<R: Read>(
    shared: &Shared,
    forever: bool,
    mut connect: impl FnMut() -> io::Result<R>,
) {
    let mut pause = LOOK;
    while !shared.stopped() {
        match connect() {
            Ok(stream) => {
                let began = Instant::now();
                shared.connected();
                let _ = receive(stream, shared);
                shared.closed();
                if !forever {
                    return;
                }
                // If a server closes at once, the pauses become longer.
                if began.elapsed() > LONGEST_PAUSE {
                    pause = LOOK;
                }
            }
            Err(_) if shared.stopped() => return,
            Err(error) => shared.wait_for(refusal(&error)),
        }
        sleep(pause, shared);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Why there is no connection, in words.
#[allow(clippy::wildcard_enum_match_arm, reason = "the system has many kinds of errors")]
fn refusal(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "waiting for the program: there is no socket yet".to_owned(),
        io::ErrorKind::ConnectionRefused => {
            "waiting for the program: nothing listens on the socket (a killed program leaves its socket in place)"
                .to_owned()
        }
        _ => format!("cannot connect: {error}; trying again"),
    }
}

fn sleep(pause: Duration, shared: &Shared) {
    let until = Instant::now() + pause;
    while !shared.stopped() && Instant::now() < until {
        thread::sleep(LOOK.min(pause));
    }
}

/// Reads to the end, or until the watch ends, which a source that is silent notices after a while.
#[allow(clippy::wildcard_enum_match_arm, reason = "the system has many kinds of errors")]
fn receive(mut source: impl Read, shared: &Shared) -> io::Result<()> {
    let mut piece = Buffer::new(PIECE);
    while !shared.stopped() {
        match source.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => shared.bytes(&piece[..read]),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock
                | io::ErrorKind::TimedOut
                | io::ErrorKind::Interrupted => {}
                _ => return Err(error),
            },
        }
    }
    Ok(())
}

/// Closes with a reset: after an orderly end, the program would busily serve the closed connection
/// until its next write.
fn tcp(address: &str) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, Duration::from_secs(5)) {
            Ok(stream) => {
                socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
                stream.set_read_timeout(Some(LOOK))?;
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

#[cfg(unix)]
fn socket(path: &Path, shared: &Shared, forever: bool) {
    use std::os::unix::net::UnixStream;
    connect_again(shared, forever, || {
        let about = fs::metadata(path)?;
        let owner = std::os::unix::fs::MetadataExt::uid(&about);
        // The user's own programs, and root's.
        if owner != 0 && owner != rustix::process::geteuid().as_raw() {
            let path = path.display();
            shared.fail(
                Message::error(format!("{path} belongs to another user (number {owner})"))
                    .hint("heapviz connects only to sockets of your own programs and of root"),
            );
            shared.stop();
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(LOOK))?;
        Ok(stream)
    });
}

#[cfg(not(unix))]
fn socket(_: &Path, shared: &Shared, _: bool) {
    shared.fail(
        Message::error("sockets in the file system need a Unix system").hint("use host:port"),
    );
}
