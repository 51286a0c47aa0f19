//! A page: the shell that the build script makes from `templates/` (see `shell.rs`), around the islands
//! of data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::picture::{Scene, SvgOptions, Theme, svg};

/// The data of one run of a page, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Island(pub String);

/// The template with style, script and policy in their places, split at the islands.
struct PageShell {
    before: &'static str,
    after: &'static str,
    policy: &'static str,
    /// The digests of the two scripts, in the form that policies use.
    script_digests: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/shells.rs"));

impl PageShell {
    fn fill(&self, first_paint: &str, runs: &[Island]) -> String {
        let data: String = runs.iter().map(|Island(text)| [BEGIN, text, END].concat()).collect();
        [self.before, first_paint, &data, self.after].concat()
    }
}

/// The element around the island of a run.
const BEGIN: &str = "<script type=\"text/plain\" class=\"island\">";
const END: &str = "</script>\n";

/// The digests of the page's two scripts, the loader and the script that it inflates, in the form that content
/// security policies use: `'sha256-...'`. A page that shows reports in a frame must allow these scripts, because a
/// frame without an address of its own is subject to the policy of the page around it.
pub fn script_digests() -> &'static str {
    FILE.script_digests
}

/// The two parts of a page of one run around its island.
pub fn shell() -> [String; 2] {
    [[FILE.before, BEGIN].concat(), [END, FILE.after].concat()]
}

/// What a served page may load and run, as a value of the header `Content-Security-Policy`.
pub fn live_policy() -> &'static str {
    LIVE.policy
}

/// The element that shows a picture until the script has drawn, and where no script runs: in mails, archives, and pictures
/// taken of the page. In an image, no text of a profile is part of the page.
pub fn first_paint(picture: &Scene, theme: Option<Theme>) -> String {
    let picture = BASE64.encode(svg(picture, &SvgOptions { theme }));
    format!(
        "<img id=\"picture\" alt=\"heap profile\" src=\"data:image/svg+xml;base64,{picture}\">\n"
    )
}

/// The page of these runs, as a file that needs nothing else. Not even its title is part of the HTML: the script sets
/// it.
pub fn of_runs(first_paint: &str, runs: &[Island]) -> String {
    FILE.fill(first_paint, runs)
}

impl Island {
    /// The page with this data as a server sends it, and what it shows before its script has drawn. The server must also provide `events` and
    /// `shell.json` at the same path.
    ///
    /// `events` are server-sent events: `data` has the island; `state` has a JSON object
    /// with `text`, the state of the program, and `over`, whether it has ended; `end` says that no more data
    /// follows. `shell.json` is [`shell`] as a JSON array, from which the page makes a file.
    pub fn live_page(&self, first_paint: &str) -> String {
        LIVE.fill(first_paint, std::slice::from_ref(self))
    }
}
