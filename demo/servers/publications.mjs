// A server about publications, of the older protocol version: with a session, answers as JSON in text, as many servers of today have them.
//
// Its records are invented. What a person calls the publication date is here the column `year`.

import { failed, serve, text } from "./mcp.mjs";
import { CONDITIONS, DRUGS, Dice, JOURNALS, institute, paperAbout, person } from "./words.mjs";

const PUBLICATIONS = 3_000;
const SEED = 20_261_122;
const FIRST_PMID = 30_000_001;
const MOST_ON_A_PAGE = 5_000;

/** The records, made once. */
export const publications = makePublications();

function makePublications() {
  const dice = new Dice(SEED);
  return Array.from({ length: PUBLICATIONS }, (_, index) => {
    const condition = dice.one(CONDITIONS);
    const drug = dice.one(DRUGS);
    const { title, abstract } = paperAbout(dice, drug, condition);
    return {
      pmid: String(FIRST_PMID + index),
      title,
      year: dice.between(2005, 2025),
      journal: dice.one(JOURNALS),
      abstract,
      citation_count: dice.chance(9) ? dice.between(100, 900) : dice.between(0, 60),
      doi: dice.chance(12) ? null : `10.5555/demo.${FIRST_PMID + index}`,
      authors: Array.from({ length: dice.between(1, 6) }, (_author, place) => ({ name: person(dice), position: place + 1, affiliation: institute(dice) })),
      mesh_terms: [condition, drug, ...dice.several(["Adult", "Aged", "Female", "Male", "Humans", "Treatment Outcome"], 3)],
    };
  });
}

const PAGE = {
  year_from: { type: "integer", description: "the first year of publication" },
  year_to: { type: "integer", description: "the last year of publication" },
  journal: { type: "string", description: "the journal's whole name" },
  limit: { type: "integer", minimum: 1, maximum: MOST_ON_A_PAGE, description: "most records to return, 20 by default" },
  offset: { type: "integer", minimum: 0, description: "records to leave out at the start" },
};

const pageOf = (records, { year_from = 0, year_to = 9_999, journal, limit = 20, offset = 0 }) =>
  records
    .filter((record) => record.year >= year_from && record.year <= year_to && (journal === undefined || record.journal === journal))
    .slice(offset, offset + limit);

const READS = { readOnlyHint: true, idempotentHint: true };

const TOOLS = [
  {
    name: "search",
    description: "Publications whose title or abstract contains all words",
    annotations: READS,
    inputSchema: { type: "object", properties: { query: { type: "string", description: "words, all of which must occur" }, ...PAGE }, required: ["query"], additionalProperties: false },
    run: ({ query, ...rest }) => {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      return text(pageOf(publications.filter(({ title, abstract }) => words.every((word) => `${title} ${abstract}`.toLowerCase().includes(word))), rest));
    },
  },
  {
    name: "list",
    description: "Publications in the order of their numbers, in pages",
    annotations: READS,
    inputSchema: { type: "object", properties: PAGE, additionalProperties: false },
    run: (given) => text(pageOf(publications, given)),
  },
  {
    name: "get",
    description: "One publication by its PubMed number",
    annotations: READS,
    inputSchema: { type: "object", properties: { pmid: { type: "string", pattern: "^[0-9]+$", description: "PubMed number" } }, required: ["pmid"], additionalProperties: false },
    run: ({ pmid }) => {
      const found = publications.find((record) => record.pmid === pmid);
      return found === undefined ? failed(`there is no publication ${pmid}`) : text(found);
    },
  },
];

/** Starts the server. It answers nobody without the token, where one is given. */
export function startPublications({ token } = {}) {
  return serve({ name: "publications", era: "legacy", tools: TOOLS, interfere: guarded(token) });
}

/** Refuses requests without `Authorization: Bearer TOKEN`. */
export function guarded(token) {
  return (call, _request, response) => {
    if (token === undefined || call.headers.authorization === `Bearer ${token}`) return false;
    response.writeHead(401, { "content-type": "application/json", "www-authenticate": "Bearer" });
    response.end('{"error":"invalid_token"}');
    return true;
  };
}
