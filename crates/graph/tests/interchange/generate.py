"""Writes the files of NetworkX and igraph that the host tests read.

    python -m venv VENV && VENV/bin/pip install networkx==3.6.1 igraph==1.0.0   # without lxml, which lays the files out in another way
    VENV/bin/python crates/graph/tests/interchange/generate.py
"""

import json
from pathlib import Path

import igraph
import networkx as nx

FILES = Path(__file__).parent / "files"


def sample():
    """Attributes of every type, an attribute that some lack, and names beyond ASCII."""
    graph = nx.DiGraph(name="sample")
    graph.add_node("NCBIGene:7157", label="TP53", type="gene", score=0.5, hits=12, essential=True)
    graph.add_node("MONDO:0005148", label="Type 2 Diabetes", type="disease", x=-100.5, y=100.0)
    graph.add_node("naïve 😀 & <b>", category="other")
    graph.add_edge("NCBIGene:7157", "MONDO:0005148", label="associated_with", weight=0.25)
    graph.add_edge("MONDO:0005148", "naïve 😀 & <b>", weight=3.0)
    return graph


def multigraph():
    """Parallel edges, whose keys repeat between pairs of nodes, and a self-loop."""
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "b", weight=1)
    graph.add_edge("a", "b", weight=2)
    graph.add_edge("b", "c", weight=3)
    graph.add_edge("c", "c", weight=4)
    return graph


def parallel():
    """Parallel edges of which one has a key that is a text, and defaults of nodes and edges."""
    graph = nx.MultiGraph(node_default={"colour": "red"}, edge_default={"weight": 7})
    graph.add_node("a", colour="blue")
    graph.add_edge("a", "b")
    graph.add_edge("a", "b", key="second", weight=1)
    graph.add_edge("b", "c", label="cites")
    return graph


def of_igraph():
    """Attributes of one name at nodes and edges, whose keys have one id, and numbers that are none."""
    graph = igraph.Graph(directed=True)
    graph.add_vertices(3)
    graph.add_edges([(0, 1), (0, 1), (1, 2)])
    graph["title"] = "sample"
    graph.vs["name"] = ["a", "b", "c"]
    graph.vs["weight"] = [1.0, float("nan"), float("inf")]
    graph.vs["ok"] = [True, False, True]
    graph.es["weight"] = [0.5, 0.5, 2.0]
    graph.es["name"] = ["x", "x", "y"]
    return graph


def write_json(name, value):
    (FILES / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main():
    karate = nx.karate_club_graph()
    write_json("networkx-karate.node-link.json", nx.node_link_data(karate))
    write_json("networkx-links.node-link.json", nx.node_link_data(sample(), edges="links"))
    write_json("networkx-multigraph.node-link.json", nx.node_link_data(multigraph()))
    write_json("networkx-karate.cyjs", nx.cytoscape_data(karate))
    write_json("networkx-sample.cyjs", nx.cytoscape_data(sample()))
    nx.write_graphml(karate, FILES / "networkx-karate.graphml")
    nx.write_graphml(sample(), FILES / "networkx-sample.graphml")
    nx.write_graphml(multigraph(), FILES / "networkx-multigraph.graphml")
    nx.write_graphml(parallel(), FILES / "networkx-parallel.graphml", named_key_ids=True)
    nx.write_graphml_xml(parallel(), FILES / "networkx-parallel-xml.graphml")
    write_json("networkx-parallel.cyjs", nx.cytoscape_data(parallel()))
    write_json("networkx-parallel.node-link.json", nx.node_link_data(parallel(), edges="links"))
    of_igraph().write_graphml(str(FILES / "igraph-shared-ids.graphml"), prefixattr=False)
    of_igraph().write_graphml(str(FILES / "igraph-parallel.graphml"))
    # Ours, loaded and written again.
    ours = json.loads((FILES / "ours.node-link.json").read_text(encoding="utf-8"))
    write_json("networkx-of-ours.node-link.json", nx.node_link_data(nx.node_link_graph(ours)))
    nx.write_graphml(nx.read_graphml(FILES / "ours.graphml"), FILES / "networkx-of-ours.graphml")
    florentine = igraph.Graph.from_networkx(nx.florentine_families_graph())
    florentine.vs["name"] = florentine.vs["_nx_name"]
    del florentine.vs["_nx_name"]
    florentine.es["weight"] = [index / 4 for index in range(florentine.ecount())]
    florentine.write_graphml(str(FILES / "igraph-florentine.graphml"))


if __name__ == "__main__":
    main()
