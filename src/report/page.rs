//! A page: its shell, which the build script makes of `templates/` (see `shell.rs`), around the islands
//! of data.

use super::island::Islands;

/// The template with style, script and policy in their places, split at the islands.
struct Shell {
    before: &'static str,
    after: &'static str,
    policy: &'static str,
    /// The digests of the two scripts, as policies write them.
    script_digests: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/shells.rs"));

impl Shell {
    fn fill(&self, runs: &[Islands]) -> String {
        let data = runs.iter().map(|Islands { exact, thinned }| {
            [EXACT, exact.as_str(), THINNED, thinned, END].concat()
        });
        [self.before.to_owned(), data.collect(), self.after.to_owned()].concat()
    }
}

/// What is around the islands of a run.
const EXACT: &str = "<script type=\"text/plain\" class=\"exact\">";
const THINNED: &str = "</script>\n<script type=\"text/plain\" class=\"thinned\">";
const END: &str = "</script>\n";

/// The digests of the page's two scripts: the one that inflates, and the one that is inflated.
pub fn script_digests() -> &'static str {
    FILE.script_digests
}

/// How many bytes of a page are not data.
pub fn shell_len() -> usize {
    FILE.before.len() + FILE.after.len()
}

/// The three parts of a page of one run around its two islands.
pub fn shell() -> [String; 3] {
    [[FILE.before, EXACT].concat(), THINNED.to_owned(), [END, FILE.after].concat()]
}

/// What a page that is served may load and run, as the header `Content-Security-Policy` says it.
pub fn live_policy() -> &'static str {
    LIVE.policy
}

/// The page of several runs.
pub fn of_runs(runs: &[Islands]) -> String {
    FILE.fill(runs)
}

impl Islands {
    /// The page with this data, as a file that needs nothing else. Not even its title is written into
    /// it: the script does that.
    pub fn page(&self) -> String {
        FILE.fill(std::slice::from_ref(self))
    }

    /// The page with this data as a server gives it, beside which there are `events` and
    /// `shell.json`.
    ///
    /// `events` are server-sent events: `data` has both islands, a line each; `state` has a JSON
    /// object of `text`, the state of the program, and `over`, whether it has ended; `end` says that
    /// nothing more comes. `shell.json` is [`shell`] as a JSON array, from which the page makes a file.
    pub fn live_page(&self) -> String {
        LIVE.fill(std::slice::from_ref(self))
    }
}
