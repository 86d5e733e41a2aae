// Files that a page passes to the browser.

/** The time that the browser has to start reading a file. */
const KEEP_MS = 60_000;

/** Passes a file to the browser. */
export function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEEP_MS);
}
