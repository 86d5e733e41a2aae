// The tools of the test peers, the same in both protocol versions. Each tests one ability of a
// client.

import { inputRequired } from "@modelcontextprotocol/server";
import { failed, structured, text } from "../../demo/servers/mcp.mjs";

/** The tools whose requests fail before the SDK sees them, as often as their arguments say. */
export const FLAKY = ["flaky_read", "flaky_repeatable", "flaky_write"];

const ANY = { type: "object" };
const READS = { readOnlyHint: true };
const HUGE_BYTES = 50_000_000;
/** A PNG file with one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const record = (id) => ({ id, name: `record ${id}`, score: id / 4, active: id % 2 === 0 });

/** Makes a record that contains an object and lists of records. */
export const nested = (id) => ({
  id,
  title: `Study ${id}`,
  journal: { name: `Journal ${id % 7}`, issn: id % 3 === 0 ? null : `1234-${String(id).padStart(4, "0")}`, publisher: { country: "NL" } },
  authors: Array.from({ length: id % 4 }, (_, index) => ({ name: `Author ${id}.${index}`, position: index + 1, affiliation: { city: "Delft" } })),
  keywords: ["a", "b", `k${id % 5}`],
});

const flaky = (name, annotations) => ({
  name,
  description: "Fails the first `failures` requests of a `key` in the way `how`, then answers",
  annotations,
  inputSchema: {
    type: "object",
    properties: { key: { type: "string" }, failures: { type: "integer" }, how: { enum: ["429", "503", "drop"] }, retryAfter: { type: "string" } },
    required: ["key", "failures", "how"],
  },
  run: ({ key }) => structured({ key, answered: true }),
});

/** Makes the tools of a peer. `state` is read and set by its tests. */
export function testTools(state) {
  return [
    {
      name: "echo",
      title: "Echo",
      description: "Answers its arguments",
      annotations: READS,
      inputSchema: { type: "object", properties: { message: { type: "string" }, more: {} }, required: ["message"] },
      outputSchema: { type: "object", properties: { message: { type: "string" }, more: {} }, required: ["message"] },
      run: (given) => structured(given),
    },
    { name: "text", description: "Plain text", annotations: READS, inputSchema: ANY, run: () => text("plain words, no JSON") },
    {
      name: "json_text",
      description: "JSON inside text",
      annotations: READS,
      inputSchema: { type: "object", properties: { value: { description: "what to answer" } } },
      run: ({ value }) => text(JSON.stringify(value ?? { from: "text", list: [1, 2] })),
    },
    {
      name: "add",
      description: "Adds two integers",
      annotations: { readOnlyHint: true, idempotentHint: true },
      inputSchema: {
        type: "object",
        properties: {
          left: { type: "integer", description: "the first summand" },
          right: { type: "integer", description: "the second summand" },
          rounding: { enum: ["none", "tens", "hundreds"], description: "what the sum is rounded to" },
          options: { type: "object", properties: { label: { type: "string", maxLength: 10 } }, additionalProperties: false },
        },
        required: ["left", "right"],
        additionalProperties: false,
      },
      outputSchema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] },
      run: ({ left, right }) => {
        state.added.push([left, right]);
        return structured({ sum: left + right });
      },
    },
    {
      name: "slow",
      description: "Waits until the test lets it go on or its caller goes away",
      inputSchema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
      run: ({ key }, { signal }) => state.wait(key, signal).then(() => structured({ key, released: true })),
    },
    {
      name: "progress",
      description: "Tells its progress in steps; with a key it waits after the first until the test lets it go on",
      inputSchema: { type: "object", properties: { steps: { type: "integer" }, key: { type: "string" } }, required: ["steps"] },
      run: async ({ steps, key }, { progress, signal }) => {
        for (let step = 1; step <= steps; step += 1) {
          await progress({ progress: step, total: steps, message: `step ${step} of ${steps}` });
          if (step === 1 && key !== undefined) await state.wait(key, signal);
        }
        return structured({ steps });
      },
    },
    {
      name: "huge",
      description: "50 MB of text, unless told another size",
      annotations: READS,
      inputSchema: { type: "object", properties: { bytes: { type: "integer" } } },
      run: ({ bytes = HUGE_BYTES }) => text("x".repeat(bytes)),
    },
    {
      name: "big",
      description: "Any number of flat records",
      annotations: READS,
      inputSchema: { type: "object", properties: { n: { type: "integer" }, bytes: { type: "integer", description: "of a filler in each record" } }, required: ["n"] },
      run: ({ n, bytes }) => text(Array.from({ length: n }, (_, index) => ({ ...record(index + 1), ...(bytes ? { filler: "f".repeat(bytes) } : {}) }))),
    },
    {
      name: "nested",
      description: "Records with objects and lists of records in them",
      annotations: READS,
      inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      run: ({ n }) => structured({ total: n, studies: Array.from({ length: n }, (_, index) => nested(index + 1)) }),
    },
    {
      name: "generation",
      description: "Records that are others at each call",
      annotations: READS,
      inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      run: ({ n }) => {
        state.generation += 1;
        return text(Array.from({ length: n }, (_, index) => ({ id: index + 1, generation: state.generation })));
      },
    },
    { name: "failing", description: "Says that it has failed", annotations: READS, inputSchema: ANY, run: () => failed("the instrument is out of paper") },
    { name: "failing_graphql", description: "Says that it has failed, in the form of a GraphQL answer", annotations: READS, inputSchema: ANY, run: () => failed('{"data":{"gene":null},"errors":[{"message":"the database is asleep","path":["gene"]}]}') },
    flaky("flaky_read", READS),
    flaky("flaky_repeatable", { readOnlyHint: false, idempotentHint: true }),
    flaky("flaky_write", { readOnlyHint: false, idempotentHint: false }),
    {
      name: "wrong_schema",
      description: "Answers something else than its output schema says; its input schema refers to a document elsewhere",
      annotations: READS,
      inputSchema: { type: "object", properties: { id: { $ref: state.remoteSchema } } },
      outputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      run: () => structured({ n: "many" }),
    },
    {
      name: "image",
      description: "A picture and a word about it",
      annotations: READS,
      inputSchema: ANY,
      run: () => ({ content: [{ type: "text", text: "one pixel" }, { type: "image", data: PIXEL, mimeType: "image/png" }] }),
    },
    { name: "secret_echo", description: "Answers the headers of the request", annotations: READS, inputSchema: ANY, run: (_given, { headers }) => structured({ headers }) },
    {
      name: "secret_fail",
      description: "Fails with the headers of the request in its words",
      annotations: READS,
      inputSchema: ANY,
      run: (_given, { headers }) => failed(`not with these headers: ${JSON.stringify(headers)}`),
    },
    {
      name: "own_keys",
      description: "Data whose own keys are those of an envelope",
      annotations: READS,
      inputSchema: ANY,
      run: () => structured({ ok: "mine", data: { data: 1 }, error: "none of yours", meta: [1], kept: true }),
    },
    {
      name: "value",
      description: "Any JSON value inside text",
      annotations: READS,
      inputSchema: { type: "object", properties: { json: { type: "string" } }, required: ["json"] },
      run: ({ json }) => text(json),
    },
    {
      name: "headers",
      description: "A parameter that also travels as a header",
      annotations: READS,
      inputSchema: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" }, limit: { type: "integer", "x-mcp-header": "Limit" } },
        required: ["region"],
      },
      run: ({ region, limit }, { headers }) => structured({ region, limit: limit ?? null, header: headers["mcp-param-region"] ?? null, limitHeader: headers["mcp-param-limit"] ?? null }),
    },
    {
      name: "confirm",
      description: "Asks a person before it answers",
      inputSchema: ANY,
      run: async (_given, { elicit, inputResponses }) => {
        const question = { message: "Really?", requestedSchema: { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] } };
        if (elicit) return structured(await elicit(question));
        if (inputResponses?.sure !== undefined) return structured({ answered: true });
        return inputRequired({ inputRequests: { sure: inputRequired.elicit(question) } });
      },
    },
    { name: "then", description: "A tool with the name of a promise's method", annotations: READS, inputSchema: ANY, run: () => structured({ then: true }) },
    { name: "constructor", description: "A tool with the name of every object's property", annotations: READS, inputSchema: ANY, run: () => structured({ built: true }) },
    { name: "dash-and.dot", description: "A tool whose name is no name of a method", annotations: READS, inputSchema: ANY, run: () => structured({ dashed: true }) },
  ];
}

/** Makes tools about many subjects, for lists in pages, for search and for budgets. */
export function manyTools(count) {
  const verbs = ["get", "list", "search", "count", "export"];
  const subjects = ["protein", "compound", "assay", "pathway", "variant", "tissue", "phenotype", "cohort", "sample", "gene"];
  return Array.from({ length: count }, (_, index) => {
    const verb = verbs[index % verbs.length];
    const subject = subjects[Math.floor(index / verbs.length) % subjects.length];
    const name = `${verb}_${subject}_${index}`;
    return {
      name,
      description: `${verb} ${subject} records of collection ${index}, with filters and paging`,
      annotations: READS,
      inputSchema: {
        type: "object",
        properties: {
          [`${subject}_id`]: { type: "string", description: `identifier of the ${subject}` },
          organism: { enum: ["human", "mouse", "rat"], description: "the organism that the records are about" },
          limit: { type: "integer", minimum: 1, maximum: 500, description: "most records to answer" },
          offset: { type: "integer", minimum: 0 },
        },
        required: [`${subject}_id`],
      },
      outputSchema: {
        type: "object",
        properties: { total: { type: "integer" }, records: { type: "array", items: { type: "object", properties: { id: { type: "string" }, label: { type: ["string", "null"] } } } } },
      },
      run: (given) => structured({ total: 1, records: [{ id: given[`${subject}_id`], label: name }] }),
    };
  });
}
