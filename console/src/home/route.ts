// The view, in the address after the `#`: the list, or one session. Names of sessions stay out of
// requests for pages.

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

/** The shown view. */
export const route = createStore<Route>(parse(location.hash));

window.addEventListener("hashchange", () => route.set(parse(location.hash)));

/** Returns the address of a session. */
export function sessionAddress(name: string): string {
  return `/#/sessions/${encodeURIComponent(name)}`;
}

/** The digits of a generated name, enough that two of a tenant's are never equal. */
const NAME_DIGITS = 12;

/** Returns the address of an unused session. */
export function freshSessionAddress(): string {
  return sessionAddress(`data-${freshId().slice(0, NAME_DIGITS)}`);
}

/** Returns the address of an unused thread. */
export function freshThreadAddress(session?: string): string {
  return threadAddress(freshId().slice(0, NAME_DIGITS), session);
}

/** Returns the address of a knowledge graph. */
export function graphAddress(conversation: string): string {
  return `/graph/${encodeURIComponent(conversation)}`;
}

/**
 * Returns the address of a thread of questions; a session is added after the #, so that it is in no
 * request for a page.
 */
export function threadAddress(thread: string, session?: string): string {
  return `/agent/${encodeURIComponent(thread)}${session === undefined ? "" : `#session=${encodeURIComponent(session)}`}`;
}

/** Returns the address of a code workspace. */
export function codeAddress(workspace: string): string {
  return `/code/${encodeURIComponent(workspace)}`;
}

/** The names of sessions and conversations, as in docs/http-api.md, for the attribute `pattern`. */
export const NAME_PATTERN = "[A-Za-z0-9._:\\-]{1,128}";
export const NAME_RULE = "1 to 128 of the characters A-Z a-z 0-9 . _ : -";
