//! How limits are written down, so that documents can be compared with them.

/// The limits of a feature, as constants, and `ALL` of them by name.
#[macro_export]
macro_rules! limits {
    ($($(#[doc = $doc:literal])* pub const $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[doc = $doc])* pub const $name: $type = $value;)*

        /// Every limit of this feature, by name.
        pub const ALL: &[(&str, u64)] = &[$((stringify!($name), $name as u64)),*];
    };
}
