//! How much of an input is kept, independently of what the input claims.

/// The limits of a profile. Each default is far above any program seen, and low enough that a
/// crafted file cannot fill the memory of an ordinary machine.
///
/// Beyond a limit on what the picture consists of (bands), reading fails; beyond the others, the
/// rest is left out with a warning, and counted in [`Losses`](crate::incident::Losses).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most event types that a log's header may declare; more are an error. Default 65 536, as
    /// many as there are numbers; real headers have fewer than 80.
    pub header_records: usize,
    /// The most bands; more are an error. Default 1 000 000; the largest seen are 25 000.
    pub bands: usize,
    /// The most cost centres. Default 1 000 000.
    pub cost_centres: usize,
    /// The most info tables. Default 4 000 000; big programs define hundreds of thousands.
    pub info_tables: usize,
    /// The most markers and messages together. Default 4 000 000; logs with 500 000 are real.
    pub markers: usize,
    /// Which messages are kept. Default all.
    pub messages: KeptMessages,
    /// Which samples are kept. Default those that are possible.
    pub samples: KeptSamples,
    /// The most points of each heap series; every collection adds one. Default 16 000 000.
    pub heap_points: usize,
    /// The most different stacks of a time profile; more are an error. Default 4 000 000; 10 000
    /// are many.
    pub call_nodes: usize,
    /// The most ticks of a time profile that are kept one by one; all are counted. Default
    /// 16 000 000: four hours of one capability.
    pub ticks: usize,
    /// The most collections, and the most events of each other kind from the run-time system.
    /// Default 4 000 000.
    pub runtime_events: usize,
    /// The most bytes of one name, label or message; longer ones are cut. Default 1 MiB; 66 000
    /// bytes do occur.
    pub text: usize,
    /// How many bytes of text are kept of all markers together, of all definitions (cost centres,
    /// info tables) together, of all band names together, and of all labels made from them. Default
    /// 512 MiB. Too many band names are an error; further labels are cut to 256 bytes.
    pub all_texts: usize,
}

impl Limits {
    /// Everything is kept, as far as there are numbers for it.
    pub fn none() -> Self {
        let (all, numbered) = (usize::MAX / 2, u32::MAX as usize);
        Limits {
            header_records: all,
            bands: numbered,
            cost_centres: all,
            info_tables: all,
            markers: all,
            heap_points: all,
            call_nodes: numbered,
            ticks: all,
            runtime_events: all,
            text: all,
            all_texts: all,
            ..Limits::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            header_records: 1 << 16,
            bands: 1_000_000,
            cost_centres: 1_000_000,
            info_tables: 4_000_000,
            markers: 4_000_000,
            messages: KeptMessages::All,
            samples: KeptSamples::Possible,
            heap_points: 16_000_000,
            call_nodes: 4_000_000,
            ticks: 16_000_000,
            runtime_events: 4_000_000,
            text: 1 << 20,
            all_texts: 512 << 20,
        }
    }
}

/// Which messages (`traceEvent`) are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeptMessages {
    /// As many messages as [`Limits::markers`] allows.
    #[default]
    All,
    /// Only the latest, which may be the last that is known of a run: for outputs without messages.
    Latest,
}

/// Which samples of an event log are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeptSamples {
    /// Values that no damaged byte can have made (`docs/reference.md#event-logs`).
    #[default]
    Possible,
    /// All samples that are complete.
    All,
}

/// The part of a text that a limit allows, not cut inside a UTF-8 character.
pub(crate) fn cut(text: &[u8], most: usize) -> &[u8] {
    if text.len() <= most {
        return text;
    }
    // A character has at most three bytes after its first; more would not be UTF-8.
    let continues = |at: usize| text[at] & 0b1100_0000 == 0b1000_0000;
    let end = (most.saturating_sub(3)..=most).rev().find(|&end| !continues(end));
    &text[..end.unwrap_or(most)]
}

/// Cuts a text as [`cut`] does, between characters of UTF-8.
pub(super) fn cut_text(text: &str, most: usize) -> &str {
    &text[..cut(text.as_bytes(), most).len()]
}
