//! The bound of the depth: code that nests too deep is refused in time, code that is only long is
//! not.

use crate::depth::{TooDeep, check};

#[track_caller]
fn too_deep(open: &str, close: &str) {
    for fill in ["", "1", "a"] {
        let code = format!("{}{fill}{}", open.repeat(1_001), close.repeat(1_001));
        assert!(matches!(check(&code), Err(TooDeep::Height(_))), "{open}");
    }
}

#[track_caller]
fn fine(line: &str) {
    let code = line.repeat(2_000);
    assert_eq!(check(&code), Ok(()), "{line}");
}

#[test]
fn every_way_to_nest_is_bounded() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("x={a:", "}"),
        ("{", "}"),
        ("f(", ")"),
        ("`${", "}`"),
        ("!", ""),
        ("- ", ""),
        ("typeof ", ""),
        ("new ", ""),
        ("await ", ""),
        ("a=>", ""),
        ("<T,>(a:T)=>", ""),
        ("a=", ""),
        ("a??=", ""),
        ("a?b:", ""),
        ("a?", ":b"),
        ("a**", ""),
        ("if(a)b;else ", ""),
        ("if(a){b}else ", ""),
        ("if(a)do b;while(c);else ", ""),
        ("if(a)\n", ""),
        ("for(;;)", ""),
        ("do ", ";while(a)"),
        ("a:", ""),
        ("a+", ""),
        ("a\n+", ""),
        ("a||b&&", ""),
        ("A<", ">"),
        ("A<b,", ">"),
        ("()=>{", "}"),
        ("function f(){", "}"),
        ("class A{m(){", "}}"),
        ("a.b(", ")"),
        ("try{", "}finally{}"),
        ("<any>", ""),
    ] {
        too_deep(open, close);
    }
    for chain in [".a", "()", "[0]", "?.a", "``", "!.a"] {
        let code = format!("a{}", chain.repeat(1_001));
        assert!(check(&code).is_err(), "{chain}");
    }
}

#[test]
fn nothing_hides_depth() {
    let deep = "(".repeat(500);
    for code in [
        // If the `/` divides, this is a text; in a regular expression it is not.
        format!("x = {{}}\n/`/\n{deep}`/"),
        format!("a\n/'/\n{deep}"),
        format!("let x: T\n/`/.test(a);{deep}`"),
        format!("x as void /[`]/ {deep}"),
        format!("x as T? /{deep}/ 1"),
        format!("if (a) /`/.test(b);{deep}"),
        format!("a++\n/`/.test(b);{deep}"),
        format!("`${{`}}`}}`;{deep}"),
        format!("'\\\r\n';{deep}"),
        format!("// `\u{2028}{deep}"),
        format!("/* */ {deep} /* */"),
        format!("1..a;{deep}"),
    ] {
        assert!(check(&code).is_err(), "{code}");
    }
    assert!(matches!(check("a <!-- `\nb"), Err(TooDeep::HtmlComment(2))));
    assert!(matches!(check("a\n--> `\nb"), Err(TooDeep::HtmlComment(2))));
    assert_eq!(check("while (n --> 0) {}"), Ok(()));
}

#[test]
fn long_programs_are_not_deep() {
    for line in [
        "const a = b + c * d - e;\n",
        "const a = b.map(c => c.d)\n",
        "foo(a, b)\nbar[0] = 1\n",
        "if (a) { b() } else { c() }\n",
        "if (a) b()\nelse c()\n",
        "for (const a of b) c(a)\n",
        "const a = `x${b}y${c}`\n",
        "a.b = c ? d : e\n",
        "function f(a) { return a / 2 }\n",
        "const s: Array<Map<string, number>> = new Map<string, A>()\n",
        "case_: for (;;) break case_;\n",
        "x = a / b / c;\n",
        "{ }\n",
        "a++\n",
        "class A { x = 1\n y = 2\n m() { } }\n",
        "interface A { b: C; d: E }\n",
    ] {
        fine(line);
    }
    assert_eq!(
        check(&format!(
            "x = [{}]",
            "{a: 1, b: 'c', d: [1, 2]},".repeat(5_000)
        )),
        Ok(())
    );
    assert_eq!(
        check(&format!(
            "switch (a) {{ {} }}",
            "case 1: b(); break; ".repeat(2_000)
        )),
        Ok(())
    );
    assert_eq!(check(&format!("x = `{}`", "${a} b ".repeat(5_000))), Ok(()));
    assert_eq!(
        check(&format!(
            "x = {{{}}}",
            "a: b => b + 1, c() { return 1 },".repeat(2_000)
        )),
        Ok(())
    );
}

#[test]
fn many_slashes_that_may_be_read_in_two_ways_are_refused() {
    assert_eq!(check("a\n/ b\n/ c"), Ok(()));
    assert!(matches!(
        check(&"}/a;\n".repeat(10_000)),
        Err(TooDeep::Slashes(_))
    ));
    assert!(matches!(
        check(&"a\n/b\n".repeat(5_000)),
        Err(TooDeep::Slashes(_))
    ));
}

/// The Worker has a stack of 4 MiB. Measurements in its WebAssembly show that every way to nest
/// overflows it only at 4.7 times the limit or later. The frames in this test are those of an
/// unoptimised build and several times as large.
#[test]
fn a_program_at_the_limit_needs_little_stack() {
    let run = || {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("f(()=>{", "})"),
            ("a=>", ""),
            ("!", ""),
            ("a+", ""),
            ("A<", ">"),
            ("if(a)", ""),
        ] {
            let mut levels = 1;
            let code =
                |levels: usize| format!("x={}a{}", open.repeat(levels), close.repeat(levels));
            while check(&code(levels + 1)).is_ok() {
                levels += 1;
            }
            let _ = super::prepare(&code(levels), super::Guards::On);
        }
    };
    std::thread::Builder::new()
        .stack_size(4 << 20)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}
