// Steps a cursor in JavaScript, so that WebAssembly makes one call for many rows, or for a whole
// statement, instead of several calls for each row.

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

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Runs a statement with its bound values.
 *
 * @param {SqlStorage} sql
 * @param {string} text
 * @param {string | unknown[]} binds a list, or a list as JSON; empty for none
 */
function executed(sql, text, binds) {
  if (binds.length === 0) return sql.exec(text);
  return sql.exec(text, ...(typeof binds === "string" ? JSON.parse(binds) : binds));
}

/**
 * Runs a statement that has one row at most, of bytes and a number, and closes it.
 *
 * @param {SqlStorage} sql
 * @param {string} text
 * @param {string | unknown[]} binds
 * @param {Float64Array} numbers becomes: rows read and written until the first step, 1 if there is
 * a row, its number, and the length of its bytes in `room`
 * @param {Uint8Array} room for the bytes
 * @returns {Uint8Array | string | undefined} bytes that are too long for `room`, or the engine's
 * error
 */
export function onlyRow(sql, text, binds, numbers, room) {
  /** @type {SqlStorageCursor<any> | undefined} */
  let cursor;
  const count = () => {
    if (cursor === undefined) return;
    numbers[0] = cursor.rowsRead;
    numbers[1] = cursor.rowsWritten;
  };
  try {
    cursor = executed(sql, text, binds);
    const rows = cursor.raw();
    const { done, value } = rows.next();
    count();
    if (done) return undefined;
    close(cursor, rows);
    numbers[2] = 1;
    numbers[3] = Number(value[1]);
    const bytes = new Uint8Array(/** @type {ArrayBuffer} */ (value[0]));
    if (bytes.length > room.length) return bytes;
    room.set(bytes);
    numbers[4] = bytes.length;
    return undefined;
  } catch (error) {
    count();
    // The cursor would begin again.
    if (cursor !== undefined) close(cursor, undefined);
    return words(error);
  }
}

/**
 * Closes a cursor. A statement without a further row ends with a step.
 *
 * @param {SqlStorageCursor<any>} cursor
 * @param {Iterator<unknown[]> | undefined} rows
 */
function close(cursor, rows) {
  try {
    if (rows === undefined || !rows.next().done) cursor.one();
  } catch {
    // one() throws if there is more than one row, and the cursor is closed.
  }
}

/**
 * Runs a write without rows, and counts the rows that it has changed.
 *
 * @param {SqlStorage} sql
 * @param {string} text
 * @param {string | unknown[]} binds
 * @param {Float64Array} numbers becomes: rows read, rows written, rows changed
 * @returns {string | undefined} the engine's error
 */
export function write(sql, text, binds, numbers) {
  try {
    const cursor = executed(sql, text, binds);
    numbers[0] = cursor.rowsRead;
    numbers[1] = cursor.rowsWritten;
    const counted = sql.exec("SELECT changes()").raw();
    numbers[2] = Number(counted.next().value?.[0]);
    counted.next();
    return undefined;
  } catch (error) {
    return words(error);
  }
}
