//! A reader of Rust sources for the tests of the documents, with the parser `syn`.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{
    Expr, ExprClosure, ExprPath, ExprTuple, File, ImplItem, ImplItemFn, Item, ItemImpl, Lit, Macro,
    Pat, PatStruct, Stmt,
};

use super::read;

/// Parses a source file of the repository.
pub fn parse(file: &str) -> File {
    syn::parse_file(&read(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the string literals outside tests, attributes and comments, each with its line.
pub fn literals(file: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    add_literals(read(file).parse().unwrap(), &mut found);
    found
}

fn add_literals(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_for_tests = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                tokens.next_if(|next| next.to_string() == "!");
                let attribute = tokens.next_if(|next| matches!(next, TokenTree::Group(_)));
                is_for_tests |= attribute.is_some_and(|text| text.to_string() == "[cfg (test)]");
            }
            TokenTree::Group(item) if is_for_tests => {
                is_for_tests = item.delimiter() != Delimiter::Brace;
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => is_for_tests = false,
            TokenTree::Group(group) => add_literals(group.stream(), found),
            TokenTree::Literal(literal) => {
                if let Lit::Str(text) = Lit::new(literal) {
                    found.push((text.span().start().line, text.value()));
                }
            }
            _ => {}
        }
    }
}

/// Returns the variants of an enum.
pub fn variants(file: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for item in parse(file).items {
        if let Item::Enum(item) = item
            && item.ident == name
        {
            found.extend(
                item.variants
                    .iter()
                    .map(|variant| variant.ident.to_string()),
            );
        }
    }
    found
}

/// Adds the fields that errors have besides code, message and hint, by code, from each `impl
/// Problem` of a file.
pub fn add_details(file: &File, details: &mut BTreeMap<String, BTreeSet<String>>) {
    for item in &file.items {
        if let Item::Impl(item) = item
            && let Some((_, path, _)) = &item.trait_
            && path.segments.last().unwrap().ident == "Problem"
        {
            for (variants, named) in arms(item, "code") {
                let mut keys = BTreeSet::new();
                for (others, named) in arms(item, "details") {
                    // An arm without a variant applies to all.
                    if others.is_empty() || others.iter().any(|other| variants.contains(other)) {
                        keys.extend(named.keys);
                    }
                }
                for code in named.codes {
                    details.entry(code).or_default().extend(keys.clone());
                }
            }
        }
    }
}

/// Returns the keys of the JSON object that a method of a file makes.
pub fn keys_of_method(file: &File, method: &str) -> BTreeSet<String> {
    let mut named = Named::default();
    for item in &file.items {
        if let Item::Impl(item) = item
            && let Some(method) = find(item, method)
        {
            named.visit_block(&method.block);
        }
    }
    named.keys
}

fn find<'a>(item: &'a ItemImpl, method: &str) -> Option<&'a ImplItemFn> {
    item.items.iter().find_map(|item| match item {
        ImplItem::Fn(item) if item.sig.ident == method => Some(item),
        _ => None,
    })
}

/// Returns the variants of each arm of a method that matches on `self`, with the names in the arm.
/// Any other method is one arm without a variant.
fn arms(item: &ItemImpl, method: &str) -> Vec<(Vec<String>, Named)> {
    let arm = |pattern: Option<&Pat>, body: &Expr| {
        let mut named = Named::default();
        named.visit_expr(body);
        (pattern.map(variants_of).unwrap_or_default(), named)
    };
    match find(item, method).and_then(|method| method.block.stmts.last()) {
        Some(Stmt::Expr(Expr::Match(choice), None)) => {
            let arms = choice.arms.iter();
            arms.map(|case| arm(Some(&case.pat), &case.body)).collect()
        }
        Some(Stmt::Expr(body, None)) => vec![arm(None, body)],
        _ => Vec::new(),
    }
}

fn variants_of(pattern: &Pat) -> Vec<String> {
    match pattern {
        Pat::Or(pattern) => pattern.cases.iter().flat_map(variants_of).collect(),
        Pat::Struct(PatStruct { path, .. }) | Pat::Path(ExprPath { path, .. }) => {
            vec![path.segments.last().unwrap().ident.to_string()]
        }
        _ => Vec::new(),
    }
}

/// The names in an expression outside closures, which make inner objects: constants `codes::…`, and
/// keys of objects, as `json!({ "key": … })` or `("key", …)`.
#[derive(Default)]
struct Named {
    codes: BTreeSet<String>,
    keys: BTreeSet<String>,
}

impl Visit<'_> for Named {
    fn visit_expr_closure(&mut self, _: &ExprClosure) {}

    fn visit_expr_path(&mut self, path: &ExprPath) {
        let names: Vec<String> = path
            .path
            .segments
            .iter()
            .map(|name| name.ident.to_string())
            .collect();
        if let [.., module, name] = &names[..]
            && module == "codes"
        {
            self.codes.insert(name.clone());
        }
    }

    fn visit_expr_tuple(&mut self, tuple: &ExprTuple) {
        if let Some(Expr::Lit(first)) = tuple.elems.first()
            && let Lit::Str(key) = &first.lit
        {
            self.keys.insert(key.value());
        }
    }

    fn visit_macro(&mut self, call: &Macro) {
        if let Some(TokenTree::Group(object)) = call.tokens.clone().into_iter().next() {
            let tokens: Vec<TokenTree> = object.stream().into_iter().collect();
            for pair in tokens.windows(2) {
                if let [TokenTree::Literal(key), TokenTree::Punct(colon)] = pair
                    && colon.as_char() == ':'
                    && let Lit::Str(key) = Lit::new(key.clone())
                {
                    self.keys.insert(key.value());
                }
            }
        }
    }
}
