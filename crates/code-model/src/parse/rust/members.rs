//! Collects the members of impls and traits.

use quote::ToTokens;
use syn::visit::Visit;
use syn::{ImplItem, TraitItem};

use super::around::Around;
use super::uses::names_in;
use super::walk::Walk;
use crate::model::ItemKind;

impl Walk<'_> {
    /// Adds a member of an impl. Members that are not items belong to the impl itself.
    pub(super) fn impl_member(&mut self, inside: &Around, member: &ImplItem, own: &mut String) {
        let (kind, ident, attributes, visibility, end) = match member {
            ImplItem::Fn(it) => (
                ItemKind::Method,
                &it.sig.ident,
                &it.attrs,
                &it.vis,
                Some(it.block.brace_token.span.open()),
            ),
            ImplItem::Const(it) => (
                ItemKind::Const,
                &it.ident,
                &it.attrs,
                &it.vis,
                Some(it.eq_token.span),
            ),
            ImplItem::Type(it) => (ItemKind::TypeAlias, &it.ident, &it.attrs, &it.vis, None),
            other => {
                own.push_str(&other.to_token_stream().to_string());
                return;
            }
        };
        let tokens = member.to_token_stream();
        let index = self.leaf(
            inside,
            (kind, ident.to_string()),
            attributes,
            Some(visibility),
            &tokens,
            end,
        );
        self.scopes.name_all(
            index,
            inside,
            names_in(|visitor| visitor.visit_impl_item(member)),
        );
    }

    /// Adds a member of a trait. Members that are not items belong to the trait itself.
    pub(super) fn trait_member(&mut self, inside: &Around, member: &TraitItem, own: &mut String) {
        let (kind, ident, attributes, end) = match member {
            TraitItem::Fn(it) => {
                let end = it
                    .default
                    .as_ref()
                    .map(|block| block.brace_token.span.open());
                (ItemKind::Method, &it.sig.ident, &it.attrs, end)
            }
            TraitItem::Const(it) => (ItemKind::Const, &it.ident, &it.attrs, None),
            TraitItem::Type(it) => (ItemKind::TypeAlias, &it.ident, &it.attrs, None),
            other => {
                own.push_str(&other.to_token_stream().to_string());
                return;
            }
        };
        let tokens = member.to_token_stream();
        let index = self.leaf(
            inside,
            (kind, ident.to_string()),
            attributes,
            None,
            &tokens,
            end,
        );
        self.scopes.name_all(
            index,
            inside,
            names_in(|visitor| visitor.visit_trait_item(member)),
        );
    }
}
