"""Writes reference.json: what NetworkX and igraph say of the graphs that tests/reference.rs compares with.

    python3 -m venv VENV && VENV/bin/pip install networkx==3.6.1 igraph==1.0.0 numpy==2.4.6 scipy==1.17.1
    VENV/bin/python crates/graph-analysis/tests/reference/generate.py

The virtual environment lies outside the checkout. Every graph comes from a generator with a seed or from NetworkX's own data, so the
output is the same each time. Values are rounded to 12 significant digits.
"""

import itertools
import json
import pathlib
import random

import igraph
import networkx as nx

# What a pair lists at most: shortest paths, and simple paths.
MAX_SHORTEST = 60
SIMPLE_PATHS = 8
# igraph's best of so many seeded runs, each until nothing improves.
LEIDEN_SEEDS = 10


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(entry) for entry in value]
    return value


def simple(graph, combine):
    """The graph with parallel edges collapsed: `sum` of their weights for strengths, `min` for distances."""
    result = nx.DiGraph() if graph.is_directed() else nx.Graph()
    result.add_nodes_from(sorted(graph))
    for source, target, data in graph.edges(data=True):
        weight = data.get("weight", 1.0)
        if result.has_edge(source, target):
            weight = combine([result[source][target]["weight"], weight])
        result.add_edge(source, target, weight=weight)
    return result


def undirected(graph, has_weights):
    """Without directions: the strengths of opposite edges add up, and without weights each is 1."""
    result = nx.Graph()
    result.add_nodes_from(sorted(graph))
    for source, target, data in graph.edges(data=True):
        weight = data["weight"] if has_weights else 1.0
        if result.has_edge(source, target):
            weight += result[source][target]["weight"]
        result.add_edge(source, target, weight=weight)
    return result


def in_order(scores):
    return [float(scores[node]) for node in sorted(scores)]


def shape(graph):
    """Distances of a connected (directed: strongly connected) graph."""
    if len(graph) == 1:
        return [1, 0, 0, 0.0]
    return [len(graph), nx.diameter(graph), nx.radius(graph), nx.average_shortest_path_length(graph)]


def structure(graph, given):
    without = graph.to_undirected() if graph.is_directed() else graph
    connected = nx.strongly_connected_components if graph.is_directed() else nx.connected_components
    parts = sorted((sorted(part) for part in connected(graph)), key=lambda part: (-len(part), part[0]))
    weak = nx.weakly_connected_components(graph) if graph.is_directed() else nx.connected_components(graph)
    values = {
        "nodes": len(graph),
        "edges": graph.number_of_edges(),
        "given_edges": given.number_of_edges(),
        "self_loops": nx.number_of_selfloops(graph),
        "density": nx.density(graph),
        "weak": sorted((sorted(part) for part in weak), key=lambda part: (-len(part), part[0])),
        "strong": parts,
        "shapes": [shape(graph.subgraph(part)) for part in parts],
        "transitivity": nx.transitivity(without),
        "clustering": in_order(nx.clustering(graph)),
        "average_clustering": nx.average_clustering(graph) if len(graph) else 0.0,
        "degrees": histogram(graph.degree()),
        "bridges": sorted(sorted(edge) for edge in nx.bridges(without)),
        "articulation_points": sorted(nx.articulation_points(without)),
    }
    if graph.is_directed():
        values["in_degrees"] = histogram(graph.in_degree())
        values["out_degrees"] = histogram(graph.out_degree())
    return values


def histogram(degrees):
    counts = {}
    for _, degree in degrees:
        counts[degree] = counts.get(degree, 0) + 1
    return sorted(counts.items())


def eigenvector(graph, weight):
    if len(graph) == 0 or (graph.is_directed() and nx.is_directed_acyclic_graph(graph)):
        return None
    try:
        return in_order(nx.eigenvector_centrality(graph, max_iter=200_000, tol=1e-13, weight=weight))
    except nx.PowerIterationFailedConvergence:
        return None


def centrality(distances, strengths, weight):
    values = {
        "betweenness": in_order(nx.betweenness_centrality(distances, weight=weight)),
        "closeness": in_order(nx.closeness_centrality(distances, distance=weight)),
        "harmonic": in_order(nx.harmonic_centrality(distances, distance=weight)),
        "eigenvector": eigenvector(strengths, weight),
        "pagerank": in_order(nx.pagerank(strengths, tol=1e-15, max_iter=1000, weight=weight)) if len(strengths) else [],
    }
    if weight is None:
        values["degree"] = in_order(nx.degree_centrality(distances))
        if distances.is_directed():
            values["in_degree"] = in_order(nx.in_degree_centrality(distances))
            values["out_degree"] = in_order(nx.out_degree_centrality(distances))
    return values


def check_multigraph(given, distances, strengths):
    """What NetworkX says of the graph with its parallel edges is what it says of the graph in which they are one edge.

    Only what counts edges differs: degrees, the density, and bridges, of which none has a parallel edge.
    """
    pairs = [
        (nx.betweenness_centrality, distances, {"weight": "weight"}),
        (nx.betweenness_centrality, distances, {"weight": None}),
        (nx.closeness_centrality, distances, {"distance": "weight"}),
        (nx.closeness_centrality, distances, {}),
        (nx.harmonic_centrality, distances, {"distance": "weight"}),
        (nx.pagerank, strengths, {"weight": "weight", "tol": 1e-15, "max_iter": 1000}),
    ]
    for measure, collapsed, options in pairs:
        for one, other in zip(in_order(measure(given, **options)), in_order(measure(collapsed, **options)), strict=True):
            assert abs(one - other) < 1e-12, (measure.__name__, options, one, other)
    weighted = {"weight": "weight"}
    for source in given:
        assert nx.single_source_dijkstra_path_length(given, source, **weighted) == nx.single_source_dijkstra_path_length(distances, source, **weighted)
    connected = nx.strongly_connected_components if given.is_directed() else nx.connected_components
    assert sorted(map(sorted, connected(given))) == sorted(map(sorted, connected(distances)))
    without = given.to_undirected() if given.is_directed() else given
    assert set(nx.articulation_points(without)) == set(nx.articulation_points(nx.Graph(without)))


def communities(graph, has_weights):
    """igraph's best over seeds, and the modularity of a fixed partition after NetworkX."""
    without = undirected(graph, has_weights)
    if without.number_of_edges() == 0:
        return None
    labels = [node % 3 for node in sorted(without)]
    groups = [[node for node in without if node % 3 == rest] for rest in range(3)]
    groups = [group for group in groups if group]
    edges = list(without.edges(data="weight"))
    other = igraph.Graph(n=len(without), edges=[edge[:2] for edge in edges])
    other.es["weight"] = [edge[2] for edge in edges]
    best = None
    for seed in range(LEIDEN_SEEDS):
        random.seed(seed)
        found = other.community_leiden(objective_function="modularity", weights="weight", n_iterations=-1)
        quality = other.modularity(found.membership, weights="weight")
        if best is None or quality > best[0]:
            best = (quality, len(set(found.membership)))
    return {
        "labels": labels,
        "modularity": [
            [resolution, nx.community.modularity(without, groups, resolution=resolution)] for resolution in (0.5, 1.0, 2.0)
        ],
        "leiden": best,
    }


def of_igraph(graph):
    """The same measures by igraph, without weights. Where its convention differs, its result becomes that of NetworkX by the definition of both."""
    count, directed = len(graph), graph.is_directed()
    edges = list(graph.edges())
    other = igraph.Graph(n=count, edges=edges, directed=directed)
    pairs = (count - 1) * (count - 2) / (1 if directed else 2)
    # igraph's closeness is that within what is reached; after Wasserman and Faust it is multiplied by the part of the graph that this is.
    closeness = []
    for node, score in enumerate(other.closeness(mode="in")):
        reached = len(other.subcomponent(node, mode="in")) - 1
        closeness.append(score * reached / (count - 1) if reached > 0 else 0.0)
    # igraph counts an undirected loop twice, so both directions of an edge are written, and a loop once.
    both = edges if directed else [*edges, *((target, source) for source, target in edges if source != target)]
    ranks = igraph.Graph(n=count, edges=both, directed=True).pagerank(damping=0.85, implementation="prpack")
    without = igraph.Graph(n=count, edges=edges).simplify()

    def parts(mode):
        return sorted((sorted(part) for part in other.connected_components(mode=mode)), key=lambda part: (-len(part), part[0]))

    def shape_of(part):
        piece = other.induced_subgraph(part)
        return [len(part), piece.diameter(), piece.radius(mode="out") if len(part) > 1 else 0, piece.average_path_length() if len(part) > 1 else 0.0]

    return {
        "betweenness": [score / pairs if pairs > 0 else 0.0 for score in other.betweenness(directed=directed)],
        "closeness": closeness,
        "pagerank": ranks,
        "weak": parts("weak"),
        "strong": parts("strong"),
        "shapes": [shape_of(part) for part in parts("strong")],
        "transitivity": without.transitivity_undirected(mode="zero"),
        "bridges": sorted(sorted(without.es[edge].tuple) for edge in without.bridges()),
        "articulation_points": sorted(without.articulation_points()),
    }


def paths(distances, weight, seed):
    """For some pairs: the length of the shortest path, all of them if they are few, and the lengths of the shortest simple ones."""
    chooser = random.Random(seed)
    nodes = sorted(distances)
    result = []
    for _ in range(min(6, len(nodes) ** 2)):
        source, target = chooser.choice(nodes), chooser.choice(nodes)
        if not nx.has_path(distances, source, target):
            result.append({"source": source, "target": target, "length": None})
            continue
        found = list(itertools.islice(nx.all_shortest_paths(distances, source, target, weight=weight), MAX_SHORTEST + 1))
        entry = {
            "source": source,
            "target": target,
            "length": float(nx.shortest_path_length(distances, source, target, weight=weight)),
            "shortest": sorted(found) if len(found) <= MAX_SHORTEST else None,
        }
        if source != target:
            ways = itertools.islice(nx.shortest_simple_paths(distances, source, target, weight=weight), SIMPLE_PATHS)
            entry["simple"] = [float(nx.path_weight(distances, way, weight)) if weight else float(len(way) - 1) for way in ways]
        result.append(entry)
    return result


def described(name, given, has_weights=False, planted=None):
    # Nodes become numbers in the order of the graph.
    given = nx.convert_node_labels_to_integers(given)
    strengths, distances = simple(given, sum), simple(given, min)
    if given.is_multigraph() and has_weights:
        check_multigraph(given, distances, strengths)
    entry = {
        "name": name,
        "directed": given.is_directed(),
        "weighted": has_weights,
        "edges": [[source, target, data.get("weight", 1.0)] for source, target, data in given.edges(data=True)],
        "structure": structure(distances, given),
        "centrality": centrality(distances, distances, None),
        "communities": communities(distances, False),
        "paths": paths(distances, None, name),
        "igraph": of_igraph(distances) if len(given) > 0 else None,
    }
    if has_weights:
        entry["weighted_centrality"] = centrality(distances, strengths, "weight")
        entry["weighted_communities"] = communities(strengths, True)
        entry["weighted_paths"] = paths(distances, "weight", name)
    if planted is not None:
        entry["planted"] = planted
    print(name, len(given), given.number_of_edges(), entry["communities"] and entry["communities"]["leiden"], flush=True)
    return rounded(entry)


def with_weights(graph, seed):
    chooser = random.Random(seed)
    for _, _, data in graph.edges(data=True):
        # Eighths, so that sums are exact and ties exist.
        data["weight"] = chooser.randint(1, 40) / 8
    return graph


def directed_acyclic(count, seed):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(count))
    chooser = random.Random(seed)
    for source, target in itertools.combinations(range(count), 2):
        if chooser.random() < 0.12:
            graph.add_edge(source, target)
    return graph


def with_self_loops(graph):
    for node in list(graph)[::4]:
        graph.add_edge(node, node, weight=1.5)
    return graph


def multiple(kind, count, edges, seed):
    graph = kind()
    graph.add_nodes_from(range(count))
    chooser = random.Random(seed)
    for _ in range(edges):
        source, target = chooser.randrange(count), chooser.randrange(count)
        for _ in range(chooser.choice([1, 1, 2, 3])):
            graph.add_edge(source, target, weight=chooser.randint(1, 24) / 8)
    return graph


def lfr(mixing):
    graph = nx.LFR_benchmark_graph(1000, 3, 1.5, mixing, average_degree=10, max_degree=50, min_community=20, max_community=100, seed=7)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    groups = sorted({min(graph.nodes[node]["community"]) for node in graph})
    return graph, [groups.index(min(graph.nodes[node]["community"])) for node in sorted(graph)]


def unweighted(graph):
    for _, _, data in graph.edges(data=True):
        data.clear()
    return graph


def all_graphs():
    yield described("empty", nx.Graph())
    yield described("one node", nx.empty_graph(1))
    yield described("two nodes", nx.path_graph(2))
    yield described("five nodes without edges", nx.empty_graph(5))
    yield described("karate", unweighted(nx.karate_club_graph()))
    yield described("Les Miserables", nx.les_miserables_graph(), has_weights=True)
    yield described("Florentine families", nx.florentine_families_graph())
    yield described("Davis southern women", nx.davis_southern_women_graph())
    yield described("barbell", nx.barbell_graph(8, 3))
    yield described("balanced binary tree", nx.balanced_tree(2, 5))
    yield described("balanced ternary tree", nx.balanced_tree(3, 3))
    yield described("line", nx.path_graph(30))
    yield described("grid", nx.grid_2d_graph(6, 7))
    pieces = [nx.karate_club_graph(), nx.cycle_graph(7), nx.path_graph(4), nx.complete_graph(3), nx.empty_graph(2)]
    yield described("disconnected", unweighted(nx.disjoint_union_all(pieces)))
    yield described("directed acyclic", with_weights(directed_acyclic(60, 3), 4), has_weights=True)
    yield described("weighted", with_weights(nx.connected_watts_strogatz_graph(80, 6, 0.2, seed=5), 6), has_weights=True)
    yield described("weighted grid", with_weights(nx.grid_2d_graph(7, 7), 8), has_weights=True)
    yield described("self-loops", with_self_loops(with_weights(nx.gnp_random_graph(40, 0.1, seed=9), 10)), has_weights=True)
    yield described(
        "directed self-loops",
        with_self_loops(with_weights(nx.gnp_random_graph(40, 0.08, seed=11, directed=True), 12)),
        has_weights=True,
    )
    yield described("multi-edges", multiple(nx.MultiGraph, 50, 90, 13), has_weights=True)
    yield described("directed multi-edges", multiple(nx.MultiDiGraph, 50, 120, 14), has_weights=True)
    yield described("directed random", with_weights(nx.gnp_random_graph(200, 0.02, seed=15, directed=True), 16), has_weights=True)
    yield described("directed, few edges", nx.gnp_random_graph(120, 0.012, seed=17, directed=True))
    yield described("directed scale-free", multiple_free(nx.scale_free_graph(150, seed=18)))
    for mixing in (0.1, 0.3):
        graph, planted = lfr(mixing)
        yield described(f"LFR, mixing {mixing}", unweighted(graph), planted=planted)


def multiple_free(graph):
    return nx.DiGraph(graph.edges())


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in all_graphs())
    target = pathlib.Path(__file__).with_name("reference.json")
    target.write_text(f"[\n{lines}\n]\n")
    print(target.name, target.stat().st_size, "bytes")
