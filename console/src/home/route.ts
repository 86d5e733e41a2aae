// What the page shows, as its address says it behind the `#`: the list, or one session. Names of sessions stay out of requests for pages.

import { freshId } from "../shared/fresh-id";
import { createStore } from "../shared/store";

export type Route = { kind: "list" } | { kind: "session"; name: string };

const SESSION = /^#\/sessions\/([^/]+)$/;

function parse(hash: string): Route {
  const encoded = SESSION.exec(hash)?.[1];
  if (encoded === undefined) return { kind: "list" };
  try {
    return { kind: "session", name: decodeURIComponent(encoded) };
  } catch {
    return { kind: "list" };
  }
}

/** What is shown. */
export const route = createStore<Route>(parse(location.hash));

window.addEventListener("hashchange", () => route.set(parse(location.hash)));

/** The address of a session. */
export function sessionAddress(name: string): string {
  return `/#/sessions/${encodeURIComponent(name)}`;
}

/** Digits of a name that nobody chose: two of a tenant's do not meet. */
const NAME_DIGITS = 12;

/** The address of a session that nobody has used. */
export function freshSessionAddress(): string {
  return sessionAddress(`data-${freshId().slice(0, NAME_DIGITS)}`);
}

/** The address of a thread that nobody has used. */
export function freshThreadAddress(session?: string): string {
  return threadAddress(freshId().slice(0, NAME_DIGITS), session);
}

/** The address of a knowledge graph. */
export function graphAddress(conversation: string): string {
  return `/graph/${encodeURIComponent(conversation)}`;
}

/** The address of a thread of questions; a session goes along behind the #, so that it is in no request for a page. */
export function threadAddress(thread: string, session?: string): string {
  return `/agent/${encodeURIComponent(thread)}${session === undefined ? "" : `#session=${encodeURIComponent(session)}`}`;
}

/** The address of a code workspace. */
export function codeAddress(workspace: string): string {
  return `/code/${encodeURIComponent(workspace)}`;
}

/** Names of sessions and conversations, as docs/http-api.md says. For the attribute `pattern`. */
export const NAME_PATTERN = "[A-Za-z0-9._:\\-]{1,128}";
export const NAME_RULE = "1 to 128 of the characters A-Z a-z 0-9 . _ : -";
