//! Reads Rust that the parser rejects: finds items by their keywords and brackets, as far as
//! possible.
//!
//! It reads tokens in a loop and never fails. A bracket that is not closed, or closed too late,
//! ends before the next item that is not indented more than its own. References of items are not
//! collected.

use super::super::Read;
use super::super::builder::{Builder, Found};
use super::super::text::{cut_bytes, without};
use super::scan::{Kind, Scanner, Token};
use super::{Source, compact, token_text};
use crate::limits::{MAX_CONTAINER_BYTES, MAX_ITEM_DEPTH, MAX_ITEM_NAME_BYTES, MAX_PATH_BYTES};
use crate::model::{ItemKind, ModuleFile, Placement};

/// Words that may come before the keyword of an item.
const QUALIFIERS: [&str; 7] = [
    "pub", "const", "async", "unsafe", "extern", "default", "crate",
];

/// Words that begin an item.
const KEYWORDS: [&str; 13] = [
    "fn",
    "struct",
    "enum",
    "union",
    "trait",
    "type",
    "const",
    "static",
    "mod",
    "impl",
    "use",
    "macro_rules",
    "extern",
];

/// Reads the items of a text.
pub(crate) fn read(text: &str, placement: &Placement) -> Read {
    let source = Source::new(text);
    let tokens: Vec<Token> = Scanner::new(text, source.offset).collect();
    let builder = Builder::new(text, placement);
    let tracking_hash =
        builder.hash(&token_text(source.parsed()).unwrap_or_else(|| joined(text, &tokens)));
    let mut reader = Reader {
        text,
        closes: closes(text, &tokens),
        columns: columns(text, &tokens),
        tokens,
        builder,
        container_bytes: 0,
    };
    let (module_path, name) = placement
        .module_path
        .rsplit_once("::")
        .unwrap_or(("", &placement.module_path));
    let root = reader.builder.push(Found::module(
        name,
        &placement.module_path,
        module_path,
        text,
        tracking_hash,
    ));
    let mut open = vec![Open {
        parent: root,
        module_path: placement.module_path.clone(),
        owner: None,
        at: 0,
        end: reader.tokens.len(),
    }];
    while let Some(mut frame) = open.pop() {
        if let Some(inside) = reader.next(&mut frame) {
            open.push(frame);
            if open.len() <= MAX_ITEM_DEPTH {
                open.extend(inside);
            }
        }
    }
    reader.seal();
    Read {
        items: reader.builder.items,
        references: Vec::new(),
        tracking_hash,
    }
}

fn joined(text: &str, tokens: &[Token]) -> String {
    let words: Vec<&str> = tokens
        .iter()
        .map(|token| text.get(token.start..token.end).unwrap_or_default())
        .collect();
    words.join(" ")
}

/// The number of open brackets that are searched for the partner of a closing bracket: well-formed
/// files nest half as deep.
const MAX_OPEN_BRACKETS: usize = 256;

/// Returns the index of the closing bracket for each opening one.
fn closes(text: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let mut found = vec![None; tokens.len()];
    let mut open: Vec<(usize, u8)> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let sign = text.as_bytes().get(token.start).copied().unwrap_or(0);
        match token.kind {
            Kind::Open => open.push((index, closing(sign))),
            Kind::Close => {
                // A closing bracket without a partner is ignored. Brackets that are open inside of
                // its partner stay unclosed.
                let back = open
                    .iter()
                    .rev()
                    .take(MAX_OPEN_BRACKETS)
                    .position(|(_, wanted)| *wanted == sign);
                if let Some(back) = back {
                    let kept = open.len() - back - 1;
                    let opened = open.get(kept).map(|(opened, _)| *opened);
                    if let Some(close) = opened.and_then(|opened| found.get_mut(opened)) {
                        *close = Some(index);
                    }
                    open.truncate(kept);
                }
            }
            Kind::Word | Kind::Literal | Kind::Lifetime | Kind::Sign | Kind::Doc => {}
        }
    }
    found
}

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// Returns the indentation of each token that is the first on its line.
fn columns(text: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let (mut line, mut end) = (0, 0);
    let mut columns = Vec::with_capacity(tokens.len());
    for token in tokens {
        let between = text.get(end..token.start).unwrap_or_default();
        if let Some(at) = between.rfind('\n') {
            line = end + at + 1;
        }
        // Only the text after the previous token is measured. If that token ends on this line, such
        // as a long string, this one is not the first.
        let indent = text.get(line.max(end)..token.start).unwrap_or_default();
        let first = line >= end && indent.trim_start_matches('\u{feff}').trim().is_empty();
        columns.push(first.then_some(indent.len()));
        end = token.end;
    }
    columns
}

/// The inside of a module, an impl, a trait, or the file, while it is read.
struct Open {
    parent: Option<usize>,
    module_path: String,
    owner: Option<String>,
    /// The next token.
    at: usize,
    end: usize,
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    closes: Vec<Option<usize>>,
    columns: Vec<Option<usize>>,
    builder: Builder<'a>,
    /// The bytes of the items so far that contain items.
    container_bytes: usize,
}

/// The part of an item before its keyword.
#[derive(Default)]
struct Front {
    docs: Vec<String>,
    cfgs: Vec<String>,
    head: usize,
    public: bool,
}

impl Reader<'_> {
    fn word(&self, index: usize) -> &str {
        let token = self.tokens.get(index);
        token
            .and_then(|token| self.text.get(token.start..token.end))
            .unwrap_or_default()
    }

    fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    fn start(&self, index: usize) -> usize {
        self.tokens
            .get(index)
            .map_or(self.text.len(), |token| token.start)
    }

    fn end_of(&self, index: usize) -> usize {
        self.tokens
            .get(index)
            .map_or(self.text.len(), |token| token.end)
    }

    /// Reads the next item of a frame. Returns `None` if there is none left, and a frame for the
    /// inside of the item if it may contain items.
    fn next(&mut self, frame: &mut Open) -> Option<Option<Open>> {
        while frame.at < frame.end {
            let first = frame.at;
            let (front, keyword) = self.front(first, frame.end);
            if self.kind(keyword) == Some(Kind::Word) && KEYWORDS.contains(&self.word(keyword)) {
                return Some(self.item(frame, first, &front, keyword));
            }
            // Not an item: a bracket is skipped as a whole.
            let behind = match self.closes.get(keyword).copied().flatten() {
                Some(close) if close < frame.end => close + 1,
                _ => keyword + 1,
            };
            frame.at = behind.max(first + 1);
        }
        None
    }

    /// Reads documentation, attributes and qualifiers. Also returns the index of the token after
    /// them.
    fn front(&self, first: usize, end: usize) -> (Front, usize) {
        let mut front = Front::default();
        let mut at = first;
        while at < end {
            match self.kind(at) {
                Some(Kind::Doc) => {
                    let line = self
                        .word(at)
                        .trim_start_matches(['/', '*', '!'])
                        .trim_end_matches("*/");
                    front
                        .docs
                        .push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
                    at += 1;
                }
                Some(Kind::Sign) if self.word(at) == "#" && self.word(at + 1) == "[" => {
                    let Some(close) = self.closes.get(at + 1).copied().flatten() else {
                        break;
                    };
                    if self.word(at + 2) == "cfg" {
                        let inner = self
                            .text
                            .get(self.end_of(at + 3)..self.start(close.saturating_sub(1)));
                        front.cfgs.extend(inner.map(compact));
                    }
                    at = close + 1;
                }
                _ => break,
            }
        }
        front.head = self.start(at);
        while at < end && self.kind(at) == Some(Kind::Word) && QUALIFIERS.contains(&self.word(at)) {
            let next = self.word(at + 1);
            let keyword = match self.word(at) {
                // `const NAME` and `extern crate` are items, but `const fn` and `extern "C" fn` are
                // functions with qualifiers.
                "const" => !matches!(next, "fn" | "unsafe" | "async" | "extern"),
                "extern" => next == "crate",
                _ => false,
            };
            if keyword {
                break;
            }
            front.public |= self.word(at) == "pub";
            at += 1;
            if self.word(at) == "(" && self.word(at - 1) == "pub" {
                at = self
                    .closes
                    .get(at)
                    .copied()
                    .flatten()
                    .map_or(at + 1, |close| close + 1);
            } else if self.kind(at) == Some(Kind::Literal) {
                at += 1;
            }
        }
        (front, at)
    }

    fn item(
        &mut self,
        frame: &mut Open,
        first: usize,
        front: &Front,
        keyword: usize,
    ) -> Option<Open> {
        let word = self.word(keyword).to_owned();
        let in_owner = frame.owner.is_some();
        let (kind, braced) = match word.as_str() {
            "fn" if in_owner => (ItemKind::Method, true),
            "fn" => (ItemKind::Function, true),
            "struct" => (ItemKind::Struct, true),
            "enum" => (ItemKind::Enum, true),
            "union" => (ItemKind::Union, true),
            "trait" => (ItemKind::Trait, true),
            "mod" => (ItemKind::Module, true),
            "impl" => (ItemKind::Impl, true),
            "macro_rules" => (ItemKind::Macro, true),
            "type" => (ItemKind::TypeAlias, false),
            "const" => (ItemKind::Const, false),
            "static" => (ItemKind::Static, false),
            _ => (ItemKind::Import, false),
        };
        let (body, last) = self.extent(keyword, frame.end, braced, first);
        frame.at = (last + 1).max(keyword + 1);
        let head_end = body.map_or(self.end_of(last), |body| self.start(body));
        let (name, owner) = self.name(kind, keyword, body.unwrap_or(last))?;
        let span = self.start(first)..self.end_of(last);
        let bytes = span.len();
        let slice = self.text.get(span.clone()).unwrap_or_default();
        let inner = self.tokens.get(first..=last).unwrap_or_default();
        let tokens = token_text(slice).unwrap_or_else(|| joined(self.text, inner));
        let declares =
            (kind == ItemKind::Module && body.is_none()).then_some(ModuleFile { path: None });
        let canon = match &frame.owner {
            Some(owner) => format!("{}::{owner}::{name}", frame.module_path),
            None => format!("{}::{name}", frame.module_path),
        };
        let index = self.builder.push(Found {
            parent: frame.parent,
            kind,
            name: name.clone(),
            canon,
            module_path: frame.module_path.clone(),
            visibility: if front.public {
                "pub".to_owned()
            } else {
                String::new()
            },
            docstring: front.docs.join("\n"),
            cfgs: front.cfgs.clone(),
            span,
            head: front.head,
            head_end,
            tracking_hash: self.builder.hash(&tokens),
            declares,
            searchable: kind != ItemKind::Import || front.public,
        });
        let body =
            body.filter(|_| matches!(kind, ItemKind::Module | ItemKind::Impl | ItemKind::Trait))?;
        // Its tokens are read again for each of its members that contains items.
        self.container_bytes = self.container_bytes.saturating_add(bytes);
        if self.container_bytes > MAX_CONTAINER_BYTES {
            return None;
        }
        let module_path = if kind == ItemKind::Module {
            format!("{}::{name}", frame.module_path)
        } else {
            frame.module_path.clone()
        };
        // Each item inside holds a copy.
        (module_path.len() <= MAX_PATH_BYTES).then_some(())?;
        Some(Open {
            parent: Some(index?),
            module_path,
            owner: owner.map(|owner| cut_bytes(&owner, MAX_ITEM_NAME_BYTES).to_owned()),
            at: body + 1,
            end: last,
        })
    }

    /// Returns the first token of an item's body, and its last token.
    fn extent(
        &self,
        keyword: usize,
        end: usize,
        braced: bool,
        first: usize,
    ) -> (Option<usize>, usize) {
        let column = self.column(first);
        let mut at = keyword + 1;
        while at < end {
            let word = self.word(at);
            if word == ";" {
                return (None, at);
            }
            if self.begins_item(at, column) {
                return (None, at - 1);
            }
            let close = self
                .closes
                .get(at)
                .copied()
                .flatten()
                .filter(|close| *close < end);
            if word == "{" && braced {
                return (Some(at), self.body_end(at, close, end, column));
            }
            at = close.map_or(at, |close| close) + 1;
        }
        (None, end.saturating_sub(1).max(keyword))
    }

    /// Returns the last token of a body: its closing bracket, unless an item that cannot be inside
    /// begins before it.
    fn body_end(
        &self,
        open: usize,
        close: Option<usize>,
        end: usize,
        column: Option<usize>,
    ) -> usize {
        let limit = close.unwrap_or(end);
        let early = (open + 1..limit).find(|at| self.begins_item(*at, column));
        match (early, close) {
            (Some(early), _) => early - 1,
            (None, Some(close)) => close,
            (None, None) => end.saturating_sub(1).max(open),
        }
    }

    /// Returns true if a token begins an item on its own line that is not indented more than this.
    fn begins_item(&self, at: usize, column: Option<usize>) -> bool {
        let Some((own, of_item)) = self.column(at).zip(column) else {
            return false;
        };
        let word = self.word(at);
        let begins = KEYWORDS.contains(&word)
            || matches!(word, "pub" | "async" | "#")
            || self.kind(at) == Some(Kind::Doc);
        begins && own <= of_item
    }

    /// Returns the indentation of a token, if it is the first on its line.
    fn column(&self, at: usize) -> Option<usize> {
        self.columns.get(at).copied().flatten()
    }

    /// Returns the name of an item, and the beginning of its members' paths.
    fn name(&self, kind: ItemKind, keyword: usize, end: usize) -> Option<(String, Option<String>)> {
        let header = self
            .text
            .get(self.end_of(keyword)..self.start(end))
            .unwrap_or_default();
        match kind {
            ItemKind::Impl => {
                let header = compact(header);
                let header = header.split(" where ").next().unwrap_or(&header);
                let header = after_generics(header).trim().to_owned();
                let name = format!("impl {header}");
                let owner = match header.split_once(" for ") {
                    Some((of_trait, of_type)) => format!("<{} as {of_trait}>", bare(of_type)),
                    None => bare(&header).to_owned(),
                };
                (!header.is_empty()).then_some((name, Some(owner)))
            }
            ItemKind::Import => {
                let name = compact(header).trim_start_matches("crate ").to_owned();
                (!name.is_empty()).then_some((name, None))
            }
            ItemKind::Function
            | ItemKind::Method
            | ItemKind::Const
            | ItemKind::Enum
            | ItemKind::Struct
            | ItemKind::Union
            | ItemKind::Trait
            | ItemKind::TypeAlias
            | ItemKind::Static
            | ItemKind::Module
            | ItemKind::Macro
            | ItemKind::Class
            | ItemKind::Interface
            | ItemKind::Export
            | ItemKind::Chunk => {
                // `macro_rules! name`, `static mut NAME`.
                let skipped = ["!", "mut"];
                let at = (keyword + 1..=end).find(|at| !skipped.contains(&self.word(*at)))?;
                let name = self.word(at).to_owned();
                let owner = (kind == ItemKind::Trait).then(|| name.clone());
                (self.kind(at) == Some(Kind::Word)).then_some((name, owner))
            }
        }
    }

    /// Sets the own tokens of items that contain other items.
    fn seal(&mut self) {
        let mut inside: Vec<Vec<std::ops::Range<usize>>> =
            vec![Vec::new(); self.builder.items.len()];
        for item in &self.builder.items {
            if let Some(list) = item.parent.and_then(|parent| inside.get_mut(parent)) {
                list.push(item.span.clone());
            }
        }
        for (index, mut spans) in inside
            .into_iter()
            .enumerate()
            .filter(|(_, spans)| !spans.is_empty())
        {
            spans.sort_by_key(|span| span.start);
            let Some(item) = self.builder.items.get(index) else {
                continue;
            };
            let own = without(self.text, &item.span, spans.into_iter());
            let tokens: Vec<Token> = Scanner::new(&own, 0).collect();
            let own = joined(&own, &tokens);
            self.builder.seal(Some(index), &own);
        }
    }
}

/// Returns the part of an impl's header after its generics.
fn after_generics(header: &str) -> &str {
    if !header.starts_with('<') {
        return header;
    }
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, character) in header.char_indices() {
        match character {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return header.get(at + 1..).unwrap_or_default();
        }
        before = character;
    }
    header
}

/// Returns the name of a type, without its path and its arguments.
fn bare(of_type: &str) -> &str {
    let plain = of_type.split('<').next().unwrap_or(of_type);
    plain.rsplit("::").next().unwrap_or(plain).trim()
}
