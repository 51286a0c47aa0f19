//! All outputs of one run show the same number, name and instant for the same thing.
//!
//! The JSON document has whole numbers; everything else is compared with it: the picture (key, hover
//! texts, caption), the tables of `stats` as text, Markdown and CSV, the data of the page, `diff` of a run
//! with itself, `check`, and the line after drawing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use heapviz::base::units::Nanos;
use serde_json::{Value, json};

use crate::common;
use crate::common::command::{Folder, sample};

/// A number as people read it, with the sum of its units: `14.2 MiB`, `4 min 40 s`, `-3.1 KiB/s`.
fn amount(text: &str) -> Option<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut sum = 0.0;
    for pair in words.chunks(2) {
        let [number, unit] = pair else { return None };
        let unit = unit.trim_end_matches("/sample").trim_end_matches("/s");
        let scale = match unit {
            "B" | "s" | "%" => 1.0,
            "KiB" => 1024.0,
            "MiB" => 1024.0 * 1024.0,
            "GiB" => 1024.0 * 1024.0 * 1024.0,
            "ns" => 1e-9,
            "µs" => 1e-6,
            "ms" => 1e-3,
            "min" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        sum += number.parse::<f64>().ok()? * scale;
    }
    Some(sum)
}

/// Whether a text is a number, rounded as people read it.
fn is(text: &str, number: f64) -> bool {
    let text = text.trim();
    if let Some(most) = text.strip_prefix("< ") {
        return amount(most).is_some_and(|most| number < most);
    }
    if let Some(least) = text.strip_prefix("> ") {
        return amount(least).is_some_and(|least| number > least);
    }
    let least = if text.ends_with('%') { 0.051 } else { 0.51 };
    let near = |shown: f64| (shown - number).abs() <= (0.0051 * number.abs()).max(least);
    amount(text).is_some_and(near)
}

struct Checker<'a> {
    file: &'a str,
    compared: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

impl Checker<'_> {
    fn see(&mut self, figure: &'static str, holds: bool, told: impl FnOnce() -> String) {
        *self.compared.entry(figure).or_default() += 1;
        if !holds {
            self.wrong.push(format!("{}: {figure}: {}", self.file, told()));
        }
    }

    fn number(&mut self, figure: &'static str, shown: &str, number: f64) {
        self.see(figure, is(shown, number), || format!("`{shown}` is not {number}"));
    }

    /// An instant in words.
    fn instant(&mut self, figure: &'static str, shown: &str, nanos: &Value, sample: &Value) {
        let words = match nanos.as_i64() {
            Some(nanos) => Nanos::from_nanos(nanos).to_string(),
            None => format!("sample {sample}"),
        };
        self.see(figure, shown.trim() == words, || format!("`{shown}` is not {words}"));
    }
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The cells of the first table of a Markdown text whose first heading starts with a word.
fn markdown_table(text: &str, head: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| -> Vec<String> {
        let inner =
            line.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{1}");
        inner.split('|').map(|cell| cell.trim().replace('\u{1}', "|").replace('\\', "")).collect()
    };
    let begins = |line: &&str| line.starts_with('|') && cells(line)[0] == head;
    let lines = text.lines().skip_while(|line| !begins(line)).skip(2);
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The page's data, which `src/report/data.rs` describes.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"text/plain\" class=\"island\">").expect("data");
    let text = rest.split("</script>").next().expect("data");
    let deflated = BASE64.decode(text).expect("Base 64");
    serde_json::from_reader(flate2::read::DeflateDecoder::new(&deflated[..])).expect("JSON")
}

/// Everything that is written of a profile.
struct Outputs {
    svg: String,
    said: String,
    page: Value,
    /// The document of the chart, and that of its figures.
    json: Value,
    stats: Value,
    markdown: String,
    plain: String,
    compared: Value,
    check: Value,
    checked: String,
}

impl Outputs {
    fn of(path: &Path) -> Self {
        let folder = Folder::new();
        let path = path.to_str().expect("a path");
        let run = |words: &[&str]| folder.run(words).drawn();
        let outputs = ["-o", "a.svg", "-o", "a.html", "-o", "a.json"];
        let drawn = run(&[&["draw", path][..], &outputs].concat());
        let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        let figures = ["-o", "s.json", "-o", "README.md", "-o", "s.txt"];
        run(&[&["stats", "--all", "--sort", "total", "-m", "19", path][..], &figures].concat());
        run(&["diff", path, path, "-o", "d.json"]);
        let budgets = ["--fail-if", "mean > 1024GiB", "--fail-if", "peak > 1024GiB"];
        run(&[&["check", path, "-o", "c.json", "-o", "c.txt"][..], &budgets].concat());
        Outputs {
            svg: folder.read("a.svg"),
            said: drawn.said(),
            page: data(&folder.read("a.html")),
            json: json(&folder.read("a.json")),
            stats: json(&folder.read("s.json")),
            markdown: folder.read("README.md"),
            plain: folder.read("s.txt"),
            compared: json(&folder.read("d.json")),
            check: json(&folder.read("c.json")),
            checked: folder.read("c.txt"),
        }
    }

    /// The bands of the chart that are one band, from the top.
    fn bands(&self) -> Vec<&Value> {
        let bands = self.json["bands"].as_array().expect("bands").iter();
        bands.filter(|band| band["role"] == "band").collect()
    }

    fn is_timed(&self) -> bool {
        self.json["metrics"]["per"] != "sample"
    }

    /// What a band has at the end: in the last sample, or in the last before an exit that is told.
    fn at_end(&self, band: &Value) -> f64 {
        match self.page["facts"]["verdict"]["before_exit"].as_u64() {
            Some(sample) => float(&band["residency"][sample as usize]),
            None => float(&band["last"]).round(),
        }
    }

    fn check(&self, checker: &mut Checker<'_>) {
        self.check_picture(checker);
        self.check_tables(checker);
        self.check_page(checker);
        self.check_rest(checker);
        self.check_verdict(checker);
    }

    /// The hover text and the row in the key of each band.
    fn check_picture(&self, checker: &mut Checker<'_>) {
        let groups = self.svg.split("<g class=\"band\"").skip(1);
        let titles = groups.filter_map(|group| {
            let (_, rest) = group.split_once("<title>")?;
            Some(unescaped(rest.split_once("</title>")?.0))
        });
        let titles: Vec<String> = titles.filter(|title| title.contains("\npeak ")).collect();
        // The picture has the biggest at the bottom or on top; each title belongs to one band.
        let key: Vec<&str> = self.svg.split("text-anchor=\"end\"").skip(1).collect();
        let powers = ["B", "KiB", "MiB", "GiB"].iter().zip(0..);
        let of_axis =
            powers.filter(|(unit, _)| self.svg.matches(&format!(">{unit}</text>")).count() > 1);
        let unit = of_axis.map(|(_, power)| 1024_f64.powi(power)).last().expect("a unit");
        // The number in the unit of the axis, or what is next to it: one that is halfway may be rounded down.
        let in_key = |bytes: f64| {
            let is_near = |shown: &f64| {
                let digit = if *shown < 10.0 {
                    0.01
                } else if *shown < 100.0 {
                    0.1
                } else {
                    1.0
                };
                (shown - bytes / unit).abs() <= 0.501 * digit
            };
            let texts = key.iter().filter_map(|text| text.split(['>', '<']).nth(1));
            bytes < 0.005 * unit
                || texts.filter_map(|text| text.parse().ok()).any(|shown| is_near(&shown))
        };
        for band in self.bands() {
            let label = band["label"].as_str().expect("a label");
            let peak = float(&band["peak"]);
            let ours = titles.iter().filter(|title| {
                title.starts_with(label)
                    && title.split("\npeak ").nth(1).is_some_and(|rest| {
                        rest.split([' ', '\n']).take(2).collect::<Vec<_>>().join(" ").as_str()
                            == human(peak)
                    })
            });
            for title in ours.take(1) {
                let line = |start: &str| {
                    title.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default()
                };
                let (mean, last) = line("mean ").split_once(", last ").expect("two figures");
                checker.number("mean in hover text", mean, float(&band["mean"]));
                checker.number("last in hover text", last, float(&band["last"]));
                // What is nothing is left empty.
                let end = self.at_end(band);
                checker.see("end in key", in_key(end), || format!("{end} of {label}"));
                if self.svg.contains(">peak<") {
                    // A peak that is what the band has at the end is left empty.
                    let is_seen = human(peak) == human(self.at_end(band)) || in_key(peak);
                    checker.see("peak in key", is_seen, || format!("{peak} of {label}"));
                }
                let share = title.lines().find_map(|line| line.strip_suffix(" of the total"));
                let share = share.unwrap_or_default();
                checker.number("share in hover text", share, float(&band["share_percent"]));
                let when = line("peak ").split_once(if self.is_timed() { " at " } else { " in " });
                let when = when.expect("an instant").1;
                checker.instant("peak in hover text", when, &band["peak_ns"], &band["peak_sample"]);
            }
        }
        let metrics = &self.json["metrics"];
        let said = self.said.split(", peak ").nth(1).unwrap_or_default();
        let words = said.split([',', '\n']).next().unwrap_or_default();
        let words = words.split(" -> ").next().unwrap_or_default();
        let (peak, when) = words
            .split_once([" at ", " in "].into_iter().find(|w| words.contains(w)).unwrap_or(" at "))
            .unwrap_or_default();
        checker.number("peak after drawing", peak, float(&metrics["peak"]));
        checker.instant("peak after drawing", when, &metrics["peak_ns"], &metrics["peak_sample"]);
    }

    /// The rows of `stats` as Markdown.
    fn check_tables(&self, checker: &mut Checker<'_>) {
        let stats = self.stats["bands"].as_array().expect("bands").iter();
        let stats: Vec<&Value> = stats.filter(|band| band["role"] == "band").collect();
        let drawn: BTreeMap<u64, &Value> = self
            .bands()
            .into_iter()
            .map(|band| (band["id"].as_u64().expect("an id"), band))
            .collect();
        let table = markdown_table(&self.markdown, "band");
        checker.see("rows", table.len() >= stats.len(), || {
            format!("{} bands, {} in Markdown", stats.len(), table.len())
        });
        for (band, cells) in stats.iter().zip(&table) {
            checker.number("mean in stats", &cells[1], float(&band["mean"]));
            checker.number("share in stats", &cells[2], float(&band["share_percent"]));
            checker.number("peak in stats", &cells[3], float(&band["peak"]));
            checker.instant("peak in stats", &cells[4], &band["peak_ns"], &band["peak_sample"]);
            checker.number("last in stats", &cells[5], float(&band["last"]));
            checker.number("rate in stats", &cells[6], float(&band["growth_bytes_per_s"]));
            if let Some(other) = drawn.get(&band["id"].as_u64().expect("an id")) {
                for key in ["label", "peak", "mean", "last", "share_percent", "growth_bytes_per_s"]
                {
                    checker.see("draw and stats", other[key] == band[key], || {
                        format!("{key}: {} and {}", other[key], band[key])
                    });
                }
            }
        }
    }

    /// The columns of the page.
    fn check_page(&self, checker: &mut Checker<'_>) {
        let (page, mut place) = (&self.page["bands"], BTreeMap::new());
        for (at, name) in page["names"].as_array().expect("names").iter().enumerate() {
            place.entry(name.as_str().expect("a name")).or_insert_with(Vec::new).push(at);
        }
        for band in self.bands() {
            let label = band["label"].as_str().expect("a label");
            let Some([at]) = place.get(label).map(Vec::as_slice) else { continue };
            for (column, key) in [("peaks", "peak"), ("lasts", "last"), ("means", "mean")] {
                let known =
                    if key == "last" { self.at_end(band) } else { float(&band[key]).round() };
                let is_same = float(&page[column][at]) == known;
                checker.see("figure on the page", is_same, || format!("{key} of {label}"));
            }
            // Of all bands together, the headline tells what each gained of that.
            let is_part = self.page["facts"]["verdict"]["marked"].as_array().expect("marked");
            let suspects = self.json["verdict"]["suspects"].as_array().expect("suspects");
            if is_part.contains(&json!(*at)) && suspects.iter().all(|one| one["id"] != band["id"]) {
                continue;
            }
            let mut rises = self.json["verdict"]["rises"].as_array().expect("rises").iter();
            if let Some(rise) = rises.find(|rise| rise["id"] == band["id"]) {
                let (shown, known) = (&page["grew"][at], &rise["grew"]);
                checker.see("gain on the page", shown == known, || {
                    format!("{label}: {shown} and {known}")
                });
            }
        }
        let facts = &self.page["facts"];
        let (shown, known) = (&facts["verdict"], &self.json["verdict"]);
        for key in ["leak", "growing"] {
            checker.see("verdict on the page", shown[key] == known[key], || key.to_owned());
        }
        let suspects = |verdict: &Value| verdict["suspects"].as_array().expect("suspects").clone();
        for (shown, known) in suspects(shown).iter().zip(&suspects(known)) {
            for (ours, theirs) in [("grew", "grew"), ("rate", "rate_bytes_per_s")] {
                checker
                    .see("suspect on the page", shown[ours] == known[theirs], || ours.to_owned());
            }
            // On the page, what has no band is last, and its name is not one of a band.
            let band = shown["band"].as_u64().and_then(|at| page["names"].get(at as usize));
            checker.see(
                "suspect on the page",
                band.is_none_or(|name| *name == known["label"]),
                || format!("{band:?} and {}", known["label"]),
            );
        }
    }

    /// A run compared with itself, and checked.
    fn check_rest(&self, checker: &mut Checker<'_>) {
        let metrics = &self.json["metrics"];
        checker.see("metrics of stats", &self.stats["metrics"] == metrics, || metrics.to_string());
        checker.see("metrics of check", &self.check["metrics"] == metrics, || metrics.to_string());
        for figure in self.compared["figures"].as_array().expect("figures") {
            let name = figure["figure"].as_str().expect("a name");
            let key = match name {
                "growth" => "growth_bytes_per_s",
                "duration" => "duration_s",
                other => other,
            };
            // Without times, a mean is over the samples that have anything in them.
            let counts_samples = !self.is_timed() && name == "mean";
            if metrics[key].is_number() && !counts_samples {
                let (before, known) = (float(&figure["before"]), float(&metrics[key]));
                checker.see("diff", (before - known).abs() <= 1e-9 * known.abs(), || {
                    format!("{name}: {before} and {known}")
                });
            }
        }
        let drawn = self.bands();
        for band in self.compared["bands"].as_array().expect("bands") {
            let of_label: Vec<&&Value> =
                drawn.iter().filter(|other| other["label"] == band["label"]).collect();
            // Several bands with one identity are one.
            if let ([one], true) = (&of_label[..], self.is_timed()) {
                let (mean, known) = (float(&band["before"]), float(&one["mean"]));
                checker.see("mean in diff", mean >= known * 0.999_999, || {
                    format!("{}: {mean} and {known}", band["label"])
                });
            }
        }
        for (budget, key) in
            self.check["budgets"].as_array().expect("budgets").iter().zip(["mean", "peak"])
        {
            checker.see("check", float(&budget["measured"]) == float(&metrics[key]), || {
                key.to_owned()
            });
        }
        for (line, key) in
            self.checked.lines().filter(|line| line.contains("1 TiB")).zip(["mean", "peak"])
        {
            let shown = line.split("1 TiB").last().unwrap_or_default().replace("ok", "");
            checker.number("check as text", &shown, float(&metrics[key]));
        }
    }

    /// What grows: the table of suspects, the line after drawing, the caption, the line of `check`.
    fn check_verdict(&self, checker: &mut Checker<'_>) {
        if let Some(before) = self.page["facts"]["verdict"]["before_exit"].as_u64() {
            let moves = self.json["verdict"]["movements"].as_array().expect("movements");
            // A floor covers the exit, too.
            let is_exit = |one: &Value| one["floor"] == true || one["from_sample"] == before + 1;
            let is_last = moves.last().is_some_and(is_exit);
            checker.see("last sample before the exit", is_last, || format!("{before}"));
        }
        let verdict = &self.json["verdict"];
        let suspects = verdict["suspects"].as_array().expect("suspects");
        let rate_of = |id: &Value| {
            self.bands()
                .into_iter()
                .find(|band| &band["id"] == id)
                .map(|b| float(&b["growth_bytes_per_s"]))
        };
        for (suspect, cells) in suspects.iter().zip(markdown_table(&self.markdown, "suspect")) {
            checker.number("grew in stats", &cells[1], float(&suspect["grew"]));
            checker.number("rate of a suspect", &cells[3], float(&suspect["rate_bytes_per_s"]));
            if cells[4] != "the start" {
                checker.instant(
                    "since in stats",
                    &cells[4],
                    &suspect["since_ns"],
                    &suspect["since_sample"],
                );
            } else {
                // A `.hp` begins with an empty sample, and a few samples are no time in a long run.
                let samples = verdict["samples"].as_u64().expect("a number");
                let first = verdict["movements"][0]["from_sample"].as_u64().expect("a number");
                let since = suspect["since_sample"].as_u64().expect("a number");
                let is_early = since - first <= samples / 20;
                checker.see("since the start", is_early, || cells[4].clone());
            }
            if let Some(rate) = rate_of(&suspect["id"]) {
                let known = float(&suspect["rate_bytes_per_s"]);
                checker.see("a suspect has one rate", rate == known, || format!("{rate}, {known}"));
            }
        }
        let Some(since) =
            markdown_table(&self.markdown, "suspect").first().map(|cells| cells[4].clone())
        else {
            return;
        };
        let all = human(float(&verdict["grew"]));
        let words = format!("grew by {all}");
        let of_one = format!("{words} since {since}");
        let words = if suspects.len() == 1 { of_one } else { words };
        checker.see("line after drawing", self.said.contains(&words), || words.clone());
        checker.see("line of check", self.checked.contains(&words), || words.clone());
        checker.see("caption", self.svg.contains(&words), || words.clone());
        let fact = format!("grew by {all}");
        let plain = self.plain.split_whitespace().collect::<Vec<_>>().join(" ");
        checker.see("fact in stats", plain.contains(&fact), || fact.clone());
        checker.see("fact in Markdown", self.markdown.contains(&fact), || fact.clone());
        checker.see("fact in check", self.checked.contains(&fact), || fact.clone());
    }
}

/// An amount of memory as it is written.
fn human(bytes: f64) -> String {
    heapviz::base::units::Bytes::new(bytes as u64).to_string()
}

fn profiles() -> Vec<PathBuf> {
    let samples = "bands-hy.hp leak-hT.eventlog leak-hb.eventlog leak-hc.eventlog leak-hd.hp \
        leak-hi.eventlog leak-hm.hp leak-hy.eventlog leak-hy.hp pandoc-hT.hp.gz uni-hc.eventlog server-hT.hp.gz \
        words-lazy.eventlog.gz words-strict.eventlog.gz";
    let leaks = "collect_sort-hT.hp.gz doubling-hy.hp.gz lazy_history-hc.hp.gz \
        leaked_threads-hT.hp.gz memo_table-hy.hp.gz migrate-hT.eventlog.gz \
        random_walk-hy.eventlog.gz";
    let leaks = leaks.split(' ').map(|name| common::data("leaks").join(name));
    samples.split(' ').map(sample).chain(leaks).collect()
}

#[test]
fn outputs_that_show_one_thing_show_one_figure() {
    let (mut compared, mut wrong) = (BTreeMap::new(), Vec::new());
    let profiles = profiles();
    assert_eq!(profiles.len(), 21);
    for path in &profiles {
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut checker = Checker { file: &file, compared: BTreeMap::new(), wrong: Vec::new() };
        Outputs::of(path).check(&mut checker);
        checker
            .compared
            .into_iter()
            .for_each(|(figure, n)| *compared.entry(figure).or_insert(0) += n);
        wrong.append(&mut checker.wrong);
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    // Each kind of figure was really found, so a change of a format cannot switch the test off.
    for (figure, n) in &compared {
        println!("{n:>5} {figure}");
    }
    assert!(compared["mean in hover text"] > 100 && compared["peak in key"] > 100, "{compared:?}");
    assert!(
        compared["figure on the page"] > 300 && compared["rate in stats"] > 100,
        "{compared:?}"
    );
    assert!(compared["since in stats"] + compared["since the start"] > 10, "{compared:?}");
}
