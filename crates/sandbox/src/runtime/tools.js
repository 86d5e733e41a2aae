// helpers.<server>: the tools of other servers in the form that a program calls.
//
// The object finds, checks and calls the tools. This module makes only the shape that a program
// sees: the data itself, which also has `ok`, `data`, `error` and `meta` if it has no keys of these
// names, or `{ok: false, error}`.

import { defineProperty, isArray, keys, parse } from "./console.js";

const NativeProxy = Proxy;
const NativeString = String;
const NativeSet = Set;
const nativeHas = Object.prototype.hasOwnProperty;
const integerText = /^-?\d+$/;
const longNumber = /\d{16}/;
const matches = RegExp.prototype.test;
const { isSafeInteger: isExact } = Number;
const exactInteger = BigInt;
const boxedText = String.prototype.valueOf;
const { toPrimitive } = Symbol;

/**
 * Names that the language and its tools read from any object. No server and no tool has these
 * names.
 */
const ASKED_BY_THE_LANGUAGE = ["then", "constructor", "prototype", "__proto__", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"];
/** Calls of a run whose failures are explained on the console. */
const MAX_EXPLAINED_CALLS = 25;
const OPTIONS = ["throwOnError", "returnFormat", "raw", "stage"];
const SEARCH_OPTIONS = ["query", "limit", "offset", "server"];
/** Characters of a tool's own message in an error, as in src/limits.rs. */
const MAX_ERROR_CHARACTERS = 4000;

const owns = (object, key) => nativeHas.call(object, key);

/**
 * Parses a server's JSON. Whole numbers that a number cannot hold become BigInts, as everywhere;
 * our other forms do not occur in it.
 */
function decodeForeign(text) {
  if (!matches.call(longNumber, text)) return parse(text);
  return parse(text, (_key, value, context) => {
    const inexact = typeof value === "number" && !isExact(value) && context !== undefined && matches.call(integerText, context.source);
    return inexact ? exactInteger(context.source) : value;
  });
}

/**
 * Adds a hidden property. If a program sets it, it becomes an ordinary property that is visible and
 * stored.
 */
function attach(carrier, name, value) {
  if (owns(carrier, name)) return;
  const set = function (given) {
    defineProperty(this, name, { value: given, enumerable: true, configurable: true, writable: true });
  };
  defineProperty(carrier, name, { get: () => value, set, enumerable: false, configurable: true });
}

/** Returns true for a number, a boolean or null, to which no property can be added. */
const isBare = (data) => data === null || (typeof data !== "object" && typeof data !== "string");

/**
 * Returns the data with its metadata attached. Data that cannot have properties is returned in an
 * envelope, which calculates and compares like the data.
 */
function present({ data, meta, _graphqlValidation: validation }) {
  if (isBare(data)) return defineProperty(envelope({ data, meta, _graphqlValidation: validation }), toPrimitive, { value: () => data, configurable: true, writable: true });
  const carrier = typeof data === "string" ? new NativeString(data) : data;
  attach(carrier, "ok", true);
  attach(carrier, "data", data);
  attach(carrier, "error", null);
  attach(carrier, "meta", meta);
  if (validation !== undefined) attach(carrier, "_graphqlValidation", validation);
  return carrier;
}

function envelope({ data, meta, _graphqlValidation: validation }) {
  const plain = { ok: true, data, error: null, meta };
  if (validation !== undefined) plain._graphqlValidation = validation;
  return plain;
}

/**
 * Returns the name of a tool from a text, a text that a tool returned, or an entry of listTools().
 */
function toolName(given) {
  const named = typeof given === "object" && given !== null && !(given instanceof NativeString) ? given.name : given;
  return named instanceof NativeString ? boxedText.call(named) : named;
}

/** Returns the message of a failed tool from its result in the protocol's form. */
function wordsOf({ content }) {
  let words = "";
  for (let at = 0; isArray(content) && at < content.length; at++) if (typeof content[at]?.text === "string") words += `${words === "" ? "" : "\n"}${content[at].text}`;
  return words === "" ? "the tool failed without a message" : words.slice(0, MAX_ERROR_CHARACTERS);
}

/**
 * Returns helpers with a member for each server.
 *
 * @param {{db: Record<string, Function>, schema: object, graph: Function, code: Function}} base the helpers that the prelude made
 * @param {string[]} servers
 * @param {Wire} wire
 * @param {() => InvokeDatabase} door that of the run
 * @param {(level: "warn" | "error", text: string) => void} log for the console of the run
 */
function withServers(base, servers, wire, door, log) {
  class ToolError extends wire.DatabaseError {
    name = "ToolError";
  }

  /** @type {Fail} */
  const refused = (message, hint, code = "INVALID_ARGUMENT") => new ToolError({ code, message, hint }, "invoke");
  /** Arguments for a server are plain JSON, without the forms that only our database knows. */
  const encodeForeign = (call) => wire.encodeAs(call, wire.ARGUMENTS, refused, "args");

  async function ask(operation, args) {
    const text = encodeForeign({ operation, ...args });
    return decodeForeign(await door()(operation, args, text));
  }

  /** Sends an operation that is not a tool call. Returns its result, or throws. */
  async function askOrThrow(operation, args) {
    const answer = await ask(operation, args);
    if (answer.success === false) throw new ToolError(answer.error ?? {}, operation);
    return answer;
  }

  /**
   * Checks the parts of a call that the object does not receive: it gets only the options that it
   * knows.
   */
  function checkCall(tool, options) {
    if (typeof tool !== "string" || tool === "") throw new ToolError({ code: "INVALID_ARGUMENT", message: "the first argument of invoke must be the name of a tool", hint: 'invoke("tool", {argument: "value"}, options)' }, "invoke");
    if (options === undefined || options === null) return;
    const names = typeof options === "object" ? keys(options) : [`${typeof options}`];
    for (let at = 0; at < names.length; at++) {
      if (typeof options === "object" && OPTIONS.includes(names[at])) continue;
      throw new ToolError({ code: "INVALID_ARGUMENT", message: typeof options === "object" ? `there is no option ${names[at]}` : `the options must be an object, not a ${names[at]}`, hint: `the options are ${OPTIONS.join(", ")}` }, "invoke");
    }
  }

  function checkSearch(options) {
    const names = keys(options);
    for (let at = 0; at < names.length; at++) {
      if (SEARCH_OPTIONS.includes(names[at])) continue;
      throw new ToolError({ code: "INVALID_ARGUMENT", message: `there is no option ${names[at]}`, hint: `a search takes ${SEARCH_OPTIONS.join(", ")}: search("words", {limit: 20, offset: 0})` }, "search");
    }
  }

  let explained = 0;
  const bareTools = new NativeSet();

  /**
   * Prints notes on a call, for a limited number of calls, because the program's own lines need
   * room too.
   */
  function explain(lines, level) {
    if (lines.length === 0) return;
    explained += 1;
    if (explained <= MAX_EXPLAINED_CALLS) for (let at = 0; at < lines.length; at++) log(level, wire.inProgram(lines[at]));
    if (explained === MAX_EXPLAINED_CALLS) log("warn", "further calls are not explained here: see their results and the list of calls");
  }

  /**
   * Warns once for each tool with bare results, because testing such a result as a condition always
   * gives true.
   */
  function tellBare(server, tool) {
    const name = `${server}.${tool}`;
    if (bareTools.has(name)) return;
    bareTools.add(name);
    explain([`[${name}] The result is a plain value: it is in result.data, and result itself is an object, which is always true.`], "warn");
  }

  async function invoke(server, named, args, options) {
    const tool = toolName(named);
    const { throwOnError = false, raw = false, returnFormat = raw ? "raw" : "data", stage } = options ?? {};
    const site = wire.site?.();
    let answer;
    try {
      checkCall(tool, options);
      answer = await ask("callTool", { server, tool, args: args ?? {}, stage, returnFormat });
    } catch (error) {
      if (!(error instanceof wire.DatabaseError)) throw error;
      const lines = [`[${server}.${NativeString(tool)}] ${error.code}: ${error.message}`];
      if (error.hint) lines[1] = `[${server}.${NativeString(tool)}] Hint: ${error.hint}`;
      answer = { success: false, error: { ...error, message: error.message }, console: lines };
    }
    // Translates hints of the object, and of a result that is in tables.
    if (answer.error) answer.error.hint &&= wire.inProgram(answer.error.hint);
    if (answer.meta?.staged && typeof answer.data?.hint === "string") answer.data.hint = wire.inProgram(answer.data.hint);
    explain(isArray(answer.console) ? answer.console : [], answer.success === false ? "error" : "warn");
    if (answer.success !== false) {
      if (returnFormat !== "raw") {
        if (returnFormat === "envelope") return envelope(answer);
        if (isBare(answer.data)) tellBare(server, tool);
        return present(answer);
      }
      if (throwOnError && answer.data?.isError === true) throw new ToolError({ code: "UPSTREAM_TOOL_ERROR", message: wordsOf(answer.data) }, `${server}.${tool}`);
      return answer.data;
    }
    const { error, _graphqlValidation: validation } = answer;
    /** @type {any} */
    const failure = throwOnError ? new ToolError(error ?? {}, `${server}.${tool}`) : { ok: false, error };
    if (throwOnError) wire.sites?.set(failure, site);
    // For callers that pass it on as if it were data.
    else attach(failure, "call", `helpers.${server}.${tool}`);
    // Partial data is kept, but hidden from the program's result and from the report of an uncaught
    // error.
    if (typeof answer.data === "object" && answer.data !== null) attach(failure, "data", answer.data.data ?? null);
    if (validation !== undefined && throwOnError) attach(failure, "_graphqlValidation", validation);
    else if (validation !== undefined) failure._graphqlValidation = validation;
    if (throwOnError) throw failure;
    return failure;
  }

  async function searchTools(words, given, server) {
    const { query, ...options } = typeof words === "object" && words !== null && !(words instanceof NativeString) ? wire.fields(words) : { query: words, ...wire.fields(given) };
    checkSearch(options);
    const { tools, total, nextOffset, unavailable } = await askOrThrow("searchTools", { query: query ?? "", ...options, ...server });
    attach(tools, "total", total);
    attach(tools, "nextOffset", nextOffset);
    attach(tools, "unavailable", unavailable);
    return tools;
  }

  async function describeTool(server, tool) {
    const { tool: found, declaration } = await askOrThrow("describeTool", { server, tool });
    return { ...found, declaration };
  }

  function serverProxy(server) {
    const methods = {
      /** Returns every tool with its schemas. */
      async listTools() {
        const { tools } = await askOrThrow("listTools", { server });
        if (tools.length === 0) log("warn", `[${server}] The server has no tools.`);
        return tools;
      },
      /** Returns the tools that fit the words best. */
      searchTools: (query, options) => searchTools(query, options, { server }),
      /** Returns one tool: description, schemas, TypeScript declaration. */
      getToolSchema: (tool) => describeTool(server, toolName(tool)),
      /** Calls a tool: options {throwOnError, returnFormat, stage}. */
      invoke: (tool, args, options) => invoke(server, tool, args, options),
      /** Returns the rows of a SELECT over the tables of a staged result. */
      queryStagedData: (id, sql, params, options) => base.db.queryStagedData(id, sql, params, options),
    };
    const tools = { __proto__: null };
    return closed(methods, `helpers.${server}`, (tool) => (tools[tool] ??= (args, options) => invoke(server, tool, args, options)), () => ({ server, tools: `await helpers.${server}.listTools()` }));
  }

  /**
   * Returns a proxy that calls `unknown` for a name it does not have, but still has what the
   * language reads from any object.
   */
  function closed(target, name, unknown, toJSON) {
    return new NativeProxy(target, {
      get(_target, key) {
        if (owns(target, key)) return target[key];
        if (key === Symbol.toStringTag) return name;
        if (key === "toJSON") return toJSON;
        if (typeof key === "symbol" || ASKED_BY_THE_LANGUAGE.includes(key)) return Object.prototype[key];
        return unknown(key);
      },
      set(_target, key) {
        throw new TypeError(`${name}.${NativeString(key)} cannot be set: keep it in a variable`);
      },
      defineProperty: () => false,
      deleteProperty: () => false,
      setPrototypeOf: () => false,
    });
  }

  const helpers = { db: base.db, schema: base.schema, graph: base.graph, code: base.code };
  for (let at = 0; at < servers.length; at++) helpers[servers[at]] = serverProxy(servers[at]);
  /** Searches the tools of all servers. */
  attach(helpers, "search", (query, options) => searchTools(query, options));
  /** Returns one tool: description, schemas, TypeScript declaration. */
  attach(helpers, "describe", describeTool);
  // A server that is not configured is undefined, so that a program can test for it.
  return closed(helpers, "helpers", () => undefined, () => ({ helpers: keys(helpers) }));
}

globalThis.__wire.withServers = withServers;
