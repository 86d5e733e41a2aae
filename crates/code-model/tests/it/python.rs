//! Items of Python files: their names, spans and hashes, edits of them, and a comparison with
//! CPython.

use code_model::hash::PROJECT_NAMESPACE;
use code_model::model::{Item, ParsedFile, Placement};
use code_model::parse::parse;
use serde_json::json;

use crate::python_edits::EDITS;
use crate::world::World;

pub fn parsed(path: &str, text: &str) -> ParsedFile {
    let placement = Placement {
        path: path.to_owned(),
        absolute_path: format!("/ws/{path}"),
        crate_name: String::new(),
        namespace: PROJECT_NAMESPACE,
        module_path: String::new(),
    };
    parse(text.as_bytes(), &placement)
}

fn item<'f>(file: &'f ParsedFile, canon: &str) -> &'f Item {
    let found = file.items.iter().find(|item| item.canon == canon);
    found.unwrap_or_else(|| panic!("{canon} is none of {:?}", file.items))
}

/// A text, and the items after its module: visibility, kind, path and conditions.
const CONSTRUCTS: &[(&str, &[&str])] = &[
    ("def f(): pass\n", &["function m.f"]),
    ("async def f():\n    pass\n", &["function m.f"]),
    (
        "class C(B, metaclass=M):\n    x = 1\n    def m(self): pass\n    async def n(self): pass\n    class D:\n        def o(self): pass\n",
        &[
            "class m.C",
            "method m.C.m",
            "method m.C.n",
            "class m.C.D",
            "method m.C.D.o",
        ],
    ),
    (
        "def outer():\n    def inner():\n        class K: pass\n    x = 1\n    import os\n",
        &[
            "function m.outer",
            "function m.outer.inner",
            "class m.outer.inner.K",
        ],
    ),
    (
        "class C:\n    @property\n    def a(self): pass\n    @a.setter\n    def a(self, x): pass\n    @a.deleter\n    def a(self): pass\n",
        &[
            "class m.C",
            "method m.C.a",
            "method m.C.a.setter",
            "method m.C.a.deleter",
        ],
    ),
    (
        "@overload\ndef f(x: int) -> int: ...\n@typing.overload\ndef f(x: str) -> str: ...\ndef f(x): return x\n",
        &[
            "function m.f.overload",
            "function m.f.overload",
            "function m.f",
        ],
    ),
    (
        "A = 1\nB: int = 2\nC: int\na, b = 1, 2\nx.y = 1\nD = E = 3\ntype T[U] = list[U]\nf = lambda x: x\n",
        &[
            "const m.A",
            "const m.B",
            "const m.C",
            "const m.D",
            "type_alias m.T",
            "const m.f",
        ],
    ),
    (
        "import os, sys as s\nfrom .a import b as c\nfrom . import *\n",
        &[
            "import import os, sys as s",
            "import from .a import b as c",
            "import from . import *",
        ],
    ),
    (
        "__all__ = ['f', \"C\"] + ['g']\n__all__ += ('h',)\n__all__.append('i')\nfrom x import i\ndef f(): pass\ndef g(): pass\ndef h(): pass\nclass C:\n    def f(self): pass\ndef _p(): pass\n",
        &[
            "const m.__all__",
            "__all__ import from x import i",
            "__all__ function m.f",
            "__all__ function m.g",
            "__all__ function m.h",
            "__all__ class m.C",
            "method m.C.f",
            "function m._p",
        ],
    ),
    (
        "if sys.version_info >= (3, 9):\n    def f(): pass\nelif a:\n    def f(): pass\nelse:\n    def f(): pass\ntry:\n    import q\nexcept ImportError:\n    q = None\nelse:\n    def r(): pass\nfinally:\n    def s(): pass\n",
        &[
            "function m.f [if sys.version_info >= (3, 9)]",
            "function m.f [elif a]",
            "function m.f [not elif a]",
            "import import q [try]",
            "const m.q [except ImportError]",
            "function m.r [try else]",
            "function m.s",
        ],
    ),
    (
        "with a as b:\n    def f(): pass\nfor x in y:\n    def g(): pass\nelse:\n    def h(): pass\nwhile x:\n    class C: pass\nmatch x:\n    case 1:\n        def i(): pass\n    case _ if y:\n        def i(): pass\n",
        &[
            "function m.f",
            "function m.g",
            "function m.h",
            "class m.C",
            "function m.i [case 1]",
            "function m.i [case _]",
        ],
    ),
    (
        "def f[T: int](x: T) -> T: return x\nclass C[T]: pass\n",
        &["function m.f", "class m.C"],
    ),
    (
        "def größe(): pass\nclass Ä: pass\n",
        &["function m.größe", "class m.Ä"],
    ),
    (
        "x = f'{a['b']!r:>{w}}' '\\x00' if 0 else t'{x}'\n",
        &["const m.x"],
    ),
    ("", &[]),
    ("# only a comment", &[]),
];

#[test]
fn every_construct_has_its_path() {
    for (text, expected) in CONSTRUCTS {
        let file = parsed("m.py", text);
        assert!(file.parsed, "{text:?}: {:?}", file.reason);
        let found: Vec<String> = file
            .items
            .iter()
            .skip(1)
            .map(|item| {
                let cfgs = match item.cfgs.join("; ") {
                    cfgs if cfgs.is_empty() => cfgs,
                    cfgs => format!("[{cfgs}]"),
                };
                let line = format!(
                    "{} {} {} {cfgs}",
                    item.visibility,
                    item.kind.word(),
                    item.canon
                );
                line.trim().to_owned()
            })
            .collect();
        assert_eq!(found, *expected, "{text:?}");
        for end in ["\r\n", "\r"] {
            let other = parsed("m.py", &text.replace('\n', end));
            let canons = |file: &ParsedFile| -> Vec<String> {
                file.items.iter().map(|item| item.canon.clone()).collect()
            };
            assert_eq!(canons(&other), canons(&file), "{text:?} with {end:?}");
        }
    }
}

#[test]
fn modules_and_packages_are_called_as_code_imports_them() {
    for (path, root, kind) in [
        ("src/requests/models.py", "requests.models", "models"),
        ("requests/__init__.py", "requests", "requests"),
        ("a.pyi", "a", "a"),
        ("__init__.py", "__init__", "__init__"),
    ] {
        let file = parsed(path, "def f(): pass\n");
        assert_eq!((&*file.items[0].canon, &*file.items[0].name), (root, kind));
        assert_eq!(file.items[1].canon, format!("{root}.f"));
        assert_eq!(file.items[1].module_path, root);
    }
    // A package re-exports its imports from its own modules.
    let text = "from .models import Response\nfrom requests.api import get\nimport os\n";
    let file = parsed("requests/__init__.py", text);
    let shown: Vec<(&str, bool)> = file.items[1..]
        .iter()
        .map(|item| (&*item.visibility, item.searchable))
        .collect();
    assert_eq!(shown, [("__init__", true), ("__init__", true), ("", false)]);
    let names: Vec<&str> = file.references.iter().map(|one| &*one.target).collect();
    assert_eq!(names, ["Response", "get"]);
}

#[test]
fn a_span_has_decorators_and_documentation() {
    let text = "# of C\n@a\n# between\n@b(\n    1,\n)\nclass C(B):  # end\n    '''One.\n\n    Two.\n    '''\n    @c\n    async def m(self, x=':') -> {1: 2}:\n        r\"\"\"M.\"\"\"\n        return x  # last\n    # behind\n\n#: Ten.\n#: Of all.\nX: int = 10; Y = 2\n";
    let file = parsed("m.py", text);
    let of = |canon: &str| {
        let item = item(&file, canon);
        (&text[item.span.clone()], &*item.signature, &*item.docstring)
    };
    let class = "@a\n# between\n@b(\n    1,\n)\nclass C(B):  # end\n    '''One.\n\n    Two.\n    '''\n    @c\n    async def m(self, x=':') -> {1: 2}:\n        r\"\"\"M.\"\"\"\n        return x";
    assert_eq!(of("m.C"), (class, "class C(B):", "One.\n\nTwo."));
    assert_eq!(
        of("m.C.m"),
        (
            "@c\n    async def m(self, x=':') -> {1: 2}:\n        r\"\"\"M.\"\"\"\n        return x",
            "async def m(self, x=':') -> {1: 2}:",
            "M."
        )
    );
    assert_eq!(
        of("m.X"),
        (
            "#: Ten.\n#: Of all.\nX: int = 10",
            "X: int = 10",
            "Ten.\nOf all."
        )
    );
    assert_eq!(of("m.Y"), ("Y = 2", "Y = 2", ""));
    let module = parsed("m.py", "#!/usr/bin/env python\n'''The module.'''\nx = 1\n");
    assert_eq!(module.items[0].docstring, "The module.");
    // A byte order mark counts as three bytes.
    let marked = parsed("m.py", "\u{feff}def f(): pass\n");
    assert_eq!(marked.items[1].span, 3..16);
}

#[test]
fn a_hash_sees_tokens_and_blocks_alone() {
    let hash = |text: &str| parsed("m.py", text).tracking_hash;
    let plain = "def f(a, b):\n    if a:\n        return 'x'\n    return b\n";
    for same in [
        "def f( a,b ) :\n  if a: # c\n\n     return 'x'\n  return b",
        "# top\ndef f(a, b):\r\n\tif a:\r\n\t\treturn 'x'\r\n\treturn b\r\n",
        "def f(a,\n  b):\n    if a:\n        return \\\n 'x'\n    return b\n",
    ] {
        assert_eq!(hash(plain), hash(same), "{same}");
    }
    for other in [
        "def f(a, b):\n    if a:\n        return 'x'\n        return b\n",
        "def f(a, b):\n    if a:\n        return ' x'\n    return b\n",
        "def f(a, b,):\n    if a:\n        return 'x'\n    return b\n",
        "def f(a, b):\n    '''D.'''\n    if a:\n        return 'x'\n    return b\n",
    ] {
        assert_ne!(hash(plain), hash(other), "{other}");
    }
    assert_ne!(hash("f'{x = }'"), hash("f'{x=}'"));
    // The own tokens of a class do not change with those of a method.
    let class = |body: &str| {
        let file = parsed(
            "m.py",
            &format!("class C:\n    def m(self):\n        {body}\n"),
        );
        let class = item(&file, "m.C");
        (class.tracking_hash, class.own_hash, class.id)
    };
    let (one, other) = (class("return 1"), class("return 2"));
    assert_eq!((one.1, one.2), (other.1, other.2));
    assert_ne!(one.0, other.0);
}

#[test]
fn a_file_with_a_mistake_is_stored_as_chunks() {
    for (text, line) in [
        ("def f(:\n    pass\n", "line 1"),
        ("x = 1\nprint 'two'\n", "line 2"),
        ("if a:\nb\n", "line 2"),
        ("x = '''", "line 1"),
        ("def f():\n    a\n  b\n", "line 3"),
    ] {
        let file = parsed("m.py", text);
        assert!(!file.parsed, "{text:?}");
        let reason = file.reason.unwrap();
        assert!(reason.starts_with(line), "{text:?}: {reason}");
        assert_eq!(file.items[0].kind.word(), "chunk");
    }
    for name in ["\\N{EM DASH}", "\\N{no such name}"] {
        assert!(parsed("m.py", &format!("x = '{name}'\n")).parsed);
    }
}

#[test]
fn relations_are_names_of_others() {
    let text = "class A(b.Base, Generic[T]):\n    @cached\n    def m(self, x: Path) -> Out:\n        return helper(x).run()\n    def n(self):\n        def inner(): other()\n        return len(x)\n";
    let file = parsed("m.py", text);
    let of = |canon: &str| -> Vec<String> {
        let index = file
            .items
            .iter()
            .position(|item| item.canon == canon)
            .unwrap();
        let own = file.references.iter().filter(|one| one.source == index);
        own.map(|one| format!("{} {}", one.kind.word(), one.target))
            .collect()
    };
    assert_eq!(of("m.A"), ["implements Base", "implements Generic"]);
    assert_eq!(
        of("m.A.m"),
        ["uses Out", "uses Path", "calls helper", "calls run"]
    );
    assert_eq!(of("m.A.n"), [""; 0]);
    assert_eq!(of("m.A.n.inner"), ["calls other"]);
}

pub const SHAPES: &str = "class Circle:\n    \"\"\"Round.\"\"\"\n\n    # of area\n    def area(self):\n        return 1\n        # trailing\n\n    @property\n    def size(self): return 1\n    @size.setter\n    def size(self, x): pass\n\nclass Square:\n    def area(self): return 2\n    def alone(self): return 3\n\ndef outer():\n    def inner(): pass\n\ndef inner(): pass\n";

pub fn world() -> World {
    let world = World::new();
    world.write(&[("src/shapes/flat.py", SHAPES)]);
    world
}

#[test]
fn names_that_people_write_resolve() {
    let world = world();
    let found = |file: &str, canon: &str, kind: &str| -> String {
        let edit = json!({"edits": [{"mode": "insert_after", "file": file, "canon": canon, "node_type": kind, "code": "def added(): pass"}]});
        match world.reply("apply_code_edit", &edit) {
            Ok(_) => {
                let item = json!({"item_name": canon, "node_kind": kind, "file_path": file});
                let found = world.run("code_item_lookup", item);
                found["item"]["canon"].as_str().unwrap().to_owned()
            }
            Err(error) => error.code().to_owned(),
        }
    };
    for (canon, kind, expected) in [
        (
            "shapes.flat.Circle.area",
            "method",
            "shapes.flat.Circle.area",
        ),
        ("flat.Circle.area", "method", "shapes.flat.Circle.area"),
        ("Circle.area", "method", "shapes.flat.Circle.area"),
        ("Circle::area", "method", "shapes.flat.Circle.area"),
        ("shapes::flat::Circle", "class", "shapes.flat.Circle"),
        ("Square", "class", "shapes.flat.Square"),
        ("Square", "struct", "shapes.flat.Square"),
        ("alone", "method", "shapes.flat.Square.alone"),
        ("alone", "function", "shapes.flat.Square.alone"),
        ("area", "method", "AMBIGUOUS_ITEM"),
        ("Circle.size", "method", "shapes.flat.Circle.size"),
        (
            "Circle.size.setter",
            "method",
            "shapes.flat.Circle.size.setter",
        ),
        ("outer.inner", "function", "shapes.flat.outer.inner"),
        (
            "outer.<locals>.inner",
            "function",
            "shapes.flat.outer.inner",
        ),
        ("inner", "function", "shapes.flat.inner"),
        ("Circle.none", "method", "ITEM_NOT_FOUND"),
    ] {
        for file in ["src/shapes/flat.py", "flat.py"] {
            assert_eq!(found(file, canon, kind), expected, "{canon} in {file}");
        }
    }
    // Without naming a file.
    for (canon, expected) in [
        ("Circle.area", "shapes.flat.Circle.area"),
        ("flat.Square.alone", "shapes.flat.Square.alone"),
        ("alone", "shapes.flat.Square.alone"),
        ("Circle.size.setter", "shapes.flat.Circle.size.setter"),
    ] {
        let found = world.run("code_item_lookup", json!({ "canon": canon }));
        assert_eq!(found["item"]["canon"], expected);
    }
    let named = json!({ "module_path": "shapes.flat", "item_name": "outer" });
    let found = world.run("code_item_lookup", named);
    assert_eq!(found["item"]["canon"], "shapes.flat.outer");
}

#[test]
fn an_inspection_lists_modules_below_a_package() {
    let world = world();
    world.write(&[("src/shapes/__init__.py", "from .flat import Circle\n")]);
    world.write(&[("src/shapeshifter.py", "x = 1\n")]);
    let listed = world.run("inspect", json!({ "module_path": "shapes" }));
    let modules: Vec<&str> = listed["modules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|module| module["module_path"].as_str().unwrap())
        .collect();
    assert_eq!(modules, ["shapes", "shapes.flat"]);
}

#[path = "../../examples/python_sources/compare.rs"]
#[expect(clippy::expect_used, reason = "a test stops at its first surprise")]
mod compare;

/// The number of files of CPython's library that are compared: the first some hundred, which
/// include `ast`, `asyncio` and `dataclasses`.
const LIBRARY_FILES: usize = 300;

#[test]
fn every_span_is_its_item_to_cpython() {
    let mut lines = Vec::new();
    for (index, (text, _)) in CONSTRUCTS.iter().enumerate() {
        let file = parsed("m.py", text);
        lines.push(compare::line(
            &format!("construct {index}"),
            text.as_bytes(),
            &file,
        ));
    }
    for (text, ..) in EDITS {
        lines.push(compare::line(text, text.as_bytes(), &parsed("m.py", text)));
    }
    let library = std::process::Command::new("python3")
        .args([
            "-c",
            "import sysconfig; print(sysconfig.get_paths()['stdlib'])",
        ])
        .output()
        .unwrap();
    let folder = String::from_utf8(library.stdout).unwrap();
    let folder = std::path::Path::new(folder.trim());
    for path in compare::sources(folder, LIBRARY_FILES) {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.to_string_lossy();
        let file = compare::read(&name, &bytes);
        // The library contains files with deliberate errors, for its own tests.
        if file.parsed {
            lines.push(compare::line(&name, &bytes, &file));
        }
    }
    let (printed, counts) = compare::compare(&lines);
    let differences: Vec<&String> = printed
        .iter()
        .filter(|line| line.starts_with("difference"))
        .collect();
    assert!(differences.is_empty(), "{differences:#?}");
    assert_eq!(counts["differences"], 0);
    assert!(counts["items"].as_u64().unwrap() > 5_000, "{counts}");
}
