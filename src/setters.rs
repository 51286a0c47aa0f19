//! Setters for options structs, for the inside of the crate and its tests. Other crates take the default and
//! set its fields: a struct that can grow cannot be written as a literal there.

/// Gives an options struct a setter for each field that is listed: `with_width(width: f64)`.
macro_rules! setters {
    ($options:ident { $($setter:ident($field:ident: $kind:ty)),* $(,)? }) => {
        #[allow(dead_code, missing_docs, reason = "the name says it; some are only for tests")]
        impl $options {
            $(#[doc(hidden)]
            #[must_use]
            pub fn $setter(self, $field: impl Into<$kind>) -> Self {
                Self { $field: $field.into(), ..self }
            })*
        }
    };
}
