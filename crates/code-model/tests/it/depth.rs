//! The highest trees that are parsed fit into the stack.

use code_model::hash::PROJECT_NAMESPACE;
use code_model::model::{ParsedFile, Placement};
use code_model::parse::parse;

use crate::rust::parsed;

/// The stack of a Worker. The stack frames of a debug build are larger than those of an optimized
/// one.
const STACK_BYTES: usize = 1_048_576;

/// Returns the greatest number of repetitions of a form that is parsed.
fn most(reason: fn(&str) -> Option<String>, form: fn(usize) -> String) -> usize {
    let deep = |count: usize| reason(&form(count)).is_some_and(|reason| reason.contains("deep"));
    let (mut low, mut high) = (1, 5_000);
    while low + 1 < high {
        let middle = (low + high) / 2;
        if deep(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

fn parsed_reason(text: &str) -> Option<String> {
    parsed(text).reason
}

fn markup_reason(text: &str) -> Option<String> {
    script("a.tsx", text).reason
}

fn script(path: &str, text: &str) -> ParsedFile {
    let placement = Placement {
        path: path.to_owned(),
        absolute_path: format!("/ws/{path}"),
        crate_name: String::new(),
        namespace: PROJECT_NAMESPACE,
        module_path: "crate".to_owned(),
    };
    parse(text.as_bytes(), &placement)
}

type Form = (&'static str, fn(usize) -> String);

/// Finds the highest trees with a large stack, and then parses them with a small one.
fn fit<const COUNT: usize>(reason: fn(&str) -> Option<String>, forms: [Form; COUNT]) {
    let finder = std::thread::Builder::new().stack_size(512 * 1024 * 1024);
    let texts = finder
        .spawn(move || forms.map(|(name, form)| (name, form(most(reason, form)))))
        .unwrap()
        .join()
        .unwrap();
    for (name, text) in texts {
        let builder = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .name(name.to_owned());
        let reason = builder
            .spawn(move || reason(&text))
            .unwrap()
            .join()
            .unwrap();
        assert!(reason.is_none(), "{name}: {reason:?}");
    }
}

#[test]
fn the_highest_trees_that_are_parsed_fit_into_the_stack() {
    let forms: [Form; 14] = [
        ("parentheses", |n| {
            format!("fn f() {{ {}x{} }}", "(".repeat(n), ")".repeat(n))
        }),
        ("blocks", |n| {
            format!("fn f() {{ {}{} }}", "{ ".repeat(n), " }".repeat(n))
        }),
        ("calls", |n| {
            format!("fn f() {{ {}x{} }}", "f(".repeat(n), ")".repeat(n))
        }),
        ("closures", |n| {
            format!("fn f() {{ {}x }}", "|a| ".repeat(n))
        }),
        ("not", |n| format!("fn f() {{ {}x }}", "!".repeat(n))),
        ("sums", |n| format!("fn f() {{ x{} }}", " + x".repeat(n))),
        ("methods", |n| format!("fn f() {{ x{} }}", ".a()".repeat(n))),
        ("else", |n| {
            format!("fn f() {{ if a {{}}{} }}", " else if b {}".repeat(n))
        }),
        ("match", |n| {
            format!(
                "fn f() {{ {}x{} }}",
                "match a { b => ".repeat(n),
                " }".repeat(n)
            )
        }),
        ("types", |n| {
            format!("type A = {}u8{};", "V<".repeat(n), ">".repeat(n))
        }),
        ("references", |n| format!("type A = {}u8;", "&".repeat(n))),
        ("modules", |n| {
            format!("{}{}", "mod a { ".repeat(n), " }".repeat(n))
        }),
        ("macros", |n| {
            format!("{}{}", "m! { ".repeat(n), " }".repeat(n))
        }),
        ("imports", |n| {
            format!("use {}b{};", "a::{".repeat(n), "}".repeat(n))
        }),
    ];
    fit(parsed_reason, forms);
}

#[test]
fn the_highest_trees_without_brackets_that_are_parsed_fit_into_the_stack() {
    let forms: [Form; 18] = [
        ("segments", |n| format!("use {}b;", "a::".repeat(n))),
        ("closures of two", |n| {
            format!("fn f() {{ {}x }}", "|a, b| ".repeat(n))
        }),
        ("closures that touch", |n| {
            format!("fn f() {{ {} x }}", "|a, b|".repeat(n))
        }),
        ("ranges", |n| format!("fn f() {{ {}x }}", ".. ".repeat(n))),
        ("shifts", |n| format!("fn f() {{ x{} }}", " >> x".repeat(n))),
        ("assignments", |n| {
            format!("fn f() {{ x{} }}", " = x".repeat(n))
        }),
        ("changes", |n| {
            format!("fn f() {{ x{} }}", " <<= 1".repeat(n))
        }),
        ("casts", |n| {
            format!("fn f() {{ x{} }}", " as V<u8>".repeat(n))
        }),
        ("returns", |n| {
            format!("fn f() {{ {}x }}", "return ".repeat(n))
        }),
        ("tail calls", |n| {
            format!("fn f() {{ {}x }}", "become ".repeat(n))
        }),
        ("addresses", |n| {
            format!("fn f() {{ {}x }}", "&raw const ".repeat(n))
        }),
        ("pointers", |n| {
            format!("type A = {}u8;", "*const ".repeat(n))
        }),
        ("functions", |n| {
            format!("type A = {}u8;", "fn() -> ".repeat(n))
        }),
        ("bounds", |n| {
            format!("type A = {}B;", "impl Fn() -> ".repeat(n))
        }),
        ("qualified", |n| {
            format!("type A = {}u8{};", "<".repeat(n), " as A>::B".repeat(n))
        }),
        ("numbers and types", |n| {
            format!("type A = {}u8{};", "V<1, ".repeat(n), ">".repeat(n))
        }),
        ("patterns", |n| {
            format!("fn f() {{ let {}x = y; }}", "x @ ".repeat(n))
        }),
        ("loops", |n| {
            format!(
                "fn f() {{ {}x {} }}",
                "for S { a } in ".repeat(n),
                "{} ".repeat(n)
            )
        }),
    ];
    fit(parsed_reason, forms);
}

#[test]
fn the_highest_markup_that_is_parsed_fits_into_the_stack() {
    let forms: [Form; 8] = [
        ("elements", |n| {
            format!("x = {}b{}", "<a>".repeat(n), "</a>".repeat(n))
        }),
        ("fragments", |n| {
            format!("x = {}b{}", "<>".repeat(n), "</>".repeat(n))
        }),
        ("braces", |n| {
            format!("x = {}b{}", "<a>{".repeat(n), "}</a>".repeat(n))
        }),
        ("values", |n| {
            format!("x = {}<b/>{}", "<a b=".repeat(n), "/>".repeat(n))
        }),
        ("values in braces", |n| {
            format!("x = {}b{}", "<a b={".repeat(n), "}/>".repeat(n))
        }),
        ("spread", |n| {
            format!("x = {}b{}", "<a {...".repeat(n), "}/>".repeat(n))
        }),
        ("types", |n| {
            format!("x = <A<{}b{}>/>", "B<".repeat(n), ">".repeat(n))
        }),
        ("functions", |n| {
            format!("x = {}b{}", "<a>{(c) => ".repeat(n), "}</a>".repeat(n))
        }),
    ];
    fit(markup_reason, forms);
}

/// The stack that parsers have in a Worker.
const WORKER_STACK_BYTES: usize = 4 * 1_048_576;

/// Parses a file with the stack of a Worker. A stack overflow ends the test.
fn read_in_a_stack(path: &'static str, text: String) -> ParsedFile {
    let placement = Placement {
        path: path.to_owned(),
        absolute_path: format!("/ws/{path}"),
        crate_name: String::new(),
        namespace: PROJECT_NAMESPACE,
        module_path: "crate".to_owned(),
    };
    std::thread::Builder::new()
        .stack_size(WORKER_STACK_BYTES)
        .name(format!(
            "{path} {}",
            text.chars().take(60).collect::<String>()
        ))
        .spawn(move || parse(text.as_bytes(), &placement))
        .unwrap()
        .join()
        .unwrap()
}

/// Returns a piece repeated so often that no stack can hold the nesting.
fn often(piece: &str) -> String {
    piece.repeat(100_000)
}

#[test]
fn rust_that_nests_without_brackets_is_never_parsed() {
    let inside = |text: String| format!("fn f() {{ {text} }}");
    let brackets = format!("{}x{}", often("("), often(")"));
    for text in [
        format!("use {}b;", often("a::")),
        format!("use a::{{b, {}c}};", often("a::")),
        format!("type A = {}u8{};", often("V<1, "), often(">")),
        format!("type A = {}u8{};", often("V<-1, "), often(">")),
        format!("type A = {}u8{};", often("V<'a', "), often(">")),
        format!("type A = {}u8{};", often("V<{1}, "), often(">")),
        format!("type A = {}u8{};", often("V<fn()->u8, "), often(">")),
        format!("type A = {}u8{};", often("<"), often(" as A>::B")),
        format!("#!/*\n{}", inside(brackets.clone())),
        format!("#!/usr/bin/env \"\n{}", inside(brackets.clone())),
        format!("\u{feff}#!/usr/bin/env r#\"\n{}", inside(brackets.clone())),
        format!("m!{{ \"a\"r\"\\\"\" ({brackets}) }}"),
        format!("m!{{ 'a'r\"\\\"\" ({brackets}) }}"),
        format!("m!{{ 1r\"\\\"\" ({brackets}) }}"),
        format!("m!{{ a\u{301}r\"\\\"\" ({brackets}) }}"),
        format!("m!{{ \u{2118}r\"\\\"\" ({brackets}) }}"),
        format!("{}{}", often("mod a { "), often("}")),
        format!("{}{}", often("m! { "), often("}")),
        format!("#[a{}{}] fn f() {{}}", often("("), often(")")),
        format!("#[a = {}x] fn f() {{}}", often("!")),
        inside(format!("{}x", often("|a, b| "))),
        inside(format!("{}x", often("move |a, b| "))),
        inside(format!("{}x", often("|| "))),
        inside(format!("{}x", often("||||"))),
        inside(format!("{{}} |a{}| x", often(", b||c"))),
        inside(format!("x{}", often(" || |a, b| x"))),
        inside(format!("{}x", often("#[a] |a, b| "))),
        inside(format!("{}x", often("#[a] "))),
        inside(format!("{}x", often("*const "))),
        inside(format!("{}x", often("&raw const "))),
        inside(format!("{}x", often("&&"))),
        inside(format!("{}x", often("-!*"))),
        inside(format!("{}x", often(".."))),
        inside(format!("{}x", often("return "))),
        inside(format!("{}x", often("become "))),
        inside(format!("{}x", often("break 'a "))),
        inside(format!("{}x", often("for S { a } in "))),
        inside(format!("{}x", often("while let S { a } = "))),
        inside(format!("{}x", often("match "))),
        inside(format!("{}x", often("if "))),
        inside(format!("{}x", often("if let S { a } = "))),
        inside(format!("if a {{}}{}", often(" else if b {}"))),
        inside(format!("{}x", often("let a = "))),
        inside(format!("{}x", often("const "))),
        inside(format!("x{}", often(".a(b, c)"))),
        inside(format!("x{}", often("?"))),
        inside(format!("x{}", often("[1]"))),
        inside(format!("x{}", often(".await"))),
        inside(format!("x{}", often(" + x"))),
        inside(format!("x{}", often(" >> x"))),
        inside(format!("x{}", often(" << 1"))),
        inside(format!("x{}", often(" >>= x"))),
        inside(format!("x{}", often(" <<= 1"))),
        inside(format!("x{}", often(" && x"))),
        inside(format!("x{}", often(" = x"))),
        inside(format!("x{}", often(" as V<u8>"))),
        inside(format!("x{}", often(" as V<u8>= x"))),
        inside(format!("f::{}u8{}()", often("<V::<"), often(">>"))),
        inside(format!("let {}x = y;", often("x @ "))),
        inside(format!("let {}x = y;", often("&&"))),
        inside(format!("let {}x = y;", often("&mut "))),
        inside(format!("match a {{ {} }}", often("b if |c, d| "))),
        format!("type A = {}u8;", often("&")),
        format!("type A = {}u8;", often("&'a mut ")),
        format!("type A = {}u8;", often("fn() -> ")),
        format!("type A = {}u8;", often("for<'a> fn(&'a u8) -> ")),
        format!("type A = {}u8;", often("impl Fn() -> ")),
        format!("type A = {}u8;", often("dyn A + ")),
        format!("type A = {}u8{};", often("["), often("; 1]")),
        format!("type A = {}u8{};", often("(a, "), often(")")),
        format!("fn f<{}T{}>() {{}}", often("T: A<"), often(">")),
        format!("fn f() where {}u8: A {{}}", often("for<'a> &'a ")),
        format!("impl{}u8{} {{}}", often(" A<B = "), often(">")),
        format!("{}{}", often("/* "), often("*/ ")),
    ] {
        read_in_a_stack("src/a.rs", text);
    }
}

/// Returns forms of code that nest.
fn code_that_nests(hidden: &str) -> Vec<String> {
    vec![
        hidden.to_owned(),
        format!("x = {}", often("!")),
        format!("x = {}y", often("- ")),
        format!("x = {}y", often("typeof ")),
        format!("x = {}y", often("a => ")),
        format!("x = {}y", often("async a => ")),
        format!("x = {}y", often("(a, b) => ")),
        format!("x = {}z", often("a ? b : ")),
        format!("x = {}z", often("a ? ")),
        format!("x = a{}", often("?.b")),
        format!("x = a{}", often(".b(c, d)")),
        format!("x = a{}", often(" + b")),
        format!("x = a{}", often(" ** b")),
        format!("x = a{}", often(" = b")),
        format!("x = a{}", often("`b`")),
        format!("x = {}", often("`${")),
        format!("x = {}", often("`${'`'}${")),
        format!("x = {}", often("/[/(]/ + [")),
        format!("x = a / [']/ {hidden}']"),
        format!("x = a\n/[']/ + '{hidden}'"),
        often("if (a) "),
        format!("if (a) b; {}", often("else if (a) b; ")),
        often("for (;;) "),
        often("a: "),
        format!("x = {}", often("new ")),
        format!("x = {}", often("class extends ")),
        format!("x = {}", often("class { a = ")),
        format!("x = {}", often("function () { return ")),
        format!("var {}", often("[a = ")),
        format!("var {}", often("{ a: ")),
        format!("type A = {}", often("B<")),
        format!("type A = {}", often("B<C, ")),
        format!("type A = {}", often("A extends B ? C : ")),
        format!("type A = {}", often("() => ")),
        format!("type A = {}", often("keyof ")),
        format!("type A = {}", often("<T>(a: ")),
        format!("type A = B{}", often("[]")),
        format!("namespace {}b {{}}", often("a.")),
    ]
}

/// Returns markup with a quote or a comment that hides the rest from a reader that misreads the
/// text before it.
fn markup_that_nests(hidden: &str) -> Vec<String> {
    vec![
        format!("x={}", often("[']',")),
        format!("x={}", often("[/*]*/,")),
        format!("x={}", often("[\"]\",")),
        format!("x={}", often("[`]`,")),
        format!("x={}", often("[/]/,")),
        format!("x={}", often("[//]\n,")),
        format!("x={}", often("[<p>]</p>,")),
        format!("x={}", often("[<p a=\"]\"/>,")),
        format!("x=`\n{}`, {hidden}", often("]\n")),
        format!("x={}", often("[`\n]\n`,")),
        format!("x={}", often("<a>")),
        format!("x={}", often("<>")),
        format!("x={}", often("<a b=")),
        format!("x={}", often("<a b={")),
        format!("x={}", often("<a {...")),
        format!("x={}", often("<a>{")),
        format!("x={}", often("<a>it's {")),
        format!("x={}", often("<a b=\"/>\">")),
        format!("x={}", often("<A<")),
        format!("x={}", often("<a/> + ")),
        format!("x={}", often("<a/> ? ")),
        format!("x = <a>'</a>, {hidden}"),
        format!("x = <a>`</a>, {hidden}"),
        format!("x = <a>/*</a>, {hidden}"),
        format!("x = <a>http://b</a>, {hidden}"),
        format!("x = <a /* > ' */ b // > '\n>'</a>, {hidden}"),
        format!("type A = <T>({hidden}"),
        format!("type A = <T>(a: {hidden}"),
        format!("type A = <>({hidden}"),
        format!("type A = <const T>(a: {hidden}"),
        format!("type A = B\n<p>'</p>, {hidden}"),
        format!("type A = B\n/'/, {hidden}"),
        format!("class A {{ delete<T>(a: {hidden}"),
        format!("class A {{ return<T>(a: {hidden}"),
        format!("x as void /[/ {hidden}"),
        format!("x as void < y / '</void>' + {hidden}"),
        format!("yield < a > '</a>' + {hidden}"),
        format!("if (a) <p>'</p>, {hidden}"),
        format!("do b(); while (a) <p>'</p>, {hidden}"),
        format!("a++ < b > '</b>' + {hidden}"),
        format!("a\n++<p>'</p>, {hidden}"),
        format!("a! < b > '</b>' + {hidden}"),
        format!("{{}} <p>'</p>, {hidden}"),
        format!("a\\u{{62}} < b > '</b>' + {hidden}"),
        format!("\u{feff}#! '\n{hidden}"),
    ]
}

#[test]
fn scripts_that_nest_in_any_form_are_never_parsed_too_deep() {
    let hidden = often("(");
    for text in code_that_nests(&hidden) {
        for path in ["a.cjs", "a.ts", "a.tsx"] {
            read_in_a_stack(path, text.clone());
        }
    }
    for text in markup_that_nests(&hidden) {
        for path in ["a.js", "a.tsx"] {
            let read = read_in_a_stack(path, text.clone());
            assert!(!read.parsed, "{}", base::text::cut(&text, 40));
        }
    }
}

/// Too many nested blocks. With more, the text would be too long.
const MANY: usize = 1_000;

fn python_reason(text: &str) -> Option<String> {
    script("a.py", text).reason
}

#[test]
fn the_highest_trees_of_python_that_are_parsed_fit_into_the_stack() {
    let forms: [Form; 36] = [
        ("parentheses", |n| {
            format!("{}x{}", "(".repeat(n), ")".repeat(n))
        }),
        ("lists", |n| format!("{}x{}", "[".repeat(n), "]".repeat(n))),
        ("dicts", |n| {
            format!("{}1{}", "{1: ".repeat(n), "}".repeat(n))
        }),
        ("sets", |n| format!("{}1{}", "{".repeat(n), "}".repeat(n))),
        ("calls", |n| format!("{}x{}", "f(".repeat(n), ")".repeat(n))),
        ("calls of keywords", |n| {
            format!("{}x{}", "f(a=".repeat(n), ")".repeat(n))
        }),
        ("subscripts", |n| {
            format!("{}x{}", "f[".repeat(n), "]".repeat(n))
        }),
        ("slices", |n| {
            format!("{}x{}", "f[1:".repeat(n), "]".repeat(n))
        }),
        ("calls of calls", |n| format!("f{}", "()".repeat(n))),
        ("attributes", |n| format!("x{}", ".a".repeat(n))),
        ("methods", |n| format!("x{}", ".a()".repeat(n))),
        ("sums", |n| format!("x{}", " + x".repeat(n))),
        ("products", |n| format!("x{}", " * x".repeat(n))),
        ("powers", |n| format!("x{}", " ** x".repeat(n))),
        ("shifts", |n| format!("x{}", " << x | x".repeat(n))),
        ("comparisons", |n| format!("x{}", " < x".repeat(n))),
        ("not", |n| format!("{}x", "not ".repeat(n))),
        ("negations", |n| format!("{}x", "-".repeat(n))),
        ("complements", |n| format!("{}x", "~".repeat(n))),
        ("lambdas", |n| format!("{}x", "lambda: ".repeat(n))),
        ("lambdas of two", |n| {
            format!("{}x", "lambda a, b: ".repeat(n))
        }),
        ("defaults", |n| {
            format!("{}1{}", "lambda a=".repeat(n), ": 1".repeat(n))
        }),
        ("conditions", |n| format!("x{}", " if x else x".repeat(n))),
        ("comprehensions", |n| {
            format!("{}x{}", "[".repeat(n), " for x in y]".repeat(n))
        }),
        ("names", |n| {
            format!("{}x{}", "(a := ".repeat(n), ")".repeat(n))
        }),
        ("awaits", |n| {
            format!("async def f(): {}x{}", "await (".repeat(n), ")".repeat(n))
        }),
        ("yields", |n| {
            format!("def f(): {}x{}", "(yield ".repeat(n), ")".repeat(n))
        }),
        ("stars", |n| {
            format!("x = {}y{}", "[*".repeat(n), "]".repeat(n))
        }),
        ("f-strings", |n| {
            format!("{}x{}", "f'{".repeat(n), "}'".repeat(n))
        }),
        ("formats", |n| {
            format!("f'{}x{}'", "{x:".repeat(n), "}".repeat(n))
        }),
        ("blocks", |n| blocks("if x:", n.min(MANY))),
        ("functions", |n| blocks("def f():", n.min(MANY))),
        ("classes", |n| blocks("class C:", n.min(MANY))),
        ("tries", |n| {
            blocks("try:", n.min(MANY)) + &handlers(n.min(MANY))
        }),
        ("elifs", |n| {
            format!("if x: pass\n{}", "elif x: pass\n".repeat(n))
        }),
        ("patterns", |n| {
            format!(
                "match x:\n case {}1{}: pass\n",
                "[".repeat(n),
                "]".repeat(n)
            )
        }),
    ];
    fit(python_reason, forms);
}

fn blocks(head: &str, count: usize) -> String {
    let lines = (0..count).map(|depth| format!("{}{head}\n", " ".repeat(depth)));
    let mut text: String = lines.collect();
    text.push_str(&" ".repeat(count));
    text.push_str("pass\n");
    text
}

fn handlers(count: usize) -> String {
    let lines = (0..count).rev().map(|depth| {
        let margin = " ".repeat(depth);
        format!("{margin}except: pass\n")
    });
    lines.collect()
}

/// Invalid texts after whose errors the parser continues.
#[test]
fn mistakes_in_python_do_not_overflow_the_stack() {
    let texts = [
        "(".repeat(100_000),
        "[(".repeat(100_000),
        "(\n".repeat(100_000),
        "f'{".repeat(100_000),
        "async ".repeat(100_000),
        "await ".repeat(100_000),
        "lambda ".repeat(100_000),
        "yield ".repeat(100_000),
        "not in ".repeat(100_000),
        "*".repeat(100_000),
        "@".repeat(100_000),
        "if a: ".repeat(100_000),
        "x if ".repeat(100_000),
        "class A: ".repeat(100_000),
        "(if a: b,\n".repeat(50_000),
        blocks("if a: (b,", 900),
        format!("({}", blocks("if a: b,", 900)),
        blocks("def f(", 3_000),
        blocks("if x:", 1_500),
        "match x:\n case ".repeat(10_000),
        "a, ".repeat(150_000),
        "lambda a, ".repeat(100_000),
        "[".repeat(90) + &"lambda: [".repeat(90),
    ];
    for text in texts {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        let read = builder.spawn(move || drop(script("a.py", &text)));
        read.unwrap().join().unwrap();
    }
}

/// The trees of real files are not too high.
#[test]
fn usual_python_is_not_too_high() {
    for text in [
        format!("x = (\n{})\n", "    'a' +\n".repeat(1_000) + "'b'"),
        format!(
            "x = [\n{}]\n",
            "    lambda a, b: f(a)[b] if a else -b,\n".repeat(10_000)
        ),
        format!(
            "x = {{\n{}}}\n",
            "    'a': {'b': [1, (2, -3)]},\n".repeat(10_000)
        ),
        format!("{}x\n{}", "[".repeat(100), "]".repeat(100)).replace("x\n", "x"),
        blocks("if x:", 90),
        format!("x = a{}\n", ".b(c)".repeat(300)),
        format!("x = {}d\n", "a and b or not c or ".repeat(150)),
        format!("if x: pass\n{}", "elif x == -1: pass\n".repeat(2_000)),
    ] {
        assert_eq!(
            script("a.py", &text).reason,
            None,
            "{}",
            base::text::cut(&text, 80)
        );
    }
}
