"""What semble finds for the questions about files: NDCG@10 and recall@10 over distinct files.

    python3 bench/retrieval_semble.py QUESTIONS SOURCES

needs the PyPI package semble. Without a network it cannot have its model; then a model that knows nothing takes its place and only its BM25
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
# Chunks that are asked for, so that ten distinct files are among them.
CHUNKS = 50


def empty_model():
    """A model of one token, saved where semble looks for one."""
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    folder = tempfile.mkdtemp()
    StaticModel(numpy.ones((1, 8), dtype=numpy.float32), tokenizer).save_pretrained(folder)
    return folder


def open_index(folder):
    """The index of a folder, and the share of its vectors: none where there is no model."""
    try:
        return SembleIndex.from_path(folder), None
    except Exception as error:  # The library that fetches models raises many kinds.
        print(f"no model ({type(error).__name__}): BM25 and ranking alone", file=sys.stderr)
        return SembleIndex.from_path(folder, model_path=empty_model()), 0.0


def main(questions, sources):
    gain, recall, count = 0.0, 0.0, 0
    name = "semble"
    for file in sorted(Path(questions).glob("*.json")):
        folder = Path(sources) / file.stem
        index, share = open_index(folder)
        if share is not None:
            name = "semble without its model"
        for question in json.loads(file.read_text()):
            wanted = question["relevant"] + question["secondary"]
            files = []
            for result in index.search(question["query"], top_k=CHUNKS, alpha=share):
                path = str(result.chunk.file_path)
                path = path.removeprefix(str(folder)).lstrip("/")
                if path not in files:
                    files.append(path)
            places = [files.index(path) for path in wanted if path in files[:PLACES]]
            ideal = sum(1 / math.log2(place + 2) for place in range(min(len(wanted), PLACES)))
            gain += sum(1 / math.log2(place + 2) for place in places) / ideal
            recall += len(places) / len(wanted)
            count += 1
    print(f"{name:<44} NDCG@10 {gain / count:.3f}  R@10 {recall / count:.3f}  ({count})")


if __name__ == "__main__":
    main(*sys.argv[1:])
