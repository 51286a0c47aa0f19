//! Names that differ from others, and names that are nearly the same.

/// The name that `with` makes of an ending: of none, or of the first of ` #2`, ` #3`… with which it is not
/// taken.
pub fn free(with: impl Fn(&str) -> String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_usize..).map(|number| with(&format!(" #{number}")));
    let mut names = std::iter::once(with("")).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// The name that a misspelt word was meant to be, if one is like it enough: 1 is the same.
pub fn nearest(
    word: &str,
    names: impl IntoIterator<Item: AsRef<str>>,
    least: f64,
) -> Option<String> {
    let likeness = |name: &str| strsim::jaro(name, word);
    let alike = names.into_iter().map(|name| (likeness(name.as_ref()), name));
    let best = alike.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > least).then(|| best.1.as_ref().to_owned())
}

/// As similar as the suggestions of clap are.
pub const SIMILAR: f64 = 0.7;
