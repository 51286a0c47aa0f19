//! Tables of text: aligned for a terminal of 80 columns, or as Markdown.

use std::collections::HashMap;
use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::base::names;
use crate::base::text::visible;

/// How many columns a terminal has.
pub const WIDTH: usize = 80;

/// The side to which the cells of a column are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// A table. Its first column has names, which are cut if a row would be too long.
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<(String, Side)>,
    rows: Vec<Vec<String>>,
    /// For each row, other texts for its first cell, best first.
    shorter: Vec<Vec<String>>,
    /// Whether the last row stands for all that is not listed.
    has_rest: bool,
}

impl Table {
    /// A table with these columns.
    pub fn new(head: &[(&str, Side)]) -> Self {
        let head = head.iter().map(|(text, side)| ((*text).to_owned(), *side)).collect();
        Table { head, ..Table::default() }
    }

    /// Adds a row, with a cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.head.len());
        self.rows.push(cells.iter().map(|cell| visible(cell)).collect());
        self.shorter.push(Vec::new());
    }

    /// Adds a row of something with several names, best first, and a cell for each further column.
    pub fn named_row(&mut self, names: &[String], cells: Vec<String>) {
        let best = names.first().cloned().unwrap_or_default();
        self.row([vec![best], cells].concat());
        if let Some(shorter) = self.shorter.last_mut() {
            shorter.extend(names.iter().skip(1).map(|name| visible(name)));
        }
    }

    /// Adds the last row, which stands for all that is not listed; its first cell is no name.
    pub fn rest(&mut self, words: &str, cells: Vec<String>) {
        self.row([vec![words.to_owned()], cells].concat());
        self.has_rest = true;
    }

    /// The first cell of each row in at most `room` characters: the best name that fits, or else the
    /// shortest one without its middle. Rows with different names never show the same text.
    fn fitting(&self, room: usize) -> Vec<String> {
        let mut given: HashMap<String, String> = HashMap::new();
        let rows = self.rows.iter().zip(&self.shorter);
        let fitting = rows.map(|(row, shorter)| {
            let names = || row.first().into_iter().chain(shorter);
            let fits = names().find(|name| length(name) <= room);
            let name = fits.or_else(|| names().min_by_key(|name| length(name)));
            let name = name.map_or("", String::as_str);
            let with = |end: &str| shortened(name, room.saturating_sub(length(end))) + end;
            let text = names::free(with, |text| given.get(text).is_some_and(|known| known != name));
            given.insert(text.clone(), name.to_owned());
            text
        });
        fitting.collect()
    }

    /// The table for a terminal, each line indented by two blanks.
    pub fn text(&self) -> String {
        let head: Vec<String> = self.head.iter().map(|(text, _)| text.clone()).collect();
        let all = || std::iter::once(&head).chain(&self.rows);
        let mut widths: Vec<usize> = (0..head.len())
            .map(|column| all().map(|row| length(&row[column])).max().unwrap_or(0))
            .collect();
        let others: usize = widths.iter().skip(1).map(|width| width + 2).sum();
        let room = WIDTH.saturating_sub(others + 2).max(16);
        let names = [vec![shortened(&head[0], room)], self.fitting(widths[0].min(room))].concat();
        widths[0] = names.iter().map(|name| length(name)).max().unwrap_or(0);
        let mut out = String::new();
        for (row, name) in all().zip(&names) {
            let mut line = String::from("  ");
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let cell = if column == 0 { name } else { cell };
                let blanks = " ".repeat(width.saturating_sub(length(cell)));
                line.push_str(if column > 0 { "  " } else { "" });
                match self.head[column].1 {
                    Side::Left => line.extend([cell.as_str(), &blanks]),
                    Side::Right => line.extend([blanks.as_str(), cell]),
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// The table as Markdown; names are code.
    pub fn markdown(&self) -> String {
        let mut out = String::from("|");
        self.head.iter().for_each(|(text, _)| out.push_str(&format!(" {} |", escaped(text))));
        out.push_str("\n|");
        self.head.iter().for_each(|(_, side)| {
            out.push_str(if *side == Side::Left { "---|" } else { "---:|" });
        });
        out.push('\n');
        for (at, row) in self.rows.iter().enumerate() {
            let is_rest = self.has_rest && at + 1 == self.rows.len();
            out.push('|');
            for (column, cell) in row.iter().enumerate() {
                let cell = if column == 0 && !is_rest { code(cell) } else { escaped(cell) };
                out.push_str(&format!(" {cell} |"));
            }
            out.push('\n');
        }
        out
    }
}

/// How many columns of a terminal a text takes.
fn length(text: &str) -> usize {
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

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "\\<")
}

/// Lines of at most 80 characters.
pub fn wrapped(indent: &str, text: &str) -> String {
    let (mut out, mut length) = (indent.to_owned(), indent.len());
    for word in text.split(' ') {
        let long = word.chars().count();
        if length > indent.len() && length + 1 + long > WIDTH {
            let _ = write!(out, "\n{indent}{indent}");
            length = 2 * indent.len();
        } else if length > indent.len() {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += long;
    }
    out.push('\n');
    out
}

/// A name as Markdown code, in which bars and backticks do no harm.
pub fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = text.replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_a_terminal_and_keeps_both_ends_of_a_name() {
        let mut table = Table::new(&[("band", Side::Left), ("mean", Side::Right)]);
        table.row(vec![format!("start{}end", "x".repeat(200)), "1 MiB".to_owned()]);
        table.row(vec!["a".to_owned(), "22 MiB".to_owned()]);
        let text = table.text();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("  start") && text.contains("xend   1 MiB"), "{text}");
        assert!(text.lines().nth(2).is_some_and(|line| line.ends_with("  22 MiB")), "{text}");
    }

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
        let mut table = Table::new(&[("band", Side::Left), ("mean", Side::Right)]);
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let long = |middle: &str| format!("{}{middle}{}", "a".repeat(60), "z".repeat(60));
        table.named_row(&names(&[&long("-"), "Map.Bin", "Bin"]), vec!["1 MiB".to_owned()]);
        table.named_row(&names(&[&long("1")]), vec!["2 MiB".to_owned()]);
        table.named_row(&names(&[&long("2")]), vec!["3 MiB".to_owned()]);
        let text = table.text();
        let lines: Vec<&str> =
            text.lines().map(|line| line[2..].split("  ").next().unwrap()).collect();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(lines[1], "Map.Bin");
        assert!(lines[2].ends_with("zz") && lines[3].ends_with("z #2"), "{text}");
        assert!(table.markdown().contains("| `aaaaaa"), "the best name, where there is room");
    }

    #[test]
    fn markdown_tables_escape_bars_and_backticks() {
        let mut table = Table::new(&[("band", Side::Left), ("a|b", Side::Right)]);
        table.row(vec!["x|y".to_owned(), "<1".to_owned()]);
        table.row(vec!["f `g`".to_owned(), "2".to_owned()]);
        table.rest("8 more", vec![String::new()]);
        let expected = "| band | a\\|b |\n|---|---:|\n| `x\\|y` | \\<1 |\n| `` f `g` `` | 2 |\n\
            | 8 more |  |\n";
        assert_eq!(table.markdown(), expected);
    }
}
