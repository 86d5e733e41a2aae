// Replaces the database on hosts that define no __invokeDB, for example to try the helpers in plain
// Node.
//
// It uses Node's own SQLite in memory, if Node has it (22.5 and later); replies then have mode:
// "memory". Without SQLite, state works in memory, and all other operations fail with
// DATABASE_UNAVAILABLE; none reports success for data that it has not stored. There is no SQL gate
// here, because this is the caller's own process.
(() => {
  "use strict";
  const { maxRows: MAX_ROWS, sampleRows: SAMPLE_ROWS, tables: TABLES, columns: COLUMNS, required: REQUIRED } = /** @type {any} */ (/*session*/ {});
  const mode = "memory";
  const states = new Map();
  let database;

  function open() {
    if (database !== undefined) return database;
    try {
      const { DatabaseSync } = globalThis.process.getBuiltinModule("node:sqlite");
      database = new DatabaseSync(":memory:");
    } catch {
      database = null;
    }
    return database;
  }

  // The encoding of the prelude, so that values are stored and returned as a session would do it.
  const { encode, decode } = globalThis.__wire;
  const fail = (code, message, hint) => ({ success: false, error: { code, message, ...(hint ? { hint } : {}) } });
  const quote = (name) => `"${String(name).replaceAll('"', '""')}"`;

  function bind(value) {
    if (value === undefined || value === null) return null;
    if (typeof value === "boolean") return value ? 1 : 0;
    if (value instanceof Date) return value.toISOString();
    if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
    if (typeof value !== "object" || value instanceof Uint8Array) return value;
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return encode(value);
  }

  const bindAll = (params) => (Array.isArray(params) ? params.map(bind) : Object.values(params).length > 0 ? [params] : []);

  function exact(row) {
    for (const key of Object.keys(row)) {
      const value = row[key];
      if (typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) row[key] = Number(value);
    }
    return { ...row };
  }

  /**
   * Prepares one statement. SQLite alone would silently ignore the text behind the first statement.
   */
  function prepare(db, sql) {
    const statement = db.prepare(sql);
    const rest = sql.slice(statement.sourceSQL.length).replace(/--.*|\/\*[^]*?\*\//g, "");
    if (/[^\s;]/.test(rest)) throw new Error("the text contains more than one statement: send each in a call of its own");
    return statement;
  }

  function read(db, sql, params, most, offset = 0) {
    const statement = prepare(db, sql);
    statement.setReadBigInts(true);
    const columns = statement.columns().map((column) => column.name);
    const results = [];
    let truncated = false;
    let skipped = 0;
    for (const row of statement.iterate(...bindAll(params))) {
      if (skipped++ < offset) continue;
      if (results.length >= most) {
        truncated = true;
        break;
      }
      results.push(exact(row));
    }
    return { columns, results, rowCount: results.length, truncated };
  }

  const columnsOf = (db, table) =>
    read(db, COLUMNS, [table], MAX_ROWS).results.filter(({ hidden }) => hidden !== 1).map((column) => ({
      name: column.name,
      type: column.type,
      notNull: column.notnull === 1,
      defaultValue: column.dflt_value,
      primaryKey: column.pk > 0,
    }));

  const tablesOf = (db) =>
    read(db, TABLES, [], MAX_ROWS).results.map(({ name }) => name).filter((name) => !name.startsWith("sqlite_"));

  function insertAll(db, { table, records, onConflict = "error" }) {
    if (!Array.isArray(records)) return fail("INVALID_ARGUMENT", "records must be an array of objects");
    const word = { error: "", ignore: " OR IGNORE", replace: " OR REPLACE" }[onConflict];
    if (word === undefined) return fail("INVALID_ARGUMENT", "onConflict must be error, ignore or replace");
    db.exec("BEGIN");
    try {
      for (const record of records) {
        const names = Object.keys(record);
        const marks = names.map(() => "?").join(",");
        const values = names.length === 0 ? "DEFAULT VALUES" : `(${names.map(quote).join(",")}) VALUES (${marks})`;
        db.prepare(`INSERT${word} INTO ${quote(table)} ${values}`).run(...names.map((name) => bind(record[name])));
      }
      db.exec("COMMIT");
    } catch (error) {
      db.exec("ROLLBACK");
      throw error;
    }
    return { success: true, rowsWritten: records.length, chunks: 1 };
  }

  const operations = {
    exec(db, { sql, params }) {
      const statement = prepare(db, sql);
      if (statement.columns().length > 0) return { success: true, ...read(db, sql, params, MAX_ROWS), changes: Number(db.prepare("SELECT changes() AS n").get().n) };
      const { changes } = statement.run(...bindAll(params));
      return { success: true, rowsRead: 0, rowsWritten: Number(changes), changes: Number(changes) };
    },
    query: (db, { sql, params, limit = MAX_ROWS, offset = 0 }) => ({ success: true, ...read(db, sql, params, Math.min(limit, MAX_ROWS), offset) }),
    batchInsert: insertAll,
    createTable(db, { name, schema }) {
      db.exec(`CREATE TABLE ${quote(name)} (${schema})`);
      return { success: true, rowsWritten: 0 };
    },
    dropTable(db, { table, ifExists }) {
      const found = db.prepare("SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(?)").get(table);
      if (!found && ifExists) return { success: true, table, dropped: false };
      db.exec(`DROP ${found?.type === "view" ? "VIEW" : "TABLE"} ${quote(found?.name ?? table)}`);
      return { success: true, table: found?.name ?? table, dropped: true };
    },
    getTables: (db) => ({ success: true, tables: tablesOf(db) }),
    getColumns: (db, { table }) => ({ success: true, columns: columnsOf(db, table) }),
    hasColumn: (db, { table, column }) => ({ success: true, exists: columnsOf(db, table).some(({ name }) => name.toLowerCase() === column.toLowerCase()) }),
    describeTable: (db, { table }) => ({
      success: true,
      table,
      columns: columnsOf(db, table),
      sampleRows: read(db, `SELECT * FROM ${quote(table)} LIMIT ${SAMPLE_ROWS}`, [], SAMPLE_ROWS).results,
      rowCount: read(db, `SELECT count(*) AS n FROM ${quote(table)}`, [], 1).results[0].n,
    }),
    findColumn(db, { table, semanticName, server }) {
      const fold = (name) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
      const wanted = [server ? globalThis.getSafeColumnName(server, semanticName) : semanticName, semanticName].map(fold);
      const found = columnsOf(db, table).find(({ name }) => wanted.includes(fold(name)));
      return { success: true, column: found?.name ?? null, score: found ? 1 : 0, alternatives: [] };
    },
  };

  function invoke(operation, args) {
    if (operation === "saveState") {
      states.set(args.key, encode(args.value));
      return { success: true, mode };
    }
    if (operation === "getState") return { success: true, mode, value: states.has(args.key) ? decode(states.get(args.key)) : null };
    const db = open();
    if (operation === "getMetrics") {
      const tables = db ? tablesOf(db).map((name) => [name, read(db, `SELECT count(*) AS n FROM ${quote(name)}`, [], 1).results[0].n]) : [];
      return { success: true, mode, sessionId: mode, tables: Object.fromEntries(tables), executionLogs: [] };
    }
    if (!db) return fail("DATABASE_UNAVAILABLE", "Database not available in this environment");
    const run = operations[operation];
    if (!run) return fail("UNKNOWN_OPERATION", `${operation} is not available in memory`, "define __invokeDB, or use a session");
    const missing = REQUIRED[operation]?.find((name) => args[name] === undefined);
    if (missing !== undefined) return fail("INVALID_ARGUMENT", `the field ${missing} is missing`);
    try {
      return { mode, ...run(db, args) };
    } catch (error) {
      return fail(error.code === "ERR_SQLITE_ERROR" ? "SQL_ERROR" : "INVALID_ARGUMENT", error.message);
    }
  }

  Object.defineProperty(globalThis, "__memoryDB", { value: invoke, configurable: true, writable: true });
})();
