// The forms in which values leave a program: one rule for parameters, records, states, arguments of
// tools, and results.
//
// JSON.stringify alone loses data silently: a Map becomes {}, a function disappears, a private
// field is not seen. Here a value has a form that loses nothing, or it is refused with its path and
// with a substitute:
//
//   text, number, boolean, null               as JSON.stringify writes them
//   plain objects, arrays, Date, URL          the same; also other objects with toJSON
//   BigInt                                    its digits
//   Error                                     {name, message, code?, cause?, …its fields}
//   Uint8Array, ArrayBuffer, DataView         {"$blob": base64}, not for tools
//   other typed arrays                        a list of numbers; as a parameter or a field: bytes
//   boxed values                              their contents
//   instances of classes                      their fields, if these show all contents
//
// The text has a limit, which is checked while the text is written.
//
// A plain script that puts its functions on globalThis.__wire, for the prelude and the runtime.
(() => {
  "use strict";
  // A program may replace these on the shared prototypes. That must break only its own code.
  const { stringify, rawJSON } = JSON;
  const { getPrototypeOf, getOwnPropertyDescriptor, keys, prototype: objectPrototype } = Object;
  const { isArray, from: arrayFrom } = Array;
  /** @type {{isView(value: unknown): boolean}} */
  const { isView } = ArrayBuffer;
  const { toStringTag, iterator, asyncIterator } = Symbol;
  const { Error: NativeError, Date: NativeDate, Uint8Array: Bytes, ArrayBuffer: Buffer, DataView: View, RangeError: TooLarge, TypeError: WrongType } = globalThis;
  /** @type {any} */
  const wire = {};
  const bound = (method) => method?.call.bind(method);
  const owns = bound(objectPrototype.hasOwnProperty);
  const tagOf = bound(objectPrototype.toString);
  const sourceOf = bound(Function.prototype.toString);
  const exec = bound(RegExp.prototype.exec);
  const test = (expression, text) => exec(expression, text) !== null;
  // Available in engines since 2023.
  const isWellFormed = bound(String.prototype.isWellFormed) ?? (() => true);
  const [known, remember] = [bound(WeakMap.prototype.get), bound(WeakMap.prototype.set)];
  const unboxers = {
    __proto__: null,
    Number: bound(Number.prototype.valueOf),
    String: bound(String.prototype.valueOf),
    Boolean: bound(Boolean.prototype.valueOf),
    BigInt: bound(BigInt.prototype.valueOf),
    Symbol: bound(Symbol.prototype.valueOf),
  };
  // Newer engines have this, and it is several times as fast as btoa.
  const encodeBase64 = bound(Bytes.prototype.toBase64);

  /** The depth of JSON text beyond which readers refuse it, serde_json among them. */
  const MAX_DEPTH = 100;
  const MAX_SHOWN_STEPS = 33;
  const MAX_SHOWN_NAME = 100;

  /** Characters of the JSON text of a call or a result. A message of the platform holds 32 MiB. */
  const MAX_TEXT_CHARACTERS = 32 * 1024 * 1024;
  /** Values between two clock checks, if the host has a clock. */
  const VALUES_BETWEEN_LOOKS = 16_384;
  /** Digits of a BigInt above which the clock is checked. */
  const LONG_NUMBER = 4096;
  /** Prototypes of an instance. */
  const MAX_CLASSES = 100;

  /** The destinations of values. */
  const SQL = { verb: "pass", cannot: "" };
  const ARGUMENTS = { verb: "pass", cannot: ", which JSON does not have" };
  const RESULT = { verb: "return", cannot: ", which JSON cannot hold" };

  /** A value without a form, and its substitute. */
  class Refusal {
    /**
     * @param {string} what
     * @param {string} fix
     * @param {boolean} [whole] true if `what` is the whole message
     */
    constructor(what, fix, whole = false) {
      this.what = what;
      this.fix = fix;
      this.whole = whole;
      this.path = "";
    }

    message(way) {
      return `${this.path || "a value"} is ${this.what}${this.whole ? "" : way.cannot}`;
    }
  }

  /** Thrown for a text that is longer than allowed. */
  class TooLong {}

  /** The characters that the current text may still have, and the values so far. */
  let meter = { left: 0, values: 0 };

  /**
   * Bounds the text that `write` makes, while it is written. A shared part is written each time it
   * occurs, so the size of a value in memory is no bound.
   */
  function metered(characters, write) {
    const outer = meter;
    meter = { left: characters, values: 0 };
    try {
      return write();
    } finally {
      // A getter or toJSON may have written another text meanwhile.
      meter = outer;
    }
  }

  /** Throws if the text has no room for this number of characters. */
  function need(characters) {
    if (meter.left < characters) throw new TooLong();
  }

  /**
   * Counts a value: the least that it adds to the text, and one if it adds nothing. Its parts count
   * when they are visited.
   */
  function count(holder, key, value) {
    if (++meter.values % VALUES_BETWEEN_LOOKS === 0) wire.spend?.();
    const written = typeof value === "string" ? value.length + 2 : typeof value === "object" && value !== null ? 2 : 1;
    meter.left -= written + (isArray(holder) ? 1 : key.length + 4);
    need(0);
  }

  function toBase64(bytes) {
    if (encodeBase64) return encodeBase64(bytes);
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  }

  const FIXES = {
    __proto__: null,
    Map: "Object.fromEntries(map) or [...map]",
    Set: "[...set]",
    RegExp: "its text, `${expression}`",
    Blob: "its contents: await blob.text(), or new Uint8Array(await blob.arrayBuffer())",
    File: "its contents: await file.text(), or new Uint8Array(await file.arrayBuffer())",
    URLSearchParams: "Object.fromEntries(parameters), or its text, `${parameters}`",
    Headers: "Object.fromEntries(headers)",
    FormData: "Object.fromEntries(form)",
    Request: "its contents: await request.text()",
    Response: "its contents: await response.json() or await response.text()",
  };

  function nameOf(value) {
    const tag = tagOf(value).slice(8, -1);
    if (tag !== "Object") return tag;
    try {
      return `${value.constructor?.name || "Object"}`;
    } catch {
      return "Object";
    }
  }

  const withArticle = (name) => `${test(/^[AEIO]/, name) ? "an" : "a"} ${name}`;

  /**
   * @param {Way} way
   * @param {string} [fix]
   * @returns {never}
   */
  function refuse(way, value, more = "", fix = undefined) {
    const name = nameOf(value);
    throw new Refusal(withArticle(name) + more, fix ?? `${way.verb} ${FIXES[name] ?? "its contents as plain objects and arrays"}`);
  }

  const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;
  const PRIVATE = /(?:\bthis\.|[{};\n]\s*)#[\p{ID_Continue}$]+\s*(?:=[^=>]|[;}\n]|$)/u;
  const hidden = new WeakMap();

  /**
   * Returns the kind of contents that an instance hides from its fields, or "" if its classes show
   * none.
   */
  function hides(prototype) {
    let found = known(hidden, prototype);
    if (found !== undefined) return found;
    found = "";
    let classes = 0;
    for (let at = prototype; found === "" && at !== null && at !== objectPrototype; at = getPrototypeOf(at)) {
      if (++classes > MAX_CLASSES) return "contents";
      const made = getOwnPropertyDescriptor(at, "constructor")?.value;
      if (typeof made !== "function") continue;
      const source = sourceOf(made);
      if (wire.isOfLanguage?.(made) || test(NATIVE, source)) found = "contents";
      else if (test(PRIVATE, source)) found = "private fields";
    }
    remember(hidden, prototype, found);
    return found;
  }

  /**
   * Returns the form of an instance of a class: the instance itself if all its data is in visible
   * fields.
   */
  function instanceForm(way, value, prototype) {
    const unbox = unboxers[tagOf(value).slice(8, -1)];
    if (unbox !== undefined) {
      let content;
      try {
        content = unbox(value);
      } catch {
        // Its tag only pretends that it is boxed.
      }
      if (content !== undefined) return formOf(way, undefined, "", content);
    }
    if (typeof value.then === "function") refuse(way, value, "", "await it first");
    if (typeof value.next === "function") {
      if (asyncIterator in value) refuse(way, value, "", "collect it first: for await (const item of generator) list.push(item)");
      if (iterator in value) refuse(way, value, "", `${way.verb} an array: ${nameOf(value) === "Generator" ? "[...generator]" : "[...iterator]"}`);
    }
    const kept = FIXES[tagOf(value).slice(8, -1)] === undefined ? hides(prototype) : "contents";
    if (kept === "contents") refuse(way, value);
    const fix = `${way.verb} its data as a plain object, or give the class a toJSON() that returns it`;
    if (kept !== "") refuse(way, value, ` with ${kept}`, fix);
    let fields = 0;
    for (const key in value) {
      if (owns(value, key)) fields += 1;
      else if (typeof value[key] !== "function") refuse(way, value, ` that inherits ${stringify(key)}`, fix);
    }
    if (fields === 0) refuse(way, value, " without fields", fix);
    return value;
  }

  function errorForm(error) {
    const form = { name: error.name, message: error.message };
    if (error.code !== undefined) form.code = error.code;
    for (const field of ["cause", "errors", "error", "suppressed"]) if (owns(error, field)) form[field] = error[field];
    for (const field of keys(error)) if (field !== "stack") form[field] = error[field];
    return form;
  }

  function bytesForm(way, value, isCell) {
    const isList = isView(value) && !(value instanceof Bytes) && !(value instanceof View);
    // The BigInts of such a list are checked again, as its items.
    need(isList && !isCell ? value.length * 2 : value.byteLength);
    if (isList && !isCell) return arrayFrom(value);
    if (way === ARGUMENTS) throw new Refusal("bytes", "pass them as text, in base64 where the tool takes that: bytes.toBase64()");
    if (value instanceof Bytes) return { $blob: toBase64(value) };
    return { $blob: toBase64(isView(value) ? new Bytes(value.buffer, value.byteOffset, value.byteLength) : new Bytes(value)) };
  }

  function objectForm(way, value, isCell) {
    if (isArray(value)) return value;
    const prototype = getPrototypeOf(value);
    if (prototype === objectPrototype || prototype === null) {
      // For example Math and JSON.
      if (toStringTag in value && keys(value).length === 0) refuse(way, value);
      return value;
    }
    if (value instanceof NativeError) return errorForm(value);
    if (isView(value) || value instanceof Buffer) return bytesForm(way, value, isCell);
    return instanceForm(way, value, prototype);
  }

  function numberForm(way, value) {
    if (way === SQL && value === value) return { $real: value > 0 ? "Infinity" : "-Infinity" };
    if (way === SQL) throw new Refusal("NaN, which SQLite does not have", "pass null, or compute the number before storing it");
    throw new Refusal(`${value}`, `${way.verb} a number or null, or leave it out`);
  }

  function digitsOf(value) {
    const digits = `${value}`;
    // Writing such a long number takes time.
    if (digits.length > LONG_NUMBER) wire.spend?.();
    meter.left -= digits.length;
    need(0);
    return digits;
  }

  /**
   * Returns the form of the value that `holder` has as `key`, after toJSON was called.
   *
   * @param {Way} way
   * @param {boolean} [isCell] a parameter, or a field of a record
   */
  function formOf(way, holder, key, value, isCell = false) {
    switch (typeof value) {
      case "string":
        if (way === RESULT || isWellFormed(value)) return value;
        throw new Refusal("a text with half a surrogate pair, which is not valid text", "cut texts with Array.from(text).slice(…).join(''), or use text.toWellFormed()", true);
      case "number":
        return value - value === 0 ? value : numberForm(way, value);
      case "undefined":
        return way === SQL ? null : undefined;
      case "bigint":
        return rawJSON(digitsOf(value));
      case "function":
        throw new Refusal(`a function${value.name ? ` (${value.name})` : ""}`, "call it, or leave it out");
      case "symbol":
        throw new Refusal("a symbol", `${way.verb} its description as text`);
      case "object":
        if (value !== null) return objectForm(way, value, isCell);
        if (holder?.[key] instanceof NativeDate) throw new Refusal("an invalid Date", `${way.verb} null, or a valid date`);
    }
    return value;
  }

  /** Returns a path such as `records[7].price`. Steps that are not names are in brackets. */
  function render(root, steps) {
    let text = root;
    for (let at = 0; at < steps.length && at < MAX_SHOWN_STEPS; at++) {
      const step = steps[at];
      if (test(/^\d+$/, step)) text += `[${step}]`;
      else if (test(/^[A-Za-z_$][\w$]*$/, step)) text += text === "" ? step : `.${step}`;
      else text += `[${stringify(step)}]`;
    }
    return steps.length > MAX_SHOWN_STEPS ? `${text}…` : text;
  }

  /**
   * Returns a replacer for JSON.stringify that knows the path of each value. `form(holder, key,
   * value, place)` returns the form of a value or throws a Refusal, which gets its path here.
   * `place(key)` is the path.
   */
  function tracking(root, form) {
    // JSON.stringify visits depth first and passes the holder as `this`, so the holders so far are
    // the path.
    const path = [];
    const holders = [];
    const items = [];
    const place = (key) => render(root, [...path, key].slice(1));
    return function (key, item) {
      while (holders.length > 0 && holders[holders.length - 1] !== this) {
        holders.pop();
        items.pop();
        path.pop();
      }
      try {
        const isObject = typeof item === "object" && item !== null;
        if (isObject && items.includes(item)) throw new Refusal("a circular reference", "copy it without the cycle", true);
        if (isObject && holders.length >= MAX_DEPTH) throw new Refusal(`nested more than ${MAX_DEPTH} deep`, "make it flatter", true);
        const kept = form(this, key, item, place);
        if (typeof kept === "object" && kept !== null) {
          holders.push(kept);
          items.push(item);
          path.push(key);
        }
        return kept;
      } catch (error) {
        if (error instanceof Refusal && error.path === "") error.path = place(key);
        throw error;
      }
    };
  }

  /**
   * Returns a replacer for a call to the database, {operation, params} or {operation, records}. Its
   * parameters and the fields of its records are cells.
   */
  function replacer(way, call) {
    const { params, records } = way === SQL ? (call ?? {}) : {};
    let record = null;
    return function (key, item) {
      count(this, key, item);
      if (typeof item !== "object" || item === null) return formOf(way, this, key, item);
      if (this === records) record = item;
      return objectForm(way, item, this === params || (this === record && record !== null));
    };
  }

  /** Returns the helper that sends a call, by the name that a program uses. */
  function helperOf({ operation, call, server, tool }) {
    if (typeof tool === "string") return `helpers.${server}.${tool.slice(0, MAX_SHOWN_NAME)}`;
    if (typeof call?.operation === "string") return `helpers.${operation}(…).${call.operation}`;
    return operation === "checkGraphql" ? "validateGraphQLData" : operation;
  }

  /**
   * Returns the JSON text of a call.
   *
   * @param {Fail} fail makes the error for a value without a form, or for a text without room
   * @param {string} [skip] a first step of paths that is not shown
   */
  function encode(call, way, fail, skip) {
    try {
      return metered(MAX_TEXT_CHARACTERS, () => stringify(call, replacer(way, call)));
    } catch (error) {
      if (error instanceof TooLong || (error instanceof TooLarge && test(/string length/i, `${error.message}`))) {
        const message = `the arguments of ${helperOf(call)} have more than ${MAX_TEXT_CHARACTERS} characters of JSON`;
        throw fail(message, "a part that is referred to many times is written each time: pass it once, or insert its parts as rows, in slices", "TOO_BIG");
      }
      const circular = error instanceof WrongType && test(/circular/i, `${error.message}`);
      if (!(error instanceof Refusal) && !circular) throw error;
      const found = locate(call, way) ?? (circular ? new Refusal("a circular reference", "copy it without the cycle", true) : /** @type {Refusal} */ (error));
      if (skip !== undefined && found.path.startsWith(`${skip}.`)) found.path = found.path.slice(skip.length + 1);
      throw fail(found.message(way), found.fix);
    }
  }

  /** Finds the first value without a form in a second pass, with its path. */
  function locate(call, way) {
    const form = replacer(way, call);
    try {
      metered(MAX_TEXT_CHARACTERS, () => stringify(call, tracking("", (holder, key, item) => form.call(holder, key, item))));
    } catch (error) {
      if (error instanceof Refusal) return error;
    }
    return undefined;
  }

  Object.assign(wire, { SQL, ARGUMENTS, RESULT, Refusal, TooLong, formOf, tracking, metered, count, encode });
  Object.defineProperty(globalThis, "__wire", { value: wire, enumerable: false, configurable: true, writable: true });
})();
