//! The places of guards.

use super::{Guards, body};

/// Abbreviates guards: `C` for a call, `A` for an async call, `E` for a `catch`; `L` for the start
/// of a loop and `R` for its iteration, `W` and `P` if the loop awaits, `M` and `Q` if it is
/// arithmetic.
fn short(code: &str) -> String {
    let mut text = body(code, Guards::On);
    for number in 1..9 {
        let name = format!("$0_{number}");
        for (long, mark) in [
            ("{let N=$0_l;if(($0_c-=2)<0)$0_h();", "«L{"),
            ("if(--N<0){N=$0_l;if(($0_c-=$0_l+1)<0)$0_h()}", "«R»"),
            ("if(--$0_c<0)$0_h();if(--N<0)N=await $0_p();", "«P»"),
            ("{let N=63;if(($0_b-=16)<0)$0_t();", "«M{"),
            ("if(--N<0){N=63;if(($0_b-=64)<0)$0_t()}", "«Q»"),
            ("{let N=63;", "«W{"),
        ] {
            text = text.replace(&long.replace('N', &name), mark);
        }
    }
    for (long, mark) in [
        ("if(--$0_c<0)$0_h();", "«C»"),
        ("if(($0_c-=16)<0)$0_h();", "«A»"),
        ("if(($0_c-=64)<0)$0_h();", "«E»"),
        ("--$0_c<0&&$0_h(),", "«c»"),
        ("($0_c-=16)<0&&$0_h(),", "«a»"),
        ("($0_c-=$0_o)<0&&$0_h(),", "«o»"),
        ("$0_", "$"),
    ] {
        text = text.replace(long, mark);
    }
    text
}

#[track_caller]
fn guarded(code: &str, expected: &str) {
    assert_eq!(short(code), expected, "{code}");
}

#[test]
fn loops_are_guarded_with_and_without_braces() {
    guarded("for(;;);", "«M{for(;;){«Q»;}}");
    guarded("while(a){b()}", "«L{while(a){«R»b()}}");
    guarded("while(a)b()\nc", "«L{while(a){«R»b()}}\nreturn(c)");
    guarded("do a(); while(b) c", "«L{do {«R»a();} while(b)} return(c)");
    guarded("do a\nwhile(b)", "«L{do {«R»a}\nwhile(b)}");
    guarded(
        "for(const a of b)for(const c in d)e",
        "«L{for(const a of b){«R»«L{for(const c in («o» $z(d))){«R»e}}}}",
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
    guarded("a:b:for(;;)continue a", "«M{a:b:for(;;){«Q»continue a}}");
    guarded("a:{b:while(1)break a}", "a:{«M{b:while(1){«Q»break a}}}");
    guarded("a:for(;;)b()", "«L{a:for(;;){«R»b()}}");
}

#[test]
fn a_loop_that_awaits_lets_the_event_loop_turn() {
    guarded("while(await a)b()", "«W{while(await a){«P»b()}}");
    guarded(
        "for await(const a of b);",
        "«W{for await(const a of b){«P»;}}",
    );
    guarded("do a(); while(await b)", "«W{do {«P»a();} while(await b)}");
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
        "«W{for(;;){«P»«W{for(;;){«P»await a}}}}",
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
fn whatever_code_is_entered_through_counts_first() {
    guarded("f((a=b())=>a)", "return(f((a=(«c»b()))=>(«c»a)))");
    guarded(
        "f(function([a=b(),{[c()]:d=e()}]){})",
        "return(f(function([a=(«c»b()),{[(«c»c())]:d=(«c»e())}]){«C»}))",
    );
    guarded(
        "class A extends b(){[c()]=d();static e=f();[g()](){}}",
        "class A extends («c»b()){constructor(){«C»super(...arguments)}[(«c»c())]=(«c»d());static e=(«c»f());[(«c»g())](){«C»}}",
    );
    guarded("class A{}", "class A{constructor(){«C»}}");
    guarded(
        "class A extends B{constructor(){super()}}",
        "class A extends B{constructor(){«C»super()}}",
    );
    // A function keeps the name that it gets from its place.
    guarded(
        "class A{a=()=>1;b=function(){}}",
        "class A{constructor(){«C»}a=()=>(«c»1);b=function(){«C»}}",
    );
    // Types are removed before anything runs.
    guarded("declare class A{b:c}", ";");
}

#[test]
fn what_may_grow_or_copies_has_its_size_looked_at() {
    guarded("a+b+`c${d}`", "return( $s(a+b+`c${d}`))");
    guarded("return\"a\"+b", "return $s(\"a\"+b)");
    guarded(
        "let a=1\na+=b;`c${a}`",
        "let a=1\n $s(a+=b);return( $s(`c${a}`))",
    );
    guarded("a=b*c", "return(a= $m(b*c))");
    guarded("a=b**c", "return(a= $w(b,c))");
    guarded("a*=b;c**=d", "$m(a*= $q(b));return( $m(c**= $n(d)))");
    guarded("a=2*b;c=d<<3;e=f**2", "a=2*b;c=d<<3;return(e=f**2)");
    guarded("f(...a,[...b])", "return(f(... $e(a),[... $e(b)]))");
    guarded("a={...b}", "return(a={...(«o» $y(b))})");
    guarded(
        "const {a,...b}=c;({d,...e}=f)",
        "const {a,...b}= $y(c);return(({d,...e}= $y(f)))",
    );
    guarded("f`a${b}`", "return(f`a${b}`)");
    guarded(
        "f(({a,...b})=>b)",
        "return(f(({a,...b})=>(($c-=1+$o)<0&&$h(),b)))",
    );
    // A value that is certainly a number stays unguarded.
    guarded("let a=1,b=a+2;a+=b*c", "let a=1,b=a+2;return(a+=b*c)");
}

#[test]
fn the_rest_of_a_list_is_taken_from_what_counts_its_steps() {
    guarded("const [a, ...b] = c", "const {[$f]:[a, ...b]} = c");
    guarded("[a, ...b] = c; d()", "({[$f]:[a, ...b]} = c); return(d())");
    guarded(
        "const [a, [b, ...c]] = d",
        "const [a, {[$f]:[b, ...c]}] = d",
    );
    guarded("const { a: [...b] } = c", "const { a: {[$f]:[...b]} } = c");
    guarded(
        "function f([a, ...b]: string[] = c) {}\n1",
        "function f({[$f]:[a, ...b]} = («c»c)) {if(($c-=1+$o)<0)$h();}\nreturn(1)",
    );
    guarded("const [a, b] = c", "const [a, b] = c");
}

#[test]
fn a_long_list_of_operations_is_guarded_now_and_then() {
    let guards = |code: &str| body(code, Guards::On).matches("$0_h()").count();
    assert_eq!(guards(&"f();".repeat(16)), 0);
    assert_eq!(guards(&"f();".repeat(100)), 6);
    assert_eq!(guards(&format!("[{}]", "f(),".repeat(100))), 6);
    // A guard that may be skipped does not count for the code behind it.
    assert!(guards(&"if(a)f();".repeat(100)) >= 6);
    assert!(
        guards(&format!(
            "{}if(a){{f()}}{}",
            "f();".repeat(31),
            "f();".repeat(31)
        )) >= 1
    );
}

#[test]
fn loops_with_known_rounds_are_charged_as_a_whole() {
    for code in [
        "for(let i=0;i<1e6;i++);",
        "let x=0;for(let i=1;i<=9;i+=2)x+=i%7",
        "const n=9;let x=0;for(let i=0;i<n;++i){x=x*2+i}",
        "for(let i=0;i<9;i++){let a=i*2;if(a>3&&a!==5)a=-a;else{a>>=1}}",
        "f(()=>{let n=10**6;g(()=>{for(let i=0;i<n;i++);})})",
        "f(i=>i);for(let i=0;i<9;i++);",
    ] {
        let text = body(code, Guards::On);
        assert!(
            text.contains("{if(($0_b-=") && !text.contains("let $0_1="),
            "{text}"
        );
    }
}

#[test]
fn a_loop_of_arithmetic_is_counted_in_larger_steps() {
    for code in [
        "let x=0;while(x<1e9)x++",
        "let x=0;do{x+=2}while(x<1e9)",
        "let n=a*1;for(let i=0;i<n;i++);",
        "for(let i=0;i<9;i++)i=0",
        "for(let i=0;i<9;i++)i--",
        "for(let i=0;i<9;i++)break",
        "let n=9;for(let i=0;i<n;i++)n++",
        "for(let i=0;i<1e9;i++);",
        "for(let i=9007199254740992;i<9007199254740994;i++);",
        "for(let i=0;i>-9;i++);",
        "let s=0;s+=a*b;for(;;)s++",
    ] {
        let text = short(code);
        assert!(
            text.contains("«Q»") || text.contains("-=128)<0)$t()"),
            "{text}"
        );
    }
}

/// Every loop with code that may take long, or with unknown values, counts each iteration.
#[test]
fn nothing_but_arithmetic_on_locals_goes_uncounted() {
    for code in [
        "for(let i=0;i<9;i++)x=[...a]",
        "for(let i=0;i<9;i++)({...x}=a)",
        "for(let i=0;i<9;i++)x=''+a",
        "for(let i=0;i<9;i++)x=`${a}`",
        "for(let i=0;i<9;i++)a===b",
        "for(let i=0;i<9;i++)a<b",
        "for(let i=0;i<9;i++)a in b",
        "for(let i=0;i<9;i++)a instanceof b",
        "for(let i=0;i<9;i++)a.b",
        "for(let i=0;i<9;i++)a[i]",
        "for(let i=0;i<9;i++)a?.b",
        "for(let i=0;i<9;i++)delete a.b",
        "for(let i=0;i<9;i++)+a",
        "for(let i=0;i<9;i++)a++",
        "for(let i=0;i<9;i++)new A",
        "for(let i=0;i<9;i++)f`${i}`",
        "for(let i=0;i<9;i++)f(i)",
        "for(let i=0;i<9;i++)Math.max(i,2)",
        "for(let i=0;i<9;i++)({a:i})",
        "for(let i=0;i<9;i++)[i]",
        "for(let i=0;i<9;i++)()=>i",
        "for(let i=0;i<9;i++)/a/",
        "for(let i=0;i<9;i++)this",
        "for(let i=0;i<9;i++){class A{}}",
        "for(let i=0;i<9;i++)for(const x of a);",
        "for(let i=0;i<9;i++)for(let j=0;j<a;j++);",
        "for(let i=0;i<9;i++){try{i}catch{}}",
        "for(let i=0;i<9;i++)switch(i){}",
        "for(let i=0;i<9;i++){throw i}",
        "for(let i=0;i<9;i++)(()=>{i=0})()",
        "for(let i=0;i<9;i++)[i]=[0]",
        "for(let i=0;i<9;i++)({i}={i:0})",
        "for(let i=0;i<9;i++)for(i of [0]);",
        "for(let i=0;i<9;i++)for(i in {});",
        "for(let i=0;i<n;i++);",
        "{const n=9}for(let i=0;i<n;i++);",
        "const n=9;f(n=>{for(let i=0;i<n;i++);})",
        "let n=9;for(let i=0;i<n;i++);n=a",
        "let n=9;for(let i=0;i<n;i++);n+=a",
        "let n=9;for(let i=0;i<n;i++);n??=a",
        "let n=9;for(let i=0;i<n;i++);({n}=a)",
        "let n=9;for(let i=0;i<n;i++);[...n]=a",
        "let n=9;for(let i=0;i<n;i++);for(n of a);",
        "let n:any=9;for(let i=0;i<n;i++);(n as any)=a",
        "let m=a,n=1;n=m;for(let i=0;i<n;i++);",
        "f((a=()=>{for(let i=0;i<n;i++);})=>{const n=9})",
        "switch((()=>{for(let i=0;i<n;i++);})()){case 1:const n=9}",
        "const n=9;enum E{n=1/0,m=(()=>{for(let i=0;i<n;i++);return 1})()}",
        "var n=9;for(let i=0;i<n;i++);",
        "for(var i=0;i<9;i++);",
        "for(let i=0;j<9;i++);",
    ] {
        let text = short(code);
        let counted = ["«R»", "«P»", "(($c-="]
            .iter()
            .any(|mark| text.contains(mark));
        assert!(counted, "{text}");
    }
}
