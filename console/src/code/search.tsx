// The list Search: code for a question, with the reasons of each score, or lines that contain a
// text.

import { useState } from "preact/hooks";
import { type ApiError, toApiError } from "../shared/api";
import { Failure } from "../shared/failure";
import { count, counted, numbers } from "../shared/format";
import { useStore } from "../shared/store";
import type { Bench } from "./bench";
import { PATTERN_CHARACTERS, QUESTION_CHARACTERS } from "./limits";
import type { Context, Hit, Match, Matches, Reason } from "./model";
import { grouped } from "./grouped";
import { fileAddress, itemAddress } from "./place";

type How = "question" | "text" | "regex";

const HOWS: readonly { how: How; text: string }[] = [
  { how: "question", text: "A question or a name" },
  { how: "text", text: "Text as it is" },
  { how: "regex", text: "Regular expression" },
];

/** The results, with the request that they belong to. */
type Found =
  | { kind: "context"; asOf: number | null; context: Context }
  | { kind: "matches"; asOf: number | null; pattern: string; regex: boolean; ignoreCase: boolean; matches: readonly Match[]; last: Matches };

export function Search({ bench }: { bench: Bench }) {
  const asOf = useStore(bench.asOf);
  const [how, setHow] = useState<How>("question");
  const [text, setText] = useState("");
  const [ignoreCase, setIgnoreCase] = useState(false);
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const load = async (ask: () => Promise<Found>) => {
    setBusy(true);
    try {
      setFound(await ask());
      setError(null);
    } catch (thrown) {
      setError(toApiError(thrown));
    }
    setBusy(false);
  };
  const matches = async (pattern: string, regex: boolean, folded: boolean, before: readonly Match[], cursor: string | null): Promise<Found> => {
    const last = await bench.client.search(pattern, { regex, ignoreCase: folded }, asOf, cursor);
    return { kind: "matches", asOf, pattern, regex, ignoreCase: folded, matches: [...before, ...last.matches], last };
  };
  const ask = () => load(async () => (how === "question" ? { kind: "context", asOf, context: await bench.client.context(text, asOf) } : matches(text, how === "regex", ignoreCase, [], null)));
  return (
    <>
      <form
        class="search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void ask();
        }}
      >
        <div class="row">
          <input id="search" class="grow" type="search" aria-label="What to look for" required maxLength={how === "question" ? QUESTION_CHARACTERS : PATTERN_CHARACTERS} autocomplete="off" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          <button type="submit" class="primary" disabled={isBusy}>Search</button>
        </div>
        <div class="row">
          <select aria-label="How to look" value={how} onChange={(event) => setHow(event.currentTarget.value as How)}>
            {HOWS.map(({ how: one, text: words }) => <option key={one} value={one}>{words}</option>)}
          </select>
          {how !== "question" && (
            <label class="choice"><input type="checkbox" checked={ignoreCase} onChange={(event) => setIgnoreCase(event.currentTarget.checked)} /> Ignore case</label>
          )}
        </div>
      </form>
      <p class="note" role="status">{isBusy ? "Searching…" : found === null ? "" : summary(found)}</p>
      {error !== null && <Failure error={error} />}
      {found !== null && found.asOf !== asOf && <p class="note">These hits are from another version. Search again to see those of this version.</p>}
      {found?.kind === "context" && <Hits context={found.context} />}
      {found?.kind === "matches" && (
        <>
          <Lines matches={found.matches} />
          {found.last.skippedLines.length > 0 && <p class="note">{counted(found.last.skippedLines.length, "long line")} could not be searched with this expression.</p>}
          {found.last.nextCursor !== null && found.asOf === asOf && (
            <button type="button" class="small" disabled={isBusy} onClick={() => void load(() => matches(found.pattern, found.regex, found.ignoreCase, found.matches, found.last.nextCursor))}>Search on</button>
          )}
        </>
      )}
    </>
  );
}

function summary(found: Found): string {
  if (found.kind === "matches") return `${counted(found.matches.length, "line")}${found.last.complete ? "" : " so far"}`;
  const { hits, context: { stats } } = found.context;
  return `${counted(hits.length, "hit")}; ${counted(stats.parts, "part")} with ${count(stats.total_tokens)} tokens would go to a model`;
}

function Hits({ context }: { context: Context }) {
  return (
    <>
      {context.notice !== undefined && <p class="note">{context.notice}</p>}
      <ol class="hits">
        {context.hits.map((hit) => (
          <li key={hit.id}>
            <a href={itemAddress({ id: hit.id })}><code>{hit.canon_path}</code></a>
            <p class="note">{hit.node_kind} · <a href={fileAddress(hit.file_path, hit.lines[0])}>{hit.file_path}:{hit.lines[0]}</a></p>
            <details>
              <summary>Score {score(hit.score)}</summary>
              <Score hit={hit} />
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The texts of the rules of the search (docs/code-workspace.md). */
const RULES: Readonly<Record<string, string>> = {
  fused: "ranks in both lists",
  definition: "defines the name that was asked for",
  whole_path: "its path is the question",
  name_in_sentence: "its name is in the question",
  name_words: "words of its name are in the question",
  summary: "its documentation begins with words of the question",
  owner_words: "words of its owner are in the question",
  file_name: "words of its file's name are in the question",
  path: "words of its path are in the question",
  coherence: "others of its file were found too",
  secondary: "tests, examples and the like come later",
  further_hit: "its file has better hits already",
};

function Score({ hit: { sparseRank, denseRank, reasons } }: { hit: Hit }) {
  return (
    <table class="score">
      <tbody>
        <tr><th scope="row">rank by words</th><td>{sparseRank ?? "none"}</td></tr>
        <tr><th scope="row">rank by vectors</th><td>{denseRank ?? "none"}</td></tr>
        {reasons.map((reason, at) => (
          <tr key={at}><th scope="row">{Object.hasOwn(RULES, reason.rule) ? RULES[reason.rule] : reason.rule}</th><td>{effect(reason)}</td></tr>
        ))}
      </tbody>
    </table>
  );
}

function effect({ added, multiplied }: Reason): string {
  return multiplied === undefined ? `${(added ?? 0) < 0 ? "−" : "+"} ${score(Math.abs(added ?? 0))}` : `× ${score(multiplied)}`;
}

const score = numbers({ maximumSignificantDigits: 3 });

function Lines({ matches }: { matches: readonly Match[] }) {
  const files = grouped(matches, ({ file_path }) => file_path);
  return (
    <ul class="matches">
      {files.map(([path, lines]) => (
        <li key={path}>
          <p class="note path">{path}</p>
          <ul>
            {lines.map(({ line, text }) => (
              <li key={line}><a href={fileAddress(path, line)}><span class="match-line">{line}</span> <code>{text.trim()}</code></a></li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
