// The API of a program: helpers.db, helpers.schema (also dbSchema), helpers.graph, helpers.code,
// getSafeColumnName, SERVER_COLUMN_MAPPINGS and validateGraphQLData.
//
// A plain script that defines them on globalThis. It needs nothing but the language. It reaches a
// database only through a global function that the host defines before the first call:
//
//   __invokeDB(operation, args, text) -> the result, or a promise of it
//
// `text` is the JSON body of `POST /api/codemode/sessions/{session}`. A host that posts it and
// returns the text of the result loses nothing: integers beyond 2^53 and blobs survive only as
// text, because JSON.parse rounds the former and has no form for the latter. A result may also be
// an object. One with `success: false` becomes a thrown DatabaseError with code, message, hint and
// the details of docs/errors.md.
(() => {
  "use strict";
  // A program may replace these on the shared prototypes. That must break only its own code.
  const { stringify, parse } = JSON;
  const wire = globalThis.__wire;
  const encodeAs = wire.encode;
  const { defineProperty, getPrototypeOf, keys, prototype: objectPrototype } = Object;
  const { isArray } = Array;
  /** @type {{isView(value: any): boolean}} */
  const { isView } = ArrayBuffer;
  const { BigInt: toBigInt, Number: toNumber } = globalThis;
  const { isSafeInteger } = toNumber;
  const exec = RegExp.prototype.exec.call.bind(RegExp.prototype.exec);
  const test = (expression, text) => exec(expression, text) !== null;
  // Newer engines have this, and it is several times as fast as atob.
  const decodeBase64 = Uint8Array.fromBase64?.bind(Uint8Array);
  const MAPPINGS = /*mappings*/ {};
  // The operations of a graph, each with the argument that may be passed alone.
  const GRAPH_OPERATIONS = /*graph operations*/ {};
  // The operations of the session by server, each with its arguments in their order.
  const SESSION_OPERATIONS = /*session operations*/ {};
  // The operations of a code workspace.
  const CODE_OPERATIONS = /*code operations*/ {};

  class DatabaseError extends Error {
    constructor(error, operation) {
      super(error.message ?? `${operation} failed`);
      const names = keys(fields(error));
      for (let at = 0; at < names.length; at++) {
        if (names[at] !== "message") define(this, names[at], names[at] === "hint" ? inProgram(error.hint) : error[names[at]], true);
      }
    }
  }
  define(DatabaseError.prototype, "name", "DatabaseError");

  /**
   * Defines a property that JSON.stringify and `for … in` do not see, so that a result looks the
   * same.
   */
  function define(target, name, value, enumerable = false) {
    defineProperty(target, name, { value, enumerable, configurable: true, writable: true });
    return target;
  }

  /**
   * Translates a hint for programs. Hints name operations and other things by their HTTP requests;
   * a program calls helpers instead.
   */
  function inProgram(hint) {
    if (typeof hint !== "string") return hint;
    return hint
      .replace(/\{"operation":"(\w+)"\}/g, (whole, name) => (name in schema ? `dbSchema.${name}` : name in db ? `helpers.db.${name}` : whole))
      .replace(/PUT …\/tables\/\{table\}\/rows/g, "helpers.db.batchInsert")
      .replace(/GET \/api\/codemode\/proxy\?server=(\S+)/g, (_whole, server) => `helpers.${server}.searchTools("words")`);
  }

  // ---- Values on the wire, see docs/values.md

  function fromBase64(text) {
    if (decodeBase64) return decodeBase64(text);
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  }

  /** @type {Fail} */
  const refused = (message, hint, code = "INVALID_ARGUMENT") => new DatabaseError({ code, message, hint }, "encode");

  /**
   * Returns the JSON text of an operation, or throws a DatabaseError with the path of a value that
   * has no form.
   */
  const encode = (call) => encodeAs(call, wire.SQL, refused);

  /**
   * Rows of one piece of a large insert, and the most characters of its text. A bound value holds
   * 1.9 MB, and a character takes 3 bytes at most.
   */
  const PIECE_ROWS = 1000;
  const PIECE_CHARACTERS = 600_000;
  /** The magnitude from which whole numbers may not fit in 64 bits. */
  const LARGE = 2 ** 63;
  /** Characters of all pieces, and values of an iterator: more do not fit into one call. */
  const MAX_PIECES_CHARACTERS = 32 * 1024 * 1024;
  const MAX_COLLECTED = MAX_PIECES_CHARACTERS / 2;
  /** Values of an iterator between two clock checks. */
  const COLLECTED_BETWEEN_LOOKS = 1024;
  /** Fields of the options of a call. No operation has nearly as many. */
  const MAX_FIELDS = 1000;

  const isPlain = (value) =>
    typeof value === "string" || typeof value === "boolean" || value === null || (typeof value === "number" && value < LARGE && value > -LARGE);

  /**
   * Returns the columns of records that all have the same ones, with text, numbers, booleans and
   * null only. Returns nothing for other records.
   */
  function plainColumns(records) {
    if (records.length === 0) return undefined;
    let columns;
    let left = MAX_PIECES_CHARACTERS;
    for (let at = 0; at < records.length; at++) {
      const record = records[at];
      if (typeof record !== "object" || record === null || record.toJSON !== undefined) return undefined;
      const prototype = getPrototypeOf(record);
      if (prototype !== objectPrototype && prototype !== null) return undefined;
      columns ??= keys(record);
      let column = 0;
      for (const key in record) {
        const value = record[key];
        if (columns[column++] !== key || !isPlain(value)) return undefined;
        left -= typeof value === "string" ? value.length + 3 : 2;
      }
      // The general path refuses it, with a message.
      if (left < 0) return undefined;
      if (column !== columns.length) return undefined;
    }
    return columns.length > 0 ? columns : undefined;
  }

  /**
   * Returns the rows of plain records as JSON arrays, in pieces of one line each. Returns nothing
   * if the host must check a text more closely.
   */
  function toPieces(columns, records) {
    const pieces = [];
    const counts = [];
    let most = PIECE_ROWS;
    for (let at = 0; at < records.length; ) {
      const rows = [];
      for (let row = at; row < records.length && row < at + most; row++) {
        const values = [];
        for (let column = 0; column < columns.length; column++) values[column] = records[row][columns[column]];
        rows[row - at] = values;
      }
      const text = stringify(rows);
      if (text.length > PIECE_CHARACTERS) {
        if (rows.length === 1) return undefined;
        most = rows.length >> 1;
        continue;
      }
      // Half a surrogate pair, which is not a valid text.
      if (test(/\\ud/, text)) return undefined;
      pieces[pieces.length] = text;
      counts[counts.length] = rows.length;
      at += rows.length;
    }
    return { pieces, counts };
  }

  /** Returns a large insert for a host that reads pieces: a head line, and the pieces. */
  function toBulk(table, records, options) {
    const columns = globalThis.__invokeDB?.pieces === true && isArray(records) ? plainColumns(records) : undefined;
    const bulk = columns && toPieces(columns, records);
    if (!bulk) return undefined;
    let text = stringify({ operation: "insertPieces", table, columns, counts: bulk.counts, ...options });
    for (let at = 0; at < bulk.pieces.length; at++) text += `\n${bulk.pieces[at]}`;
    return text;
  }

  const NEEDS_CARE = /"\$(?:blob|real)"|\d{16}/;

  function decodeValue(key, value, context) {
    if (typeof value === "number") {
      const exact = isSafeInteger(value) || !context || !test(/^-?\d+$/, context.source);
      return exact ? value : toBigInt(context.source);
    }
    if (typeof value !== "object" || value === null) return value;
    if (typeof value.$blob === "string" && keys(value).length === 1) return fromBase64(value.$blob);
    if (typeof value.$real === "string" && keys(value).length === 1) return toNumber(value.$real);
    return value;
  }

  function decode(text) {
    return test(NEEDS_CARE, text) ? parse(text, decodeValue) : parse(text);
  }

  /** Collects the values of an iterator, which may have no end. */
  function collect(values, operation) {
    const list = [];
    for (const value of values) {
      if (list.length >= MAX_COLLECTED) throw refused(`the iterator that ${operation} was given has more than ${MAX_COLLECTED} values`, "insert in slices, or give the iterator an end", "TOO_BIG");
      if (list.length % COLLECTED_BETWEEN_LOOKS === 0) wire.spend?.();
      list[list.length] = value;
    }
    return list;
  }

  /**
   * Checks an object that is spread into a call: options, or named arguments. A text or a list
   * would be spread element by element.
   */
  function fields(given) {
    const places = typeof given === "string" || isArray(given) || isView(given) ? (given.length ?? 0) : 0;
    let found = 0;
    if (typeof given === "object" && places === 0) for (const _ in given) if (++found > MAX_FIELDS) break;
    if (places > MAX_FIELDS || found > MAX_FIELDS) throw refused(`the options of a call have more than ${MAX_FIELDS} fields`, "pass a plain object with the options that are documented");
    return given;
  }

  // ---- Calls to the host

  /** The signatures of methods, for hints. */
  const SIGNATURES = {
    exec: "helpers.db.exec(sql, params)", query: "helpers.db.query(sql, params)", preview: "helpers.db.preview(sql, params)",
    batchInsert: "helpers.db.batchInsert(table, records)", createTable: 'helpers.db.createTable(name, "id INTEGER PRIMARY KEY, title TEXT")',
    dropTable: "helpers.db.dropTable(table)", saveState: "helpers.db.saveState(key, value)", getState: "helpers.db.getState(key)",
    openStream: "helpers.db.stream(sql, params)", queryStagedData: "helpers.db.queryStagedData(id, sql, params)", persist: "helpers.db.persist(table)",
    getColumns: "dbSchema.getColumns(table)", hasColumn: "dbSchema.hasColumn(table, column)", describeTable: "dbSchema.describeTable(table)",
    findColumn: 'dbSchema.findColumn(table, "publication date")',
  };

  /**
   * Adds a method for each operation of a server that has none yet. Its arguments are positional.
   */
  function complete(object, name, operations) {
    const missing = keys(operations);
    for (let at = 0; at < missing.length; at++) {
      const operation = missing[at];
      const names = operations[operation];
      if (operation in object) continue;
      SIGNATURES[operation] = `${name}.${operation}(${names.join(", ")})`;
      define(object, operation, async (...given) => {
        const args = {};
        for (let place = 0; place < names.length; place++) define(args, names[place], names[place] === "params" ? parameters(given[place]) : given[place], true);
        return await invoke(operation, args);
      }, true);
    }
  }

  /**
   * Adds the signature to an error about an argument of a wrong type, or about a missing one:
   * `query({sql})` is a slip for `query(sql)`.
   */
  function withSignature(error, operation) {
    const signature = SIGNATURES[operation];
    const about = error.code === "INVALID_ARGUMENT" && !error.hint && typeof error.message === "string" && test(/^the field \w+ (?:must be|is missing)/, error.message);
    return about && signature ? { ...error, hint: `write ${signature}: the arguments are positional` } : error;
  }

  async function invoke(operation, args, body) {
    // The place of the call: an error that arrives later has no frames of a caller that did not
    // await it.
    const site = wire.site?.();
    const failed = (error) => {
      const failure = new DatabaseError(withSignature(error, operation), operation);
      if (site !== undefined) wire.sites.set(failure, site);
      return failure;
    };
    const text = body ?? encode({ operation, ...args });
    const door = globalThis.__invokeDB ?? globalThis.__memoryDB;
    if (typeof door !== "function") {
      throw new DatabaseError({ code: "DATABASE_UNAVAILABLE", message: "Database not available in this environment" }, operation);
    }
    const given = await door(operation, args, text);
    const decoded = typeof given === "string" ? decode(given) : given;
    if (typeof decoded !== "object" || decoded === null) {
      throw new DatabaseError({ code: "INTERNAL", message: `__invokeDB returned ${typeof given} for ${operation}` }, operation);
    }
    if (decoded.success === false || decoded.error) throw failed(decoded.error ?? {});
    return decoded;
  }

  function parameters(params) {
    if (params === undefined || params === null) return [];
    if (isArray(params) || (typeof params === "object" && !(Symbol.iterator in params))) return params;
    if (typeof params === "object") return collect(params, "params");
    throw new DatabaseError(
      { code: "INVALID_ARGUMENT", message: "params must be an array, one value for each ?", hint: "write query(sql, [value, …])" },
      "params",
    );
  }

  /**
   * Returns the rows with the other fields of the result attached. Warns that there are more rows
   * if the caller set no limit.
   */
  function rowsOf(answer, options) {
    const rows = answer.results ?? [];
    define(rows, "columns", answer.columns);
    define(rows, "rowCount", answer.rowCount);
    define(rows, "truncated", answer.truncated ?? false);
    define(rows, "results", rows);
    if (answer.notice) {
      define(rows, "notice", answer.notice);
      console.warn(answer.notice);
    }
    if (rows.truncated && options?.limit === undefined && options?.maxBytes === undefined) {
      console.warn(`query stopped at ${rows.length} rows and there are more: aggregate in SQL, add LIMIT, or use helpers.db.stream`);
    }
    return rows;
  }

  /** Yields the rows of a host that has queries only. */
  function* all({ results, truncated }) {
    if (truncated) {
      throw new DatabaseError({ code: "TOO_BIG", message: `this host returns at most ${results.length} rows, and there are more`, hint: "add LIMIT, or aggregate in SQL" }, "stream");
    }
    yield* results;
  }

  /** Returns the error for records that are really the failed result of a tool. */
  function failedRecords({ error, call = "a call of a tool" }) {
    const said = `${error.code ?? "an error"}: ${error.message ?? ""}`;
    return new DatabaseError(
      { code: "INVALID_ARGUMENT", message: `the records are the failed result of ${call}: ${said}`, hint: error.hint ?? "test `ok` of a tool's result before using it, or call it with {throwOnError: true}" },
      "batchInsert",
    );
  }

  const db = {
    /**
     * Runs one statement of any kind: {success, rowsRead, rowsWritten, changes}, with RETURNING
     * also columns and results.
     */
    async exec(sql, params, options) {
      return await invoke("exec", { sql, params: parameters(params), ...fields(options) });
    },
    /**
     * Returns the rows of a SELECT, at most 10,000, as an array of objects with columns, rowCount
     * and truncated.
     */
    async query(sql, params, options) {
      return rowsOf(await invoke("query", { sql, params: parameters(params), ...fields(options) }), options);
    },
    /**
     * Predicts the effects of a statement without changing anything: {kind, affectedRows, tables,
     * sample: {before, after}, plan, …}.
     */
    async preview(sql, params) {
      return await invoke("preview", { sql, params: parameters(params) });
    },
    /** Inserts an array of records, all or none. */
    async batchInsert(table, records, options) {
      if (records?.ok === false && records.error) throw failedRecords(records);
      const list = isArray(records) ? records : records?.[Symbol.iterator] && typeof records === "object" ? collect(records, "batchInsert") : records;
      return await invoke("batchInsert", { table, records: list, ...fields(options) }, toBulk(table, list, options));
    },
    /** Creates a table from its columns in SQL. */
    async createTable(name, schema) {
      return await invoke("createTable", { name, schema });
    },
    /** Drops a table or view: options {ifExists, target: "persistent"}. */
    async dropTable(table, options) {
      return await invoke("dropTable", { table, ...fields(options) });
    },
    /** Saves a JSON value for later runs of the session. */
    async saveState(key, value) {
      return await invoke("saveState", { key, value: value === undefined ? null : value });
    },
    /** Returns the value that saveState saved, or null. */
    async getState(key) {
      return (await invoke("getState", { key })).value;
    },
    /** Returns size, tables and log of the session. */
    async getMetrics() {
      const metrics = await invoke("getMetrics", {});
      return define(metrics, "result", metrics);
    },
    /** Yields any number of rows one by one: for await (const row of helpers.db.stream(sql)). */
    async *stream(sql, params) {
      const opened = await invoke("openStream", { sql, params: parameters(params) }).catch((error) => {
        if (error.code !== "UNKNOWN_OPERATION") throw error;
      });
      if (!opened) return yield* all(await invoke("query", { sql, params: parameters(params) }));
      const { stream, columns } = opened;
      let done = false;
      try {
        while (!done) {
          const piece = await invoke("readStream", { stream });
          done = piece.done;
          if (piece.notice) console.warn(piece.notice);
          for (let at = 0; at < piece.rows.length; at++) {
            const values = piece.rows[at];
            const row = {};
            for (let column = 0; column < columns.length; column++) define(row, columns[column], values[column], true);
            yield row;
          }
        }
      } finally {
        if (!done) await invoke("closeStream", { stream });
      }
    },
    /** Returns the rows of a SELECT over the tables of a staged result: id is its dataAccessId. */
    async queryStagedData(id, sql, params, options) {
      return rowsOf(await invoke("queryStagedData", { id, sql, params: parameters(params), ...fields(options) }), options);
    },
    /** Copies a table to the tenant's long-lived database: options {as, mode: "create"|"replace"|"append"}. */
    async persist(table, options) {
      return await invoke("persist", { table, ...fields(options) });
    },
  };

  const schema = {
    /** Returns [{name, type, notNull, defaultValue, primaryKey}]. */
    async getColumns(table, options) {
      return (await invoke("getColumns", { table, ...fields(options) })).columns;
    },
    /** Returns true if the table has the column, regardless of case. */
    async hasColumn(table, column, options) {
      return (await invoke("hasColumn", { table, column, ...fields(options) })).exists;
    },
    /** Returns the names of the tables. */
    async getTables(options) {
      return (await invoke("getTables", { ...fields(options) })).tables;
    },
    /** Returns {table, columns, sampleRows, rowCount}. */
    async describeTable(table, options) {
      return await invoke("describeTable", { table, ...fields(options) });
    },
    /**
     * Returns the column with the given meaning, or null: findColumn("article", "publication_date")
     * -> "year".
     */
    async findColumn(table, semanticName, options) {
      const server = typeof options === "string" ? { server: options } : options;
      return (await invoke("findColumn", { table, semanticName, ...fields(server) })).column;
    },
  };

  /**
   * Returns the knowledge graph of a conversation, with a method for each operation:
   * helpers.graph("trials").addNode({label: "TP53", type: "gene"}).
   */
  function graph(conversation) {
    if (typeof conversation !== "string") {
      throw new DatabaseError({ code: "INVALID_ARGUMENT", message: "helpers.graph needs the name of a conversation", hint: 'write helpers.graph("name").addNode({label, type})' }, "graph");
    }
    return elsewhere("graph", { conversation }, GRAPH_OPERATIONS);
  }

  /**
   * Returns a code workspace, with a method for each operation:
   * helpers.code("gate").request_code_context({token_budget: 2000, hint: "…"}).
   */
  function code(workspace) {
    if (typeof workspace !== "string") {
      throw new DatabaseError({ code: "INVALID_ARGUMENT", message: "helpers.code needs the name of a workspace", hint: 'write helpers.code("name").request_code_context({token_budget, hint})' }, "code");
    }
    return elsewhere("code", { workspace }, CODE_OPERATIONS);
  }

  /**
   * Returns the methods of an object. Each sends its operation with the given fields, or with the
   * one argument that may be passed alone.
   */
  function elsewhere(place, named, operations) {
    const methods = {};
    const names = keys(operations);
    for (let at = 0; at < names.length; at++) {
      const operation = names[at];
      const alone = operations[operation];
      define(methods, operation, async (given) => {
        const args = alone !== "" && typeof given === "string" ? { [alone]: given } : given;
        return await invoke(place, { ...named, call: { operation, ...fields(args) } });
      }, true);
    }
    return methods;
  }

  const fold = (name) => `${name}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

  /**
   * Returns a server's own name for a meaning: getSafeColumnName("entrez", "publication_date") ->
   * "year". Unknown names are returned unchanged.
   */
  function getSafeColumnName(server, semanticName) {
    const names = MAPPINGS[`${server}`.toLowerCase()] ?? {};
    const wanted = fold(semanticName);
    for (const name of keys(names)) if (fold(name) === wanted) return names[name];
    return semanticName;
  }

  /**
   * Reports the nulls of a GraphQL response and their reasons: {valid, issues, nullFields, …}.
   * `asked` is {query, variables, operationName, schema}.
   */
  async function validateGraphQLData(response, asked) {
    if (response === undefined) {
      throw new DatabaseError({ code: "INVALID_ARGUMENT", message: "there is nothing to check: the response is undefined", hint: "write await validateGraphQLData(response, {query, variables})" }, "validateGraphQLData");
    }
    let answer;
    try {
      answer = await invoke("checkGraphql", { request: { ...(typeof asked === "string" ? { query: asked } : fields(asked)), response } });
    } catch (error) {
      if (error.code !== "UNKNOWN_OPERATION" && error.code !== "DATABASE_UNAVAILABLE") throw error;
      throw new DatabaseError({ code: error.code, message: "validateGraphQLData is not available: this host cannot check GraphQL", hint: "POST /api/codemode/graphql/check does the same" }, "validateGraphQLData");
    }
    const { success: _, ...validation } = answer;
    return validation;
  }

  complete(db, "helpers.db", SESSION_OPERATIONS.db ?? {});
  complete(schema, "dbSchema", SESSION_OPERATIONS.schema ?? {});

  const helpers = globalThis.helpers ?? {};
  define(helpers, "db", db, true);
  define(helpers, "schema", schema, true);
  define(helpers, "graph", graph, true);
  define(helpers, "code", code, true);
  for (const [name, value] of [
    ["helpers", helpers],
    ["dbSchema", schema],
    ["getSafeColumnName", getSafeColumnName],
    ["SERVER_COLUMN_MAPPINGS", MAPPINGS],
    ["DatabaseError", DatabaseError],
    ["validateGraphQLData", validateGraphQLData],
  ]) {
    define(globalThis, name, value);
  }
  // For the host: results and inputs use the same encoding as parameters.
  Object.assign(wire, { encode, encodeAs, decode, fields, DatabaseError, inProgram });
})();
