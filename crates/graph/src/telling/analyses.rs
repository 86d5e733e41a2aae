//! Texts for the results of analyses: central nodes, communities, paths, and statistics of the
//! structure.

use serde_json::Value;

use super::{Labels, Name, at, count, counted, named, node_line, text};

/// The most entries of a list in a text. The structured content has them all.
const MAX_SHOWN: usize = 100;

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    at(value, name).as_array().into_iter().flatten()
}

/// Returns a number with enough digits to distinguish scores.
fn number(value: &Value) -> String {
    match value.as_f64() {
        Some(float) if !value.is_u64() && !value.is_i64() => {
            let text = format!("{float:.6}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            // A negative number that rounds to 0.
            if text == "-0" { "0" } else { text }.to_owned()
        }
        Some(_) => value.to_string(),
        None => "unknown".to_owned(),
    }
}

/// Returns the label of a node, with its id if another node has the same label.
fn called(node: &Value, labels: &Labels) -> String {
    match at(node, "id") {
        Value::Null => named(text(node, "label")),
        id => labels.of(id),
    }
}

/// Returns a text with the most central nodes and their scores.
pub fn central(body: &Value, _name: Name<'_>) -> String {
    let data = at(body, "data");
    let mut labels = Labels::default();
    labels.learn(list(data, "scores").take(MAX_SHOWN));
    let mut words = format!("Nodes by {}:", text(data, "measure"));
    for (at_, score) in list(data, "scores").take(MAX_SHOWN).enumerate() {
        words.push_str(&format!(
            "\n{}. {}: {}",
            at_ + 1,
            node_line(score, &labels),
            number(at(score, "score"))
        ));
    }
    if let Some(sources) = at(data, "sampledSources").as_u64() {
        words.push_str(&format!(
            "\nThe scores are estimated from {sources} of the nodes."
        ));
    }
    words
}

/// Returns a text with the communities and their members.
pub fn communities(body: &Value, _name: Name<'_>) -> String {
    let data = at(body, "data");
    let mut words = format!(
        "{}, modularity {}.",
        match count(data, "count") {
            1 => "1 community".to_owned(),
            number => format!("{number} communities"),
        },
        number(at(data, "modularity"))
    );
    let mut labels = Labels::default();
    for community in list(data, "communities").take(MAX_SHOWN) {
        labels.learn(list(community, "members").take(MAX_SHOWN));
    }
    for (at_, community) in list(data, "communities").take(MAX_SHOWN).enumerate() {
        let size = count(community, "size");
        let members: Vec<String> = list(community, "members")
            .take(MAX_SHOWN)
            .map(|member| called(member, &labels))
            .collect();
        let more = if size > members.len() as u64 {
            ", …"
        } else {
            ""
        };
        words.push_str(&format!(
            "\n{}. {}: {}{more}",
            at_ + 1,
            counted(size, "member"),
            members.join(", ")
        ));
    }
    words
}

/// Returns a text with the paths, node by node.
pub fn paths(body: &Value, _name: Name<'_>) -> String {
    let data = at(body, "data");
    let mut labels = Labels::default();
    labels.learn([at(data, "from"), at(data, "to")]);
    for path in list(data, "paths").take(MAX_SHOWN) {
        labels.learn(list(path, "nodes"));
    }
    let found: Vec<String> = list(data, "paths")
        .take(MAX_SHOWN)
        .map(|path| {
            let nodes: Vec<String> = list(path, "nodes")
                .map(|node| called(node, &labels))
                .collect();
            format!(
                "- {} (length {})",
                nodes.join(" -> "),
                number(at(path, "length"))
            )
        })
        .collect();
    match found.len() {
        0 => format!(
            "There is no path from '{}' to '{}'.",
            called(at(data, "from"), &labels),
            called(at(data, "to"), &labels)
        ),
        1 => format!("Found 1 path:\n{}", found.concat()),
        many => {
            let more = if at(data, "truncated") == true {
                "\nThere are more."
            } else {
                ""
            };
            format!("Found {many} paths:\n{}{more}", found.join("\n"))
        }
    }
}

/// The values that a graph with several components does not have.
const OF_CONNECTED: &[&str] = &["diameter", "radius", "averagePathLength"];

/// Returns a text with the statistics of the structure and their names. The distributions are only
/// in the structured content.
pub fn structure(body: &Value, _name: Name<'_>) -> String {
    let data = at(body, "data");
    let mut words = "Structure of the graph:".to_owned();
    for (name, value) in data.as_object().into_iter().flatten() {
        let said = match value {
            Value::Number(_) => number(value),
            Value::Bool(true) => "yes".to_owned(),
            Value::Bool(false) => "no".to_owned(),
            Value::Null if OF_CONNECTED.contains(&name.as_str()) => {
                "none, the graph is not connected".to_owned()
            }
            Value::Object(counted) if counted.contains_key("count") => number(at(value, "count")),
            _ => continue,
        };
        words.push_str(&format!("\n- {}: {said}", in_words(name)));
    }
    words
}

/// Returns `averagePathLength` as `average path length`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(character.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_tool;
    use super::*;
    use serde_json::json;

    fn check(tool: &str, body: Value, words: &str) {
        assert_eq!(of_tool(tool, &body, &Labels::default()), words, "{tool}");
    }

    #[test]
    fn analyses_are_said() {
        check(
            "findCentrality",
            json!({"data": {"measure": "betweenness", "scores": [{"label": "Medici", "type": "family", "score": 0.521_978_021}, {"label": "A", "type": "b", "score": 1}], "sampledSources": 50}}),
            "Nodes by betweenness:\n1. Medici (family): 0.521978\n2. A (b): 1\nThe scores are estimated from 50 of the nodes.",
        );
        check(
            "detectCommunities",
            json!({"data": {"modularity": 0.4, "count": 2, "communities": [{"size": 2, "members": [{"label": "a"}, {"label": "b"}]}, {"size": 5, "members": [{"label": "c"}]}]}}),
            "2 communities, modularity 0.4.\n1. 2 members: a, b\n2. 5 members: c, …",
        );
        check(
            "findPath",
            json!({"data": {"paths": [{"nodes": [{"label": "TP53"}, {"label": "INS"}], "length": 1}]}}),
            "Found 1 path:\n- TP53 -> INS (length 1)",
        );
        check(
            "findPath",
            json!({"data": {"from": {"label": "A"}, "to": {"label": "B"}, "paths": []}}),
            "There is no path from 'A' to 'B'.",
        );
        check(
            "findPath",
            json!({"data": {"paths": [{"nodes": [{"id": "a", "label": "TP53"}, {"id": "i", "label": "INS"}, {"id": "b", "label": "TP53"}], "length": -0.0}]}}),
            "Found 1 path:\n- TP53 (a) -> INS -> TP53 (b) (length 0)",
        );
        check(
            "findPath",
            json!({"data": {"from": {"id": "a", "label": "A"}, "to": {"id": "b", "label": "A"}, "paths": []}}),
            "There is no path from 'A (a)' to 'A (b)'.",
        );
        check(
            "findCentrality",
            json!({"data": {"measure": "degree", "scores": [{"id": "a", "label": "A", "type": "x", "score": 1}, {"id": "b", "label": "A", "type": "y", "score": -0.000_000_01}]}}),
            "Nodes by degree:\n1. A (x) a: 1\n2. A (y) b: 0",
        );
        check(
            "detectCommunities",
            json!({"data": {"modularity": null, "count": 1, "communities": [{"size": 2, "members": [{"id": "a", "label": "A"}, {"id": "b", "label": "A"}]}]}}),
            "1 community, modularity unknown.\n1. 2 members: A (a), A (b)",
        );
        check(
            "analyzeStructure",
            json!({"data": {"nodes": 34, "averagePathLength": 2.4082, "connected": true, "diameter": null, "components": {"count": 2, "largest": [30, 4]}, "degreeDistribution": [], "sampledSources": null}}),
            "Structure of the graph:\n- nodes: 34\n- average path length: 2.4082\n- connected: yes\n- diameter: none, the graph is not connected\n- components: 2",
        );
    }
}
