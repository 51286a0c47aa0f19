//! The scripts of the GitHub action, run as the runner does: with variables, a summary and outputs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the script on a sample, in a temporary folder.
fn run(folder: &Path, variables: &[(&str, &str)]) -> Option<Output> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("bash");
    command
        .arg(root.join(".github/action/run.sh"))
        .current_dir(root)
        .env("HEAPVIZ", env!("CARGO_BIN_EXE_heapviz"))
        .env("HEAPVIZ_OUT", folder.join("heap"))
        .env("GITHUB_STEP_SUMMARY", folder.join("summary"))
        .env("GITHUB_OUTPUT", folder.join("outputs"));
    for (name, value) in variables {
        command.env(name, value);
    }
    match command.output() {
        Ok(output) => Some(output),
        Err(_) => {
            crate::common::skipped("no bash");
            None
        }
    }
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a file that the script wrote")
}

#[test]
fn a_profile_within_its_budget_has_a_report_a_chart_and_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = ("HEAPVIZ_LOG", "samples/leak-hT.eventlog");
    let variables = [log, ("HEAPVIZ_FAIL_IF", "peak > 1GiB\n\nsamples < 3\n")];
    let Some(output) = run(folder.path(), &variables) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = read(folder.path(), "summary");
    for part in ["## Heap profile", "## Budgets", "peak > 1GiB", "samples < 3"] {
        assert!(summary.contains(part), "{part} is missing in {summary}");
    }
    assert!(!summary.contains("## Against"), "nothing to compare with was named");
    let outputs = read(folder.path(), "outputs");
    for name in ["report", "chart", "page"] {
        let path = outputs.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        assert!(fs::metadata(path.expect("an output")).is_ok_and(|file| file.len() > 0), "{name}");
    }
}

#[test]
fn an_exceeded_budget_fails_after_everything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = "samples/leak-hT.eventlog";
    let variables =
        [("HEAPVIZ_LOG", log), ("HEAPVIZ_BEFORE", log), ("HEAPVIZ_FAIL_IF", "peak > 1KiB")];
    let Some(output) = run(folder.path(), &variables) else { return };
    assert_eq!(output.status.code(), Some(3));
    assert!(read(folder.path(), "summary").contains("## Against the version before"));
    assert!(folder.path().join("heap/heap.svg").exists());
    assert!(folder.path().join("heap/heap.html").exists());
}

#[test]
fn an_unreadable_profile_takes_precedence_over_a_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    let variables = [("HEAPVIZ_LOG", "no such.eventlog"), ("HEAPVIZ_FAIL_IF", "peak > 1KiB")];
    let Some(output) = run(folder.path(), &variables) else { return };
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no such.eventlog"));
}

#[test]
fn a_word_that_redact_does_not_know_publishes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = ("HEAPVIZ_LOG", "samples/leak-hT.eventlog");
    for word in ["True", "yes", "1", "true "] {
        let Some(output) = run(folder.path(), &[log, ("HEAPVIZ_REDACT", word)]) else { return };
        assert_eq!(output.status.code(), Some(1), "{word}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("is true or false"), "{word}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "{word}");
    }
}

#[test]
fn an_earlier_chart_is_not_published_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = |path| [("HEAPVIZ_LOG", path), ("HEAPVIZ_NAME", "server")];
    let Some(_) = run(folder.path(), &log("samples/leak-hT.eventlog")) else { return };
    assert!(read(folder.path(), "outputs").contains("heap/server.svg"));
    fs::remove_file(folder.path().join("outputs")).expect("a file");
    let output = run(folder.path(), &log("missing.eventlog")).expect("bash");
    assert_eq!(output.status.code(), Some(1));
    let outputs = read(folder.path(), "outputs");
    assert!(!outputs.contains("chart=") && !outputs.contains("page="), "{outputs}");
}

#[test]
fn a_profile_whose_name_begins_with_a_dash_is_no_flag() {
    let folder = tempfile::tempdir().expect("a folder");
    let variables = [("HEAPVIZ_LOG", "--help"), ("HEAPVIZ_FAIL_IF", "peak > 1KiB")];
    let Some(output) = run(folder.path(), &variables) else { return };
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("./--help"));
}

/// Runs the script that comments, with a fake `gh` that executes `script`.
#[cfg(unix)]
fn comment(pull: &str, script: &str) -> Option<(String, String)> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let gh = folder.path().join("gh");
    fs::write(&gh, format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").expect("a path"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::write(folder.path().join("report.markdown"), "<!-- heapviz heap -->\n# Report\n")
        .expect("a report");
    let output = Command::new("bash")
        .arg(root.join(".github/action/comment.sh"))
        .current_dir(folder.path())
        .env("PATH", path)
        .env("GITHUB_REPOSITORY", "owner/name")
        .env("REPORT", "report.markdown")
        .env("PULL", pull)
        .output();
    let Ok(output) = output else {
        crate::common::skipped("no bash");
        return None;
    };
    assert!(output.status.success(), "a comment that is missing fails no job");
    let asked = fs::read_to_string(folder.path().join("asked")).unwrap_or_default();
    Some((asked, String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[cfg(unix)]
#[test]
fn a_forbidden_comment_falls_back_to_the_summary() {
    let Some((asked, said)) = comment("7", "echo \"$@\" >> asked") else { return };
    assert_eq!(said, "");
    let posted = "pr comment 7 --repo owner/name --body-file report.markdown";
    assert_eq!(asked.lines().last(), Some(posted), "{asked}");
    let (_, said) = comment("7", "exit 1").expect("bash");
    assert!(said.contains("in the summary of the job: the token may not comment"), "{said}");
    let (asked, said) = comment("", "echo called >> asked").expect("bash");
    assert_eq!(asked, "");
    assert!(said.contains("belongs to no pull request"), "{said}");
}

/// GitHub's `gh` selects comments by the mark; the fake one answers with the ids of two.
#[cfg(unix)]
#[test]
fn only_a_comment_with_the_mark_is_updated() {
    let script = "echo \"$MARK $@\" >> asked\n[ \"$2\" = --paginate ] && printf '11\\n12\\n'; true";
    let Some((asked, said)) = comment("7", script) else { return };
    assert_eq!(said, "");
    assert!(asked.starts_with("<!-- heapviz heap --> api --paginate"), "{asked}");
    let last = asked.lines().last().unwrap_or_default();
    assert!(last.contains("--method PATCH repos/owner/name/issues/comments/12"), "{asked}");
}
