//! Which bands a chart is about.

use crate::base::pattern::Pattern;

/// Chooses bands by label. The other bands are *left out*: they are neither in OTHER nor trace
/// elements, and the chosen bands are ranked as if they were all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Only bands that match one of these; all when the list is empty, as it is by default.
    pub include: Vec<Pattern>,
    /// Of those, only bands that match none of these. Empty by default.
    pub exclude: Vec<Pattern>,
}

setters!(Selection {
    with_include(include: Vec<Pattern>),
    with_exclude(exclude: Vec<Pattern>),
});

impl Selection {
    /// Whether a band with this label is chosen.
    pub(crate) fn takes(&self, label: &str) -> bool {
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
