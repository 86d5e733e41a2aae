// The text of the editor of each session, until the tab is closed, so that a visit to the list
// loses nothing.

const PREFIX = "codemode-sql ";
/** Longer texts are not kept: storage has some 5 MB for everything. */
const MOST_CHARACTERS = 200_000;

export function draftOf(session: string): string {
  try {
    return sessionStorage.getItem(PREFIX + session) ?? "";
  } catch {
    return "";
  }
}

export function keepDraft(session: string, text: string): void {
  try {
    if (text.length <= MOST_CHARACTERS) sessionStorage.setItem(PREFIX + session, text);
  } catch {
    // Full or denied: the text stays in the editor.
  }
}
