// Helpers for tests of the page /code/{workspace}, and for using the same workspace as another
// client.

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
/** Text that would do harm as HTML. */
export const HOSTILE = `<img src=x onerror="globalThis.harmed = true"><script>globalThis.harmed = true</script>`;
const CARGO = `[package]\nname = "gatekeeper"\nversion = "0.1.0"\nedition = "2024"\n`;

/** A workspace, as another client than the page sees it. */
export class Workspace {
  constructor(worker, { name = `w-${randomUUID().slice(0, 8)}`, headers = {} } = {}) {
    Object.assign(this, { worker, name, headers, path: `/api/code/${name}`, address: `${worker.url}/code/${name}` });
  }

  async call(operation, fields = {}) {
    const init = { method: "POST", body: JSON.stringify({ operation, ...fields }), headers: { "content-type": "application/json", ...this.headers } };
    const response = await this.worker.fetch(this.path, init);
    const body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(body));
    return body;
  }

  put(...files) {
    return this.call("put_files", { files: files.map(([file_path, text]) => ({ file_path, text })) });
  }

  /** Writes the files of the tests. */
  async filled() {
    await this.put(["Cargo.toml", CARGO], ["src/lib.rs", LIB], ["src/cache.rs", CACHE], ["src/deep/down/here.rs", `/// ${HOSTILE}\npub fn here() {}\n`], ["README.md", `# Gate\n\n${HOSTILE}\n`]);
    return this;
  }

  async text(file_path, more) {
    return (await this.call("read_file", { file_path, ...more })).text;
  }

  /** Stages another body of `review`. */
  propose(requestId, body = "!sql.is_empty()") {
    const code = `/// Checks.\npub fn review(sql: &str) -> bool { ${body} }`;
    return this.call("apply_code_edit", { requestId, edits: [{ mode: "canonical", file: "src/lib.rs", canon: "crate::review", node_type: "function", code }] });
  }
}

/** Opens a workspace and waits for its files. */
export async function openWorkspace(page, workspace, hash = "") {
  await page.goto(workspace.address + hash);
  await page.getByRole("navigation", { name: "Files" }).waitFor();
}

export const list = (page, name) => page.getByRole("group", { name: "Lists" }).getByRole("button", { name }).click();

export const reader = (page, of) => page.getByRole("textbox", { name: `Text of ${of}` });

export const proposal = (page, requestId) => page.getByRole("article", { name: `Proposal ${requestId}` });

/** Searches, and waits for the count of results. */
export async function search(page, text, how) {
  await list(page, "Search");
  if (how !== undefined) await page.getByLabel("How to look").selectOption(how);
  await page.getByLabel("What to look for").fill(text);
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: /\d+ (?:hit|line)/ }).waitFor();
}

/** Moves the slider. */
export async function look(page, version) {
  await page.getByRole("slider").fill(String(version));
}
