//! Items of JavaScript and TypeScript files.

use code::hash::PROJECT_NAMESPACE;
use code::model::{ItemKind, ParsedFile, Placement};
use code::parse::parse;
use serde_json::json;

use crate::world::World;

fn parsed(path: &str, text: &str) -> ParsedFile {
    let placement = Placement {
        path: path.to_owned(),
        absolute_path: format!("/ws/{path}"),
        crate_name: String::new(),
        namespace: PROJECT_NAMESPACE,
        module_path: String::new(),
    };
    parse(text.as_bytes(), &placement)
}

fn canons(file: &ParsedFile) -> Vec<String> {
    assert!(file.parsed, "{:?}", file.reason);
    file.items
        .iter()
        .skip(1)
        .map(|item| {
            format!("{} {} {}", item.visibility, item.kind.word(), item.canon)
                .trim()
                .to_owned()
        })
        .collect()
}

#[test]
fn every_kind_of_javascript_has_its_path() {
    let text = "import a, { b } from './b.js';\nexport function f() {}\nfunction g() {}\nconst h = () => 1;\nexport const i = function () {}, j = 2;\n\
        class K { constructor() {} m() {} get n() { return 1 } set n(x) {} #p() {} q = () => {}; r = 1; static s() {} }\nexport default class extends K {}\n\
        export { g, h as hh };\nexport * from './c.js';\nexports.old = function () {};\nmodule.exports = class L {};\n";
    assert_eq!(
        canons(&parsed("src/x.js", text)),
        [
            "import ./b.js",
            "export function f",
            "function g",
            "function h",
            "export function i",
            "export const j",
            "class K",
            "method K::constructor",
            "method K::m",
            "method K::n",
            "method K::n",
            "method K::p",
            "method K::q",
            "method K::s",
            "export default class default",
            "export export {g, h as hh}",
            "export export *from'./c.js'",
            "function old",
            "class exports",
        ]
    );
}

#[test]
fn every_kind_of_typescript_has_its_path() {
    let text = "export interface A { b: number }\nexport type C = A | null;\nenum D { E }\nnamespace F { export function g(): void {} }\n\
        export abstract class H<T> implements A { b = 1; i(): T { throw 1 } }\nexport default function <T>(x: T): T { return x }\ndeclare const j: string;\n";
    assert_eq!(
        canons(&parsed("src/x.ts", text)),
        [
            "export interface A",
            "export type_alias C",
            "enum D",
            "module F",
            "export function F::g",
            "export class H",
            "method H::i",
            "export default function default",
            "const j",
        ]
    );
    assert_eq!(
        canons(&parsed(
            "a.tsx",
            "export const A = (p: { x: string }) => <div>don't {p.x}</div>;\n"
        )),
        ["export function A"]
    );
    assert_eq!(
        canons(&parsed("a.js", "const A = () => <div>it's</div>;\n")),
        ["function A"]
    );
}

#[test]
fn documentation_belongs_to_what_stands_below_it() {
    let text =
        "// plain\n/**\n * Adds ä.\n * @param a first\n */\nexport function add(a) { return a }\n";
    let file = parsed("a.js", text);
    let item = &file.items[1];
    assert_eq!(item.docstring, "Adds ä.\n@param a first");
    assert!(
        text[item.span.clone()].starts_with("/**\n")
            && text[item.span.clone()].ends_with("return a }")
    );
    assert_eq!(item.signature, "export function add(a)");
    assert_eq!(&text[item.head..item.head + 6], "export");
}

#[test]
fn white_space_and_comments_do_not_change_what_a_file_says() {
    let one = parsed(
        "a.js",
        "function a(b) { return `x  ${b} /* no */` + 'y  z' }\nclass C { m() { return 1 } }\n",
    );
    let other = parsed(
        "a.js",
        "// c\nfunction a( b ) {\n  return `x  ${b} /* no */` /* c */ + 'y  z'\n}\n\nclass C {\n  m() { return 1 }\n}\n",
    );
    assert_eq!(one.tracking_hash, other.tracking_hash);
    let hashes = |file: &ParsedFile| {
        file.items
            .iter()
            .map(|item| (item.tracking_hash, item.own_hash))
            .collect::<Vec<_>>()
    };
    assert_eq!(hashes(&one), hashes(&other));
    for changed in [
        "function a(b) { return `x ${b} /* no */` + 'y  z' }",
        "function a(b) { return `x  ${b} /* no */` + 'y z' }",
        "/** d */ function a(b) { return `x  ${b} /* no */` + 'y  z' }",
    ] {
        assert_ne!(
            one.items[1].tracking_hash,
            parsed("a.js", changed).items[1].tracking_hash,
            "{changed}"
        );
    }
    let inside = parsed(
        "a.js",
        "function a(b) { return `x  ${b} /* no */` + 'y  z' }\nclass C { m() { return 2 } }\n",
    );
    let class = |file: &ParsedFile| {
        file.items
            .iter()
            .find(|item| item.kind == ItemKind::Class)
            .cloned()
            .unwrap()
    };
    assert_eq!(class(&one).own_hash, class(&inside).own_hash);
    assert_ne!(class(&one).tracking_hash, class(&inside).tracking_hash);
}

#[test]
fn items_of_scripts_are_edited_by_name() {
    let world = World::new();
    world.write(&[(
        "src/x.ts",
        "export class Shelf {\n  open(): void { call() }\n}\nconst call = () => 1;\n",
    )]);
    for (canon, kind, code) in [
        ("Shelf::open", "method", "open(): void { call(2) }"),
        ("crate::call", "function", "const call = (x = 1) => x;"),
        ("Shelf.open", "method", "open(): void { call(3) }"),
        (
            "Shelf",
            "class",
            "export class Shelf { open(): void { call(4) } }",
        ),
    ] {
        let staged = world.propose("src/x.ts", canon, kind, code);
        assert_eq!(world.approve(&staged)["ok"], true);
        assert!(world.text("src/x.ts").contains(code), "{canon}");
    }
    let error = world.error("apply_code_edit", json!({"edits": [{"mode": "canonical", "file": "src/x.ts", "canon": "call", "node_type": "function", "code": "const call = ("}]}));
    assert_eq!(error.code(), "SYNTAX_BROKEN");
    let edges = world.run(
        "code_item_edges",
        json!({"canon": "call", "file_path": "src/x.ts", "node_kind": "function"}),
    );
    assert_eq!(edges["incoming"][0]["item"]["canon"], "Shelf::open");
}
