// A GraphQL server about drug targets, executed by GraphQL Yoga, behind one MCP tool `graphql_query`.

import { createSchema, createYoga } from "graphql-yoga";
import { serve, structured, text } from "./mcp.mjs";

const TYPES = /* GraphQL */ `
  "The level of what is known about a target"
  enum Level { Tclin Tchem Tbio Tdark }

  input TargetFilter { level: Level, family: String, minLigands: Int }

  type Query {
    "One target by its gene symbol"
    target(symbol: String!): Target
    "Targets in the order of their symbols"
    targets(filter: TargetFilter, top: Int = 10): [Target!]!
    "One disease by its name"
    disease(name: String!): Disease
    ligand(id: ID!): Ligand
  }

  type Target {
    symbol: String!
    name: String!
    uniprot: ID!
    level: Level!
    family: String
    "How little has been published about it; unknown for some"
    novelty: Float
    description: String
    diseases(top: Int = 10): [Association!]!
    ligands(approved: Boolean, top: Int = 10): [Ligand!]!
    "Comes from another service, which does not have every target"
    expression: Expression
  }

  type Association { disease: Disease, score: Float, source: String }
  type Disease { name: String!, mondo: ID, targets(top: Int = 10): [Target!]! }
  type Ligand { id: ID!, name: String, smiles: String, approved: Boolean!, targets: [Target!]! }
  type Expression { tissue: String!, level: Float! }
`;

const FAMILIES = ["Kinase", "GPCR", "Ion channel", null];
const LEVELS = ["Tclin", "Tchem", "Tbio", "Tdark"];
const SYMBOLS = ["ACE2", "ADRB1", "BRAF", "CFTR", "DRD2", "EGFR", "FLT3", "GLP1R", "HTR2A", "IL6R", "JAK2", "KRAS", "LRRK2", "MTOR", "NTRK1", "OPRM1", "PPARG", "RET", "SCN9A", "TP53"];
const DISEASES = ["asthma", "breast carcinoma", "diabetes mellitus", "epilepsy", "hypertension", "melanoma", "migraine", "psoriasis"];

const diseases = DISEASES.map((name, index) => ({ name, mondo: index % 3 === 2 ? null : `MONDO:${String(4_979 + index).padStart(7, "0")}` }));
const ligands = Array.from({ length: 60 }, (_, index) => ({ id: `LG${index + 1}`, name: index % 7 === 3 ? null : `ligand ${index + 1}`, smiles: index % 5 === 4 ? null : `C${"C".repeat(index % 9)}O`, approved: index % 4 === 0, of: index % SYMBOLS.length }));

const targets = SYMBOLS.map((symbol, index) => ({
  symbol,
  name: `${symbol} gene product`,
  uniprot: `P${String(10_000 + 37 * index)}`,
  level: LEVELS[index % LEVELS.length],
  family: FAMILIES[index % FAMILIES.length],
  novelty: index % 6 === 5 ? null : index / 10,
  description: index % 5 === 4 ? null : `What is known about ${symbol}`,
  place: index,
}));

const isOf = (target) => (ligand) => ligand.of === target.place;
const associations = (target) => diseases.filter((_, index) => (target.place + index) % 3 === 0);

/** Schema and resolvers. */
export const schema = createSchema({
  typeDefs: TYPES,
  resolvers: {
    Query: {
      target: (_root, { symbol }) => targets.find((target) => target.symbol === symbol) ?? null,
      targets: (_root, { filter, top }) =>
        targets
          .filter((target) => (filter?.level === undefined || target.level === filter.level) && (filter?.family === undefined || target.family === filter.family))
          .filter((target) => ligands.filter(isOf(target)).length >= (filter?.minLigands ?? 0))
          .slice(0, top),
      disease: (_root, { name }) => diseases.find((disease) => disease.name === name) ?? null,
      ligand: (_root, { id }) => ligands.find((ligand) => ligand.id === id) ?? null,
    },
    Target: {
      diseases: (target, { top }) => associations(target).slice(0, top).map((disease, index) => ({ disease, score: index % 3 === 1 ? null : 0.9 - index / 10, source: "curated" })),
      ligands: (target, { approved, top }) => ligands.filter(isOf(target)).filter((ligand) => approved === undefined || ligand.approved === approved).slice(0, top),
      expression: (target) => {
        if (target.place % 4 === 1) throw new Error(`the expression service has no result for ${target.symbol}`);
        return { tissue: "liver", level: target.place / 2 };
      },
    },
    Disease: { targets: (disease, { top }) => targets.filter((target) => associations(target).includes(disease)).slice(0, top) },
    Ligand: { targets: (ligand) => [targets[ligand.of]] },
  },
});

/** A GraphQL server in this process: a query goes in as an HTTP request, and its result comes out. */
export function openGraphql() {
  // Errors of resolvers are part of the result, as a server would show them; nothing is printed.
  const yoga = createYoga({ schema, maskedErrors: false, logging: false, landingPage: false });
  return async (query, variables, operationName) => {
    const response = await yoga.fetch("http://graphql.invalid/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ query, variables, operationName }),
    });
    return response.json();
  };
}

/** Starts the MCP server; of the older protocol version it answers JSON in text, of the new one structured. */
export function startTargets({ era = "modern" } = {}) {
  const ask = openGraphql();
  const tool = {
    name: "graphql_query",
    description: "Runs a GraphQL query about drug targets, diseases and ligands",
    annotations: { readOnlyHint: true, idempotentHint: true },
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "the text of the query" },
        variables: { type: "object", description: "its variables" },
        operationName: { type: "string" },
      },
      required: ["query"],
      additionalProperties: false,
    },
    run: async ({ query, variables, operationName }) => (era === "legacy" ? text : structured)(await ask(query, variables, operationName)),
  };
  return serve({ name: "targets", era, tools: [tool] });
}
