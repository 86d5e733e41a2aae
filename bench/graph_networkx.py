"""Betweenness by NetworkX: reads {nodes, edges, rounds} from standard input, prints the seconds of each round and the highest scores.

The graph is in memory before the clock starts.
"""

import json
import sys
import time

import networkx

HIGHEST = 5

given = json.load(sys.stdin)
graph = networkx.Graph()
graph.add_nodes_from(given["nodes"])
graph.add_edges_from(given["edges"])
seconds = []
for _ in range(given["rounds"]):
    start = time.perf_counter()
    scores = networkx.betweenness_centrality(graph)
    seconds.append(time.perf_counter() - start)
highest = sorted(scores.items(), key=lambda item: -item[1])[:HIGHEST]
print(json.dumps({"version": networkx.__version__, "seconds": seconds, "highest": highest}))
