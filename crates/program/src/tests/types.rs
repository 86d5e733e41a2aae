//! TypeScript.

use super::{Guards, body, check, prepare};

#[test]
fn types_become_spaces() {
    check("let a: A<B>[] = 1 as C, b!: D", "let a = 1 , b");
    check("f<A>(b!, c satisfies D)", "return(f (b , c ))");
    check(
        "const f = <T,>(a?: T, ...b: C): D => a",
        "const f = (a , ...b ) => a\n;return f",
    );
    check(
        "function f<T>(this: A, a: B): a is C { }",
        "function f ( a ) { }\n;return f",
    );
    check(
        "try {} catch (e: unknown) { f(e) }",
        "try {} catch (e ) { return(f(e)) }",
    );
    check("const a = <A>b", "const a = ( b)");
    check("new A<B>()", "return(new A ())");
}

#[test]
fn columns_are_kept() {
    let code = "const é = '😀' as A, b: C = f(1 as any)";
    let module = prepare(code, Guards::Off).unwrap().module;
    let line = module.lines().next().unwrap();
    let expected = format!("export default async(input)=>{{{code}");
    assert_eq!(line.encode_utf16().count(), expected.encode_utf16().count());
}

#[test]
fn declarations_of_types_leave_a_semicolon() {
    check(
        "type A = B\ninterface C { d: E }\ndeclare const f: G\nh()",
        "; \n; \n; \nreturn(h())",
    );
    check("a = b\ntype A = string\n(c)()", "a = b\n; \nreturn((c)())");
    check(
        "import type { A } from 'a'\nimport { type B } from 'b'\n1",
        "; \n; \nreturn(1)",
    );
    check(
        "function f(a: A): B\nfunction f(a) { }",
        "; \nfunction f(a) { }\n;return f",
    );
    check("namespace N { export type A = B }\n1", "; \nreturn(1)");
}

#[test]
fn statements_do_not_run_together() {
    check("const a = b as C\n(d)()", "const a = b ;\nreturn((d)())");
    check(
        "const f = a => b as C\n[d]()",
        "const f = a => b ;\nreturn([d]())",
    );
    check(
        "class A { a = 1\n private ['b'] = 2\n private *c() {} }",
        "class A { a = 1\n ; ['b'] = 2\n ; *c() {} }",
    );
}

#[test]
fn line_ends_inside_of_types_change_nothing() {
    check("f((a): {\n b: C\n} => a)", "return(f((a \n \n ) => a))");
    check(
        "f(async <\nT\n>(a) => a)",
        "return(f(async (\n \n a) => a))",
    );
    check(
        "() => { return <{\n a: B }>c }",
        "return(() => { return ( \n c) })",
    );
    check(
        "() => { return <T>\n(a: T) => a as B\n(c) }",
        "return(() => { return ( \n(a ) => a );\n(c) })",
    );
    check(
        "() => { throw <T,\n>(a) => <U>\n(b) => b }",
        "return(() => { throw ( \n (a) => ( \n(b) => b)) })",
    );
}

#[test]
fn an_erased_type_leaves_neither_a_block_nor_a_declaration() {
    check("() => <A>{ b: 1 }", "return(() => ( { b: 1 }))");
    check("<A>function f() {}", "return(( function f() {}))");
}

#[test]
fn a_field_does_not_run_together_with_the_next_member() {
    for word in ["get", "set", "static", "async", "accessor"] {
        check(
            &format!("class A {{ {word}: B\nc(d) {{}} }}"),
            &format!("class A {{ {word}; \nc(d) {{}} }}"),
        );
        check(
            &format!("class A {{ {word}?\nc(d) {{}} }}"),
            &format!("class A {{ {word};\nc(d) {{}} }}"),
        );
    }
}

#[test]
fn classes_lose_what_only_the_checker_reads() {
    check(
        "abstract class A<T> extends B<T> implements C, D { private static a?: E; declare b: F; abstract c(): G; [d: string]: H; override e?(): I {} }",
        "class A extends B { ; static a;; ; ; ; ; ; e () {} }",
    );
}

#[test]
fn parameter_properties_are_set() {
    check(
        "class A { constructor(private a: B, readonly c = 1, d) { e() } }",
        "class A { constructor( a , c = 1, d) {this.a=a;this.c=c; e() } }",
    );
    check(
        "class A extends B { constructor(public a) { super(a)\nf() } }",
        "class A extends B { constructor( a) { super(a);this.a=a;\nf() } }",
    );
}

/// Their behaviour at run time is compared with the TypeScript compiler in
/// tests/worker/programs-typescript.test.mjs.
#[test]
fn enums_become_objects() {
    for (code, members) in [
        (
            "enum A { B, 'c-d' = 2, E = B | 4, F }",
            " const B=$0_v=$0_m(\"B\",$0_v+1); $0_v=$0_m('c-d',(2)); const E=$0_v=$0_m(\"E\",(B | 4)); if(typeof $0_v!==\"number\")throw new TypeError(`the member ${\"F\"} of the enum A needs a value: the one before it is not a number`);const F=$0_v=$0_m(\"F\",$0_v+1);",
        ),
        (
            "enum A { 'b' = 'x' + 1, default = `y${b}` }",
            " const b=$0_v=$0_m('b',('x' + 1)); $0_v=$0_m(\"default\",(`y${b}`));",
        ),
    ] {
        let made = body(code, Guards::Off);
        assert!(made.starts_with("var A=A||{};{const $0_e=A,"), "{made}");
        assert!(
            made.ends_with(&format!("{{}}=$0_e;let $0_v=-1;{members} }}")),
            "{made}"
        );
    }
    let again = body("enum A { B = 1 }\nenum A { C = B }", Guards::Off);
    assert!(again.contains("{B}=$0_e;let $0_v=-1; const C="), "{again}");
}

/// The TypeScript compiler reads them so: its specification decides by the token behind the closing
/// angle bracket.
#[test]
fn text_with_two_meanings_is_typescript() {
    for (code, expected) in [
        ("f<A>(b)", "f (b)"),
        (
            "[1].reduce<number>((a, b) => a + b, 0)",
            "[1].reduce ((a, b) => a + b, 0)",
        ),
        ("f(a < b, c > (d))", "f(a (d))"),
        ("new A<B>(c)", "new A (c)"),
        ("new A<B, C<D>>([e])", "new A ([e])"),
        ("a.b<{ n: C }>(d)", "a.b (d)"),
        ("a?.b<C>(d)", "a?.b (d)"),
        ("a?.<C>(d)", "a?. (d)"),
        ("(await a<B>(c)).d", "(await a (c)).d"),
        ("a<B>`c`", "a `c`"),
        ("a<B>", "a "),
        ("(a<B>)(c)", "(a )(c)"),
        ("a<B>(c)<D>(e)", "a (c) (e)"),
        ("a<(b: C) => D>(e)", "a (e)"),
        ("a<typeof b[0]>(c)", "a (c)"),
        ("a<5>(b)", "a (b)"),
        ("a<B[]>(c)", "a (c)"),
        ("await <A>b", "await ( b)"),
        ("await <Promise<A>>b<C>(d)", "await ( b (d))"),
    ] {
        check(code, &format!("return({expected})"));
    }
}

#[test]
fn comparisons_that_typescript_has_too_stay_comparisons() {
    for code in [
        "a < b > c",
        "a < b > -c",
        "f(a < b, c > d)",
        "a < b && c > (d)",
        "a < b() > (c)",
        "a < b + c > (d)",
        "a<b>>c",
        "a<b>=c",
        "a ? (b) : c => d",
        "a ? (b, c) : d => e",
        "a < b ? c > (d) : e",
    ] {
        check(code, &format!("return({code})"));
    }
}

#[test]
fn javascript_that_typescript_refuses_is_read() {
    check(
        "switch (a) { case (b): c => d }",
        "switch (a) { case (b): c => d }",
    );
}
