//! The characters that XML can contain.

/// Returns true if XML can contain every character of a text (XML 1.0, production 2).
pub(super) fn is_xml_text(text: &str) -> bool {
    text.chars().all(is_xml_character)
}

/// Returns true if XML can contain a character.
pub(super) fn is_xml_character(character: char) -> bool {
    !matches!(
        character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}'
    )
}
