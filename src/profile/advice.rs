//! Advice for profiles where another run, or another file of the same run, would show more.

use std::collections::HashSet;

use super::info_table::parse_address;
use super::{BandId, BandKey, Clock, Profile, Source};
use crate::incident::Condition;

/// The run-time system's default length of a name (`-L`), and one less: some break-downs leave room
/// for a NUL.
const CUT_LENGTHS: [usize; 2] = [24, 25];

/// An event log that was not ended and has fewer samples than this has probably lost some.
const FEW_SAMPLES: usize = 10;

/// Below this a log is not worth making smaller.
const BIG_LOG: u64 = 10 << 20;

/// What would show more than this profile does, a sentence each.
pub fn advice(profile: &Profile) -> Vec<String> {
    [
        longer_names(profile),
        flush_buffers(profile),
        use_hp(profile),
        info_table_map(profile),
        leave_out_scheduler(profile),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Most names are cut, or that of the biggest band: the run-time system cuts them to 25 characters unless `-L` is given.
fn longer_names(profile: &Profile) -> Option<String> {
    let names = profile.bands.len();
    let is_cut = |name: &[u8]| {
        let text = without_number(name);
        CUT_LENGTHS.contains(&text.len()) && text.ends_with(b"...")
    };
    let keys = profile.bands.ids().map(|id| profile.bands.key(id));
    // The stacks of an event log are not cut.
    let cut = keys.map(|key| matches!(key, BandKey::Name(name) if is_cut(name)));
    let is_cut: Vec<bool> = cut.collect();
    let cut = is_cut.iter().filter(|&&is_cut| is_cut).count();
    let is_asked =
        cut > names / 2 || cut > 0 && biggest(profile).is_some_and(|id| is_cut[id.index()]);
    is_asked.then(|| {
        format!(
            "{cut} of {names} names are cut to 25 characters: run with +RTS -L200 to see them in full"
        )
    })
}

/// The biggest band in the sample in which all together are biggest: it is the one that a reader is told of.
fn biggest(profile: &Profile) -> Option<BandId> {
    let samples = 0..profile.samples.len();
    let peak = samples.max_by_key(|&sample| profile.samples.total(sample))?;
    Some(profile.samples.points(peak).max_by_key(|point| point.1)?.0)
}

/// The text of a stack or retainer set in a `.hp`, `(123)text`: its number is not counted when it
/// is cut (`docs/format/hp.md#what-ghc-writes`).
fn without_number(name: &[u8]) -> &[u8] {
    let text = name.strip_prefix(b"(");
    let end = text.and_then(|text| text.iter().position(|byte| !byte.is_ascii_digit()));
    match (text, end) {
        (Some(text), Some(end)) if end > 0 && text[end] == b')' => &text[end + 1..],
        _ => name,
    }
}

/// An event log without its end has few samples or none: a killed program loses its buffers.
fn flush_buffers(profile: &Profile) -> Option<String> {
    let unended = match profile.condition() {
        Condition::Open | Condition::Cut => true,
        Condition::Whole | Condition::Running | Condition::Damaged => false,
    };
    let flushed = || {
        let flags = profile.metadata.rts_flags();
        flags.iter().any(|flag| flag.starts_with("--eventlog-flush-interval"))
    };
    let killed = profile.source == Source::Eventlog
        && unended
        && profile.samples.len() < FEW_SAMPLES
        && !flushed();
    let advice = "a killed program loses what is still in its buffers: the .hp file next to the log is \
                  complete up to the kill, and from GHC 9.2 on +RTS --eventlog-flush-interval=1 keeps \
                  the log complete";
    killed.then(|| advice.to_owned())
}

/// An event log has no sample times, but the `.hp` of the same run has them.
fn use_hp(profile: &Profile) -> Option<String> {
    let timeless = profile.source == Source::Eventlog && profile.clock == Clock::Sample;
    timeless.then(|| "draw the .hp file of the same run: it has the times".to_owned())
}

/// The bands of a `-hi` profile are only addresses, or the biggest is one, though the log has info tables.
fn info_table_map(profile: &Profile) -> Option<String> {
    let bare: HashSet<u64> = profile.bare_addresses().collect();
    if bare.is_empty() || !profile.has_info_tables {
        let advice = "the bands are only addresses: build with -finfo-table-map and draw the event log \
                      (+RTS -hi -l) to see names and places";
        return (!bare.is_empty()).then(|| advice.to_owned());
    }
    let is_bare = match profile.bands.key(biggest(profile)?) {
        BandKey::Name(name) => parse_address(name).is_some_and(|at| bare.contains(&at)),
        BandKey::Stack(_) => false,
    };
    let (bare, names) = (bare.len(), profile.bands.len());
    is_bare.then(|| {
        format!(
            "{bare} of {names} bands are only addresses, of libraries that were built without -finfo-table-map: \
             build them with it, too, and the program with -fdistinct-constructor-tables, or run it with \
             +RTS -hT to see what the closures are"
        )
    })
}

/// Most of a large log consists of events about threads and collections.
fn leave_out_scheduler(profile: &Profile) -> Option<String> {
    let size = profile.log_size;
    let percent = u128::from(size.scheduler) * 100 / u128::from(size.bytes.max(1));
    let most = size.bytes >= BIG_LOG && size.scheduler > size.bytes / 2;
    most.then(|| {
        format!(
            "{percent} % of the log is about threads and collections: +RTS -l-agu leaves the threads out \
             and keeps the heap profile and the heap figures"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::profile::{BandKeyRef, LogSize, ProfileBuilder};

    fn eventlog() -> ProfileBuilder {
        ProfileBuilder::new(Source::Eventlog)
    }

    fn named(names: &[&str]) -> Vec<String> {
        let mut builder = ProfileBuilder::new(Source::Hp);
        for name in names {
            builder.band(BandKeyRef::Name(name.as_bytes())).unwrap();
        }
        advice(&builder.finish())
    }

    fn longer(cut: usize, names: usize) -> [String; 1] {
        let way_out = "run with +RTS -L200 to see them in full";
        [format!("{cut} of {names} names are cut to 25 characters: {way_out}")]
    }

    #[test]
    fn names_that_are_mostly_cut_ask_for_longer_ones() {
        let cut = |start: &str, length: usize| format!("{start:x<0$}...", length - 3);
        let (a, b) = (cut("main/f", 25), format!("(312){}", cut("leaky", 24)));
        assert_eq!(named(&[&a, &b, "short"]), longer(2, 3));
        assert!(named(&[&a, "short"]).is_empty(), "a half is not most");
        assert!(named(&[&cut("a", 26), &cut("a", 23)]).is_empty(), "another length");
        assert!(named(&[&"x".repeat(25)]).is_empty(), "no dots");
        assert!(named(&[&cut("(12)main", 25)]).is_empty(), "the number does not count");
        assert!(named(&["(12", "(a)", "()", "("]).is_empty());
        for no_number in ["()f", "(12x", "(a)f"] {
            assert_eq!(named(&[&cut(no_number, 25)]), longer(1, 1), "{no_number}");
        }
        assert!(named(&[]).is_empty());
    }

    #[test]
    fn a_big_log_about_something_else_can_be_made_small() {
        let of = |bytes, scheduler| {
            let mut builder = eventlog();
            builder.log_size = LogSize { bytes, scheduler };
            advice(&builder.finish())
        };
        let mib = 1 << 20;
        assert!(of(10 * mib, 6 * mib)[0].starts_with("60 % of the log is about threads"));
        assert!(of(10 * mib, 5 * mib).is_empty(), "a half is not most");
        assert!(of(10 * mib - 1, 9 * mib).is_empty(), "not big");
    }
}
