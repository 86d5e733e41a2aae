#!/usr/bin/env bash
# Imports public GraphML files, each into its own graph, compares the counts of nodes and edges with
# those of CPython's XML parser and, if it is installed, of NetworkX, and reads each graph back from
# an export in every format. Prints counts, and fails at a difference. Without folders it clones two
# collections of networks that people drew in yEd; nothing of them is kept.
# Usage: scripts/with-env bench/graph-files.sh [FOLDER…]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
REPOSITORIES=(sk2/topologyzoo mroughan/InternetTopologyZoo)
if [ $# -eq 0 ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    for repository in "${REPOSITORIES[@]}"; do
        git clone --quiet --depth 1 "https://github.com/$repository" "$folder/$repository"
        set -- "$@" "$folder/$repository"
    done
fi
cargo run --quiet --release --package graph --example graph_files -- "$@"
