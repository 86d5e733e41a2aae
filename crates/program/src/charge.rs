//! The guards: pieces of code that are spliced into a program, and the amount that each charges.
//!
//! The names in the pieces begin with the stem, a prefix that no name of the program has. It is
//! written `$` here. The functions behind the names are in `crates/sandbox/src/runtime/guard.js`.
//!
//! * `$c` counts down iterations and entries of functions until the next look at the clock, and
//!   `$h` does that look.
//! * `$o` is the charge for copying an object. The number of its keys is not known, but each key
//!   took work to add. So the charge grows with the work that the program has done so far.
//! * `$l` is the number of iterations that a loop collects before it charges for them: seven, or
//!   none if iterations are slow. The loop counts them in a variable of its own, which costs less
//!   than charging for each one.
//! * `$b` is the rest of a slice of work for loops of arithmetic on locals, and `$t` fetches the
//!   next slice.
//! * `$s`, `$m`, `$w`, `$q`, `$n` and `$e` check how large a value has become or is about to
//!   become: a text, a BigInt, or a list that is spread.
//! * `$f` is a key that all values have: `value[$f]` is the value as an iterable whose steps are
//!   counted.
//! * `$u` receives the variables of a program that can reach no other globals.

use super::reach::Reach;

/// The charge for an iteration or for entering a function.
pub const ENTRY: u32 = 1;
/// The charge for entering an async function, which creates promises.
pub const ASYNC_ENTRY: u32 = 16;
/// The charge of a `catch` block, because the error had to be created. The block begins with the
/// charge, which throws again if the run is over, so no program can go on by catching that error.
pub const CATCH: u32 = 64;
/// The charge at the start of a loop that counts its iterations. Up to seven iterations are free.
const LOOP_ENTRY: u32 = 2;
/// The number of iterations that a loop of arithmetic does before it charges again. Measurements
/// show that a larger number makes such loops no faster, and that a smaller one makes them slower.
pub const ROUNDS: u32 = 64;
/// The charge at the start of a loop of arithmetic. It also pays for up to [`ROUNDS`] iterations
/// that are not charged separately, so the work may be four times the charge.
pub const LOOP_WORK: u32 = 16;
/// The number of arithmetic operations in one unit of work.
const OPERATIONS_OF_UNIT: u32 = 8;

/// Returns the units of work of an iteration with this number of operations.
pub fn units(operations: u32) -> u32 {
    operations.div_ceil(OPERATIONS_OF_UNIT).max(1)
}

/// Returns the beginning of the module's first line, before the user's text.
pub fn prefix(stem: &str, reach: Option<&Reach>) -> String {
    let mut prefix = concat!(
        "import{refill as $r,look as $k,pause as $p,grown as $g,wide as $v,power as $w,factor as $q,exponent as $n,spread as $e,copyWeight as $x,connect as $j,copied as $y,named as $z,restKey as $i,limitTo as $u}from\"./runtime.js\";",
        "const $f=$i();let $b=0,$c=0,$o=1,$l=0;const $t=()=>{while($b<0)$b+=$r()},$h=()=>{$c=$k($c);$o=$x();$l=$c<64?0:7},",
        "$s=v=>typeof v==\"string\"&&v.length>1048575?$g(v):v,$m=v=>typeof v==\"bigint\"?$v(v):v;$j(()=>{const v=$c;$c=$l=0;return v});"
    )
    .replace('$', stem);
    if let Some(Reach { variables, .. }) = reach {
        let names: Vec<&str> = variables.iter().map(String::as_str).collect();
        prefix.push_str(&format!("{stem}u({:?});", names.join(" ")));
    }
    prefix
}

/// The amount that a guard charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// The charge for the entry or the iteration itself.
    pub entry: u32,
    /// The number of objects that are copied before the next guard.
    pub copies: u32,
}

impl Weight {
    /// Returns the weight of an entry that copies no object.
    pub const fn of(entry: u32) -> Self {
        Self { entry, copies: 0 }
    }
}

/// A writer of the guards of one program.
#[derive(Debug, Clone, Copy)]
pub struct GuardWriter<'s> {
    stem: &'s str,
}

impl<'s> GuardWriter<'s> {
    /// Creates a writer for a program with this stem.
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

    /// Opens a property pattern around a list pattern with a rest element. A brace closes it.
    pub fn iterated(self) -> String {
        format!("{{[{}f]:", self.stem)
    }

    /// Returns a statement that charges.
    pub fn statement(self, weight: Weight) -> String {
        format!("if({}){}h();", self.spent(weight), self.stem)
    }

    /// Opens a parenthesis that charges before an expression is evaluated. The caller closes it.
    pub fn before(self, weight: Weight) -> String {
        format!("({}&&{}h(),", self.spent(weight), self.stem)
    }

    /// Opens a parenthesis that charges for copying an object. The caller closes it.
    pub fn copy(self) -> String {
        format!("(({0}c-={0}o)<0&&{0}h(),", self.stem)
    }

    /// Opens a call of a runtime function around an expression; the caller closes the parenthesis.
    /// The leading space separates it from a preceding word.
    pub fn call(self, name: char) -> String {
        format!(" {}{name}(", self.stem)
    }

    /// Opens a block that charges for a whole loop of arithmetic when it begins. A brace closes it.
    pub fn whole(self, work: u32) -> String {
        let stem = self.stem;
        format!("{{if(({stem}b-={work})<0){stem}t();")
    }

    /// Opens a block around a loop of arithmetic whose number of iterations is unknown. A brace
    /// closes it.
    pub fn begin(self, variable: u32) -> String {
        let stem = self.stem;
        let last = ROUNDS - 1;
        format!("{{let {stem}{variable}={last};if(({stem}b-={LOOP_WORK})<0){stem}t();")
    }

    /// Returns the check for each iteration of a loop of arithmetic.
    pub fn round(self, variable: u32, units: u32) -> String {
        let stem = self.stem;
        let last = ROUNDS - 1;
        let work = units.saturating_mul(ROUNDS);
        format!(
            "if(--{stem}{variable}<0){{{stem}{variable}={last};if(({stem}b-={work})<0){stem}t()}}"
        )
    }

    /// Opens a block around any other loop. A brace closes it.
    pub fn begin_counting(self, variable: u32) -> String {
        let stem = self.stem;
        let entry = self.statement(Weight::of(LOOP_ENTRY));
        format!("{{let {stem}{variable}={stem}l;{entry}")
    }

    /// Returns the check for each iteration of such a loop.
    pub fn count(self, variable: u32) -> String {
        let stem = self.stem;
        format!(
            "if(--{stem}{variable}<0){{{stem}{variable}={stem}l;if(({stem}c-={stem}l+1)<0){stem}h()}}"
        )
    }

    /// Opens a block around a loop that awaits. A brace closes it.
    pub fn begin_awaiting(self, variable: u32) -> String {
        format!("{{let {}{variable}={};", self.stem, ROUNDS - 1)
    }

    /// Returns the check for each iteration of a loop that awaits. It yields to the event loop from
    /// time to time.
    pub fn pause(self, variable: u32) -> String {
        let stem = self.stem;
        format!("if(--{stem}{variable}<0){stem}{variable}=await {stem}p();")
    }

    /// Returns a constructor for a class that declares none.
    pub fn constructor(self, derived: bool) -> String {
        let rest = if derived { "super(...arguments)" } else { "" };
        format!(
            "constructor(){{{}{rest}}}",
            self.statement(Weight::of(ENTRY))
        )
    }
}
