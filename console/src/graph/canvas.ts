// The picture of the graph. It uses Cytoscape.js, shows the data it is given, and reports a
// person's actions.
//
// Elements have their own ids (`n:` and `e:` before the id), because nodes and edges may share ids
// in the graph but not here. The viewport moves only by a method. Positions that are not stored are
// found here (`placement.ts`) and kept as long as the node is shown.

import cytoscape from "cytoscape";
import type { Core, EdgeSingular, ElementDefinition, EventObject, NodeSingular, SingularElementReturnValue } from "cytoscape";
import { edgeKey, isLarge, nearest, nodeKey, refOf, rounded, shortened, type Ref, type Selected } from "./canvas-elements";
import { LABEL_PX, LEAST_LABEL_PX, stylesheet, palette, type Mark } from "./canvas-style";
import { mix } from "./colours";
import type { GraphData } from "./graph-data";
import { ANIMATED_NODES, MOVE_MS, NAME_PX, NAME_WIDTH_PX, NAMES_WAIT_MS, PICTURE_SCALE, PICTURE_SIDE, READABLE_ZOOM, ZOOM_LEAST, ZOOM_MOST } from "./limits";
import type { GraphEdge, GraphNode, Patch, Position } from "./model";
import { measure, namesWithRoom } from "./names";
import { nearestInDirection, type Direction } from "./navigation";
import { place, withoutPosition } from "./placement";
import { viewportOf } from "./viewport";

export interface CanvasEvents {
  onSelect(selected: Selected): void;
  onTap(ref: Ref): void;
  /** `ref` is null for the background, where a node may be added at `position`. */
  onDoubleTap(ref: Ref | null, position: Position): void;
  /** `at` is in pixels of the canvas; null when the pointer left. */
  onHover(ref: Ref | null, at: Position): void;
  onViewport(): void;
  /** Reports nodes that a person moved, once for each drag, at its end. */
  onMoved(positions: ReadonlyMap<string, Position>): void;
}

/** The appearance of elements, beyond their data. */
export interface Look {
  colourOf(node: GraphNode): string;
  sizeOf(node: GraphNode): number;
  isShown(item: GraphNode): boolean;
  isEdgeShown(item: GraphEdge): boolean;
}

type Element = SingularElementReturnValue;

export class Canvas {
  private readonly cy: Core;
  private readonly large: boolean;
  private data: GraphData;
  private look: Look;
  private dark: boolean;
  private readonly moved = new Map<string, Position>();
  /** The nodes that this page placed, and for each if a neighbour determined its place. */
  private readonly placedHere = new Map<string, { anchored: boolean }>();
  private selecting = false;
  private readonly widthOf = measure();
  private naming: ReturnType<typeof setTimeout> | null = null;
  /** The elements of the last two taps. */
  private tapped: [unknown, unknown] = [null, null];

  constructor(private readonly container: HTMLElement, private readonly events: CanvasEvents, { data, look, dark, readOnly = false }: { data: GraphData; look: Look; dark: boolean; readOnly?: boolean }) {
    this.data = data;
    this.look = look;
    this.dark = dark;
    this.large = isLarge(data);
    this.cy = cytoscape({
      container,
      style: stylesheet(dark, this.large),
      layout: { name: "preset" },
      minZoom: ZOOM_LEAST,
      maxZoom: ZOOM_MOST,
      boxSelectionEnabled: true,
      autoungrabify: readOnly,
      hideEdgesOnViewport: this.large,
      textureOnViewport: this.large,
      ...(this.large ? { pixelRatio: 1 } : {}),
    });
    this.listen();
    this.show(data);
  }

  destroy(): void {
    if (this.naming !== null) clearTimeout(this.naming);
    this.cy.destroy();
  }

  /** Returns true if this canvas draws in the right way for a graph of this size. */
  suits(data: GraphData): boolean {
    return isLarge(data) === this.large;
  }

  // Shown data.

  /**
   * Shows another state: elements that remain keep their position on the screen and their
   * selection.
   */
  show(data: GraphData): void {
    this.data = data;
    this.cy.batch(() => {
      this.cy.edges().filter((edge) => !data.edges.has(refOf(edge).id)).remove();
      this.cy.nodes().filter((node) => !data.nodes.has(refOf(node).id)).remove();
      this.upsertNodes([...data.nodes.values()], "jump");
      this.upsertEdges([...data.edges.values()]);
    });
    this.nameLater();
  }

  /** Shows a step that is in `data` already. */
  apply(patch: Patch): void {
    this.cy.batch(() => {
      for (const id of patch.edges.deleted) this.removeEdge(id);
      for (const id of patch.nodes.deleted) {
        this.cy.getElementById(nodeKey(id)).remove();
        this.placedHere.delete(id);
      }
      this.upsertNodes(patch.nodes.upserted, "glide");
      this.upsertEdges(patch.edges.upserted);
    });
    this.anchor(patch.edges.upserted);
    this.nameLater();
  }

  /** Applies colours, sizes and filters again. */
  setLook(look: Look): void {
    this.look = look;
    this.cy.batch(() => {
      for (const node of this.data.nodes.values()) {
        const element = this.cy.getElementById(nodeKey(node.id));
        element.data(this.lookOf(node));
        element.toggleClass("hidden", !look.isShown(node));
      }
      for (const edge of this.data.edges.values()) this.cy.getElementById(edgeKey(edge.id)).toggleClass("hidden", !look.isEdgeShown(edge));
    });
    this.nameLater();
  }

  setDark(dark: boolean): void {
    this.dark = dark;
    this.cy.style(stylesheet(dark, this.large));
    this.setLook(this.look);
  }

  /** Highlights the neighbours of the only selected node, with the edges to them. */
  markNeighbours({ nodes, edges }: Selected): void {
    const [id] = nodes.length === 1 && edges.length === 0 ? nodes : [];
    const near: Selected = id === undefined ? { nodes: [], edges: [] } : { nodes: [...this.data.neighboursOf(id)].map((node) => node.id), edges: [...this.data.edgesOf(id)] };
    const kept = new Set([...near.nodes.map(nodeKey), ...near.edges.map(edgeKey)]);
    if (id !== undefined) kept.add(nodeKey(id));
    const hasNeighbours = kept.size > 1;
    this.mark("near", { nodes: near.nodes.filter((other) => other !== id), edges: near.edges });
    this.cy.batch(() => {
      this.cy.elements(".aside").filter((element) => !hasNeighbours || kept.has(element.id())).removeClass("aside");
      if (hasNeighbours) this.cy.elements().filter((element) => !kept.has(element.id())).addClass("aside");
    });
    this.nameLater();
  }

  /** Marks elements and removes the mark from all others. */
  mark(mark: Mark, { nodes, edges }: Selected): void {
    this.cy.batch(() => {
      this.cy.elements(`.${mark}`).removeClass(mark);
      for (const id of nodes) this.cy.getElementById(nodeKey(id)).addClass(mark);
      for (const id of edges) this.cy.getElementById(edgeKey(id)).addClass(mark);
    });
  }

  /** Fades everything but these; without an argument, nothing is faded. */
  fadeOthers(kept: Selected | null): void {
    this.cy.batch(() => {
      this.cy.elements().toggleClass("faded", kept !== null);
      if (kept === null) return;
      for (const id of kept.nodes) this.cy.getElementById(nodeKey(id)).removeClass("faded");
      for (const id of kept.edges) this.cy.getElementById(edgeKey(id)).removeClass("faded");
    });
  }

  setEditable(editable: boolean): void {
    this.cy.autoungrabify(!editable);
  }

  // Selection.

  select({ nodes, edges }: Selected): void {
    const keys = new Set([...nodes.map(nodeKey), ...edges.map(edgeKey)]);
    this.selecting = true;
    this.cy.batch(() => {
      this.cy.elements(":selected").filter((element) => !keys.has(element.id())).unselect();
      for (const key of keys) this.cy.getElementById(key).select();
    });
    this.selecting = false;
  }

  // Viewport.

  fit(): void {
    this.cy.resize();
    const shown = [...this.data.nodes.values()].filter((node) => this.look.isShown(node));
    const viewport = viewportOf(shown.flatMap(({ id }) => this.positionOf(id) ?? []), this.size());
    if (viewport !== null) this.cy.viewport(viewport);
  }

  /** Moves the viewport to the future positions of all nodes. */
  fitToTargets(): void {
    const positions = [...this.data.nodes.values()].map(({ id, position }) => (this.placedHere.has(id) ? (this.positionOf(id) ?? position) : position));
    const viewport = viewportOf(positions, this.size());
    if (viewport !== null) this.cy.animate(viewport, { duration: MOVE_MS, easing: "ease-in-out" });
  }

  zoomBy(factor: number): void {
    const { width, height } = this.container.getBoundingClientRect();
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: { x: width / 2, y: height / 2 } });
  }

  panBy(x: number, y: number): void {
    this.cy.panBy({ x, y });
  }

  /** Scrolls to a node or an edge; the zoom stays unless labels could not be read. */
  reveal({ kind, id }: Ref): void {
    const element = this.cy.getElementById(kind === "node" ? nodeKey(id) : edgeKey(id));
    if (element.empty()) return;
    if (this.cy.zoom() < READABLE_ZOOM) this.cy.zoom(1);
    this.cy.center(element);
  }

  /** Scrolls to a node if it is not in view. */
  keepInView(id: string): void {
    const at = this.pixelsOf(id);
    const { width, height } = this.container.getBoundingClientRect();
    if (at === undefined || (at.x > 0 && at.y > 0 && at.x < width && at.y < height)) return;
    this.reveal({ kind: "node", id });
  }

  /** Handles a container that changed its size or is visible again. */
  resize(): void {
    this.cy.resize();
    this.nameLater();
  }

  // Labels.

  /** Looks for room for labels once the view no longer changes. */
  private nameLater(): void {
    if (this.naming !== null) clearTimeout(this.naming);
    this.naming = setTimeout(() => {
      this.naming = null;
      this.nameNodes();
    }, NAMES_WAIT_MS);
  }

  /** Draws labels if there is room, while the graph is shown too small for all of them. */
  private nameNodes(): void {
    const zoom = this.cy.zoom();
    if (zoom * LABEL_PX >= LEAST_LABEL_PX) {
      this.cy.nodes(".named").removeClass("named");
      return;
    }
    const seen = this.cy.nodes(":visible").map((node) => {
      const { id } = refOf(node);
      const first = node.selected() ? 2e9 : node.hasClass("near") || node.hasClass("match") || node.hasClass("path") ? 1e9 : 0;
      return { id, label: node.data("label") as string, at: node.renderedPosition(), radius: node.renderedWidth() / 2, rank: first + this.data.edgesOf(id).size };
    });
    const named = namesWithRoom(seen, this.size(), this.widthOf);
    const sizes = { nameSize: NAME_PX / zoom, nameWidth: NAME_WIDTH_PX / zoom };
    this.cy.batch(() => {
      this.cy.nodes(".named").filter((node) => !named.has(refOf(node).id)).removeClass("named");
      for (const id of named) this.cy.getElementById(nodeKey(id)).data(sizes).addClass("named");
    });
  }

  /** Returns the size in pixels. */
  size(): { width: number; height: number } {
    return { width: this.cy.width(), height: this.cy.height() };
  }

  /** Returns the zoom, and the position of the origin in pixels. */
  viewport(): { zoom: number; pan: Position } {
    return { zoom: this.cy.zoom(), pan: { ...this.cy.pan() } };
  }

  setViewport({ zoom, pan }: { zoom: number; pan: Position }): void {
    this.cy.viewport({ zoom, pan });
  }

  /** Returns the position in the middle of the view. */
  middle(): Position {
    const { x1, y1, w, h } = this.cy.extent();
    return { x: x1 + w / 2, y: y1 + h / 2 };
  }

  /** Returns the position of a node, in the units of positions. */
  positionOf(id: string): Position | undefined {
    const element = this.cy.getElementById(nodeKey(id));
    return element.empty() ? undefined : { ...(element as unknown as NodeSingular).position() };
  }

  /** Returns the position of a node, in pixels of the canvas. */
  pixelsOf(id: string): Position | undefined {
    const element = this.cy.getElementById(nodeKey(id));
    return element.empty() ? undefined : { ...(element as unknown as NodeSingular).renderedPosition() };
  }

  /** Returns how many nodes have no stored position. */
  countPlacedHere(): number {
    return this.placedHere.size;
  }

  /** Moves nodes without an event: their positions are stored later, or refused. */
  moveBy(ids: readonly string[], { x, y }: Position): Map<string, Position> {
    const moved = new Map<string, Position>();
    this.cy.batch(() => {
      for (const id of ids) {
        const element = this.cy.getElementById(nodeKey(id)) as unknown as NodeSingular;
        if (element.empty()) continue;
        const { x: oldX, y: oldY } = element.position();
        element.position({ x: oldX + x, y: oldY + y });
        moved.set(id, rounded(element.position()));
      }
    });
    return moved;
  }

  /** Moves nodes back to their positions in the graph. */
  resetPositions(ids: Iterable<string>): void {
    for (const id of ids) {
      const node = this.data.nodes.get(id);
      if (node !== undefined && !this.placedHere.has(id)) (this.cy.getElementById(nodeKey(id)) as unknown as NodeSingular).position({ ...node.position });
    }
  }

  /**
   * Returns the nearest visible node in a direction, or any node if there is none to start from.
   */
  neighbourInDirection(from: string | null, direction: Direction): string | null {
    const positions = new Map<string, Position>();
    this.cy.nodes(":visible").forEach((node) => void positions.set(refOf(node).id, node.position()));
    const start = from === null ? undefined : positions.get(from);
    if (start === undefined) return nearest(positions, this.middle());
    positions.delete(from ?? "");
    return nearestInDirection(start, positions, direction);
  }

  /** Makes a PNG of the whole graph. */
  picture(): Promise<Blob> {
    return this.cy.png({ output: "blob-promise", full: true, scale: PICTURE_SCALE, maxWidth: PICTURE_SIDE, maxHeight: PICTURE_SIDE, bg: palette(this.dark).page });
  }

  // Elements.

  private upsertNodes(nodes: readonly GraphNode[], motion: "jump" | "glide"): void {
    const arriving = nodes.filter(({ id }) => this.cy.getElementById(nodeKey(id)).empty());
    const found = this.findPositions(arriving);
    for (const id of found.keys()) this.placedHere.set(id, { anchored: this.data.edgesOf(id).size > 0 });
    this.cy.add(arriving.map((node) => this.nodeElement(node, found.get(node.id) ?? node.position)));
    if (arriving.length === nodes.length) return;
    const arrived = new Set(arriving.map(({ id }) => id));
    const glide = motion === "glide" && nodes.length <= ANIMATED_NODES && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const node of nodes) if (!arrived.has(node.id)) this.updateNode(node, glide);
  }

  /** Finds positions for nodes without one. */
  private findPositions(arriving: readonly GraphNode[]): Map<string, Position> {
    const unplaced = withoutPosition(arriving);
    if (unplaced.length === 0) return new Map();
    const taken = this.takenPositions();
    for (const { id, position } of arriving) taken.set(id, position);
    for (const { id } of unplaced) taken.delete(id);
    return place(unplaced, taken, this.data);
  }

  private takenPositions(): Map<string, Position> {
    const taken = new Map<string, Position>();
    this.cy.nodes().forEach((node) => void taken.set(refOf(node).id, { ...node.position() }));
    return taken;
  }

  private updateNode(node: GraphNode, glide: boolean): void {
    const element = this.cy.getElementById(nodeKey(node.id)) as unknown as NodeSingular;
    element.data({ label: shortened(node.label), ...this.lookOf(node) });
    element.toggleClass("hidden", !this.look.isShown(node));
    element.toggleClass("pinned", node.pinned === true);
    const isPlaced = node.position.x !== 0 || node.position.y !== 0 || node.pinned === true;
    if (this.placedHere.has(node.id) && !isPlaced) return;
    this.placedHere.delete(node.id);
    const { x, y } = element.position();
    // A node that is being dragged keeps its position.
    if (element.grabbed() || (Math.abs(x - node.position.x) < 0.01 && Math.abs(y - node.position.y) < 0.01)) return;
    element.stop(true);
    if (glide) element.animate({ position: { ...node.position } }, { duration: MOVE_MS, easing: "ease-in-out" });
    else element.position({ ...node.position });
  }

  private nodeElement(node: GraphNode, position: Position): ElementDefinition {
    const classes = [...(this.look.isShown(node) ? [] : ["hidden"]), ...(node.pinned === true ? ["pinned"] : [])];
    return { group: "nodes", data: { id: nodeKey(node.id), label: shortened(node.label), ...this.lookOf(node) }, position: { ...position }, classes };
  }

  private lookOf(node: GraphNode): { colour: string; border: string; size: number } {
    const colour = this.look.colourOf(node);
    return { colour, border: mix(colour, this.dark ? "#ffffff" : "#000000", 0.35), size: this.look.sizeOf(node) };
  }

  private upsertEdges(edges: readonly GraphEdge[]): void {
    const added: ElementDefinition[] = [];
    const addedIds = new Set<string>();
    for (const edge of edges) {
      const element = this.cy.getElementById(edgeKey(edge.id)) as unknown as EdgeSingular;
      if (element.nonempty()) this.updateEdge(element, edge);
      else if (this.data.nodes.has(edge.source) && this.data.nodes.has(edge.target)) {
        // A page may have an edge whose end is deleted already; the event that deletes both
        // follows.
        added.push(this.edgeElement(edge));
        addedIds.add(edge.id);
      }
    }
    this.cy.add(added);
    // An edge without parallel edges may have got one.
    for (const edge of edges) {
      for (const id of this.isCrowded(edge) ? this.data.parallelTo(edge) : []) if (!addedIds.has(id)) this.cy.getElementById(edgeKey(id)).addClass("crowded");
    }
  }

  private updateEdge(element: EdgeSingular, edge: GraphEdge): void {
    element.data("label", shortened(edge.label));
    element.toggleClass("hidden", !this.look.isEdgeShown(edge));
    const ends = { source: nodeKey(edge.source), target: nodeKey(edge.target) };
    if (element.data("source") !== ends.source || element.data("target") !== ends.target) element.move(ends);
  }

  /**
   * Makes the element with its classes: a class that is added later costs as much as the element.
   */
  private edgeElement(edge: GraphEdge): ElementDefinition {
    const classes = [...(this.look.isEdgeShown(edge) ? [] : ["hidden"]), ...(this.isCrowded(edge) ? ["crowded"] : [])];
    return { group: "edges", data: { id: edgeKey(edge.id), source: nodeKey(edge.source), target: nodeKey(edge.target), label: shortened(edge.label) }, classes };
  }

  /** Returns true if straight lines would hide the edge or a parallel one. */
  private isCrowded(edge: GraphEdge): boolean {
    return edge.source === edge.target || this.data.parallelTo(edge).size > 1;
  }

  private removeEdge(id: string): void {
    this.cy.getElementById(edgeKey(id)).remove();
  }

  /**
   * Places a node that arrived before its edges beside its neighbour when the first edge arrives.
   */
  private anchor(edges: readonly GraphEdge[]): void {
    const ids = new Set(edges.flatMap(({ source, target }) => [source, target]).filter((id) => this.placedHere.get(id)?.anchored === false));
    if (ids.size === 0) return;
    const taken = this.takenPositions();
    const nodes = [...ids].flatMap((id) => (taken.delete(id) ? (this.data.nodes.get(id) ?? []) : []));
    for (const [id, position] of place(nodes, taken, this.data)) {
      this.placedHere.set(id, { anchored: true });
      (this.cy.getElementById(nodeKey(id)) as unknown as NodeSingular).animate({ position }, { duration: MOVE_MS });
    }
  }

  // Actions of a person.

  private listen(): void {
    const { cy, events } = this;
    cy.on("select unselect", () => this.tellSelection());
    cy.on("tap", "node, edge", ({ target }) => events.onTap(refOf(target as Element)));
    cy.on("tap", ({ target }) => {
      this.tapped = [this.tapped[1], target as unknown];
    });
    cy.on("dbltap", (event) => {
      // Two consecutive taps may be on two elements.
      if (this.tapped[0] === this.tapped[1]) events.onDoubleTap(event.target === cy ? null : refOf(event.target as Element), rounded(event.position));
    });
    cy.on("mouseover", "node, edge", (event) => this.hover(event, true));
    cy.on("mouseout", "node, edge", (event) => this.hover(event, false));
    cy.on("grab", "node", () => events.onHover(null, { x: 0, y: 0 }));
    cy.on("viewport", () => {
      events.onViewport();
      this.nameLater();
    });
    cy.on("position", () => this.nameLater());
    cy.on("dragfree", "node", ({ target }) => this.tellMoved(target as NodeSingular));
  }

  private hover({ target, renderedPosition }: EventObject, over: boolean): void {
    const element = target as Element;
    element.toggleClass("hovered", over);
    this.events.onHover(over ? refOf(element) : null, { ...renderedPosition });
  }

  /**
   * Reports the selection. A box selects many elements with an event for each, so they are reported
   * together.
   */
  private tellSelection(): void {
    if (this.selecting) return;
    this.selecting = true;
    queueMicrotask(() => {
      this.selecting = false;
      const refs = this.cy.elements(":selected").map((element) => refOf(element));
      const of = (kind: Ref["kind"]) => refs.filter((ref) => ref.kind === kind).map(({ id }) => id);
      this.events.onSelect({ nodes: of("node"), edges: of("edge") });
    });
  }

  /**
   * Reports moved nodes. A drag of several nodes ends with an event for each, so they are reported
   * together.
   */
  private tellMoved(node: NodeSingular): void {
    if (this.moved.size === 0) {
      queueMicrotask(() => {
        const moved = new Map(this.moved);
        this.moved.clear();
        this.events.onMoved(moved);
      });
    }
    this.moved.set(refOf(node).id, rounded(node.position()));
  }
}
