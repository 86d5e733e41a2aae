// Makes random hostile programs from a seed; the same seed always gives the same program.
//
// A program consists of data that takes long to process, an operation on it, and an endless
// repetition of the operation. Half of the programs are instead ones of hostile/grammar.json and
// hostile/endless.json, with changed words, numbers and operators. The result need not compile, and
// may end with any error: it must only end in time. Programs of the kind in
// hostile/unstoppable.json, and those that only fill memory, are not made on purpose.

import { random as generator } from "../random.mjs";

const DATA = [
  "const big = 'x'.repeat(SIZE * 10), other = 'x'.repeat(SIZE * 10 - 1) + 'x';",
  "const big = Array.from({ length: SIZE / 10 }, (_, i) => i), other = [...big];",
  "const big = {}, other = {}; for (let i = 0; i < SIZE / 40; i++) big['k' + i] = other['l' + i] = i;",
  "const big = new Map(), other = new Set(); for (let i = 0; i < SIZE / 40; i++) { big.set(i, i); other.add(i); }",
  "const big = 3n ** 200000n, other = 7n ** 100000n;",
  "const big = new Float64Array(SIZE), other = new Uint8Array(SIZE);",
  "const big = [['a', 'b'], ['c']], other = big.map((x) => [big, x]);",
  "const big = { valueOf: () => other + 1, get a() { return other.a } }, other = { toString: () => `${big}`, get a() { return big.a } };",
  "let big = 'ab', other = [1]; for (let i = 0; i < 22; i++) { big = big + big; if (i < 18) other = [...other, ...other]; }",
];

const OPERATIONS = [
  "big === other", "big < other", "big == other", "`${big}${other}`", "'' + big", "big + other", "[...big]", "({ ...big })", "({ ...big, ...other })", "+big", "-big",
  "big | 0", "big * other", "big % other", "big - other", "big[other]", "other in Object(big)", "(() => { const [a, ...r] = big; })()", "(() => { const { a, ...r } = big; })()",
  "JSON.stringify(big)", "JSON.parse(JSON.stringify([other]))", "structuredClone(big)", "Object.keys(big)", "Object.entries(big).length", "Array.from(big)", "[...other].sort()", "String(big).split('x')",
  "String(other).replaceAll('x', 'yy')", "String(big).toUpperCase()", "String(big).indexOf('xxy')", "[big, other].flat(9)", "[big, other].join()", "Math.max(...[1, 2, big])", "new Set(other)",
  "new (class { a = `${big}`; b = [...other] })()", "((a = big + 1, [b] = other) => a)()", "Object.assign({}, big)", "[big].concat(other)", "typeof big + other", "big?.[other]", "(big, other, big !== other)",
  "delete Object(big).k1", "switchOver(big, other)", "Reflect.ownKeys(Object(big))", "big.toString()", "encodeURIComponent(String(big))", "Array.prototype.map.call(Object(big), String)", "tag`${big}${other}`",
];

const DRIVERS = [
  "for (;;) { OP; }",
  "while (true) OP;",
  "do { OP } while (1)",
  "for (let i = 0; i < 1e9; i++) OP;",
  "for (let i = 0; i < 3e6; i++) { if (i > 2e6) OP; }",
  "let n = 0; for (let i = 0; i < 1e12; i++) { n += i; if (n > 1e7) OP; }",
  "for (const x of (function* () { for (;;) yield 1 })()) OP;",
  "for (const k in { a: 1, b: 2 }) for (;;) OP;",
  "const f = (n) => n > 0 ? [OP, f(n - 1), f(n - 1)] : 0; f(60);",
  "function f(n, a = OP) { if (n > 0) { f(n - 1); f(n - 1) } } f(60);",
  "const f = async (n) => { OP; await null; if (n > 0) { await f(n - 1); await f(n - 1) } }; await f(60);",
  "class A { x = OP; y = this.constructor.n-- > 0 ? new A() : 0; static n = 1e9 } for (;;) try { new A() } catch {}",
  "class A {} class B extends A { static { for (;;) OP } }",
  "const o = { get a() { OP; return o.a + o.a } }; for (;;) try { o.a } catch {}",
  "const p = new Proxy({}, { get() { OP; return p.b } }); for (;;) try { p.a } catch {}",
  "for (;;) [1, 2, 3].forEach(() => { OP });",
  "for (;;) [3, 1, 2].sort((a, b) => { OP; return a - b });",
  "for (;;) { await null; OP }",
  "const again = () => Promise.resolve().then(() => { OP }).then(again); await again();",
  "const tick = () => { OP; setTimeout(tick, 0) }; tick(); await new Promise((done) => setTimeout(done, 1e6));",
  "const tick = () => { OP; queueMicrotask(tick) }; tick(); await new Promise((done) => setTimeout(done, 1e6));",
  "a: for (;;) { for (let j = 0; j < 6; j++) { OP; if (j > 4) continue a } }",
  "for (;;) { try { OP; throw 1 } catch { OP } finally { OP } }",
  "for (;;) { switch (1) { case 0: case 1: OP } }",
  "JSON.stringify({ toJSON() { for (;;) OP } });",
  "const it = { [Symbol.iterator]: () => ({ next: () => { OP; return { done: false, value: 1 } } }) }; for (const x of it) ;",
  "const f = () => { MANY }; for (;;) f();",
  "using d = { [Symbol.dispose]() { for (;;) OP } };",
  "label: { for (;;) { if (OP) continue; } }",
];

const WRAPPERS = [
  (code) => code,
  (code) => `try { ${code} } catch { ${code} }`,
  (code) => `await (async () => { ${code} })();`,
  (code) => `try { await (async () => { ${code} })() } finally { await (async () => { ${code} })() }`,
  (code) => `for (;;) { try { await (async () => { ${code} })() } catch {} }`,
  (code) => `await Promise.all([1, 2, 3].map(async () => { ${code} }));`,
  (code) => `setTimeout(async () => { ${code} }, 1); await new Promise((done) => setTimeout(done, 1e6));`,
];

const HELPERS = "const tag = (strings, ...values) => values.join() + strings.raw;\nconst switchOver = (a, b) => { switch (a) { case b: return 1; case `${b}!`: return 2 } };\n";
const SIZES = ["1e4", "1e5", "1e6", "2e6"];
const SWAPS = [["===", "<", "!=", "+", "-", "*", "%", ">=", "&&", "||", "??", ","], ["for (;;)", "while (true)", "for (let q = 0; q < 1e9; q++)"], ["const ", "let ", "var "], ["function ", "function* ", "async function "], ["[...", "new Set([...", "({ ..."]];
const NUMBERS = ["0", "1", "2", "7", "64", "1000", "1e5", "1n"];

const pick = (random, list) => list[Math.floor(random() * list.length)];

function made(random) {
  const operation = () => {
    const one = pick(random, OPERATIONS);
    return random() < 0.3 ? `(${one}, ${pick(random, OPERATIONS)})` : one;
  };
  const driver = pick(random, DRIVERS).replace("MANY", () => Array.from({ length: 200 }, operation).join("; ")).replaceAll("OP", operation);
  const wrapped = pick(random, WRAPPERS)(driver);
  return `${HELPERS}${pick(random, DATA).replaceAll("SIZE", pick(random, SIZES))}\n${wrapped}`;
}

/** Takes one of the known endless programs and changes it in up to four places. */
function changed(random, programs) {
  let { code } = pick(random, programs);
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes--) {
    if (random() < 0.4) {
      const numbers = [...code.matchAll(/(?<![\w.'"])\d+(?![\w.'"])/g)];
      if (numbers.length === 0) continue;
      const { index, 0: number } = pick(random, numbers);
      code = code.slice(0, index) + pick(random, NUMBERS) + code.slice(index + number.length);
    } else {
      const swaps = pick(random, SWAPS);
      const from = pick(random, swaps.filter((part) => code.includes(part)));
      if (from !== undefined) code = code.replace(from, () => pick(random, swaps));
    }
  }
  return pick(random, WRAPPERS)(code);
}

/** Makes the program of a seed. */
export function mutated(seed, programs) {
  const { next: random } = generator(seed * 2654435761);
  random();
  return random() < 0.6 ? made(random) : changed(random, programs);
}
