// helpers.<server>: the tools of other servers, as a program calls them.
//
// The object finds, checks and calls; here is only the shape that a program sees: the data itself, which carries `ok`, `data`, `error` and
// `meta` where it has no keys of these names, or `{ok: false, error}`.

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

/** What the language and its tools ask of any object: no server and no tool has these names. */
const ASKED_BY_THE_LANGUAGE = ["then", "constructor", "prototype", "__proto__", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"];
/** Calls of a run whose failures are explained on the console. */
const MAX_EXPLAINED_CALLS = 25;
const OPTIONS = ["throwOnError", "returnFormat", "raw", "stage"];
const SEARCH_OPTIONS = ["query", "limit", "offset", "server"];
/** Characters of a tool's own words in an error, as in src/limits.rs. */
const MAX_ERROR_CHARACTERS = 4000;

const owns = (object, key) => nativeHas.call(object, key);

/** Whole numbers that a number cannot hold are BigInt, as everywhere. What a server sends has no other form of ours. */
function decodeForeign(text) {
  if (!matches.call(longNumber, text)) return parse(text);
  return parse(text, (_key, value, context) => {
    const inexact = typeof value === "number" && !isExact(value) && context !== undefined && matches.call(integerText, context.source);
    return inexact ? exactInteger(context.source) : value;
  });
}

/** A property that nobody sees who does not ask. One that a program sets itself is like any other: it is seen, and stored. */
function attach(carrier, name, value) {
  if (owns(carrier, name)) return;
  const set = function (given) {
    defineProperty(this, name, { value: given, enumerable: true, configurable: true, writable: true });
  };
  defineProperty(carrier, name, { get: () => value, set, enumerable: false, configurable: true });
}

/** Whether it can carry nothing: a number, a boolean or null. */
const isBare = (data) => data === null || (typeof data !== "object" && typeof data !== "string");

/** The data with what is known of it beside. What can carry nothing comes in the envelope, which calculates and compares as what is in it. */
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

/** The name of a tool: a text, one that a tool answered, or the entry that listTools() gave. */
function toolName(given) {
  const named = typeof given === "object" && given !== null && !(given instanceof NativeString) ? given.name : given;
  return named instanceof NativeString ? boxedText.call(named) : named;
}

/** What a tool said of its failure, in the protocol's own form. */
function wordsOf({ content }) {
  let words = "";
  for (let at = 0; isArray(content) && at < content.length; at++) if (typeof content[at]?.text === "string") words += `${words === "" ? "" : "\n"}${content[at].text}`;
  return words === "" ? "the tool failed and does not say why" : words.slice(0, MAX_ERROR_CHARACTERS);
}

/**
 * helpers with the servers in it.
 *
 * @param {{db: Record<string, Function>, schema: object, graph: Function, code: Function}} base what the prelude has made: db, schema and graph
 * @param {string[]} servers
 * @param {Wire} wire
 * @param {() => InvokeDatabase} door that of the run
 * @param {(level: "warn" | "error", text: string) => void} log for the console of the run
 */
export function withServers(base, servers, wire, door, log) {
  class ToolError extends wire.DatabaseError {
    name = "ToolError";
  }

  /** @type {Fail} */
  const refused = (message, hint, code = "INVALID_ARGUMENT") => new ToolError({ code, message, hint }, "invoke");
  /** What a server is sent is JSON as everybody has it, without the forms that the database knows. */
  const encodeForeign = (call) => wire.encodeAs(call, wire.ARGUMENTS, refused, "args");

  async function ask(operation, args) {
    const text = encodeForeign({ operation, ...args });
    return decodeForeign(await door()(operation, args, text));
  }

  /** For what is no call of a tool: a result, or it throws. */
  async function askOrThrow(operation, args) {
    const answer = await ask(operation, args);
    if (answer.success === false) throw new ToolError(answer.error ?? {}, operation);
    return answer;
  }

  /** What the object could not see: it is sent the options that it knows. */
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

  /** Prints what there is to say of a call, up to a number of calls: the program's own lines need room, too. */
  function explain(lines, level) {
    if (lines.length === 0) return;
    explained += 1;
    if (explained <= MAX_EXPLAINED_CALLS) for (let at = 0; at < lines.length; at++) log(level, wire.inProgram(lines[at]));
    if (explained === MAX_EXPLAINED_CALLS) log("warn", "what further calls come to is in their results and in the list of calls only");
  }

  /** Said once of each tool: what no operator can make right is whether such a result is true. */
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
    // Hints of the object, and of a result that lies in tables.
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
    // For whoever hands it on as if it were data.
    else attach(failure, "call", `helpers.${server}.${tool}`);
    // What came is not lost, and does not stand in what the program returns, nor in what is told of an error that nobody catches.
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
      /** Every tool with its schemas. */
      async listTools() {
        const { tools } = await askOrThrow("listTools", { server });
        if (tools.length === 0) log("warn", `[${server}] The server has no tools.`);
        return tools;
      },
      /** The tools that fit the words best. */
      searchTools: (query, options) => searchTools(query, options, { server }),
      /** One tool: description, schemas, TypeScript declaration. */
      getToolSchema: (tool) => describeTool(server, toolName(tool)),
      /** Calls a tool: options {throwOnError, returnFormat, stage}. */
      invoke: (tool, args, options) => invoke(server, tool, args, options),
      /** The rows of a SELECT over the tables of a staged result. */
      queryStagedData: (id, sql, params, options) => base.db.queryStagedData(id, sql, params, options),
    };
    const tools = { __proto__: null };
    return closed(methods, `helpers.${server}`, (tool) => (tools[tool] ??= (args, options) => invoke(server, tool, args, options)), () => ({ server, tools: `await helpers.${server}.listTools()` }));
  }

  /** An object whose unknown names mean something, and that still answers what the language asks of any object. */
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
  /** Among the tools of all servers. */
  attach(helpers, "search", (query, options) => searchTools(query, options));
  /** One tool: description, schemas, TypeScript declaration. */
  attach(helpers, "describe", describeTool);
  // A server that is not configured is undefined: whoever asks first must be able to believe the result.
  return closed(helpers, "helpers", () => undefined, () => ({ helpers: keys(helpers) }));
}
