// Numbers of the page of a code workspace, with their units and reasons.

/** Files of one request: what a tree shows at once without a wait. The API gives up to 5,000. */
export const PAGE_FILES = 1_000;
/** Matches of one search of texts: more than a person reads. The API gives up to 1,000. */
export const PAGE_MATCHES = 200;
/** Proposals of one request; each comes with its diff of up to 131,072 bytes, so that they are few. */
export const PAGE_PROPOSALS = 20;
/** Tokens that a question's context may have: a dozen parts or so. */
export const CONTEXT_TOKENS = 8_000;
/** With so many files or fewer all folders are open at first. */
export const OPEN_FILES = 60;
/** Lines of a diff that are shown at once. */
export const DIFF_LINES = 2_000;
/** Edges of one kind that are shown at once. */
export const SHOWN_EDGES = 100;
/** Digits of a hash that people compare. */
export const SHORT_HASH_DIGITS = 8;
/** A wait behind the last move of the slider before the version is loaded. */
export const SLIDER_WAIT_MS = 120;
/** A wait behind the last key before the tree is filtered. */
export const FILTER_WAIT_MS = 250;
/** Bytes of a question (`MAX_HINT_BYTES`). */
export const QUESTION_CHARACTERS = 8_192;
/** Bytes of a pattern (`MAX_SEARCH_PATTERN_BYTES`). */
export const PATTERN_CHARACTERS = 1_000;
