// Helpers for tests of the page /.

/** Drops files onto the page, as a file manager does. */
export function drop(page, ...files) {
  return dropOn(page, "#content", ...files);
}

/** Drops files onto an element. */
export async function dropOn(page, selector, ...files) {
  const transfer = await page.evaluateHandle((given) => {
    const dropped = new DataTransfer();
    for (const { name, bytes } of given) dropped.items.add(new File([new Uint8Array(bytes)], name));
    return dropped;
  }, files.map(({ name, content }) => ({ name, bytes: [...Buffer.from(content)] })));
  await page.dispatchEvent(selector, "dragover", { dataTransfer: transfer });
  await page.dispatchEvent(selector, "drop", { dataTransfer: transfer });
}

export const editor = (page) => page.getByRole("textbox", { name: "SQL editor" });

/** Replaces the SQL in the editor, and runs it. */
export async function runSql(page, sql) {
  await editor(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(sql);
  await page.keyboard.press("ControlOrMeta+Enter");
}

/** Opens a session and waits for its tables. */
export async function openSession(page, worker, session) {
  await page.goto(`${worker.url}/#/sessions/${encodeURIComponent(session)}`);
  await page.getByText("unless it is used").waitFor();
}

/** Returns the text of each cell of a row, counted from 1. */
export function cells(page, row) {
  return page.locator(`[aria-rowindex="${row + 1}"] td`).allTextContents();
}

/** Returns the content of the file that the page downloads after `begin`. */
export async function downloaded(page, begin) {
  const arrived = page.waitForEvent("download").catch(async (cause) => {
    throw new Error(`no file came; the page says: ${await page.locator("body").innerText()}`, { cause });
  });
  const [download] = await Promise.all([arrived, begin()]);
  const pieces = [];
  for await (const piece of await download.createReadStream()) pieces.push(piece);
  return { name: download.suggestedFilename(), text: Buffer.concat(pieces).toString("utf8") };
}
