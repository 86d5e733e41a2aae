// Invisible characters, and characters that move others, which pages show by their numbers. So the
// text that a person reads and approves is the text that runs. `visible` of
// crates/base/src/quoted.rs does the same for terminals; tests/data/quoted.json has examples for
// both.

/** The marks on one letter that are shown unchanged; MAX_SHOWN_MARKS. */
const SHOWN_MARKS = 4;
/** Texts with only ASCII letters, digits and signs, and line ends, which need no check. */
const PLAIN = /^[\x20-\x7e\n\t]*$/;
/** The categories C and Z, and letters, marks and symbols without ink. */
export const HIDDEN = /[\p{C}\p{Z}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{2800}\u{3164}\u{fe00}-\u{fe0f}\u{ffa0}\u{16fe4}\u{1d159}\u{e0100}-\u{e01ef}]/u;
const MARK = /\p{Grapheme_Extend}/u;
/** Marks that strike a letter out, or that enclose it. */
const OVERLAY = /[\u{334}-\u{338}\u{488}\u{489}\u{1abe}\u{20d0}-\u{20f0}]/u;
const LETTER = /[\p{Alphabetic}\p{N}]/u;

/**
 * Returns the text with each such character as its number, `⟨U+202E⟩`. Blanks, tabs and line breaks
 * stay.
 */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  let shown = "";
  let marks: number | null = null;
  for (const character of text) {
    if (character === " " || character === "\n" || character === "\t") {
      shown += character;
      marks = null;
    } else if (HIDDEN.test(character)) {
      shown += number(character);
      marks = null;
    } else if (!MARK.test(character)) {
      shown += character;
      marks = LETTER.test(character) ? 0 : null;
    } else if (marks !== null && marks < SHOWN_MARKS && !OVERLAY.test(character)) {
      shown += character;
      marks += 1;
    } else {
      shown += number(character);
      marks = null;
    }
  }
  return shown;
}

/** Returns true if the text has a character that is shown by its number. */
export function hasHidden(text: string): boolean {
  return visible(text) !== text;
}

export function number(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
