//! The threads that a program labelled (`labelThread`), and when each ended.

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};

use crate::base::units::Nanos;
use crate::profile::ProfileBuilder;
use crate::profile::limits::cut_text;

/// How many ends of threads without a label are remembered.
const MOST_ENDS: usize = 1 << 16;

/// The threads that have a label.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Threads {
    labels: IndexSet<String, RandomState>,
    all: IndexMap<u32, LabelledThread, RandomState>,
    /// The ends whose label may still come: several processors write in turn, each much at a time.
    ends: IndexMap<u32, Nanos, RandomState>,
}

#[derive(Clone, Debug, PartialEq)]
struct LabelledThread {
    label: usize,
    since: Nanos,
    ended: Option<Nanos>,
}

impl Threads {
    /// The label of which most threads live at a time, how many these are, and how many have had it until then.
    pub fn most_alive(&self, at: Nanos) -> Option<(&str, u64, u64)> {
        let mut counts = vec![(0, 0); self.labels.len()];
        for thread in self.all.values().filter(|thread| thread.since <= at) {
            let (alive, all) = &mut counts[thread.label];
            *alive += u64::from(thread.ended.is_none_or(|ended| ended > at));
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
        let threads = &self.runtime.threads;
        let (count, known) = (threads.all.len(), threads.all.get(&thread));
        let ended = known.map_or(threads.ends.get(&thread).copied(), |known| known.ended);
        let (is_new, is_new_label) = (known.is_none(), !threads.labels.contains(label));
        if (!is_new || self.has_room(count))
            && (!is_new_label || self.has_room_for_definition(label.len()))
        {
            let threads = &mut self.runtime.threads;
            let (label, _) = threads.labels.insert_full(label.to_owned());
            threads.all.insert(thread, LabelledThread { label, since: time, ended });
        }
    }

    pub fn end_thread(&mut self, time: Nanos, thread: u32) {
        let Threads { all, ends, .. } = &mut self.runtime.threads;
        match all.get_mut(&thread) {
            Some(known) => known.ended = Some(time),
            None => {
                if ends.len() >= MOST_ENDS {
                    ends.clear();
                }
                ends.insert(thread, time);
            }
        }
    }

    /// Adds the threads of a later log of the same run, which does not repeat labels.
    pub(in crate::profile) fn absorb_threads(&mut self, later: Threads) {
        for (thread, LabelledThread { label, since, ended }) in later.all {
            self.label_thread(since, thread, &later.labels[label]);
            ended.into_iter().for_each(|ended| self.end_thread(ended, thread));
        }
        later.ends.into_iter().for_each(|(thread, ended)| self.end_thread(ended, thread));
    }
}
