// Finds, replaces and splits in a whole text. If the text and its replacement are short, the
// built-in does the work; otherwise each match is a counted step. One built-in call on 30 million
// characters takes seconds, and more memory than there is.

import { TooLong, WrongType, apply, eachCounted, isObject, isOfLanguage, least, replace } from "./builtins.js";
import { checkText, step } from "./guard.js";

/**
 * The length of a text up to which the built-in does the work by itself. It is also the maximum
 * number of matches.
 */
const MOST_AT_ONCE = 2 ** 20;
/**
 * Parts that the built-in may join by itself. Each match may add as many parts as its replacement
 * has characters.
 */
const MOST_PARTS_AT_ONCE = 2 ** 24;
/** Texts in a list of matches, or in a list of the parts between them. */
const MOST_FOUND = 2 ** 22;
/** Parts of a text that are joined at a time. */
const PARTS_AT_ONCE = 4096;

// The built-ins, taken before other modules replace them.
const Expression = RegExp;
const { exec: ownExec } = RegExp.prototype;
const { indexOf: placeIn, includes: holds, slice: partOf, codePointAt: pointAt } = String.prototype;
const { join: joinParts } = Array.prototype;

const find = (text, sought, from) => apply(placeIn, text, [sought, from]);
const slicedFrom = (text, from, to) => apply(partOf, text, [from, to]);

/**
 * Checks `exec` of an expression that is applied until there is no more match. Returns true if it
 * is the built-in; refuses other built-ins, which pass no guard.
 */
function checkExec(expression) {
  const exec = expression?.exec;
  if (exec !== ownExec && isOfLanguage(exec)) throw new WrongType("`exec` of a regular expression must be its own, or a function of the program");
  return isObject(expression) && exec === ownExec;
}

/** Returns true if the built-in may take long to replace this number of matches. */
const isLongWork = (matches, replacer) => matches > MOST_AT_ONCE || (typeof replacer === "string" && (matches + 1) * (replacer.length + 1) > MOST_PARTS_AT_ONCE);

/**
 * Returns a function that finds the next match of an expression at each call; null after the last.
 */
function matchesOf(expression, flags, text) {
  const own = new Expression(expression.source, flags);
  const isGlobal = apply(holds, flags, ["g"]);
  const byPoints = apply(holds, flags, ["u"]) || apply(holds, flags, ["v"]);
  let isOver = false;
  return () => {
    step();
    const found = isOver ? null : apply(ownExec, own, [text]);
    isOver = !isGlobal;
    const isEmpty = found !== null && found[0] === "";
    if (isEmpty) own.lastIndex += byPoints && (apply(pointAt, text, [own.lastIndex]) ?? 0) > 0xffff ? 2 : 1;
    return found;
  };
}

/** Returns a function that finds the next occurrence of a text, in the form of a match. */
function occurrencesOf(sought, text, isAll) {
  let from = 0;
  return () => {
    step();
    const at = from > text.length ? -1 : find(text, sought, from);
    if (at < 0) return null;
    from = isAll ? at + (sought.length || 1) : text.length + 1;
    return { 0: sought, length: 1, index: at, groups: undefined };
  };
}

/** A text that is joined from parts, and bounded by the maximum length of a text. */
class Parts {
  text = "";
  length = 0;
  open = [];

  add(part) {
    if (part === "") return;
    this.length += part.length;
    checkText(this.length);
    this.open[this.open.length] = part;
    if (this.open.length >= PARTS_AT_ONCE) this.close();
  }

  close() {
    this.text += apply(joinParts, this.open, [""]);
    this.open.length = 0;
    return this.text;
  }
}

/** Returns the text with each match replaced. */
function replaceEach(next, text, replacer) {
  const made = new Parts();
  let end = 0;
  for (let found = next(); found !== null; found = next()) {
    made.add(slicedFrom(text, end, found.index));
    if (typeof replacer === "function") made.add(`${apply(replacer, undefined, argumentsFor(found, text))}`);
    else substitute(replacer, found, text, made);
    end = found.index + found[0].length;
  }
  made.add(slicedFrom(text, end));
  return made.close();
}

function argumentsFor(found, text) {
  const values = [];
  for (let at = 0; at < found.length; at++) values[at] = found[at];
  values[values.length] = found.index;
  values[values.length] = text;
  if (found.groups !== undefined) values[values.length] = found.groups;
  return values;
}

/** Adds the expansion of a replacement, by the rules of the language. */
function substitute(template, found, text, made) {
  let from = 0;
  for (let at = find(template, "$", 0); at >= 0; at = find(template, "$", from)) {
    step();
    made.add(slicedFrom(template, from, at));
    from = at + reference(template, at, found, text, made);
  }
  made.add(slicedFrom(template, from));
}

/**
 * Adds the expansion of the sign at `at` in a replacement. Returns the number of characters that
 * the sign has.
 */
function reference(template, at, found, text, made) {
  const sign = template[at + 1];
  if (sign === "&") made.add(found[0]);
  else if (sign === "`") made.add(slicedFrom(text, 0, found.index));
  else if (sign === "'") made.add(slicedFrom(text, found.index + found[0].length));
  else if (sign === "<" && found.groups !== undefined) return namedReference(template, at, found, made);
  else if (sign >= "0" && sign <= "9") return numberedReference(template, at, found, made);
  else {
    made.add("$");
    return sign === "$" ? 2 : 1;
  }
  return 2;
}

function namedReference(template, at, found, made) {
  const end = find(template, ">", at);
  if (end < 0) {
    made.add("$");
    return 1;
  }
  const value = found.groups[slicedFrom(template, at + 2, end)];
  if (value !== undefined) made.add(`${value}`);
  return end + 1 - at;
}

function numberedReference(template, at, found, made) {
  const second = template[at + 2];
  const one = +template[at + 1];
  const two = second >= "0" && second <= "9" ? one * 10 + +second : 0;
  const group = two > 0 && two < found.length ? two : one;
  if (group === 0 || group >= found.length) {
    made.add("$");
    return 1;
  }
  if (found[group] !== undefined) made.add(found[group]);
  return group === two && two !== one ? 3 : 2;
}

// ---- Expressions

// The names of the symbols are texts: a program reaches these functions through the methods of texts
// with the same names (crates/sandbox/src/runtime.rs).
replace(RegExp.prototype, Symbol["replace"], (original) => ({
  method(given, replacement) {
    const isOwn = checkExec(this);
    const text = `${given}`;
    const replacer = typeof replacement === "function" ? eachCounted(replacement) : `${replacement}`;
    if (!isOwn || !isLongWork(text.length, replacer)) return apply(original, this, [text, replacer]);
    const flags = `${this.flags}`;
    const isGlobal = apply(holds, flags, ["g"]);
    // A single match is only much work if its replacement is long. The position of a sticky match
    // depends on earlier calls.
    if (!isGlobal && (!isLongWork(1, replacer) || apply(holds, flags, ["y"]))) return apply(original, this, [text, replacer]);
    if (isGlobal) this.lastIndex = 0;
    return replaceEach(matchesOf(this, flags, text), text, replacer);
  },
}).method);

replace(RegExp.prototype, Symbol["match"], (original) => ({
  method(given) {
    const isOwn = checkExec(this);
    const text = `${given}`;
    const flags = isOwn && text.length > MOST_AT_ONCE ? `${this.flags}` : "";
    if (!apply(holds, flags, ["g"])) return apply(original, this, [text]);
    this.lastIndex = 0;
    const next = matchesOf(this, flags, text);
    const list = [];
    for (let found = next(); found !== null; found = next()) {
      if (list.length >= MOST_FOUND) tooManyFound();
      list[list.length] = found[0];
    }
    return list.length > 0 ? list : null;
  },
}).method);

function tooManyFound() {
  throw new TooLong(`Invalid array length: a text can be split into at most ${MOST_FOUND} parts`);
}

/** Wraps a call that splits a text. It asks for one part more than allowed, to detect too many. */
const splitting = (original) => ({
  method(by, limit) {
    const most = limit === undefined ? MOST_FOUND + 1 : least(limit >>> 0, MOST_FOUND + 1);
    const list = apply(original, this, [by, most]);
    if (list?.length > MOST_FOUND) tooManyFound();
    return list;
  },
}).method;
replace(RegExp.prototype, Symbol["split"], splitting);
replace(String.prototype, "split", splitting);

// ---- Texts

/** Returns the text to search for, or nothing if the value has a method of its own for that. */
function soughtText(sought) {
  if (isObject(sought) && (sought[Symbol.replace] ?? undefined) !== undefined) return undefined;
  return `${sought}`;
}

for (const name of ["replace", "replaceAll"]) {
  const isAll = name === "replaceAll";
  replace(String.prototype, name, (original) => ({
    method(sought, replacement) {
      const words = this === null || this === undefined ? undefined : soughtText(sought);
      if (words === undefined) return apply(original, this, [sought, replacement]);
      const text = `${this}`;
      const replacer = typeof replacement === "function" ? eachCounted(replacement) : `${replacement}`;
      if (!isLongWork(isAll ? text.length : 1, replacer)) return apply(original, text, [words, replacer]);
      return replaceEach(occurrencesOf(words, text, isAll), text, replacer);
    },
  }).method);
}
