// The questions of `make demo` to servers of others, put to the Worker without wrangler: the same programs, and the same comparison of every
// answer with what plain JavaScript computes from the servers' records.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as evidence from "../../demo/evidence.mjs";
import { silence } from "../../demo/print.mjs";
import { Session } from "../../demo/session.mjs";
import { Worker } from "./harness.mjs";

describe("the demo's questions to servers of others", () => {
  let others, worker, session;
  before(async () => {
    silence();
    others = await evidence.startServers();
    worker = await Worker.start({ settings: { ...others.settings, ...others.secrets } });
    session = new Session(worker.url, "evidence");
  });
  after(() => Promise.all([worker?.stop(), others?.stop()]));

  test("the search finds the tool", () => evidence.searchTools(session));

  test("one program asks two servers for all they have, joins them in SQL and answers in less than 2 KB", () => evidence.joinServers(session));

  test("a single call whose answer is large comes back as a receipt of tables", () => evidence.resultReference(session));

  test("a misspelt GraphQL query is explained before anything is sent, and one that finds nothing after", () => evidence.misspeltQuery(session, others));

  test("the secret of a server is nowhere", async () => {
    const texts = [worker.logs.join("\n"), await (await worker.session("evidence").fetch("/dump")).text()];
    for (const text of texts) for (const secret of Object.values(others.secrets)) assert.ok(!text.includes(secret));
  });
});
