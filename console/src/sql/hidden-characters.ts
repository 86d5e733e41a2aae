// Characters that are not seen, in an editor: as everywhere on the pages, by their numbers.

import { highlightSpecialChars } from "@codemirror/view";
import { HIDDEN, number } from "../shared/visible";

export const hiddenCharacters = highlightSpecialChars({
  // A blank is one that is seen, and tabs and line ends are the editor's.
  specialChars: new RegExp(`(?![ \\t\\n\\r])${HIDDEN.source}`, "gu"),
  render(code) {
    const element = document.createElement("span");
    element.className = "cm-specialChar";
    element.textContent = number(String.fromCodePoint(code));
    return element;
  },
});
