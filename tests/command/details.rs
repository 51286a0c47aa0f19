//! Small details that pictures and messages must get right.

use crate::common::command::{Folder, HP, sample};

/// The rows of the key in an SVG: each name with its figure.
fn key(svg: &str) -> Vec<(String, String)> {
    let entries = svg.split("class=\"key-entry\"").skip(1);
    let texts = |entry: &str| -> Vec<String> {
        let entry = entry.split("</g>").next().unwrap_or_default();
        let texts = entry.split("<text").skip(1);
        let content = texts.filter_map(|text| text.split_once('>')?.1.split("</text>").next());
        content.map(str::to_owned).collect()
    };
    let row = |texts: Vec<String>| {
        (texts.first().cloned().unwrap_or_default(), texts.last().cloned().unwrap_or_default())
    };
    entries.map(|entry| row(texts(entry))).collect()
}

#[test]
fn a_stack_ordered_by_growth_shows_how_fast_each_band_grows() {
    let log = sample("server-hT.hp.gz").display().to_string();
    let svg = Folder::new().run(&["--sort", "growth", &log, "-o", "-"]).drawn().wrote();
    assert!(svg.contains(">growth</text>") && !svg.contains(">last</text>"), "{svg}");
    let key = key(&svg);
    assert!(key.iter().filter(|row| row.1.ends_with("/s")).count() >= 3, "{key:?}");
}

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
    let mut grows =
        "JOB \"p +RTS -hr -L25\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"
            .to_owned();
    for i in 0..120 {
        grows += &format!("BEGIN_SAMPLE {i}.0\n(1)handler\t{}\n", 1_000_000 + i * 500_000);
        grows += &format!("(2)a_name_of_25_characters__\t90000\nEND_SAMPLE {i}.0\n");
    }
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
    let png = folder.run(&[&log, "-o", "x.png"]).drawn().said();
    assert!(png.contains("missing from the font") && png.contains("(--font FILE)"), "{png}");
    let run = folder.run(&[&log, "-o", "y.png", "--font", "DejaVu Sans"]);
    assert!(run.said().contains("hint: --font takes the path of"), "{}", run.said());
}

#[test]
fn a_picture_has_the_size_that_was_asked_for() {
    let folder = Folder::new();
    for name in ["leak-hc.eventlog", "server-hT.hp.gz", "pandoc-hT.hp.gz", "uni-hc.eventlog"] {
        let log = sample(name).display().to_string();
        for (width, height) in [("400", "250"), ("960", "300"), ("1200", "900")] {
            let words = [&log, "--width", width, "--height", height, "-o", "-"];
            let svg = folder.run(&words).drawn().wrote();
            let head = svg.split_once('>').expect("a tag").0;
            for side in [format!(" width=\"{width}\""), format!(" height=\"{height}\"")] {
                assert!(head.contains(&side), "{name}: {head}");
            }
        }
        let words = [&*log, "--width", "8.5cm", "--height", "6cm", "-o", "-"];
        let svg = folder.run(&words).drawn().wrote();
        let head = svg.split_once('>').expect("a tag").0;
        assert!(head.contains(" height=\"227\""), "{name}: {head}");
    }
}

#[test]
fn a_written_hp_contains_only_the_selected_bands() {
    let folder = Folder::new().with("prog.hp", HP);
    let words = ["-q", "--include", "Map", "prog.hp", "-o", "some.hp"];
    folder.run(&words).drawn();
    let some = folder.read("some.hp");
    assert!(some.contains("Map\t") && !some.contains("tiny"), "{some}");
}

#[test]
fn times_just_below_round_numbers_are_shown_round() {
    let mut profile =
        "JOB \"p\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n".to_owned();
    for i in 1..40 {
        let time = 0.1 * f64::from(i) - 1e-9;
        profile += &format!("BEGIN_SAMPLE {time:.9}\na\t{}\nEND_SAMPLE {time:.9}\n", 1000 + i);
    }
    let folder = Folder::new().with("prog.hp", profile);
    let svg = folder.run(&["prog.hp", "-o", "-"]).drawn().wrote();
    let stats = folder.run(&["stats", "prog.hp"]).drawn().wrote();
    for text in [&svg, &stats] {
        assert!(!text.contains("9999") && !text.contains("00000"), "{text}");
    }
}
