// Looks at how much one call of the language has before it, where that can be seen: while a built-in runs, no guard of a program does.
//
// A call on a long text or list is charged by its length, so that the clock is looked at in front of it. What no honest program can have is
// refused: an isolate has 128 MB, so a list of 2^25 places or a text of 2^27 characters is only a made-up length. What is short costs a
// comparison. A program may replace what stands here, but it cannot get at what was there before.

import { charge, checkText, copied, copyWeight, iterable, longest, named, restKey, spend, step } from "./guard.js";

export const { apply } = Reflect;
export const { isArray: isPlainList } = Array;
export const { defineProperty: define, getOwnPropertyDescriptor: descriptorOf, getPrototypeOf: prototypeOf } = Object;
export const { min: least, trunc } = Math;
export const isTypedOrView = ArrayBuffer.isView;
/** Before it counts for programs. */
export const { lastIndexOf: findBack } = String.prototype;
const PlainProxy = Proxy;
const knows = WeakSet.prototype.has;
const remember = WeakSet.prototype.add;
const sourceText = Function.prototype.toString;
const matchOf = RegExp.prototype.exec;
/** Structures between two looks. */
const COPIES = 64;
export const TooLong = RangeError;
export const WrongType = TypeError;

/** From here on a call is charged for. */
const LONG = 4096;
const MOST_PLACES = 2 ** 25;
/** Places of what is no array: each is looked up by its name. */
const MOST_PLACES_OF_OTHERS = 2 ** 23;
/** Prototypes that are asked for what a list lacks. */
const MOST_PARENTS = 16;
/** From so many elements on it is looked whether a function of the language is called for each. */
const FEW = 64;
/** What a list costs less than a loop over it. */
const PLACES_OF_UNIT = 8;

const REST_KEY = restKey();
const proxies = new WeakSet();
let hasProxies = false;

/** Puts what `make` makes of a function in its place, under its name. */
export function replace(owner, name, make) {
  const original = owner[name];
  if (typeof original !== "function") return;
  const made = make(original);
  define(made, "name", { value: original.name, configurable: true });
  define(made, "length", { value: original.length, configurable: true });
  owner[name] = made;
}

export function replaceAll(owner, names, make) {
  for (let at = 0; at < names.length; at++) replace(owner, names[at], make);
}

export const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

/** Whether an expression of ours is in a text, whatever the program has made of expressions. */
export const contains = (expression, text) => apply(matchOf, expression, [text]) !== null;

/** What the language makes of an object that is to be a number. */
export function primitiveOf(value) {
  const convert = value[Symbol.toPrimitive];
  if (convert !== undefined && convert !== null) return apply(convert, value, ["number"]);
  const number = typeof value.valueOf === "function" ? value.valueOf() : value;
  return isObject(number) ? value.toString() : number;
}

// ---- What is long

export function places(length, most = MOST_PLACES) {
  if (length <= LONG) return;
  if (length > most) throw new TooLong(`Invalid array length: a call of the language takes ${most} elements at most, not ${length}`);
  longest(length);
  charge(trunc(length / PLACES_OF_UNIT));
}

/** Whether a call on so much is charged for. */
export const isLong = (length) => length > LONG;

/** Whether it is looked at what a call does with so many elements. */
export const isMany = (elements) => elements > FEW;

/** A whole number as `length` is read. */
export function lengthOf(list) {
  const length = trunc(Number(list.length));
  return length > 0 ? length : 0;
}

export const isProxied = (list) => hasProxies && apply(knows, proxies, [list]);

/** Whether a function is one of the language, or made of some: it passes no guard of the program. */
export const isOfLanguage = (value) => typeof value === "function" && contains(/ \[native code\] \}$/, apply(sourceText, value, []));

/** A function that the language is going to call many times by itself. */
export function eachCounted(callback) {
  if (!isOfLanguage(callback)) return callback;
  return function (...values) {
    step();
    return apply(callback, this, values);
  };
}

/** Elements that a list lacks are looked for in its prototypes, each by itself. */
function checkParents(list, length) {
  if (length <= FEW) return;
  let parent = prototypeOf(list);
  for (let depth = 0; parent !== null; parent = prototypeOf(parent)) {
    if (++depth > MOST_PARENTS) throw new TooLong(`Invalid array length: a list with more than ${MOST_PARENTS} prototypes has ${FEW} elements at most`);
  }
}

/** The list that a method works on: one whose length is what it says when it is asked. */
export function sized(list, most) {
  step();
  if (isPlainList(list) && !isProxied(list)) {
    if (list.length > LONG) places(list.length, most);
    if (list.length > FEW) checkParents(list, list.length);
    return list;
  }
  if (typeof list === "string") checkLength(list.length, MOST_PLACES_OF_OTHERS);
  if (typeof list !== "object" && typeof list !== "function") return list;
  if (list === null) return list;
  const length = lengthOf(list);
  places(length, least(most ?? MOST_PLACES_OF_OTHERS, MOST_PLACES_OF_OTHERS));
  checkParents(list, length);
  if (!isProxied(list) && descriptorOf(list, "length")?.value === length) return list;
  // Asked again it might say something else.
  return { __proto__: list, length };
}

/** A text that a call reads or has made. */
export function measure(text) {
  if (text.length <= LONG) return;
  checkText(text.length);
  charge(text.length >> 3);
}

/** Refuses what a call would work on for long. */
export function checkLength(length, most, what = "characters") {
  if (length > most) throw new TooLong(`Invalid string length: a call of the language takes ${most} ${what} at most here, not ${length}`);
}

let copies = COPIES;

/** Something with an unknown number of parts is gone through. */
export function copying() {
  if ((copies -= copyWeight()) >= 0) return;
  copies = COPIES;
  spend();
}

// ---- Proxies, whose lengths may be anything

const revocable = Proxy.revocable;

function proxied(proxy) {
  hasProxies = true;
  apply(remember, proxies, [proxy]);
  return proxy;
}

/** Keys of an object of bytes, each of which a proxy would ask for. */
const MOST_TRAPPED = 2 ** 20;

/**
 * A handler whose traps count: the language calls them without an end where they are functions of its own. `this` in them is the handler that
 * the program has given.
 */
function countedHandler(target, handler) {
  if (isTypedOrView(target) && target.byteLength > MOST_TRAPPED) throw new TooLong(`Invalid typed array length: a proxy takes ${MOST_TRAPPED} bytes at most`);
  if (!isObject(handler)) return handler;
  return new PlainProxy(handler, {
    get(of, name) {
      step();
      const trap = of[name];
      if (typeof trap !== "function") return trap;
      return (...values) => (values[1] === REST_KEY ? untrapped(name, values) : apply(trap, of, values));
    },
  });
}

/** What is asked of a proxy for us does not reach the program. */
function untrapped(name, values) {
  return name === "get" ? iterable(values[2]) : apply(plainReflect[name], undefined, values);
}
const plainReflect = { __proto__: null, set: Reflect.set, has: Reflect.has, defineProperty: Reflect.defineProperty, deleteProperty: Reflect.deleteProperty, getOwnPropertyDescriptor: descriptorOf };

function ProxyOfPrograms(target, handler) {
  if (!new.target) throw new WrongType("Constructor Proxy requires 'new'");
  return proxied(new PlainProxy(target, countedHandler(target, handler)));
}
ProxyOfPrograms.prototype = undefined;
define(ProxyOfPrograms, "name", { value: "Proxy", configurable: true });
define(ProxyOfPrograms, "revocable", {
  value: (target, handler) => {
    const made = revocable(target, countedHandler(target, handler));
    proxied(made.proxy);
    return made;
  },
  configurable: true,
  writable: true,
});
define(globalThis, "Proxy", { value: ProxyOfPrograms, configurable: true, writable: true });
