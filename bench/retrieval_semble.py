"""What semble finds: NDCG@10 and recall@10.

    python3 bench/retrieval_semble.py files QUESTIONS SOURCES
    python3 bench/retrieval_semble.py functions FOLDER

The first asks the questions about files, and counts distinct files. The second asks for functions by a sentence of their documentation, in the folder
that `evaluate -- others` has written: a chunk counts that has a line of the function, also if it has others beside it.

Needs the PyPI package semble. Without a network it cannot have its model; then a model that knows nothing takes its place and only its BM25
and its ranking count, and the output says so.
"""

import json
import math
import sys
import tempfile
from pathlib import Path

import numpy
from model2vec import StaticModel
from semble import SembleIndex
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

PLACES = 10
# The requested chunks, enough that ten distinct files are among them.
CHUNKS = 50


def empty_model():
    """A model of one token, saved where semble looks for one."""
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    folder = tempfile.mkdtemp()
    StaticModel(numpy.ones((1, 8), dtype=numpy.float32), tokenizer).save_pretrained(folder)
    return folder


class Opener:
    """Opens indexes. Whether there is a model is found out once."""

    def __init__(self):
        self.model_path, self.share, self.name = None, None, "semble"

    def open(self, folder):
        if self.model_path is None:
            try:
                return SembleIndex.from_path(folder)
            except Exception as error:  # The library that fetches models raises many kinds.
                print(f"no model ({type(error).__name__}): BM25 and ranking alone", file=sys.stderr)
                self.model_path, self.share, self.name = empty_model(), 0.0, "semble without its model"
        return SembleIndex.from_path(folder, model_path=self.model_path)


def gain(place):
    return 1 / math.log2(place + 2)


def line(name, gains, recall, count):
    print(f"{name:<44} NDCG@10 {gains / count:.3f}  R@10 {recall / count:.3f}  ({count})")


def relative(result, folder):
    return str(result.chunk.file_path).removeprefix(str(folder)).lstrip("/")


def files(questions, sources):
    gains, recall, count, opener = 0.0, 0.0, 0, Opener()
    for file in sorted(Path(questions).glob("*.json")):
        folder = Path(sources) / file.stem
        index = opener.open(folder)
        for question in json.loads(file.read_text()):
            wanted = question["relevant"] + question["secondary"]
            found = []
            for result in index.search(question["query"], top_k=CHUNKS, alpha=opener.share):
                path = relative(result, folder)
                if path not in found:
                    found.append(path)
            places = [found.index(path) for path in wanted if path in found[:PLACES]]
            ideal = sum(gain(place) for place in range(min(len(wanted), PLACES)))
            gains += sum(gain(place) for place in places) / ideal
            recall += len(places) / len(wanted)
            count += 1
    line(opener.name, gains, recall, count)


def functions(root):
    gains, recall, count, opener = 0.0, 0.0, 0, Opener()
    by_crate = {}
    for question in json.loads((Path(root) / "questions.json").read_text()):
        by_crate.setdefault(question["crate"], []).append(question)
    for name, asked in by_crate.items():
        folder = Path(root) / name
        index = opener.open(folder)
        for question in asked:
            results = index.search(question["query"], top_k=PLACES, alpha=opener.share)
            holds = [
                place
                for place, result in enumerate(results)
                if relative(result, folder) == question["path"]
                and result.chunk.start_line <= question["to"]
                and question["from"] <= result.chunk.end_line
            ]
            gains += gain(holds[0]) if holds else 0.0
            recall += 1 if holds else 0
            count += 1
    line(opener.name, gains, recall, count)


if __name__ == "__main__":
    {"files": files, "functions": functions}[sys.argv[1]](*sys.argv[2:])
