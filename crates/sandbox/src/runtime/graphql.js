// safeGraphQLAccess(data, serverKey, toolName): wraps the data of a GraphQL result. When a program
// reads a field that is null, the console names the field, once for each path. The program gets
// null, as from the data itself.
//
// This is a plain script like the prelude, which precedes it. It wraps only plain objects and
// arrays, when they are read. A Date, a Map or another object with internal slots would not work
// through a Proxy, so it is returned unwrapped. JSON.stringify and structuredClone see the data
// itself, and print nothing.
//
// By the rules of the language, structuredClone refuses every Proxy. So the global one is replaced
// by one that clones the data behind our proxies, also inside of plain objects and arrays. If
// the platform itself clones (postMessage, RPC), use JSON.parse(JSON.stringify(data)).
(() => {
  "use strict";
  // A program may replace these on the shared prototypes. That must break only its own code.
  const { get, set, defineProperty: define, getOwnPropertyDescriptor } = Reflect;
  const { getPrototypeOf, defineProperty, keys, hasOwn, prototype: objectPrototype } = Object;
  const { isArray } = Array;
  const { Proxy: NativeProxy, WeakMap: NativeWeakMap, Map: NativeMap, Set: NativeSet } = globalThis;
  const bound = (method) => method.call.bind(method);
  const [weakGet, weakSet] = [bound(WeakMap.prototype.get), bound(WeakMap.prototype.set)];
  const [mapGet, mapSet] = [bound(Map.prototype.get), bound(Map.prototype.set)];
  const [setHas, setAdd] = [bound(Set.prototype.has), bound(Set.prototype.add)];
  const exec = bound(RegExp.prototype.exec);
  const slice = bound(String.prototype.slice);
  const { stringify } = JSON;

  /** Lines that all data of a program may print together. */
  const MAX_PRINTED = 100;
  /** Steps and characters of a path that are shown. */
  const MAX_STEPS = 40;
  const MAX_CHARACTERS = 300;

  /** The data behind each of our proxies. */
  const behind = new NativeWeakMap();
  /**
   * By server and tool: the proxy of each object, so that one object always has the same proxy, and
   * the place where the object was found.
   */
  const sources = new NativeMap();
  const printed = new NativeSet();
  let lines = 0;
  let wrapped = false;

  const isObject = (value) => typeof value === "object" && value !== null;
  const plain = (value) => (isObject(value) ? weakGet(behind, value) ?? value : value);

  function isWrapped(value) {
    if (isArray(value)) return true;
    const prototype = getPrototypeOf(value);
    return prototype === objectPrototype || prototype === null;
  }

  function print(line) {
    if (lines > MAX_PRINTED) return;
    lines += 1;
    /** @type {any} */
    const realm = globalThis;
    realm.console?.error?.(lines > MAX_PRINTED ? "[GraphQL] Further nulls are not reported." : line);
  }

  function step(target, key) {
    if (isArray(target)) return `[${key}]`;
    return exec(/^[A-Za-z_$][\w$]*$/, key) !== null ? `.${key}` : `[${stringify(key)}]`;
  }

  /** Returns a path such as `data.genes[3].name`, relative to the wrapped data. */
  function pathOf(places, target, key) {
    let path = step(target, key);
    let at = weakGet(places, target);
    for (let steps = 0; at !== undefined && steps < MAX_STEPS; steps++) {
      path = step(at.holder, at.key) + path;
      at = weakGet(places, at.holder);
    }
    if (at !== undefined) path = `…${path}`;
    if (path[0] === ".") path = slice(path, 1);
    return path.length > MAX_CHARACTERS ? `${slice(path, 0, MAX_CHARACTERS)}…` : path;
  }

  function note(source, target, key) {
    if (lines > MAX_PRINTED) return;
    const path = pathOf(source.places, target, key);
    const line = `[GraphQL] ${source.name}: "${path}" is null: the field is misspelt, the entity does not have it, or the filter matched no record.`;
    if (setHas(printed, line)) return;
    setAdd(printed, line);
    print(line);
  }

  function wrap(source, target, holder, key) {
    const known = weakGet(source.proxies, target);
    if (known !== undefined) return known;
    const proxy = new NativeProxy(target, source.handler);
    weakSet(source.proxies, target, proxy);
    weakSet(behind, proxy, target);
    wrapped = true;
    if (holder !== undefined) weakSet(source.places, target, { holder, key });
    return proxy;
  }

  function handlerOf(source) {
    return {
      __proto__: null,
      get(target, key, receiver) {
        // JSON.stringify reads this first. It gets the plain data, whose nulls are written and not
        // read.
        if (key === "toJSON" && !(key in target)) return () => target;
        // A symbol belongs to the language, or would lead back here.
        const value = get(target, key, typeof key === "symbol" ? receiver : plain(receiver));
        if (typeof key === "symbol" || typeof value !== "object") return value;
        const own = getOwnPropertyDescriptor(target, key);
        if (value === null) {
          if (own?.enumerable) note(source, target, key);
          return null;
        }
        // Inherited values are not data. For a property that cannot change, a proxy must return its
        // actual value.
        if (own === undefined || (!own.configurable && own.writable === false)) return value;
        if (weakGet(behind, value) !== undefined || !isWrapped(value)) return value;
        return wrap(source, value, target, key);
      },
      set(target, key, value, receiver) {
        return set(target, key, plain(value), plain(receiver));
      },
      defineProperty(target, key, descriptor) {
        return define(target, key, "value" in descriptor ? { ...descriptor, value: plain(descriptor.value) } : descriptor);
      },
    };
  }

  function sourceOf(serverKey, toolName) {
    const named = toolName === undefined ? serverKey : `${serverKey}.${toolName}`;
    const name = named === undefined ? "data" : slice(`${named}`, 0, MAX_CHARACTERS);
    let source = mapGet(sources, name);
    if (source === undefined) {
      source = { name, proxies: new NativeWeakMap(), places: new NativeWeakMap(), handler: undefined };
      source.handler = handlerOf(source);
      mapSet(sources, name, source);
    }
    return source;
  }

  /**
   * Wraps data so that reading a null field is reported. Other values than plain objects and arrays
   * are returned unchanged.
   */
  function safeGraphQLAccess(data, serverKey, toolName) {
    if (!isObject(data) || weakGet(behind, data) !== undefined || !isWrapped(data)) return data;
    return wrap(sourceOf(serverKey, toolName), data);
  }

  // ---- structuredClone

  const nativeClone = globalThis.structuredClone;

  /**
   * Copies plain objects and arrays that contain our proxies, without the proxies. All other values
   * stay as they are, for the platform to clone. The data behind a proxy is copied too: an array or
   * object that was written into it may contain other proxies.
   */
  function withoutProxies(root) {
    const copies = new NativeMap();
    const open = [];
    const copyOf = (value) => {
      const data = plain(value);
      if (!isObject(data) || !isWrapped(data)) return data;
      let copy = mapGet(copies, data);
      if (copy === undefined) {
        copy = isArray(data) ? new Array(data.length) : {};
        mapSet(copies, data, copy);
        open[open.length] = data;
      }
      return copy;
    };
    const result = copyOf(root);
    for (let at = 0; at < open.length; at++) {
      const from = open[at];
      const to = mapGet(copies, from);
      const names = keys(from);
      for (let index = 0; index < names.length; index++) {
        defineProperty(to, names[index], { value: copyOf(from[names[index]]), enumerable: true, configurable: true, writable: true });
      }
    }
    return result;
  }

  /** @param {[any, any?]} values */
  function structuredClone(...values) {
    try {
      return nativeClone(...values);
    } catch (error) {
      const copy = wrapped ? withoutProxies(values[0]) : values[0];
      if (copy === values[0]) throw error;
      values[0] = copy;
      return nativeClone(...values);
    }
  }

  const hidden = (target, name, value) => defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true });
  hidden(globalThis, "safeGraphQLAccess", safeGraphQLAccess);
  if (typeof nativeClone === "function") {
    hidden(structuredClone, "length", 1);
    hidden(globalThis, "structuredClone", structuredClone);
  }
  // For the host: returns the data behind a proxy, so that showing it reports nothing.
  if (isObject(globalThis.__wire) && !hasOwn(globalThis.__wire, "plain")) hidden(globalThis.__wire, "plain", plain);
})();
