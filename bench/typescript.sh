#!/usr/bin/env bash
# Parses the TypeScript sources of npm packages as a workspace does, and compares each item's bytes
# with the syntax tree of TypeScript's compiler. Prints counts for each package, and fails at a
# difference. npm downloads the packages; nothing of them is kept.
# Usage: scripts/with-env bench/typescript.sh [PACKAGE@VERSION…]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# The last release whose compiler is a JavaScript library.
COMPILER=typescript@5.9.3
# Packages that ship their sources; those of LoopBack have decorators on classes, members and
# parameters.
PACKAGES=(
    rxjs@7.8.2 zod@4.6.7 @loopback/rest@15.0.16 @loopback/repository@8.0.15 @loopback/context@8.0.15 type-graphql@1.1.1 date-fns@4.4.0
)
[ $# -eq 0 ] || PACKAGES=("$@")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unpacked=""
unpack() {
    unpacked="$folder/${1//\//+}"
    mkdir -p "$unpacked"
    local archive
    archive=$(npm pack --silent --pack-destination "$folder" "$1")
    tar -xzf "$folder/$archive" -C "$unpacked" --strip-components 1
}
unpack "$COMPILER"
compiler=$unpacked
folders=()
for package in "${PACKAGES[@]}"; do
    unpack "$package"
    folders+=("$unpacked")
done
cargo run --quiet --release --package code-model --example script_sources -- "$compiler" "${folders[@]}"
