//! The drop-in compared with the output of the real hp2ps (`docs/format/hp.md#test-inputs`): every field that
//! was read from its PostScript is read from ours.

use crate::common;
use heapviz::hp2ps::command_line::{Options, parse};
use heapviz::hp2ps::{Drawing, FlagError, Hp2psError, draw};
use serde_json::{Value, json};

/// Drawn here although hp2ps fails, and said so: files that end inside a sample.
const DRAWN: &str = "incomplete-last-with-data incomplete-last-only-trace-data-t0 keyword-touches-eof \
    keyword-newline-eof name-touches-eof value-cut-at-eof cut-inside-begin-time name-after-last-sample";

/// The same without a word: an `.aux` with more entries than hp2ps has room for.
const LARGE: [&str; 2] = ["p-order-overflow", "p-shade-overflow"];

/// Flags that hp2ps documents but does not accept.
const UNDERSTOOD: [&str; 1] = ["opt-l"];

fn options(vector: &Value) -> Result<Options, FlagError> {
    let flags = vector["flags"].as_array().unwrap();
    parse(flags.iter().map(|flag| flag.as_str().unwrap().as_bytes()))
}

fn run(vector: &Value, input: &str) -> Result<Drawing, Hp2psError> {
    let previous = vector["aux_in"].as_str().filter(|_| input != "stdin").map(str::as_bytes);
    draw(text(&vector["hp"]).as_bytes(), previous, &options(vector).unwrap(), b"hp2ps")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The fields of a picture, as the vectors have them.
fn fields(drawing: &Drawing) -> Value {
    let ps = String::from_utf8_lossy(&drawing.postscript).into_owned();
    let aux = String::from_utf8_lossy(&drawing.aux).into_owned();
    let lines: Vec<&str> = ps.lines().collect();
    let at = |i: usize| lines.get(i).copied().unwrap_or_default();
    let range = |word: &str| {
        aux.lines().find_map(|line| line.strip_prefix(word)?.parse::<f64>().ok()).unwrap()
    };
    let places = |test: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..lines.len()).filter(|&i| test(i)).collect()
    };
    let label = |i: usize| at(i).trim_start_matches('(').trim_end_matches(')');

    let axes = places(&|i| at(i) == "45.000000 20.000000 moveto" && at(i + 3) == "stroke");
    let axis = |n: usize, part: usize| numbers(at(axes[n] + 1))[part];
    let (width, height) = (axis(0, 0), axis(1, 1));
    let ticks = |length: &str, axis: usize| -> Vec<Value> {
        let found = places(&|i| at(i) == length);
        found.iter().map(|&i| json!([numbers(at(i - 1))[axis], label(i + 3)])).collect()
    };
    let keys = places(&|i| at(i) == "0 14 rlineto");
    let names: Vec<String> = keys.iter().map(|&i| unescaped(at(i + 11))).collect();
    let key: Vec<Value> = keys
        .iter()
        .zip(&names)
        .map(|(&i, name)| {
            let colour = colour(at(i + 5));
            json!({"name": name, "box": numbers(at(i - 1)), "text": numbers(at(i + 10)), "colour": colour})
        })
        .collect();
    let from_aux = || {
        let order = aux.lines().filter_map(|line| line.strip_prefix("ORDER "));
        order.map(|rest| rest.rsplit_once(' ').unwrap().0.to_owned()).collect()
    };
    let bands: Vec<String> = if names.is_empty() { from_aux() } else { names.clone() };

    let y_range = range("Y_RANGE ");
    let is_line = |i: usize| at(i).ends_with(" lineto");
    let polygons: Vec<Value> = places(&|i| at(i).ends_with(" moveto") && is_line(i + 1))
        .into_iter()
        .zip(&bands)
        .map(|(start, name)| {
            let end = (start + 1..).find(|&i| !is_line(i)).unwrap();
            let points: Vec<Vec<f64>> = (start + 1..end).map(|i| numbers(at(i))).collect();
            let samples = (points.len() - 1) / 2;
            let column = |from: usize, n: usize| -> Vec<f64> {
                points[from..from + samples].iter().map(|point| point[n]).collect()
            };
            let (x, lower) = (column(0, 0), column(0, 1));
            let upper: Vec<f64> = column(samples + 1, 1).into_iter().rev().collect();
            assert_eq!(points[samples], [x[samples - 1], upper[samples - 1]]);
            let value: Vec<f64> =
                upper.iter().zip(&lower).map(|(u, l)| (u - l) * y_range / height).collect();
            let colour = colour(at(end + 2));
            json!({"name": name, "colour": colour, "x": x, "lower_y": lower, "upper_y": upper, "value": value})
        })
        .collect();
    let marks = places(&|i| at(i) == "4.000000 -4.000000 rlineto");
    let title = places(&|i| at(i) == "11.000000 413.000000 moveto")[0];
    let area = places(&|i| at(i).starts_with('(') && at(i).contains(" x ") && i > title + 1)[0];
    let setup = lines.iter().filter(|line| {
        line.contains(' ') && ["rotate", "translate", "scale"].iter().any(|w| line.ends_with(w))
    });
    let bounds = lines.iter().find_map(|line| line.strip_prefix("%%BoundingBox: "));
    let top_down: Vec<&String> = bands.iter().rev().collect();
    json!({
        "aux_out": aux,
        "x_range": range("X_RANGE "),
        "y_range": y_range,
        "bands_from_key": !names.is_empty() || bands.is_empty(),
        "bands_top_to_bottom": top_down,
        "polygons_bottom_to_top": polygons,
        "pages": lines.iter().filter(|line| **line == "showpage").count(),
        "key_bottom_to_top": key,
        "marks_x": marks.iter().map(|&i| numbers(at(i - 1))[0] + 4.0).collect::<Vec<_>>(),
        "x_ticks": ticks("0 -4 rlineto", 0),
        "y_ticks": ticks("-4 0 rlineto", 1),
        "graph_width": width,
        "graph_height": height,
        "title_job_as_printed": at(title + 1).trim_start_matches('(').trim_end_matches(") show"),
        "area_as_printed": label(area).split(' ').next(),
        "title_box": if lines.contains(&"5.000000 387.000000 moveto") { "big" } else { "small" },
        "bounding_box": bounds,
        "setup": setup.filter(|line| **line != "90 rotate").collect::<Vec<_>>(),
    })
}

/// The numbers that begin a line.
fn numbers(line: &str) -> Vec<f64> {
    line.split(' ').map_while(|word| word.parse().ok()).collect()
}

fn colour(line: &str) -> Vec<f64> {
    assert!(line.ends_with("setgray") || line.ends_with("setrgbcolor"), "{line}");
    numbers(line)
}

fn unescaped(shown: &str) -> String {
    let inside = shown.strip_prefix('(').and_then(|rest| rest.strip_suffix(") show")).unwrap();
    let mut characters = inside.chars();
    let mut name = String::new();
    while let Some(c) = characters.next() {
        name.extend(if c == '\\' { characters.next() } else { Some(c) });
    }
    name
}

/// Whether two values are equal except for the last decimals of computed numbers.
fn same(found: &Value, expected: &Value, tolerance: f64) -> bool {
    match (found, expected) {
        (Value::Number(a), Value::Number(b)) => {
            (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() <= tolerance
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, tolerance))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(k, v)| same(v, b.get(k).unwrap_or(&Value::Null), tolerance))
        }
        (a, b) => a == b,
    }
}

#[test]
fn every_field_of_every_vector_agrees_with_hp2ps() {
    let (mut compared, mut refused, mut better, mut usages, mut filtered) = (0, 0, 0, 0, 0);
    for vector in &common::hp2ps_vectors() {
        let name = text(&vector["name"]);
        // The one without its .aux file tests the opening of files.
        if vector["undefined"] == true || name == "p-missing-aux" {
            continue;
        }
        if let Err(usage) = options(vector) {
            assert!(text(&vector["stdout_first_line"]).starts_with("error: "), "{name}: {usage}");
            usages += 1;
            continue;
        }
        if UNDERSTOOD.contains(&name) {
            assert!(run(vector, "t.hp").is_ok(), "{name}");
            continue;
        }
        let drawing = match run(vector, "t.hp") {
            Err(failure) => {
                assert_ne!(vector["exit"], 0, "{name}: {failure}, and hp2ps draws it");
                if vector["filter_stderr"].is_string() {
                    assert!(run(vector, "stdin").is_err(), "{name}");
                }
                refused += 1;
                continue;
            }
            Ok(drawing) => drawing,
        };
        if vector["exit"] != 0 {
            let notes = usize::from(DRAWN.split(' ').any(|drawn| drawn == name));
            assert!(notes == 1 || LARGE.contains(&name), "{name} is drawn, and hp2ps refuses it");
            assert_eq!(drawing.notes.len(), notes, "{name}: {:?}", drawing.notes);
            better += 1;
            continue;
        }
        assert!(drawing.notes.is_empty(), "{name}: {:?}", drawing.notes);
        let found = fields(&drawing);
        let y_range = vector["y_range"].as_f64().unwrap();
        for (field, found) in found.as_object().unwrap() {
            let expected = &vector[field];
            let is_same = match field.as_str() {
                "polygons_bottom_to_top" => {
                    let sum = |polygons: &Value| -> Value {
                        let polygons = polygons.as_array().unwrap().iter();
                        polygons.map(|polygon| polygon["value"].clone()).collect()
                    };
                    let plain = |polygons: &Value| -> Value {
                        let mut plain = polygons.clone();
                        let all = plain.as_array_mut().unwrap().iter_mut();
                        all.for_each(|polygon| polygon["value"] = Value::Null);
                        plain
                    };
                    // A height can be off by two last decimals; a point is a 382nd of the height.
                    same(&sum(found), &sum(expected), y_range * 1e-8)
                        && same(&plain(found), &plain(expected), 0.0)
                }
                "marks_x" => same(found, expected, 1e-6),
                _ => same(found, expected, 0.0),
            };
            assert!(is_same, "{name}: {field}\n  hp2ps: {expected}\n  ours:  {found}");
        }
        if vector["filter_mode_identical"] == true {
            let filter = run(vector, "stdin").unwrap();
            assert_eq!(filter.postscript, drawing.postscript, "{name}");
            filtered += 1;
        }
        compared += 1;
    }
    eprintln!("{compared} compared, {refused} refused by both, {better} drawn, {usages} usages");
    assert_eq!(
        (compared, refused, better, usages, filtered),
        (127, 41, DRAWN.split(' ').count() + LARGE.len(), 9, 119)
    );
}
