//! The macro that defines limits, so that documents can be compared with them.

/// Defines the limits of a feature as constants, and `ALL` with their names.
#[macro_export]
macro_rules! limits {
    ($($(#[doc = $doc:literal])* pub const $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[doc = $doc])* pub const $name: $type = $value;)*

        /// Every limit of this feature, by name.
        pub const ALL: &[(&str, u64)] = &[$((stringify!($name), $name as u64)),*];
    };
}
