"""Loads the files of ours in NetworkX and igraph and compares what they find with ours.json.

    python -m venv VENV && VENV/bin/pip install networkx==3.6.1 igraph==1.0.0
    VENV/bin/python crates/graph/tests/interchange/check.py
"""

import csv
import json
import math
from pathlib import Path

import igraph
import networkx as nx

FILES = Path(__file__).parent / "files"
OURS = json.loads((FILES / "ours.json").read_text(encoding="utf-8"))


def load_json(name):
    return json.loads((FILES / name).read_text(encoding="utf-8"))


def expected_data(item, nested):
    """The fields of data that are attributes of their own, and those that stand together in `data`."""
    flat = {name: value for name, value in item["data"].items() if name not in nested}
    rest = {name: value for name, value in item["data"].items() if name in nested}
    return flat, rest


def check_networkx(name, graph, nested, position):
    assert graph.is_directed() and graph.is_multigraph(), name
    assert list(graph) == [node["id"] for node in OURS["nodes"]], name
    for node in OURS["nodes"]:
        attributes = graph.nodes[node["id"]]
        assert attributes["label"] == node["label"] and attributes["type"] == node["type"], (name, attributes)
        if position:
            assert (attributes["x"], attributes["y"]) == (node["position"]["x"], node["position"]["y"]), name
            assert attributes.get("pinned", False) is node.get("pinned", False), (name, attributes)
        check_data(name, node, attributes, nested)
    edges = [(source, target, key) for source, target, key in graph.edges(keys=True)]
    assert sorted(edges) == sorted((edge["source"], edge["target"], edge["id"]) for edge in OURS["edges"]), name
    for edge in OURS["edges"]:
        attributes = graph.edges[edge["source"], edge["target"], edge["id"]]
        assert attributes["label"] == edge["label"] and attributes["type"] == edge["type"], (name, attributes)
        check_data(name, edge, attributes, nested)


def check_data(name, item, attributes, nested):
    flat, rest = expected_data(item, nested)
    for field, value in flat.items():
        assert attributes[field] == value and type(attributes[field]) in (type(value), float), (name, field, attributes)
    if rest:
        data = attributes["data"]
        data = json.loads(data) if isinstance(data, str) else data
        assert data == rest, (name, data, rest)


def check_igraph():
    graph = igraph.Graph.Read_GraphML(str(FILES / "ours.graphml"))
    assert graph.is_directed()
    assert graph.vs["id"] == [node["id"] for node in OURS["nodes"]], graph.vs["id"]
    assert graph.vs["label"] == [node["label"] for node in OURS["nodes"]], graph.vs["label"]
    assert graph.vs["x"] == [node["position"]["x"] for node in OURS["nodes"]]
    assert graph.vs["pinned"] == [node.get("pinned", False) for node in OURS["nodes"]], graph.vs["pinned"]
    ends = [(graph.vs[edge.source]["id"], graph.vs[edge.target]["id"]) for edge in graph.es]
    assert ends == [(edge["source"], edge["target"]) for edge in OURS["edges"]], ends
    assert graph.es["label"] == [edge["label"] for edge in OURS["edges"]]
    for found, edge in zip(graph.es["weight"], OURS["edges"]):
        weight = edge["data"].get("weight", math.nan)
        assert found == weight or (math.isnan(found) and math.isnan(weight)), (found, weight)


def check_csv():
    with (FILES / "ours.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, edge in zip(rows, OURS["edges"], strict=True):
        for field in ("source", "target", "label", "type", "id"):
            assert row[field] == edge[field], (row, edge)


def check_parallel():
    """NetworkX and igraph find each of the parallel edges, with what it carries."""
    ours = load_json("ours-parallel.json")["edges"]
    expected = [(edge["source"], edge["target"], edge["data"].get("weight")) for edge in ours]
    for name, graph in [
        ("node-link", nx.node_link_graph(load_json("ours-parallel.node-link.json"))),
        ("cytoscape", nx.cytoscape_graph(load_json("ours-parallel.cyjs"))),
        ("graphml", nx.read_graphml(FILES / "ours-parallel.graphml")),
    ]:
        assert graph.is_multigraph() and graph.is_directed(), name
        key = lambda edge: (edge[0], edge[1], edge[2] or 0)
        assert sorted(graph.edges(data="weight"), key=key) == sorted(expected, key=key), (name, list(graph.edges(data="weight")))
        assert len({edge for edge in graph.edges(keys=True)}) == len(ours), name
    graph = igraph.Graph.Read_GraphML(str(FILES / "ours-parallel.graphml"))
    ends = [(graph.vs[edge.source]["id"], graph.vs[edge.target]["id"]) for edge in graph.es]
    assert ends == [(edge["source"], edge["target"]) for edge in ours], ends
    with (FILES / "ours-parallel.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [edge["id"] for edge in ours]


def main():
    check_networkx(
        "node-link", nx.node_link_graph(load_json("ours.node-link.json")), {"source"}, True
    )
    check_networkx("cytoscape", nx.cytoscape_graph(load_json("ours.cyjs")), {"source", "name"}, False)
    check_networkx("graphml", nx.read_graphml(FILES / "ours.graphml"), {"source", "synonyms"}, True)
    check_igraph()
    check_csv()
    check_parallel()
    print("NetworkX, igraph and csv load what we write")


if __name__ == "__main__":
    main()
