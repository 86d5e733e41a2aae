// The Durable Object of the peer: one SQLite database for each session.

import { DurableObject } from "cloudflare:workers";
import { checkStatement, RequestError } from "./guard.js";

const MAX_RESULT_ROWS = 10_000;
// A Durable Object binds at most 100 parameters in one statement, so a batch of VALUES holds 100 /
// columns rows.
const MAX_PARAMETERS = 100;

export class SessionDatabase extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
  }

  async fetch(request) {
    try {
      const body = await request.json();
      return Response.json({ success: true, ...this.run(body) });
    } catch (error) {
      const code = error.code ?? "SQL_ERROR";
      return Response.json({ success: false, error: { code, message: error.message } }, { status: 400 });
    }
  }

  run(body) {
    switch (body.operation) {
      case "exec":
        return this.exec(body.sql, body.params);
      case "query":
        return this.query(body.sql, body.params);
      case "batchInsert":
        return this.batchInsert(body.table, body.records);
      case "insertRowByRow":
        return this.insertRowByRow(body.table, body.records);
      default:
        throw new RequestError("INVALID_ARGUMENT", `unknown operation ${body.operation}`);
    }
  }

  exec(sql, params = []) {
    checkStatement(sql);
    const { rowsRead, rowsWritten } = this.sql.exec(sql, ...params);
    return { rowsRead, rowsWritten };
  }

  query(sql, params = []) {
    checkStatement(sql);
    const cursor = this.sql.exec(sql, ...params);
    const rows = cursor.toArray();
    const truncated = rows.length > MAX_RESULT_ROWS;
    const results = truncated ? rows.slice(0, MAX_RESULT_ROWS) : rows;
    return { columns: cursor.columnNames, results, rowCount: results.length, truncated, rowsRead: cursor.rowsRead };
  }

  batchInsert(table, records) {
    const columns = columnsOf(records);
    const rowsPerStatement = Math.floor(MAX_PARAMETERS / columns.length);
    const fullBatch = insertStatement(table, columns, rowsPerStatement);
    this.ctx.storage.transactionSync(() => {
      for (let start = 0; start < records.length; start += rowsPerStatement) {
        const batch = records.slice(start, start + rowsPerStatement);
        const statement = batch.length === rowsPerStatement ? fullBatch : insertStatement(table, columns, batch.length);
        const params = [];
        for (const record of batch) {
          for (const column of columns) {
            params.push(record[column] ?? null);
          }
        }
        this.sql.exec(statement, ...params);
      }
    });
    return { rowsWritten: records.length };
  }

  insertRowByRow(table, records) {
    const columns = columnsOf(records);
    const statement = insertStatement(table, columns, 1);
    this.ctx.storage.transactionSync(() => {
      for (const record of records) {
        this.sql.exec(statement, ...columns.map((column) => record[column] ?? null));
      }
    });
    return { rowsWritten: records.length };
  }
}

function columnsOf(records) {
  if (!Array.isArray(records) || records.length === 0) {
    throw new RequestError("INVALID_ARGUMENT", "records must be an array with at least one record");
  }
  const columns = Object.keys(records[0]);
  if (columns.length === 0 || columns.length > MAX_PARAMETERS) {
    throw new RequestError("INVALID_ARGUMENT", `a record has 1 to ${MAX_PARAMETERS} columns`);
  }
  return columns;
}

function insertStatement(table, columns, rows) {
  const tuple = `(${columns.map(() => "?").join(", ")})`;
  const names = columns.map(quoteIdentifier).join(", ");
  return `INSERT INTO ${quoteIdentifier(table)} (${names}) VALUES ${Array(rows).fill(tuple).join(", ")}`;
}

function quoteIdentifier(name) {
  return `"${String(name).replaceAll('"', '""')}"`;
}
