//! Small details that pictures and messages must get right.

use crate::common::command::{Folder, hp, sample};

#[test]
fn a_healthy_profile_takes_at_most_two_lines() {
    let folder = Folder::new();
    let samples = sample("leak-hT.eventlog").parent().expect("a folder").to_owned();
    let mut healthy = 0;
    for entry in std::fs::read_dir(&samples).expect("samples") {
        let path = entry.expect("a file").path();
        if path.is_dir() || path.extension().is_some_and(|ending| ending == "md") {
            continue;
        }
        let path = path.display().to_string();
        let said = folder.run(&[&path, "-o", "x.svg"]).drawn().said();
        if !said.contains("warning:") {
            healthy += 1;
            assert!(said.lines().count() <= 2, "{said}");
        }
    }
    assert!(healthy >= 10, "{healthy}");
    // Growth, cut names, and a report next to the profile would each add a line.
    let rows = |i| {
        format!("(1)handler\t{}\n(2)a_name_of_25_characters__\t90000\n", 1_000_000 + i * 500_000)
    };
    let grows = hp((0..120).map(|i| (f64::from(i), rows(i)))).replace("-hy", "-hr -L25");
    let folder = Folder::new().with("p.hp", &grows).with("p.prof", "a report");
    let said = folder.run(&["p.hp"]).drawn().said();
    assert!(said.lines().count() == 2 && said.contains("leak: "), "{said}");
    let said = folder.run(&["--no-verdict", "p.hp"]).drawn().said();
    assert!(
        said.lines().count() == 2 && said.contains("p.prof may contain its complete retainer sets"),
        "{said}"
    );
}

#[test]
fn characters_and_fonts_that_are_missing_get_hints_that_help() {
    let log = sample("uni-hc.eventlog").display().to_string();
    let folder = Folder::new();
    for picture in ["x.png", "x.pdf"] {
        let run = folder.run(&[&log, "-o", picture]);
        run.says(0, "3 characters are missing from the font: ἀ二第|(--font FILE)");
    }
    let run = folder.run(&[&log, "-o", "y.png", "--font", "DejaVu Sans"]);
    assert!(run.said().contains("hint: --font takes the path of"), "{}", run.said());
}
