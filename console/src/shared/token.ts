// The access token of this tab. It is kept in `sessionStorage`, which ends with the tab and is not
// shared with others, and is sent as a header only: never in an address, never in `localStorage` or
// a cookie.

import { createStore } from "./store";

const KEY = "codemode-token";

function stored(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    // A browser may deny storage: the token then lasts as long as the page.
    return null;
  }
}

/** The token, or null. */
export const token = createStore<string | null>(stored());

export function setToken(value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, value);
  } catch {
    // As above.
  }
  token.set(value);
}

/** Returns the headers of a request to the API. */
export function tokenHeaders(): Record<string, string> {
  const value = token.get();
  return value === null ? {} : { authorization: `Bearer ${value}` };
}
