//! Fits all servers into a budget: as full declarations, brief ones, or names with a hint on how to
//! search.

use super::{Detail, brief_method, interface_of, is_taken, method, text};
use crate::limits::MAX_DECLARED_NAME_CHARACTERS;
use mcp::Tool;

/// The declarations and names of servers within a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Interfaces, and lists of names as comments.
    pub text: String,
    /// Members of `helpers`, such as `pubs: PubsTools`. A server of which only names are listed is
    /// a plain `Server`.
    pub members: Vec<String>,
}

/// The level of detail of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// An interface with all of its tools.
    Declared,
    /// Names of its tools.
    Named,
}

/// Characters of the last line, which gives the number of servers left out.
const REST_LINE_CHARACTERS: usize = 80;

/// Returns [`Overview::text`] within a budget of characters.
pub fn servers(servers: &[(&str, &[Tool])], budget_characters: usize) -> String {
    overview(servers, budget_characters).text
}

/// Renders full declarations if they fit; otherwise without long descriptions; otherwise, beginning
/// with the largest server, only names. Names are cut so that every server is named if possible.
/// The same servers and budget always give the same text.
pub fn overview(servers: &[(&str, &[Tool])], budget_characters: usize) -> Overview {
    let names = interface_names(servers);
    if let Some(whole) = all_whole(servers, &names, budget_characters) {
        let levels = vec![Level::Declared; servers.len()];
        return assembled(servers, &names, whole, &levels);
    }
    let room = budget_characters.saturating_sub(HOW_TO_SEARCH.chars().count());
    let mut levels = Vec::with_capacity(servers.len());
    let mut texts = Vec::with_capacity(servers.len());
    // The names of one server take no more than an equal share of the room, so that the
    // declarations of small servers still fit.
    let share = (room / servers.len().max(1)).max(1);
    for ((server, tools), name) in servers.iter().zip(&names) {
        let brief = declared(name, tools, Detail::Brief, room);
        levels.push(if brief.is_some() {
            Level::Declared
        } else {
            Level::Named
        });
        texts.push(brief.unwrap_or_else(|| named(server, tools, share)));
    }
    let mut largest: Vec<usize> = (0..texts.len()).collect();
    largest.sort_by_key(|place| {
        std::cmp::Reverse(texts.get(*place).map_or(0, |text| text.chars().count()))
    });
    for place in largest {
        if length(&texts) <= room {
            break;
        }
        if let (Some(text), Some(level), Some((server, tools))) = (
            texts.get_mut(place),
            levels.get_mut(place),
            servers.get(place),
        ) {
            *text = named(server, tools, share);
            *level = Level::Named;
        }
    }
    cut(&mut texts, room);
    if levels.contains(&Level::Named) && HOW_TO_SEARCH.chars().count() <= budget_characters {
        texts.push(HOW_TO_SEARCH.to_owned());
    }
    assembled(servers, &names, texts, &levels)
}

/// Returns all declarations in full, or `None` as soon as they do not fit.
fn all_whole(servers: &[(&str, &[Tool])], names: &[String], budget: usize) -> Option<Vec<String>> {
    let mut left = budget;
    servers
        .iter()
        .zip(names)
        .map(|((_, tools), name)| {
            let text = declared(name, tools, Detail::Full, left)?;
            left = left.checked_sub(text.chars().count())?;
            Some(text)
        })
        .collect()
}

const HOW_TO_SEARCH: &str = "// Not declared here? await helpers.search(\"words\") finds tools, (await helpers.describe(\"server\", \"tool\")).declaration shows one\n";

/// Renders a server without an interface of its own as a member of `helpers`.
pub fn member(server: &str) -> String {
    format!("{}: Server", text::key(server))
}

fn assembled(
    servers: &[(&str, &[Tool])],
    names: &[String],
    texts: Vec<String>,
    levels: &[Level],
) -> Overview {
    let members = servers
        .iter()
        .zip(names)
        .zip(levels)
        .map(|(((server, _), name), level)| {
            if *level == Level::Named {
                member(server)
            } else {
                format!("{}: {name}", text::key(server))
            }
        })
        .collect();
    Overview {
        text: texts.concat(),
        members,
    }
}

/// Returns a name for each interface. Servers whose names differ only in separators would otherwise
/// share one.
fn interface_names(servers: &[(&str, &[Tool])]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(servers.len());
    for (server, _) in servers {
        let name = text::interface_name(server);
        let mut free = name.clone();
        let mut number = 2;
        while names.contains(&free) {
            free = format!("{name}{number}");
            number += 1;
        }
        names.push(free);
    }
    names
}

/// Renders a server's interface, or returns `None` as soon as it does not fit, so that the rest of
/// a thousand tools is not rendered for nothing.
fn declared(name: &str, tools: &[Tool], detail: Detail, room: usize) -> Option<String> {
    let mut left = room;
    let mut methods = Vec::with_capacity(tools.len());
    for tool in tools {
        let text = match detail {
            Detail::Full => method(tool),
            Detail::Brief => brief_method(tool),
        };
        left = left.checked_sub(text.chars().count())?;
        methods.push(text);
    }
    let text = interface_of(name, tools, &methods);
    (text.chars().count() <= room).then_some(text)
}

/// Renders the names of a server: `// helpers.pubs: search, get_paper, … (57 tools)`.
fn named(server: &str, tools: &[Tool], characters: usize) -> String {
    let mut line = format!(
        "// helpers.{}:",
        text::one_line(server, MAX_DECLARED_NAME_CHARACTERS)
    );
    let count = match tools.len() {
        1 => " (1 tool)\n".to_owned(),
        number => format!(" ({number} tools)\n"),
    };
    let mut left = characters
        .saturating_sub(line.chars().count() + count.chars().count() + ", …".chars().count());
    for (shown, tool) in tools.iter().enumerate() {
        let name = text::one_line(&shown_name(tool), MAX_DECLARED_NAME_CHARACTERS);
        let separator = if shown == 0 { " " } else { ", " };
        let length = name.chars().count() + separator.len();
        if length > left {
            line.push_str(if shown == 0 { " …" } else { ", …" });
            break;
        }
        left -= length;
        line.push_str(separator);
        line.push_str(&name);
    }
    line.push_str(&count);
    line
}

/// Returns a name in the form in which it is called: after a dot, in square brackets, or by
/// `invoke`.
fn shown_name(tool: &Tool) -> String {
    if is_taken(&tool.name) {
        text::literal(&tool.name)
    } else {
        text::key(&tool.name)
    }
}

/// Leaves out the last servers if even their names do not fit.
fn cut(texts: &mut Vec<String>, room: usize) {
    if length(texts) <= room {
        return;
    }
    let mut left = room.saturating_sub(REST_LINE_CHARACTERS);
    let mut kept = 0;
    for text in texts.iter() {
        let Some(rest) = left.checked_sub(text.chars().count()) else {
            break;
        };
        left = rest;
        kept += 1;
    }
    let rest = texts.len() - kept;
    texts.truncate(kept);
    if room >= REST_LINE_CHARACTERS {
        texts.push(format!(
            "// … and {rest} more servers: await helpers.search(\"words\")\n"
        ));
    }
}

fn length(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).sum()
}
