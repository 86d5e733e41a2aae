//! The list of languages.

use super::grammar::Grammar;
use super::python::Python;
use super::rust::Rust;
use super::script::Script;
use crate::model::Language;

/// Returns the rules of a language, if it has items.
pub(crate) fn grammar(language: Language) -> Option<&'static dyn Grammar> {
    match language {
        Language::Rust => Some(&Rust),
        Language::JavaScript | Language::TypeScript => Some(&Script),
        Language::Python => Some(&Python),
        Language::Cargo | Language::Text | Language::Binary => None,
    }
}

/// Returns the rules for inserting code into a file. Files without a grammar use those of scripts.
pub(crate) fn rules(language: Language) -> &'static dyn Grammar {
    grammar(language).unwrap_or(&Script)
}
