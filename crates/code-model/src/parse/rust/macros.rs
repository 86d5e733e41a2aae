//! Items within macros: those that are written like items elsewhere, and those in the branches of
//! well-known conditional macros.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Item, Macro, Meta, Token};

use super::names::{compact, last_segment};
use crate::limits::MAX_ITEM_DEPTH;

/// The items of a macro, with the conditions under which they are compiled.
pub(super) struct Branch {
    pub conditions: Vec<String>,
    pub items: Vec<Item>,
}

/// Returns the branches of a macro that contains only items; empty for any other.
pub(super) fn branches(invoked: &Macro) -> Vec<Branch> {
    let tokens = invoked.tokens.clone();
    let name = last_segment(&invoked.path);
    let branches = match name.as_str() {
        "cfg_if" => syn::parse2::<CfgIf>(tokens).map(|of| of.0),
        "cfg_select" | "cfg_match" => syn::parse2::<CfgSelect>(tokens).map(|of| of.0),
        "lazy_static" => items_of(without_ref(tokens)).map(unconditional),
        _ => items_of(tokens).map(unconditional),
    };
    let mut branches = branches.unwrap_or_default();
    branches.retain(|branch| !branch.items.is_empty());
    branches
}

fn unconditional(items: Vec<Item>) -> Vec<Branch> {
    let conditions = Vec::new();
    vec![Branch { conditions, items }]
}

fn items_of(tokens: TokenStream) -> syn::Result<Vec<Item>> {
    Ok(syn::parse2::<Items>(tokens)?.0)
}

/// Returns `static ref NAME: …` of `lazy_static!` as a plain static.
fn without_ref(tokens: TokenStream) -> TokenStream {
    let mut is_behind_static = false;
    let keep = |token: &TokenTree| {
        let word = |name: &str| matches!(token, TokenTree::Ident(ident) if ident == name);
        let is_ref = is_behind_static && word("ref");
        is_behind_static = word("static");
        !is_ref
    };
    tokens.into_iter().filter(keep).collect()
}

struct Items(Vec<Item>);

impl Parse for Items {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Attribute::parse_inner(input)?;
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(Self(items))
    }
}

/// The branches of `if #[cfg(a)] { … } else if #[cfg(b)] { … } else { … }`.
struct CfgIf(Vec<Branch>);

impl Parse for CfgIf {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut branches = Vec::new();
        let mut before: Vec<String> = Vec::new();
        loop {
            let mut conditions = before.clone();
            if input.parse::<Option<Token![if]>>()?.is_some() {
                for attribute in Attribute::parse_outer(input)? {
                    if let Meta::List(list) = &attribute.meta {
                        let condition = compact(&list.tokens.to_string());
                        // Each later branch holds a copy.
                        if before.len() < MAX_ITEM_DEPTH {
                            before.push(format!("not({condition})"));
                        }
                        conditions.push(condition);
                    }
                }
            }
            let items = block(input)?;
            branches.push(Branch { conditions, items });
            if input.parse::<Option<Token![else]>>()?.is_none() {
                return Ok(Self(branches));
            }
        }
    }
}

/// The branches of `a => { … } b => { … } _ => { … }`.
struct CfgSelect(Vec<Branch>);

impl Parse for CfgSelect {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut branches = Vec::new();
        while !input.is_empty() {
            let mut condition = TokenStream::new();
            while !input.peek(Token![=>]) {
                condition.extend([input.parse::<TokenTree>()?]);
            }
            input.parse::<Token![=>]>()?;
            let items = block(input)?;
            input.parse::<Option<Token![,]>>()?;
            let conditions = vec![compact(&condition.to_string())];
            branches.push(Branch { conditions, items });
        }
        Ok(Self(branches))
    }
}

fn block(input: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    let content;
    syn::braced!(content in input);
    Ok(content.parse::<Items>()?.0)
}
