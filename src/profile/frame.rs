//! Frames: the names that bands are made of.
//!
//! A cost centre, an info table, a constructor, a type, a module: whatever a band is named after is a
//! frame, split into its parts, so that other code can leave out parts (the version of a package, say)
//! without parsing a label again.

/// One name with its parts. Whatever is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Frame {
    /// The name itself: a cost centre, constructor, closure kind, type or function.
    pub name: String,
    /// What GHC appends to the name of a local binding to make it unique, such as `s5tq`. It
    /// changes with every build.
    pub unique: String,
    /// The module it is defined in, `Data.Map.Internal`.
    pub module: String,
    pub package: Package,
    /// The place in the source, `file:line:column`, as the compiler wrote it.
    pub place: String,
}

/// A package as GHC names it in a profile: `containers-0.6.4.1-8sKXq`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Package {
    /// The name of the package, `containers`.
    pub name: String,
    /// The version of the package, `0.6.4.1`.
    pub version: String,
    /// What distinguishes two builds of one version: a hash, or `inplace`.
    pub hash: String,
}

impl Package {
    /// The parts of a unit's name.
    pub(super) fn new(unit: &str) -> Package {
        let is_version = |part: &str| {
            !part.is_empty()
                && part.split('.').all(|number| {
                    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
                })
        };
        let mut at = 0;
        for part in unit.split('-') {
            if at > 0 && is_version(part) {
                let hash = unit[at + part.len()..].strip_prefix('-').unwrap_or_default();
                return Package {
                    name: unit[..at - 1].to_owned(),
                    version: part.to_owned(),
                    hash: hash.to_owned(),
                };
            }
            at += part.len() + 1;
        }
        Package { name: unit.to_owned(), ..Package::default() }
    }
}

impl Frame {
    /// A frame with only a name.
    pub(super) fn named(name: &str) -> Frame {
        Frame { name: name.to_owned(), ..Frame::default() }
    }

    /// The parts of `package:Module.Name`, of which package and module may be missing. A text of
    /// another form is a name.
    pub(super) fn qualified(text: &str) -> Frame {
        let (unit, rest) = match text.split_once(':') {
            Some((unit, rest)) if is_unit(unit) && starts_with_module(rest) => (unit, rest),
            _ => ("", text),
        };
        let module = module_len(rest);
        let (name, unique) = without_unique(&rest[if module > 0 { module + 1 } else { 0 }..]);
        Frame {
            name: name.to_owned(),
            unique: unique.to_owned(),
            module: rest[..module].to_owned(),
            package: Package::new(unit),
            place: String::new(),
        }
    }

    /// Appends only what is the same in two runs of one program. The place is not, because
    /// functions move when lines are added above them.
    pub(super) fn push_identity(&self, identity: &mut String) {
        for part in [&self.package.name, &self.module] {
            identity.push_str(part);
            identity.push('\u{1f}');
        }
        identity.push_str(&self.name);
    }
}

/// Whether a text can be the name of a package: no blank, no bracket, begins with a letter or digit.
fn is_unit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric())
        && text.chars().all(|c| c.is_alphanumeric() || "-_.+".contains(c))
}

fn starts_with_module(text: &str) -> bool {
    text.starts_with(char::is_uppercase) && module_len(text) > 0
}

/// The length of the module at the front of `Data.Map.Internal.Bin`; 0 if there is no module. The
/// last part is the name, whatever it looks like: `GHC.Types.:`, `GHC.Base..`.
fn module_len(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = if end == 0 { text } else { &text[end + 1..] };
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
            .unwrap_or(rest.len());
        let is_part = rest.starts_with(char::is_uppercase);
        // A dot must follow, and something after it.
        if !is_part || !rest[length..].starts_with('.') || length + 1 == rest.len() {
            return end;
        }
        end = text.len() - rest.len() + length;
    }
}

/// A name without GHC's unique: `sat_s5tq` to `sat` and `s5tq`. A programmer's own underscores stay:
/// a unique begins with its namespace's letter, and nearly always contains a digit or a capital.
pub(super) fn without_unique(name: &str) -> (&str, &str) {
    let Some((front, unique)) = name.rsplit_once('_') else { return (name, "") };
    let mut bytes = unique.bytes();
    let tag = bytes.next().is_some_and(|byte| b"srac".contains(&byte));
    let is_unique = tag
        && (3..=8).contains(&unique.len())
        && !front.is_empty()
        && unique.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && bytes.any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    if is_unique { (front, unique) } else { (name, "") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> [String; 6] {
        let Frame { name, unique, module, package, .. } = Frame::qualified(text);
        [package.name, package.version, package.hash, module, name, unique]
    }

    #[test]
    fn a_qualified_name_has_its_parts() {
        for (text, expected) in [
            ("base:GHC.Maybe.Just", ["base", "", "", "GHC.Maybe", "Just", ""]),
            (
                "containers-0.6.4.1:Data.Map.Internal.Bin",
                ["containers", "0.6.4.1", "", "Data.Map.Internal", "Bin", ""],
            ),
            (
                "Agda-2.6.2.2-7KnEKyKhaJ:Agda.Syntax.Common.Arg",
                ["Agda", "2.6.2.2", "7KnEKyKhaJ", "Agda.Syntax.Common", "Arg", ""],
            ),
            ("my-lib-1.0-inplace:A.B", ["my-lib", "1.0", "inplace", "A", "B", ""]),
            ("lib-1.x-2:A.B", ["lib-1.x", "2", "", "A", "B", ""]),
            ("lib-1.2x:A.B", ["lib-1.2x", "", "", "A", "B", ""]),
            ("lib-1..2:A.B", ["lib-1..2", "", "", "A", "B", ""]),
            ("lib:A'.B_c.D", ["lib", "", "", "A'.B_c", "D", ""]),
            ("Main.sat_s5.q", ["", "", "", "Main", "sat_s5.q", ""]),
            ("Main._s5tq", ["", "", "", "Main", "_s5tq", ""]),
            ("ghc-prim:GHC.Types.:", ["ghc-prim", "", "", "GHC.Types", ":", ""]),
            ("base:GHC.Base.:|", ["base", "", "", "GHC.Base", ":|", ""]),
            ("base:GHC.Base..", ["base", "", "", "GHC.Base", ".", ""]),
            ("ghc-prim:GHC.Tuple.(,)", ["ghc-prim", "", "", "GHC.Tuple", "(,)", ""]),
            ("Main.sat_s5tq", ["", "", "", "Main", "sat", "s5tq"]),
            ("GHC.CString.sat_sBg", ["", "", "", "GHC.CString", "sat", "sBg"]),
            ("Main.foo_bar", ["", "", "", "Main", "foo_bar", ""]),
            ("THUNK_1_0", ["", "", "", "", "THUNK_1_0", ""]),
            ("MUT_ARR_PTRS_CLEAN", ["", "", "", "", "MUT_ARR_PTRS_CLEAN", ""]),
            ("ARR_WORDS", ["", "", "", "", "ARR_WORDS", ""]),
            ("Map", ["", "", "", "", "Map", ""]),
            (":", ["", "", "", "", ":", ""]),
            ("", ["", "", "", "", "", ""]),
            ("A.", ["", "", "", "", "A.", ""]),
            ("->(#,#)", ["", "", "", "", "->(#,#)", ""]),
            // Neither a package nor a module: the text is a name.
            ("lib:go", ["", "", "", "", "lib:go", ""]),
            ("lib:Main", ["", "", "", "", "lib:Main", ""]),
            ("-lib:Main.go", ["", "", "", "", "-lib:Main.go", ""]),
            ("a(b:Main.go", ["", "", "", "", "a(b:Main.go", ""]),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_hash_need_not_follow_a_version() {
        assert_eq!(Package::new("main").name, "main");
        assert_eq!(Package::new("3d-graphics").name, "3d-graphics");
        assert_eq!(Package::new("3").name, "3");
        let package = Package::new("x-1");
        assert_eq!((package.name.as_str(), package.version.as_str()), ("x", "1"));
    }
}
