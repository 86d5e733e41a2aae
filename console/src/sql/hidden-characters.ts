// Invisible characters in an editor, shown by their numbers as everywhere on the pages.

import { highlightSpecialChars } from "@codemirror/view";
import { HIDDEN, number } from "../shared/visible";

export const hiddenCharacters = highlightSpecialChars({
  // The blank is visible, and the editor handles tabs and line ends.
  specialChars: new RegExp(`(?![ \\t\\n\\r])${HIDDEN.source}`, "gu"),
  render(code) {
    const element = document.createElement("span");
    element.className = "cm-specialChar";
    element.textContent = number(String.fromCodePoint(code));
    return element;
  },
});
