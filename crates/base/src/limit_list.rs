//! The macro that defines limits as constants and lists them, so that tests can compare the
//! documents with the list.

/// Defines the limits of a feature as constants, and `ALL` with their names.
#[macro_export]
macro_rules! limits {
    ($($(#[doc = $doc:literal])* pub const $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[doc = $doc])* pub const $name: $type = $value;)*

        /// Every limit of this feature, by name.
        pub const ALL: &[(&str, u64)] = &[$((stringify!($name), $name as u64)),*];
    };
}
