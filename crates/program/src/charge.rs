//! The texts that are spliced in as guards, and what each charges.
//!
//! `$c` counts rounds and entries until the clock is looked at again, and `$h` looks. `$o` is what copying an object counts: how many keys
//! it has cannot be asked for, but no more than the program has had work to make. `$l` is how many rounds a loop does before it counts them,
//! in a variable of its own, which costs less than counting each in one place: seven, and none where rounds are slow. `$b` is what is left of a slice of the work of loops
//! that are arithmetic on locals, and `$t` fetches the next slice. `$s`, `$m`, `$w`, `$q`, `$n` and `$e` look at how large a value has become
//! or is about to become: a text, a BigInt, what is spread. `$f` is the key under which each value gives itself with steps that count. All of them are in `crates/sandbox/src/runtime/guard.js`. `$` is the stem.

use std::collections::BTreeSet;

use oxc_ast::AstKind;
use oxc_ast::ast::Program;
use oxc_ast_visit::VisitJs;

/// What a round, or entering a function, counts.
pub const ENTRY: u32 = 1;
/// What entering an async function counts: it makes promises.
pub const ASYNC_ENTRY: u32 = 16;
/// What a `catch` counts, for the error that was made; and first of all in it, so that no program catches the end of its run.
pub const CATCH: u32 = 64;
/// What beginning such a loop counts: up to seven rounds are not counted beside it.
const LOOP_ENTRY: u32 = 2;
/// Rounds that a loop of arithmetic does before it charges again. The measured cost is the same for more; with fewer it rises.
pub const ROUNDS: u32 = 64;
/// What beginning such a loop charges. Rounds up to [`ROUNDS`] are not charged beside it: the constant of the bound is four.
pub const LOOP_WORK: u32 = 16;
/// Operations of arithmetic in one unit of work.
const OPERATIONS_OF_UNIT: u32 = 8;

/// Units of work of a round that has so many operations.
pub fn units(operations: u32) -> u32 {
    operations.div_ceil(OPERATIONS_OF_UNIT).max(1)
}

/// The module's first line up to the user's text.
pub fn prefix(stem: &str) -> String {
    concat!(
        "import{refill as $r,look as $k,pause as $p,grown as $g,wide as $v,power as $w,factor as $q,exponent as $n,spread as $e,copyWeight as $x,connect as $j,copied as $y,named as $z,restKey as $i}from\"./runtime.js\";",
        "const $f=$i();let $b=0,$c=0,$o=1,$l=0;const $t=()=>{while($b<0)$b+=$r()},$h=()=>{$c=$k($c);$o=$x();$l=$c<64?0:7},",
        "$s=v=>typeof v==\"string\"&&v.length>1048575?$g(v):v,$m=v=>typeof v==\"bigint\"?$v(v):v;$j(()=>{const v=$c;$c=$l=0;return v});"
    )
    .replace('$', stem)
}

/// What a guard counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// For the entry or the round itself.
    pub entry: u32,
    /// Objects that are copied until the next guard.
    pub copies: u32,
}

impl Weight {
    /// Without copies.
    pub const fn of(entry: u32) -> Self {
        Self { entry, copies: 0 }
    }
}

/// Makes the texts for one program.
#[derive(Debug, Clone, Copy)]
pub struct Charge<'s> {
    stem: &'s str,
}

impl<'s> Charge<'s> {
    /// With the stem of the program.
    pub fn new(stem: &'s str) -> Self {
        Self { stem }
    }

    fn spent(self, weight: Weight) -> String {
        let stem = self.stem;
        match weight {
            Weight {
                entry: 1,
                copies: 0,
            } => format!("--{stem}c<0"),
            Weight { entry, copies: 0 } => format!("({stem}c-={entry})<0"),
            Weight { entry, copies: 1 } => format!("({stem}c-={entry}+{stem}o)<0"),
            Weight { entry, copies } => format!("({stem}c-={entry}+{copies}*{stem}o)<0"),
        }
    }

    /// What stands before the pattern of a list with a rest; a brace closes it.
    pub fn iterated(self) -> String {
        format!("{{[{}f]:", self.stem)
    }

    /// A statement that counts.
    pub fn statement(self, weight: Weight) -> String {
        format!("if({}){}h();", self.spent(weight), self.stem)
    }

    /// What stands before an expression so that it counts; a bracket closes it.
    pub fn before(self, weight: Weight) -> String {
        format!("({}&&{}h(),", self.spent(weight), self.stem)
    }

    /// What stands before an object that is copied; a bracket closes it.
    pub fn copy(self) -> String {
        format!("(({0}c-={0}o)<0&&{0}h(),", self.stem)
    }

    /// What opens a call of one of ours around an expression; a bracket closes it. The space keeps it from a word before.
    pub fn call(self, name: char) -> String {
        format!(" {}{name}(", self.stem)
    }

    /// What charges a loop of arithmetic when it begins; a brace closes it.
    pub fn whole(self, work: u32) -> String {
        let stem = self.stem;
        format!("{{if(({stem}b-={work})<0){stem}t();")
    }

    /// What begins a loop of arithmetic whose rounds are not known; a brace closes it.
    pub fn begin(self, variable: u32) -> String {
        let stem = self.stem;
        let last = ROUNDS - 1;
        format!("{{let {stem}{variable}={last};if(({stem}b-={LOOP_WORK})<0){stem}t();")
    }

    /// A round of it.
    pub fn round(self, variable: u32, units: u32) -> String {
        let stem = self.stem;
        let last = ROUNDS - 1;
        let work = units.saturating_mul(ROUNDS);
        format!(
            "if(--{stem}{variable}<0){{{stem}{variable}={last};if(({stem}b-={work})<0){stem}t()}}"
        )
    }

    /// What begins any other loop; a brace closes it.
    pub fn begin_counting(self, variable: u32) -> String {
        let stem = self.stem;
        let entry = self.statement(Weight::of(LOOP_ENTRY));
        format!("{{let {stem}{variable}={stem}l;{entry}")
    }

    /// A round of it.
    pub fn count(self, variable: u32) -> String {
        let stem = self.stem;
        format!(
            "if(--{stem}{variable}<0){{{stem}{variable}={stem}l;if(({stem}c-={stem}l+1)<0){stem}h()}}"
        )
    }

    /// What begins a loop that awaits; a brace closes it.
    pub fn begin_awaiting(self, variable: u32) -> String {
        format!("{{let {}{variable}={};", self.stem, ROUNDS - 1)
    }

    /// In a round of it: lets the event loop turn from time to time.
    pub fn pause(self, variable: u32) -> String {
        let stem = self.stem;
        format!("if(--{stem}{variable}<0){stem}{variable}=await {stem}p();")
    }

    /// The constructor that a class has where it writes none.
    pub fn constructor(self, derived: bool) -> String {
        let rest = if derived { "super(...arguments)" } else { "" };
        format!(
            "constructor(){{{}{rest}}}",
            self.statement(Weight::of(ENTRY))
        )
    }
}

/// A stem that no name of the program begins with.
pub fn stem(program: &Program<'_>) -> String {
    let mut names = Names::default();
    names.visit_program(program);
    let free = (0..).find(|number| !names.0.contains(number)).unwrap_or(0);
    format!("${free}_")
}

/// The numbers N of names that begin with `$N_`.
#[derive(Default)]
struct Names(BTreeSet<u32>);

impl<'a> VisitJs<'a> for Names {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        let name = match &kind {
            AstKind::IdentifierReference(it) => it.name.as_str(),
            AstKind::BindingIdentifier(it) => it.name.as_str(),
            AstKind::IdentifierName(it) => it.name.as_str(),
            AstKind::LabelIdentifier(it) => it.name.as_str(),
            _ => return,
        };
        let number = name
            .strip_prefix('$')
            .and_then(|rest| rest.split_once('_'))
            .map(|(number, _)| number.parse());
        if let Some(Ok(number)) = number {
            self.0.insert(number);
        }
    }
}
