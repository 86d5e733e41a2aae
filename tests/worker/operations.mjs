// The operations of an object from the OpenAPI document: names, and the JSON Schemas of arguments.

import { readFile } from "node:fs/promises";

const { components } = JSON.parse(await readFile(new URL("../../src/api/openapi/document.json", import.meta.url), "utf8"));

const resolved = (schema) => (schema.$ref ? components.schemas[schema.$ref.split("/").pop()] : schema);

/** Returns the operations that a schema lists, such as GraphOperation. */
export const operationsOf = (name) =>
  components.schemas[name].oneOf.map(resolved).map(({ title, description, properties: { operation, ...properties }, required, ...input }) => ({
    name: operation.const, title, description,
    input: { ...input, properties, required: required.filter((field) => field !== "operation") },
  }));
