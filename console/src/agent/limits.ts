// The limits of the page of a thread, with their units and reasons.

/** The records, checkpoints and pairs of one request: the most that the API returns. */
export const PAGE_ITEMS = 200;
/**
 * The requests for one whole audit or history: with the most items in each, two million bytes and
 * more.
 */
export const MOST_PAGES = 50;

/** The wait before a thread at rest is read again. */
export const REST_MS = 1_500;
/** The longest wait if nothing happens; each wait is a little longer than the one before. */
export const LONGEST_REST_MS = 8_000;
export const REST_GROWTH = 1.25;
/** The first wait after a break; each further one is twice as long, up to the longest rest. */
export const BREAK_MS = 500;

/** The wait after the last move of the slider before the checkpoint is loaded. */
export const SLIDER_WAIT_MS = 120;
/** The wait after the last key before a search is sent. */
export const SEARCH_WAIT_MS = 200;

/** The tables that the page of a new thread lists. */
export const SHOWN_TABLES = 20;
/**
 * The rows and columns of a table that are read for its examples; their product limits the work.
 */
export const FIGURED_ROWS = 1_000;
export const FIGURED_COLUMNS = 40;
/** The most groups of a chart that people read at a glance. */
export const MOST_GROUPS = 12;
/** The columns of a table whose names are listed. */
export const SHOWN_COLUMNS = 24;
/** The digits of a hash that people compare. */
export const SHORT_HASH_DIGITS = 12;
/**
 * The most lines of a statement that are compared one by one, because the work grows with their
 * product.
 */
export const DIFF_LINES = 600;
/** Bytes of a question (`MAX_QUESTION_BYTES`); a longer one would be refused. */
export const QUESTION_CHARACTERS = 16_384;
/** Bytes of a reason (`MAX_REASON_BYTES`). */
export const REASON_CHARACTERS = 4_096;
/** The most lines of the text field; its height grows up to this. */
export const COMPOSER_LINES = 8;
/** The time below which the countdown shows seconds. */
export const SECONDS_BELOW_MS = 600_000;
/** The pixels from the end of the conversation within which it stays at the end. */
export const STICKY_PX = 80;
