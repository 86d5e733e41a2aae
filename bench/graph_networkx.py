"""Betweenness by NetworkX: reads {nodes, edges} from standard input, prints the seconds that it took and the highest scores.

The graph is in memory before the clock starts.
"""

import json
import sys
import time

import networkx

HIGHEST = 20

given = json.load(sys.stdin)
graph = networkx.Graph()
graph.add_nodes_from(given["nodes"])
graph.add_edges_from(given["edges"])
start = time.perf_counter()
scores = networkx.betweenness_centrality(graph)
seconds = time.perf_counter() - start
highest = sorted(scores.items(), key=lambda item: -item[1])[:HIGHEST]
print(json.dumps({"seconds": seconds, "scores": [{"id": node, "score": score} for node, score in highest]}))
