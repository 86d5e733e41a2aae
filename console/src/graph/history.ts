// What undo and redo would do, from the steps of the history. Undo is last in, first out: what follows from the kinds of the steps.

import type { ChangeEvent, Step } from "./model";

/** Whether undo can revert it. */
const isDone = ({ kind, undone }: Step) => !undone && (kind === "edit" || kind === "restore");

/** The step that undo would revert, newest first; none where it is older than the steps known here. */
export function undoable(steps: readonly Step[]): Step | undefined {
  return steps.find(isDone);
}

/** The step that redo would repeat: the oldest that was undone behind the newest that stands. */
export function redoable(steps: readonly Step[]): Step | undefined {
  const newest = steps.findIndex(isDone);
  return steps.slice(0, newest === -1 ? steps.length : newest).findLast(({ undone, kind }) => undone && kind !== "undo" && kind !== "redo");
}

/** The steps behind an event, newest first. */
export function withEvent(steps: readonly Step[], { version, kind, description, createdAt, actor }: ChangeEvent): Step[] {
  if (steps.some((step) => step.version === version)) return [...steps];
  const touched = kind === "undo" ? undoable(steps) : kind === "redo" ? redoable(steps) : undefined;
  const known = steps.map((step) => (step === touched ? { ...step, undone: !step.undone } : step));
  return [{ version, kind, description, createdAt, actor, undone: false }, ...known];
}
