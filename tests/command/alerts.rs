//! `heapviz watch --alert`.

use std::fs::{self, File};
use std::io::Write;
use std::time::Duration;

use crate::common::command::{self, Folder, Run, Running, hp};

/// A `.hp` of a running program: one sample per second, with a band that grows by 100 kB each time.
fn growing(samples: u64) -> String {
    dense(samples, 1.0)
}

/// The same with so many samples in each second.
fn dense(samples: u64, each_second: f64) -> String {
    let rows = |i| format!("leak\t{}\nrest\t50000\n", 100_000 * (i + 1));
    hp((0..samples).map(|i| (i as f64 / each_second, rows(i))))
}

fn watched(words: &[&str], input: &str) -> Run {
    Folder::new().run_with_input(&[&["watch", "-"], words].concat(), input.as_bytes())
}

#[test]
fn an_alert_is_one_line_and_the_watch_continues() {
    let run = watched(&["--alert", "peak > 3MB"], &growing(60)).drawn();
    assert_eq!(run.said().matches("warning: alert: `peak > 3MB`: 5.77 MiB at 59 s").count(), 1);
    let growth = "band(\"leak\").growth > 5MB/min for 30s";
    let run = watched(&["--alert", growth], &growing(60)).drawn();
    assert!(
        run.said().contains("growth > 5MB/min for 30s`: 97.7 KiB/s of CPU at 59 s"),
        "{}",
        run.said()
    );
    // A `.hp` ends with an empty sample, in which nothing has shrunk.
    let ended = growing(60) + "BEGIN_SAMPLE 60.0\nEND_SAMPLE 60.0\n";
    let run = watched(&["--alert", growth], &ended).drawn();
    assert!(run.said().contains("growth > 5MB/min for 30s`"), "{}", run.said());
    for kept in ["peak > 1GiB", "band(\"rest\").growth > 1kB/min for 30s", "growth > 1MB/s for 30s"]
    {
        let run = watched(&["--alert", kept, "--exit-on-alert"], &growing(60)).drawn();
        assert!(!run.said().contains("alert:"), "{}", run.said());
    }
}

#[test]
fn an_alert_over_seconds_works_if_it_has_the_samples_and_says_if_it_never_had_them() {
    let alert = ["--alert", "growth > 1MB/min for 3s"];
    let run = watched(&alert, &growing(60)).drawn();
    assert!(
        run.said().contains("for 3s` was never checked: it needs the last 3 s"),
        "{}",
        run.said()
    );
    assert!(run.said().contains("hint: sample the program more often"), "{}", run.said());
    let run = watched(&alert, &dense(600, 10.0)).drawn();
    assert!(run.said().contains("alert: `growth > 1MB/min for 3s`"), "{}", run.said());
    assert!(!run.said().contains("never checked"), "{}", run.said());
}

#[test]
fn a_watch_until_an_alert_ends_with_status_3_while_the_program_runs() {
    let folder = Folder::new();
    let mut file = File::create(folder.path().join("prog.hp")).unwrap();
    file.write_all(growing(3).as_bytes()).unwrap();
    let words = "watch prog.hp --alert 'peak > 1MB' --exit-on-alert -o h.json";
    let mut watch = Running::start(&mut folder.heapviz(&command::words(words)));
    std::thread::sleep(Duration::from_millis(700));
    assert!(watch.try_wait().unwrap().is_none(), "nothing has happened yet");
    let more = growing(20);
    file.write_all(&more.as_bytes()[growing(3).len()..]).unwrap();
    watch.end().says(3, "alert: `peak > 1MB`");
    let json = fs::read_to_string(folder.path().join("h.json")).unwrap();
    // The program is still running, so growth is not yet a likely leak.
    assert!(json.contains("\"leak\":\"possible\""), "{json}");
}

#[test]
fn an_invalid_alert_is_refused_with_an_example() {
    for (alert, says) in [
        ("growth > 1MB/min", "growth > 1MB/min for 10min"),
        ("leak == likely", "at the end of a run"),
        ("peak > baseline", "no baseline"),
        ("pek > 1GB", "There are peak"),
    ] {
        watched(&["--alert", alert], "").says(2, says);
    }
    watched(&["--exit-on-alert"], "").says(2, "--alert");
}
