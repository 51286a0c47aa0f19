//! Names that differ from others.

/// The name that `with` makes of an ending: of none, or of the first of ` #2`, ` #3`… with which it is not
/// taken.
pub fn free(with: impl Fn(&str) -> String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_usize..).map(|number| with(&format!(" #{number}")));
    let mut names = std::iter::once(with("")).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_free_number_is_appended() {
        let taken = ["a", "a #2", "b"];
        let free = |name: &str| super::free(|end| format!("{name}{end}"), |it| taken.contains(&it));
        assert_eq!([free("a"), free("b"), free("c")], ["a #3", "b #2", "c"]);
    }
}
