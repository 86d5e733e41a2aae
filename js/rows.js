// Steps a cursor in JavaScript: one call from WebAssembly for many rows instead of several for each
// row.

/**
 * Takes the first column of up to `maxRows` rows and stops once the text has reached
 * `maxCharacters`. An engine error is returned as a value, because an exception through WebAssembly
 * would end the instance.
 *
 * @param {Iterator<unknown[]>} rows the raw iterator of a SqlStorageCursor
 * @param {number} maxRows
 * @param {number} maxCharacters
 * @param {string} separator between two rows
 * @returns {[string, number, boolean] | string} text, rows, and true if the cursor is at its end;
 * or the engine's error
 */
export function takeText(rows, maxRows, maxCharacters, separator) {
  const texts = [];
  let characters = 0;
  let done = false;
  try {
    while (texts.length < maxRows && characters < maxCharacters) {
      const step = rows.next();
      if (step.done) {
        done = true;
        break;
      }
      const text = String(step.value[0] ?? "");
      texts.push(text);
      characters += text.length + separator.length;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return [texts.join(separator), texts.length, done];
}

/**
 * Returns the next row, or nothing at the end.
 *
 * @param {Iterator<unknown[]>} rows the raw iterator of a SqlStorageCursor
 * @returns {unknown[] | undefined}
 */
export function nextRow(rows) {
  const { done, value } = rows.next();
  return done ? undefined : value;
}
