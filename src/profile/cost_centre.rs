//! Cost centres, and the text of a stack of them.

use std::sync::Arc;

use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::limits::cut_text;

/// One cost centre as the program defined it (`docs/format/eventlog.md#cost-centre-stacks`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostCentre {
    /// The name of the cost centre; `CAF` for the top-level values of a module.
    pub label: Arc<str>,
    pub module: Arc<str>,
    /// The place in the source, `file:span`; `<built-in>` and `<entire-module>` also occur.
    pub location: Arc<str>,
    /// Whether the cost centre collects top-level values.
    pub is_caf: bool,
}

impl CostCentre {
    /// A cost centre by its name, its module and its place in the source. The name says whether it
    /// collects top-level values.
    pub fn new(
        label: impl Into<Arc<str>>,
        module: impl Into<Arc<str>>,
        location: impl Into<Arc<str>>,
    ) -> Self {
        let label = label.into();
        let is_caf = &*label == "CAF" || label.starts_with("CAF:");
        CostCentre { label, module: module.into(), location: location.into(), is_caf }
    }

    fn texts(&self) -> [Arc<str>; 3] {
        [self.module.clone(), self.label.clone(), self.location.clone()]
    }
}

/// The cost centres of a program by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostCentres {
    by_id: IndexMap<u32, CostCentre, RandomState>,
}

impl CostCentres {
    /// Defines a cost centre. A second, different definition replaces the first, and the result is
    /// `false`.
    pub(super) fn define(&mut self, id: u32, centre: CostCentre) -> bool {
        match self.by_id.insert(id, centre) {
            Some(old) => old == self.by_id[&id],
            None => true,
        }
    }

    /// Every cost centre with its id, in the order in which they were defined.
    pub(super) fn into_iter(self) -> impl Iterator<Item = (u32, CostCentre)> {
        self.by_id.into_iter()
    }

    /// All cost centres without their ids.
    pub(super) fn all(&self) -> impl Iterator<Item = &CostCentre> {
        self.by_id.values()
    }

    /// How many cost centres of a report are not among these.
    pub(super) fn unknown_of(&self, report: &CostCentres) -> usize {
        let known = self.by_text();
        report.by_id.values().filter(|centre| !known.contains_key(&centre.texts())).count()
    }

    /// The first id of each text.
    fn by_text(&self) -> HashMap<[Arc<str>; 3], u32> {
        let mut ids = HashMap::default();
        for (&id, centre) in &self.by_id {
            ids.entry(centre.texts()).or_insert(id);
        }
        ids
    }

    /// Adopts the cost centres of a report of the same run, and returns the ids that they have
    /// here. A JSON report has the ids of the log; a text report has no ids, so its cost centres
    /// are found by their texts.
    pub(super) fn adopt(&mut self, report: CostCentres) -> HashMap<u32, u32> {
        let by_text = self.by_text();
        let mut free = self.by_id.keys().max().map_or(0, |id| id.saturating_add(1));
        let mut here = HashMap::default();
        for (id, centre) in report.into_iter() {
            let same = match self.get(id) {
                Some(ours) if ours.texts() == centre.texts() => Some(id),
                _ => by_text.get(&centre.texts()).copied(),
            };
            here.insert(
                id,
                same.unwrap_or_else(|| {
                    let new = free;
                    self.by_id.insert(new, centre);
                    free = free.saturating_add(1);
                    new
                }),
            );
        }
        here
    }

    /// The cost centre of an id.
    pub fn get(&self, id: u32) -> Option<&CostCentre> {
        self.by_id.get(&id)
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether no cost centre is defined.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The run-time system's own text for a stack (innermost first), uncut and without the number
    /// that is in front of it in a `.hp`: `f/g/main`, `Main.CAF`. A cost centre that was never
    /// defined reads `?id`. It is cut soon after `enough` bytes, because a few ids can stand for a
    /// lot of text.
    pub fn stack_text(&self, stack: &[u32], enough: usize) -> String {
        if stack.is_empty() {
            return "MAIN".to_owned();
        }
        let mut text = String::new();
        for (i, &id) in stack.iter().enumerate() {
            if text.len() > enough {
                break;
            }
            match self.get(id) {
                // No slash after a CAF, even if more follows, as in the run-time system.
                Some(centre) if &*centre.label == "CAF" => {
                    text.push_str(cut_text(&centre.module, 1 + enough - text.len()));
                    text.push_str(".CAF");
                    continue;
                }
                Some(centre) => {
                    text.push_str(cut_text(&centre.label, 1 + enough - text.len()));
                }
                None => text.push_str(&format!("?{id}")),
            }
            if i + 1 < stack.len() {
                text.push('/');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_read_as_the_run_time_system_writes_them() {
        let mut centres = CostCentres::default();
        assert!(centres.define(1, CostCentre::new("f", "Main", "")));
        assert!(centres.define(2, CostCentre::new("CAF", "Data.Map", "")));
        let text = |stack| centres.stack_text(stack, 99);
        assert_eq!(text(&[]), "MAIN");
        assert_eq!(text(&[1]), "f");
        assert_eq!(text(&[1, 1, 7]), "f/f/?7");
        assert_eq!(text(&[1, 2]), "f/Data.Map.CAF");
        assert_eq!(text(&[2, 1]), "Data.Map.CAFf");
        assert_eq!(centres.stack_text(&[1; 255], 4), "f/f/f/");
        // A long name is cut soon after what is enough.
        assert!(centres.define(3, CostCentre::new("abcdefgh", "Main", "")));
        assert_eq!(centres.stack_text(&[1, 3], 4), "f/abc");
        assert_eq!(centres.stack_text(&[1, 2], 4), "f/Dat.CAF");
    }
}
