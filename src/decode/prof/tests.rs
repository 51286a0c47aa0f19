//! The decoder against small reports: one boundary a test.

use super::*;
use crate::incident::Condition;
use crate::profile::{Exactness, Limits, Profile, Source};

const TEXT: &str = "\tSat Nov 21 11:24 2026 Time and Allocation Profiling Report  (Final)\n\
    \n\
    \t   nl +RTS -P -RTS 13\n\
    \n\
    \ttotal time  =        0.01 secs   (10 ticks @ 1000 us, 2 processors)\n\
    \ttotal alloc =       1,300 bytes  (excludes profiling overheads)\n\
    \n\
    COST CENTRE MODULE SRC              %time %alloc  ticks     bytes\n\
    \n\
    new\nline    Main   N L.hs:3:39-56    100.0   92.3     10      1200\n\
    \n\
    \n                                      individual      inherited\n\
    COST CENTRE  MODULE SRC             no.     entries  %time %alloc   %time %alloc  ticks     bytes\n\
    \n\
    MAIN         MAIN   <built-in>      128           0    0.0    7.7   100.0  100.0      0       100\n \
     new\nline    Main   N L.hs:3:39-56  1256 12345678901  100.0   92.3   100.0   92.3     10      1200\n  \
      évaluer    Main   N L.hs:3:39-56  257           0    0.0    0.0     0.0    0.0      0         0\n";

fn read(bytes: &[u8], chunk: usize) -> Result<Profile, Error> {
    let mut profile = ProfileBuilder::new(Source::Prof);
    let mut decoder = ProfDecoder::new();
    for piece in bytes.chunks(chunk) {
        decoder.feed(piece, &mut profile)?;
    }
    decoder.finish(&mut profile)?;
    Ok(profile.finish())
}

fn names(profile: &Profile) -> Vec<&str> {
    let label = |id| profile.cost_centres.get(id).map_or("?", |centre| &*centre.label);
    profile.calls.nodes.iter().filter_map(|node| node.centre).map(label).collect()
}

#[test]
fn columns_are_found_by_the_heading_and_rows_joined_at_a_line_end_in_a_label() {
    let profile = read(TEXT.as_bytes(), 7).unwrap();
    assert_eq!(names(&profile), ["MAIN", "new\nline", "évaluer"]);
    let calls = &profile.calls;
    let node = calls.nodes[1];
    assert_eq!((node.number, node.entries), (Some(1256), 12_345_678_901));
    assert_eq!((node.ticks, node.alloc), (10, 1200));
    assert_eq!(calls.nodes[2].parent.index(), 1);
    assert_eq!((calls.total_ticks, calls.total_alloc), (Some(10), Some(1300)));
    assert_eq!(calls.capabilities, Some(2));
    assert_eq!(calls.time, Exactness::Exact);
    assert_eq!(profile.condition(), Condition::Whole);
    assert_eq!(profile.metadata.job.as_deref(), Some("nl 13 +RTS -P"));
    assert_eq!(profile.metadata.date.as_deref(), Some("Sat Nov 21 11:24 2026"));
    let centre = profile.cost_centres.get(node.centre.unwrap()).unwrap();
    assert_eq!(&*centre.location, "N L.hs:3:39-56");
}

/// A report of GHC 7.10 or older.
#[test]
fn a_report_without_places_is_refused() {
    let text = "\tThu Aug 03 16:32 2017 Time and Allocation Profiling Report  (Final)\n\n\
        \t   p +RTS -p -RTS\n\n\
        \ttotal time  =        0.10 secs   (100 ticks @ 1000 us, 1 processor)\n\
        \ttotal alloc =       1,000 bytes  (excludes profiling overheads)\n\n\
        COST CENTRE MODULE                    %time %alloc\n\n\
        main        Main                       99.0   60.0\n\n\n\
        \x20                                                       individual      inherited\n\
        COST CENTRE MODULE                   no.     entries  %time %alloc   %time %alloc\n\n\
        MAIN        MAIN                      39          0    1.0   40.0   100.0  100.0\n\
        \x20main       Main                   12346          7   99.0   60.0    99.0   60.0\n";
    let refused = read(text.as_bytes(), 100).map(drop).unwrap_err();
    assert!(refused.to_string().contains("SRC"), "{refused}");
}

/// The header says how much the tree has.
#[test]
fn a_report_that_ends_at_the_end_of_a_row_is_cut() {
    let rows: Vec<&str> = TEXT.split_inclusive('\n').collect();
    let cut: String = rows[..rows.len() - 3].concat();
    let profile = read(cut.as_bytes(), 100).unwrap();
    assert_eq!((names(&profile), profile.condition()), (vec!["MAIN"], Condition::Cut));
    let warnings: Vec<String> = profile.warnings().into_iter().map(|w| w.message).collect();
    assert!(warnings[0].contains("100 of the 1300 bytes"), "{warnings:?}");
}

#[test]
fn rows_that_cannot_be_read_are_counted_and_their_children_are_not_misplaced() {
    let other = " other       Main   N L.hs:3:39-56  77           0    0.0    0.0     0.0    0.0      0         0\n";
    let row = " new\nline    Main   N L.hs:3:39-56  1256 12345678901  100.0   92.3   100.0";
    let more = TEXT.replace(row, &format!("{other}{row}"));
    let torn = |text: &str| {
        text.replace("1256 12345678901", "1256 1234").replace("100.0   92.3   100.0", "10")
    };
    for (text, expected, lost) in [
        // A row is no heading, whatever its module is called.
        (
            TEXT.replace("new\nline    Main  ", "f           MODULE"),
            &["MAIN", "f", "évaluer"][..],
            0,
        ),
        (more.clone(), &["MAIN", "other", "new\nline", "évaluer"], 0),
        (format!("{TEXT}evaluate\n"), &["MAIN", "new\nline", "évaluer"], 1),
        // The children of a damaged row are not those of the row above.
        (torn(TEXT), &["MAIN"], 3),
        (torn(&more), &["MAIN", "other"], 3),
    ] {
        let profile = read(text.as_bytes(), 7).unwrap();
        assert_eq!((&*names(&profile), profile.losses().statements), (expected, lost), "{text}");
        assert_eq!(profile.condition() == Condition::Damaged, lost > 0, "{text}");
    }
}

#[test]
fn a_report_as_json_is_refused_with_what_to_do() {
    let json = "{\n\"program\": \"nl\", \"arguments\": [], \"rts_arguments\": [\"-pj\"]}\n";
    for (before, line) in [("", 1), ("Retainer Profiling: 0, at -0.012143 seconds\n", 2)] {
        let error = read(format!("{before}{json}").as_bytes(), 5).unwrap_err();
        assert_eq!(error, Error::ReportJson { line });
        assert!(error.hint().unwrap().contains("-P"), "{error}");
    }
}

#[test]
fn the_limit_on_stacks_holds() {
    let mut limits = Limits::default();
    limits.call_nodes = 2;
    let mut profile = ProfileBuilder::with_limits(Source::Prof, limits);
    let mut decoder = ProfDecoder::new();
    decoder.feed(TEXT.as_bytes(), &mut profile).unwrap();
    assert_eq!(
        decoder.finish(&mut profile),
        Err(Error::OverLimit { most: 2, things: "different stacks in the time profile" })
    );
}
