//! The scripts of the GitHub action, run as the runner does: with variables, a summary and outputs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const LOG: (&str, &str) = ("HEAPVIZ_LOG", "samples/leak-hT.eventlog");

/// Runs a script in a folder with these variables, and these programs before the others; `None` without bash.
fn script(name: &str, folder: &Path, variables: &[(&str, &str)]) -> Option<Output> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"));
    let output = Command::new("bash")
        .arg(root.join(".github/action").join(name))
        .current_dir(root)
        .env("PATH", path)
        .env("FOLDER", folder)
        .env("HEAPVIZ", env!("CARGO_BIN_EXE_heapviz"))
        .env("HEAPVIZ_OUT", folder.join("heap"))
        .env("GITHUB_ACTION_PATH", root)
        .env("GITHUB_STEP_SUMMARY", folder.join("summary"))
        .env("GITHUB_OUTPUT", folder.join("outputs"))
        .envs(variables.iter().copied())
        .output();
    output.inspect_err(|_| crate::common::skipped("no bash")).ok()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_default()
}

#[test]
fn what_a_workflow_gives_stays_in_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for word in ["a\nreport=/etc/passwd", "a\r::error::x", "a --> <b>", "-a", "a/b", ".."] {
        for (name, value) in [("HEAPVIZ_NAME", word), ("HEAPVIZ_REDACT", word)] {
            let Some(output) = script("run.sh", folder.path(), &[LOG, (name, value)]) else {
                return;
            };
            assert_eq!(output.status.code(), Some(1), "{word:?}");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let is_ours = |line: &str| line.starts_with("::error title=heapviz::`");
            assert!(said.lines().all(is_ours) && !said.contains('\r'), "{said}");
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "{word:?}");
        }
    }
}

#[cfg(unix)]
fn program(folder: &Path, name: &str, body: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/bash\n{body}\n")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
}

#[test]
fn a_profile_is_reported_and_a_budget_that_it_exceeds_fails_after_everything_is_written() {
    let before = ("HEAPVIZ_BEFORE", LOG.1);
    for (variables, status, parts) in [
        (vec![("HEAPVIZ_FAIL_IF", "peak > 1GiB\n\nsamples < 3\n")], 0, "## Budgets"),
        (vec![before, ("HEAPVIZ_FAIL_IF", "peak > 1KiB")], 3, "## Against the version before"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let variables = [&[LOG], &*variables].concat();
        let Some(output) = script("run.sh", folder, &variables) else { return };
        assert_eq!(output.status.code(), Some(status), "{variables:?}");
        let summary = read(folder, "summary");
        assert!(summary.contains("## Heap profile") && summary.contains(parts), "{summary}");
        assert_eq!(summary.contains("## Against"), variables.contains(&before), "{summary}");
        let outputs = read(folder, "outputs");
        for name in ["report", "chart", "page"] {
            let path = outputs.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
            assert!(fs::metadata(path.expect("an output")).expect("a file").len() > 0, "{name}");
        }
    }
}

#[test]
fn what_is_wrong_fails_and_publishes_no_earlier_chart() {
    for (variables, said) in [
        ([("HEAPVIZ_LOG", "none.hp"), ("HEAPVIZ_FAIL_IF", "peak > 1")], "none.hp"),
        ([("HEAPVIZ_LOG", "--help"), ("HEAPVIZ_FAIL_IF", "peak > 1KiB")], "./--help"),
        ([LOG, ("HEAPVIZ_REDACT", "yes")], "is true or false"),
        ([LOG, ("HEAPVIZ_NAME", "../heap")], "is the name of a file"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        fs::create_dir(folder.join("heap")).expect("a folder");
        fs::write(folder.join("heap/heap.svg"), "earlier").expect("a chart");
        let Some(output) = script("run.sh", folder, &variables) else { return };
        assert_eq!(output.status.code(), Some(1), "{variables:?}");
        let words = [output.stdout, output.stderr].concat();
        assert!(String::from_utf8_lossy(&words).contains(said), "{variables:?}");
        assert!(!read(folder, "outputs").contains("chart="), "{variables:?}");
    }
}

/// `gh` is a script that notes how it was called.
#[cfg(unix)]
#[test]
fn a_comment_is_posted_or_updates_its_own_and_without_permission_the_summary_is_named() {
    const NOTE: &str = "echo \"$MARK $@\" >> \"$FOLDER/asked\"";
    let two = format!("{NOTE}\n[ \"$2\" = --paginate ] && printf '11\\n12\\n'; true");
    // (number of the pull request, gh, the end of its last call, what is said)
    for (pull, gh, asked, said) in [
        ("7", NOTE, "pr comment 7 --repo owner/name --body-file ", ""),
        ("7", &*two, "--method PATCH repos/owner/name/issues/comments/12", ""),
        ("7", "exit 1", "", "in the summary of the job: the token may not comment"),
        ("", NOTE, "", "belongs to no pull request"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        program(folder.path(), "gh", gh);
        let report = folder.path().join("report");
        fs::write(&report, "<!-- heapviz heap -->\n# Report\n").expect("a report");
        let report = report.display().to_string();
        let variables = [("GITHUB_REPOSITORY", "owner/name"), ("REPORT", &report), ("PULL", pull)];
        let Some(output) = script("comment.sh", folder.path(), &variables) else { return };
        assert!(output.status.success());
        let words = String::from_utf8_lossy(&output.stdout);
        assert!(words.contains(said) && words.is_empty() == said.is_empty(), "{words}");
        let calls = read(folder.path(), "asked");
        assert!(calls.lines().last().unwrap_or_default().contains(asked), "{calls}");
        assert!(asked.is_empty() || calls.starts_with("<!-- heapviz heap --> api"), "{calls}");
    }
}

/// `curl` serves the folder `published` at the address of the release; `cargo` makes what a build would.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_released_binary_of_a_version_is_used_if_its_checksum_is_right_and_otherwise_one_is_built() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    program(folder, "heapviz", &format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_heapviz")));
    let made =
        "mkdir \"$HEAPVIZ_BIN/bin\"; cp \"$FOLDER/heapviz\" \"$HEAPVIZ_BIN/bin\"; echo built";
    program(folder, "cargo", made);
    let served = "[[ $6 == https://github.com/someone/heapviz/releases/download/v* ]] || exit 22";
    let copied = "cp \"$FOLDER/published/${6##*/}\" \"$5\" || exit 22";
    program(folder, "curl", &format!("{served}\n{copied}"));
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("heapviz-{version}-x86_64-unknown-linux-musl");
    let published = folder.join("published");
    fs::create_dir(&published).expect("a folder");
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/package");
    let mut packing = Command::new(package);
    packing.arg(folder.join("heapviz")).arg(&name).current_dir(&published);
    assert!(packing.status().expect("bash").success());
    for file in ["man/heapviz-hunt.1", "completions/_heapviz", "README.md", "LICENSE-MIT"] {
        assert!(!read(&published.join(&name), file).is_empty(), "{file}");
    }
    let sum = read(&published, "SHA256SUMS");
    let wrong = sum.replace(|c: char| c.is_ascii_hexdigit() && c != '0', "0");
    let tag = format!("v{version}");
    for (sums, reference, is_built) in
        [(&sum, &*tag, false), (&wrong, &*tag, true), (&sum, "main", true)]
    {
        fs::write(published.join("SHA256SUMS"), sums).expect("the sums");
        let bin = folder.join(format!("bin-{reference}-{is_built}")).display().to_string();
        let of = ("GITHUB_ACTION_REPOSITORY", "someone/heapviz");
        let variables = [of, ("GITHUB_ACTION_REF", reference), ("HEAPVIZ_BIN", &bin)];
        let Some(output) = script("get.sh", folder, &variables) else { return };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains(&format!("heapviz {version}")), "{said}");
        assert_eq!(said.contains("built\n"), is_built, "{reference}: {sums}: {said}");
    }
}
