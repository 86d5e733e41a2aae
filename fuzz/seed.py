#!/usr/bin/env python3
"""Writes every statement of the corpora as a seed of the fuzz target, outside the checkout, and prints the directories.

    cd fuzz && cargo +nightly fuzz run --sanitizer none gate $(python3 seed.py) -- -dict=sql.dict -max_len=1000 -timeout=30 -max_total_time=600

The first directory takes what the fuzzer finds, the second holds the seeds.
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

# Longer statements slow every mutation down.
MAX_SEED_BYTES = 1_000
# One in so many of the harvested statements: there are 57,000.
HARVESTED_STEP = 10


def main() -> None:
    corpora = pathlib.Path(__file__).resolve().parent.parent / "tests" / "corpus"
    base = os.environ.get("CODEMODE_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "codemode-database"
    found, seeds = (pathlib.Path(base) / "fuzz" / name for name in ("found", "seeds"))
    for directory in (found, seeds):
        directory.mkdir(parents=True, exist_ok=True)
    texts = [line.get("sql", "") for name in ("hostile.jsonl", "allowed.jsonl") for line in read(corpora / name)]
    harvest = subprocess.run([sys.executable, corpora / "harvest.py", "--ensure"], stdout=subprocess.PIPE, text=True, check=True)
    texts += [line["sql"] for line in read(pathlib.Path(harvest.stdout.splitlines()[-1]))[::HARVESTED_STEP]]
    for text in texts:
        data = text.encode()
        if 0 < len(data) <= MAX_SEED_BYTES:
            (seeds / hashlib.sha1(data).hexdigest()).write_bytes(data)
    print(found, seeds)


def read(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


if __name__ == "__main__":
    main()
