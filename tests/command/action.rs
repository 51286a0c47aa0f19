//! The scripts of the GitHub action, run as the runner does: with variables, a summary and outputs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

#[cfg(target_os = "linux")]
use serde_json::{Value, json};

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

/// Runs the script that finds a binary, with these programs before the others. Its `cargo install` notes that it
/// was called, and makes what a build would make.
fn get(folder: &Path, reference: &str, curl: &str) -> Option<(Output, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    let cargo = "echo built; mkdir -p \"$HEAPVIZ_BIN/bin\"; \
                 ln -sf \"$REAL\" \"$HEAPVIZ_BIN/bin/heapviz\"";
    for (name, body) in [("curl", curl), ("cargo", cargo)] {
        let path = programs.join(name);
        fs::write(&path, format!("#!/bin/bash\n{body}\n")).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let path = std::env::var("PATH").unwrap_or_default();
    fs::write(folder.join("outputs"), "").unwrap();
    let output = Command::new("bash")
        .arg(root.join(".github/action/get.sh"))
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("REAL", env!("CARGO_BIN_EXE_heapviz"))
        .env("PUBLISHED", folder.join("published"))
        .env("GITHUB_ACTION_PATH", root)
        .env("GITHUB_ACTION_REPOSITORY", "someone/heapviz")
        .env("GITHUB_ACTION_REF", reference)
        .env("GITHUB_OUTPUT", folder.join("outputs"))
        .env("HEAPVIZ_BIN", folder.join("bin"))
        .output();
    let Ok(output) = output else {
        crate::common::skipped("no bash");
        return None;
    };
    Some((output, read(folder, "outputs")))
}

/// Serves what is in the folder `published`, if the address is that of the release.
const CURL: &str = r#"
while [ $# -gt 0 ]; do case "$1" in -o) out=$2; shift ;; http*) url=$1 ;; esac; shift; done
case "$url" in https://github.com/someone/heapviz/releases/download/v*) ;; *) exit 22 ;; esac
cp "$PUBLISHED/${url##*/}" "$out" || exit 22"#;

/// The archive of a release is used if its checksum is right; else the action builds, once.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_action_takes_the_released_binary_of_its_version_or_builds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("heapviz-{version}-x86_64-unknown-linux-musl");
    let folder = tempfile::tempdir().expect("a folder");
    let published = folder.path().join("published");
    fs::create_dir(&published).unwrap();
    // A debug build has hundreds of megabytes.
    let small = folder.path().join("heapviz");
    fs::write(&small, format!("#!/bin/sh\nexec '{}' \"$@\"", env!("CARGO_BIN_EXE_heapviz")))
        .unwrap();
    fs::set_permissions(&small, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let packed = Command::new("bash")
        .arg(root.join(".ci/package"))
        .args([small.as_os_str(), name.as_ref()])
        .current_dir(&published)
        .output();
    let Ok(packed) = packed else {
        crate::common::skipped("no bash");
        return;
    };
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    for file in [
        "heapviz",
        "README.md",
        "man/heapviz.1",
        "man/heapviz-hunt.1",
        "completions/_heapviz",
        "completions/heapviz.bash",
        "completions/heapviz.fish",
        "LICENSE-MIT",
    ] {
        let size = fs::metadata(published.join(&name).join(file)).map_or(0, |file| file.len());
        assert!(size > 50, "{file}: {size}");
    }
    let sum = fs::read_to_string(published.join("SHA256SUMS")).expect("the sum of the archive");

    // (published sums, reference, whether it is built)
    let tag = format!("v{version}");
    let wrong = sum.replace(|c: char| c.is_ascii_hexdigit() && c != '0', "0");
    for (sums, reference, is_built) in [
        (&sum[..], &tag[..], false),
        (&wrong[..], &tag[..], true),
        ("", &tag[..], true),
        (&sum[..], "main", true),
    ] {
        let _ = fs::remove_dir_all(folder.path().join("bin"));
        fs::write(published.join("SHA256SUMS"), sums).unwrap();
        let Some((output, found)) = get(folder.path(), reference, CURL) else { return };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{reference}: {said}");
        assert_eq!(said.contains("built"), is_built, "{reference}: {sums}: {said}");
        let binary = if is_built { "bin/bin/heapviz" } else { "bin/heapviz" };
        let binary = folder.path().join(binary);
        assert_eq!(found, format!("heapviz={}\n", binary.display()));
        assert!(said.contains(&format!("heapviz {version}")), "{said}");
    }
    // What the cache brought is not built again, and without a network the action builds.
    let Some((output, _)) = get(folder.path(), "main", "exit 6") else { return };
    assert!(!String::from_utf8_lossy(&output.stdout).contains("built"));
}

/// A copy of what the key is made from, with another source file.
fn key(change: Option<&str>) -> Option<String> {
    let (copy, root) = (tempfile::tempdir().expect("a folder"), env!("CARGO_MANIFEST_DIR"));
    for name in ["Cargo.toml", "Cargo.lock", "build.rs"] {
        fs::copy(Path::new(root).join(name), copy.path().join(name)).expect("a copy");
    }
    for folder in ["src", "templates"] {
        fs::create_dir(copy.path().join(folder)).expect("a folder");
        fs::write(copy.path().join(folder).join("a b.rs"), change.unwrap_or("as it was"))
            .expect("a file");
    }
    let outputs = copy.path().join("outputs");
    let script = Path::new(root).join(".github/action/key.sh");
    let run = Command::new("bash")
        .arg(script)
        .env("GITHUB_ACTION_PATH", copy.path())
        .env("GITHUB_OUTPUT", &outputs)
        .output();
    let Ok(run) = run else {
        crate::common::skipped("no bash");
        return None;
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(fs::read_to_string(outputs).expect("outputs"))
}

#[test]
fn the_key_of_the_cache_is_that_of_the_sources() {
    let Some(first) = key(None) else { return };
    assert!(first.starts_with("key=heapviz-") && first.trim().len() > 80, "{first}");
    assert_eq!(key(None), Some(first.clone()), "another folder with the same files");
    assert_ne!(key(Some("changed")), Some(first));
}

/// Programs that jobs start, which here note in the file `ran` that they were started, and make what they would.
#[cfg(target_os = "linux")]
const PROGRAMS: [(&str, &str); 5] = [
    (
        "cargo",
        r#"case "$all" in
            *--root*) mkdir -p "${all##*--root }/bin"; ln -s "$REAL" "${all##*--root }/bin/heapviz" ;;
            install*) [ -f "${all##*--path }/Cargo.toml" ] && ln -s "$REAL" "$PROGRAMS/heapviz" ;;
            *--release*) binary=target/${all##*--target }/release/heapviz; mkdir -p "${binary%/*}"
                case "$binary" in *windows*) binary=$binary.exe ;; esac
                printf '#!/bin/sh\nexec "$REAL" "$@"\n' > "$binary"; chmod +x "$binary" ;;
            run*browser*) echo page > "${all##*-- }" ;;
            public-api*) cat docs/public-api.txt ;;
        esac"#,
    ),
    // The program that it builds answers as one of GHC does, and writes its log where it is told to.
    (
        "cabal",
        r#"case "$1" in
            exec) cp "$SAMPLE" prog.eventlog ;;
            list-bin) cat > prog <<'END'
#!/bin/bash
case "$*" in *--info*) printf ' [("GHC RTS", "YES")\n ,("GHC version", "9.6.2")\n ,("RTS way", "rts_v")\n ]\n'; exit ;; esac
for word in "$@"; do case "$word" in -ol*) cp "$SAMPLE" "${word#-ol}" ;; esac; done
END
                chmod +x prog; echo ./prog ;;
        esac"#,
    ),
    (
        "gh",
        r#"case "$all" in
            "release create"*) sha256sum --quiet -c SHA256SUMS && cp notes "$PROGRAMS/../notes" ;;
        esac"#,
    ),
    ("rustup", ""),
    ("apt-get", "exit 1"),
];

/// A folder in which jobs run as on GitHub; see `runner.mjs`.
#[cfg(target_os = "linux")]
struct GitHub {
    folder: tempfile::TempDir,
    packages: std::ffi::OsString,
}

#[cfg(target_os = "linux")]
impl GitHub {
    /// With GitHub's packages, which `HEAPVIZ_ACTIONS` names.
    fn new() -> Option<GitHub> {
        let Some(packages) = std::env::var_os("HEAPVIZ_ACTIONS") else {
            crate::common::skipped("no HEAPVIZ_ACTIONS");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).unwrap();
        for (name, body) in PROGRAMS {
            let path = programs.join(name);
            let notes = "#!/bin/bash\necho \"${0##*/} $*\" >> \"$PROGRAMS/../ran\"\nall=$*";
            fs::write(&path, format!("{notes}\n{body}\n")).unwrap();
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
                .unwrap();
        }
        fs::create_dir(folder.path().join("project")).unwrap();
        Some(GitHub { folder, packages })
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a job: the reports of the steps, the summary, the artifacts.
    fn run(&self, workflow: &Path, job: &str, more: &[(&str, Value)]) -> Value {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let own = if workflow.starts_with(root) { root } else { &self.path("project") };
        let mut given = json!({
            "workflow": workflow,
            "job": job,
            "github": {"repository": "owner/name", "token": "t", "ref": "refs/heads/main", "event": {}},
            "checkouts": {"": own, "OWNER/heapviz": root},
        });
        for (pointer, value) in more {
            let (folder, name) = pointer.rsplit_once('/').expect("a path");
            given.pointer_mut(folder).expect("a part of a job")[name] = value.clone();
        }
        let programs = self.path("programs");
        let mut node = Command::new("node")
            .arg(root.join("tests/command/runner.mjs"))
            .args([&self.packages, self.folder.path().as_os_str()])
            .env("PATH", format!("{}:{}", programs.display(), std::env::var("PATH").unwrap()))
            .env("PROGRAMS", &programs)
            .env("REAL", env!("CARGO_BIN_EXE_heapviz"))
            .env("SAMPLE", root.join("samples/leak-hT.eventlog"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("node");
        serde_json::to_writer(node.stdin.take().unwrap(), &given).unwrap();
        let output = node.wait_with_output().unwrap();
        assert!(output.status.success(), "{job} of {}", workflow.display());
        // GitHub's packages print lines before it.
        let said = String::from_utf8(output.stdout).expect("text");
        let report = said.lines().last().unwrap_or_default();
        serde_json::from_str(report).expect("the report of the runner")
    }

    fn ran(&self) -> String {
        fs::read_to_string(self.path("ran")).unwrap_or_default()
    }
}

/// The examples of docs/ci.md: the recipe without the action, and the steps with it.
#[cfg(target_os = "linux")]
#[test]
fn the_workflows_of_the_documents_run_as_on_github() {
    let Some(github) = GitHub::new() else { return };
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md"));
    let text = text.expect("docs/ci.md");
    let blocks: Vec<&str> = text.split("```yaml\n").skip(1).collect();
    let blocks: Vec<&str> = blocks.iter().map(|block| block.split("```").next().unwrap()).collect();
    let baseline = Command::new(env!("CARGO_BIN_EXE_heapviz"))
        .args(["check", "samples/leak-hT.eventlog", "--accept", ".", "--write-baseline"])
        .arg(github.path("project/heap.json"))
        .output();
    assert!(baseline.is_ok_and(|output| output.status.success()));

    let recipe = github.path("recipe.yml");
    fs::write(&recipe, blocks[0]).unwrap();
    let done = github.run(&recipe, "heap", &[]);
    assert_eq!(done["status"], "success", "{done:#}");
    assert!(done["summary"].as_str().unwrap().contains("keep > baseline * 1.5"), "{done:#}");

    let wrap = |steps: &str| {
        let file = github.path("action.yml");
        let head = "on: pull_request\njobs:\n  heap:\n    runs-on: ubuntu-latest\n    steps:\n";
        fs::write(&file, format!("{head}{steps}")).unwrap();
        file
    };
    let with_action = wrap(blocks[1]);
    let built = |github: &GitHub| github.ran().matches("cargo install --locked").count();
    for times in 1..=2 {
        let done = github.run(&with_action, "heap", &[]);
        assert_eq!(done["status"], "success", "{done:#}");
        assert!(done["summary"].as_str().unwrap().contains("## Budgets"), "{done:#}");
        assert_eq!(done["artifacts"], json!(["heap.html/heap.html", "heap.svg/heap.svg"]));
        assert_eq!(built(&github), 1, "run {times}: the cache keeps what was built");
        assert!(!github.ran().contains("gh "));
        fs::remove_dir_all(github.path("artifacts")).unwrap();
    }

    // An exceeded budget: the chart, the page and the comment are made all the same.
    let more = "keep > baseline * 1.5\n            peak > 1KiB\n          comment: true";
    let failing = wrap(&blocks[1].replace("keep > baseline * 1.5", more));
    let done =
        github.run(&failing, "heap", &[("/github/event", json!({"pull_request": {"number": 7}}))]);
    assert_eq!(done["status"], "failure", "{done:#}");
    assert_eq!(done["artifacts"].as_array().map(Vec::len), Some(2), "{done:#}");
    assert!(github.ran().contains("gh pr comment 7 --repo owner/name"), "{}", github.ran());
}

/// A tag: every binary is packed, and all are in the draft with their checksums.
#[cfg(target_os = "linux")]
#[test]
fn the_workflow_of_a_release_runs_as_on_github() {
    let Some(github) = GitHub::new() else { return };
    let workflow = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows/release.yml");
    let tag = concat!("v", env!("CARGO_PKG_VERSION"));
    let name = |value: &str| ("/github/ref_name", json!(value));
    let text = fs::read_to_string(&workflow).expect("the workflow");
    let mut archives = Vec::new();
    for entry in text.split("- { os: ").skip(1) {
        let entry = entry.split(" }").next().unwrap();
        let (os, target) = entry.split_once(", target: ").expect("a target");
        let matrix = ("/matrix", json!({"os": os, "target": target}));
        let done = github.run(&workflow, "build", &[name(tag), matrix]);
        assert_eq!(done["status"], "success", "{done:#}");
        archives.push(format!("heapviz-{}-{target}.tar.gz", &tag[1..]));
    }
    assert_eq!(archives.len(), 5, "{archives:?}");
    assert_eq!(github.run(&workflow, "page", &[name(tag)])["status"], "success");
    let done = github.run(&workflow, "release", &[name(tag)]);
    assert_eq!(done["status"], "success", "{done:#}");
    let ran = github.ran();
    let created = ran.lines().find(|line| line.starts_with("gh release create")).expect(&ran);
    for file in archives.iter().map(String::as_str).chain(["heapviz.html", "SHA256SUMS", "--draft"])
    {
        assert!(created.split(' ').any(|word| word == file), "{file}: {created}");
    }
    assert!(fs::metadata(github.path("notes")).is_ok_and(|notes| notes.len() > 200));
    // A version that the changelog does not have.
    let done = github.run(&workflow, "release", &[name("v99.0.0")]);
    assert_eq!(done["status"], "failure", "{done:#}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_workflow_of_every_push_runs_as_on_github() {
    let Some(github) = GitHub::new() else { return };
    let workflow = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows/ci.yml");
    for job in ["linux", "systems", "browser-build", "oldest-compiler", "advisories"] {
        let done = github.run(&workflow, job, &[("/matrix", json!({"os": "macos-latest"}))]);
        assert_eq!(done["status"], "success", "{done:#}");
    }
    let ran = github.ran();
    for line in
        ["cargo test --locked --no-fail-fast", "rustup override set 1.", "cargo +1.91 check"]
    {
        assert!(ran.contains(line), "{ran}");
    }
}
