// The effect of undo and redo, from the steps of the history. Undo is last in, first out, so it
// follows from the kinds of the steps.

import type { ChangeEvent, Step } from "./model";

/** Returns true if undo can revert the step. */
const isDone = ({ kind, undone }: Step) => !undone && (kind === "edit" || kind === "restore");

/** Returns the step that undo would revert; undefined if it is older than the known steps. */
export function undoable(steps: readonly Step[]): Step | undefined {
  return steps.find(isDone);
}

/**
 * Returns the step that redo would repeat: the oldest undone one after the newest that is still in
 * effect.
 */
export function redoable(steps: readonly Step[]): Step | undefined {
  const newest = steps.findIndex(isDone);
  return steps.slice(0, newest === -1 ? steps.length : newest).findLast(({ undone, kind }) => undone && kind !== "undo" && kind !== "redo");
}

/** Returns the steps after an event, newest first. */
export function withEvent(steps: readonly Step[], { version, kind, description, createdAt, actor }: ChangeEvent): Step[] {
  if (steps.some((step) => step.version === version)) return [...steps];
  const touched = kind === "undo" ? undoable(steps) : kind === "redo" ? redoable(steps) : undefined;
  const known = steps.map((step) => (step === touched ? { ...step, undone: !step.undone } : step));
  return [{ version, kind, description, createdAt, actor, undone: false }, ...known];
}
