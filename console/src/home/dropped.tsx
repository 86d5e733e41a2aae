// Files that are dropped on the page, and those that one view passes to the next.

import { useEffect, useRef, useState } from "preact/hooks";

let handed: readonly File[] = [];

/** Keeps files for the next view. */
export function handOver(files: readonly File[]): void {
  handed = files;
}

/** Returns the files that were passed on, once. */
export function takeOver(): readonly File[] {
  const files = handed;
  handed = [];
  return files;
}

/** Shows, while files hover over the page, the effect of a drop. */
export function DropHere({ text }: { text: string }) {
  return <div class="drop-here" aria-hidden="true"><p>{text}</p></div>;
}

/** Returns true while files hover over the page. */
export function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const call = useRef(onFiles);
  call.current = onFiles;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      call.current([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener("dragover", onOver);
    document.addEventListener("dragleave", onLeave);
    document.addEventListener("drop", onDrop);
    return () => {
      document.removeEventListener("dragover", onOver);
      document.removeEventListener("dragleave", onLeave);
      document.removeEventListener("drop", onDrop);
    };
  }, []);
  return over;
}
