"""Compares the items of Python files with the syntax tree of CPython.

Reads lines of JSON: {"path", "text" (base64), "items": [[kind, name, start, end], ...]}. Each item's bytes must parse to one statement of its kind and
name, and the items must be those that the tree of the whole file has, with the same first and last byte. Prints a line for each difference, and at
last how many files and items were compared, and how many files CPython itself rejects.
"""

import ast
import base64
import collections
import json
import sys
import warnings

warnings.simplefilter("ignore")

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
TYPE_ALIAS = getattr(ast, "TypeAlias", ())


def kind_of(node, owner):
    """Returns the kind and the name of a statement, as the items have it; none for others."""
    if isinstance(node, ast.ClassDef):
        return "class", node.name
    if isinstance(node, DEFINITIONS):
        return ("method" if owner == "class" else "function"), node.name
    if TYPE_ALIAS and isinstance(node, TYPE_ALIAS):
        return "type_alias", node.name.id
    if owner != "module":
        return None
    if isinstance(node, IMPORTS):
        return "import", None
    target = None
    if isinstance(node, ast.Assign):
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    return ("const", target.id) if isinstance(target, ast.Name) else None


def bodies(node):
    """Returns the statements that are directly in a statement."""
    for field in ("body", "orelse", "finalbody"):
        yield from getattr(node, field, None) or []
    for handler in getattr(node, "handlers", None) or []:
        yield from handler.body
    for case in getattr(node, "cases", None) or []:
        yield from case.body


class Lines:
    """The bytes at which lines begin."""

    def __init__(self, data):
        self.data = data
        self.starts = [0]
        position = 0
        while position < len(data):
            byte = data[position]
            position += 1
            if byte == 13 and data[position : position + 1] == b"\n":
                position += 1
            if byte in (10, 13):
                self.starts.append(position)

    def byte(self, line, column):
        return self.starts[line - 1] + column


def expected(data, tree, mark):
    lines = Lines(data)
    found = []
    waiting = [(node, "module") for node in tree.body]
    while waiting:
        node, owner = waiting.pop()
        kind = kind_of(node, owner)
        if kind:
            start = lines.byte(node.lineno, node.col_offset)
            decorators = getattr(node, "decorator_list", None)
            if decorators:
                first = decorators[0]
                start = data.rindex(b"@", 0, lines.byte(first.lineno, first.col_offset) - 0 + mark)
            end = lines.byte(node.end_lineno, node.end_col_offset)
            found.append((kind[0], kind[1], start, end))
        inner = owner
        if isinstance(node, ast.ClassDef):
            inner = "class"
        elif isinstance(node, DEFINITIONS):
            inner = "function"
        waiting.extend((child, inner) for child in bodies(node) if isinstance(child, ast.stmt))
    return found


def without_comment(data, start, end):
    """Returns the first byte behind comments of the form `#:`, which CPython does not know."""
    while data[start:end].startswith(b"#:"):
        line = len(data[start:end].splitlines(keepends=True)[0])
        start += line
        while data[start : start + 1] in (b" ", b"\t", b"\x0c"):
            start += 1
    return start


def alone(data, start, end):
    """Returns the only statement that the bytes of an item parse to, with what is before it on its line as its indentation."""
    line = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
    margin = data[line:start]
    text = data[start:end]
    # The bytes before are code where several statements share a line.
    if margin.strip() == b"" and margin.strip(b" \t") == b"" and margin:
        text = b"if 1:\n" + margin + text
        [outer] = ast.parse(text).body
        [node] = outer.body
        return node
    [node] = ast.parse(text).body
    return node


def main():
    counts = collections.Counter()
    for line in sys.stdin:
        file = json.loads(line)
        data = base64.b64decode(file["text"])
        mark = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        if mark:
            data = data[3:]
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError) as error:
            counts["rejected"] += 1
            print(f"note: CPython rejects {file['path']}: {error}")
            continue
        counts["files"] += 1
        items = []
        for kind, name, start, end in file["items"]:
            start = without_comment(data, start - mark, end - mark)
            end -= mark
            name = None if kind == "import" else name.split(".")[0]
            items.append((kind, name, start, end))
            try:
                node = alone(data, start, end)
                owner = {"method": "class", "function": "function"}.get(kind, "module")
                said = kind_of(node, owner)
            except (SyntaxError, ValueError) as error:
                said = f"no statement: {error}"
            if said != (kind, name):
                counts["differences"] += 1
                print(f"difference: {file['path']}: {kind} {name} at {start} is {said}")
        counts["items"] += len(items)
        tree_items = collections.Counter(expected(data, tree, 0))
        own_items = collections.Counter(items)
        for item in (tree_items - own_items).keys():
            counts["differences"] += 1
            print(f"difference: {file['path']}: CPython alone has {item}")
        for item in (own_items - tree_items).keys():
            counts["differences"] += 1
            print(f"difference: {file['path']}: CPython does not have {item}")
    print(json.dumps({key: counts[key] for key in ("files", "items", "rejected", "differences")}))


main()
