//! The pages of the console, for people, and the files that they load.

use super::{Access, BodyLimit, Entry, ServedBy, Wait};

/// A page of the console, or a file of its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The page in this file. No route leads to the one for a missing address.
    Html(&'static str),
    /// A script or a style sheet.
    Asset,
}

/// The routes.
pub(super) const ROUTES: &[Entry] = &[
    entry(
        "home",
        "/",
        Page::Html("/index.html"),
        "The console: sessions, SQL, runs",
    ),
    entry(
        "graphpage",
        "/graph/{conversationId}",
        Page::Html("/graph.html"),
        "The console: a knowledge graph",
    ),
    entry(
        "agentpage",
        "/agent/{threadId}",
        Page::Html("/agent.html"),
        "The console: questions and the statements that a person approves",
    ),
    entry(
        "codepage",
        "/code/{workspace}",
        Page::Html("/code.html"),
        "The console: the files of a code workspace and the edits that a person approves",
    ),
    entry(
        "asset",
        "/assets/{file}",
        Page::Asset,
        "A script or style sheet of the console",
    ),
];

const fn entry(name: &'static str, path: &'static str, page: Page, summary: &'static str) -> Entry {
    Entry {
        name,
        method: "GET",
        path,
        place: ServedBy::Page(page),
        summary,
        body: BodyLimit::None,
        access: Access::Public,
        wait: Wait::Query,
        parameters: &[],
    }
}
