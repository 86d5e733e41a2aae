//! Items of JavaScript and TypeScript files.

use code_model::hash::PROJECT_NAMESPACE;
use code_model::model::{ItemKind, ParsedFile, Placement};
use code_model::parse::parse;
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
fn an_item_begins_with_its_documentation_its_decorators_and_its_export() {
    let documented = [
        "",
        "/** Doc. */\n",
        "/** Doc. */\n// eslint-disable-next-line\n",
    ];
    let decorated = [
        "",
        "@a\n",
        "@a.b({ c: '/** no */' /** no */ }) @d()\n",
        "@a // of a\n/* of d */ @d\n",
        "@a\n/** Doc. */\n@d\n",
    ];
    let exported = [
        "",
        "export ",
        "export default ",
        "declare ",
        "export declare ",
        "abstract ",
        "export abstract ",
        "export default abstract ",
    ];
    for doc in documented {
        for decorators in decorated {
            for export in exported {
                let behind = [
                    format!("{export}{decorators}"),
                    format!("{decorators}{export}"),
                ];
                for front in behind {
                    let class = format!("{doc}{front}class K {{ a: number }}");
                    let text = format!("const x = 1; // x\n\n{class}\nconst y = 2;\n");
                    let file = parsed("a.ts", &text);
                    // Decorators come before everything, or directly after `export` and `export
                    // default`.
                    let behind_other = !front.starts_with('@')
                        && !["export ", "export default "].contains(&export);
                    if !decorators.is_empty() && behind_other {
                        assert!(!file.parsed, "{text}");
                        continue;
                    }
                    assert!(file.parsed, "{text}: {:?}", file.reason);
                    let item = file
                        .items
                        .iter()
                        .find(|item| item.kind == ItemKind::Class)
                        .unwrap();
                    assert_eq!(text[item.span.clone()], class, "{text}");
                    let documents = !doc.is_empty() || decorators.contains("/** Doc.");
                    assert_eq!(
                        item.docstring,
                        if documents { "Doc." } else { "" },
                        "{text}"
                    );
                    assert!(
                        item.signature.ends_with("class K"),
                        "{text}: {}",
                        item.signature
                    );
                    let starts_with_decorator = front.starts_with('@');
                    assert_eq!(
                        item.signature.contains('@'),
                        !starts_with_decorator && !decorators.is_empty(),
                        "{text}: {}",
                        item.signature
                    );
                }
            }
        }
    }
}

#[test]
fn a_member_begins_with_its_documentation_and_decorators() {
    let documented = ["", "/** Doc. */\n  ", "/** Doc. */\n  // plain\n  "];
    let decorated = [
        "",
        "@a ",
        "@a\n  @b({ c: 1 })\n  ",
        "@a\n  /** Doc. */\n  @b ",
    ];
    let members = [
        "m(@p x: string, /** of y */ @p() y = 1) { return x }",
        "static async *m() {}",
        "get m() { return 1 }",
        "private set m(x: string) { this.y = x }",
        "m = () => 1;",
        "protected override readonly m = function () {};",
        "abstract m(): void;",
    ];
    for doc in documented {
        for decorators in decorated {
            for member in members {
                let whole = format!("{doc}{decorators}{member}");
                if member.starts_with("abstract") && !decorators.is_empty() {
                    continue;
                }
                let text = format!("abstract class K {{\n  a = 1;\n\n  {whole}\n  z = 2;\n}}\n");
                let file = parsed("a.ts", &text);
                assert!(file.parsed, "{text}: {:?}", file.reason);
                let item = file
                    .items
                    .iter()
                    .find(|item| item.kind == ItemKind::Method)
                    .unwrap();
                assert_eq!(text[item.span.clone()], whole, "{text}");
                let documents = !doc.is_empty() || decorators.contains("Doc.");
                assert_eq!(
                    item.docstring,
                    if documents { "Doc." } else { "" },
                    "{text}"
                );
                assert!(
                    !item.signature.starts_with('@'),
                    "{text}: {}",
                    item.signature
                );
            }
        }
    }
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
