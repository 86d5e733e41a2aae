// Helpers for tests of code workspaces: the files of a small crate, a workspace over HTTP, and
// archives.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

export const LIB = `//! A gate.

mod cache;

/// Checks a statement before it runs.
pub fn review(sql: &str) -> Result<(), String> {
    if sql.is_empty() { return Err("empty".to_owned()); }
    Ok(())
}

pub struct Gate { pub open: bool }

impl Gate {
    /// Opens the gate.
    pub fn open(&mut self) { self.open = true; }
}
`;
export const CACHE = `/// Remembers verdicts of statements.
pub struct StatementCache { entries: Vec<String> }

impl StatementCache {
    pub fn lookup(&self, sql: &str) -> bool { self.entries.iter().any(|entry| entry == sql) }
}
`;
export const CARGO = `[package]\nname = "gatekeeper"\nversion = "0.1.0"\nedition = "2024"\n`;

/** One workspace. */
export class Workspace {
  constructor(worker, { name = randomUUID(), headers = {} } = {}) {
    Object.assign(this, { worker, name, headers, path: `/api/code/${encodeURIComponent(name)}` });
  }

  async send(path, init = {}) {
    const response = await this.worker.fetch(this.path + path, { ...init, headers: { ...this.headers, ...init.headers } });
    return { status: response.status, body: await response.json() };
  }

  async call(operation, fields = {}) {
    return this.send("", { method: "POST", body: JSON.stringify({ operation, ...fields }), headers: { "content-type": "application/json" } });
  }

  async ok(operation, fields) {
    const { status, body } = await this.call(operation, fields);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.success, true);
    return body;
  }

  async error(operation, fields, status, code) {
    const { status: got, body } = await this.call(operation, fields);
    assert.deepEqual([got, body.error?.code], [status, code], JSON.stringify(body));
    return body.error;
  }

  /** Writes the files of the tests. */
  async filled() {
    const files = [["Cargo.toml", CARGO], ["src/lib.rs", LIB], ["src/cache.rs", CACHE], ["README.md", "# Gatekeeper\n\nKeeps statements out.\n"]];
    await this.ok("put_files", { files: files.map(([file_path, text]) => ({ file_path, text })) });
    return this;
  }

  async text(file_path, more) {
    return (await this.ok("read_file", { file_path, ...more })).text;
  }
}

/** Makes a tar archive of files, as tar writes it. */
export function archive(files) {
  const blocks = [];
  for (const [name, text] of files) {
    const bytes = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write("0000644\0", 100);
    header.write("0000000\0", 108);
    header.write("0000000\0", 116);
    header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000007\0", 136);
    header.write("        ", 148);
    header.write("0", 156);
    header.write("ustar\0" + "00", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    blocks.push(header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512));
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
