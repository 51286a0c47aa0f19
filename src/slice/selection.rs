//! Which bands a chart is about.

use crate::pattern::Pattern;

/// Chooses bands by label. What is not chosen is *left out*: it is neither OTHER nor a trace
/// element, and the rest is ranked as if it were all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Only bands that match one of these; all when the list is empty, as it is by default.
    pub include: Vec<Pattern>,
    /// Of those, none that matches one of these. Default none.
    pub exclude: Vec<Pattern>,
}

setters!(Selection {
    with_include(include: Vec<Pattern>),
    with_exclude(exclude: Vec<Pattern>),
});

impl Selection {
    /// Whether a band with this label is chosen.
    pub fn takes(&self, label: &str) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(label));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluding_wins_over_including() {
        let list = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let takes = |include: &[&str], exclude: &[&str]| {
            let selection = Selection { include: list(include), exclude: list(exclude) };
            ["Map", "Map.Bin", "Set"].map(|label| selection.takes(label))
        };
        assert_eq!(takes(&[], &[]), [true, true, true]);
        assert_eq!(takes(&["^Map"], &[]), [true, true, false]);
        assert_eq!(takes(&["^Map", "S"], &["Bin$"]), [true, false, true]);
        assert_eq!(takes(&[], &["."]), [false, false, false]);
    }
}
