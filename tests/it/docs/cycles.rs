//! Modules of a crate do not use each other in a circle.
//!
//! The modules of a crate, files and folders alike, use each other in one direction, and so do the folders within a folder. The files of a
//! folder within may share one type, and so may use each other. Arrows are read from the text: the paths of `use`, and paths
//! elsewhere that begin with `crate` or `super`, both followed through the `pub use` of `lib.rs` and `mod.rs`.
//!
//! What this does not see: what `lib.rs` or a `mod.rs` defines itself, which belongs to the whole folder; what a method or a macro brings
//! along without naming it; names behind `*`; tests, which may use anything.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::layers::crate_names;
use super::markdown::{files, read};

/// The names of a module and of those around it, from the crate down; none for the crate itself.
type Module = Vec<String>;

/// The sources of a crate, by module.
type Sources = BTreeMap<Module, String>;

/// The modules of one folder: who uses whom, with one line that shows it.
type Arrows = BTreeMap<String, BTreeMap<String, String>>;

fn sources(folder: &str) -> Sources {
    files(folder, ".rs")
        .into_iter()
        .filter_map(|path| {
            let inside = path.strip_prefix(folder)?.strip_prefix('/')?;
            let mut module: Module = inside
                .strip_suffix(".rs")?
                .split('/')
                .map(str::to_owned)
                .collect();
            if module
                .last()
                .is_some_and(|last| matches!(last.as_str(), "mod" | "lib"))
            {
                module.pop();
            }
            let is_test = module.iter().any(|name| name == "tests");
            (!is_test).then(|| (module, read(&path)))
        })
        .collect()
}

/// The text without its tests, which come last, and without comments.
fn code(source: &str) -> String {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let lines = source.lines();
    lines
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// A path that is named, and whether it is handed on under a name of its own.
struct Named {
    segments: Vec<String>,
    exported_as: Option<String>,
}

/// All paths of a text: those of `use`, and others that say where they begin.
fn named(code: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let (visibility, after) = match line.trim_start().split_once("use ") {
            Some((before, after)) if before.is_empty() || before.starts_with("pub") => {
                (before, after)
            }
            _ => {
                rest.push_str(line);
                rest.push('\n');
                continue;
            }
        };
        let mut tree = after.to_owned();
        while !tree.contains(';') {
            let Some(next) = lines.next() else { break };
            tree.push_str(next);
        }
        for path in leaves(tree.split(';').next().unwrap_or_default()) {
            let (path, alias) = path
                .split_once(" as ")
                .map_or((path.as_str(), None), |(path, alias)| (path, Some(alias)));
            let segments: Vec<String> = path
                .split("::")
                .map(|name| name.trim().to_owned())
                .collect();
            let own = segments.iter().rfind(|name| *name != "self").cloned();
            found.push(Named {
                exported_as: (!visibility.is_empty())
                    .then(|| alias.map(|alias| alias.trim().to_owned()).or(own))
                    .flatten(),
                segments,
            });
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(start) {
            let (before, path) = rest.split_at(at);
            // A path that begins further left was found there.
            if before.ends_with("::") {
                continue;
            }
            let path: String = path
                .chars()
                .take_while(|letter| letter.is_alphanumeric() || matches!(letter, '_' | ':'))
                .collect();
            found.push(Named {
                segments: path.split("::").map(str::to_owned).collect(),
                exported_as: None,
            });
        }
    }
    found
}

/// The paths of a tree with braces.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, inside)) = tree.split_once('{') else {
        return if tree.is_empty() {
            Vec::new()
        } else {
            vec![tree.to_owned()]
        };
    };
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let mut depth = 0_usize;
    let parts = inside.split(move |letter| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && letter == ','
    });
    parts
        .flat_map(leaves)
        .map(|leaf| format!("{before}{leaf}"))
        .collect()
}

/// A path from the crate down; nothing where it leads out of the crate.
fn absolute(from: &Module, segments: &[String], sources: &Sources) -> Option<Module> {
    let first = segments.first()?;
    match first.as_str() {
        "crate" => Some(segments[1..].to_vec()),
        "self" => Some([from, &segments[1..]].concat()),
        "super" => {
            let up = segments.iter().take_while(|name| *name == "super").count();
            let around = from.get(..from.len().checked_sub(up)?)?;
            Some([around, &segments[up..]].concat())
        }
        _ => {
            let path = [from.as_slice(), segments].concat();
            sources.contains_key(&path[..=from.len()]).then_some(path)
        }
    }
}

/// The module that a path leads to, as far as its segments are modules or are handed on by one.
fn follow(mut path: Module, sources: &Sources, handed_on: &BTreeMap<Module, Module>) -> Module {
    let mut length = 0;
    // What is handed on may be handed on again, but not for ever.
    let mut detours = 0;
    while length < path.len() {
        let prefix = &path[..=length];
        if sources.contains_key(prefix) {
            length += 1;
        } else if let Some(target) = handed_on.get(prefix).filter(|_| detours < 8) {
            path = [target.as_slice(), &path[length + 1..]].concat();
            length = 0;
            detours += 1;
        } else {
            break;
        }
    }
    path.truncate(length);
    path
}

/// The arrows between the modules of each folder.
fn arrows(sources: &Sources) -> BTreeMap<Module, Arrows> {
    let texts: Vec<(&Module, Vec<Named>)> = sources
        .iter()
        .map(|(module, source)| (module, named(&code(source))))
        .collect();
    let mut handed_on = BTreeMap::new();
    for (module, paths) in &texts {
        for path in paths {
            if let Some(name) = &path.exported_as
                && let Some(target) = absolute(module, &path.segments, sources)
            {
                let known_as = [module.as_slice(), std::slice::from_ref(name)].concat();
                if known_as != target {
                    handed_on.insert(known_as, target);
                }
            }
        }
    }
    let mut found: BTreeMap<Module, Arrows> = BTreeMap::new();
    for (module, paths) in &texts {
        for path in paths {
            let Some(target) = absolute(module, &path.segments, sources) else {
                continue;
            };
            let target = follow(target, sources, &handed_on);
            let common = module
                .iter()
                .zip(&target)
                .take_while(|(one, other)| one == other)
                .count();
            // Between a module and what is around or within it there is no direction.
            let (Some(user), Some(used)) = (module.get(common), target.get(common)) else {
                continue;
            };
            found
                .entry(module[..common].to_vec())
                .or_default()
                .entry(user.clone())
                .or_default()
                .entry(used.clone())
                .or_insert_with(|| format!("{}: {}", module.join("/"), path.segments.join("::")));
        }
    }
    found
}

/// The shortest way from a module back to itself.
fn circle(arrows: &Arrows, start: &str) -> Option<Vec<String>> {
    let mut open = VecDeque::from([vec![start.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = open.pop_front() {
        for next in arrows.get(way.last()?).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                open.push_back([way.as_slice(), std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

/// The circles of a crate, each with the paths that make it.
fn circles(sources: &Sources) -> Vec<String> {
    let is_folder = |folder: &Module, name: &String| {
        let module = [folder.as_slice(), std::slice::from_ref(name)].concat();
        sources
            .keys()
            .any(|other| other.len() > module.len() && other.starts_with(&module))
    };
    let mut found = BTreeMap::new();
    for (folder, arrows) in arrows(sources) {
        for start in arrows.keys() {
            let Some(way) = circle(&arrows, start) else {
                continue;
            };
            if !folder.is_empty() && !way.iter().any(|name| is_folder(&folder, name)) {
                continue;
            }
            let steps: Vec<&str> = way
                .iter()
                .zip(way.iter().cycle().skip(1))
                .map(|(user, used)| arrows[user][used].as_str())
                .collect();
            let members: BTreeSet<String> = way.iter().cloned().collect();
            found
                .entry((folder.clone(), members))
                .or_insert_with(|| format!("{} ({})", way.join(" -> "), steps.join("; ")));
        }
    }
    found.into_values().collect()
}

#[test]
fn modules_of_a_crate_do_not_use_each_other_in_a_circle() {
    let crates = crate_names().map(|name| format!("crates/{name}/src"));
    let mut found = Vec::new();
    let mut arrows_seen = 0;
    for folder in crates.chain(["src".to_owned()]) {
        let sources = sources(&folder);
        arrows_seen += arrows(&sources)
            .values()
            .flat_map(BTreeMap::values)
            .map(BTreeMap::len)
            .sum::<usize>();
        found.extend(
            circles(&sources)
                .into_iter()
                .map(|circle| format!("{folder}: {circle}")),
        );
    }
    assert!(
        found.is_empty(),
        "what two modules share belongs into a third that both use:\n{}",
        found.join("\n")
    );
    assert!(arrows_seen > 500, "{arrows_seen} arrows are read");
}

#[track_caller]
fn has_circles(files: &[(&str, &str)], expected: &[&str]) {
    let sources: Sources = files
        .iter()
        .map(|(module, source)| {
            let names = module.split('/').filter(|name| !name.is_empty());
            (names.map(str::to_owned).collect(), (*source).to_owned())
        })
        .collect();
    assert_eq!(circles(&sources), expected);
}

#[test]
fn a_circle_is_found_through_what_is_handed_on() {
    has_circles(
        &[
            ("", "mod a;\nmod b;\npub use a::One;"),
            ("a", "use super::b::{\n    inner::Two,\n    Three,\n};"),
            ("b", "mod inner;"),
            ("b/inner", "fn f() { crate::One::new() }"),
        ],
        &["a -> b (a: super::b::inner::Two; b/inner: crate::One::new)"],
    );
}

#[test]
fn one_direction_comments_tests_and_files_of_a_folder_make_no_circle() {
    has_circles(
        &[
            ("", "mod a;\nmod b;\npub use std::One;"),
            ("a", "use crate::b::Two; // use crate::c::Three;"),
            (
                "b",
                "use crate::One;\n#[cfg(test)]\nmod tests {\n    use crate::a::Four;\n}",
            ),
            ("b/x", "use super::y::Five;"),
            ("b/y", "use super::x::Six; use super::super::c::Seven;"),
            ("c", "use std::a::Eight;"),
        ],
        &[],
    );
}

#[test]
fn folders_within_a_folder_make_a_circle() {
    has_circles(
        &[
            ("", "mod a;"),
            ("a", ""),
            ("a/x", ""),
            ("a/x/deep", "use crate::a::y::One;"),
            ("a/y", "use super::x;"),
        ],
        &["x -> y (a/x/deep: crate::a::y::One; a/y: super::x)"],
    );
}
