// Colours of nodes by type and by community. Every reader of a graph sees the same ones.

/** The colours of the types that have their own. */
const OF_TYPES: Readonly<Record<string, string>> = {
  gene: "#1f77b4",
  protein: "#f39c12",
  drug: "#e74c3c",
  disease: "#2ecc71",
  pathway: "#9b59b6",
  other: "#bdc3c7",
};

/**
 * The colours of further types, in the order in which they were added to the graph; when they are
 * used up, types have the colour of `other`.
 */
const OF_FURTHER_TYPES = ["#17becf", "#8c564b", "#e377c2", "#7f8c1f", "#16a085", "#34568b", "#d35400", "#c0b283", "#6c7a89", "#ad1457"];

/**
 * The colours of communities, largest first. They can be distinguished with reduced colour vision,
 * too (after Paul Tol, "Colour schemes", 2021, "muted" and "light").
 */
const OF_COMMUNITIES = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44bb99", "#77aadd", "#882255", "#999933", "#ddcc77"];

const OTHER = OF_TYPES["other"] ?? "#bdc3c7";

/** Returns the key of a type. Types that differ only in case are the same. */
export const typeKey = (type: string): string => type.toLowerCase();

/** The colours of the types of one graph. */
export class TypeColours {
  private readonly further = new Map<string, string>();

  of(type: string): string {
    const key = typeKey(type);
    const known = Object.hasOwn(OF_TYPES, key) ? OF_TYPES[key] : this.further.get(key);
    if (known !== undefined) return known;
    const colour = OF_FURTHER_TYPES[this.further.size] ?? OTHER;
    this.further.set(key, colour);
    return colour;
  }
}

/** Returns the colour of a community, by its position in the order of sizes. */
export function communityColour(index: number): string {
  return OF_COMMUNITIES[index % OF_COMMUNITIES.length] ?? OTHER;
}

/** Mixes two colours, both `#rrggbb`; a `share` of 0 returns the first. */
export function mix(one: string, other: string, share: number): string {
  const part = (colour: string, at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) => Math.round(part(one, at) * (1 - share) + part(other, at) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
