// The limits of the page of a code workspace, with their units and reasons.

/**
 * The files of one request: as many as a tree shows at once without a wait. The API returns up to
 * 5,000.
 */
export const PAGE_FILES = 1_000;
/** The matches of one text search: more than a person reads. The API returns up to 1,000. */
export const PAGE_MATCHES = 200;
/** The proposals of one request. Each has a diff of up to 131,072 bytes, so they are few. */
export const PAGE_PROPOSALS = 20;
/** The tokens of a question's context: a dozen parts or so. */
export const CONTEXT_TOKENS = 8_000;
/** The number of files up to which all folders are open at first. */
export const OPEN_FILES = 60;
/** The lines of a diff that are shown at once. */
export const DIFF_LINES = 2_000;
/** The edges of one kind that are shown at once. */
export const SHOWN_EDGES = 100;
/** The digits of a hash that people compare. */
export const SHORT_HASH_DIGITS = 8;
/** The wait after the last move of the slider before the version is loaded. */
export const SLIDER_WAIT_MS = 120;
/** The wait after the last key before the tree is filtered. */
export const FILTER_WAIT_MS = 250;
/** Bytes of a question (`MAX_HINT_BYTES`). */
export const QUESTION_CHARACTERS = 8_192;
/** Bytes of a pattern (`MAX_SEARCH_PATTERN_BYTES`). */
export const PATTERN_CHARACTERS = 1_000;
