// Validates messages of the Model Context Protocol with the published schema of their version.
//
// Freedom that the schema of a version leaves remains here, too: most objects allow more members
// than they name. Beyond the schema, a response is validated as the result of the method that was
// called, and an error with one of the protocol's codes as that error.

import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** The stateless version. */
export const MODERN = "2026-07-28";
/** Every version that has a schema here, the newest first. */
export const VERSIONS = [MODERN, "2025-11-25", "2025-06-18", "2025-03-26"];

/** The name of each method's result in the schemas. */
const RESULTS = {
  "completion/complete": "CompleteResult",
  initialize: "InitializeResult",
  "logging/setLevel": "EmptyResult",
  ping: "EmptyResult",
  "prompts/get": "GetPromptResult",
  "prompts/list": "ListPromptsResult",
  "resources/list": "ListResourcesResult",
  "resources/read": "ReadResourceResult",
  "resources/subscribe": "EmptyResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/unsubscribe": "EmptyResult",
  "server/discover": "DiscoverResult",
  "subscriptions/listen": "SubscriptionsListenResult",
  "tools/call": "CallToolResult",
  "tools/list": "ListToolsResult",
};

/**
 * Methods that only the stateless version has, and methods that only other versions have. In the
 * wrong version, any result of theirs is wrong.
 */
const STATELESS_ONLY = ["server/discover", "subscriptions/listen"];
const SESSIONS_ONLY = ["initialize", "logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"];

/** The methods of the stateless version that may ask the client for input. */
const MAY_ASK = ["prompts/get", "resources/read", "tools/call"];

/** The errors of the stateless version that have data of their own. */
const ERRORS = {
  [-32020]: "HeaderMismatchError",
  [-32021]: "MissingRequiredClientCapabilityError",
  [-32022]: "UnsupportedProtocolVersionError",
};

/** The schema of one version, which validates by the names of its definitions. */
class Schema {
  constructor(version) {
    const file = new URL(`../data/mcp/${version}.schema.json`, import.meta.url);
    const schema = JSON.parse(readFileSync(file, "utf8"));
    this.version = version;
    this.keyword = schema.$defs === undefined ? "definitions" : "$defs";
    this.definitions = schema[this.keyword];
    // The schemas use keywords of OpenAPI, which the strict mode does not know.
    const options = { strict: false, allErrors: false };
    this.ajv = schema.$schema.includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
    formats.default(this.ajv);
    this.ajv.addSchema(schema, version);
  }

  /** Returns the definition in a union whose field `method` is this one. */
  byMethod(union, method) {
    const members = this.definitions[union]?.anyOf ?? [];
    const names = members.map((member) => member.$ref.split("/").at(-1));
    return names.find((name) => this.definitions[name].properties?.method?.const === method);
  }

  /** Returns the name of the first of these definitions that the version has. */
  first(...names) {
    return names.find((name) => name in this.definitions);
  }

  check(name, value, what) {
    const validate = this.ajv.getSchema(`${this.version}#/${this.keyword}/${name}`);
    if (validate(value)) return;
    const problems = validate.errors.map((error) => `${error.instancePath || "/"} ${error.message} ${JSON.stringify(error.params)}`);
    throw new Error(`${what} is no ${name} of ${this.version}:\n  ${problems.join("\n  ")}\n${JSON.stringify(value, null, 2)}`);
  }
}

const schemas = new Map();

function schemaOf(version) {
  if (!VERSIONS.includes(version)) throw new Error(`there is no schema of version ${version}, only of ${VERSIONS.join(", ")}`);
  if (!schemas.has(version)) schemas.set(version, new Schema(version));
  return schemas.get(version);
}

/**
 * Validates the response to a request of this method, with a result or an error.
 *
 * @param {string} version such as `2025-11-25`
 * @param {string} method such as `tools/call`
 * @param {any} message the whole message
 */
export function validateResponse(version, method, message) {
  const schema = schemaOf(version);
  const what = `the response to ${method}`;
  if (message?.error !== undefined) {
    if (message.result !== undefined) throw new Error(`${what} has a result and an error`);
    schema.check(schema.first("JSONRPCErrorResponse", "JSONRPCError"), message, what);
    const own = version === MODERN ? ERRORS[message.error.code] : undefined;
    if (own !== undefined) schema.check(own, message, what);
    return;
  }
  schema.check(schema.first("JSONRPCResultResponse", "JSONRPCResponse"), message, what);
  const wrong = version === MODERN ? SESSIONS_ONLY : STATELESS_ONLY;
  const result = wrong.includes(method) ? undefined : RESULTS[method];
  if (result === undefined) throw new Error(`${version} has no method ${method}, so it has no result`);
  if (version !== MODERN) return schema.check(result, message.result, what);
  const type = message.result.resultType;
  if (type === "input_required" && MAY_ASK.includes(method)) return schema.check("InputRequiredResult", message.result, what);
  if (type !== "complete") throw new Error(`${what} has the resultType ${JSON.stringify(type)}`);
  schema.check(result, message.result, what);
}

/**
 * Validates a notification of a server.
 *
 * @param {string} version such as `2025-11-25`
 * @param {any} message the whole message
 */
export function validateNotification(version, message) {
  const schema = schemaOf(version);
  const what = `the notification ${message?.method}`;
  schema.check("JSONRPCNotification", message, what);
  if ("id" in message) throw new Error(`${what} has an id`);
  const name = schema.byMethod("ServerNotification", message.method);
  if (name === undefined) throw new Error(`${version} has no notification ${message.method} of a server`);
  schema.check(name, message, what);
}

/**
 * Validates a request of a server to its client, which only versions with sessions have.
 *
 * @param {string} version such as `2025-11-25`
 * @param {any} message the whole message
 */
export function validateServerRequest(version, message) {
  const schema = schemaOf(version);
  const what = `the request ${message?.method}`;
  schema.check("JSONRPCRequest", message, what);
  const name = schema.byMethod("ServerRequest", message.method);
  if (name === undefined) throw new Error(`${version} has no request ${message.method} of a server`);
  schema.check(name, message, what);
}
