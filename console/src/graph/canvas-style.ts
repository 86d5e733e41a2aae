// The appearance of nodes and edges in the canvas. Text from the graph is always data of an
// element, never part of a selector.

import type { StylesheetJson } from "cytoscape";
import { NODE_SIZE } from "./limits";

interface Palette {
  page: string;
  text: string;
  muted: string;
  edge: string;
  accent: string;
  path: string;
  match: string;
}

const LIGHT: Palette = { page: "#ffffff", text: "#1b1f24", muted: "#59626d", edge: "#9aa3ad", accent: "#0f766e", path: "#c2410c", match: "#a16207" };
const DARK: Palette = { page: "#1a1d21", text: "#e6e8eb", muted: "#a0a8b1", edge: "#5d6670", accent: "#4fc4b7", path: "#fb923c", match: "#facc15" };

/** Returns the colours of the canvas. */
export const palette = (dark: boolean): Palette => (dark ? DARK : LIGHT);

/** The smallest label that is drawn, in pixels; smaller ones cannot be read. */
export const LEAST_LABEL_PX = 8;
/** The size of a node's label, in the units of positions. */
export const LABEL_PX = 12;

/** The classes of elements. */
export type Mark = "hidden" | "faded" | "path" | "match" | "hovered" | "focused" | "pinned" | "connecting" | "crowded" | "near" | "aside";

export function stylesheet(dark: boolean, large: boolean): StylesheetJson {
  const { page, text, muted, edge, accent, path, match } = palette(dark);
  const label = { "font-family": "system-ui, sans-serif", "text-outline-color": page, "text-outline-width": 2, "text-outline-opacity": 1, "min-zoomed-font-size": LEAST_LABEL_PX } as const;
  return [
    {
      selector: "node",
      style: {
        ...label,
        width: "data(size)", height: "data(size)",
        "background-color": "data(colour)", "border-color": "data(border)", "border-width": 1.5,
        label: "data(label)", color: text, "font-size": LABEL_PX, "text-valign": "bottom", "text-margin-y": 4, "text-wrap": "ellipsis", "text-max-width": "150px",
      },
    },
    {
      selector: "edge",
      style: {
        ...label,
        width: 1.5, "line-color": edge, "target-arrow-color": edge, "target-arrow-shape": "triangle", "arrow-scale": 0.9,
        // Cytoscape spreads edges with the same ends by itself, and draws loops.
        "curve-style": "bezier", "control-point-step-size": 44, "loop-direction": "-45deg", "loop-sweep": "70deg",
        label: "data(label)", color: muted, "font-size": 10, "text-rotation": "autorotate", "text-wrap": "ellipsis", "text-max-width": "120px",
      },
    },
    ...(large
      ? [
          // Straight lines between the centres are the cheapest kind; those that would cover each
          // other keep their curves.
          { selector: "edge", style: { "curve-style": "haystack", "haystack-radius": 0, width: 1, label: "", "target-arrow-shape": "none" } },
          { selector: "edge.crowded", style: { "curve-style": "bezier" } },
          { selector: "edge.hovered, edge:selected, edge.path, edge.near", style: { "curve-style": "bezier", label: "data(label)", "target-arrow-shape": "triangle" } },
        ] as const
      : []),
    // As large on the screen as a label must be, at any zoom.
    { selector: "node.named", style: { "font-size": "data(nameSize)", "text-max-width": "data(nameWidth)", "text-margin-y": 1, "min-zoomed-font-size": 0 } },
    { selector: ".aside", style: { opacity: 0.4 } },
    { selector: "node.near", style: { "border-color": accent, "border-width": 3, "z-index": 6 } },
    { selector: "edge.near", style: { "line-color": accent, "target-arrow-color": accent, color: text, width: 2.5, "z-index": 6 } },
    { selector: ".pinned", style: { "border-style": "double", "border-width": 4 } },
    { selector: "node.match", style: { "border-color": match, "border-width": 4 } },
    { selector: "node.hovered", style: { "border-width": 3 } },
    { selector: "edge.hovered", style: { "line-color": text, "target-arrow-color": text, color: text } },
    { selector: "node.path", style: { "border-color": path, "border-width": 5 } },
    { selector: "edge.path", style: { "line-color": path, "target-arrow-color": path, color: text, width: 4, "z-index": 5 } },
    { selector: "node:selected", style: { "border-color": accent, "border-width": 4, "font-weight": 600, "z-index": 10 } },
    { selector: "edge:selected", style: { "line-color": accent, "target-arrow-color": accent, color: text, width: 3, "z-index": 10 } },
    { selector: "node.focused", style: { "underlay-color": accent, "underlay-opacity": 0.3, "underlay-padding": 7, "underlay-shape": "ellipse" } },
    { selector: "node.connecting", style: { "border-color": accent, "border-width": 5, "border-style": "dashed" } },
    { selector: ".faded", style: { opacity: 0.18 } },
    { selector: ".hidden", style: { display: "none" } },
    { selector: "core", style: { "selection-box-color": accent, "selection-box-border-color": accent, "selection-box-opacity": 0.15, "active-bg-opacity": 0 } as never },
  ];
}

/** The size of a node that has no other. */
export const DEFAULT_SIZE = NODE_SIZE;
