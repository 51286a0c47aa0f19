//! Setters for options structs. These can grow a field in any release, so other crates cannot write
//! them as literals: they take the default and set what they want, field by field or in a chain.

/// Gives an options struct a setter for each field that is listed: `with_width(width: f64)`.
macro_rules! setters {
    ($options:ident { $($setter:ident($field:ident: $kind:ty)),* $(,)? }) => {
        impl $options {
            $(
                #[doc = concat!("The same options with another [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $setter(self, $field: impl Into<$kind>) -> Self {
                    Self { $field: $field.into(), ..self }
                }
            )*
        }
    };
}
