//! Edits of Python files.

use serde_json::json;

use crate::python::{SHAPES, world};
use crate::world::World;

/// The file, the mode of the edit, the item, the code, and the resulting file.
pub const EDITS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "class C:\n    def m(self):\n        return 1\n\n    def n(self): pass\n",
        "canonical C.m",
        "def m(self):\n    \"\"\"M.\n\n    More.\n    \"\"\"\n    return 2",
        "class C:\n    def m(self):\n        \"\"\"M.\n\n        More.\n        \"\"\"\n        return 2\n\n    def n(self): pass\n",
        "",
    ),
    (
        "class C:\r\n    def m(self):\r\n        return 1\r\n",
        "canonical C.m",
        "    def m(self):\n        x = '''\na\n'''\n        return x",
        "class C:\r\n    def m(self):\r\n        x = '''\r\na\r\n'''\r\n        return x\r\n",
        "",
    ),
    (
        "class C:\n\t@a\n\tdef m(self):\n\t\treturn 1\n",
        "canonical C.m",
        "@a\ndef m(self):\n\treturn 2",
        "class C:\n\t@a\n\tdef m(self):\n\t\treturn 2\n",
        "",
    ),
    (
        "@a\n@b(x)\nclass C:\n    '''D.'''\n",
        "canonical C",
        "```python\n@a\nclass C:\n    pass\n```",
        "@a\nclass C:\n    pass\n",
        "the replacement of m.C leaves out its documentation, which deletes it|the replacement of m.C leaves out @b(x), which deletes it|the Markdown fence around the code for m.py was removed",
    ),
    (
        "x = 1\n\n# of C\n@a\nclass C:\n    pass\n",
        "insert_before C",
        "def f():\n    pass",
        "x = 1\n\ndef f():\n    pass\n\n# of C\n@a\nclass C:\n    pass\n",
        "",
    ),
    (
        "class C:\n    '''D # x.'''\n\n    # of m\n    def m(self):\n        pass\n        # trailing\n\n        # too\n    # of n\n    def n(self): pass\n",
        "insert_after C.m",
        "def o(self):\n    pass",
        "class C:\n    '''D # x.'''\n\n    # of m\n    def m(self):\n        pass\n        # trailing\n\n        # too\n\n    def o(self):\n        pass\n    # of n\n    def n(self): pass\n",
        "",
    ),
    (
        "class C:\n    '''D # x.'''\n\n    # of m\n    def m(self):\n        pass\n",
        "insert_before C.m",
        "def o(self): pass",
        "class C:\n    '''D # x.'''\n\n    def o(self): pass\n\n    # of m\n    def m(self):\n        pass\n",
        "",
    ),
    (
        "a = 1; b = 2 # two\n",
        "insert_after a",
        "def f(): pass",
        "a = 1\n\ndef f(): pass\nb = 2 # two\n",
        "",
    ),
    (
        "a = 1; b = 2\n",
        "insert_before b",
        "def f(): pass",
        "a = 1\ndef f(): pass\n\nb = 2\n",
        "",
    ),
    (
        "if x: b = 2\n",
        "insert_before b",
        "c = 3",
        "if x:\n    c = 3\n\n    b = 2\n",
        "",
    ),
    (
        "if x: b = 2\n",
        "insert_after b",
        "c = 3",
        "if x:\n    b = 2\n\n    c = 3\n",
        "",
    ),
    (
        "def f(): pass",
        "insert_after f",
        "def g(): pass # x",
        "def f(): pass\n\ndef g(): pass # x",
        "",
    ),
];

#[test]
fn edits_fit_their_place() {
    for (before, edit, code, after, warnings) in EDITS {
        let world = World::new();
        world.write(&[("m.py", before)]);
        let (mode, canon) = edit.split_once(' ').unwrap();
        let kind = match canon {
            "C" => "class",
            "a" | "b" => "const",
            "f" => "function",
            _ => "method",
        };
        let edit = json!({"edits": [{"mode": mode, "file": "m.py", "canon": canon, "node_type": kind, "code": code}]});
        let staged = world.run("apply_code_edit", edit);
        let told: Vec<&str> = staged["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|warning| warning.as_str().unwrap())
            .collect();
        assert_eq!(told.join("|"), *warnings, "{code:?}");
        world.approve(&staged);
        assert_eq!(world.text("m.py"), *after);
    }
}

#[test]
fn what_is_no_code_of_python_is_refused() {
    let world = world();
    for (code, refusal) in [
        (
            "def area(self):\n    # ... existing code ...\n    return 1",
            "CODE_PLACEHOLDER",
        ),
        ("def area(self):\nreturn 1", "SYNTAX_BROKEN"),
        ("fn area() {}", "SYNTAX_BROKEN"),
    ] {
        let edit = json!({"edits": [{"mode": "canonical", "file": "src/shapes/flat.py", "canon": "Circle.area", "node_type": "method", "code": code}]});
        assert_eq!(
            world.error("apply_code_edit", edit).code(),
            refusal,
            "{code}"
        );
    }
    // An ellipsis is a body.
    world.propose(
        "src/shapes/flat.py",
        "Circle.area",
        "method",
        "def area(self): ...",
    );
}

#[test]
fn an_edit_moves_with_its_item() {
    let world = world();
    let code = "def alone(self):\n    return 4";
    let staged = world.propose("src/shapes/flat.py", "alone", "method", code);
    // Comments, blank lines and other indentation above and around it.
    let moved = SHAPES.replace(
        "class Square:",
        "# new\n\n\nclass Square:  # square\n    # one",
    );
    world.write(&[("src/shapes/flat.py", &moved)]);
    assert_eq!(world.approve(&staged)["applied"], 1);
    let text = world.text("src/shapes/flat.py");
    assert!(text.contains("# one\n"), "{text}");
    assert!(
        text.contains("    def alone(self):\n        return 4\n"),
        "{text}"
    );
    let staged = world.propose(
        "src/shapes/flat.py",
        "alone",
        "method",
        "def alone(self): pass",
    );
    world.write(&[("src/shapes/flat.py", &text.replace("return 4", "return 5"))]);
    assert_eq!(world.approve(&staged)["status"], "stale");
}
