// Helpers for tests of the page /agent/{threadId}, and for using the same thread as another client.
// The model is a scripted server that answers each question with the statement below.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { startModelServer } from "../peers/model-server.mjs";
import { Worker } from "../worker/harness.mjs";

/** The most requests of one run; the script has a step for each. */
const STEPS = 2_000;

const BY_CITY = "SELECT city, count(*) AS orders\nFROM orders\nGROUP BY city\nORDER BY orders DESC, city";
export const RAISE = "UPDATE orders\nSET price = price * 2\nWHERE customer = 'Ada'";
const QUERY = { outcome: "query" };

/** The model's response to each question. */
const WRITTEN = {
  "How many orders has each city?": { ...QUERY, sql: BY_CITY, explanation: "Counts the orders of each city." },
  "How many orders has each city by month?": { ...QUERY, sql: "SELECT substr(day, 1, 7) AS month, city, count(*) AS orders FROM orders GROUP BY 1, 2 ORDER BY 1, 2", explanation: "Counts the orders of each month and city." },
  "How many orders are there?": { ...QUERY, sql: "SELECT count(*) AS orders FROM orders", explanation: "Counts the orders." },
  "Double the prices of Ada": { ...QUERY, sql: RAISE, explanation: "Doubles the price of each order of Ada." },
  "Delete the orders of Bo": { ...QUERY, sql: "DELETE FROM orders WHERE customer = 'Bo'", explanation: "Deletes each order of Bo." },
  "What do the notes say?": { ...QUERY, sql: "SELECT note FROM orders WHERE note IS NOT NULL ORDER BY id", explanation: "Lists the notes <img src=x onerror=alert(1)>." },
  "Which orders are paid?": { ...QUERY, sql: "SELECT id, '\u2066' || note AS \"n\u200bote\" FROM orders\nWHERE city = 'Oslo\u202eAND id = 1 --\u2066' OR note = 'שלום' OR 1 = 1 --\u00a0'", explanation: "Lists one order.\u2028Kind: read\u202e." },
  "Count with a slip": { ...QUERY, sql: "SELECT count(*) FROM odrers", explanation: "Counts the orders." },
  "What is the weather?": { outcome: "cannot", sql: "", explanation: "These tables have **no weather**. They hold `orders`, with\n\n- a city\n- a price" },
};
const REVISED = { ...QUERY, sql: "SELECT city, count(*) AS orders FROM orders WHERE city <> 'Oslo' GROUP BY city", explanation: "Counts the orders of each city but Oslo." };
const CORRECTED = { ...QUERY, sql: "SELECT count(*) AS counted FROM orders", explanation: "Counts the orders." };

function play({ body }) {
  const [{ content: system }, ...messages] = body.messages;
  const prompt = messages.at(-1).content;
  const question = JSON.parse(/<data name="question">\n(.*)\n/.exec(prompt)[1]);
  if (system.startsWith("You tell")) return { text: `Told: ${question}` };
  if (prompt.includes('<data name="rejected">')) return { json: REVISED };
  if (prompt.includes('<data name="refused statements">')) return { json: CORRECTED };
  return { json: WRITTEN[question] ?? { outcome: "ask", sql: "", explanation: "What do you mean?" } };
}

/** Starts a Worker whose model follows this script. */
export async function startWorker(settings = {}) {
  const models = await startModelServer();
  models.add(...Array.from({ length: STEPS }, () => play));
  const MODEL = JSON.stringify({ provider: "openai", model: "scripted", baseUrl: models.openai });
  const worker = await Worker.start({ settings: { MODEL, MODEL_API_KEY: "a-key-of-the-scripted-model", ...settings } });
  return { worker, models, stop: () => Promise.all([worker.stop(), models.close()]) };
}

const ROWS = [
  [1, "acme", "Ada", "Oslo", 10, "2026-08-02", null],
  [2, "acme", "Ada", "Oslo", 12.5, "2026-09-03", "<b>fragile</b> | [link](https://example.com)"],
  [3, "acme", "Bo", "Bergen", 7, "2026-08-20", "<img src=x onerror=alert(1)>"],
  [4, "zeta", "Ada", "Turku", 99, "2026-08-21", "of another business"],
];

/** Makes a session with the orders of two businesses, and a thread about it. */
export async function shop(worker, headers = {}) {
  const session = worker.session(`shop-${randomUUID().slice(0, 8)}`, headers);
  await session.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id TEXT NOT NULL, customer TEXT, city TEXT, price REAL, day TEXT, note TEXT)");
  for (const params of ROWS) await session.exec("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", params);
  return { session, thread: new Thread(worker, session.name, headers) };
}

/** One thread, over HTTP. */
export class Thread {
  constructor(worker, session, headers = {}) {
    this.worker = worker;
    this.session = session;
    this.headers = headers;
    this.name = `t-${randomUUID().slice(0, 8)}`;
    this.path = `/api/agent/${this.name}`;
    this.address = `${worker.url}/agent/${this.name}#session=${session}`;
  }

  async fetch(path, body) {
    const init = { headers: { ...this.headers } };
    if (body !== undefined) {
      init.method = "POST";
      init.headers["content-type"] = "application/json";
      init.body = JSON.stringify(body);
    }
    const response = await this.worker.fetch(this.path + path, init);
    return { status: response.status, text: await response.text() };
  }

  /** Returns the JSON of a request that must succeed. */
  async get(path) {
    const { status, text } = await this.fetch(path);
    assert.equal(status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  }

  /** Asks a question as another client, and waits for the end of the stream. */
  ask(input, { businessId = "acme", userId = "http" } = {}) {
    return this.fetch("/messages", { input, inputId: randomUUID(), session: this.session, businessId, userId });
  }

  /** Decides the pending statement. */
  async decide(fields, userId = "http") {
    const { pending } = await this.get("/state");
    return this.fetch("/resume", { approvalId: pending.approvalId, sha256: pending.sha256, userId, ...fields });
  }
}

export const question = (page) => page.getByRole("textbox", { name: "Question" });
/** The card of the pending statement. */
export const card = (page) => page.getByRole("region", { name: "May this statement run?" });
export const cardOfUndo = (page) => page.getByRole("region", { name: "May this change be taken back?" });

/** Opens the page of a thread as a person of a business. */
export async function openThread(page, thread, { businessId = "acme", userId = "ada" } = {}) {
  await page.goto(thread.address);
  await page.getByRole("button", { name: "Change" }).click();
  const form = page.getByRole("form", { name: "Who asks, and about which tables" });
  assert.equal(await form.getByRole("combobox", { name: "Session" }).inputValue(), thread.session);
  // A thread keeps the business of its first question. A new thread has the field, which is folded
  // away unless it is required.
  const isNew = await page.getByRole("heading", { name: "Ask a question in plain words" }).isVisible();
  if (isNew && businessId !== "") {
    if (!(await form.getByLabel("Business").isVisible())) await form.getByText("Only rows of one business").click();
    await form.getByLabel("Business").fill(businessId);
  }
  await form.getByLabel("Your name").fill(userId);
  await form.getByRole("button", { name: "Use these" }).click();
}

/** Writes a question and sends it. */
export async function ask(page, text) {
  await question(page).fill(text);
  await page.keyboard.press("Enter");
}

/** Asks a question, and waits for the card of its statement. */
export async function askForCard(page, text, explanation = WRITTEN[text].explanation) {
  await ask(page, text);
  await card(page).getByText(explanation, { exact: true }).waitFor();
}

export const approve = (page) => page.getByRole("button", { name: "Approve", exact: true }).click();
/** The last reply. */
export const reply = (page) => page.locator(".reply:not(.is-draft)").last();
