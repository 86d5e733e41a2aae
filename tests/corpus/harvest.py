#!/usr/bin/env python3
"""Harvests the SQL statements of SQLite's own test suite (public domain) into a file of JSON lines.

    python3 tests/corpus/harvest.py --ensure    prints the path of the file; makes it first if it is not there
    python3 tests/corpus/harvest.py --force     makes it again

The source is the Debian package `sqlite3`, fetched as `apt-get source --download-only sqlite3` fetches it. apt runs with a private
configuration directory, in which each `deb` source of the machine is also a `deb-src` one: nothing of the machine changes, and no
rights are needed. The file lies outside the checkout, at $CODEMODE_CORPUS, or else below $CODEMODE_CACHE, $XDG_CACHE_HOME or ~/.cache.

A statement is kept when SQLite (the library of this Python) prepares it, or would if the names in it existed. Each line is
{"sql": …, "file": …}; the same text is kept once. Without the package this fails: there is no smaller stand-in.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile

# To be raised when the rules below change, so that a cached harvest is made again.
HARVEST_VERSION = 1
# With fewer statements, the package or the reading of it has changed: SQLite 3.40 gives about
# 50,000.
FEWEST_STATEMENTS = 40_000
# A body longer than this is a test's generated input, not a statement.
MAX_BODY_BYTES = 1_000_000

FIRST_WORDS = re.compile(
    r"\s*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*"
    r"(?:SELECT|VALUES|WITH|INSERT|REPLACE|UPDATE|DELETE|CREATE|ALTER|DROP|EXPLAIN|PRAGMA|ATTACH|DETACH|BEGIN|COMMIT|END|ROLLBACK"
    r"|SAVEPOINT|RELEASE|VACUUM|REINDEX|ANALYZE)\b",
    re.IGNORECASE | re.DOTALL,
)

# Errors that SQLite reports after it has read the whole statement: about names, not about grammar.
ABOUT_NAMES = re.compile(
    r"^(?:no such |ambiguous column name|table \S+ has no column|wrong number of arguments|misuse of |not authorized"
    r"|unable to identify the object|cannot (?:modify|use|INSERT|UPDATE)|no query solution|\S+ is not a function"
    r"|sub-select returns|all VALUES must|SELECTs to the left and right|row value misused|view .* is circularly"
    r"|ON CONFLICT clause does not match|there is already|table .* already exists|index .* already exists"
    r"|table .* may not be|view .* may not be|default value of column|number of columns|too many (?:columns|terms|FROM)"
    r"|\d+ columns assigned|\d+ values for|table .* has \d+ columns|a GROUP BY clause|DISTINCT |FILTER |unknown database"
    r"|aggregate functions are not|non-deterministic|circular reference|recursive |multiple |HAVING clause|.*ORDER BY term)"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--ensure", action="store_true", help="print the path; harvest only if the file is not there")
    mode.add_argument("--force", action="store_true", help="harvest in any case")
    parser.add_argument("--refused", metavar="FILE", help="also write what SQLite refused, with its complaint, for a look at the rules")
    arguments = parser.parse_args()

    named = os.environ.get("CODEMODE_CORPUS")
    corpus = pathlib.Path(named) if named else cache_directory() / "corpus" / "sqlite-tests.jsonl"
    if is_current(corpus, named) and not arguments.force:
        print(corpus)
        return 0
    if not arguments.ensure and not arguments.force:
        parser.error(f"{corpus} is not there yet: pass --ensure")
    corpus.parent.mkdir(parents=True, exist_ok=True)
    source = fetch(corpus.parent / "source")
    statements = harvest(source, arguments.refused)
    if len(statements) < FEWEST_STATEMENTS:
        fail(f"only {len(statements)} statements in {source.name}, at least {FEWEST_STATEMENTS} were expected")
    write(corpus, source.name, statements)
    print(f"harvested {len(statements)} statements from {source.name}", file=sys.stderr)
    print(corpus)
    return 0


def cache_directory() -> pathlib.Path:
    if os.environ.get("CODEMODE_CACHE"):
        return pathlib.Path(os.environ["CODEMODE_CACHE"])
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "codemode-database"


def is_current(corpus: pathlib.Path, named: str | None) -> bool:
    """Whether the file is there and made by these rules. A file that the caller names is taken as it is."""
    if not corpus.is_file():
        return False
    if named:
        return True
    try:
        return json.loads(stamp_of(corpus).read_text())["version"] == HARVEST_VERSION
    except (OSError, ValueError, KeyError):
        return False


def stamp_of(corpus: pathlib.Path) -> pathlib.Path:
    return corpus.with_suffix(".stamp")


def fail(message: str) -> None:
    sys.exit(
        f"harvest.py: {message}\n"
        "The acceptance test of the SQL gate needs SQLite's test suite. On a machine with apt and its package sources reachable this "
        "script fetches it; elsewhere, make the file on such a machine and name it in CODEMODE_CORPUS."
    )


# Fetching


def fetch(directory: pathlib.Path) -> pathlib.Path:
    """The package's upstream tar file, downloaded once."""
    found = sorted(directory.glob("sqlite3_*.orig.tar.*"))
    if found:
        return found[-1]
    if shutil.which("apt-get") is None:
        fail("there is no apt-get on this machine")
    print("fetching the source package sqlite3 (14 MB, and 10 MB of package lists)", file=sys.stderr)
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="codemode-apt-") as private:
        options = private_apt(pathlib.Path(private))
        # A third party's source without source packages makes `update` complain; `source` decides.
        subprocess.run(["apt-get", *options, "update"], stdout=sys.stderr, check=False)
        downloads = pathlib.Path(private) / "downloads"
        downloads.mkdir()
        outcome = subprocess.run(
            ["apt-get", *options, "source", "--download-only", "sqlite3"], cwd=downloads, stdout=sys.stderr, check=False
        )
        tars = [tar for tar in sorted(downloads.glob("sqlite3_*.orig.tar.*")) if not tar.name.endswith(".asc")]
        if outcome.returncode != 0 or not tars:
            fail(f"`apt-get source --download-only sqlite3` failed with status {outcome.returncode}")
        return pathlib.Path(shutil.move(str(tars[-1]), directory / tars[-1].name))


def private_apt(private: pathlib.Path) -> list[str]:
    """Options that point apt at a configuration of its own, made of the machine's sources with `deb` turned into `deb-src`."""
    for folder in ("lists/partial", "cache/archives/partial", "sources"):
        (private / folder).mkdir(parents=True)
    etc = pathlib.Path("/etc/apt")
    files = [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*.list")), *sorted((etc / "sources.list.d").glob("*.sources"))]
    for file in files:
        if not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if file.suffix == ".sources":
            text = re.sub(r"(?mi)^Types:.*$", "Types: deb-src", text)
        else:
            lines = [line for line in text.splitlines() if re.match(r"\s*deb(-src)?\s", line)]
            text = "\n".join(dict.fromkeys(re.sub(r"^\s*deb(-src)?\s", "deb-src ", line) for line in lines)) + "\n"
        (private / "sources" / file.name).write_text(text, encoding="utf-8")
    options = {
        "Dir::Etc::SourceList": "/dev/null",
        "Dir::Etc::SourceParts": str(private / "sources"),
        "Dir::State::Lists": str(private / "lists"),
        "Dir::Cache": str(private / "cache"),
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
        "Debug::NoLocking": "true",
    }
    # The downloads are in a folder of this user, which apt's own user may not read.
    options["APT::Sandbox::User"] = "root"
    return [part for key, value in options.items() for part in ("-o", f"{key}={value}")]


# Reading


def harvest(source: pathlib.Path, refused: str | None) -> dict[str, str]:
    """Every kept statement with the test file it was first seen in."""
    engine = Engine()
    statements: dict[str, str] = {}
    complaints: list[dict[str, str]] = []
    for name, text in scripts(source):
        for sql in candidates(text):
            if sql in statements:
                continue
            complaint = engine.complaint(sql)
            if complaint is None:
                statements[sql] = name
            elif refused:
                complaints.append({"sql": sql, "file": name, "complaint": complaint})
    if refused:
        pathlib.Path(refused).write_text("".join(json.dumps(line) + "\n" for line in complaints))
    return statements


def scripts(source: pathlib.Path) -> list[tuple[str, str]]:
    """Name and text of every test script, sorted by name. They are read in the order of the archive: going back in it costs minutes."""
    with tarfile.open(source) as tar:
        found = [
            (member.name.split("/", 1)[1], handle.read().decode("utf-8", errors="surrogateescape"))
            for member in tar
            if member.name.endswith(".test") and (handle := tar.extractfile(member)) is not None
        ]
    return sorted(found)


def candidates(text: str):
    """Single statements in the braced and quoted words of a Tcl script."""
    for body in words(text):
        if len(body) <= MAX_BODY_BYTES and FIRST_WORDS.match(body):
            yield from split(body)


def words(text: str):
    """Every braced word that begins like SQL, and every quoted one in which Tcl would substitute nothing."""
    opened: list[int] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 2
            continue
        if character == "{":
            opened.append(position)
        elif character == "}" and opened:
            # Tcl joins a line that ends with a backslash to the next one, even in braces.
            yield re.sub(r"\\\n[ \t]*", " ", text[opened.pop() + 1 : position])
        position += 1
    for quoted in re.finditer(r'(?<=[\s{])"((?:[^"\\$\[]|\\[^\n])*)"(?=[\s}\]])', text):
        if "{" not in quoted[1] and "\n\n" not in quoted[1]:
            yield re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), quoted[1])


def split(body: str):
    """Cuts a body at the semicolons that SQLite takes for the end of a statement."""
    start = 0
    for semicolon in re.finditer(";", body):
        piece = body[start : semicolon.end()]
        if is_complete(piece):
            if piece.strip(" \t\r\n;"):
                yield piece.strip()
            start = semicolon.end()
    if body[start:].strip():
        yield body[start:].strip()


def is_complete(piece: str) -> bool:
    try:
        return sqlite3.complete_statement(piece)
    except (ValueError, UnicodeEncodeError):
        return False


class Engine:
    """SQLite as the judge of what is SQL. It prepares with EXPLAIN, so nothing runs."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        # PRAGMA and ATTACH act while they are prepared. The authoriser refuses them after the
        # grammar is checked.
        acting = {sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}
        self.connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in acting else sqlite3.SQLITE_OK)

    def complaint(self, sql: str) -> str | None:
        """Why SQLite does not read this, or None where it does."""
        text = sql if re.match(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN\b", sql, re.IGNORECASE | re.DOTALL) else "EXPLAIN " + sql
        try:
            self.connection.execute(text).close()
        except sqlite3.ProgrammingError as error:
            # The statement was prepared, and has parameters that nobody bound.
            return None if "binding" in str(error) else str(error)
        except (sqlite3.Error, sqlite3.Warning) as error:
            message = str(error)
            return None if ABOUT_NAMES.match(message) else message
        except (ValueError, UnicodeEncodeError) as error:
            return str(error)
        return None


def write(corpus: pathlib.Path, source: str, statements: dict[str, str]) -> None:
    """Into place in one step, so that an interrupted harvest leaves no half of a file."""
    partial = corpus.with_suffix(f".{os.getpid()}.partial")
    with partial.open("w", encoding="utf-8") as file:
        for sql, name in statements.items():
            file.write(json.dumps({"sql": sql, "file": name}, ensure_ascii=False) + "\n")
    partial.replace(corpus)
    stamp = {"version": HARVEST_VERSION, "source": source, "judge": sqlite3.sqlite_version, "statements": len(statements)}
    stamp_of(corpus).write_text(json.dumps(stamp) + "\n")


if __name__ == "__main__":
    sys.exit(main())
