//! A page: the shell that the build script makes from `templates/` (see `shell.rs`), around the islands
//! of data.

use super::island::Islands;

/// The template with style, script and policy in their places, split at the islands.
struct Shell {
    before: &'static str,
    after: &'static str,
    policy: &'static str,
    /// The digests of the two scripts, in the form that policies use.
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

/// The elements around the islands of a run.
const EXACT: &str = "<script type=\"text/plain\" class=\"exact\">";
const THINNED: &str = "</script>\n<script type=\"text/plain\" class=\"thinned\">";
const END: &str = "</script>\n";

/// The digests of the page's two scripts: the loader, and the script that it inflates.
pub fn script_digests() -> &'static str {
    FILE.script_digests
}

/// The size of a page without its data, in bytes.
pub fn shell_len() -> usize {
    FILE.before.len() + FILE.after.len()
}

/// The three parts of a page of one run around its two islands.
pub fn shell() -> [String; 3] {
    [[FILE.before, EXACT].concat(), THINNED.to_owned(), [END, FILE.after].concat()]
}

/// What a served page may load and run, as a value of the header `Content-Security-Policy`.
pub fn live_policy() -> &'static str {
    LIVE.policy
}

pub fn of_runs(runs: &[Islands]) -> String {
    FILE.fill(runs)
}

impl Islands {
    /// The page with this data, as a file that needs nothing else. Not even its title is part of the HTML:
    /// the script sets it.
    pub fn page(&self) -> String {
        FILE.fill(std::slice::from_ref(self))
    }

    /// The page with this data as a server sends it. The server must also provide `events` and
    /// `shell.json` at the same path.
    ///
    /// `events` are server-sent events: `data` has both islands, one per line; `state` has a JSON object
    /// with `text`, the state of the program, and `over`, whether it has ended; `end` says that no more data
    /// follows. `shell.json` is [`shell`] as a JSON array, from which the page makes a file.
    pub fn live_page(&self) -> String {
        LIVE.fill(std::slice::from_ref(self))
    }
}
