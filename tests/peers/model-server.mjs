// A server that plays a language model by a script: OpenAI's chat completions and Anthropic's
// messages, as streams and whole.
//
//   const models = await startModelServer([{ text: "Hello" }, { status: 429, retryAfter: 1 }]);
//   models.openai, models.anthropic: base URLs; models.requests …; models.add({ json: { sql: "SELECT 1" } }); await models.close();
//
// Each request takes the next step of the script:
//
//   {text}                 these words, in pieces of some letters; {chunks} gives the pieces
//   {json}                 an object: of a tool if the request demands one, else as text
//   {refusal}              the model refuses in these words; {stop: "max_tokens" | "filter"} ends a text in another way
//   {status, retryAfter, error}  a failure; {error, after} one in the middle of a stream
//   {stall: true, after}   nothing follows after so many pieces; {stall: "head"} not even headers
//   {breakAfter}           the connection breaks after so many pieces; "head" before the headers
//   {huge}                 a text of so many bytes
//   {html: true}           a page for browsers
//   {raw: {status, headers, body}}  anything
//   (request) => step      a step that depends on the request
//
// A step may have {usage: {input, output}} and {model}.

import { listen, readJson } from "../../demo/servers/mcp.mjs";

const JSON_TYPE = { "content-type": "application/json" };
const SSE_TYPE = { "content-type": "text/event-stream; charset=utf-8" };
/** A piece: some letters, none of them cut in half. */
const PIECE = /[^]{1,7}/gu;
const HUGE_PIECE_BYTES = 16_384;
const CREATED_SECONDS = 1_700_000_000;
const USAGE = { input: 21, output: 9 };
const PAGE = "<!doctype html><html><head><title>502</title></head><body><h1>Bad gateway</h1></body></html>";

/**
 * The response to a request without a step, so that a test that sends more than it scripted sees
 * it.
 */
const NO_STEP = { status: 400, error: { type: "invalid_request_error", message: "the script has no step left" } };

/** Starts the server with the first steps of its script. */
export async function startModelServer(steps = []) {
  const script = [...steps];
  const requests = [];
  const server = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://127.0.0.1");
    const body = await readJson(request);
    const seen = { method: request.method, path: pathname, headers: request.headers, body, closed: false };
    requests.push(seen);
    const { socket } = request;
    response.once("close", () => (seen.closed = socket.destroyed));
    const shape = request.method === "POST" ? SHAPES[pathname] : undefined;
    if (shape === undefined) return send(response, 404, JSON_TYPE, JSON.stringify({ error: { message: `there is no ${request.method} ${pathname}`, type: "not_found_error" } }));
    const next = script.shift() ?? NO_STEP;
    play(typeof next === "function" ? next(seen) : next, { shape, body, request, response });
  });
  return {
    url: server.url,
    openai: `${server.url}/v1`,
    anthropic: server.url,
    requests,
    /** Adds steps to the script. */
    add: (...more) => void script.push(...more),
    /** Returns the number of steps that no request has taken. */
    left: () => script.length,
    close: server.close,
  };
}

function send(response, status, headers, body) {
  response.writeHead(status, headers);
  response.end(body);
}

function play(step, { shape, body, request, response }) {
  if (step.raw !== undefined) return send(response, step.raw.status ?? 200, step.raw.headers ?? JSON_TYPE, step.raw.body ?? "");
  if (step.html) return send(response, step.status ?? 200, { "content-type": "text/html" }, PAGE);
  if (step.status !== undefined) {
    const retry = step.retryAfter === undefined ? {} : { "retry-after": String(step.retryAfter) };
    return send(response, step.status, { ...JSON_TYPE, ...retry }, JSON.stringify(shape.failure(step.error ?? { type: "api_error", message: `status ${step.status}` })));
  }
  if (step.stall === "head") return;
  if (step.breakAfter === "head") return void request.socket.destroy();
  const said = { model: body?.model ?? "", structured: shape.demandsTool(body), usage: USAGE, stop: "end", pieces: piecesOf(step), json: step.json !== undefined, ...step };
  if (body?.stream !== true) return send(response, 200, JSON_TYPE, JSON.stringify(shape.whole(said)));
  response.writeHead(200, SSE_TYPE);
  const { before, pieces, after, last } = shape.events(said);
  const count = step.breakAfter ?? step.after ?? pieces.length;
  for (const event of [...before, ...pieces.slice(0, count)]) response.write(event);
  if (step.stall) return;
  // Only once it is written, because the data in the socket's buffer would be lost.
  if (step.breakAfter !== undefined) return void response.write(": going\n\n", () => request.socket.destroy());
  if (step.error !== undefined) return void response.end(shape.failureEvent(step.error));
  for (const event of [...pieces.slice(count), ...after]) response.write(event);
  response.end(last);
}

function piecesOf({ text, chunks, json, huge, refusal }) {
  if (chunks !== undefined) return chunks;
  if (huge !== undefined) return Array.from({ length: Math.ceil(huge / HUGE_PIECE_BYTES) }, (_, index) => "x".repeat(Math.min(HUGE_PIECE_BYTES, huge - index * HUGE_PIECE_BYTES)));
  const whole = refusal ?? (json === undefined ? (text ?? "") : JSON.stringify(json));
  return whole.match(PIECE) ?? [];
}

// ---- OpenAI

const data = (value) => `data: ${JSON.stringify(value)}\n\n`;
const OPENAI_STOPS = { end: "stop", max_tokens: "length", filter: "content_filter" };

const openai = {
  demandsTool: () => false,
  failure: (error) => ({ error: { param: null, code: null, ...error } }),
  failureEvent: (error) => data({ error: { param: null, code: null, ...error } }),
  tokens: ({ usage }) => ({ prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output }),
  events(said) {
    const chunk = (choices, usage = null) => data({ id: "chatcmpl-1", object: "chat.completion.chunk", created: CREATED_SECONDS, model: said.model, choices, usage });
    const delta = (delta, finish_reason = null) => chunk([{ index: 0, delta, finish_reason }]);
    const field = said.refusal === undefined ? "content" : "refusal";
    return {
      before: [delta({ role: "assistant", content: "", refusal: null })],
      pieces: said.pieces.map((piece) => delta({ [field]: piece })),
      after: [delta({}, OPENAI_STOPS[said.stop]), chunk([], this.tokens(said))],
      last: "data: [DONE]\n\n",
    };
  },
  whole(said) {
    const words = said.pieces.join("");
    const message = said.refusal === undefined ? { role: "assistant", content: words, refusal: null } : { role: "assistant", content: null, refusal: words };
    return { id: "chatcmpl-1", object: "chat.completion", created: CREATED_SECONDS, model: said.model, choices: [{ index: 0, message, finish_reason: OPENAI_STOPS[said.stop] }], usage: this.tokens(said) };
  },
};

// ---- Anthropic

const named = (value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const ANTHROPIC_STOPS = { end: "end_turn", max_tokens: "max_tokens", filter: "refusal" };
/** The real service begins a stream with this event and keeps it alive with more of them. */
const PING = named({ type: "ping" });

const anthropic = {
  demandsTool: (body) => (body?.tool_choice?.type === "tool" ? body.tool_choice.name : false),
  failure: (error) => ({ type: "error", error, request_id: "req_1" }),
  failureEvent: (error) => named({ type: "error", error }),
  message: (said, content, stop_reason, output_tokens) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: said.model,
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: said.usage.input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens },
  }),
  isTool: (said) => said.json && said.structured !== false,
  stop(said) {
    if (said.refusal !== undefined) return "refusal";
    return this.isTool(said) && said.stop === "end" ? "tool_use" : ANTHROPIC_STOPS[said.stop];
  },
  events(said) {
    const tool = this.isTool(said);
    const content_block = tool ? { type: "tool_use", id: "toolu_1", name: said.structured, input: {} } : { type: "text", text: "" };
    const delta = (piece) => (tool ? { type: "input_json_delta", partial_json: piece } : { type: "text_delta", text: piece });
    return {
      before: [named({ type: "message_start", message: this.message(said, [], null, 1) }), named({ type: "content_block_start", index: 0, content_block }), PING],
      pieces: said.pieces.map((piece) => named({ type: "content_block_delta", index: 0, delta: delta(piece) })),
      after: [
        named({ type: "content_block_stop", index: 0 }),
        named({ type: "message_delta", delta: { stop_reason: this.stop(said), stop_sequence: null }, usage: { output_tokens: said.usage.output } }),
      ],
      last: named({ type: "message_stop" }),
    };
  },
  whole(said) {
    const words = said.pieces.join("");
    const block = this.isTool(said) ? { type: "tool_use", id: "toolu_1", name: said.structured, input: JSON.parse(words) } : { type: "text", text: words };
    return this.message(said, [block], this.stop(said), said.usage.output);
  },
};

/** The paths with the API of each. */
const SHAPES = { "/v1/chat/completions": openai, "/v1/messages": anthropic };
