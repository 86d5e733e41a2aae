//! What the scanner finds, and the words and signs that it tells apart.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name, a keyword or a private name. `property`: behind a dot, so never a keyword.
    Word { property: bool },
    /// A number.
    Number,
    /// A string; `closed` is false where the line ended before it.
    Text { closed: bool },
    /// A piece of a template, up to its end or to the next `${`.
    Template { closed: bool },
    /// A regular expression.
    Pattern,
    /// A bracket that opens: `(`, `[`, `{`.
    Open(u8),
    /// `${` of a template.
    OpenSubstitution,
    /// A bracket that closes; `matched` when it closes the innermost open one.
    Close { bracket: u8, matched: bool },
    /// An operator or another sign.
    Sign,
    /// A comment that does not end.
    OpenComment,
    /// A character that no program has.
    Stray,
}

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// A line ends between the token before and this one.
    pub new_line: bool,
    /// What may stand behind it.
    pub after: After,
}

/// What may follow a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// An operand: a `/` opens a regular expression.
    Operand,
    /// An operator: a `/` on the same line divides.
    Operator,
    /// Either.
    Either,
}

/// Words behind which `(` opens the head of a statement.
pub const HEADS: [&str; 6] = ["if", "while", "for", "with", "switch", "catch"];
/// Words that are always followed by an operand.
pub const BEFORE_OPERAND: [&str; 12] = [
    "typeof",
    "delete",
    "new",
    "return",
    "throw",
    "case",
    "else",
    "do",
    "in",
    "instanceof",
    "extends",
    "default",
];
/// Words that may be followed by either.
pub const EITHER: [&str; 7] = [
    "void", "await", "yield", "of", "break", "continue", "debugger",
];
/// Signs of more than one character, longest first.
pub const SIGNS: [&str; 33] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**",
];

/// Whether a character may be in a name. Backslashes are, for the escapes in names.
pub fn in_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '\\' | '\u{200c}' | '\u{200d}')
}
