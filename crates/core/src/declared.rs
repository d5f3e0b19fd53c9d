//! Two macros that declare types: `closed_set!` an enum whose variants each have one word in requests, answers, settings or the store, and
//! `with_defaults!` a struct of settings with the default beside each.

/// Makes an enum whose variants have a word each, and gives it `ALL`, `WORDS`, `as_str` and `parse`. A variant without a word does not
/// compile. For instance `closed_set! { pub enum Format { Json => "json", Csv => "csv" } }`.
#[macro_export]
macro_rules! closed_set {
    ($(#[$of_set:meta])* $visibility:vis enum $set:ident {
        $($(#[$of_variant:meta])* $variant:ident => $word:literal),+ $(,)?
    }) => {
        $(#[$of_set])*
        $visibility enum $set {
            $($(#[$of_variant])* $variant,)+
        }

        impl $set {
            /// All of them.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];
            /// The words of all of them.
            pub const WORDS: [&'static str; [$($word),+].len()] = [$($word),+];

            /// Its word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The one with this word, spelt exactly so.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == word)
            }
        }
    };
}

/// Declares settings with their defaults beside them. For instance
/// `with_defaults! { pub struct Limits { pub rows_max: usize = 100, } }`.
#[macro_export]
macro_rules! with_defaults {
    ($(#[$of_settings:meta])* pub struct $settings:ident {
        $($(#[$of_field:meta])* pub $field:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$of_settings])*
        pub struct $settings {
            $($(#[$of_field])* pub $field: $type,)*
        }

        impl Default for $settings {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}
