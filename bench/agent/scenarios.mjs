// The scenarios that bench/agent.mjs runs on both sides, and the observations. Each row is one
// observation: if the sides differ it has the reason, and a check that the reason is true of the
// observation. A row whose sides differ without a reason, or whose reason is not true, is a fault.

import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";

const BY_GENRE = "SELECT genre, count(*) AS films FROM films GROUP BY genre ORDER BY genre";
/** The trials of an observation that depends on the moment. */
const TRIALS = 12;
/** The most trials if none of them hit the moment between a statement and its saved step. */
const MOST_TRIALS = 60;
const LOOKS = 100;
/** Longer than the interval at which our alarm looks for a thread that has stopped. */
const PATIENCE_MS = 45_000;

export const query = (sql) => ({ json: { outcome: "query", sql, explanation: "It does what was asked." } });
const insert = (title) => query(`INSERT INTO films (title) VALUES ('${title}')`);

/** Returns a name that no other run of a scenario has. */
const fresh = () => randomUUID().slice(0, 8);

/**
 * Returns the kinds of events, without repetitions that follow one another; an update has the name
 * of its node.
 */
function kinds(events) {
  const names = events.map(({ event, data }) => (event === "updates" ? Object.keys(data).join() : event));
  return names.filter((name, position) => name !== names[position - 1]).join(" ");
}

const updateOf = (events, node) => events.find(({ event, data }) => event === "updates" && node in data)?.data[node];
const keysOf = (value) => Object.keys(value ?? {}).toSorted().join(" ");
const messagesOf = (events, node) => events.filter(({ event, data }) => event === "messages" && (data[1].node ?? data[1].langgraph_node) === node).map(({ data }) => data[0]);
const textOf = (message) => message.content ?? message.kwargs.content;
/** Returns the pieces alone: LangGraph also sends whole messages. */
const piecesOf = (messages) => messages.filter(({ id }) => !Array.isArray(id) || id.includes("AIMessageChunk"));
const joined = (messages) => messages.map(textOf).join("");
const countOf = async (side, condition) => (await side.run(`SELECT count(*) AS n FROM films WHERE ${condition}`))[0].n;
const statementOf = (pending) => pending?.sql ?? pending?.query ?? null;
const resultOf = ({ values }) => (typeof values.sqlResult === "string" && values.sqlResult !== "" ? JSON.parse(values.sqlResult) : values.sqlResult);
const told = ({ status, code, events }) => `${status}${code === undefined ? "" : ` ${code}`}${status === 200 ? `, ${kinds(events) || "no event"}` : ""}`;

async function approvedTurn(side) {
  const thread = fresh();
  side.models.add(query(BY_GENRE), { text: "Two genres." });
  const { events: asked } = await side.ask(thread, "films by genre?");
  const waiting = await side.state(thread);
  const pending = await side.pending(thread);
  const [interrupt] = updateOf(asked, "__interrupt__");
  const { events: decided } = await side.decide(thread, "approved");
  const done = await side.state(thread);
  const history = await side.history(thread);
  const written = messagesOf(asked, "writeQuery");
  return {
    asked: kinds(asked),
    written: joined(written),
    message: keysOf(written[0]),
    update: keysOf(updateOf(asked, "writeQuery")),
    interrupt: keysOf(interrupt),
    value: keysOf(interrupt.value),
    shown: JSON.stringify(interrupt.value) === JSON.stringify(pending) || interrupt.id === pending?.approvalId,
    state: keysOf(waiting),
    waiting: JSON.stringify(waiting.next),
    decided: kinds(decided),
    words: joined(piecesOf(messagesOf(decided, "generateAnswer"))),
    done: JSON.stringify(done.next),
    result: JSON.stringify(resultOf(done).rows ?? resultOf(done)),
    checkpoints: history.length,
    next: history.map(({ next }) => next.join() || "(end)").join(" "),
    item: keysOf(history[0]),
  };
}

async function rejected(side) {
  const thread = fresh();
  side.models.add(query("DELETE FROM films WHERE title = 'Alpha'"));
  await side.ask(thread, "delete Alpha");
  const { events } = await side.decide(thread, "rejected");
  const { values, next } = await side.state(thread);
  return { events: kinds(events), next: JSON.stringify(next), rows: await countOf(side, "title = 'Alpha'"), query: values.writtenQuery };
}

async function decidedAgain(side) {
  const [thread, title] = [fresh(), fresh()];
  side.models.add(insert(title), { text: "Added." });
  await side.ask(thread, "add one");
  const approval = await side.pending(thread);
  await side.decide(thread, "approved");
  const again = await side.decide(thread, "approved", { approval });
  return { again: told(again), rows: await countOf(side, `title = '${title}'`) };
}

async function decidedTwiceAtOnce(side) {
  const [statuses, counts] = [new Set(), []];
  let requests = 0;
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const [thread, title] = [fresh(), fresh()];
    side.models.add(insert(title), { text: "Added." }, { text: "Added." });
    await side.ask(thread, "add one");
    const approval = await side.pending(thread);
    const both = await Promise.all([side.decide(thread, "approved", { approval }), side.decide(thread, "approved", { approval })]);
    requests += 2 - side.models.left();
    statuses.add(both.map(({ status }) => status).toSorted().join());
    counts.push(await countOf(side, `title = '${title}'`));
    await side.drain();
  }
  return { statuses: [...statuses].join(" or "), answers: requests / TRIALS, twice: counts.filter((count) => count > 1).length };
}

async function superseded(side) {
  const [thread, first, second] = [fresh(), fresh(), fresh()];
  side.models.add(insert(first), insert(second), { text: "Added." });
  await side.ask(thread, "add the first");
  const approval = await side.pending(thread);
  const { events } = await side.ask(thread, "add the second");
  const late = await side.decide(thread, "approved", { approval });
  await side.drain();
  const first_status = updateOf(events, "humanApproval")?.status ?? "no event";
  return { first: first_status, late: told(late), rows: `first ${await countOf(side, `title = '${first}'`)}, second ${await countOf(side, `title = '${second}'`)}` };
}

async function edited(side) {
  const [thread, title] = [fresh(), fresh()];
  side.models.add(query("DELETE FROM films"));
  await side.ask(thread, "delete what is old");
  const sql = `UPDATE films SET genre = '${title}' WHERE title = 'Alpha'`;
  const { events } = await side.decide(thread, "edited", { sql });
  const pending = await side.pending(thread);
  if (pending !== null) {
    side.models.add({ text: "Changed." });
    await side.decide(thread, "approved");
  }
  return { events: kinds(events), waits: statementOf(pending)?.replace(title, "…") ?? null, rows: await countOf(side, `genre = '${title}'`) };
}

async function askedTwice(side) {
  const [thread, inputId] = [fresh(), randomUUID()];
  const earlier = side.models.requests.length;
  side.models.add(query(BY_GENRE), query(BY_GENRE));
  await side.ask(thread, "films by genre?", { inputId });
  await side.ask(thread, "films by genre?", { inputId });
  const requests = side.models.requests.length - earlier;
  await side.drain();
  return { requests, begun: (await side.began(thread)).humanApproval };
}

async function nextQuestion(side) {
  const thread = fresh();
  side.models.add(query("SELECT count(*) AS n FROM films WHERE title = 'Alpha'"), { text: "One." }, query("SELECT title FROM films"));
  await side.ask(thread, "how many are called Alpha?");
  await side.decide(thread, "approved");
  const { humanApproval } = await side.began(thread);
  await side.ask(thread, "the titles?");
  return { result: JSON.stringify(resultOf(await side.state(thread))), began: humanApproval };
}

async function faultyStatement(side) {
  const thread = fresh();
  side.models.add(query("SELECT titel FROM films"), query("SELECT title FROM films"));
  await side.ask(thread, "the titles?");
  const shown = statementOf(await side.pending(thread));
  await side.drain();
  return { shown };
}

async function otherBusiness(side) {
  const thread = fresh();
  const word = fresh();
  side.models.add(query(`UPDATE films SET genre = '${word}' WHERE title IN ('Alpha', 'Gamma')`), { text: "Done." });
  await side.ask(thread, "all of them");
  await side.decide(thread, "approved");
  const changed = `b1 ${await countOf(side, `genre = '${word}' AND business_id = 'b1'`)}, b2 ${await countOf(side, `genre = '${word}' AND business_id = 'b2'`)}`;
  await side.run("UPDATE films SET genre = 'drama' WHERE title IN ('Alpha', 'Gamma')");
  return { changed };
}

async function forked(side) {
  const [thread, title] = [fresh(), fresh()];
  side.models.add(insert(title), { text: "Added." }, { text: "Added." });
  await side.ask(thread, "add one");
  const approval = await side.pending(thread);
  await side.decide(thread, "approved");
  const checkpoint = (await side.history(thread)).find(({ next }) => next.join() === "humanApproval");
  await side.fork(thread, checkpoint);
  const waits = statementOf(await side.pending(thread));
  const old = await side.decide(thread, "approved", { approval });
  await side.drain();
  return { waits: waits?.replace(title, "…") ?? null, old: told(old), rows: await countOf(side, `title = '${title}'`) };
}

async function killedWhileItWaits(side) {
  const [thread, title] = [fresh(), fresh()];
  side.models.add(insert(title), { text: "Added." });
  await side.ask(thread, "add one");
  await side.kill();
  await side.restart();
  const { next } = await side.state(thread);
  await side.decide(thread, "approved");
  return { next: JSON.stringify(next), rows: await countOf(side, `title = '${title}'`) };
}

async function killedWhileItWrites(side) {
  const [thread, title] = [fresh(), fresh()];
  side.models.add({ stall: "head" }, insert(title));
  const asking = side.ask(thread, "add one").catch(() => {});
  await until(() => side.models.left() === 1);
  await side.kill();
  await asking;
  await side.restart();
  const alone = await until(async () => (await side.pending(thread)) !== null).then(() => "a statement waits", () => "nothing waits");
  if (alone === "nothing waits") await side.goOn(thread);
  return { alone, waits: statementOf(await side.pending(thread))?.replace(title, "…") ?? null };
}

/** Waits until a condition holds; throws after the limit. */
async function until(holds) {
  const start = performance.now();
  while (!(await holds())) {
    if (performance.now() - start > PATIENCE_MS) throw new Error("it did not come about in time");
    await setImmediate();
  }
}

/**
 * Kills the process once the row exists; returns how many rows exist after the thread has
 * continued.
 */
async function killedWhileItRuns(side) {
  const counts = [];
  // Several queries at once, because the thread saves its step within a millisecond.
  const looks = Array.from({ length: LOOKS });
  let unsaved = 0;
  for (let trial = 0; trial < TRIALS || (unsaved === 0 && trial < MOST_TRIALS); trial += 1) {
    const [thread, title] = [fresh(), fresh()];
    side.models.add(insert(title));
    await side.ask(thread, "add one");
    await side.armed?.();
    const [file] = side.files();
    const rows = file.prepare("SELECT count(*) AS n FROM films WHERE title = ?");
    const deciding = side.decide(thread, "approved").catch(() => {});
    await until(() => looks.some(() => rows.get(title).n > 0));
    await side.kill();
    await deciding;
    file.close();
    await side.restart();
    await side.drain();
    side.models.add({ text: "Added." });
    const { events } = await side.goOn(thread);
    counts.push(await countOf(side, `title = '${title}'`));
    // A step that runs again after the kill had not been saved.
    unsaved += Number(updateOf(events, "executeQuery") !== undefined && side.isRunAgain(updateOf(events, "executeQuery")));
    await side.drain();
  }
  const often = unsaved === counts.length ? "each time" : unsaved > 0 ? "sometimes" : "never";
  return { rows: [...new Set(counts)].toSorted().join(" or "), often };
}

/** Returns the nodes alone. */
const nodes = (names) => names.split(" ").filter((name) => !["messages", "end"].includes(name)).join(" ");

/**
 * The scenarios, each with its steps and its comparisons: key of the observation, its name, the
 * reason of a difference and the check of the reason.
 */
export const SCENARIOS = [
  {
    title: "a question, approved",
    run: approvedTurn,
    rows: [
      ["asked", "events until the decision", "the question is an event, too, and `end` says that the stream is complete and not broken off", (ours, theirs) => ours.startsWith("__start__") && ours.endsWith("end") && ours.includes("messages writeQuery __interrupt__") && theirs.includes("messages writeQuery __interrupt__")],
      ["written", "words while the statement is written", "the explanation alone: a statement is shown when it has passed the gate", (ours, theirs) => !ours.includes("SELECT") && theirs.includes("SELECT")],
      ["message", "fields of a message", "JSON that needs no library to read, with the position of the piece in its message", (ours) => ours === "content id offset type"],
      ["update", "fields of the update of writeQuery", "the explanation and the author are fields and not text of a message", (ours) => ours.includes("explanation")],
      ["interrupt", "fields of the interrupt"],
      ["value", "fields of its value", "the person sees the text that will run, what it would change and until when it can be decided", (ours, theirs) => ["finalSql", "sha256", "expiresAt", "affectedRows"].every((field) => ours.includes(field)) && theirs === "query question"],
      ["shown", "the state has what the event had"],
      ["state", "fields of the state", "`pending` instead of tasks, `checkpoint` instead of configurations", (ours, theirs) => ["next", "values"].every((field) => ours.includes(field) && theirs.includes(field)) && ours.includes("pending")],
      ["waiting", "`next` while it waits"],
      ["decided", "events behind the decision", "`end`, and no whole message behind its pieces", (ours, theirs) => ours.endsWith("end") && nodes(ours) === nodes(theirs)],
      ["words", "the streamed reply, put together"],
      ["done", "`next` at the end"],
      ["result", "rows of a statement without a tenant's condition", "the wall is in SQL and not in the prompt", (ours, theirs) => ours.includes('"drama","films":1') && theirs.includes('"drama","films":2')],
      ["checkpoints", "checkpoints of the question"],
      ["next", "their `next`, newest first", "a preview is a step of its own, and there is none before the first step", (ours, theirs) => ours.startsWith("(end) generateAnswer executeQuery humanApproval") && theirs.startsWith("(end) generateAnswer executeQuery humanApproval")],
      ["item", "fields of a checkpoint in the history", "values are read one by one at /history/{checkpoint}; messages are stored once and not in each", (ours, theirs) => !ours.includes("values") && theirs.includes("values")],
    ],
  },
  {
    title: "a rejection",
    run: rejected,
    rows: [
      ["events", "events", "`end`, and a refusal that was decided needs no words of a node", (ours, theirs) => nodes(ours) === nodes(theirs)],
      ["next", "`next`"],
      ["rows", "rows of the DELETE that was rejected"],
      ["query", "the written query in the state", "null clears a value; the reducer `y || x` cannot", (ours, theirs) => ours === null && theirs.startsWith("DELETE")],
    ],
  },
  {
    title: "a second decision",
    run: decidedAgain,
    rows: [
      ["again", "its response", "a decision names what it is about, so a client learns that it came too late", (ours, theirs) => ours.startsWith("409") && theirs === "200, no event"],
      ["rows", "rows of the INSERT"],
    ],
  },
  {
    title: `two decisions at once, ${TRIALS} times`,
    run: decidedTwiceAtOnce,
    rows: [
      ["statuses", "statuses", "one of them decides", (ours, theirs) => ours === "200,409" && theirs === "200,200"],
      ["answers", "requests to the model for the reply, on average", "the second decision starts nothing", (ours, theirs) => ours === 1 && theirs > 1],
      ["twice", "times that the INSERT ran twice", "a double click must not write twice", (ours, theirs) => ours === 0 && theirs > 0],
    ],
  },
  {
    title: "a second question while a statement waits",
    run: superseded,
    rows: [
      ["first", "what becomes of the first", "whoever follows the thread sees that it can no longer be decided", (ours, theirs) => ours === "superseded" && theirs === "no event"],
      ["late", "an approval of the first, afterwards", "an approval counts for the statement that was shown", (ours, theirs) => ours.startsWith("409") && theirs.startsWith("200")],
      ["rows", "rows of both INSERTs, of which the first was approved", "there the approval of the first runs the second", (ours, theirs) => ours === "first 0, second 0" && theirs === "first 0, second 1"],
    ],
  },
  {
    title: "an edited statement",
    run: edited,
    rows: [
      ["events", "events", "an edited statement waits as an approval of its own; the graph knows approved or not", (ours, theirs) => ours.includes("__interrupt__") && theirs.includes("rejectedExecution")],
      ["waits", "the statement that waits then", "its effect is shown before it runs", (ours, theirs) => ours.startsWith("UPDATE") && theirs === null],
      ["rows", "rows that it changed once it was approved", "there it is lost", (ours, theirs) => ours === 1 && theirs === 0],
    ],
  },
  {
    title: "the same question again, as a client that got no response sends it",
    run: askedTwice,
    rows: [
      ["requests", "requests to the model", "`inputId` makes a retry idempotent", (ours, theirs) => ours === 1 && theirs === 2],
      ["begun", "how often its approval began", "the first one waits on", (ours, theirs) => ours === 1 && theirs > 1],
    ],
  },
  {
    title: "the next question",
    run: nextQuestion,
    rows: [
      ["began", "how often the step of the first approval began", "an interrupted node runs again from its beginning; a step here ends when its approval is stored", (ours, theirs) => ours === 1 && theirs === 2],
      ["result", "the result in the state while the next waits", "a question begins without the result of the one before", (ours, theirs) => ours === "null" && theirs === '[{"n":1}]'],
    ],
  },
  {
    title: "a statement that SQLite does not compile",
    run: faultyStatement,
    rows: [["shown", "what the person gets to see", "the model gets the error and writes again, up to three times", (ours, theirs) => ours.includes("title") && theirs.includes("titel")]],
  },
  {
    title: "an UPDATE without a tenant's condition, approved",
    run: otherBusiness,
    rows: [["changed", "rows changed, by business", "the wall is in SQL and not in the prompt", (ours, theirs) => ours === "b1 1, b2 0" && theirs === "b1 1, b2 1"]],
  },
  {
    title: "going on from the checkpoint of a decided approval",
    run: forked,
    rows: [
      ["waits", "the statement that waits", "nothing waits or runs in the new line until somebody asks: a statement is decided in one line only", (ours, theirs) => ours === null && theirs.startsWith("INSERT")],
      ["old", "the approval of before, sent again", "an approval is for one line of the history", (ours, theirs) => ours.startsWith("409") && theirs.startsWith("200")],
      ["rows", "rows of the INSERT", "one approval, one run", (ours, theirs) => ours === 1 && theirs === 2],
    ],
  },
  {
    title: "killed while a statement waits",
    run: killedWhileItWaits,
    rows: [
      ["next", "`next` in the next process"],
      ["rows", "rows of the INSERT, approved then"],
    ],
  },
  {
    title: "killed while the model writes",
    run: killedWhileItWrites,
    rows: [
      ["alone", `what the state has within ${PATIENCE_MS / 1_000} s of the next process`, "an alarm goes on where the thread stood; there somebody has to call the graph", (ours, theirs) => ours === "a statement waits" && theirs === "nothing waits"],
      ["waits", "the statement that waits in the end"],
    ],
  },
  {
    title: `killed ${TRIALS} times when the INSERT had run`,
    run: killedWhileItRuns,
    rows: [
      ["rows", "rows after the thread went on", "the run is stored with the rows that it wrote, in one transaction of the session", (ours, theirs) => ours === "1" && theirs === "2"],
      ["often", "the thread had not saved that it ran", "there the process ends itself behind the statement; here it is killed from outside, and may have saved it", (ours, theirs) => ours === "sometimes" && theirs === "each time"],
    ],
  },
];
