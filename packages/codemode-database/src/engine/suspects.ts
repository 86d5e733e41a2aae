// Names the requests that may have blocked a Worker.

import type { Connection } from "./relay.ts";

/** The requests that are named when the Worker is silent, and the characters of each. */
const NAMED_REQUESTS = 10;
const NAMED_CHARACTERS = 300;

/**
 * Returns lines that name the requests in progress: those without any response that began before
 * the first failed check; if there are none, those whose responses progressed last.
 */
export function describe(connections: Connection[], silentFromMs: number): string[] {
  const unanswered = connections.filter(({ isAnswered }) => !isAnswered);
  const suspects = unanswered.filter(({ began }) => began <= silentFromMs);
  const [named, words] = suspects.length > 0 ? [suspects, ["this request was in progress:", "one of these requests was at work, the others waited:"]]
    : [connections.toSorted((a, b) => b.lastMs - a.lastMs), ["no request waited for its response; the last one was:", "no request waited for its response; the last ones were:"]];
  if (named.length === 0) return ["    no request was in progress: the cause is an alarm, or work that an earlier request left behind"];
  const lines = named.slice(0, NAMED_REQUESTS).map((connection) => `      ${name(connection)}`);
  const rest = named.length > NAMED_REQUESTS ? [`      and ${named.length - NAMED_REQUESTS} more`] : [];
  return [`    ${words[named.length === 1 ? 0 : 1]}`, ...lines, ...rest];
}

/** Puts a foreign text on one line, because a stranger's text must not control the terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ").trim();
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function name({ began, hasLeft, excerpt: { line, body } }: Connection): string {
  const words = `${line.replace(/ HTTP\/1\.[01]$/, "")} for ${seconds(performance.now() - began)}${hasLeft ? ", its client has left" : ""} ${body}`;
  const shown = plain(words);
  return shown.length > NAMED_CHARACTERS ? `${shown.slice(0, NAMED_CHARACTERS)}…` : shown;
}
