//! The default output of the command for one file, as a value: the page that
//! `heapviz FILE -o FILE.html` writes, byte for byte, and the messages that it prints.

use std::io::Read;

use heapviz::base::text::visible;
use heapviz::input::{InputOptions, ReadError, drawable, read_watched};
use heapviz::profile::Profile;
use heapviz::profile_view::{ProfileView, Severity, ViewOptions, WayOut};
use heapviz::report::{self, ReportOptions};
use heapviz::tree::has_something_to_show;

/// The result for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The report; `None` if the file could not be drawn.
    pub page: Option<String>,
    /// The messages about the file, in the order in which the command prints them.
    pub messages: Vec<Message>,
}

/// A message for the reader of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// The message, with the name of the file.
    pub text: String,
    /// What the reader can do, if anything.
    pub hint: Option<String>,
}

/// A page has no flags: a real profile beyond a limit needs the command.
const LIMIT_HINT: &str = "the heapviz command can keep more: see its flag --no-limits";

/// Reads a profile and makes its report. `watch` is called with the bytes read and the samples
/// found so far.
pub fn draw(source: impl Read + Send, name: &str, watch: impl FnMut(u64, usize) + Send) -> Drawn {
    read(source, watch).and_then(|profile| drawn(&profile, name)).unwrap_or_else(|error| {
        let hint = error.hint().or_else(|| error.is_over_limit().then_some(LIMIT_HINT.into()));
        let message = message(Severity::Error, name, &error.to_string(), hint.as_deref());
        Drawn { page: None, messages: vec![message] }
    })
}

fn read(
    source: impl Read + Send,
    mut watch: impl FnMut(u64, usize) + Send,
) -> Result<Profile, ReadError> {
    let profile = read_watched(source, &InputOptions::default(), |progress| {
        watch(progress.bytes, progress.samples);
    })?;
    if has_only_calls(&profile) { Ok(profile) } else { drawable(profile) }
}

/// Whether it is a time profile, which has a call tree but no chart of the heap.
fn has_only_calls(profile: &Profile) -> bool {
    profile.no_samples().is_some() && !profile.calls().is_empty()
}

fn drawn(profile: &Profile, name: &str) -> Result<Drawn, ReadError> {
    let options = ViewOptions::default();
    let run =
        ProfileView::new(profile, &options).map_err(|error| ReadError::Decode(error.into()))?;
    let run = run.of_file(Some(name.to_owned()));
    let mut messages: Vec<Message> = run
        .notices()
        .into_iter()
        .map(|notice| {
            let hint = match notice.way_out {
                WayOut::None => None,
                WayOut::Limit => Some(LIMIT_HINT),
                WayOut::OtherRun => Some("the heapviz command draws another with --run N"),
                WayOut::AllSamples => Some("the heapviz command draws it with --all-samples"),
            };
            message(notice.severity, name, &notice.text, hint)
        })
        .collect();
    if let Err(error) = has_something_to_show(run.slice()) {
        let message = message(Severity::Error, name, &error.to_string(), error.hint());
        return Ok(Drawn { page: None, messages: vec![message] });
    }
    // Before the chart asks for the verdict alone, so that it is found once.
    run.analysis();
    let page = report::write(&run, &ReportOptions::default());
    let news = run.news().map(|news| news.to_string());
    let lines = [news, run.sampling_line()];
    messages
        .extend(lines.into_iter().flatten().map(|line| message(Severity::Note, name, &line, None)));
    Ok(Drawn { page: Some(page), messages })
}

fn message(severity: Severity, name: &str, text: &str, hint: Option<&str>) -> Message {
    Message { severity, text: visible(&format!("{name}: {text}")), hint: hint.map(visible) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn drawn_sample(name: &str) -> Drawn {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(name);
        draw(fs::File::open(path).expect("a sample"), name, |_, _| {})
    }

    #[test]
    fn a_profile_has_a_page_and_a_verdict() {
        let drawn = drawn_sample("leak-hy.eventlog");
        assert!(drawn.page.expect("a page").ends_with("</html>\n"));
        assert!(drawn.messages.iter().all(|message| message.severity != Severity::Error));
    }

    #[test]
    fn an_input_that_is_not_a_profile_gets_an_error_and_a_hint() {
        let drawn = draw(&b"a letter\n"[..], "a\u{1b}.txt", |_, _| {});
        assert_eq!(drawn.page, None);
        let [message] = &drawn.messages[..] else { panic!("{:?}", drawn.messages) };
        assert_eq!(message.severity, Severity::Error);
        assert!(!message.text.contains('\u{1b}') && message.text.contains(".txt: "));
        assert!(message.hint.is_some());
    }

    #[test]
    fn progress_is_reported_up_to_the_last_byte() {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/leak-hi.eventlog");
        let bytes = fs::read(sample).expect("a sample");
        let mut last = 0;
        draw(&bytes[..], "x", |bytes, _| last = bytes);
        assert_eq!(last, bytes.len() as u64);
    }
}
