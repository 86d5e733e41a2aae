// Every function that a program can call, with every argument that can make a call long. The
// programs find all functions by walking from the global object, so that functions of a later
// platform are called as well.
//
// A cell is a function with one of the values of hostile/matrix.json, passed in each of its ways. A
// program runs a row of cells and logs each before it begins. If it ends early, the cell that was
// logged last has used up its time, in the way that the line of its error shows; another program
// continues after that.

import { readFile } from "node:fs/promises";

export const matrix = JSON.parse(await readFile(new URL("hostile/matrix.json", import.meta.url), "utf8"));

/** The cells of one program; a run has room for 200 entries in its log. */
export const CELLS_OF_PROGRAM = 190;

/** Finds all functions with the path of each, always in the same order. */
const WALK = `
const seen = new Set(), functions = [];
const walk = (value, path, depth) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value) || depth > 7) return;
  seen.add(value);
  if (typeof value === "function") functions.push([path, value]);
  for (const key of Reflect.ownKeys(value)) {
    const name = typeof key === "symbol" ? "[" + key.description + "]" : key;
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
    const at = path === "" ? name : path + "." + name;
    if ("value" in descriptor) walk(descriptor.value, at, depth + 1);
    else for (const way of ["get", "set"]) walk(descriptor[way], way + " " + at, depth + 1);
  }
  walk(Reflect.getPrototypeOf(value), path + ".__proto__", depth + 1);
};
for (const [path, made] of [["", globalThis], ["%AsyncFunction%", async () => {}], ["%Generator%", (function* () {})()], ["%AsyncGenerator%", (async function* () {})()], ["%ArrayIterator%", [].values()], ["%MapIterator%", new Map().entries()], ["%SetIterator%", new Set().values()], ["%StringIterator%", ""[Symbol.iterator]()], ["%RegExpStringIterator%", "".matchAll(/a/g)], ["%IteratorHelper%", [].values().map(Object)], ["%WrapForValidIterator%", Iterator.from({ next() {} })], ["%Segments%", new Intl.Segmenter("en").segment("a")], ["%SegmentIterator%", new Intl.Segmenter("en").segment("a")[Symbol.iterator]()], ["%URLSearchParamsIterator%", new URLSearchParams().keys()]]) walk(made, path, 0);
`;

const text = ({ texts, values, receivers, calls }) => `
const made = { ${Object.entries(texts).map(([name, code]) => `get ${name}() { const value = ${code}; Object.defineProperty(made, "${name}", { value }); return value }`).join(", ")} };
const values = [${Object.values(values).map((code) => `() => ${code}`).join(",\n")}];
const receivers = { ${Object.entries(receivers).map(([path, code]) => `${JSON.stringify(path)}: () => ${code}`).join(",\n")} };
const calls = [${calls.join(",\n")}];`;

/** A program that returns the paths of all functions. */
export const listing = `${WALK} return functions.map(([path]) => path);`;

/** Returns the line of the program on which the ways begin. */
const lineOfCalls = (program) => program.slice(0, program.indexOf("const calls = [")).split("\n").length;

/**
 * Makes a program that runs `many` cells from the number `from` on, the first of them from the way
 * `way` on. Of each function it tries one in `every` of its values, and of the next function
 * others.
 */
export function cells(from, way, many, every = 1) {
  return `${WALK}${text(matrix)}
const done = () => {};
let first = ${way};
for (let cell = ${from}; cell < Math.min(${from + many}, functions.length * values.length); cell++) {
  if ((Math.floor(cell / values.length) + cell % values.length) % ${every} !== 0) continue;
  const [path, f] = functions[Math.floor(cell / values.length)];
  const value = values[cell % values.length];
  const owner = path.replace(/^(?:get|set) /, "").split(".").slice(0, -1).join(".");
  const receiver = receivers[owner] ?? (/^\\w+Array\\.prototype(?:\\.__proto__)?$/.test(owner) ? () => new Float64Array(1000) : () => undefined);
  console.log(cell);
  for (let way = first; way < calls.length; way++) {
    try {
      const made = calls[way](f, receiver, value);
      if (typeof made?.then === "function" && made instanceof Promise) { made.then(done, done); await null; await null; }
      if (typeof made?.next === "function") { const next = made.next(); if (next instanceof Promise) next.then(done, done); }
    } catch (error) {}
  }
  first = 0;
}
return functions.length * values.length;`;
}

/**
 * Returns the cell and the way after a program that ended early, from its log and the line of its
 * error.
 */
export function next(program, last, line) {
  const way = line - lineOfCalls(program);
  const isWay = way >= 0 && way < matrix.calls.length - 1;
  return isWay ? { cell: last, way: way + 1 } : { cell: last + 1, way: 0 };
}
