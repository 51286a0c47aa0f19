//! The report as JSON (`-pj`).
//!
//! Source: `docs/format/prof.md#json`. What GHC 9.0 writes is not JSON if a name contains a quote or a control
//! character, and is refused then.

use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use crate::incident::error::Error;
use crate::profile::{CallCounts, CallId, CostCentre, Exactness, ProfileBuilder, PseudoStacks};

/// The most nodes on a path of the tree, which is read by recursion. A cost centre is at most once on a path, and
/// the reports of real programs have some dozens.
const DEEPEST: usize = 500;

/// Reads the report whose `{` is at byte `at` of the text, in line `line`, counted from 0.
///
/// # Errors
/// [`Error::ReportJson`] where it is not JSON, or not that of a report; [`Error::OverLimit`].
pub fn read(text: &str, at: usize, line: usize, profile: &mut ProfileBuilder) -> Result<(), Error> {
    let mut json = serde_json::Deserializer::from_str(&text[at..]);
    let report = Report::deserialize(&mut json).map_err(|error| broken(&error, line))?;
    let tree = report.profile.get();
    report.record(profile);

    let before = &text[at..tree.as_ptr() as usize - text.as_ptr() as usize];
    let line = line + memchr::memchr_iter(b'\n', before.as_bytes()).count();
    let mut json = serde_json::Deserializer::from_str(tree);
    // The depth is limited here.
    json.disable_recursion_limit();
    let mut refused = None;
    let root = Node { parent: None, depth: 1, profile, refused: &mut refused };
    let read = root.deserialize(&mut json);
    read.map_err(|error| refused.unwrap_or_else(|| broken(&error, line)))?;
    let calls = &mut profile.calls;
    let exact = Exactness::Exact;
    (calls.entries, calls.time, calls.alloc) = (exact, exact, exact);
    calls.pseudo = PseudoStacks::Counted;
    Ok(())
}

/// An error in what begins in a line, counted from 0.
fn broken(error: &serde_json::Error, line: usize) -> Error {
    let what = error.to_string();
    let what = what.rsplit_once(" at line ").map_or(&*what, |(what, _)| what).to_owned();
    Error::ReportJson { line: (line + error.line()) as u64, what }
}

#[derive(Deserialize)]
struct Report<'a> {
    #[serde(default)]
    program: String,
    /// The first is the program as it was typed.
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    rts_arguments: Vec<String>,
    end_time: Option<String>,
    /// The non-threaded run-time system reports none.
    #[serde(default)]
    initial_capabilities: u64,
    #[serde(default)]
    total_ticks: u64,
    /// In microseconds.
    #[serde(default)]
    tick_interval: u64,
    #[serde(default)]
    total_alloc: u64,
    #[serde(default)]
    cost_centres: Vec<Centre>,
    #[serde(borrow)]
    profile: &'a RawValue,
}

#[derive(Deserialize)]
struct Centre {
    id: u32,
    #[serde(default)]
    label: String,
    #[serde(default)]
    module: String,
    #[serde(default)]
    src_loc: String,
    #[serde(default)]
    is_caf: bool,
}

impl Report<'_> {
    fn record(self, profile: &mut ProfileBuilder) {
        let mut words = vec![self.program, "+RTS".to_owned()];
        words.extend(self.rts_arguments);
        words.push("-RTS".to_owned());
        words.extend(self.arguments.into_iter().skip(1));
        profile.report_run(&words, self.end_time);
        let capabilities = u32::try_from(self.initial_capabilities).unwrap_or(u32::MAX).max(1);
        profile.report_totals(self.total_ticks, self.tick_interval, capabilities, self.total_alloc);
        for Centre { id, label, module, src_loc, is_caf } in self.cost_centres {
            let (label, module, location) = (label.into(), module.into(), src_loc.into());
            let centre = CostCentre { label, module, location, is_caf, ..CostCentre::default() };
            profile.define_cost_centre(id, centre);
        }
    }
}

/// Adds a node and those below it to the profile, which takes parents first: a node is
/// `{"id", "entries", "alloc", "ticks", "children": [node …]}`, its children last.
struct Node<'p> {
    parent: Option<CallId>,
    /// The number of nodes from the root to this one.
    depth: usize,
    profile: &'p mut ProfileBuilder,
    /// Why the profile does not take a node.
    refused: &'p mut Option<Error>,
}

struct Children<'p>(Node<'p>);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node of the tree")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Node { parent, depth, profile, refused } = self;
        let (mut centre, mut counts, mut has_children) = (None, CallCounts::default(), false);
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "id" => centre = Some(map.next_value()?),
                "entries" => counts.entries = map.next_value()?,
                "alloc" => counts.alloc = map.next_value()?,
                "ticks" => counts.ticks = map.next_value()?,
                "children" if !has_children => {
                    let centre = centre.ok_or_else(|| A::Error::missing_field("id"))?;
                    if depth > DEEPEST {
                        let what = format!("a path of the tree has more than {DEEPEST} nodes");
                        return Err(A::Error::custom(what));
                    }
                    let call = profile.call(parent, centre, counts).map_err(|error| {
                        *refused = Some(error);
                        A::Error::custom("refused")
                    })?;
                    let (profile, refused) = (&mut *profile, &mut *refused);
                    let child = Node { parent: Some(call), depth: depth + 1, profile, refused };
                    map.next_value_seed(Children(child))?;
                    has_children = true;
                }
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        if has_children { Ok(()) } else { Err(A::Error::missing_field("children")) }
    }
}

impl<'de> DeserializeSeed<'de> for Children<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Children<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the children of a node")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Node { parent, depth, profile, refused } = self.0;
        loop {
            let child = Node { parent, depth, profile: &mut *profile, refused: &mut *refused };
            if list.next_element_seed(child)?.is_none() {
                return Ok(());
            }
        }
    }
}
