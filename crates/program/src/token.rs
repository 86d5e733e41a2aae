//! The tokens that the scanner finds, and the words and signs that it distinguishes.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name, a keyword or a private name. `property` is true behind a dot, where it is never a
    /// keyword.
    Word { property: bool },
    /// A number.
    Number,
    /// A string. `closed` is false if its line ends first.
    Text { closed: bool },
    /// A piece of a template, up to its end or to the next `${`.
    Template { closed: bool },
    /// A regular expression.
    Pattern,
    /// An opening bracket: `(`, `[`, `{`.
    Open(u8),
    /// The `${` of a template.
    OpenSubstitution,
    /// A closing bracket. `matched` is true if it closes the innermost open bracket.
    Close { bracket: u8, matched: bool },
    /// An operator or another sign.
    Sign,
    /// A comment that does not end.
    OpenComment,
    /// A character that occurs in no program.
    Stray,
}

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// True if a line ends between the previous token and this one.
    pub new_line: bool,
    /// The kind of token that may follow.
    pub after: NextToken,
}

/// The kinds of token that may follow another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextToken {
    /// An operand: a `/` opens a regular expression.
    Operand,
    /// An operator: a `/` on the same line divides.
    Operator,
    /// Either.
    Either,
}

/// Words behind which a `(` opens the head of a statement.
pub const HEADS: [&str; 6] = ["if", "while", "for", "with", "switch", "catch"];
/// Words that an operand always follows.
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
/// Words that an operand or an operator may follow.
pub const EITHER: [&str; 7] = [
    "void", "await", "yield", "of", "break", "continue", "debugger",
];
/// Signs of more than one character, longest first.
pub const SIGNS: [&str; 33] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**",
];

/// Returns true if a name may contain the character. Backslashes count, because of the escapes in
/// names.
pub fn in_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '\\' | '\u{200c}' | '\u{200d}')
}
