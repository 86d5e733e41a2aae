// The limits of the graph page, with their units and reasons.

/** The nodes and edges of one request for the state: the most that the API returns. */
export const PAGE_ITEMS = 10_000;
/** The types that the legend over the canvas lists. */
export const LEGEND_ROWS = 8;

/** The steps of history in one request: undo needs the newest, older ones are loaded on request. */
export const HISTORY_STEPS = 200;
/** The nodes that a search lists: more than anybody reads. */
export const SEARCH_RESULTS = 50;
/** The scores in one request: the most that the API returns. */
export const SCORES = 10_000;
/** The members of communities in one request: the most that the API returns. */
export const MEMBERS = 100_000;

/**
 * The nodes and edges from which on the canvas draws less while it moves, and edges without labels
 * or arrows.
 */
export const LARGE_GRAPH = 2_500;
/** The characters after which a label in the canvas is cut; the card has all of it. */
export const LABEL_CHARACTERS = 48;
/** The characters after which a value in a card is cut; the editor has all of it. */
export const VALUE_CHARACTERS = 2_000;
/** The rows of a card's data; the editor has all of them. */
export const CARD_ROWS = 60;
/** The neighbours that a card lists; the list view has all of them. */
export const CARD_NEIGHBOURS = 40;
/** The relations that are listed under the filters before "Show all". */
export const FILTER_ROWS = 30;
/** The rows of one page of the list view: scrolled through in seconds, rendered in milliseconds. */
export const LIST_ROWS = 100;
/**
 * The distance from the left edge to the right end of the selection's card, plus the radius of a
 * node.
 */
export const CARD_REACH_PX = 380;
/** The faulty items that a failed import lists. */
export const LISTED_ISSUES = 20;

/**
 * The distance between a node without a position and those around it, in the units of positions:
 * two nodes and a label.
 */
export const PLACE_DISTANCE = 70;
/** The positions that are tried around one point before a node takes the next one, free or not. */
export const PLACE_TRIES = 2_000;
/** The distance of one step of Alt and an arrow key. */
export const NUDGE_DISTANCE = 20;
/** The wait after the last Alt and arrow key; the moves before it are stored at once. */
export const NUDGE_WAIT_MS = 600;
/** The decimals of stored positions: finer than a pixel at the largest zoom. */
export const POSITION_DECIMALS = 2;

/**
 * The time in which nodes move to their positions after a layout: the eye can follow, and nobody
 * waits.
 */
export const MOVE_MS = 400;
/**
 * The number of nodes above which they are moved at once without animation, because a frame must
 * stay short.
 */
export const ANIMATED_NODES = 1_000;
/** The wait after the last key before a search is sent. */
export const SEARCH_WAIT_MS = 200;
/** The wait after the last move of the time slider before the version is loaded. */
export const SLIDER_WAIT_MS = 120;

/** The zoom of one press of a button or key. */
export const ZOOM_STEP = 1.25;
/** The smallest zoom, at which a graph of a million units still fits. */
export const ZOOM_LEAST = 0.01;
/** The largest zoom, at which nodes are a hand wide. */
export const ZOOM_MOST = 5;
/** The zoom below which labels are not drawn, so a found node is shown larger. */
export const READABLE_ZOOM = 0.7;
/** The height of a label that is drawn because there is room, at any size of the graph. */
export const NAME_PX = 10;
/** The width at which such a label is cut. */
export const NAME_WIDTH_PX = 130;
/** The space at both sides of such a label. */
export const NAME_GAP_PX = 3;
/** The nodes in view for whose labels room is looked for; a screen has room for fewer. */
export const NAMED_NODES = 1_000;
/** The wait after the last change of the view before room for labels is looked for. */
export const NAMES_WAIT_MS = 60;
/**
 * The zoom below which a node is only a dot; the fitted view then leaves out nodes far from all
 * others.
 */
export const DOT_ZOOM = 0.15;
/**
 * The factor by which a node is farther from the middle than three of four nodes to count as far
 * from all others.
 */
export const FAR_TIMES = 6;
/**
 * The least distance from the middle that three of four nodes are assumed to have, in the units of
 * positions.
 */
export const CORE_DISTANCE = 200;
/** The space around the graph when it fits, in pixels. */
export const FIT_PADDING = 48;
/** The largest zoom when the graph fits, for example for a single node. */
export const FIT_ZOOM_MOST = 1.4;

/** The diameter of a node, in the units of positions. */
export const NODE_SIZE = 28;
/** The diameters of the least and the most central node. */
export const SIZE_RANGE: readonly [number, number] = [16, 60];

/** The pixels of a picture for each pixel of the graph at zoom 1. */
export const PICTURE_SCALE = 2;
/** The longest side of a picture in pixels; browsers refuse canvases much larger. */
export const PICTURE_SIDE = 8_000;

/** The largest file of an import; the API takes no larger body. */
export const IMPORT_BYTES = 50_000_000;
