//! Notices about the parts of a GraphML file that are not kept: a sentence for each kind of part,
//! with how often it occurs.

use crate::interchange::shown;
use crate::limits::MAX_IMPORT_NOTICES;

/// The kind of element that has an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Node,
    Edge,
}

/// A kind of part that is left out, or read with another meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoticeKind {
    /// The value of this attribute has elements.
    Markup(Of, String),
    /// A port of a node, or the end of an edge at one.
    Port,
    /// An attribute of the element itself that GraphML does not have.
    XmlAttribute(Of, String),
    /// A value of a key that is declared for another kind of element.
    ForeignKey(Of, String),
    /// A default that has elements.
    MarkupDefault(String),
    /// A node with a graph inside.
    Group,
    /// A node in a group that already has an attribute `parent`, so the id of the group is lost.
    LostGroup,
}

impl Of {
    /// Returns a word for one element of this kind.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Edge => "edge",
        }
    }
}

/// The kinds found so far.
#[derive(Debug, Default)]
pub(super) struct Notices {
    met: Vec<(NoticeKind, usize)>,
    /// The number of kinds that have no sentence of their own.
    more: usize,
}

impl Notices {
    /// Counts one occurrence of a kind.
    pub(super) fn add(&mut self, met: NoticeKind) {
        if let Some((_, count)) = self.met.iter_mut().find(|(known, _)| *known == met) {
            *count += 1;
        } else if self.met.len() < MAX_IMPORT_NOTICES {
            self.met.push((met, 1));
        } else {
            self.more += 1;
        }
    }

    /// Returns the sentences.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| {
            let more = counted(self.more, "other thing");
            format!("{more} of the file could not be kept either")
        });
        let met = self.met.iter().map(|(met, count)| sentence(met, *count));
        met.chain(more)
    }
}

fn sentence(met: &NoticeKind, count: usize) -> String {
    match met {
        NoticeKind::Markup(of, name) => format!(
            "the attribute {} of {} contains XML, which was left out",
            shown(name),
            counted(count, of.name())
        ),
        NoticeKind::MarkupDefault(name) => format!(
            "the default of the attribute {} contains XML, which was left out",
            shown(name)
        ),
        NoticeKind::Port => format!(
            "{} left out: edges lead to the nodes themselves",
            were(count, "port", "ports")
        ),
        NoticeKind::Group => format!(
            "the nodes of {} have the id of the node around them, their group, in the field parent",
            match count {
                1 => "1 graph within a node".to_owned(),
                _ => format!("{count} graphs within nodes"),
            }
        ),
        NoticeKind::LostGroup => format!(
            "{} of a group kept the attribute parent from the file, so the id of the group was left out",
            counted(count, "node")
        ),
        NoticeKind::XmlAttribute(of, name) => format!(
            "the XML attribute {} of {} was left out: declare a key and write it as data to keep it",
            shown(name),
            counted(count, of.name())
        ),
        NoticeKind::ForeignKey(of, key) => format!(
            "the key {} is not declared for {of}s, but its value at {} was kept",
            shown(key),
            counted(count, of.name()),
            of = of.name(),
        ),
    }
}

fn counted(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

fn were(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one} was"),
        _ => format!("{count} {many} were"),
    }
}
