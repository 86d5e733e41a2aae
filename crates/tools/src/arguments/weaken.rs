//! Takes out of a document what cannot be checked, so that the rest can.
//!
//! A schema that has lost something is marked, and lets more values pass than its author wrote. That is safe as long as nothing turns it
//! around: under `not`, `if` and `oneOf`, beside `maxContains`, and for the names that `unevaluatedProperties` asks for, a weaker schema
//! refuses more. Those keywords are taken out where they depend on a marked schema, through references, too.

use serde_json::{Map, Value};

use super::survey::{Node, Relation, Survey, Target};

/// The mark of a schema that has lost something. A server that writes it itself weakens its own schema.
const MARK: &str = "\u{0}weakened";

/// Keywords that mean something else when the one before them is gone.
const COMPANIONS: [(&str, &str); 7] = [
    ("properties", "additionalProperties"),
    ("patternProperties", "additionalProperties"),
    ("prefixItems", "items"),
    ("items", "additionalItems"),
    ("minContains", "contains"),
    ("if", "then"),
    ("if", "else"),
];

/// Marks a schema.
pub(super) fn mark(keywords: &mut Map<String, Value>) {
    keywords.insert(MARK.to_owned(), Value::Bool(true));
}

/// A schema that lets everything pass, in the place of one that cannot be used.
pub(super) fn anything() -> Value {
    let mut keywords = Map::new();
    mark(&mut keywords);
    Value::Object(keywords)
}

/// Takes a keyword out, with those that would mean something else without it. Whether it was there.
pub(super) fn drop_keyword(keywords: &mut Map<String, Value>, keyword: &str) -> bool {
    if keywords.remove(keyword).is_none() {
        return false;
    }
    for (gone, companion) in COMPANIONS {
        if gone == keyword {
            drop_keyword(keywords, companion);
        }
    }
    mark(keywords);
    true
}

/// Takes a reference that leads nowhere out of a schema. In drafts where a reference stood for the whole schema, what stands beside it
/// was never meant, except what others refer to.
pub(super) fn drop_reference(keywords: &mut Map<String, Value>, keyword: &str, alone: bool) {
    if alone {
        keywords.retain(|name, _| ["$schema", "$defs", "definitions"].contains(&name.as_str()));
    }
    keywords.remove(keyword);
    mark(keywords);
}

/// Takes out what depends on a marked schema and would refuse more for it. Whether there was any.
pub(super) fn settle(document: &mut Value, survey: &Survey) -> bool {
    let Some(reach) = Reach::of(document, survey) else {
        return false;
    };
    let mut changed = false;
    for (number, node) in survey.nodes.iter().enumerate() {
        if reach.names.get(number) == Some(&true)
            && let Some(keywords) = object_at(document, &node.place)
        {
            changed |= drop_keyword(keywords, "unevaluatedProperties");
            changed |= drop_keyword(keywords, "unevaluatedItems");
        }
        if reach.weak.get(number) == Some(&true)
            && let Some(parent) = node.parent.and_then(|parent| survey.nodes.get(parent))
            && let Some(keywords) = object_at(document, &parent.place)
        {
            changed |= unturn(keywords, &node.keyword);
        }
    }
    changed
}

/// Takes away that a schema is turned around by the keyword that it lies under.
fn unturn(keywords: &mut Map<String, Value>, keyword: &str) -> bool {
    match keyword {
        "not" | "if" => drop_keyword(keywords, keyword),
        "contains" => drop_keyword(keywords, "maxContains"),
        // Whatever fits one form only fits one of them.
        "oneOf" => {
            let forms = keywords.get("oneOf").cloned();
            let dropped = drop_keyword(keywords, "oneOf");
            if let (Some(forms), None) = (forms, keywords.get("anyOf")) {
                keywords.insert("anyOf".to_owned(), forms);
            }
            dropped
        }
        _ => false,
    }
}

fn object_at<'d>(document: &'d mut Value, place: &str) -> Option<&'d mut Map<String, Value>> {
    document.pointer_mut(place)?.as_object_mut()
}

/// How far marks reach: a schema is weaker where one that it depends on is.
struct Reach {
    /// By node: on any way.
    weak: Vec<bool>,
    /// By node: among the schemas checked against the same value, which say what names and items are known.
    names: Vec<bool>,
}

impl Reach {
    /// `None` where nothing is marked.
    fn of(document: &Value, survey: &Survey) -> Option<Self> {
        let is_marked = |node: &Node| {
            document
                .pointer(&node.place)
                .is_some_and(|schema| schema.get(MARK).is_some())
        };
        let marked: Vec<bool> = survey.nodes.iter().map(is_marked).collect();
        if !marked.contains(&true) {
            return None;
        }
        let sources = sources(survey);
        let reached = |counts: fn(Relation) -> bool| {
            let mut reached = marked.clone();
            let mut open: Vec<usize> = (0..reached.len())
                .filter(|number| marked.get(*number) == Some(&true))
                .collect();
            while let Some(number) = open.pop() {
                let parent = survey
                    .nodes
                    .get(number)
                    .filter(|node| counts(node.relation))
                    .and_then(|node| node.parent);
                let referring = sources.get(number).into_iter().flatten().copied();
                for next in parent.into_iter().chain(referring) {
                    if let Some(known) = reached.get_mut(next)
                        && !*known
                    {
                        *known = true;
                        open.push(next);
                    }
                }
            }
            reached
        };
        Some(Self {
            weak: reached(|relation| relation != Relation::Apart),
            names: reached(|relation| relation == Relation::SameValue),
        })
    }
}

/// For each schema, those that refer to it.
fn sources(survey: &Survey) -> Vec<Vec<usize>> {
    let mut sources = vec![Vec::new(); survey.nodes.len()];
    let mut add = |target: usize, node: usize| {
        if let Some(known) = sources.get_mut(target) {
            known.push(node);
        }
    };
    for reference in &survey.references {
        if let Some(Target::Place(place)) = survey.target(&reference.text)
            && let Some(target) = survey.node_at(&place)
        {
            add(target, reference.node);
        }
        if reference.keyword != "$ref" {
            for target in &survey.dynamic {
                add(*target, reference.node);
            }
        }
    }
    sources
}
