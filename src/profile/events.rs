//! How decoders report what is no sample: the call tree, markers and messages, and heap figures, within the limits.

use super::marker::LatestMessage;
use super::{
    CallId, CallNode, Exactness, HeapSeriesKind, KeptMessages, Marker, MarkerKind, ProfileBuilder,
    RetainerSet, cut,
};
use crate::base::units::{Bytes, Nanos};
use crate::incident::error::Error;

impl ProfileBuilder {
    /// Adds a node of a report with these counts below `parent`; the first of all is the root.
    ///
    /// # Errors
    /// [`Error::OverLimit`] beyond [`Limits`](super::Limits).
    pub fn call(
        &mut self,
        parent: Option<CallId>,
        centre: u32,
        counts: CallNode,
    ) -> Result<CallId, Error> {
        let limit = self.limits.call_nodes;
        if self.calls.nodes.len() >= limit {
            return Err(too_many_calls(limit));
        }
        let parent = parent.unwrap_or(CallId::MAIN);
        Ok(self.calls.push(CallNode { parent, centre: Some(centre), ..counts }))
    }

    /// Records a tick that found a capability in this stack, innermost first.
    ///
    /// # Errors
    /// [`Error::OverLimit`] beyond [`Limits`](super::Limits).
    pub fn tick(&mut self, time: Nanos, capability: u32, stack: &[u32]) -> Result<(), Error> {
        let limit = self.limits.call_nodes;
        let calls = &mut self.calls;
        calls.time = Exactness::Exact;
        calls.capabilities = calls.capabilities.max(Some(capability.saturating_add(1)));
        let mut at = calls.root(None, None);
        for &centre in stack.iter().rev() {
            at = match calls.child(at, centre) {
                Some(child) => child,
                None if calls.nodes.len() >= limit => return Err(too_many_calls(limit)),
                None => calls.add_child(at, centre),
            };
        }
        calls.nodes[at.index()].ticks += 1;
        if calls.ticks.len() < self.limits.ticks {
            self.calls.ticks.push((time, at));
        } else {
            let ticks = self.limits.ticks;
            self.over_limit(ticks, "ticks");
        }
        Ok(())
    }

    /// Records a retainer set of the last census.
    pub fn retainer_set(&mut self, set: RetainerSet) {
        let limit = self.limits.bands;
        if self.retainers.sets.len() >= limit {
            return self.over_limit(limit, "retainer sets");
        }
        self.retainers.sets.push(set);
    }

    pub(crate) fn message(&mut self, time: Nanos, text: &[u8]) {
        if self.limits.messages == KeptMessages::All {
            let label = String::from_utf8_lossy(text).into_owned();
            return self.marker(time, label, MarkerKind::Message);
        }
        let latest = &mut self.latest_message;
        if latest.time.is_none_or(|latest| latest <= time) {
            latest.time = Some(time);
            latest.text.clear();
            latest.text.extend_from_slice(cut(text, self.limits.text));
        }
    }

    /// Adds the latest message of another builder, if it has one.
    pub(super) fn absorb_latest_message(&mut self, other: &LatestMessage) {
        if let Some(time) = other.time {
            self.message(time, &other.text);
        }
    }

    /// Adds the only message that was kept to the markers.
    pub(super) fn add_latest_message(&mut self) {
        let LatestMessage { time, text } = std::mem::take(&mut self.latest_message);
        if let Some(time) = time {
            let label = String::from_utf8_lossy(&text).into_owned();
            self.markers.push(Marker { time, label, kind: MarkerKind::Message });
        }
    }

    /// Adds a value to a heap series. [`ProfileBuilder::allocated`] is the way to
    /// [`HeapSeriesKind::Allocated`], of which a log has only parts.
    pub fn heap_point(&mut self, figure: HeapSeriesKind, time: Nanos, bytes: Bytes) {
        let most = self.limits.heap_points;
        let points = &mut self.heap.of_mut(figure).points;
        if points.len() < most {
            points.push((time, bytes));
        } else {
            self.over_limit(most, figure.row().values);
        }
    }
}

fn too_many_calls(most: usize) -> Error {
    Error::OverLimit { most, things: "different stacks in the time profile" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Limits, Profile, Source};

    fn profile(messages: KeptMessages, said: &[(i64, &str)]) -> Profile {
        let limits = Limits { messages, markers: 3, ..Limits::default() };
        let mut builder = ProfileBuilder::with_limits(Source::Eventlog, limits);
        builder.marker(Nanos::from_nanos(2), "marker".to_owned(), MarkerKind::Marker);
        for &(time, text) in said {
            builder.message(Nanos::from_nanos(time), text.as_bytes());
        }
        builder.finish()
    }

    #[test]
    fn the_latest_message_is_kept_with_all_markers_and_none_is_lost() {
        let labels = |profile: &Profile| {
            profile.markers.iter().map(|marker| marker.label.clone()).collect::<Vec<String>>()
        };
        let said = [(1, "a"), (7, "b"), (5, "c"), (3, "d")];
        let all = profile(KeptMessages::All, &said);
        assert_eq!(
            (labels(&all).concat(), all.loss_summary().is_some()),
            ("amarkerb".into(), true)
        );
        let latest = profile(KeptMessages::Latest, &said);
        assert_eq!(labels(&latest), ["marker", "b"]);
        assert_eq!(latest.markers.last(), all.markers.last());
        assert_eq!(latest.loss_summary(), None);
        // Of two at one time the later one.
        let latest = profile(KeptMessages::Latest, &[(7, "a"), (7, "b")]);
        assert_eq!(labels(&latest), ["marker", "b"]);
    }
}
