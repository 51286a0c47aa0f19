//! What `-hr` writes into a `.prof`: a line for each census, and the sets of the last.
//!
//! Source: `docs/format/prof.md#retainer-sets`. Nothing is escaped: a label with `>, <` in it makes a set
//! ambiguous.

use super::{CENSUS, ReportLines, SETS};
use crate::profile::{ProfileBuilder, RetainerSet, is_module};

/// Reads sets and censuses, wherever they are in the report.
pub fn read(lines: &ReportLines<'_>, profile: &mut ProfileBuilder) {
    let mut in_sets = false;
    for at in 0..lines.len() {
        let line = lines.get(at);
        if line.starts_with(CENSUS) {
            profile.retainers.censuses += 1;
        } else if line.starts_with(SETS) {
            in_sets = true;
        } else if in_sets && let Some(set) = set(line) {
            profile.retainer_set(set);
        }
    }
}

/// `SET 88 = {<Main.mkOrder,Main.main>, <>}`.
fn set(line: &str) -> Option<RetainerSet> {
    let (number, rest) = line.strip_prefix("SET ")?.split_once(" = {")?;
    let inner = rest.strip_suffix('}')?;
    let elements = inner.strip_prefix('<')?.strip_suffix('>')?;
    let retainers = elements.split(">, <").map(|element| match element {
        "" => Vec::new(),
        _ => stack(element),
    });
    Some(RetainerSet { number: number.parse().ok()?, retainers: retainers.collect() })
}

/// The cost centres of an element. They are joined by commas without a blank, and a label can
/// contain commas; a new cost centre begins where a module's name and a dot follow.
fn stack(element: &str) -> Vec<String> {
    let mut centres: Vec<String> = Vec::new();
    for part in element.split(',') {
        match centres.last_mut() {
            Some(last) if !begins_with_module(part) => {
                last.push(',');
                last.push_str(part);
            }
            _ => centres.push(part.to_owned()),
        }
    }
    centres
}

/// Whether a text begins as `Module.Name.label` does: a capital letter, letters, a dot.
fn begins_with_module(text: &str) -> bool {
    text.split_once('.').is_some_and(|(module, _)| is_module(module))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_split_into_stacks() {
        let set = set("SET 88 = {<Main.mkOrder,Main.main.\\.o,Main.main>, <>}").unwrap();
        assert_eq!(set.number, 88);
        assert_eq!(set.retainers[0], ["Main.mkOrder", "Main.main.\\.o", "Main.main"]);
        assert!(set.retainers[1].is_empty());
    }
}
