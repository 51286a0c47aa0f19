//! The bands of a profile: every name to which the profile attributes a part of the heap, and how long
//! their labels can be.

use std::hash::{Hash, Hasher};

use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::{Equivalent, IndexMap};

use super::{Limits, cut};
use crate::base::units::count;
use crate::incident::{Incident, Incidents, WarningCode};

/// A band, numbered by first appearance in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BandId(u32);

impl BandId {
    /// The band with a number that [`BandId::number`] returned.
    pub(crate) const fn of(number: u32) -> Self {
        BandId(number)
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Position in the profile's [`Bands`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The key of a band: two points with the same key belong to the same band.
///
/// A cost-centre stack is its list of ids, never its text: different stacks often have the same
/// text once it is cut (`docs/format/eventlog.md#cost-centre-stacks`).
#[derive(Clone, Debug)]
pub enum BandKey {
    /// The label's bytes as they are in the file.
    Name(Box<[u8]>),
    /// Cost-centre ids, innermost first; empty for MAIN.
    Stack(Box<[u32]>),
}

/// A [`BandKey`] that borrows, for looking up without allocating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BandKeyRef<'a> {
    /// The name of a band: see [`BandKey::Name`].
    Name(&'a [u8]),
    /// The stack of a band: see [`BandKey::Stack`].
    Stack(&'a [u32]),
}

impl BandKey {
    pub fn as_ref(&self) -> BandKeyRef<'_> {
        match self {
            BandKey::Name(name) => BandKeyRef::Name(name),
            BandKey::Stack(ids) => BandKeyRef::Stack(ids),
        }
    }
}

impl From<BandKeyRef<'_>> for BandKey {
    fn from(key: BandKeyRef<'_>) -> Self {
        match key {
            BandKeyRef::Name(name) => BandKey::Name(name.into()),
            BandKeyRef::Stack(ids) => BandKey::Stack(ids.into()),
        }
    }
}

impl PartialEq for BandKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for BandKey {}

impl Hash for BandKey {
    /// A key hashes as the borrowed key does, which lookups rely on.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_ref().hash(state);
    }
}

impl Equivalent<BandKey> for BandKeyRef<'_> {
    fn equivalent(&self, key: &BandKey) -> bool {
        *self == key.as_ref()
    }
}

/// All bands in order of first appearance, with their keys and labels.
#[derive(Clone, Debug, Default)]
pub struct Bands {
    labels: IndexMap<BandKey, String, RandomState>,
}

impl Bands {
    /// The band of a key, if it has one.
    pub(super) fn find(&self, key: BandKeyRef<'_>) -> Option<BandId> {
        let index = self.labels.get_index_of(&key)?;
        Some(BandId(u32::try_from(index).expect("the builder's band limit is below 2^32")))
    }

    pub(super) fn intern(&mut self, key: BandKeyRef<'_>) -> BandId {
        let index = match self.labels.get_index_of(&key) {
            Some(index) => index,
            None => self.labels.insert_full(key.into(), String::new()).0,
        };
        BandId(u32::try_from(index).expect("the builder's band limit is below 2^32"))
    }

    /// Sets every label from its key; done once, when all definitions are known.
    pub(super) fn label_all(&mut self, mut label: impl FnMut(&BandKey) -> String) {
        for (key, text) in &mut self.labels {
            *text = label(key);
        }
    }

    /// Turns bands with names into stacks, if `stack` knows their stack and no other band has it;
    /// returns how many were turned.
    pub(super) fn expand(&mut self, stack: impl Fn(BandId) -> Option<Box<[u32]>>) -> usize {
        let mut expanded = 0;
        let ids: Vec<BandId> = self.ids().collect();
        for (id, (key, label)) in ids.into_iter().zip(std::mem::take(&mut self.labels)) {
            let key = match stack(id).map(BandKey::Stack) {
                Some(stack) if !self.labels.contains_key(&stack) => {
                    expanded += 1;
                    stack
                }
                _ => key,
            };
            self.labels.insert(key, label);
        }
        expanded
    }

    /// Sets the labels of all bands that are stacks.
    pub(super) fn relabel_stacks(&mut self, label: impl Fn(&[u32]) -> String) {
        for (key, text) in &mut self.labels {
            if let BandKey::Stack(ids) = key {
                *text = label(ids);
            }
        }
    }

    pub(crate) fn relabel(&mut self, change: impl FnMut(&mut String)) {
        self.labels.values_mut().for_each(change);
    }

    /// Changes the names that are keys. Bands stay separate: if a new name is taken, a number is
    /// appended to it.
    pub(crate) fn rename(&mut self, new: impl Fn(&[u8]) -> Vec<u8>) {
        // The number last tried for each name: to try all of them each time would be quadratic.
        let mut numbers: HashMap<Vec<u8>, usize> = HashMap::default();
        for (key, label) in std::mem::take(&mut self.labels) {
            let BandKey::Name(name) = key else {
                self.labels.insert(key, label);
                continue;
            };
            let name = new(&name);
            let mut key = BandKey::Name(name.as_slice().into());
            while self.labels.contains_key(&key) {
                let number = numbers.entry(name.clone()).or_insert(1);
                *number += 1;
                key = BandKey::Name([&*name, format!("#{number}").as_bytes()].concat().into());
            }
            self.labels.insert(key, label);
        }
    }

    /// Removes the bands for which `keep` is false; returns the new numbers of the others.
    pub(super) fn retain(&mut self, keep: impl Fn(BandId) -> bool) -> Vec<Option<BandId>> {
        let mut next = 0;
        let renumbered: Vec<Option<BandId>> = self
            .ids()
            .map(|band| {
                keep(band).then(|| {
                    next += 1;
                    BandId(next - 1)
                })
            })
            .collect();
        let mut at = 0;
        self.labels.retain(|_, _| {
            at += 1;
            renumbered[at - 1].is_some()
        });
        renumbered
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The bands' ids, in order of first appearance.
    pub fn ids(&self) -> impl Iterator<Item = BandId> + use<> {
        (0..self.labels.len() as u32).map(BandId)
    }

    /// The text to show for a band. Not unique: two stacks can read the same.
    pub fn label(&self, id: BandId) -> &str {
        &self.labels[id.index()]
    }

    /// The key that identifies the band in its file.
    pub fn key(&self, id: BandId) -> &BandKey {
        match self.labels.get_index(id.index()) {
            Some((key, _)) => key,
            None => panic!("a band id of another profile"),
        }
    }

    /// The band's name in bytes as hp2ps would have read it: the file's own bytes where the file
    /// has them, else the label.
    pub fn name(&self, id: BandId) -> &[u8] {
        match self.key(id) {
            BandKey::Name(name) => name,
            BandKey::Stack(_) => self.label(id).as_bytes(),
        }
    }

    /// The labels in order of first appearance.
    pub fn labels(&self) -> impl Iterator<Item = &str> + Clone {
        self.labels.values().map(String::as_str)
    }
}

/// The length in bytes to which labels are cut once all together exceed [`Limits::all_texts`].
const SHORT_LABEL: usize = 256;

/// How much more text labels made from definitions may have. A few bytes of a log can refer to a
/// long definition many times, so the sum has its own limit.
#[derive(Debug)]
pub(super) struct LabelRoom {
    longest: usize,
    left: usize,
    cut: usize,
}

impl LabelRoom {
    pub(super) fn new(limits: &Limits) -> Self {
        LabelRoom { longest: limits.text, left: limits.all_texts, cut: 0 }
    }

    /// The greatest length of the next label.
    pub(super) fn longest(&self) -> usize {
        if self.left == 0 { SHORT_LABEL.min(self.longest) } else { self.longest }
    }

    pub(super) fn take(&mut self, mut label: String) -> String {
        let most = self.longest();
        if label.len() > most {
            self.cut += 1;
            label.truncate(cut(label.as_bytes(), most).len());
            label.shrink_to_fit();
        }
        self.left = self.left.saturating_sub(label.len());
        label
    }

    pub(super) fn report(self, incidents: &mut Incidents) {
        if self.cut > 0 {
            let incident = Incident::new(WarningCode::OverLimit);
            incidents.note(incident, || {
                format!("{} cut because of their length", count(self.cut, "label"))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cut_to_256_bytes_when_there_is_no_room_left() {
        let taken = |text: usize, room: usize, lengths: &[usize]| {
            let limits = Limits { text, all_texts: room, ..Limits::default() };
            let mut room = LabelRoom::new(&limits);
            let taken: Vec<usize> =
                lengths.iter().map(|&length| room.take("x".repeat(length)).len()).collect();
            (taken, room.cut)
        };
        assert_eq!(taken(300, 600, &[300, 301, 257]), (vec![300, 300, 256], 2));
        assert_eq!(taken(300, 601, &[300, 300, 256, 257]), (vec![300, 300, 256, 256], 1));
        assert_eq!(taken(100, 0, &[100, 101]), (vec![100, 100], 1));
    }
}
