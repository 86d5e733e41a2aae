// The operations of an object as the document of OpenAPI has them: names, and the JSON Schemas of arguments.

import { readFile } from "node:fs/promises";

const { components } = JSON.parse(await readFile(new URL("../../src/api/openapi/document.json", import.meta.url), "utf8"));

const resolved = (schema) => (schema.$ref ? components.schemas[schema.$ref.split("/").pop()] : schema);

/** The operations that a schema lists, such as GraphOperation. */
export const operationsOf = (name) =>
  components.schemas[name].oneOf.map(resolved).map(({ properties: { operation, ...properties }, ...input }) => ({ name: operation.const, input: { ...input, properties } }));
