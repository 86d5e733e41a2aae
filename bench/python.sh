#!/usr/bin/env bash
# Parses the sources of the PyPI packages in bench/python-packages.txt as a workspace does, and
# compares each item's bytes with the syntax tree of CPython. Prints counts for each package, and
# fails at a difference. pip downloads the packages; nothing of them is kept.
# Usage: scripts/with-env bench/python.sh [PACKAGE==VERSION…]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -t PACKAGES <bench/python-packages.txt
[ $# -eq 0 ] || PACKAGES=("$@")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
folders=()
for package in "${PACKAGES[@]}"; do
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$folder/wheels/$package" "$package"
    python3 -m zipfile -e "$folder/wheels/$package"/*.whl "$folder/$package"
    folders+=("$folder/$package")
done
cargo run --quiet --release --package code-model --example python_sources -- "${folders[@]}"
