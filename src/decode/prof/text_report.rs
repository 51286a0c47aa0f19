//! The report as text.
//!
//! Source: `docs/format/prof.md#text`. Fields are found by the offsets of the heading's words, counted in
//! code points; nothing else is safe, because labels can contain blanks, tabs and line ends, and the
//! place can contain blanks. Only the numbers at the end of a row can exceed their columns, so they are
//! split at blanks.

use foldhash::HashMap;

use crate::base::units::Nanos;
use crate::incident::error::{Error, beginning};
use crate::incident::{Condition, Incident, Loss, WarningCode};
use crate::profile::{CallId, CallNode, CostCentre, Exactness, Metadata, ProfileBuilder};

/// A label over more lines than this is not a label.
const MOST_LABEL_LINES: usize = 8;

/// Reads the report that begins in line `title`.
///
/// # Errors
/// [`Error::Report`] when it stops before its tree; [`Error::OverLimit`].
pub fn read(
    lines: &ReportLines<'_>,
    title: usize,
    profile: &mut ProfileBuilder,
) -> Result<(), Error> {
    let header = ReportHeader::read(lines, title)?;
    header.record(profile);
    let headings: Vec<usize> = (title..lines.len())
        .filter(|&at| lines.get(at).starts_with("COST CENTRE") && lines.get(at).contains("MODULE"))
        .collect();
    // The table before the tree has the same cost centres, without their callers.
    let Some(&tree) = headings.get(1) else {
        return Err(broken(lines.len(), "the report ends before its tree of cost centres"));
    };
    read_tree(lines, tree, &header, profile)
}

fn broken(line: usize, what: &str) -> Error {
    Error::Report { line: line as u64 + 1, what: what.to_owned() }
}

struct ReportHeader {
    words: Vec<String>,
    date: Option<String>,
    ticks: u64,
    tick_us: u64,
    processors: u32,
    alloc: u64,
}

impl ReportHeader {
    fn read(lines: &ReportLines<'_>, title: usize) -> Result<ReportHeader, Error> {
        let end = lines.len().min(title + 12);
        let find = |start: &str| {
            (title..end).find_map(|at| Some((at, lines.get(at).trim_start().strip_prefix(start)?)))
        };
        let cut = || broken(lines.len(), "the report ends inside its header");
        let (at, time) = find("total time").ok_or_else(cut)?;
        let odd = |what: &str| broken(at, what);
        let inside = time.split_once('(').ok_or_else(|| odd("no ticks after `total time`"))?.1;
        let numbers: Vec<u64> = numbers(inside).collect();
        let [ticks, tick_us, processors, ..] = numbers[..] else {
            return Err(odd("expected `N ticks @ N us, N processors` after `total time`"));
        };
        let (at, alloc) = find("total alloc").ok_or_else(cut)?;
        let digits: String =
            alloc.chars().take_while(|&c| c != 'b').filter(char::is_ascii_digit).collect();
        let alloc = digits.parse().map_err(|_| broken(at, "expected bytes after `total alloc`"))?;
        let job = (title + 1..end).map(|at| lines.get(at)).find(|line| line.contains("+RTS"));
        let words = job.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        let date = lines.get(title).split(TITLE).next().map(|date| date.trim().to_owned());
        Ok(ReportHeader {
            words,
            date: date.filter(|date| !date.is_empty()),
            ticks,
            tick_us,
            processors: u32::try_from(processors).unwrap_or(u32::MAX).max(1),
            alloc,
        })
    }

    fn record(&self, profile: &mut ProfileBuilder) {
        let (calls, metadata) = (&mut profile.calls, &mut profile.metadata);
        metadata.job = Some(Metadata::job_of(&self.words));
        metadata.arguments.clone_from(&self.words);
        metadata.date.clone_from(&self.date);
        calls.total_ticks = Some(self.ticks);
        calls.total_alloc = Some(self.alloc);
        calls.capabilities = Some(self.processors);
        calls.tick = Some(Nanos::from_unsigned_nanos(self.tick_us.saturating_mul(1000)));
    }
}

/// The whole numbers of a text.
fn numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    let parts = text.split(|c: char| !c.is_ascii_digit());
    parts.filter(|digits| !digits.is_empty()).filter_map(|digits| digits.parse().ok())
}

/// The last line of the row that begins in line `at`, and what is read in it: a line end inside a label splits
/// it into several lines, whose padding is correct for all of them together.
fn joined<'a, T>(
    lines: &ReportLines<'a>,
    at: usize,
    end: usize,
    read: impl Fn(&'a str) -> Option<T>,
) -> Option<(usize, T)> {
    let mut last = at..end.min(at + MOST_LABEL_LINES);
    last.find_map(|last| Some((last, read(lines.span(at, last))?)))
}

/// Where the fields of a row begin, in code points.
#[derive(Clone, Copy, Debug)]
struct FieldPlaces {
    module: usize,
    place: usize,
    /// The column of the numbers.
    number: usize,
    /// Whether rows end in ticks and bytes (`-P`, `-pa`).
    counts: bool,
}

impl FieldPlaces {
    fn new(heading: &str) -> Option<FieldPlaces> {
        let at = |word: &str| heading.find(word);
        // Headings are ASCII, so bytes are code points.
        let module = at(" MODULE")? + 1;
        let place = at(" SRC")? + 1;
        let number = at(" no.")? + 1;
        let counts = heading.contains(" ticks ");
        (module < place && place < number).then_some(FieldPlaces { module, place, number, counts })
    }

    /// The label with its indent, the module, the place and the numbers of a row; `None` if there
    /// are no blanks where the heading says that fields are separated.
    fn fields<'a>(&self, row: &'a str) -> Option<[&'a str; 4]> {
        let ascii = row.is_ascii();
        let byte = |at: usize| match ascii {
            true => (at < row.len()).then_some(at),
            false => row.char_indices().nth(at).map(|(byte, _)| byte),
        };
        let parted = |at: usize| row.as_bytes()[at - 1] == b' ';
        let module = byte(self.module)?;
        let place = byte(self.place)?;
        let number = byte(self.number)?;
        let parts = [&row[..module], &row[module..place], &row[place..number], &row[number..]];
        let whole = parted(module)
            && parted(place)
            && parted(number)
            && !parts[1].starts_with(' ')
            && !trimmed(parts[0]).is_empty();
        whole.then(|| parts.map(trimmed))
    }
}

/// A text without the blanks at its end. Most of a row is padding, so bytes are compared, not characters.
fn trimmed(text: &str) -> &str {
    &text[..text.bytes().rposition(|byte| byte != b' ').map_or(0, |last| last + 1)]
}

/// Whether a line has nothing but white space.
fn is_blank(line: &str) -> bool {
    let first = line.bytes().find(|&byte| byte != b' ');
    first.is_none_or(|byte| !byte.is_ascii_graphic() && line.trim().is_empty())
}

/// The number of blanks at the beginning of a text.
fn indent(text: &str) -> usize {
    text.bytes().position(|byte| byte != b' ').unwrap_or(text.len())
}

fn share(word: &str) -> Option<f64> {
    // As the report writes it: both numbers are exact, so their quotient is rounded once, as by `parse`.
    if let [digits @ .., b'.', tenths] = word.as_bytes()
        && let 1..=9 = digits.len()
        && digits.iter().chain([tenths]).all(u8::is_ascii_digit)
    {
        let number = digits.iter().chain([tenths]).fold(0, |all, d| 10 * all + u64::from(d - b'0'));
        return Some(number as f64 / 10.0);
    }
    word.parse().ok().filter(|share: &f64| share.is_finite())
}

struct ReportRow<'a> {
    depth: usize,
    label: &'a str,
    module: &'a str,
    place: &'a str,
    number: u64,
    entries: u64,
    time_percent: f64,
    alloc_percent: f64,
    /// Ticks and bytes, with `-P` and `-pa`.
    counts: Option<(u64, u64)>,
}

impl<'a> ReportRow<'a> {
    fn new(columns: &FieldPlaces, row: &'a str) -> Option<ReportRow<'a>> {
        let [label, module, place, numbers] = columns.fields(row)?;
        let depth = indent(label);
        let words = FewWords::new(numbers)?;
        let share = |at: usize| share(words.get(at)?);
        let whole = |at: usize| words.get(at)?.parse::<u64>().ok();
        let counts = match (words.count, columns.counts) {
            (6, false) => None,
            (8, true) => Some((whole(6)?, whole(7)?)),
            _ => return None,
        };
        // The inherited shares are recomputed from the tree, but must be there.
        share(4).and(share(5))?;
        Some(ReportRow {
            depth,
            label: &label[depth..],
            module,
            place,
            number: whole(0)?,
            entries: whole(1)?,
            time_percent: share(2)?,
            alloc_percent: share(3)?,
            counts,
        })
    }
}

/// The words of a text, at most eight.
struct FewWords<'a> {
    words: [&'a str; 8],
    count: usize,
}

impl<'a> FewWords<'a> {
    fn new(text: &'a str) -> Option<Self> {
        let mut words = FewWords { words: [""; 8], count: 0 };
        if !text.is_ascii() {
            text.split_whitespace().try_for_each(|word| words.push(word))?;
            return Some(words);
        }
        // Most of a row is padding, and white space of all alphabets takes five times as long to find.
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(blanks) = bytes[at..].iter().position(|byte| !is_blank(byte)) {
            let start = at + blanks;
            at = bytes[start..].iter().position(is_blank).map_or(bytes.len(), |len| start + len);
            words.push(&text[start..at])?;
        }
        Some(words)
    }

    fn push(&mut self, word: &'a str) -> Option<()> {
        *self.words.get_mut(self.count)? = word;
        self.count += 1;
        Some(())
    }

    fn get(&self, at: usize) -> Option<&'a str> {
        self.words[..self.count].get(at).copied()
    }
}

fn read_tree(
    lines: &ReportLines<'_>,
    heading: usize,
    header: &ReportHeader,
    profile: &mut ProfileBuilder,
) -> Result<(), Error> {
    let line = lines.get(heading);
    let Some(columns) = FieldPlaces::new(line) else {
        return Err(broken(heading, "expected MODULE, SRC and no., as GHC writes them since 8.0"));
    };
    let end = (heading + 1..lines.len())
        .find(|&at| lines.get(at).starts_with(SETS))
        .unwrap_or(lines.len());
    // The nodes from the root down to the last row.
    let mut open: Vec<CallId> = Vec::new();
    // A report in text has no ids, so cost centres are numbered as they first appear.
    let mut centres: HashMap<[&str; 3], u32> = HashMap::default();
    let mut exactness = None;
    let mut at = heading + 1;
    while at < end {
        if is_blank(lines.get(at)) {
            at += 1;
            continue;
        }
        let Some((last, row)) = joined(lines, at, end, |row| ReportRow::new(&columns, row)) else {
            let line = lines.get(at);
            // Rows below a lost row must not become children of the row above it.
            open.truncate(indent(line));
            torn(at, line, profile);
            at += 1;
            continue;
        };
        let is_second_root = row.depth == 0 && !profile.calls.is_empty();
        if row.depth > open.len() || is_second_root {
            torn(at, lines.get(at), profile);
            at = last + 1;
            continue;
        }
        open.truncate(row.depth);
        exactness.get_or_insert(match row.counts {
            Some(_) => Exactness::Exact,
            None => Exactness::Rounded,
        });
        let next = u32::try_from(centres.len() + 1).unwrap_or(u32::MAX);
        let centre = *centres.entry([row.label, row.module, row.place]).or_insert_with(|| {
            profile.define_cost_centre(next, CostCentre::new(row.label, row.module, row.place));
            next
        });
        open.push(profile.call(open.last().copied(), centre, counts(&row, header))?);
        at = last + 1;
    }
    let exactness = exactness.unwrap_or_default();
    profile.calls.entries = Exactness::Exact;
    (profile.calls.time, profile.calls.alloc) = (exactness, exactness);
    compare_with_totals(lines, header, exactness, profile);
    Ok(())
}

/// Reports a tree that has much less than its header says: it was cut at the end of a row.
fn compare_with_totals(
    lines: &ReportLines<'_>,
    header: &ReportHeader,
    exactness: Exactness,
    profile: &mut ProfileBuilder,
) {
    // Rounded shares lose what is below a twentieth of a percent in each row.
    let least = if exactness == Exactness::Exact { 0.9 } else { 0.5 };
    let alloc = profile.calls.sum_of_alloc();
    if header.alloc == 0 || alloc as f64 >= least * header.alloc as f64 {
        return;
    }
    let incident = Incident::new(WarningCode::OddStatement)
        .on_line(lines.len() as u64)
        .condition(Condition::Cut);
    let total = header.alloc;
    profile.incidents.note(incident, || {
        format!("the tree has {alloc} of the {total} bytes that the header counts: rows are missing at its end")
    });
}

/// The counts of a row; those that the report does not have are made from its shares.
fn counts(row: &ReportRow<'_>, header: &ReportHeader) -> CallNode {
    let of = |percent: f64, total: u64| (percent * total as f64 / 100.0).round().max(0.0) as u64;
    let (ticks, alloc) = row.counts.unwrap_or_else(|| {
        (of(row.time_percent, header.ticks), of(row.alloc_percent, header.alloc))
    });
    CallNode { number: Some(row.number), entries: row.entries, ticks, alloc, ..CallNode::default() }
}

/// The text at the beginning of every kind of report.
pub const TITLE: &str = "Time and Allocation Profiling Report";

/// The beginning of the line that `-hr` writes at each census.
pub const CENSUS: &str = "Retainer Profiling: ";

/// The text before the table of retainer sets.
pub const SETS: &str = "Retainer sets created during profiling:";

/// The lines of a report with their places. Line ends may have become CR LF on the way.
pub(super) struct ReportLines<'a> {
    text: &'a str,
    /// Where each line begins, and the end of the text.
    starts: Vec<usize>,
}

impl<'a> ReportLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        ReportLines { text, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn get(&self, line: usize) -> &'a str {
        self.span(line, line)
    }

    /// Several lines with the line ends between them, without the last one's.
    pub(super) fn span(&self, from: usize, to: usize) -> &'a str {
        let text = &self.text[self.starts[from]..self.starts[to + 1]];
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }
}

/// Records a row that makes no sense, which happens if several processes write to one file.
pub(super) fn torn(line: usize, row: &str, profile: &mut ProfileBuilder) {
    let incident = Incident::new(WarningCode::OddStatement)
        .on_line(line as u64 + 1)
        .condition(Condition::Damaged)
        .loses(Loss::Statement);
    profile.incidents.note(incident, || {
        let row = beginning(row.as_bytes());
        format!("left out, because it is not a row of a report: `{row}`")
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_what_parse_makes_of_them() {
        let words = (0..2000).map(|tenths| format!("{}.{}", tenths / 10, tenths % 10));
        let odd = " . .5 5. 1.25 -0.1 1e3 inf nan 0x1.0 1.x 999999999.9 9999999999.9".split(' ');
        for word in words.chain(odd.map(str::to_owned)) {
            let parsed = word.parse().ok().filter(|share: &f64| share.is_finite());
            assert_eq!(share(&word), parsed, "{word}");
        }
    }
}
