//! Where guards stand.

use super::{Guards, body};

/// Guards of calls as `C`, of async calls as `A`, the start of a counted loop as `L`, its check as `R`.
fn short(code: &str) -> String {
    let mut text = body(code, Guards::On);
    for (long, mark) in [
        ("if(($0_b-=8)<0)$0_t();", "«C»"),
        ("if(($0_b-=100)<0)$0_t();", "«A»"),
        ("if(($0_b-=256)<0)$0_t();", "«E»"),
        ("($0_b-=8)<0&&$0_t(),", "«c»"),
        ("($0_b-=100)<0&&$0_t(),", "«a»"),
    ] {
        text = text.replace(long, mark);
    }
    for number in 1..9 {
        let start = format!("{{let $0_{number}=63;if(($0_b-=16)<0)$0_t();");
        let round = format!("if(--$0_{number}<0){{$0_{number}=63;if(($0_b-=64)<0)$0_t()}}");
        let pause = format!("if(--$0_{number}<0)$0_{number}=await $0_p();");
        text = text
            .replace(&start, "«L{")
            .replace(&round, "«R»")
            .replace(&pause, "«P»");
    }
    text
}

#[track_caller]
fn guarded(code: &str, expected: &str) {
    assert_eq!(short(code), expected, "{code}");
}

#[test]
fn loops_are_guarded_with_and_without_braces() {
    guarded("for(;;);", "«L{for(;;){«R»;}}");
    guarded("while(a){b()}", "«L{while(a){«R»b()}}");
    guarded("while(a)b()\nc", "«L{while(a){«R»b()}}\nreturn(c)");
    guarded("do a(); while(b) c", "«L{do {«R»a();} while(b)} return(c)");
    guarded("do a\nwhile(b)", "«L{do {«R»a}\nwhile(b)}");
    guarded(
        "for(const a of b)for(const c in d)e",
        "«L{for(const a of b){«R»«L{for(const c in d){«R»e}}}}",
    );
}

#[test]
fn loops_that_are_bodies_of_other_statements_stay_bodies() {
    guarded(
        "if(a)for(;;)b\nelse while(c)d",
        "if(a)«L{for(;;){«R»b}}\nelse «L{while(c){«R»d}}",
    );
    guarded(
        "if(a)do b; while(c); else d()",
        "if(a)«L{do {«R»b;} while(c);} else return(d())",
    );
    guarded(
        "switch(a){case 1:for(;;)b}",
        "switch(a){case 1:«L{for(;;){«R»b}}}",
    );
}

#[test]
fn labels_stay_with_their_loop() {
    guarded("a:b:for(;;)continue a", "«L{a:b:for(;;){«R»continue a}}");
    guarded("a:{b:while(1)break a}", "a:{«L{b:while(1){«R»break a}}}");
}

#[test]
fn a_loop_that_awaits_lets_the_event_loop_turn() {
    guarded("while(await a)b()", "«L{while(await a){«P»b()}}");
    guarded(
        "for await(const a of b);",
        "«L{for await(const a of b){«P»;}}",
    );
    guarded("do a(); while(await b)", "«L{do {«P»a();} while(await b)}");
    guarded(
        "for(const a of await b);",
        "«L{for(const a of await b){«R»;}}",
    );
    guarded(
        "for(;;){(async()=>{await a})}",
        "«L{for(;;){«R»(async()=>{«A»await a})}}",
    );
    guarded(
        "for(;;)for(;;)await a",
        "«L{for(;;){«P»«L{for(;;){«P»await a}}}}",
    );
}

#[test]
fn functions_of_every_kind_are_guarded() {
    guarded("const f=x=>x", "const f=x=>(«c»x)\n;return f");
    guarded(
        "const f=async x=>({})",
        "const f=async x=>(«a»({}))\n;return f",
    );
    guarded("f(a=>b=>c)", "return(f(a=>(«c»b=>(«c»c))))");
    guarded("f((a=()=>1)=>a)", "return(f((a=()=>(«c»1))=>(«c»a)))");
    guarded(
        "f(function(){'use strict'\na})",
        "return(f(function(){'use strict';«C»\na}))",
    );
    guarded(
        "f({get a(){},set a(b){},*c(){},async d(){},async*[e](){}})",
        "return(f({get a(){«C»},set a(b){«C»},*c(){«C»},async d(){«A»},async*[e](){«A»}}))",
    );
    guarded(
        "class A{constructor(){a}static #b(){}static{c}d=()=>1}",
        "class A{constructor(){«C»a}static #b(){«C»}static{«C»c}d=()=>(«c»1)}",
    );
}

#[test]
fn no_program_catches_the_end_of_its_run() {
    guarded(
        "try{a()}catch(e){b}finally{c}",
        "try{return(a())}catch(e){«E»return(b)}finally{«C»c}",
    );
}

#[test]
fn loops_with_known_rounds_are_charged_as_a_whole() {
    let charged = |code: &str| body(code, Guards::On).contains("if(($0_b-=");
    let counted = |code: &str| body(code, Guards::On).contains("let $0_1=");
    for code in [
        "for(let i=0;i<1e6;i++);",
        "for(let i=1;i<=9;i+=2)x+=Math.max(i,2)",
        "const n=9;for(let i=0;i<n;++i){x=()=>i}",
        "f(()=>{let n=10**6;g(()=>{for(let i=0;i<n;i++);})})",
    ] {
        assert!(charged(code) && !counted(code), "{code}");
    }
    for code in [
        "for(let i=0;i<9;i++)i=0",
        "for(let i=0;i<9;i++)i--",
        "for(let i=0;i<9;i++)(()=>{i=0})()",
        "for(let i=0;i<9;i++)[i]=[0]",
        "for(let i=0;i<9;i++)({i}={i:0})",
        "for(let i=0;i<9;i++)for(i of [0]);",
        "for(let i=0;i<9;i++)for(i in {});",
        "for(let i=0;i<9;i++)break",
        "for(let i=0;i<9;i++)f(i)",
        "for(let i=0;i<9;i++)x+=JSON.stringify(a)",
        "for(let i=0;i<9;i++)x=new A",
        "for(let i=0;i<9;i++)x=[...a]",
        "for(let i=0;i<9;i++)x=f`${i}`",
        "for(let i=0;i<9;i++)await a",
        "for(let i=0;i<n;i++);",
        "{const n=9}for(let i=0;i<n;i++);",
        "const n=9;f(n=>{for(let i=0;i<n;i++);})",
        "let n=9;for(let i=0;i<n;i++);n=Infinity",
        "let n=9;for(let i=0;i<n;i++)n++",
        "let n=9;for(let i=0;i<n;i++);({n}=a)",
        "let n=9;for(let i=0;i<n;i++);for(n of a);",
        "f((a=()=>{for(let i=0;i<n;i++);})=>{const n=9})",
        "switch((()=>{for(let i=0;i<n;i++);})()){case 1:const n=9}",
        "const n=9;enum E{n=1/0,m=(()=>{for(let i=0;i<n;i++);return 1})()}",
        "var n=9;for(let i=0;i<n;i++);",
        "for(var i=0;i<9;i++);",
        "for(let i=0;i<1e9;i++);",
        "for(let i=9007199254740992;i<9007199254740994;i++);",
        "for(let i=0;i<9;i+=0.5);",
        "for(let i=0;j<9;i++);",
        "for(let i=0;i>-9;i++);",
    ] {
        assert!(counted(code), "{code}");
    }
}
