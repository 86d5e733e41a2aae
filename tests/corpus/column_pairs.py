#!/usr/bin/env python3
"""Collects readable names of columns from files of text-to-SQL data sets, as JSON that crates/columns/tests/it/reach.rs measures.

    python3 tests/corpus/column_pairs.py tables.json … > crates/columns/tests/it/abbreviations.json

A file is a JSON array of databases with `db_id`, `table_names_original`, `column_names` and `column_names_original`, as Spider
(CC BY-SA 4.0) and BIRD (CC BY-SA 4.0) publish it. Their pairs are not in this repository: measure, and restore the file. A database
belongs to one half, by a hash of its name, so that nothing that was tuned on is reported.
"""

import collections
import hashlib
import json
import sys

TYPES = {"text": "TEXT", "number": "INTEGER", "integer": "INTEGER", "real": "REAL", "time": "DATETIME", "date": "DATE",
         "datetime": "DATETIME", "boolean": "BOOLEAN"}


def half_of(schema: str) -> str:
    return "report" if hashlib.sha256(schema.encode()).digest()[0] % 2 else "develop"


def tables_of(database: dict) -> list[dict]:
    columns = collections.defaultdict(dict)
    kinds = database.get("column_types", [])
    pairs = zip(database["column_names"], database["column_names_original"], strict=True)
    for place, ((table, readable), (_, column)) in enumerate(pairs):
        if table >= 0:
            kind = TYPES.get(kinds[place].lower(), "ANY") if place < len(kinds) else "ANY"
            columns[table][f"{column} {kind}"] = readable
    names = database["table_names_original"]
    schema = database["db_id"]
    return [{"schema": schema, "half": half_of(schema), "table": names[table], "columns": found} for table, found in columns.items()]


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for database in json.load(file):
                found.extend(tables_of(database))
    json.dump(found, sys.stdout, indent=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
