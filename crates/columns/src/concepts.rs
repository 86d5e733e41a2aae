//! The concepts that the last words of a name can express: a date, an identifier, a count. Each
//! concept has the column types that can hold it.
//!
//! A name consists of a concept and its qualifiers: `publication_date` is a date with the qualifier
//! publication. Two names of one concept match if their qualifiers do; the lists here have the
//! qualifiers that may be missing on one side without a change of the meaning.

/// The meaning of the last words of a name, such as a date.
#[derive(Debug)]
pub(super) struct Concept {
    /// Its name, for [`Concept::accepts`].
    pub(super) name: &'static str,
    /// The canonical words that express it.
    pub(super) terms: &'static [&'static str],
    /// The types of columns that can hold it.
    pub(super) types: Types,
    /// Other concepts whose columns are accepted for this one.
    pub(super) accepts: &'static [NeighbourConcept],
    /// Qualifiers that a requested name may have and the column not: `publication_date` matches
    /// `date`.
    pub(super) implied: &'static [&'static str],
    /// Qualifiers that the column may have if the requested name has none: `title` matches
    /// `article_title`.
    pub(super) narrower: Narrower,
}

/// Another concept whose columns can stand for this one.
#[derive(Debug)]
pub(super) struct NeighbourConcept {
    /// Its name.
    pub(super) concept: &'static str,
    /// Qualifiers that may be missing in the column, instead of [`Concept::implied`].
    pub(super) implied: &'static [&'static str],
    /// Words that exclude the neighbour: if another column of the table has one of them, the
    /// neighbour has a different meaning in this table.
    pub(super) unless: &'static [&'static str],
}

/// The declared types that can hold a concept. A column without a type can hold anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    /// Anything but blobs.
    Any,
    /// Text.
    Text,
    /// Numbers.
    Number,
}

/// The qualifiers that a column may add.
#[derive(Debug, Clone, Copy)]
pub(super) enum Narrower {
    /// All except these, and except the words that alter any meaning.
    AllBut(&'static [&'static str]),
    /// These only.
    Only(&'static [&'static str]),
    /// Any, if the column is the whole primary key.
    PrimaryKey,
}

const fn accept(concept: &'static str, unless: &'static [&'static str]) -> NeighbourConcept {
    NeighbourConcept {
        concept,
        implied: &[],
        unless,
    }
}

const MOMENTS: &[&str] = &[
    "collection",
    "entry",
    "event",
    "flight",
    "game",
    "issue",
    "log",
    "match",
    "measurement",
    "observation",
    "order",
    "post",
    "publication",
    "purchase",
    "record",
    "release",
    "report",
    "sale",
    "sample",
    "trade",
    "transaction",
    "visit",
];
const MOMENTS_OF_A_LIFE: Narrower = Narrower::AllBut(&[
    "birth", "death", "deletion", "due", "expiry", "hire", "update",
]);
const PLACE: &[&str] = &[
    "address",
    "city",
    "country",
    "county",
    "population",
    "postcode",
    "latitude",
];
const PERSON: &[&str] = &[
    "age",
    "birth",
    "department",
    "email",
    "gender",
    "hire",
    "job",
    "phone",
    "salary",
    "surname",
];
const WHOLE: &[&str] = &[
    "display",
    "full",
    "item",
    "main",
    "preferred",
    "product",
    "common",
];

/// All concepts. The concept of a name is the first one with a term that the name ends with; longer
/// terms are tried first.
pub(super) const CONCEPTS: &[Concept] = &[
    Concept {
        name: "date",
        terms: &["date"],
        types: Types::Any,
        accepts: &[
            accept("timestamp", &[]),
            NeighbourConcept {
                concept: "year",
                implied: &["issue", "publication", "release", "report"],
                unless: &[],
            },
        ],
        implied: MOMENTS,
        narrower: MOMENTS_OF_A_LIFE,
    },
    Concept {
        name: "timestamp",
        terms: &["timestamp"],
        types: Types::Any,
        accepts: &[
            accept("date", &["time"]),
            accept("time", &["date", "duration"]),
        ],
        implied: MOMENTS,
        narrower: MOMENTS_OF_A_LIFE,
    },
    Concept {
        name: "time",
        terms: &["time"],
        types: Types::Any,
        accepts: &[accept("timestamp", &[])],
        implied: MOMENTS,
        narrower: Narrower::Only(&["event", "log", "record"]),
    },
    Concept {
        name: "year",
        terms: &["year"],
        types: Types::Any,
        accepts: &[],
        implied: &["issue", "publication", "release", "report", "model"],
        narrower: Narrower::AllBut(&["birth", "death", "per"]),
    },
    Concept {
        name: "id",
        terms: &["id"],
        types: Types::Any,
        accepts: &[accept("global id", &[])],
        implied: &[],
        narrower: Narrower::PrimaryKey,
    },
    Concept {
        name: "global id",
        terms: &["accession", "guid", "uid", "uuid"],
        types: Types::Any,
        accepts: &[],
        implied: &[],
        narrower: Narrower::PrimaryKey,
    },
    Concept {
        name: "title",
        terms: &["title", "heading", "headline"],
        types: Types::Text,
        accepts: &[accept("name", PERSON)],
        implied: &[
            "article",
            "book",
            "document",
            "full",
            "movie",
            "page",
            "paper",
            "post",
            "publication",
            "study",
        ],
        narrower: Narrower::Only(&[
            "article", "book", "document", "full", "item", "main", "movie", "page", "paper",
            "post", "product", "study",
        ]),
    },
    Concept {
        name: "name",
        terms: &["name"],
        types: Types::Text,
        accepts: &[
            accept("title", PERSON),
            accept("label", &["class", "feature", "prediction", "split"]),
        ],
        implied: &["full", "display", "common"],
        narrower: Narrower::Only(WHOLE),
    },
    Concept {
        name: "label",
        terms: &["label"],
        types: Types::Any,
        accepts: &[],
        implied: &["display"],
        narrower: Narrower::Only(WHOLE),
    },
    Concept {
        name: "gene",
        terms: &[
            "gene",
            "gene name",
            "gene symbol",
            "gene hgnc symbol",
            "hgnc symbol",
            "hugo gene symbol",
            "hugo symbol",
        ],
        types: Types::Text,
        accepts: &[],
        implied: &[],
        narrower: Narrower::Only(&["hgnc", "hugo", "official"]),
    },
    Concept {
        name: "count",
        terms: &["count", "quantity"],
        types: Types::Number,
        accepts: &[accept("plural", &[])],
        implied: &[],
        narrower: Narrower::AllBut(&["distinct", "unique"]),
    },
    Concept {
        name: "author",
        terms: &["author", "byline", "creator"],
        types: Types::Text,
        accepts: &[],
        implied: &["article", "book", "document", "paper", "post"],
        narrower: Narrower::Only(&["article", "book", "document", "paper", "post"]),
    },
    Concept {
        name: "description",
        terms: &["description", "detail", "overview", "summary", "synopsis"],
        types: Types::Text,
        accepts: &[accept("abstract", &[])],
        implied: &["full", "item", "product"],
        narrower: Narrower::Only(&["brief", "full", "item", "long", "product", "short", "study"]),
    },
    Concept {
        name: "abstract",
        terms: &["abstract"],
        types: Types::Text,
        accepts: &[],
        implied: &["article", "paper"],
        narrower: Narrower::Only(&["article", "paper", "full"]),
    },
    Concept {
        name: "body",
        terms: &["body", "content", "text", "full text"],
        types: Types::Text,
        accepts: &[],
        implied: &["full", "message", "post", "article"],
        narrower: Narrower::Only(&["full", "message", "post", "article"]),
    },
    Concept {
        name: "note",
        terms: &["note", "remark", "comment"],
        types: Types::Text,
        accepts: &[],
        implied: &[],
        narrower: Narrower::Only(&["additional", "general"]),
    },
    Concept {
        name: "status",
        terms: &["status"],
        types: Types::Any,
        accepts: &[accept("state", PLACE)],
        implied: &["current", "overall", "recruitment", "study", "trial"],
        narrower: Narrower::AllBut(&["http", "marital"]),
    },
    Concept {
        name: "state",
        terms: &["state"],
        types: Types::Any,
        accepts: &[],
        implied: &[],
        narrower: Narrower::Only(&["current", "us"]),
    },
    Concept {
        name: "price",
        terms: &["price"],
        types: Types::Number,
        accepts: &[accept("cost", &[])],
        implied: &["unit", "item", "product", "list", "retail"],
        narrower: Narrower::AllBut(&["discount", "close", "open", "high", "low"]),
    },
    Concept {
        name: "cost",
        terms: &["cost"],
        types: Types::Number,
        accepts: &[],
        implied: &["total"],
        narrower: Narrower::AllBut(&[]),
    },
    Concept {
        name: "amount",
        terms: &["amount", "total"],
        types: Types::Number,
        accepts: &[],
        implied: &["grand", "order", "payment", "total", "transaction"],
        narrower: Narrower::AllBut(&["discount", "tax"]),
    },
    Concept {
        name: "url",
        terms: &["href", "link", "url", "website", "homepage"],
        types: Types::Text,
        accepts: &[],
        implied: &["page", "source", "web"],
        narrower: Narrower::AllBut(&[
            "avatar",
            "icon",
            "image",
            "logo",
            "poster",
            "thumbnail",
            "video",
        ]),
    },
    Concept {
        name: "score",
        terms: &["score", "rating"],
        types: Types::Number,
        accepts: &[],
        implied: &["overall"],
        narrower: Narrower::AllBut(&[]),
    },
    Concept {
        name: "category",
        terms: &["category", "type"],
        types: Types::Any,
        accepts: &[],
        implied: &["item", "product"],
        narrower: Narrower::Only(&[
            "item",
            "product",
            "entry",
            "record",
            "study",
            "publication",
            "event",
        ]),
    },
    Concept {
        name: "organism",
        terms: &["organism", "species"],
        types: Types::Text,
        accepts: &[],
        implied: &[],
        narrower: Narrower::AllBut(&["host"]),
    },
    Concept {
        name: "disease",
        terms: &["disease", "disease name"],
        types: Types::Text,
        accepts: &[accept(
            "condition",
            &["price", "vehicle", "seller", "weather", "room"],
        )],
        implied: &[],
        narrower: Narrower::Only(&["primary", "main"]),
    },
    Concept {
        name: "condition",
        terms: &["condition"],
        types: Types::Any,
        accepts: &[accept("disease", &[])],
        implied: &[],
        narrower: Narrower::Only(&[]),
    },
    Concept {
        name: "variant",
        terms: &["variant", "mutation", "variant name"],
        types: Types::Text,
        accepts: &[],
        implied: &[],
        narrower: Narrower::Only(&[]),
    },
    Concept {
        name: "enrollment",
        terms: &["enrollment", "participant count", "enrollment count"],
        types: Types::Number,
        accepts: &[],
        implied: &[],
        narrower: Narrower::AllBut(&[]),
    },
    Concept {
        name: "run time",
        terms: &["run time", "duration"],
        types: Types::Any,
        accepts: &[],
        implied: &["movie"],
        narrower: Narrower::Only(&["total", "movie"]),
    },
    Concept {
        name: "weight",
        terms: &["weight", "mass"],
        types: Types::Any,
        accepts: &[],
        implied: &[],
        narrower: Narrower::AllBut(&[]),
    },
    Concept {
        name: "revenue",
        terms: &["revenue", "turnover", "sales"],
        types: Types::Number,
        accepts: &[],
        implied: &["total"],
        narrower: Narrower::Only(&["annual", "total"]),
    },
    Concept {
        name: "company",
        terms: &[
            "company",
            "organization",
            "company name",
            "organization name",
        ],
        types: Types::Text,
        accepts: &[],
        implied: &[],
        narrower: Narrower::Only(&[]),
    },
    Concept {
        name: "email",
        terms: &["email"],
        types: Types::Text,
        accepts: &[],
        implied: &["contact", "user", "customer"],
        narrower: Narrower::AllBut(&["alternate"]),
    },
];

/// Returns the concept with a name.
pub(super) fn named(name: &str) -> Option<&'static Concept> {
    CONCEPTS.iter().find(|concept| concept.name == name)
}

/// Returns the concept that the words end with, and the number of words in its term.
pub(super) fn ending(words: &[String]) -> Option<(&'static Concept, usize)> {
    (1..=words.len().min(3)).rev().find_map(|length| {
        let tail = words.get(words.len() - length..)?.join(" ");
        CONCEPTS
            .iter()
            .find(|concept| concept.terms.contains(&tail.as_str()))
            .map(|concept| (concept, length))
    })
}

#[cfg(test)]
mod tests {
    use super::{CONCEPTS, named};
    use std::collections::BTreeSet;

    #[test]
    fn every_accepted_concept_exists() {
        for concept in CONCEPTS {
            for accepted in concept.accepts {
                assert!(
                    accepted.concept == "plural" || named(accepted.concept).is_some(),
                    "{} accepts {}",
                    concept.name,
                    accepted.concept
                );
            }
        }
    }

    #[test]
    fn every_term_belongs_to_one_concept_and_is_in_canonical_words() {
        let mut seen = BTreeSet::new();
        for term in CONCEPTS.iter().flat_map(|concept| concept.terms) {
            assert!(seen.insert(*term), "{term} stands twice");
            for word in term.split(' ') {
                assert_eq!(super::super::synonyms::canonical(word), None, "{word}");
            }
        }
    }
}
