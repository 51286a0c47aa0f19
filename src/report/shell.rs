//! The page around the islands of data: template, style and scripts, joined and deflated.
//!
//! The files are in `templates/` as they were written; the scripts are ES modules. Here they are joined, their
//! comments and indentation are removed, because no reader of a report sees them, and style and script are
//! deflated. The script is not a module in the page: a browser loads no module from a file. The
//! page forbids everything except its own style and script, which it identifies by their digests.
//!
//! None of this depends on a profile, and it takes longer than everything else in a small page. So the
//! build script does it (`build.rs`), and this module is part of the library only for its tests.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::{fs, io};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use sha2::{Digest, Sha256};

use super::island::packed;

const TEMPLATE: &str = include_str!("../../templates/report.html");
/// The script that inflates the main script.
const LOADER: &str = include_str!("../../templates/report/load.js");
const STYLE: &str = include_str!("../../templates/report.css");
/// The style until the other one is inflated: nothing is shown that would jump.
const FIRST_STYLE: &str = "header, main { visibility: hidden; }\n\
#picture { display: block; width: 100%; max-height: 96vh; }";

/// The folder of the scripts, seen from the package: the working directory of build scripts and of tests.
const SCRIPTS: &str = "templates/report";

/// The script of the page, in the form that runs.
fn script() -> String {
    let mut scope = Scope::default();
    scope
        .join("main.js", &|name| fs::read_to_string(format!("{SCRIPTS}/{name}")))
        .unwrap_or_else(|wrong| panic!("{SCRIPTS}: {wrong}"));
    format!("(() => {{\n\"use strict\";\n{}}})();\n", joined(&scope.code))
}

/// ES modules joined into one scope, each after those that it imports. So their top-level names must differ.
#[derive(Default)]
struct Scope {
    code: String,
    /// The exports of each module that is complete.
    exports: BTreeMap<String, BTreeSet<String>>,
    /// The modules that declare the top-level names.
    names: BTreeMap<String, String>,
    /// The modules that are not complete, each imported by the one before.
    open: Vec<String>,
}

impl Scope {
    fn join(
        &mut self,
        name: &str,
        read: &impl Fn(&str) -> io::Result<String>,
    ) -> Result<(), String> {
        if self.exports.contains_key(name) {
            return Ok(());
        }
        let is_circle = self.open.iter().any(|open| open == name);
        self.open.push(name.to_owned());
        if is_circle {
            return Err(format!("imports in a circle: {}", self.open.join(", ")));
        }
        let (mut code, mut exports) = (String::new(), BTreeSet::new());
        for line in read(name).map_err(|error| format!("{name}: {error}"))?.lines() {
            if line.starts_with("import") {
                let import =
                    line.strip_prefix("import { ").and_then(|rest| rest.strip_suffix("\";"));
                let Some((wanted, from)) = import.and_then(|rest| rest.split_once(" } from \"./"))
                else {
                    return Err(format!(
                        "{name}: expected import {{ a, b }} from \"./x.js\"; not {line}"
                    ));
                };
                self.join(from, read)?;
                if let Some(unknown) =
                    wanted.split(", ").find(|&one| !self.exports[from].contains(one))
                {
                    return Err(format!("{name} imports {unknown}, which {from} does not export"));
                }
                continue;
            }
            let line = match (declared(line), line.strip_prefix("export ")) {
                (None | Some(""), Some(_)) | (Some(""), None) => {
                    return Err(format!(
                        "{name}: expected the declaration of one name, not {line}"
                    ));
                }
                (None, None) => line,
                (Some(declared), export) => {
                    if let Some(other) = self.names.insert(declared.to_owned(), name.to_owned()) {
                        return Err(format!("{declared} is declared by {other} and {name}"));
                    }
                    if export.is_some() {
                        exports.insert(declared.to_owned());
                    }
                    export.unwrap_or(line)
                }
            };
            code.push_str(line);
            code.push('\n');
        }
        self.code.push_str(&code);
        self.exports.insert(name.to_owned(), exports);
        self.open.pop();
        Ok(())
    }
}

/// The name that a line declares at the top level of a module; empty if it declares several.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = ["function* ", "function ", "class ", "const ", "let ", "var "]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).next()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A file, which may request nothing.
    File,
    /// Served while a program runs: it requests new data from its server.
    Live,
}

/// Around the part of the template that is deflated: what the script fills is of no use without it.
const BODY_BEGINS: &str = "<!-- deflated -->\n";
const BODY_ENDS: &str = "<!-- as it is -->\n";

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
        let style = joined(STYLE);
        let script = script();
        let loader = joined(LOADER);
        let (connect, root) = match purpose {
            Use::File => ("", ""),
            Use::Live => ("connect-src 'self'; ", " data-live=\"live\""),
        };
        let packed = |text: &str| {
            let text = packed(Compression::best(), |to| to.write_all(text.as_bytes()));
            text.expect("written to memory")
        };
        let digest_of = |text: &str| format!("'sha256-{}'", BASE64.encode(Sha256::digest(text)));
        let script_digests = format!("{} {}", digest_of(&loader), digest_of(&script));
        let policy = format!(
            "default-src 'none'; script-src {script_digests}; style-src {} {}; {connect}img-src data:; \
             base-uri 'none'; form-action 'none'",
            digest_of(FIRST_STYLE),
            digest_of(&style)
        );
        let template = joined(TEMPLATE);
        let (start, rest) = template.split_once(BODY_BEGINS).expect("the template has a body");
        let (body, end) = rest.split_once(BODY_ENDS).expect("the body ends");
        // The scripts come last, because placeholders inside them must not be replaced.
        let text = [start, end]
            .concat()
            .replacen("{{body}}", &packed(body), 1)
            .replacen("{{live}}", root, 1)
            .replacen("{{policy}}", &policy, 1)
            .replacen("{{first}}", FIRST_STYLE, 1)
            .replacen("{{style}}", &packed(&style), 1)
            .replacen("{{code}}", &packed(&script), 1)
            .replacen("{{loader}}", &loader, 1);
        let (before, after) = text.split_once("{{islands}}").expect("the template has islands");
        let [before, after] = [before, after].map(str::to_owned);
        Shell { before, after, policy, script_digests }
    }
}

/// A file without indentation, empty lines, comments at the beginning of a line, and types inside it.
fn joined(file: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for line in file.lines().map(str::trim) {
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
        let [before, after] = shell();
        assert!(before.starts_with(&file.before) && after.ends_with(&file.after));
        assert_eq!(live_policy(), live.policy);
        assert_eq!(script_digests(), live.script_digests);
    }

    #[test]
    fn comments_are_removed_and_code_stays() {
        let text =
            "/** a\n * b */\nlet x = 1; // kept\n\n  // gone\n  /* gone */ g();\n  f('/*');\n";
        assert_eq!(joined(text), "let x = 1; // kept\ng();\nf('/*');\n");
        let text = "f((/** @type {a} */ b) => /** @type {c} */ (b), /** @type {d} */(e));\n";
        assert_eq!(joined(text), "f((b) => (b), (e));\n");
    }

    #[test]
    fn the_page_refers_to_nothing_outside() {
        let page = [joined(TEMPLATE), joined(STYLE), joined(LOADER), script()].concat();
        for word in ["http:", "https:", "src=", "@import", "url(", "innerHTML", "eval("] {
            assert!(!page.contains(word), "{word}");
        }
        for place in ["live", "policy", "first", "body", "style", "code", "loader", "islands"] {
            assert!(page.contains(&format!("{{{{{place}}}}}")), "the template has no {place}");
            assert!(
                !shell().concat().contains(&format!("{{{{{place}}}}}")),
                "{place} is not filled"
            );
        }
        // The policy allows no handlers in attributes; scripts set them as properties.
        let is_handler = |rest: &&str| {
            rest.trim_start_matches(|c: char| c.is_ascii_lowercase()).starts_with('=')
        };
        assert_eq!(TEMPLATE.split(" on").skip(1).find(is_handler), None);
        assert!(!page.contains("style=\""));
    }

    #[test]
    fn no_line_of_a_script_ends_inside_a_template_literal() {
        // Joining removes indentation, which would change the literal.
        for (name, script) in scripts() {
            let lines = script.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
            for line in lines {
                assert!(line.matches('`').count() % 2 == 0, "{name}: {line}");
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

    /// The scripts of the page, with their names.
    fn scripts() -> Vec<(String, String)> {
        let files = fs::read_dir(SCRIPTS).unwrap().map(|file| file.unwrap().path());
        files
            .map(|path| {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                (name, fs::read_to_string(path).unwrap())
            })
            .collect()
    }

    #[test]
    fn every_script_is_imported_but_the_loader_and_the_types() {
        let mut scope = Scope::default();
        scope.join("main.js", &|name| fs::read_to_string(format!("{SCRIPTS}/{name}"))).unwrap();
        let mut left_out: Vec<String> = scripts().into_iter().map(|(name, _)| name).collect();
        left_out.retain(|name| !scope.exports.contains_key(name));
        left_out.sort();
        assert_eq!(left_out, ["data.js", "load.js"]);
    }

    #[test]
    fn modules_are_joined_in_the_order_of_their_imports() {
        let joined = |files: &[(&str, &str)]| {
            let mut scope = Scope::default();
            let read = |name: &str| {
                let found = files.iter().find(|(file, _)| *file == name);
                found.map(|(_, text)| (*text).to_owned()).ok_or(io::ErrorKind::NotFound.into())
            };
            scope.join("main.js", &read).map(|()| scope.code)
        };
        let main = "import { f, C } from \"./a.js\";\nimport { g } from \"./b.js\";\nf(g, C);\n";
        let a = "import { g } from \"./b.js\";\nexport async function f() {\n  const g2 = g;\n}\nexport class C {}\n";
        let b = "export const g = 1;\nlet own = 2;\n";
        assert_eq!(
            joined(&[("main.js", main), ("a.js", a), ("b.js", b)]).unwrap(),
            "const g = 1;\nlet own = 2;\nasync function f() {\n  const g2 = g;\n}\nclass C {}\nf(g, C);\n"
        );
        for (changed, why) in [
            ("const g = 1;\n", "main.js imports g, which b.js does not export"),
            (
                "import { f } from \"./a.js\";\nexport let g;\n",
                "imports in a circle: main.js, b.js, a.js, b.js",
            ),
            ("export function* g() {}\nfunction f() {}\n", "f is declared by b.js and a.js"),
            ("export let g;\nlet g;\n", "g is declared by b.js and b.js"),
            (
                "export const { g } = h;\n",
                "b.js: expected the declaration of one name, not export const { g } = h;",
            ),
            ("export { g };\n", "b.js: expected the declaration of one name, not export { g };"),
            (
                "import * as c from \"./c.js\";\n",
                "b.js: expected import { a, b } from \"./x.js\"; not import * as c from \"./c.js\";",
            ),
            ("import { c } from \"./c.js\";\n", "c.js: entity not found"),
        ] {
            let main = main.lines().rev().collect::<Vec<_>>().join("\n").replace("f(g, C);\n", "");
            assert_eq!(
                joined(&[("main.js", &main), ("a.js", a), ("b.js", changed)]),
                Err(why.to_owned())
            );
        }
    }
}
