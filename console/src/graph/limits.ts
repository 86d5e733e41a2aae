// Numbers of the graph page, with their units and reasons.

/** Nodes and edges of one request for the state: the most that the API gives. */
export const PAGE_ITEMS = 10_000;
/** Types that the legend over the canvas lists. */
export const LEGEND_ROWS = 8;

/** Steps of history in one request: undo needs the newest, older ones come when they are asked for. */
export const HISTORY_STEPS = 200;
/** Nodes that a search lists: more than anybody reads. */
export const SEARCH_RESULTS = 50;
/** Scores in one request: the most that the API gives. */
export const SCORES = 10_000;
/** Communities' members in one request: the most that the API gives. */
export const MEMBERS = 100_000;

/** From this many nodes and edges on, the canvas draws less while it moves, and edges without labels or arrows. */
export const LARGE_GRAPH = 2_500;
/** A label in the canvas is cut behind this many characters; the card has all of it. */
export const LABEL_CHARACTERS = 48;
/** A value in a card is cut behind this many characters; the editor has all of it. */
export const VALUE_CHARACTERS = 2_000;
/** Rows of a card's data; the editor has all of them. */
export const CARD_ROWS = 60;
/** Neighbours that a card lists; the list view has all of them. */
export const CARD_NEIGHBOURS = 40;
/** Relations listed under the filters before "Show all". */
export const FILTER_ROWS = 30;
/** Rows of one page of the list view: scrolled through in seconds, rendered in milliseconds. */
export const LIST_ROWS = 100;
/** How far the card of what is selected reaches from the left edge, with the radius of a node. */
export const CARD_REACH_PX = 380;
/** Faulty items that a failed import lists. */
export const LISTED_ISSUES = 20;

/** Distance between a node that has no position and those around it, in the units of positions: two nodes and a label. */
export const PLACE_DISTANCE = 70;
/** Positions tried around one point before a node takes the next one whatever is there. */
export const PLACE_TRIES = 2_000;
/** Distance of one step of Alt and an arrow key. */
export const NUDGE_DISTANCE = 20;
/** A wait behind the last Alt and arrow key; the moves before it are stored at once. */
export const NUDGE_WAIT_MS = 600;
/** Positions are stored with two decimals: finer than a pixel at the largest zoom. */
export const POSITION_DECIMALS = 2;

/** How long nodes take to their positions after a layout: the eye follows, nobody waits. */
export const MOVE_MS = 400;
/** Nodes that are moved at once rather than animated beyond this many: a frame must stay short. */
export const ANIMATED_NODES = 1_000;
/** A wait behind the last key before a search is sent. */
export const SEARCH_WAIT_MS = 200;
/** A wait behind the last move of the time slider before the version is loaded. */
export const SLIDER_WAIT_MS = 120;

/** Zoom of one press of a button or key. */
export const ZOOM_STEP = 1.25;
/** A graph of a million units still fits. */
export const ZOOM_LEAST = 0.01;
/** Nodes a hand wide. */
export const ZOOM_MOST = 5;
/** Below this zoom labels are not drawn, so what is looked for is shown larger. */
export const READABLE_ZOOM = 0.7;
/** Height of a label that is drawn where there is room, however small the graph is shown. */
export const NAME_PX = 10;
/** Such a label is cut where it is wider. */
export const NAME_WIDTH_PX = 130;
/** Space at both sides of it. */
export const NAME_GAP_PX = 3;
/** Nodes in view for whose labels room is looked for: a screen has room for fewer. */
export const NAMED_NODES = 1_000;
/** A wait behind the last change of the view before room for labels is looked for. */
export const NAMES_WAIT_MS = 60;
/** Below this zoom a node is a dot: what fits leaves out nodes that lie far from all others. */
export const DOT_ZOOM = 0.15;
/** How many times as far from the middle as three of four nodes a node lies that is far from all others. */
export const FAR_TIMES = 6;
/** Three of four nodes lie at least so far from the middle, in the units of positions. */
export const CORE_DISTANCE = 200;
/** Space around the graph when it fits, in pixels. */
export const FIT_PADDING = 48;
/** A single node is not shown larger than this when it fits. */
export const FIT_ZOOM_MOST = 1.4;

/** Diameter of a node, in the units of positions. */
export const NODE_SIZE = 28;
/** Diameters of the least and the most central node. */
export const SIZE_RANGE: readonly [number, number] = [16, 60];

/** Pixels of a picture for each pixel of the graph at zoom 1. */
export const PICTURE_SCALE = 2;
/** The longest side of a picture in pixels; browsers refuse canvases much larger. */
export const PICTURE_SIDE = 8_000;

/** Files of an import: the API takes no larger body. */
export const IMPORT_BYTES = 50_000_000;
