//! Other formats for a profile, chart or tree: each is a short walk over it. Those of trees are
//! hidden until trees are public.

pub mod csv;
#[doc(hidden)]
pub mod folded;
pub mod hp;
pub mod json;
#[doc(hidden)]
pub mod pprof;
#[doc(hidden)]
pub mod speedscope;
pub mod tidy;
#[doc(hidden)]
pub mod tree;

/// The file of a place and its line: `Parse/Eval.hs:(7,1)-(12,85)` and `odd name/M.hs:7:1-50` to their
/// names and 7. A place that is not a file (`<built-in>`) is its own name, without a line.
fn file_and_line(place: &str) -> (&str, Option<i64>) {
    if place.starts_with('<') {
        return (place, None);
    }
    let split = place.match_indices(':').find_map(|(at, _)| {
        let span = place[at + 1..].trim_start_matches('(');
        let digits = span.len() - span.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let line = span[..digits].parse().ok()?;
        Some((&place[..at], Some(line)))
    });
    split.unwrap_or((place, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_all_kinds_begin_with_their_line() {
        assert_eq!(file_and_line("Parse/Eval.hs:(7,1)-(12,85)"), ("Parse/Eval.hs", Some(7)));
        assert_eq!(file_and_line("odd name/M.hs:17:1-50"), ("odd name/M.hs", Some(17)));
        assert_eq!(file_and_line("C:\\src\\M.hs:3:9"), ("C:\\src\\M.hs", Some(3)));
        assert_eq!(file_and_line("<built-in>"), ("<built-in>", None));
        assert_eq!(file_and_line(""), ("", None));
    }
}
