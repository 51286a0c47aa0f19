//! The threads that a program labelled (`labelThread`), and when each ended.

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};

use crate::base::units::Nanos;
use crate::profile::ProfileBuilder;
use crate::profile::limits::cut_text;

/// How many ends of threads are remembered whose label may still come: several processors write in turn, each much at a time.
const MOST_ENDS: usize = 1 << 16;

/// The threads that have a label.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Threads {
    labels: IndexSet<String, RandomState>,
    /// Those that have not ended, by their numbers.
    alive: IndexMap<u32, LabelledThread, RandomState>,
    ended: Vec<(LabelledThread, Nanos)>,
    ends: IndexMap<u32, Nanos, RandomState>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct LabelledThread {
    label: u32,
    since: Nanos,
}

impl Threads {
    /// The label of which most threads live at a time, how many these are, and how many have had it until then.
    pub fn most_alive(&self, at: Nanos) -> Option<(&str, u64, u64)> {
        let mut counts = vec![(0, 0); self.labels.len()];
        let alive = self.alive.values().map(|&thread| (thread, None));
        let ended = self.ended.iter().map(|&(thread, ended)| (thread, Some(ended)));
        for (thread, ended) in alive.chain(ended).filter(|(thread, _)| thread.since <= at) {
            let (alive, all) = &mut counts[thread.label as usize];
            *alive += u64::from(ended.is_none_or(|ended| ended > at));
            *all += 1;
        }
        let most = counts.iter().enumerate().max_by_key(|(_, counts)| *counts);
        let (label, &(alive, all)) = most.filter(|(_, counts)| counts.1 > 0)?;
        Some((&self.labels[label], alive, all))
    }
}

impl ProfileBuilder {
    /// A thread gets a label. Programs number what they start: `request 17` is a `request`.
    pub fn label_thread(&mut self, time: Nanos, thread: u32, label: &str) {
        let label = cut_text(label, self.limits.text);
        let label = label.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
        let Threads { labels, alive, ended, .. } = &self.runtime.threads;
        let is_new = !alive.contains_key(&thread);
        let (known, count) = (labels.contains(label), alive.len() + ended.len());
        if is_new && !self.has_room(count) || !known && !self.has_room_for_definition(label.len()) {
            return;
        }
        let Threads { labels, alive, ended, ends } = &mut self.runtime.threads;
        let label = labels.insert_full(label.to_owned()).0 as u32;
        let one = LabelledThread { label, since: time };
        match ends.get(&thread) {
            Some(&end) => ended.push((one, end)),
            None => drop(alive.insert(thread, one)),
        }
    }

    pub fn end_thread(&mut self, time: Nanos, thread: u32) {
        let Threads { alive, ended, ends, .. } = &mut self.runtime.threads;
        ended.extend(alive.swap_remove(&thread).map(|one| (one, time)));
        if ends.len() >= MOST_ENDS {
            ends.clear();
        }
        ends.insert(thread, time);
    }

    /// Adds the threads of a later log of the same run, which does not repeat labels.
    pub(in crate::profile) fn absorb_threads(&mut self, later: Threads) {
        later.ends.into_iter().for_each(|(thread, end)| self.end_thread(end, thread));
        for (thread, LabelledThread { label, since }) in later.alive {
            self.label_thread(since, thread, &later.labels[label as usize]);
        }
        let own = &mut self.runtime.threads;
        for (LabelledThread { label, since }, end) in later.ended {
            let label = own.labels.insert_full(later.labels[label as usize].clone()).0 as u32;
            own.ended.push((LabelledThread { label, since }, end));
        }
    }
}
