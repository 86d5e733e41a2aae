// A server about clinical trials, of the new protocol version: no session, structured results with a schema.
//
// Its records are invented; `related_pmids` names records of the publications server.

import { failed, serve, structured } from "./mcp.mjs";
import { publications } from "./publications.mjs";
import { COUNTRIES, DRUGS, Dice, institute } from "./words.mjs";

const TRIALS = 2_500;
const SEED = 20_260_728;
const FIRST_NUMBER = 4_000_001;
const MOST_ON_A_PAGE = 5_000;
const PHASES = ["PHASE1", "PHASE2", "PHASE3", "PHASE4"];
const STATUSES = ["COMPLETED", "RECRUITING", "TERMINATED", "ACTIVE_NOT_RECRUITING", "WITHDRAWN"];

/** The records, made once. */
export const trials = makeTrials();

function makeTrials() {
  const dice = new Dice(SEED);
  return Array.from({ length: TRIALS }, (_, index) => {
    const papers = dice.several(publications, dice.between(0, 4));
    const [condition, drug] = (papers[0] ?? dice.one(publications)).mesh_terms;
    const { name, country } = institute(dice);
    return {
      nct_id: `NCT0${FIRST_NUMBER + index}`,
      title: `${drug} in ${condition}, study ${index + 1}`,
      phase: dice.chance(8) ? null : dice.one(PHASES),
      status: dice.one(STATUSES),
      start_date: dice.chance(20) ? null : `${dice.between(2008, 2025)}-${String(dice.between(1, 12)).padStart(2, "0")}-${String(dice.between(1, 28)).padStart(2, "0")}`,
      enrollment: dice.between(20, 5_000),
      sponsor: { name, class: dice.chance(3) ? "INDUSTRY" : "OTHER" },
      conditions: [condition],
      interventions: [{ type: "DRUG", name: drug }, ...(dice.chance(2) ? [{ type: "DRUG", name: dice.one(DRUGS) }] : [])],
      locations: dice.several(COUNTRIES, dice.between(1, 3)).map((place) => ({ country: place, home: place === country })),
      related_pmids: papers.map(({ pmid }) => pmid),
    };
  });
}

const TRIAL = {
  type: "object",
  properties: {
    nct_id: { type: "string", description: "the registry's number" },
    title: { type: "string" },
    phase: { anyOf: [{ enum: PHASES }, { type: "null" }] },
    status: { enum: STATUSES },
    start_date: { type: ["string", "null"], description: "YYYY-MM-DD" },
    enrollment: { type: "integer" },
    sponsor: { type: "object", properties: { name: { type: "string" }, class: { enum: ["INDUSTRY", "OTHER"] } } },
    conditions: { type: "array", items: { type: "string" } },
    interventions: { type: "array", items: { type: "object", properties: { type: { type: "string" }, name: { type: "string" } } } },
    locations: { type: "array", items: { type: "object", properties: { country: { type: "string" }, home: { type: "boolean" } } } },
    related_pmids: { type: "array", items: { type: "string" }, description: "PubMed numbers" },
  },
  required: ["nct_id", "title"],
};

const LIST = { type: "object", properties: { total: { type: "integer" }, trials: { type: "array", items: { $ref: "#/$defs/trial" } } }, required: ["total", "trials"], $defs: { trial: TRIAL } };

const FILTERS = {
  status: { enum: STATUSES, description: "how far the trial is" },
  phase: { enum: PHASES },
  limit: { type: "integer", minimum: 1, maximum: MOST_ON_A_PAGE, description: "most records to return, 20 by default" },
  offset: { type: "integer", minimum: 0, description: "records to leave out at the start" },
};

function pageOf(records, { status, phase, limit = 20, offset = 0 }) {
  const found = records.filter((record) => (status === undefined || record.status === status) && (phase === undefined || record.phase === phase));
  return structured({ total: found.length, trials: found.slice(offset, offset + limit) });
}

const READS = { readOnlyHint: true, idempotentHint: true };

const TOOLS = [
  {
    name: "search",
    description: "Trials about a condition",
    annotations: READS,
    inputSchema: { type: "object", properties: { condition: { type: "string", description: "a condition, or a part of its name" }, ...FILTERS }, required: ["condition"], additionalProperties: false },
    outputSchema: LIST,
    run: ({ condition, ...rest }) => pageOf(trials.filter(({ conditions }) => conditions.some((name) => name.toLowerCase().includes(condition.toLowerCase()))), rest),
  },
  {
    name: "list",
    description: "Trials in the order of their numbers, in pages",
    annotations: READS,
    inputSchema: { type: "object", properties: FILTERS, additionalProperties: false },
    outputSchema: LIST,
    run: (given) => pageOf(trials, given),
  },
  {
    name: "get",
    description: "One trial by its number",
    annotations: READS,
    inputSchema: { type: "object", properties: { nct_id: { type: "string", pattern: "^NCT[0-9]{8}$", description: "the registry's number" } }, required: ["nct_id"], additionalProperties: false },
    outputSchema: TRIAL,
    run: ({ nct_id }) => {
      const found = trials.find((record) => record.nct_id === nct_id);
      return found === undefined ? failed(`there is no trial ${nct_id}`) : structured(found);
    },
  },
];

/** Starts the server. */
export function startTrials() {
  return serve({ name: "trials", era: "modern", tools: TOOLS });
}
