//! Properties on random graphs: compared with definitions computed by brute force and with
//! petgraph, and properties of communities.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

use graph_analysis::centrality::{betweenness, closeness, eigenvector, harmonic, pagerank};
use graph_analysis::communities::{Leiden, leiden};
use graph_analysis::connectivity::cuts;
use graph_analysis::paths::{all_shortest, k_shortest, shortest};
use graph_analysis::structure::{clustering, distances, strong_components, weak_components};
use graph_analysis::{AnalysisError, Direction, Network, Sources, Weights};
use petgraph::graph::{DiGraph, NodeIndex, UnGraph};

type Edges = Vec<(u32, u32, f64)>;

/// Returns a random graph: a seed determines its size, its density and its edges, with loops and
/// parallel edges.
fn random_graph(seed: u64) -> (u32, Edges) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |bound: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as u32 % bound
    };
    let nodes = 1 + below(14);
    let count = below(3 * nodes + 1);
    let edges = (0..count)
        .map(|_| (below(nodes), below(nodes), f64::from(1 + below(12)) / 4.0))
        .collect();
    (nodes, edges)
}

fn each_graph(mut check: impl FnMut(&Network, &[(u32, u32, f64)], u64)) {
    for seed in 0..400 {
        let (nodes, edges) = random_graph(seed);
        for direction in [Direction::Directed, Direction::Undirected] {
            let network = Network::new(nodes, edges.iter().copied(), direction).unwrap();
            check(&network, &edges, seed);
        }
    }
}

/// Returns all distances, computed by relaxing every pair over every node (Floyd and Warshall), and
/// the arcs on which they are based.
fn all_distances(
    network: &Network,
    edges: &[(u32, u32, f64)],
    weights: Weights,
) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let nodes = network.node_count() as usize;
    let mut arcs = vec![vec![f64::INFINITY; nodes]; nodes];
    for (source, target, weight) in edges {
        let (source, target) = (*source as usize, *target as usize);
        let length = if weights == Weights::Used {
            *weight
        } else {
            1.0
        };
        arcs[source][target] = arcs[source][target].min(length);
        if network.direction() == Direction::Undirected {
            arcs[target][source] = arcs[target][source].min(length);
        }
    }
    let mut distances = arcs.clone();
    for (node, row) in distances.iter_mut().enumerate() {
        row[node] = 0.0;
    }
    for middle in 0..nodes {
        for source in 0..nodes {
            for target in 0..nodes {
                let through = distances[source][middle] + distances[middle][target];
                distances[source][target] = distances[source][target].min(through);
            }
        }
    }
    (distances, arcs)
}

/// Returns all simple paths between two nodes with their lengths, the shortest first, then those
/// with fewer edges, then by node.
fn simple_paths(arcs: &[Vec<f64>], source: usize, target: usize) -> Vec<(f64, Vec<u32>)> {
    let mut found = Vec::new();
    let mut open = vec![(0.0, vec![source as u32])];
    while let Some((length, path)) = open.pop() {
        let last = path[path.len() - 1] as usize;
        if last == target {
            found.push((length, path));
            continue;
        }
        for (next, step) in arcs[last].iter().enumerate() {
            if step.is_finite() && !path.contains(&(next as u32)) {
                let mut longer = path.clone();
                longer.push(next as u32);
                open.push((length + step, longer));
            }
        }
    }
    found.sort_by(|one, other| {
        one.0
            .total_cmp(&other.0)
            .then(one.1.len().cmp(&other.1.len()))
            .then(one.1.cmp(&other.1))
    });
    found
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-9,
            "{what}: {found}, not {expected}"
        );
    }
}

#[test]
fn centralities_are_what_their_definitions_say() {
    each_graph(|network, edges, seed| {
        for weights in [Weights::Ignored, Weights::Used] {
            let (distances, arcs) = all_distances(network, edges, weights);
            let count = network.node_count() as usize;
            let others = count as f64 - 1.0;
            let mut expected_closeness = vec![0.0; count];
            let mut expected_harmonic = vec![0.0; count];
            for node in 0..count {
                let to: Vec<f64> = (0..count)
                    .filter(|other| *other != node)
                    .map(|other| distances[other][node])
                    .filter(|distance| distance.is_finite())
                    .collect();
                let sum: f64 = to.iter().sum();
                if sum > 0.0 {
                    let reached = to.len() as f64;
                    expected_closeness[node] = reached / others * reached / sum;
                }
                expected_harmonic[node] = to.iter().map(|distance| 1.0 / distance).sum();
            }
            let mut expected_betweenness = vec![0.0; count];
            for source in 0..count {
                for target in (0..count).filter(|target| *target != source) {
                    let paths = simple_paths(&arcs, source, target);
                    let Some(least) = paths.first().map(|path| path.0) else {
                        continue;
                    };
                    let paths: Vec<_> = paths.iter().filter(|path| path.0 == least).collect();
                    for (_, path) in &paths {
                        for node in &path[1..path.len() - 1] {
                            expected_betweenness[*node as usize] +=
                                1.0 / paths.len() as f64 / others / (others - 1.0);
                        }
                    }
                }
            }
            let name = format!("{seed} {:?} {weights:?}", network.direction());
            let all = Sources::All;
            let found = closeness(network, weights, all).unwrap();
            close(&found.values, &expected_closeness, &name);
            let found = harmonic(network, weights, all).unwrap();
            close(&found.values, &expected_harmonic, &name);
            let found = betweenness(network, weights, all).unwrap();
            close(&found.values, &expected_betweenness, &name);
        }
    });
}

#[test]
fn paths_are_the_first_of_all_simple_paths() {
    each_graph(|network, edges, seed| {
        for weights in [Weights::Ignored, Weights::Used] {
            let (_, arcs) = all_distances(network, edges, weights);
            let target = network.node_count() - 1;
            let expected = simple_paths(&arcs, 0, target as usize);
            let name = format!("{seed} {:?} {weights:?}", network.direction());
            let first = shortest(network, 0, target, weights).unwrap();
            let first = first.map(|path| (path.length, path.nodes));
            assert_eq!(first.as_ref(), expected.first(), "{name}");
            let listed = k_shortest(network, 0, target, 30, weights).unwrap();
            let paths: Vec<_> = listed
                .paths
                .into_iter()
                .map(|path| (path.length, path.nodes))
                .collect();
            assert_eq!(paths, expected[..expected.len().min(30)], "{name}");
            let mut least: Vec<_> = expected
                .iter()
                .filter(|path| path.0 == expected[0].0)
                .map(|path| path.1.clone())
                .collect();
            least.sort();
            let all = all_shortest(network, 0, target, weights, 1_000).unwrap();
            let all: Vec<_> = all.paths.into_iter().map(|path| path.nodes).collect();
            assert_eq!(all, least, "{name}");
        }
    });
}

#[test]
fn components_bridges_and_articulation_points_are_those_of_petgraph() {
    each_graph(|network, edges, seed| {
        let ends: Vec<(u32, u32)> = edges.iter().map(|edge| (edge.0, edge.1)).collect();
        let count = network.node_count();
        if network.direction() == Direction::Directed {
            let mut other = DiGraph::<(), ()>::from_edges(&ends);
            while other.node_count() < count as usize {
                other.add_node(());
            }
            let ours = strong_components(network);
            let theirs = petgraph::algo::kosaraju_scc(&other);
            assert_eq!(ours.sizes.len(), theirs.len(), "{seed}");
            for group in theirs {
                let label = ours.labels[group[0].index()];
                assert!(group.iter().all(|node| ours.labels[node.index()] == label));
            }
            return;
        }
        // petgraph expects simple graphs.
        let mut simple: Vec<_> = ends
            .iter()
            .filter(|(one, other)| one != other)
            .map(|(one, other)| (*one.min(other), *one.max(other)))
            .collect();
        simple.sort_unstable();
        simple.dedup();
        let mut other = UnGraph::<(), ()>::from_edges(&simple);
        while other.node_count() < count as usize {
            other.add_node(());
        }
        let found = cuts(network).unwrap();
        let mut bridges: Vec<_> = petgraph::algo::bridges::bridges(&other)
            .map(|edge| {
                let (one, two) = other
                    .edge_endpoints(petgraph::visit::EdgeRef::id(&edge))
                    .unwrap();
                (
                    one.index().min(two.index()) as u32,
                    one.index().max(two.index()) as u32,
                )
            })
            .collect();
        bridges.sort_unstable();
        assert_eq!(found.bridges, bridges, "{seed}");
        let mut points: Vec<u32> = petgraph::algo::articulation_points::articulation_points(&other)
            .into_iter()
            .map(|node: NodeIndex| node.index() as u32)
            .collect();
        points.sort_unstable();
        assert_eq!(found.articulation_points, points, "{seed}");
    });
}

#[test]
fn communities_are_connected_and_numbered_by_size() {
    each_graph(|network, edges, seed| {
        for resolution in [0.0, 0.5, 1.0, 3.0] {
            let options = Leiden {
                resolution,
                seed,
                weights: Weights::Used,
                steps: Some(5_000),
            };
            let found = leiden(network, options).unwrap();
            assert_eq!(found, leiden(network, options).unwrap(), "{seed}");
            let within = edges
                .iter()
                .copied()
                .filter(|edge| found.labels[edge.0 as usize] == found.labels[edge.1 as usize]);
            let inside = Network::new(network.node_count(), within, Direction::Undirected).unwrap();
            // The communities are the components of the edges within them, numbered in the same
            // way.
            let components = weak_components(&inside);
            assert_eq!(components.labels, found.labels, "{seed} {resolution}");
            assert_eq!(components.sizes, found.sizes, "{seed} {resolution}");
        }
    });
}

#[test]
fn a_line_of_a_million_nodes_overflows_no_stack() {
    let nodes = 1_000_000;
    let edges = (1..nodes).map(|node| (node - 1, node, 1.0));
    let line = Network::new(nodes, edges.clone(), Direction::Undirected).unwrap();
    let found = cuts(&line).unwrap();
    assert_eq!(found.bridges.len(), 999_999);
    assert_eq!(found.articulation_points.len(), 999_998);
    let way = shortest(&line, 0, nodes - 1, Weights::Used)
        .unwrap()
        .unwrap();
    assert_eq!(way.length, 999_999.0);
    assert_eq!(clustering(&line).unwrap().triangles, 0);
    let ring = Network::new(
        nodes,
        edges.chain([(nodes - 1, 0, 1.0)]),
        Direction::Directed,
    )
    .unwrap();
    assert_eq!(strong_components(&ring).sizes, [nodes]);
    let sampled = distances(&line, Sources::AllThatFit { seed: 1 }).unwrap();
    assert!(sampled.sampled_sources.unwrap() >= 2);
    assert!(sampled.diameter.unwrap() >= 500_000);
    let found = leiden(&line, Leiden::default()).unwrap();
    assert!(found.modularity.unwrap() > 0.9);
}

/// Compares random graphs in which sources share steps, lines and grids in which they do not, and
/// both in one graph.
#[test]
fn betweenness_without_weights_is_that_with_equal_weights() {
    let random = |nodes: u32, count: u32| {
        (0..count).map(move |edge| {
            let mixed = edge.wrapping_mul(2_654_435_761);
            (
                (mixed >> 7) % nodes,
                (mixed.rotate_left(11) >> 5) % nodes,
                1.0,
            )
        })
    };
    let line =
        |first: u32, nodes: u32| (1..nodes).map(move |node| (first + node - 1, first + node, 1.0));
    let grid = (0..400).flat_map(|node| {
        let right = (node % 20 < 19).then_some((node, node + 1, 1.0));
        let below = (node < 380).then_some((node, node + 20, 1.0));
        [right, below].into_iter().flatten()
    });
    let graphs: [(u32, Vec<_>); 7] = [
        (7, random(7, 12).collect()),
        (300, random(300, 1_200).collect()),
        (500, random(500, 450).collect()),
        (300, random(300, 20_000).collect()),
        (300, line(0, 300).collect()),
        (400, grid.collect()),
        (500, random(300, 1_200).chain(line(299, 200)).collect()),
    ];
    for (index, (nodes, edges)) in graphs.into_iter().enumerate() {
        for direction in [Direction::Undirected, Direction::Directed] {
            let network = Network::new(nodes, edges.iter().copied(), direction).unwrap();
            for sources in [Sources::All, Sources::Sample { count: 70, seed: 3 }] {
                let expected = betweenness(&network, Weights::Used, sources).unwrap();
                let found = betweenness(&network, Weights::Ignored, sources).unwrap();
                let name = format!("graph {index}, {direction:?}, {sources:?}");
                close(&found.values, &expected.values, &name);
                assert_eq!(found.sampled_sources, expected.sampled_sources, "{name}");
                let again = betweenness(&network, Weights::Ignored, sources).unwrap();
                assert_eq!(found, again, "{name}");
            }
        }
    }
}

#[test]
fn work_over_the_limit_names_the_size_that_fits() {
    let nodes = 300_000;
    let edges = (1..nodes).map(|node| (node / 2, node, 1.0));
    let tree = Network::new(nodes, edges, Direction::Undirected).unwrap();
    let refused = betweenness(&tree, Weights::Ignored, Sources::All).unwrap_err();
    let AnalysisError::TooLarge { size, limit, .. } = refused else {
        panic!("{refused}");
    };
    assert_eq!(size, u64::from(nodes));
    let seed = 7;
    let count = limit as u32;
    let fits = betweenness(&tree, Weights::Ignored, Sources::Sample { count, seed }).unwrap();
    assert_eq!(fits.sampled_sources, Some(count));
    let count = count + 1;
    betweenness(&tree, Weights::Ignored, Sources::Sample { count, seed }).unwrap_err();
}

#[test]
fn a_sample_estimates_what_all_sources_give() {
    let edges = (0..6_000u32).map(|edge| {
        let mixed = edge.wrapping_mul(2_654_435_761);
        (
            (mixed >> 8) % 1_000,
            (mixed.rotate_left(13) >> 7) % (1 + edge % 1_000),
            1.0,
        )
    });
    let network = Network::new(1_000, edges, Direction::Undirected).unwrap();
    let sample = Sources::Sample {
        count: 400,
        seed: 3,
    };
    type Measure = fn(
        &Network,
        Weights,
        Sources,
    ) -> graph_analysis::Result<graph_analysis::centrality::Scores>;
    for measure in [betweenness as Measure, closeness, harmonic] {
        let exact = measure(&network, Weights::Ignored, Sources::All).unwrap();
        let found = measure(&network, Weights::Ignored, sample).unwrap();
        assert_eq!(exact.sampled_sources, None);
        assert_eq!(found.sampled_sources, Some(400));
        assert_eq!(found, measure(&network, Weights::Ignored, sample).unwrap());
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        let ratio = sum(&found.values) / sum(&exact.values);
        assert!((0.9..1.1).contains(&ratio), "{ratio}");
        assert_ne!(found.values, exact.values);
    }
}

#[test]
fn malformed_edges_are_rejected_by_number() {
    let made = |edges: &[(u32, u32, f64)]| {
        Network::new(3, edges.iter().copied(), Direction::Directed).map(|_| ())
    };
    let (edge, nodes) = (1, 3);
    assert_eq!(
        made(&[(0, 1, 1.0), (0, 3, 1.0)]),
        Err(AnalysisError::NoSuchEnd {
            edge,
            node: 3,
            nodes
        })
    );
    for weight in [-1.0, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(
            made(&[(0, 1, 1.0), (0, 2, weight)]),
            Err(AnalysisError::InvalidWeight { edge, weight })
        );
    }
    assert!(matches!(
        made(&[(0, 1, f64::NAN)]),
        Err(AnalysisError::InvalidWeight { edge: 0, .. })
    ));
    assert_eq!(
        made(&[(0, 1, f64::MAX), (1, 2, f64::MAX)]),
        Err(AnalysisError::WeightOverflow)
    );
}

#[test]
fn no_value_is_not_a_number_whatever_the_weights() {
    for weight in [0.0, f64::MIN_POSITIVE / 4.0, 1e-200, 1e200, 1e307] {
        for direction in [Direction::Directed, Direction::Undirected] {
            let edges = [
                (0, 1, weight),
                (1, 2, weight),
                (2, 0, weight),
                (2, 3, 1.0),
                (3, 3, 2.0),
            ];
            let network = Network::new(5, edges, direction).unwrap();
            let all = Sources::All;
            let mut values = pagerank(&network, Weights::Used);
            values.extend(eigenvector(&network, Weights::Used).unwrap());
            values.extend(closeness(&network, Weights::Used, all).unwrap().values);
            let found = leiden(
                &network,
                Leiden {
                    weights: Weights::Used,
                    ..Leiden::default()
                },
            );
            values.extend(found.unwrap().modularity);
            match betweenness(&network, Weights::Used, all) {
                Ok(scores) => values.extend(scores.values),
                Err(error) => assert_eq!(error, AnalysisError::ZeroDistance { from: 0, to: 1 }),
            }
            assert!(
                values.iter().all(|value| value.is_finite()),
                "{weight}: {values:?}"
            );
        }
    }
}

#[test]
fn eigenvectors_of_lines_and_stars_are_those_of_the_formulas() {
    let found = |edges: Vec<(u32, u32, f64)>, nodes: u32| {
        let network = Network::new(nodes, edges, Direction::Undirected).unwrap();
        eigenvector(&network, Weights::Used).unwrap()
    };
    for nodes in [2, 3, 10, 100, 1_000, 4_000] {
        // The eigenvector of a line is half a sine.
        let edges = (1..nodes).map(|at| (at - 1, at, 1.0)).collect();
        let scale = f64::sqrt(2.0 / f64::from(nodes + 1));
        let angle = std::f64::consts::PI / f64::from(nodes + 1);
        for (at, value) in (1_u32..).zip(found(edges, nodes)) {
            let expected = scale * (angle * f64::from(at)).sin();
            assert!((value - expected).abs() < 1e-5, "{nodes}: {at}: {value}");
        }
    }
    for nodes in [2, 3, 1_000, 20_000, 400_000] {
        let edges = (1..nodes).map(|at| (0, at, 7.5)).collect();
        let leaf = f64::sqrt(0.5 / f64::from(nodes - 1));
        for (at, value) in found(edges, nodes).into_iter().enumerate() {
            let expected = if at == 0 { f64::sqrt(0.5) } else { leaf };
            assert!((value - expected).abs() < 1e-9, "{nodes}: {at}: {value}");
        }
    }
}

#[test]
fn nothing_is_zero_without_a_sign() {
    for direction in [Direction::Directed, Direction::Undirected] {
        let network = Network::new(3, [(0, 1, 1.0)], direction).unwrap();
        for weights in [Weights::Used, Weights::Ignored] {
            let paths = k_shortest(&network, 2, 2, 3, weights).unwrap().paths;
            assert_eq!(paths.len(), 1);
            assert_eq!(paths[0].length.to_bits(), 0.0_f64.to_bits());
        }
        let empty = Network::new(0, [], direction).unwrap();
        let average = clustering(&empty).unwrap().average;
        assert_eq!(average.to_bits(), 0.0_f64.to_bits());
    }
}
