// Files that a page hands to the browser.

/** How long the browser may take to begin with a file that was handed to it. */
const KEEP_MS = 60_000;

/** Hands a file to the browser. */
export function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEEP_MS);
}
