//! The retainer sets that a `.prof` spells out.

/// One `SET n = {…}` line: the retainer set with a number that is valid **at the last census only**.
/// The table of sets is numbered again at every census.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetainerSet {
    /// The number of the set at the last census.
    pub number: u64,
    /// The elements of the set, each a complete cost-centre stack as `module.label`, innermost first and
    /// without MAIN; empty for MAIN itself.
    pub retainers: Vec<Vec<String>>,
}

impl RetainerSet {
    /// The name of a band of the set, if it is not cut: the innermost labels.
    pub fn text(&self) -> String {
        let innermost = |stack: &Vec<String>| match stack.first() {
            Some(centre) => without_module(centre).to_owned(),
            None => "MAIN".to_owned(),
        };
        self.retainers.iter().map(innermost).collect::<Vec<_>>().join(",")
    }

    /// Whether a band of the set can have this name. Names of sets are cut without a mark, possibly
    /// inside a character.
    pub fn has_text(&self, text: &str) -> bool {
        let own = self.text();
        own == text || (text.len() >= SHORTEST_CUT && own.starts_with(whole_characters(text)))
    }

    /// The set in words, the innermost cost centre of each stack first: `Main.go ← Main.main, MAIN`.
    pub fn words(&self) -> String {
        let stack = |stack: &Vec<String>| match stack.is_empty() {
            true => "MAIN".to_owned(),
            false => stack.join(" ← "),
        };
        self.retainers.iter().map(stack).collect::<Vec<_>>().join(", ")
    }
}

/// A text that was cut, without the incomplete character at its end.
pub(super) fn whole_characters(text: &str) -> &str {
    text.trim_end_matches(char::REPLACEMENT_CHARACTER)
}

/// The least length of a text that was cut: the number in front is part of the 25 characters that a
/// name has by default, and `-L` is used to make names longer, hardly ever shorter.
const SHORTEST_CUT: usize = 16;

/// `go.\\` of `Main.Sub.go.\\`: a label begins with a small letter or is the last part.
pub(crate) fn without_module(centre: &str) -> &str {
    let mut rest = centre;
    while let Some((module, after)) = rest.split_once('.') {
        if !is_module(module) || after.is_empty() {
            break;
        }
        rest = after;
    }
    rest
}

/// Whether a text may be a part of a module's name.
pub(crate) fn is_module(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.starts_with(char::is_uppercase) && text.chars().all(plain)
}

/// The data of a `.prof` about a retainer profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetainerSets {
    /// How many censuses the run took.
    pub censuses: usize,
    /// The sets that had a size at the last of them, by number.
    pub sets: Vec<RetainerSet>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_called_by_its_innermost_labels() {
        let set = |stacks: &[&[&str]]| RetainerSet {
            number: 1,
            retainers: stacks.iter().map(|s| s.iter().map(|c| (*c).to_owned()).collect()).collect(),
        };
        let several = set(&[&["GHC.Conc.Sync.CAF"], &["Main.main.\\.o", "Main.main"], &[]]);
        assert_eq!(several.text(), "CAF,main.\\.o,MAIN");
        assert_eq!(several.words(), "GHC.Conc.Sync.CAF, Main.main.\\.o ← Main.main, MAIN");
        assert!(several.has_text("CAF,main.\\.o,MAIN"));
        assert!(several.has_text("CAF,main.\\.o,MAI") && !several.has_text("CAF,main.\\.o,MA"));
        assert_eq!(set(&[&["Ma-in.go"]]).text(), "Ma-in.go");
        assert_eq!(set(&[&["A_b.C'.go"]]).text(), "go");
        assert_eq!(set(&[&["Parse.Syntax.<+>"]]).text(), "<+>");
        assert!(set(&[&["Main.évaluer(λ→∀)"]]).has_text("évaluer(λ→\u{FFFD}"));
    }
}
