//! Compares every function on every graph of `reference/reference.json` with the results of
//! NetworkX and igraph. `reference/generate.py` writes that file.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

use graph_analysis::centrality::{
    DegreeKind, betweenness, closeness, degree, eigenvector, harmonic, pagerank,
};
use graph_analysis::communities::{Leiden, leiden, modularity};
use graph_analysis::connectivity::cuts;
use graph_analysis::paths::{all_shortest, k_shortest, shortest};
use graph_analysis::structure::{
    Components, clustering, counts, degree_distribution, distances, strong_components,
    weak_components,
};
use graph_analysis::{AnalysisError, Direction, Network, Sources, Weights};
use serde_json::Value;

/// The tolerance for results of sums and quotients.
const EXACT: f64 = 1e-9;
/// The tolerance for eigenvectors.
const EIGENVECTOR: f64 = 1e-6;

struct Case {
    name: String,
    network: Network,
    /// True if there is a second set of results, with weights.
    is_weighted: bool,
    value: Value,
}

fn cases() -> Vec<Case> {
    let text = include_str!("reference/reference.json");
    let graphs: Vec<Value> = serde_json::from_str(text).unwrap();
    assert_eq!(graphs.len(), 26);
    graphs.into_iter().map(case).collect()
}

fn case(value: Value) -> Case {
    let edges = value["edges"].as_array().unwrap().iter().map(|edge| {
        (
            edge[0].as_u64().unwrap() as u32,
            edge[1].as_u64().unwrap() as u32,
            edge[2].as_f64().unwrap(),
        )
    });
    let direction = if value["directed"].as_bool().unwrap() {
        Direction::Directed
    } else {
        Direction::Undirected
    };
    let nodes = value["structure"]["nodes"].as_u64().unwrap() as u32;
    Case {
        name: value["name"].as_str().unwrap().to_owned(),
        network: Network::new(nodes, edges, direction).unwrap(),
        is_weighted: value["weighted"].as_bool().unwrap(),
        value,
    }
}

/// Returns the results of a part without weights and, if there are any, those with weights.
fn parts<'case>(case: &'case Case, part: &str) -> Vec<(Weights, &'case Value)> {
    let mut parts = vec![(Weights::Ignored, &case.value[part])];
    if case.is_weighted {
        parts.push((Weights::Used, &case.value[format!("weighted_{part}")]));
    }
    parts
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value}"));
    list.iter().map(|number| number.as_f64().unwrap()).collect()
}

fn assert_close(found: &[f64], expected: &Value, tolerance: f64, what: &str) {
    let expected = numbers(expected);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let difference = (found - expected).abs();
        assert!(
            difference <= tolerance * expected.abs().max(1.0),
            "{what}, {index}: {found} and not {expected}"
        );
    }
}

fn groups(components: &Components) -> Value {
    let mut groups = vec![Vec::new(); components.sizes.len()];
    for (node, label) in components.labels.iter().enumerate() {
        groups[*label as usize].push(node);
    }
    for (group, size) in groups.iter().zip(&components.sizes) {
        assert_eq!(group.len(), *size as usize);
    }
    serde_json::json!(groups)
}

#[test]
fn counts_density_components_and_degrees_are_those_of_networkx() {
    for case in cases() {
        let (name, expected) = (&case.name, &case.value["structure"]);
        let found = counts(&case.network);
        assert_eq!(u64::from(found.nodes), expected["nodes"], "{name}");
        assert_eq!(found.edges, expected["edges"], "{name}");
        assert_eq!(found.given_edges, expected["given_edges"], "{name}");
        assert_eq!(
            u64::from(found.self_loops),
            expected["self_loops"],
            "{name}"
        );
        assert!(
            (found.density - expected["density"].as_f64().unwrap()).abs() < EXACT,
            "{name}"
        );
        assert_eq!(
            groups(&weak_components(&case.network)),
            expected["weak"],
            "{name}"
        );
        assert_eq!(
            groups(&strong_components(&case.network)),
            expected["strong"],
            "{name}"
        );
        let degrees = degree_distribution(&case.network);
        assert_eq!(
            serde_json::json!(degrees.total),
            expected["degrees"],
            "{name}"
        );
        let directed = |list: Option<_>| list.map_or(Value::Null, |list| serde_json::json!(list));
        assert_eq!(directed(degrees.incoming), expected["in_degrees"], "{name}");
        assert_eq!(
            directed(degrees.outgoing),
            expected["out_degrees"],
            "{name}"
        );
    }
}

#[test]
fn distances_of_every_component_are_those_of_networkx() {
    for case in cases() {
        let name = &case.name;
        let shapes = case.value["structure"]["shapes"].as_array().unwrap();
        let found = distances(&case.network, Sources::All).unwrap();
        assert_eq!(found.sampled_sources, None);
        assert_eq!(found.by_component.len(), shapes.len(), "{name}");
        for (found, expected) in found.by_component.iter().zip(shapes) {
            let whole = [
                Some(f64::from(found.size)),
                found.diameter.map(f64::from),
                found.radius.map(f64::from),
                found.average_path_length,
            ];
            let whole: Vec<f64> = whole.into_iter().flatten().collect();
            assert_close(&whole, expected, EXACT, name);
        }
        let whole = match found.by_component.as_slice() {
            [whole] => Some(whole),
            _ => None,
        };
        assert_eq!(found.is_connected, whole.is_some(), "{name}");
        assert_eq!(
            found.diameter,
            whole.and_then(|whole| whole.diameter),
            "{name}"
        );
        assert_eq!(found.radius, whole.and_then(|whole| whole.radius), "{name}");
        assert_eq!(
            found.average_path_length,
            whole.and_then(|whole| whole.average_path_length),
            "{name}"
        );
    }
}

#[test]
fn clustering_is_that_of_networkx() {
    for case in cases() {
        let (name, expected) = (&case.name, &case.value["structure"]);
        let found = clustering(&case.network).unwrap();
        assert_close(&found.coefficients, &expected["clustering"], EXACT, name);
        let average = expected["average_clustering"].as_f64().unwrap();
        assert!((found.average - average).abs() < EXACT, "{name}");
        let transitivity = expected["transitivity"].as_f64().unwrap();
        assert!((found.transitivity - transitivity).abs() < EXACT, "{name}");
    }
}

#[test]
fn bridges_and_articulation_points_are_those_of_networkx() {
    for case in cases() {
        let (name, expected) = (&case.name, &case.value["structure"]);
        let found = cuts(&case.network).unwrap();
        assert_eq!(
            serde_json::json!(found.bridges),
            expected["bridges"],
            "{name}"
        );
        assert_eq!(
            serde_json::json!(found.articulation_points),
            expected["articulation_points"],
            "{name}"
        );
    }
}

#[test]
fn centralities_are_those_of_networkx_with_and_without_weights() {
    for case in cases() {
        for (weights, expected) in parts(&case, "centrality") {
            let network = &case.network;
            let named = |measure: &str| format!("{}, {measure}, {weights:?}", case.name);
            let all = Sources::All;
            for (measure, scores) in [
                ("betweenness", betweenness(network, weights, all)),
                ("closeness", closeness(network, weights, all)),
                ("harmonic", harmonic(network, weights, all)),
            ] {
                let scores = scores.unwrap();
                assert_eq!(scores.sampled_sources, None);
                assert_close(&scores.values, &expected[measure], EXACT, &named(measure));
            }
            let ranks = pagerank(network, weights);
            assert_close(&ranks, &expected["pagerank"], 1e-12, &named("pagerank"));
            match (eigenvector(network, weights), &expected["eigenvector"]) {
                (Ok(vector), Value::Null) => assert_eq!(vector, [0.0; 0], "{}", case.name),
                (Ok(vector), expected) => {
                    assert_close(&vector, expected, EIGENVECTOR, &named("eigenvector"));
                }
                (Err(error), expected) => {
                    assert_eq!(error, AnalysisError::NoEigenvector, "{}", case.name);
                    assert_eq!(*expected, Value::Null, "{}", case.name);
                }
            }
        }
        let expected = &case.value["centrality"];
        for (kind, measure) in [
            (DegreeKind::Total, "degree"),
            (DegreeKind::Incoming, "in_degree"),
            (DegreeKind::Outgoing, "out_degree"),
        ] {
            // Without directions there is only one kind of degree.
            let undirected = case.network.direction() == Direction::Undirected;
            let expected = &expected[if undirected { "degree" } else { measure }];
            assert_close(&degree(&case.network, kind), expected, EXACT, &case.name);
        }
    }
}

/// Compares with an independent implementation: betweenness, closeness, PageRank, components,
/// distances, transitivity, bridges, articulation points.
#[test]
fn measures_without_weights_are_those_of_igraph_too() {
    let mut compared = 0;
    for case in cases() {
        let (name, network) = (&case.name, &case.network);
        let expected = &case.value["igraph"];
        if expected.is_null() {
            assert_eq!(network.node_count(), 0, "{name}");
            continue;
        }
        compared += 1;
        let all = Sources::All;
        let between = betweenness(network, Weights::Ignored, all).unwrap().values;
        assert_close(&between, &expected["betweenness"], EXACT, name);
        let close = closeness(network, Weights::Ignored, all).unwrap().values;
        assert_close(&close, &expected["closeness"], EXACT, name);
        let ranks = pagerank(network, Weights::Ignored);
        assert_close(&ranks, &expected["pagerank"], EXACT, name);
        assert_eq!(
            groups(&weak_components(network)),
            expected["weak"],
            "{name}"
        );
        assert_eq!(
            groups(&strong_components(network)),
            expected["strong"],
            "{name}"
        );
        let found = distances(network, all).unwrap().by_component;
        let shapes = expected["shapes"].as_array().unwrap();
        assert_eq!(found.len(), shapes.len(), "{name}");
        for (found, shape) in found.iter().zip(shapes) {
            let whole = [
                f64::from(found.size),
                f64::from(found.diameter.unwrap()),
                f64::from(found.radius.unwrap()),
                found.average_path_length.unwrap(),
            ];
            assert_close(&whole, shape, EXACT, name);
        }
        let transitivity = expected["transitivity"].as_f64().unwrap();
        let found = clustering(network).unwrap().transitivity;
        assert!((found - transitivity).abs() < EXACT, "{name}");
        let found = cuts(network).unwrap();
        assert_eq!(
            serde_json::json!(found.bridges),
            expected["bridges"],
            "{name}"
        );
        assert_eq!(
            serde_json::json!(found.articulation_points),
            expected["articulation_points"],
            "{name}"
        );
    }
    assert_eq!(compared, 25);
}

#[test]
fn modularity_of_given_communities_is_that_of_networkx() {
    for case in cases() {
        for (weights, expected) in parts(&case, "communities") {
            if expected.is_null() {
                let labels = vec![0; case.network.node_count() as usize];
                let found = modularity(&case.network, weights, &labels, 1.0);
                assert_eq!(found, Ok(None), "{}", case.name);
                continue;
            }
            let labels: Vec<u32> = numbers(&expected["labels"])
                .iter()
                .map(|label| *label as u32)
                .collect();
            for row in expected["modularity"].as_array().unwrap() {
                let found = modularity(&case.network, weights, &labels, row[0].as_f64().unwrap());
                let found = found.unwrap().unwrap();
                assert!(
                    (found - row[1].as_f64().unwrap()).abs() < EXACT,
                    "{} {weights:?}: {found} and not {row}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn leiden_is_as_good_as_the_best_of_ten_runs_of_igraph() {
    for case in cases() {
        for (weights, expected) in parts(&case, "communities") {
            if expected.is_null() {
                continue;
            }
            let name = &case.name;
            // Random graphs, which have no communities, need more runs.
            let is_small = case.network.node_count() < 100;
            let mut options = Leiden {
                weights,
                ..Leiden::default()
            };
            if !is_small && !name.starts_with("LFR") {
                options.steps = Some(20_000_000);
            }
            let found = leiden(&case.network, options).unwrap();
            let quality = found.modularity.unwrap();
            let best = expected["leiden"][0].as_f64().unwrap();
            let slack = if name.starts_with("LFR") { 0.001 } else { 1e-9 };
            assert!(
                quality >= best - slack,
                "{name} {weights:?}: {quality}, igraph {best}"
            );
            let again = modularity(&case.network, weights, &found.labels, 1.0);
            assert!((again.unwrap().unwrap() - quality).abs() < 1e-12, "{name}");
            if (quality - best).abs() < 1e-9 {
                assert_eq!(found.sizes.len() as u64, expected["leiden"][1], "{name}");
            }
        }
    }
}

#[test]
fn leiden_reaches_the_known_optima() {
    for (name, optimum, communities) in [
        ("karate", 0.419_790, 4),
        ("Les Miserables", 0.560_008, 6),
        ("Florentine families", 0.398_750, 3),
    ] {
        let case = cases().into_iter().find(|case| case.name == name).unwrap();
        for seed in 0..20 {
            let options = Leiden {
                seed,
                ..Leiden::default()
            };
            let found = leiden(&case.network, options).unwrap();
            let quality = found.modularity.unwrap();
            assert!((quality - optimum).abs() < 1e-6, "{name} {seed}: {quality}");
            assert_eq!(found.sizes.len(), communities, "{name}");
        }
    }
}

/// Returns the normalised mutual information of two partitions: 1 if they are the same, with the
/// arithmetic mean of the entropies as the divisor.
fn mutual_information(one: &[u32], other: &[u32]) -> f64 {
    use std::collections::BTreeMap;
    let total = one.len() as f64;
    let mut joint = BTreeMap::new();
    let mut of_one = BTreeMap::new();
    let mut of_other = BTreeMap::new();
    for (one, other) in one.iter().zip(other) {
        *joint.entry((*one, *other)).or_insert(0.0) += 1.0 / total;
        *of_one.entry(*one).or_insert(0.0) += 1.0 / total;
        *of_other.entry(*other).or_insert(0.0) += 1.0 / total;
    }
    let entropy = |shares: &BTreeMap<u32, f64>| -> f64 {
        shares.values().map(|share| -share * share.ln()).sum()
    };
    let shared: f64 = joint
        .iter()
        .map(|((one, other), share)| share * (share / (of_one[one] * of_other[other])).ln())
        .sum();
    2.0 * shared / (entropy(&of_one) + entropy(&of_other))
}

#[test]
fn leiden_finds_planted_communities() {
    let mut planted_graphs = 0;
    for case in cases().iter().filter(|case| case.name.starts_with("LFR")) {
        let planted: Vec<u32> = numbers(&case.value["planted"])
            .iter()
            .map(|label| *label as u32)
            .collect();
        let found = leiden(&case.network, Leiden::default()).unwrap();
        let agreement = mutual_information(&found.labels, &planted);
        // With stronger mixing, the partition with the greatest modularity joins small communities.
        let least = if case.name.ends_with("0.1") {
            0.98
        } else {
            0.93
        };
        assert!(agreement > least, "{}: {agreement}", case.name);
        planted_graphs += 1;
    }
    assert_eq!(planted_graphs, 2);
}

#[test]
fn paths_are_those_of_networkx_with_and_without_weights() {
    let mut listed = 0;
    for case in cases() {
        for (weights, expected) in parts(&case, "paths") {
            for pair in expected.as_array().unwrap() {
                check_pair(&case, weights, pair);
                listed += 1;
            }
        }
    }
    assert!(listed > 180, "{listed} pairs");
}

fn check_pair(case: &Case, weights: Weights, pair: &Value) {
    let name = format!("{} {weights:?} {pair}", case.name);
    let network = &case.network;
    let end = |key: &str| pair[key].as_u64().unwrap() as u32;
    let (source, target) = (end("source"), end("target"));
    let path = shortest(network, source, target, weights).unwrap();
    let all = all_shortest(network, source, target, weights, 60).unwrap();
    let Some(length) = pair["length"].as_f64() else {
        assert_eq!(path, None, "{name}");
        assert!(all.paths.is_empty() && !all.is_cut, "{name}");
        return;
    };
    let path = path.unwrap();
    assert!((path.length - length).abs() < EXACT, "{name}");
    if pair["shortest"].is_null() {
        assert!(all.is_cut && all.paths.len() == 60, "{name}");
    } else {
        let nodes: Vec<_> = all.paths.iter().map(|path| &path.nodes).collect();
        assert_eq!(serde_json::json!(nodes), pair["shortest"], "{name}");
        assert!(!all.is_cut, "{name}");
        assert!(nodes.contains(&&path.nodes), "{name}");
    }
    if let Some(simple) = pair["simple"].as_array() {
        let found = k_shortest(network, source, target, 8, weights).unwrap();
        let lengths: Vec<f64> = found.paths.iter().map(|path| path.length).collect();
        assert_close(&lengths, &pair["simple"], EXACT, &name);
        assert_eq!(found.paths[0], path, "{name}");
        assert!(!found.is_cut, "{name}");
        assert!(simple.len() <= 8);
    }
}
