//! Tables of text: aligned for a terminal of 80 columns, or as Markdown.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::base::names;
use crate::base::sentence::{Sentence, name};
use crate::base::text::visible;
use crate::base::units::UnitSystem;

/// How many columns a terminal has.
pub const WIDTH: usize = 80;

/// A table. What its first column contains is shortened if a row would be too long.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The heading of each column, and whether its cells are aligned to the right.
    head: Vec<(Sentence, bool)>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    /// A cell for each column; the last ones may be missing.
    cells: Vec<Sentence>,
    /// Other names for the first cell, best first.
    shorter: Vec<String>,
}

impl Table {
    /// A table with these headings. `>` before a heading aligns the cells of its column to the right.
    pub fn new(head: &[&'static str]) -> Self {
        let column = |text: &&'static str| match text.strip_prefix('>') {
            Some(text) => (text.into(), true),
            None => ((*text).into(), false),
        };
        Table { head: head.iter().map(column).collect(), ..Table::default() }
    }

    /// With another heading of a column.
    #[must_use]
    pub fn headed(mut self, column: usize, heading: Sentence) -> Self {
        self.head[column].0 = heading;
        self
    }

    /// Adds a row, with a cell for each column; the last ones may be missing.
    pub fn row(&mut self, cells: Vec<Sentence>) {
        self.rows.push(Row { cells, shorter: Vec::new() });
    }

    /// Adds a row of something with several names, best first, and a cell for each further column.
    pub fn named_row(&mut self, names: &[String], cells: Vec<Sentence>) {
        let mut names = names.iter().cloned();
        let best = name(names.next().unwrap_or_default());
        self.rows.push(Row { cells: [vec![best], cells].concat(), shorter: names.collect() });
    }

    /// The first cell of each row in at most `room` characters: the best name that fits, or else the
    /// shortest one without its middle. Rows with different names never show the same text.
    fn fitting(&self, first: &[String], room: usize) -> Vec<String> {
        let rows = first.iter().zip(&self.rows).map(|(best, row)| {
            let shorter = row.shorter.iter().map(|name| visible(name));
            ([best.clone()].into_iter().chain(shorter).collect(), room)
        });
        fitting(rows)
    }

    /// The table for a terminal, each line indented by two blanks.
    pub fn text(&self, units: UnitSystem) -> String {
        let texts = |cells: &mut dyn Iterator<Item = &Sentence>| -> Vec<String> {
            let mut texts: Vec<String> = cells.map(|cell| cell.text(units)).collect();
            texts.resize(self.head.len(), String::new());
            texts
        };
        let head = texts(&mut self.head.iter().map(|(heading, _)| heading));
        let rows = self.rows.iter().map(|row| texts(&mut row.cells.iter()));
        let all: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
        let widest = |column: usize| all.iter().map(|row| length(&row[column])).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..self.head.len()).map(widest).collect();
        let others: usize = widths.iter().skip(1).map(|width| width + 2).sum();
        let room = WIDTH.saturating_sub(others + 2).max(16);
        let first: Vec<String> = all[1..].iter().map(|row| row[0].clone()).collect();
        let first = self.fitting(&first, widths[0].min(room));
        let names = [vec![shortened(&all[0][0], room)], first].concat();
        widths[0] = names.iter().map(|name| length(name)).max().unwrap_or(0);
        let mut out = String::new();
        for (row, name) in all.iter().zip(&names) {
            let mut line = String::from("  ");
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let cell = if column == 0 { name } else { cell };
                let blanks = " ".repeat(width.saturating_sub(length(cell)));
                line.push_str(if column > 0 { "  " } else { "" });
                match self.head[column].1 {
                    false => line.extend([cell.as_str(), &blanks]),
                    true => line.extend([blanks.as_str(), cell]),
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// The table as Markdown; names are code.
    pub fn markdown(&self, units: UnitSystem) -> String {
        let empty = Sentence::default();
        let line = |cell: &dyn Fn(usize) -> String| {
            // In a table a bar ends the cell, also in code.
            let escaped = |i| cell(i).replace('|', "\\|");
            let cells: String =
                (0..self.head.len()).map(|i| format!(" {} |", escaped(i))).collect();
            format!("|{cells}\n")
        };
        let mut out = line(&|i| self.head[i].0.markdown(units));
        let rule = |(_, is_right): &(Sentence, bool)| if *is_right { "---:|" } else { "---|" };
        out.extend(["|"].into_iter().chain(self.head.iter().map(rule)).chain(["\n"]));
        for row in &self.rows {
            out.push_str(&line(&|i| row.cells.get(i).unwrap_or(&empty).markdown(units)));
        }
        out
    }
}

/// For each thing with names, best first, the first of them that fits into its room, or else the shortest one without
/// its middle, and without the beginning that all of these share. Things with different names never get the same text.
pub fn fitting(things: impl Iterator<Item = (Vec<String>, usize)>) -> Vec<String> {
    let chosen = things.map(|(names, room)| {
        let fits = names.iter().find(|name| length(name) <= room);
        let name = fits.or_else(|| names.iter().min_by_key(|name| length(name)));
        (name.cloned().unwrap_or_default(), room)
    });
    let chosen: Vec<(String, usize)> = chosen.collect();
    let is_long = |one: &&(String, usize)| length(&one.0) > one.1;
    let shared = shared_beginning(chosen.iter().filter(is_long).map(|one| &*one.0));
    let rests = chosen.iter().filter(is_long).map(|(name, room)| (length(&name[shared..]), room));
    // What is left of a name has to be more than its end.
    let shared = if rests.clone().any(|(rest, room)| rest < room / 2) { 0 } else { shared };
    let mut texts: Vec<String> = Vec::new();
    for one @ (name, room) in &chosen {
        let rest = match is_long(&one) && shared > 0 {
            true => format!("…{}", &name[shared..]),
            false => name.clone(),
        };
        let with = |end: &str| shortened(&rest, room.saturating_sub(length(end))) + end;
        let is_taken = |text: &str| {
            let mut known = texts.iter().zip(&chosen).filter(|(known, _)| *known == text);
            known.any(|(_, (known, _))| known != name)
        };
        texts.push(names::free(with, is_taken));
    }
    texts
}

/// How many bytes at the beginning different names share, up to the end of a part of them; 0 for a single one.
fn shared_beginning<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    let mut names = names;
    let Some(first) = names.next() else { return 0 };
    let mut shared = first.len();
    for name in names {
        let alike = first.char_indices().zip(name.chars()).take_while(|((_, a), b)| a == b);
        shared = shared.min(alike.last().map_or(0, |((at, a), _)| at + a.len_utf8()));
    }
    match first[..shared].rfind(['.', '/', ':', ',', ' ']) {
        Some(end) if shared < first.len() => end + 1,
        _ => 0,
    }
}

/// How many columns of a terminal a text takes.
pub fn length(text: &str) -> usize {
    text.width()
}

/// How many bytes of the first characters fit into `width` columns.
fn columns(chars: impl Iterator<Item = char>, width: usize) -> usize {
    let (mut taken, mut bytes) = (0, 0);
    for c in chars {
        taken += c.width().unwrap_or(0);
        if taken > width {
            break;
        }
        bytes += c.len_utf8();
    }
    bytes
}

/// A text without its middle if it is too long, because both ends of a name help to distinguish it.
pub fn shortened(text: &str, width: usize) -> String {
    if length(text) <= width || width < 3 {
        return text.to_owned();
    }
    let front = (width - 1) / 2;
    let back = width - 1 - front;
    let start = columns(text.chars(), front);
    let end = columns(text.chars().rev(), back);
    format!("{}…{}", &text[..start], &text[text.len() - end..])
}

/// A text without its end if it is too long: the beginning of a line of source says most.
pub fn cut(text: &str, width: usize) -> String {
    match length(text) <= width {
        true => text.to_owned(),
        false => format!("{}…", text[..columns(text.chars(), width.saturating_sub(1))].trim_end()),
    }
}

/// A text in lines of at most 80 columns: `begin` and as much as fits, then lines indented by `hanging` blanks. A number
/// and what follows it, its unit, are in one line.
pub fn wrapped(begin: &str, hanging: usize, text: &str) -> String {
    let lines = lines(text, WIDTH.saturating_sub(length(begin)), WIDTH.saturating_sub(hanging));
    let text = lines.join(&format!("\n{:hanging$}", ""));
    format!("{}\n", format!("{begin}{text}").trim_end())
}

/// A text in lines, the first of at most `first` columns and each further one of at most `width`, broken between words.
/// A number and what follows it, its unit, are in one line; a word that is longer than a line is not broken.
pub fn lines(text: &str, first: usize, width: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let number = |before: &&mut String| before.ends_with(|c: char| c.is_ascii_digit());
        match words.last_mut().filter(number) {
            Some(before) => *before = format!("{before} {word}"),
            None => words.push(word.to_owned()),
        }
    }
    let mut lines = Vec::new();
    let mut words = words.into_iter();
    let mut line = words.next().unwrap_or_default();
    for word in words {
        let room = if lines.is_empty() { first } else { width };
        if length(&line) + 1 + length(&word) > room {
            lines.push(std::mem::replace(&mut line, word));
        } else {
            line.push(' ');
            line.push_str(&word);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_take_no_column_and_wide_letters_take_two() {
        let text = "สวัสดี漢字漢字漢字漢字".repeat(3);
        for width in 3..40 {
            let short = shortened(&text, width);
            assert!(length(&short) <= width && length(&short) + 3 >= width, "{short}");
        }
        assert_eq!((length("漢"), length("ส\u{e35}"), length("e\u{301}")), (2, 1, 1));
    }

    #[test]
    fn rows_have_the_longest_names_that_fit_and_all_differ() {
        let mut table = Table::new(&["band", ">mean"]);
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let long = |middle: &str| format!("{}{middle}{}", "a".repeat(60), "z".repeat(60));
        table.named_row(&names(&[&long("-"), "Map.Bin", "Bin"]), vec!["1 MiB".into()]);
        table.named_row(&names(&[&long("1")]), vec!["2 MiB".into()]);
        table.named_row(&names(&[&long("2")]), vec!["3 MiB".into()]);
        let text = table.text(UnitSystem::Binary);
        let lines: Vec<&str> =
            text.lines().map(|line| line[2..].split("  ").next().unwrap()).collect();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(lines[1], "Map.Bin");
        assert!(lines[2].ends_with("zz") && lines[3].ends_with("z #2"), "{text}");
        assert!(
            table.markdown(UnitSystem::Binary).contains("| `aaaaaa"),
            "the best name, where there is room"
        );
    }

    #[test]
    fn long_names_lose_the_beginning_that_they_share() {
        let names = |i: usize| vec![format!("Distribution.Client.Types.Part{i}/loop.inner.worker")];
        let texts = fitting((0..2).map(|i| (names(i), 20)).chain([(vec!["short".into()], 20)]));
        assert_eq!(texts, ["…Part0/lo…ner.worker", "…Part1/lo…ner.worker", "short"]);
        let alone = fitting([(names(0), 20)].into_iter());
        assert_eq!(alone, ["Distribut…ner.worker"]);
        let alike =
            |number| (vec![format!("THUNK of Int made by moves (mapval.hs:11:28) #{number}")], 20);
        let numbered = fitting([1, 2].map(alike).into_iter());
        assert_eq!(
            numbered,
            ["THUNK of …:11:28) #1", "THUNK of …:11:28) #2"],
            "not only their ends"
        );
    }

    #[test]
    fn markdown_tables_escape_bars_and_backticks() {
        let mut table = Table::new(&["band", ">a|b"]);
        table.row(vec![name("x|y"), "<1".into()]);
        table.row(vec![name("f `g`"), "2".into()]);
        table.row(vec!["8 more".into()]);
        let expected = "| band | a\\|b |\n|---|---:|\n| `x\\|y` | \\<1 |\n| `` f `g` `` | 2 |\n\
            | 8 more |  |\n";
        assert_eq!(table.markdown(UnitSystem::Binary), expected);
    }
}
