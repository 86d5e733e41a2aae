"""Counts the nodes and edges of all GraphML files below a folder with the XML parser of CPython, and prints them as one object of JSON.

Where NetworkX is installed and reads a file, its counts must be the same.
"""

import json
import sys
import warnings
from pathlib import Path
from xml.etree import ElementTree

try:
    import networkx
except ImportError:
    networkx = None

warnings.simplefilter("ignore")


def count(path):
    """Returns the counts of a file, or the parser's complaint."""
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        return {"error": str(error)}
    names = [(element.tag.rpartition("}")[2], element) for element in root.iter()]
    nodes = {element.get("id") for name, element in names if name == "node"}
    edges = [element for name, element in names if name == "edge"]
    return {"nodes": len(nodes), "edges": len(edges)}


def main():
    counts = {}
    compared, differences = 0, 0
    for path in sorted(Path(sys.argv[1]).rglob("*.graphml")):
        if not path.is_file():
            continue
        counts[str(path)] = count(path)
        if networkx is None or "error" in counts[str(path)]:
            continue
        try:
            graph = networkx.read_graphml(path, force_multigraph=True)
        except Exception as error:  # It rejects what it does not support with errors of many kinds.
            print(f"NetworkX rejects {path}: {error}", file=sys.stderr)
            continue
        compared += 1
        found = {"nodes": graph.number_of_nodes(), "edges": graph.number_of_edges()}
        if found != counts[str(path)]:
            differences += 1
            print(f"NetworkX has {found} of {path}, and not {counts[str(path)]}", file=sys.stderr)
    print(f"NetworkX read {compared} of {len(counts)} files", file=sys.stderr)
    json.dump(counts, sys.stdout)
    return 1 if differences else 0


sys.exit(main())
