// Bounds proxies, whose lengths are unpredictable.

import { TooLong, WrongType, apply, define, descriptorOf, isObject, isTypedOrView, proxied } from "./builtins.js";
import { iterable, restKey, step } from "./guard.js";

const PlainProxy = Proxy;
const REST_KEY = restKey();
const revocable = Proxy.revocable;

/** Keys of an object of bytes: a proxy would be asked for each. */
const MOST_TRAPPED = 2 ** 20;

/**
 * Wraps a handler so that each of its traps counts as a step. The language may call traps without
 * an end if they are built-in functions. In a trap, `this` is the handler that the program gave.
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

/** Answers our own requests to a proxy without calling the program. */
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
