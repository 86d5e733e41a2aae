#!/usr/bin/env bash
# Reads the sources of ten packages of PyPI as a workspace does, and compares each item's bytes with the syntax tree of CPython. Prints counts for each
# package, and fails at a difference. pip downloads the packages; nothing of them is kept.
# Usage: scripts/with-env bench/python.sh [PACKAGE==VERSION…]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
PACKAGES=(
    requests==2.34.2 flask==3.1.3 django==5.2.19 numpy==2.4.6 pandas==3.1.1
    sqlalchemy==2.1.9 pydantic==2.14.4 rich==15.0.0 attrs==26.1.0 fastapi==0.165.0
)
[ $# -eq 0 ] || PACKAGES=("$@")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
folders=()
for package in "${PACKAGES[@]}"; do
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$folder/wheels/$package" "$package"
    python3 -m zipfile -e "$folder/wheels/$package"/*.whl "$folder/$package"
    folders+=("$folder/$package")
done
cargo run --quiet --release --package cmdb-code --example python_sources -- "${folders[@]}"
