//! `heapviz watch` on sources of every kind.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::command::{Folder, HP, Run, Running, sample};
use crate::hunt::{processes_with, wait_until_gone};
use crate::terminal::in_a_terminal;

/// Starts a watch in the background.
fn watch(folder: &Folder, words: &[&str]) -> Running {
    Running::start(&mut folder.heapviz(&[&["watch"], words].concat()))
}

/// Starts a watch of a shell that says `ready`, and waits for that.
fn watch_shell(folder: &Folder, script: &str) -> Running {
    let mut watched = watch(folder, &["--", "sh", "-c", script]);
    watched.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    watched
}

/// The output of `heapviz draw` for the same bytes.
fn drawn(folder: &Folder, bytes: &[u8], ending: &str) -> String {
    fs::write(folder.path().join("all.bytes"), bytes).unwrap();
    let output = format!("drawn.{ending}");
    folder.run(&["all.bytes", "-q", "-o", &output]).drawn();
    folder.read(&output)
}

/// Writes in pieces, with a pause after each.
pub fn play(mut to: impl Write, bytes: &[u8], pieces: usize) {
    for piece in bytes.chunks(bytes.len() / pieces + 1) {
        to.write_all(piece).expect("a reader");
        thread::sleep(Duration::from_millis(30));
    }
}

pub fn wait_for(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < Duration::from_secs(20), "{} never came", path.display());
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_address_is_not_told_with_redact() {
    let bytes = fs::read(sample("leak-hy.eventlog")).unwrap();
    for (redact, is_told) in [(&[][..], true), (&["--redact"], false)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let folder = Folder::new();
        let watch = watch(&folder, &[&[&*address, "-o", "x.json"], redact].concat());
        listener.accept().unwrap().0.write_all(&bytes).unwrap();
        watch.end().drawn();
        assert_eq!(folder.read("x.json").contains("127.0.0.1"), is_told);
    }
}

/// The warnings of a run, without the name of what they are about.
fn warnings(run: &Run, about: &str) -> Vec<String> {
    let said = run.said();
    let warnings = said.lines().filter_map(|line| line.strip_prefix("warning: "));
    warnings
        .map(|line| line.strip_prefix(&format!("{about}: ")).unwrap_or(line).to_owned())
        .collect()
}

#[test]
fn a_watch_reports_the_losses_that_draw_reports_the_first_at_once() {
    let log = fs::read(sample("leak-hc.eventlog")).unwrap();
    let hp = fs::read(sample("leak-hy.hp")).unwrap();
    let cut =
        |bytes: &[u8], at: usize, length: usize| [&bytes[..at], &bytes[at + length..]].concat();
    let with = |bytes: &[u8], at: usize, what: &[u8]| [&bytes[..at], what, &bytes[at..]].concat();
    let half = log.len() / 2;
    let inputs = [
        ("bytes are missing in a log", cut(&log, half, 6_000)),
        ("zeros in a log", with(&log, half, &[0; 300])),
        ("the log is cut", log[..half].to_vec()),
        ("zeros in a .hp", with(&hp, hp.len() / 2, &[0; 5_000])),
        ("garbage in a .hp", with(&hp, hp.len() / 3, b"\nnot a row\n\xff\xfe\n")),
        ("a .hp without its header", cut(&hp, 0, hp.len() / 9)),
    ];
    for (what, bytes) in inputs {
        let folder = Folder::new();
        let drawn = folder.run_with_input(&["-", "-o", "d.svg"], &bytes).drawn();
        let watched = folder.run_with_input(&["watch", "-", "-o", "w.svg"], &bytes).drawn();
        let told = warnings(&watched, "standard input");
        let expected = warnings(&drawn, "standard input");
        assert!(!expected.is_empty(), "{what}");
        let begin = told.len() - expected.len().min(told.len());
        assert_eq!(told[begin..], expected, "{what}: {}", watched.said());
        let is_early = |line: &String| line.starts_with("the log is damaged so far");
        let is_inside = !what.contains("cut") && !what.contains("header");
        assert_eq!(told[..begin].iter().any(is_early), is_inside, "{what}: {}", watched.said());
    }
    let whole = Folder::new().run_with_input(&["watch", "-", "-o", "w.svg"], &log).drawn();
    assert_eq!(warnings(&whole, ""), Vec::<String>::new());
}

#[test]
fn an_alert_on_a_damaged_log_says_so_also_if_it_is_not_raised() {
    let hp = HP.replace("BEGIN_SAMPLE 2.0", "what is this\nBEGIN_SAMPLE 2.0");
    for (budget, says) in [
        (
            "peak > 1kB",
            "warning: alert: `peak > 1kB`: 2.93 KiB at 3 s, on a damaged log: skipped 1 statement",
        ),
        ("peak > 1GB", "warning: alerts are judged on a damaged log: skipped 1 statement"),
    ] {
        let run = Folder::new().run_with_input(&["watch", "-", "--alert", budget], hp.as_bytes());
        assert!(run.said().contains(says), "{}", run.said());
    }
}

#[test]
fn what_is_no_profile_ends_the_watch_with_the_error_of_draw() {
    let zipped = fs::read(sample("words-lazy.eventlog.gz")).unwrap();
    let words = format!("{}\n", "no profile ".repeat(20));
    let folder = Folder::new().with("a.eventlog.gz", zipped).with("a.txt", words);
    let folder = folder.with("a.png", b"\x89PNG\r\n\x1A\n".repeat(40)).with("short.txt", "JO");
    let old = std::time::SystemTime::now() - Duration::from_secs(60);
    for (file, says) in [
        ("a.eventlog.gz", "it is compressed, and a compressed log does not grow"),
        ("a.txt", "it is text"),
        ("a.png", "neither `hdrb`"),
        ("short.txt", "it is text"),
    ] {
        let open = File::options().write(true).open(folder.path().join(file)).unwrap();
        open.set_modified(old).unwrap();
        let ended = watch(&folder, &[file, "-o", "w.svg"]).end().says(1, says);
        assert!(!ended.said().contains("+RTS --eventlog-flush"), "{}", ended.said());
    }
}

#[test]
fn a_socket_is_watched_to_its_end_and_recorded_byte_for_byte() {
    let (folder, bytes) = (Folder::new(), fs::read(sample("leak-hy.eventlog")).unwrap());
    let socket = folder.path().join("s.sock");
    let words = ["s.sock", "-o", "heap.csv", "-o", "heap.svg", "--record", "all.eventlog"];
    let watched = watch(&folder, &words);
    thread::sleep(Duration::from_millis(300));
    let listener = UnixListener::bind(&socket).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    play(&mut stream, &bytes, 5);
    // Not a single byte was sent to the program.
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut sent = Vec::new();
    stream.read_to_end(&mut sent).unwrap();
    assert!(sent.is_empty());
    let run = watched.end().drawn();
    assert!(run.said().contains("does not exist yet") && run.said().contains("the run has ended"));
    assert_eq!(folder.read("heap.csv"), drawn(&folder, &bytes, "csv"));
    assert_eq!(fs::read(folder.path().join("all.eventlog")).unwrap(), bytes);
    let files = folder.files();
    assert_eq!(files.iter().filter(|name| name.starts_with("heap")).count(), 2, "{files:?}");
}

#[test]
fn a_tcp_reset_and_a_killed_program_are_not_errors() {
    let (folder, bytes) = (Folder::new(), fs::read(sample("leak-hc.eventlog")).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let watched = watch(&folder, &[&address, "-o", "heap.json"]);
    let (stream, _) = listener.accept().unwrap();
    play(&stream, &bytes[..bytes.len() - 500], 3);
    drop(stream);
    let run = watched.end().drawn();
    assert!(run.said().contains("stopped before its end"), "{}", run.said());
    assert!(folder.read("heap.json").contains("\"times_ns\":[40201012,"));
}

#[test]
fn a_file_is_followed_before_it_exists_and_read_again_when_rewritten() {
    let (folder, bytes) = (Folder::new(), fs::read(sample("leak-hy.hp")).unwrap());
    let path = folder.path().join("prog.hp");
    let watched = watch(&folder, &["prog.hp", "-o", "heap.csv"]);
    thread::sleep(Duration::from_millis(300));
    // A run that is killed, then another one.
    play(File::create(&path).unwrap(), &bytes[..bytes.len() / 2], 3);
    thread::sleep(Duration::from_millis(300));
    let changed = String::from_utf8_lossy(&bytes).replacen("DATE \"", "DATE \"x", 1);
    play(File::create(&path).unwrap(), changed.as_bytes(), 4);
    let run = watched.end().drawn();
    assert!(run.said().contains("the run has ended"), "{}", run.said());
    assert_eq!(folder.read("heap.csv"), drawn(&folder, changed.as_bytes(), "csv"));
}

#[test]
fn a_pipe_and_standard_input_are_read_to_the_end() {
    let (folder, bytes) = (Folder::new(), fs::read(sample("leak-hT.eventlog")).unwrap());
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let watched = watch(&folder, &["pipe", "-o", "heap.csv"]);
    play(fs::OpenOptions::new().write(true).open(&pipe).unwrap(), &bytes, 4);
    watched.end().drawn();
    let expected = drawn(&folder, &bytes, "csv");
    assert_eq!(folder.read("heap.csv"), expected);
    folder.run_with_input(&["watch", "-", "-o", "in.csv"], &bytes).drawn();
    assert_eq!(folder.read("in.csv"), expected);
    let middle = [&[0, 18][..], &bytes[4000..]].concat();
    folder.run_with_input(&["watch", "-", "-o", "no.csv"], &middle).says(1, "another reader");
}

#[test]
fn a_program_is_started_and_its_exit_status_is_passed_on() {
    let folder = Folder::new().with_script("prog", "cat \"$1\" > prog.hp\nexit 3\n");
    let profile = sample("leak-hy.hp");
    let words = ["-o", "heap.csv", "--", "./prog", profile.to_str().unwrap()];
    watch(&folder, &words).end().says(3, "./prog: the run has ended");
    let bytes = fs::read(&profile).unwrap();
    // Only the times differ: the file counts CPU seconds, and the watch knows when each sample came.
    let (watched, drawn) = (folder.read("heap.csv"), drawn(&folder, &bytes, "csv"));
    let without_times = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split_once(',').expect("a time").1.to_owned()).collect()
    };
    assert_eq!(without_times(&watched), without_times(&drawn));
    assert_ne!(watched, drawn);
}

#[test]
fn an_unusable_source_is_refused_with_a_hint() {
    let folder = Folder::new().with("there.eventlog", "x").with("junk", [0u8; 200]);
    for (words, says) in [
        (&["there.eventlog", "--record", "there.eventlog"][..], "already exists"),
        (&["there.eventlog", "--record", "/dev/full"], "already exists"),
        (&["there.eventlog", "--record", "no/folder/x.hp"], "cannot write"),
        (&["there.eventlog", "-o", "there.svg", "--record", "r", "--redact"], "--redact"),
        (
            &["there.eventlog", "-o", "./r.svg", "--record", "r.svg"],
            "is an input and is not overwritten",
        ),
        (&["x", "-o", "-"], "name a file"),
        (&["."], "is a folder"),
        (&[".", "--serve", "0"], "is a folder"),
        (&["junk", "x"], "x is a second one: start another `heapviz watch` for it"),
        (&["junk", "x", "--serve", "0"], "lets Prometheus join them"),
        (&["junk", "--serve", "nowhere"], "ADDRESS:PORT"),
        (&["junk", "--serve", ":80"], "0.0.0.0"),
        (&[], "SOURCE"),
    ] {
        let run = watch(&folder, words).end();
        assert!(run.status() > 0 && run.said().contains(says), "{words:?}: {}", run.said());
    }
}

#[test]
fn a_program_without_samples_gets_a_hint_about_flags() {
    let folder = Folder::new().with_script("prog", "exit 0\n");
    for (flags, says) in [
        (&["+RTS", "-s"][..], "no -h flag and no -l"),
        (&["+RTS", "-l"], "no -h flag, so"),
        (&["+RTS", "-l", "-hT"], "no --eventlog-flush-interval"),
    ] {
        let run = watch(&folder, &[&["--", "./prog"], flags].concat()).end();
        assert!(run.said().contains(says), "{flags:?}: {}", run.said());
    }
    let run = watch(&folder, &["--", "./prog", "+RTS", "-hT"]).end();
    assert!(!run.said().contains("was started with"), "{}", run.said());
}

#[test]
fn the_terminal_is_restored_when_a_signal_ends_the_watch() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let Some(mut command) = in_a_terminal("sh run.sh; stty -a; echo over") else { return };
        let folder = Folder::new()
            .with("prog.hp", "JOB \"j\"\nBEGIN_SAMPLE 1.0\na\t5\nEND_SAMPLE 1.0\n")
            .with("run.sh", "echo $$ > pid\nexec \"$HEAPVIZ\" watch prog.hp --tui\n");
        command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shown = Running::start(&mut command);
        // Closing it would count as the key that ends the watch.
        let keyboard = shown.stdin.take();
        wait_for(&folder.path().join("pid"));
        thread::sleep(Duration::from_millis(800));
        let id = folder.read("pid").trim().parse().ok().and_then(Pid::from_raw);
        kill_process(id.expect("a process"), signal).expect("a watch");
        let shown = shown.end().wrote();
        drop(keyboard);
        let (screen, after) = shown.rsplit_once("\x1b[?1049l").expect("the screen is left");
        assert!(
            screen.contains("\x1b[?1049h") && after.contains("\x1b[?25h"),
            "{signal:?}: {after:?}"
        );
        assert!(after.contains(" icanon") && after.contains(" echo "), "{signal:?}: {after}");
        assert!(after.contains("over"), "{after}");
    }
}

#[test]
fn what_a_program_prints_replaces_no_file() {
    let folder = Folder::new()
        .with_script("prog", "echo hello; cat given.hp > prog.hp\n")
        .with("given.hp", HP)
        .with("prog.out", "precious");
    let watch = "timeout --foreground 3 \"$HEAPVIZ\" watch --tui -- ./prog given.hp";
    let Some(mut command) = in_a_terminal(watch) else { return };
    let said = folder.run_command(&mut command, b"").wrote();
    let is_new = |name: &&String| name.ends_with(".out") && *name != "prog.out";
    let files = folder.files();
    let printed: Vec<&String> = files.iter().filter(is_new).collect();
    assert_eq!(printed.len(), 1, "{files:?}");
    assert_eq!(
        [folder.read(printed[0]), folder.read("prog.out")],
        ["hello\n", "precious"],
        "{said}"
    );
    let says = said.split_once("what the program printed is in ").expect("it says where").1;
    assert!(says.contains(&**printed[0]), "{said}");
}

#[test]
fn silence_is_explained_with_a_hint() {
    let folder = Folder::new();
    let listener = UnixListener::bind(folder.path().join("silent.sock")).unwrap();
    let watched = watch(&folder, &["silent.sock"]);
    let silent = listener.accept().unwrap();
    thread::sleep(Duration::from_millis(6500));
    drop(silent);
    let run = watched.end();
    assert!(run.said().contains("perhaps another viewer is connected"), "{}", run.said());
}

/// The numbers of descriptors and threads of a process.
#[cfg(target_os = "linux")]
fn held(child: &Child) -> [usize; 2] {
    ["fd", "task"].map(|what| {
        fs::read_dir(format!("/proc/{}/{what}", child.id())).expect("a process").count()
    })
}

#[cfg(target_os = "linux")]
#[test]
fn connections_leave_no_descriptor_and_no_thread() {
    let (folder, bytes) = (Folder::new(), fs::read(sample("leak-hy.eventlog")).unwrap());
    let listener = UnixListener::bind(folder.path().join("s.sock")).unwrap();
    let mut watched = watch(&folder, &["s.sock", "--forever", "-o", "heap.csv"]);
    let mut counts = Vec::new();
    for _ in 0..5 {
        let (mut stream, _) = listener.accept().unwrap();
        thread::sleep(Duration::from_millis(100));
        counts.push(held(&watched));
        stream.write_all(&bytes).unwrap();
    }
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    watched.signal(Signal::INT);
    assert_eq!(watched.wait().unwrap().code(), Some(0));
    // A file that is replaced repeatedly.
    let path = folder.path().join("prog.hp");
    fs::write(&path, "JOB \"a\"\n").unwrap();
    let mut watched = watch(&folder, &["prog.hp", "--forever"]);
    let mut counts = Vec::new();
    for i in 0..5 {
        thread::sleep(Duration::from_millis(400));
        counts.push(held(&watched));
        let next = folder.path().join("next");
        let text = format!("JOB \"{i}\"\nBEGIN_SAMPLE 1.{i}\na\t5\nEND_SAMPLE 1.{i}\n");
        fs::write(&next, text).unwrap();
        fs::rename(&next, &path).unwrap();
    }
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    watched.signal(Signal::TERM);
    watched.wait().unwrap();
}

#[test]
fn memory_outside_of_the_heap_of_a_program_that_was_started_is_seen() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    // Its heap stays as it is; the shell itself takes a megabyte for each sample.
    let body = r#"more=$(head -c 1000000 /dev/zero | tr '\0' x); at=0
printf 'JOB "prog"\nDATE "d"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n' > prog.hp
while [ $at -lt 60 ]; do
    printf 'BEGIN_SAMPLE %d\nTHUNK\t1000000\nEND_SAMPLE %d\n' $at $at >> prog.hp
    at=$((at + 1)); eval "part$at=\$more"; sleep 0.1
done
"#;
    let folder = Folder::new().with_script("prog", body);
    let words = ["-o", "heap.json", "-o", "heap.svg", "--units", "si", "--", "./prog"];
    let run = watch(&folder, &words).end().drawn();
    let found: serde_json::Value = serde_json::from_str(&folder.read("heap.json")).unwrap();
    let grew = found["verdict"]["outside"][0]["grew"].as_u64().expect("growth");
    assert!(grew > 20_000_000, "{grew}");
    assert!(found["heap"]["resident"].as_array().is_some_and(|points| points.len() > 16));
    let picture = folder.read("heap.svg");
    assert!(
        picture.contains("memory off the heap grew by ") && picture.contains("resident memory")
    );
    assert!(run.said().contains("memory off the heap grew by "), "{}", run.said());
    // A sample comes every tenth of a second, for which the file says a second.
    let duration = found["times_ns"].as_array().and_then(|times| times.last()?.as_i64());
    assert!(
        duration.is_some_and(|end| (5_000_000_000..40_000_000_000).contains(&end)),
        "{duration:?}"
    );
    assert_eq!(found["clock"], "elapsed");
}

#[test]
fn a_watch_that_is_killed_leaves_no_program_running() {
    let folder = Folder::new();
    let name = format!("of-a-killed-watch-{}", std::process::id());
    let script = "echo ready; while :; do sleep 0.1; done";
    let mut watched = watch(&folder, &["--", "sh", "-c", script, &name]);
    watched.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    // Its first line comes after it has told the guard which program it started.
    watched.stderr.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    assert!(!processes_with(&name).is_empty());
    watched.kill().unwrap();
    watched.wait().unwrap();
    wait_until_gone(&name);
}

#[test]
fn programs_that_are_missing_verbose_or_stubborn_are_handled() {
    let folder = Folder::new();
    watch(&folder, &["--", "./nowhere"]).end().says(1, "cannot start ./nowhere");
    let run = watch(&folder, &["--", "sh", "-c", "exit 9"]).end();
    assert_eq!(run.status(), 9, "{}", run.said());
    let run = watch(&folder, &["--", "sh", "-c", "yes | head -c 3000000; kill -9 $$"]).end();
    assert_eq!((run.status(), run.wrote().len()), (137, 3_000_000), "{}", run.said());
    let stubborn = "trap '' INT TERM; echo ready; exec sleep 100";
    let watched = watch_shell(&folder, stubborn);
    let began = Instant::now();
    watched.signal(Signal::TERM);
    assert_eq!(watched.end().status(), 143);
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_exit_status_says_which_signal_ended_the_watch_of_a_file_or_a_program() {
    for (signal, of_file, of_program) in [
        (Signal::INT, 0, 130),
        (Signal::TERM, 143, 143),
        (Signal::HUP, 129, 129),
        (Signal::QUIT, 131, 131),
        (Signal::USR1, 138, 138),
        (Signal::ALARM, 142, 142),
    ] {
        // It has no last sample, so the run goes on.
        let (text, _) = HP.rsplit_once("BEGIN_SAMPLE").expect("samples");
        let folder = Folder::new().with("prog.hp", text);
        let file = watch(&folder, &["prog.hp", "-o", "heap.svg"]);
        wait_for(&folder.path().join("heap.svg"));
        let loops = "trap 'exit 7' INT; echo ready; while :; do sleep 0.1; done";
        for (watched, status) in [(file, of_file), (watch_shell(&folder, loops), of_program)] {
            watched.signal(signal);
            assert_eq!(watched.end().status(), status, "{signal:?}");
        }
    }
}

#[test]
fn the_folder_of_a_killed_watch_is_removed_by_the_next_one() {
    let folder = Folder::new();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let start = |script: &str| {
        let mut command = folder.heapviz(&["watch", "--", "sh", "-c", script]);
        Running::start(command.env("TMPDIR", &temporary))
    };
    let waiting = "echo ready; while :; do sleep 0.1; done";
    let [mut killed, mut other] = [0, 1].map(|_| {
        let mut watched = start(waiting);
        watched.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
        watched
    });
    let all = fs::read_dir(&temporary).unwrap().next().expect("the folder of all").unwrap().path();
    let count = || fs::read_dir(&all).unwrap().count();
    assert_eq!(count(), 2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(count(), 2);
    start("exit 0").end();
    // That of the other, which runs, stays.
    assert_eq!(count(), 1);
    other.signal(Signal::TERM);
    other.wait().unwrap();
    assert_eq!(count(), 0);
}

/// Makes what an attacker, or chance, leaves in the folder for temporary files.
fn folders_that_are_not_heapvizs(temporary: &Path, lock: &[u8]) -> Vec<PathBuf> {
    let make = |name: &str, lock: &dyn Fn(&Path)| {
        let folder = temporary.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(folder.join("mine.hp"), "mine").unwrap();
        lock(&folder.join("lock"));
        folder.join("mine.hp")
    };
    vec![
        make("empty-lock", &|lock| fs::write(lock, "").unwrap()),
        make("longer-lock", &|path| fs::write(path, [lock, b"x"].concat()).unwrap()),
        make("lock-that-is-a-folder", &|lock| fs::create_dir(lock).unwrap()),
        make("lock-that-is-a-link", &|path| {
            fs::write(temporary.join("true-lock"), lock).unwrap();
            std::os::unix::fs::symlink(temporary.join("true-lock"), path).unwrap();
        }),
        make("lock-that-is-a-pipe", &|lock| {
            assert!(Command::new("mkfifo").arg(lock).status().unwrap().success());
        }),
    ]
}

#[test]
fn only_what_is_proven_heapvizs_own_is_removed() {
    let folder = Folder::new();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    // It must not wait for the other end of a pipe.
    let script = "cat \"$TMPDIR\"/*/run-*/lock";
    let words = format!("TMPDIR=$PWD/tmp timeout 60 $HEAPVIZ watch -- sh -c '{script}'");
    let watch = || folder.shell(&words);
    let lock = watch().drawn().0.stdout;
    assert!(lock.starts_with(b"heapviz"));
    let all = fs::read_dir(&temporary).unwrap().next().expect("the folder of all").unwrap().path();
    // Beside the folder of all, as of another version, and in it.
    let mut kept = folders_that_are_not_heapvizs(&all, &lock);
    let beside = temporary.join("heapviz-0.2.0");
    kept.push(beside.join("src/main.rs"));
    fs::create_dir_all(beside.join("src")).unwrap();
    fs::write(beside.join("src/main.rs"), "mine").unwrap();
    fs::write(beside.join("lock"), &lock).unwrap();
    // One that a killed run left, with a file that is not heapviz's, and a link.
    let left = all.join("run-left");
    fs::create_dir_all(left.join("folder")).unwrap();
    fs::set_permissions(&left, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(left.join("lock"), &lock).unwrap();
    fs::write(left.join("prog-hc.eventlog"), "").unwrap();
    fs::write(folder.path().join("target"), "mine").unwrap();
    std::os::unix::fs::symlink(folder.path().join("target"), left.join("prog.hp")).unwrap();
    for name in ["notes.txt", "folder/prog.hp"] {
        fs::write(left.join(name), "mine").unwrap();
        kept.push(left.join(name));
    }
    watch().drawn();
    for file in &kept {
        assert_eq!(fs::read_to_string(file).ok().as_deref(), Some("mine"), "{}", file.display());
    }
    assert_eq!(folder.read("target"), "mine");
    assert!(!left.join("prog-hc.eventlog").exists() && !left.join("prog.hp").is_symlink());
}

#[test]
fn the_folder_of_all_runs_is_not_somebody_elses() {
    let folder = Folder::new();
    let watch =
        |name: &str| folder.shell(&format!("TMPDIR=$PWD/{name} $HEAPVIZ watch -- sh -c 'exit 0'"));
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    watch("tmp").drawn();
    let all = fs::read_dir(&temporary).unwrap().next().expect("the folder of all").unwrap().path();
    let says: &[&str] = &["is not a folder that only you can enter", "set TMPDIR"];
    fs::set_permissions(&all, fs::Permissions::from_mode(0o755)).unwrap();
    watch("tmp").failed(says);
    fs::remove_dir(&all).unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("mine"), &all).unwrap();
    watch("tmp").failed(says);
    watch("missing").failed(&["cannot make a folder", "set TMPDIR"]);
}

#[test]
fn the_log_of_an_older_run_is_not_followed() {
    let log = fs::read(sample("leak-hy.eventlog")).unwrap();
    let folder = Folder::new().with_script("prog", "exit 0\n").with("prog.hp", HP);
    let folder = folder.with("prog.eventlog", log);
    let run = watch(&folder, &["-o", "heap.svg", "--", "./prog"]).end();
    assert_eq!(run.status(), 1, "{}", run.said());
    assert!(!run.said().contains("following"), "{}", run.said());
    // One that it writes again is.
    let folder = folder.with("all.eventlog", fs::read(sample("leak-hy.eventlog")).unwrap());
    let folder = folder.with_script("prog", "cat all.eventlog > prog.eventlog\n");
    watch(&folder, &["-o", "heap.svg", "--", "./prog"]).end().drawn();
}

#[test]
fn a_log_that_is_renamed_is_followed_on() {
    let bytes = fs::read(sample("leak-hy.eventlog")).unwrap();
    let (half, rest) = bytes.split_at(bytes.len() / 2);
    for is_replaced in [false, true] {
        let folder = Folder::new();
        let path = folder.path().join("prog.eventlog");
        let mut log = File::create(&path).unwrap();
        log.write_all(half).unwrap();
        let words = ["prog.eventlog", "-o", "heap.csv", "--record", "all.eventlog"];
        let watched = watch(&folder, &words);
        wait_for(&folder.path().join("heap.csv"));
        fs::rename(&path, folder.path().join("prog.eventlog.1")).unwrap();
        if is_replaced {
            // As some programs that rotate logs do.
            File::create(&path).unwrap();
        }
        thread::sleep(Duration::from_millis(300));
        log.write_all(rest).unwrap();
        watched.end().drawn();
        assert!(folder.read_bytes("all.eventlog") == bytes);
        assert_eq!(folder.read("heap.csv"), drawn(&folder, &bytes, "csv"));
    }
}

/// A folder that appears under the awaited name never becomes a log, and neither does what is below a file.
#[test]
fn what_cannot_be_followed_ends_the_watch_with_one_error() {
    let folder = Folder::new().with("plain", "");
    for (path, why) in [("later.eventlog", "directory"), ("plain/x.eventlog", "cannot read plain")]
    {
        let watched = watch(&folder, &["--forever", path, "-o", "c.svg"]);
        thread::sleep(Duration::from_millis(500));
        let _ = fs::create_dir(folder.path().join(path));
        let said = watched.end().says(1, why).said();
        assert!(said.matches(why).count() == 1 && said.lines().count() < 6, "{path}: {said}");
    }
}
