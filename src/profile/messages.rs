//! The messages of a program, of which there can be many millions.

use super::builder::ProfileBuilder;
use super::limits::{KeptMessages, cut};
use super::marker::{LatestMessage, Marker, MarkerKind};
use crate::base::units::Nanos;

impl ProfileBuilder {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Limits, Profile, Source};

    fn profile(messages: KeptMessages, said: &[(i64, &str)]) -> Profile {
        let limits = Limits::default().with_messages(messages).with_markers(3usize);
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
