//! EPS files contain what the scene contains, and PostScript interpreters accept them.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::common;
use heapviz::chart::Chart;
use heapviz::draw::{self, DrawOptions, Palette};
use heapviz::input::{InputOptions, read_drawable};
use heapviz::picture::{Area, Item, Scene};
use heapviz::render::{EpsOptions, eps};
use heapviz::slice::rank::RankOptions;

const SAMPLES: [&str; 5] =
    ["leak-hy.eventlog", "leak-hb.eventlog", "bands-hy.hp", "uni-hc.eventlog", "leak-hd.hp"];
const PALETTES: [Palette; 4] = [Palette::Vivid, Palette::Safe, Palette::Grey, Palette::Patterns];

fn scene(sample: &str, palette: Palette) -> Scene {
    let path = format!("{}/samples/{sample}", env!("CARGO_MANIFEST_DIR"));
    let file = File::open(path).expect("a sample");
    let profile = read_drawable(file, &InputOptions::default()).expect("a profile");
    let chart = Chart::of_profile(&profile, &RankOptions::default());
    draw::chart(&chart, &DrawOptions::default().with_palette(palette))
}

fn text(scene: &Scene) -> String {
    String::from_utf8(eps(scene, &EpsOptions::default()).bytes).expect("ASCII")
}

/// The areas and texts of a scene, in painting order.
fn gather<'a>(items: &'a [Item], areas: &mut Vec<&'a Area>, texts: &mut Vec<&'a str>) {
    for item in items {
        match item {
            Item::Group(group) => gather(&group.items, areas, texts),
            Item::Area(area) => areas.push(area),
            Item::Text(text) => texts.push(&text.content),
            _ => {}
        }
    }
}

/// The words of the page; strings are kept together.
fn words(eps: &str) -> Vec<String> {
    let page = eps.split("%%Page: 1 1\n").nth(1).expect("a page");
    let mut words = Vec::new();
    let mut characters = page.chars().peekable();
    while let Some(c) = characters.next() {
        if c == '(' {
            let mut string = String::new();
            loop {
                match characters.next().expect("the end of a string") {
                    ')' => break,
                    '\\' => match characters.next().expect("what is masked") {
                        '\n' => {}
                        digit @ '0'..='7' => {
                            let rest: String = characters.by_ref().take(2).collect();
                            let code = u32::from_str_radix(&format!("{digit}{rest}"), 8);
                            string.push(char::from_u32(code.expect("octal")).expect("Latin-1"));
                        }
                        other => string.push(other),
                    },
                    other => string.push(other),
                }
            }
            words.push(format!("({string}"));
        } else if !c.is_whitespace() {
            let mut word = c.to_string();
            while let Some(next) = characters.next_if(|c| !c.is_whitespace() && *c != '(') {
                word.push(next);
            }
            words.push(word);
        }
    }
    words
}

#[test]
fn outlines_and_texts_agree_with_the_scene() {
    for sample in SAMPLES {
        for palette in PALETTES {
            let scene = scene(sample, palette);
            let (mut areas, mut texts) = (Vec::new(), Vec::new());
            gather(&scene.items, &mut areas, &mut texts);
            let words = words(&text(&scene));

            let strings: Vec<&str> =
                words.iter().filter_map(|word| word.strip_prefix('(')).collect();
            assert_eq!(strings.len(), texts.len(), "{sample}");
            for (string, text) in strings.iter().zip(&texts) {
                let same =
                    |(a, b): (char, char)| a == b || a == '?' || ('\u{80}'..'\u{a0}').contains(&a);
                assert!(string.chars().zip(text.chars()).all(same), "{string} for {text}");
            }

            // Closed paths without curves are the areas.
            let mut closed = Vec::new();
            let mut path: Vec<[f64; 2]> = Vec::new();
            let mut curved = false;
            for (i, word) in words.iter().enumerate() {
                let number = |back: usize| words[i - back].parse::<f64>().expect("a number");
                match word.as_str() {
                    "M" => (path, curved) = (vec![[number(2), number(1)]], false),
                    "L" => path.push([number(2), number(1)]),
                    "V" => curved = true,
                    "Z" if !curved => closed.push(std::mem::take(&mut path)),
                    _ => {}
                }
            }
            for area in &areas {
                let is_area = |path: &Vec<[f64; 2]>| {
                    let near = |([x, y], point): (&[f64; 2], &heapviz::picture::Point)| {
                        (x - point.x).abs() < 0.006 && (y - point.y).abs() < 0.006
                    };
                    path.len() == area.points.len() && path.iter().zip(&area.points).all(near)
                };
                assert!(closed.iter().any(is_area), "{sample}: an area is not there");
            }
            assert!(areas.len() >= 3);
        }
    }
}

#[test]
fn a_figure_keeps_to_the_conventions() {
    let scene = scene("leak-hy.eventlog", Palette::Patterns);
    let figure = text(&scene);
    assert!(figure.starts_with("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 720 405\n"));
    assert!(figure.ends_with("showpage\n%%EOF\n") && !figure.contains("setpagedevice"));
    assert!(figure.lines().all(|line| line.len() <= 255));
    assert!(figure.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
}

#[test]
fn characters_missing_in_helvetica_are_reported() {
    let rendered = eps(&scene("uni-hc.eventlog", Palette::Vivid), &EpsOptions::default());
    assert!(rendered.missing.chars().count() > 0);
    assert!(rendered.missing.chars().all(|c| c > '\u{ff}' && c != '…'));
    assert!(rendered.missing.to_string().contains("not in the fonts of PostScript"));
    assert!(rendered.missing.hint().starts_with("write a PDF"), "a font would not help");
}

#[test]
fn ghostscript_draws_it_without_messages() {
    let gs = Command::new("gs").arg("--version").stdout(Stdio::null()).status();
    if !gs.is_ok_and(|status| status.success()) {
        common::skipped("no Ghostscript (gs)");
        return;
    }
    for (sample, palette) in SAMPLES.into_iter().zip(PALETTES.into_iter().cycle()) {
        let mut child = Command::new("gs")
            .args(["-q", "-dBATCH", "-dNOPAUSE", "-dSAFER", "-sDEVICE=bbox", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Ghostscript");
        let scene = scene(sample, palette);
        let highest = scene.height * 0.75;
        let file = text(&scene);
        child.stdin.take().expect("a pipe").write_all(file.as_bytes()).expect("a reader");
        let output = child.wait_with_output().expect("an end");
        assert!(output.status.success(), "{sample}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{sample}");
        let bounds = String::from_utf8_lossy(&output.stderr).into_owned();
        let corners: Vec<f64> =
            bounds.split_whitespace().filter_map(|word| word.parse().ok()).take(4).collect();
        // A white background leaves no marks.
        assert!(corners[0] >= 0.0 && corners[1] >= 0.0, "{sample}: {bounds}");
        assert!((600.0..=720.0).contains(&corners[2]), "{sample}: {bounds}");
        assert!((300.0..=highest).contains(&corners[3]), "{sample}: {bounds}");
    }
}
