//! A profile as `.hp` text that hp2ps and every other tool for that format can read.
//!
//! All bands are written, in the order of the file. The format is one of tokens without escapes
//! (`docs/format/hp.md#tokens`), so a name that is not a single token has to be changed; two bands are
//! never written under one name, because a reader would add them up.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use crate::base::parallel::{MANY_POINTS, join};
use crate::base::units::Nanos;
use crate::decode::hp::{Keyword, MAX_WORD};
use crate::profile::{BandKey, BandNames, Clock, MarkerKind, cut};
use crate::slice::{Merger, RowId, Slice};

/// Writes every row of a slice that takes part. With [`Clock::Sample`], the time is the sample's
/// number from 1, and markers are left out, because they have times.
///
/// # Errors
/// Those of `out`.
pub fn write(slice: &Slice<'_>, out: &mut impl Write) -> io::Result<()> {
    write_headers(slice, out)?;
    let wanted = wanted_names(slice);
    let names = legal_names(&wanted);
    let timed = slice.clock() != Clock::Sample;
    let markers = slice.markers().iter();
    let markers = markers.filter(|marker| marker.kind == MarkerKind::Marker && timed);
    let body = Body { slice, names: &names, marks: markers.map(|marker| marker.time).collect() };
    let points = slice.points();
    let step = (AT_ONCE * slice.len() / points.max(1)).max(1);
    let mut sample = 0;
    while sample < slice.len() {
        let middle = (sample + step).min(slice.len());
        let end = (middle + step).min(slice.len());
        let worth = middle < end && points >= MANY_POINTS;
        let (first, second) = join(worth, || body.text(sample..middle), || body.text(middle..end));
        out.write_all(&first)?;
        out.write_all(&second)?;
        sample = end;
    }
    let mut text = Vec::new();
    body.marks[body.marks_before(sample)..].iter().for_each(|&mark| push_mark(&mut text, mark));
    out.write_all(&text)
}

/// About how many points a thread writes as text before it passes that on: some two megabytes.
const AT_ONCE: usize = 1 << 16;

struct Body<'a> {
    slice: &'a Slice<'a>,
    names: &'a [Cow<'a, [u8]>],
    /// The times of markers, in order.
    marks: Vec<Nanos>,
}

impl Body<'_> {
    /// How many marks come before a sample, up to its predecessor.
    fn marks_before(&self, sample: usize) -> usize {
        let times = self.slice.times();
        let before = sample.checked_sub(1).map(|before| times[before]);
        before.map_or(0, |time| self.marks.partition_point(|&mark| mark <= time))
    }

    /// Some samples, and the marks before and between them.
    fn text(&self, samples: Range<usize>) -> Vec<u8> {
        let Body { slice, names, marks } = self;
        let mut text = Vec::new();
        let mut marks = marks[self.marks_before(samples.start)..].iter().copied().peekable();
        let mut merger = Merger::new(slice);
        for sample in samples {
            while let Some(mark) = marks.next_if(|&mark| mark <= slice.times()[sample]) {
                push_mark(&mut text, mark);
            }
            let time = match slice.when(sample) {
                None => format!("{}.000000", sample + 1),
                Some(time) => seconds(time),
            };
            push_line(&mut text, "BEGIN_SAMPLE", &time);
            for &(row, size) in merger.sample(sample) {
                if slice.is_selected(row) {
                    text.extend_from_slice(&names[row.index()]);
                    text.push(b'\t');
                    push_number(&mut text, size.get());
                    text.push(b'\n');
                }
            }
            push_line(&mut text, "END_SAMPLE", &time);
        }
        text
    }
}

fn push_line(text: &mut Vec<u8>, keyword: &str, time: &str) {
    [keyword, " ", time, "\n"].iter().for_each(|part| text.extend_from_slice(part.as_bytes()));
}

fn push_mark(text: &mut Vec<u8>, time: Nanos) {
    push_line(text, "MARK", &seconds(time));
}

/// Adds a number in a third of the time that the standard library's formatting takes.
fn push_number(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return text.extend_from_slice(&digits[first..]);
        }
    }
}

/// How many rows [`write()`] writes with only the beginning of their names: readers of `.hp` accept
/// at most 4 999 bytes for a name.
pub fn cut_names(slice: &Slice<'_>) -> usize {
    let wanted = wanted_names(slice);
    let is_cut = |row: RowId| slice.is_selected(row) && wanted[row.index()].len() > MAX_WORD;
    slice.rows().filter(|&row| is_cut(row)).count()
}

fn write_headers(slice: &Slice<'_>, out: &mut impl Write) -> io::Result<()> {
    let metadata = slice.metadata();
    let sample_unit = match slice.clock() {
        Clock::Sample => "samples",
        Clock::Elapsed | Clock::Mutator => metadata.sample_unit.as_deref().unwrap_or("seconds"),
    };
    for (keyword, text) in [
        ("JOB", metadata.job.as_deref().unwrap_or("heap profile")),
        ("DATE", metadata.date.as_deref().unwrap_or("date unknown")),
        ("SAMPLE_UNIT", sample_unit),
        ("VALUE_UNIT", metadata.value_unit.as_deref().unwrap_or("bytes")),
    ] {
        writeln!(out, "{keyword} \"{}\"", quotable(text))?;
    }
    Ok(())
}

/// A time in the format, which has no sign: a mark before the clock's origin is placed at the
/// origin. (A profile with such samples has [`Clock::Sample`].)
fn seconds(time: Nanos) -> String {
    time.max(Nanos::ZERO).to_decimal_seconds()
}

/// The inside of a string. Line feeds would break tools that read lines, and hp2ps copies control
/// characters into its PostScript.
fn quotable(text: &str) -> String {
    let blanked: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    blanked.replace('"', "\"\"")
}

/// The name that every row would have in a format without limits.
fn wanted_names<'s>(slice: &'s Slice<'_>) -> Vec<Cow<'s, [u8]>> {
    let mut stacks = 0;
    slice
        .rows()
        .map(|row| match slice.key(row) {
            Some(BandKey::Stack(centres)) if centres.is_empty() => Cow::Borrowed(&b"MAIN"[..]),
            Some(BandKey::Stack(_)) => {
                stacks += 1;
                Cow::Owned(format!("({stacks}){}", slice.label(row)).into_bytes())
            }
            // An address has no meaning outside its program, but its label has.
            Some(BandKey::Name(_)) if slice.breakdown().traits().names == BandNames::Addresses => {
                Cow::Borrowed(slice.label(row).as_bytes())
            }
            Some(BandKey::Name(_)) | None => Cow::Borrowed(slice.name(row)),
        })
        .collect()
}

/// Names that a `.hp` can have: each is one token and differs from the others.
fn legal_names<'n>(wanted: &'n [Cow<'_, [u8]>]) -> Vec<Cow<'n, [u8]>> {
    // Valid names are assigned first, so that only changed names are numbered.
    let mut taken: HashSet<Cow<'n, [u8]>> = HashSet::default();
    let mut names: Vec<Option<Cow<'n, [u8]>>> = wanted
        .iter()
        .map(|name| match legal(name) {
            Cow::Borrowed(name) => taken.insert(name.into()).then_some(name.into()),
            Cow::Owned(_) => None,
        })
        .collect();
    // The last number used for each base name: many bands may need the same name.
    let mut next: HashMap<Vec<u8>, u64> = HashMap::default();
    for (name, wanted) in names.iter_mut().zip(wanted).filter(|(name, _)| name.is_none()) {
        let base = legal(wanted);
        let mut unique = base.clone();
        if taken.contains(&unique) {
            let number = next.entry(base.to_vec()).or_insert(2);
            while taken.contains(&unique) {
                unique = numbered(&base, *number).into();
                *number += 1;
            }
        }
        taken.insert(unique.clone());
        *name = Some(unique);
    }
    names.into_iter().map(Option::unwrap_or_default).collect()
}

fn numbered(base: &[u8], number: u64) -> Vec<u8> {
    let suffix = format!("~{number}");
    let mut name = cut(base, MAX_WORD - suffix.len()).to_vec();
    name.extend_from_slice(suffix.as_bytes());
    name
}

/// `name` as one token in first position: no white space, no NUL (which ends a name in hp2ps), not
/// empty, no string, no keyword, not too long. Borrowed if it is one already.
fn legal(name: &[u8]) -> Cow<'_, [u8]> {
    let is_blank = |byte: u8| matches!(byte, 0 | b' ' | b'\t'..=b'\r');
    let is_keyword = Keyword::new(name).is_some();
    let is_legal = name.len() <= MAX_WORD
        && !name.is_empty()
        && !name.starts_with(b"\"")
        && !is_keyword
        && !name.iter().any(|&byte| is_blank(byte));
    if is_legal {
        return Cow::Borrowed(name);
    }
    let mut legal: Vec<u8> = Vec::new();
    if name.is_empty() || name.starts_with(b"\"") {
        legal.push(b'_');
    }
    let kept = &name[..name.len().min(MAX_WORD + 4)];
    legal.extend(kept.iter().map(|&byte| if is_blank(byte) { b'_' } else { byte }));
    if Keyword::new(&legal).is_some() {
        legal.push(b'_');
    }
    let keep = cut(&legal, MAX_WORD).len();
    legal.truncate(keep);
    Cow::Owned(legal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Bytes;
    use crate::profile::{BandKeyRef, Profile, ProfileBuilder, Source};

    fn text(profile: &Profile) -> String {
        let mut out = Vec::new();
        write(&Slice::whole(profile), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn names(profile: &Profile) -> Vec<Vec<u8>> {
        let slice = Slice::whole(profile);
        legal_names(&wanted_names(&slice)).into_iter().map(Cow::into_owned).collect()
    }

    fn named(names: &[&[u8]]) -> Vec<String> {
        let mut builder = ProfileBuilder::new(Source::Hp);
        for name in names {
            builder.band(BandKeyRef::Name(name)).unwrap();
        }
        let names = super::tests::names(&builder.finish());
        names.into_iter().map(|name| String::from_utf8_lossy(&name).into_owned()).collect()
    }

    #[test]
    fn a_sample_can_have_more_points_than_are_formatted_at_once() {
        let mut builder = ProfileBuilder::new(Source::Hp);
        let band = builder.band(BandKeyRef::Name(b"a")).unwrap();
        (0..=AT_ONCE).for_each(|_| builder.point(band, Bytes::new(8)));
        builder.seal_sample(Nanos::ZERO);
        assert!(text(&builder.finish()).contains(&format!("a\t{}\n", 8 * (AT_ONCE + 1))));
    }

    /// Samples are formatted in parts, and a mark belongs to one of them.
    #[test]
    fn parts_of_the_samples_have_the_text_of_all_of_them() {
        let mut builder = ProfileBuilder::new(Source::Hp);
        let times = [1, 2, 2, 5].map(Nanos::from_nanos);
        times.into_iter().for_each(|time| builder.seal_sample(time));
        let profile = builder.finish();
        let slice = Slice::whole(&profile);
        let marks = [0, 1, 1, 2, 3, 5, 9].map(Nanos::from_nanos).to_vec();
        let body = Body { slice: &slice, names: &[], marks };
        let parts = |edge: usize| [body.text(0..edge), body.text(edge..4)].concat();
        assert_eq!([0, 1, 2, 3, 4].map(parts), [0; 5].map(|_| body.text(0..4)));
        assert_eq!([0, 1, 2, 3, 4].map(|sample| body.marks_before(sample)), [0, 3, 4, 4, 6]);
    }

    #[test]
    fn only_names_that_would_collide_are_numbered() {
        assert_eq!(
            named(&[b"a b", b"a\tb", b"a_b", b"a_b~2", b"a\nb"]),
            ["a_b~3", "a_b~4", "a_b", "a_b~2", "a_b~5"]
        );
    }

    #[test]
    fn names_that_are_cut_are_counted_where_they_are_written() {
        let mut builder = ProfileBuilder::new(Source::Hp);
        for name in [&[b'x'; MAX_WORD][..], &[b'y'; MAX_WORD + 1], &[b'z'; 9000]] {
            builder.band(BandKeyRef::Name(name)).unwrap();
        }
        let profile = builder.finish();
        assert_eq!(cut_names(&Slice::whole(&profile)), 2);
        let without_y = Slice::selecting(&profile, |band| band.index() != 1);
        assert_eq!(cut_names(&without_y), 1);
    }
}
