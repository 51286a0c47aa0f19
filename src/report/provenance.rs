//! What is known about a band beyond its name: the cost centres of its stack, or its info table.

use indexmap::IndexMap;

use super::bands::PageBands;
use super::columns::Sections;
use crate::error::visible;
use crate::profile::BandKey;
use crate::slice::{RowId, Slice};

/// How many bytes of text about info tables a page holds; the biggest bands have them first.
const MOST_TEXT: usize = 250_000;

/// Appends the cost centres and the tree of the stacks of them, if there are stacks.
///
/// `stack.parent` and `stack.centre` are the tree's nodes in order of appearance, callers before
/// callees; a parent is counted from 1, and 0 is the root. `stack.of` has each band's node,
/// likewise.
pub fn stacks(sections: &mut Sections, slice: &Slice<'_>, bands: &PageBands) {
    let mut centres: IndexMap<u32, ()> = IndexMap::new();
    let mut nodes: IndexMap<(usize, usize), ()> = IndexMap::new();
    let mut node_of = Vec::with_capacity(bands.order.len());
    let mut any = false;
    for &row in &bands.order {
        let mut node = 0;
        if let Some(BandKey::Stack(ids)) = slice.key(row) {
            any = true;
            for &id in ids.iter().rev() {
                let centre = centres.insert_full(id, ()).0;
                node = 1 + nodes.insert_full((node, centre), ()).0;
            }
        }
        node_of.push(node as u64);
    }
    if !any {
        return;
    }
    let texts: Vec<[String; 3]> = centres
        .keys()
        .map(|&id| match slice.cost_centre(id) {
            Some(c) => [visible(&c.label), visible(&c.module), visible(&c.location)],
            None => [format!("?{id}"), String::new(), String::new()],
        })
        .collect();
    for (i, name) in ["centre.label", "centre.module", "centre.place"].into_iter().enumerate() {
        sections.texts(name, texts.iter().map(|texts| texts[i].as_str()));
    }
    sections.numbers("stack.parent", nodes.keys().map(|&(parent, _)| parent as u64));
    sections.numbers("stack.centre", nodes.keys().map(|&(_, centre)| centre as u64));
    sections.numbers("stack.of", node_of);
}

/// Appends what is known about info tables, of the biggest bands first as long as there is room;
/// `biggest` is the bands by total.
pub fn info_tables(
    sections: &mut Sections,
    slice: &Slice<'_>,
    bands: &PageBands,
    biggest: &[RowId],
) {
    let mut known: Vec<(u32, [String; 6])> = Vec::new();
    let mut bytes = 0;
    for &row in biggest {
        let Some(table) = slice.info_table(row) else { continue };
        let fields = table.fields();
        bytes += fields.iter().map(|field| field.len()).sum::<usize>();
        if bytes > MOST_TEXT {
            break;
        }
        let place = bands.place[row.index()];
        known.extend(place.map(|place| (place, fields.map(visible))));
    }
    if known.is_empty() {
        return;
    }
    known.sort_by_key(|&(place, _)| place);
    sections.numbers("info.band", known.iter().map(|&(place, _)| u64::from(place)));
    let names = ["name", "kind", "type", "label", "module", "place"];
    for (i, name) in names.into_iter().enumerate() {
        sections.texts(&format!("info.{name}"), known.iter().map(|(_, texts)| texts[i].as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{BandKeyRef, ProfileBuilder, Source};
    use crate::rank::{RankOptions, rank};
    use crate::units::{Bytes, Nanos};

    #[test]
    fn stacks_that_begin_alike_share_their_nodes() {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for stack in [&[7, 1][..], &[9, 7, 1], &[], &[1]] {
            let band = builder.band(BandKeyRef::Stack(stack)).unwrap();
            builder.point(band, Bytes::new(8));
        }
        builder.seal_sample(Nanos::ZERO);
        let profile = builder.finish();
        let options = RankOptions { trace_percent: 0.0, ..RankOptions::default() };
        let slice = Slice::whole(&profile);
        let bands = PageBands::new(&slice, &rank(&slice, &options));
        let labels: Vec<&str> = bands.order.iter().map(|&row| slice.label(row)).collect();
        assert_eq!(labels, ["?1", "?7/?1", "?9/?7/?1", "MAIN"]);
        let mut sections = Sections::default();
        stacks(&mut sections, &slice, &bands);
        let mut expected = Sections::default();
        expected.texts("centre.label", ["?1", "?7", "?9"]);
        expected.texts("centre.module", ["", "", ""]);
        expected.texts("centre.place", ["", "", ""]);
        expected.numbers("stack.parent", [0, 1, 2]);
        expected.numbers("stack.centre", [0, 1, 2]);
        expected.numbers("stack.of", [1, 2, 3, 0]);
        assert_eq!(sections.bytes(), expected.bytes());
    }
}
