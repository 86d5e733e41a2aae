// safeGraphQLAccess(data, serverKey, toolName): data of a GraphQL result that tells on the console which of its fields is null when a program
// reads it, once for each path, and gives null, as the data itself would.
//
// A plain script like the prelude, after which it stands. It wraps plain objects and arrays only, when they are read: a Date, a Map and whatever
// else has slots of its own would not work through a Proxy, and is given as it is. JSON.stringify and structuredClone see the data itself,
// without a word on the console.
//
// structuredClone refuses every Proxy, by the language. So the global one is replaced by one that clones the data behind ours, also where they
// stand in plain objects and arrays; whatever else the platform clones by itself (postMessage, RPC) takes JSON.parse(JSON.stringify(data)).
(() => {
  "use strict";
  // A program may replace these on the shared prototypes; what it then breaks should be its own code only.
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

  /** What is behind each of our proxies. */
  const behind = new NativeWeakMap();
  /** By server and tool: the proxy of each object, so that the same object is the same proxy, and where it was found. */
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
    realm.console?.error?.(lines > MAX_PRINTED ? "[GraphQL] Further nulls are not told." : line);
  }

  function step(target, key) {
    if (isArray(target)) return `[${key}]`;
    return exec(/^[A-Za-z_$][\w$]*$/, key) !== null ? `.${key}` : `[${stringify(key)}]`;
  }

  /** `data.genes[3].name`, from where the data was given in. */
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
        // JSON.stringify asks for this first: it gets the data, whose nulls are written and not read.
        if (key === "toJSON" && !(key in target)) return () => target;
        // A symbol is one of the language, or leads back here.
        const value = get(target, key, typeof key === "symbol" ? receiver : plain(receiver));
        if (typeof key === "symbol" || typeof value !== "object") return value;
        const own = getOwnPropertyDescriptor(target, key);
        if (value === null) {
          if (own?.enumerable) note(source, target, key);
          return null;
        }
        // What is inherited is no data, and the language wants what cannot change to be what it is.
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

  /** Data that tells which of its fields is null, when that is read. What is no plain object or array comes back as it is. */
  function safeGraphQLAccess(data, serverKey, toolName) {
    if (!isObject(data) || weakGet(behind, data) !== undefined || !isWrapped(data)) return data;
    return wrap(sourceOf(serverKey, toolName), data);
  }

  // ---- structuredClone

  const nativeClone = globalThis.structuredClone;

  /**
   * A copy without our proxies of plain objects and arrays that hold them; everything else as it is, for the platform to clone. What is behind
   * a proxy is copied as well: an array or object that was written into it may hold others.
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
  // For the host: what is behind a proxy, so that showing it tells nothing.
  if (isObject(globalThis.__wire) && !hasOwn(globalThis.__wire, "plain")) hidden(globalThis.__wire, "plain", plain);
})();
