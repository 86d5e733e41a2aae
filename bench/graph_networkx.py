"""One analysis by NetworkX: reads {task, nodes, edges, iterations} from standard input, prints the seconds that it took and what it found.

The graph is in memory before the clock starts. `leiden_communities` has no implementation of NetworkX's own, so communities are Louvain's.
The layout is that of Fruchterman and Reingold, without its threshold, so that all iterations are done.
"""

import json
import sys
import time

import networkx

HIGHEST = 20
SEED = 1


def betweenness(graph, _given):
    scores = networkx.betweenness_centrality(graph)
    return lambda: {"scores": [{"id": node, "score": score} for node, score in sorted(scores.items(), key=lambda item: -item[1])[:HIGHEST]]}


def communities(graph, _given):
    found = networkx.community.louvain_communities(graph, seed=SEED)
    return lambda: {"modularity": networkx.community.modularity(graph, found), "communities": len(found)}


def layout(graph, given):
    positions = networkx.spring_layout(graph, iterations=given["iterations"], threshold=0, method="force", seed=SEED)
    return lambda: {"positions": len(positions)}


given = json.load(sys.stdin)
graph = networkx.Graph()
graph.add_nodes_from(given["nodes"])
graph.add_edges_from(given["edges"])
task = {"betweenness": betweenness, "communities": communities, "force layout": layout}[given["task"]]
start = time.perf_counter()
described = task(graph, given)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, **described()}))
