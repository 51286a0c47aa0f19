//! The page around the islands of data: template, style and scripts, joined and deflated.
//!
//! The files are in `templates/` as they were written. Here they are joined, their comments and
//! indentation are removed, because no reader of a report sees them, and style and script are deflated. The
//! page forbids everything except its own style and script, which it identifies by their digests.
//!
//! None of this depends on a profile, and it takes longer than everything else in a small page. So the
//! build script does it (`build.rs`), and this module is part of the library only for its tests.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};

use super::island::{deflated, to_text};

const TEMPLATE: &str = include_str!("../../templates/report.html");
/// The script that inflates the main script.
const LOADER: &str = include_str!("../../templates/report/load.js");
const STYLE: &str = include_str!("../../templates/report.css");
/// The style until the other one is inflated: nothing is shown that would jump.
const FIRST_STYLE: &str = "header, main { visibility: hidden; }";

/// The scripts in the order in which they are joined: each uses only the ones before it, and `main.js`
/// starts everything.
const SCRIPTS: &[&str] = &[
    include_str!("../../templates/report/decode.js"),
    include_str!("../../templates/report/dom.js"),
    include_str!("../../templates/report/words.js"),
    include_str!("../../templates/report/numbers.js"),
    include_str!("../../templates/report/canvas.js"),
    include_str!("../../templates/report/figures.js"),
    include_str!("../../templates/report/parts.js"),
    include_str!("../../templates/report/model.js"),
    include_str!("../../templates/report/state.js"),
    include_str!("../../templates/report/axes.js"),
    include_str!("../../templates/report/layers.js"),
    include_str!("../../templates/report/dense.js"),
    include_str!("../../templates/report/chart.js"),
    include_str!("../../templates/report/markers.js"),
    include_str!("../../templates/report/crosshair.js"),
    include_str!("../../templates/report/pointer.js"),
    include_str!("../../templates/report/readout.js"),
    include_str!("../../templates/report/list.js"),
    include_str!("../../templates/report/columns.js"),
    include_str!("../../templates/report/table.js"),
    include_str!("../../templates/report/details.js"),
    include_str!("../../templates/report/verdict.js"),
    include_str!("../../templates/report/compared.js"),
    include_str!("../../templates/report/lead.js"),
    include_str!("../../templates/report/phases.js"),
    include_str!("../../templates/report/tree.js"),
    include_str!("../../templates/report/centres.js"),
    include_str!("../../templates/report/icicle.js"),
    include_str!("../../templates/report/panels.js"),
    include_str!("../../templates/report/save.js"),
    include_str!("../../templates/report/runs.js"),
    include_str!("../../templates/report/run.js"),
    include_str!("../../templates/report/glossary.js"),
    include_str!("../../templates/report/command.js"),
    include_str!("../../templates/report/live.js"),
    include_str!("../../templates/report/main.js"),
];

/// The script of the page, in the form that runs.
fn script() -> String {
    format!("(() => {{\n\"use strict\";\n{}}})();\n", joined(SCRIPTS))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A file, which may request nothing.
    File,
    /// Served while a program runs: it requests new data from its server.
    Live,
}

/// The template with style, script and policy in their places, split at the islands.
pub struct Shell {
    pub before: String,
    pub after: String,
    pub policy: String,
    /// The digests of the two scripts, in the form that policies use.
    pub script_digests: String,
}

impl Shell {
    pub fn new(purpose: Use) -> Shell {
        let style = joined(&[STYLE]);
        let script = script();
        let loader = joined(&[LOADER]);
        let (connect, root) = match purpose {
            Use::File => ("", ""),
            Use::Live => ("connect-src 'self'; ", " data-live=\"live\""),
        };
        let digest_of = |text: &str| format!("'sha256-{}'", BASE64.encode(Sha256::digest(text)));
        let script_digests = format!("{} {}", digest_of(&loader), digest_of(&script));
        let policy = format!(
            "default-src 'none'; script-src {script_digests}; style-src {} {}; {connect}img-src data:; \
             base-uri 'none'; form-action 'none'",
            digest_of(FIRST_STYLE),
            digest_of(&style)
        );
        // The scripts come last, because placeholders inside them must not be replaced.
        let text = joined(&[TEMPLATE])
            .replacen("{{live}}", root, 1)
            .replacen("{{policy}}", &policy, 1)
            .replacen("{{first}}", FIRST_STYLE, 1)
            .replacen("{{style}}", &to_text(&deflated(style.as_bytes())), 1)
            .replacen("{{code}}", &to_text(&deflated(script.as_bytes())), 1)
            .replacen("{{loader}}", &loader, 1);
        let (before, after) = text.split_once("{{islands}}").expect("the template has islands");
        let [before, after] = [before, after].map(str::to_owned);
        Shell { before, after, policy, script_digests }
    }
}

/// Joins files without indentation, empty lines, comments at the beginning of a line, and types inside it.
fn joined(files: &[&str]) -> String {
    let mut text = String::new();
    let mut inside = false;
    for line in files.iter().flat_map(|file| file.lines()).map(str::trim) {
        inside |= line.starts_with("/*");
        let code = match (inside, line.split_once("*/")) {
            (true, Some((_, rest))) => {
                inside = false;
                rest.trim()
            }
            (true, None) => "",
            (false, _) => line,
        };
        if !code.is_empty() && !code.starts_with("//") {
            without_types(code, &mut text);
            text.push('\n');
        }
    }
    text
}

/// Appends a line of code without the types in it, such as `/** @type {number} */`: there are hundreds.
fn without_types(mut code: &str, text: &mut String) {
    while let Some((before, rest)) = code.split_once("/** @") {
        text.push_str(before);
        let after = rest.split_once("*/").map_or("", |(_, after)| after);
        code = after.strip_prefix(' ').unwrap_or(after);
    }
    text.push_str(code);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Role, Theme};
    use crate::report::page::{live_policy, script_digests, shell};

    #[test]
    fn the_built_shells_match_these_files() {
        let [file, live] = [Use::File, Use::Live].map(Shell::new);
        let [before, _, after] = shell();
        assert!(before.starts_with(&file.before) && after.ends_with(&file.after));
        assert_eq!(live_policy(), live.policy);
        assert_eq!(script_digests(), live.script_digests);
    }

    #[test]
    fn comments_are_removed_and_code_stays() {
        let text =
            "/** a\n * b */\nlet x = 1; // kept\n\n  // gone\n  /* gone */ g();\n  f('/*');\n";
        assert_eq!(joined(&[text]), "let x = 1; // kept\ng();\nf('/*');\n");
        let text = "f((/** @type {a} */ b) => /** @type {c} */ (b), /** @type {d} */(e));\n";
        assert_eq!(joined(&[text]), "f((b) => (b), (e));\n");
    }

    #[test]
    fn the_page_refers_to_nothing_outside() {
        // Saved SVG files need the namespace of SVG and a clip path, which look like addresses.
        let page = [joined(&[TEMPLATE, STYLE, LOADER]), script()].concat();
        let page = page.replace("http://www.w3.org/2000/svg", "").replace("url(#clip", "");
        for word in ["http:", "https:", "src=", "@import", "url(", "innerHTML", "eval("] {
            assert!(!page.contains(word), "{word}");
        }
        for place in ["live", "policy", "first", "style", "code", "loader", "islands"] {
            assert!(page.contains(&format!("{{{{{place}}}}}")), "the template has no {place}");
            assert!(
                !shell().concat().contains(&format!("{{{{{place}}}}}")),
                "{place} is not filled"
            );
        }
        assert!(!page.contains("style=\"") && !page.contains("onclick"));
    }

    #[test]
    fn no_line_of_a_script_ends_inside_a_template_literal() {
        // Joining removes indentation, which would change the literal.
        for script in SCRIPTS {
            let lines = script.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
            for line in lines {
                assert!(line.matches('`').count() % 2 == 0, "{line}");
            }
        }
    }

    #[test]
    fn the_page_has_the_colours_of_the_pictures() {
        for role in [
            Role::Background,
            Role::Text,
            Role::Muted,
            Role::Grid,
            Role::Axis,
            Role::Total,
            Role::Heap,
            Role::Marker,
            Role::Other,
        ] {
            let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| role.rgb(theme));
            let line = format!("--{}: light-dark({light}, {dark});", role.name());
            assert!(STYLE.contains(&line), "the style lacks {line}");
        }
    }

    #[test]
    fn no_file_of_the_page_is_longer_than_600_lines() {
        let files = SCRIPTS.iter().chain([&TEMPLATE, &STYLE, &LOADER]);
        assert!(files.into_iter().all(|file| file.lines().count() <= 600));
    }
}
