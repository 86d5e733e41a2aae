// Reads a request, or makes a response, in one call from WebAssembly: a call between WebAssembly
// and JavaScript costs as much as the work that it does here.

/** A URL that becomes another one when it is resolved: its path has a backslash, `.` or `..`. */
export const UNRESOLVED = /\\|\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/**
 * Returns the URL of a request as an object sees it. The platform resolves the URLs of requests to
 * objects, but not those of clients.
 *
 * @param {string} url
 */
function resolved(url) {
  return UNRESOLVED.test(url) && URL.canParse(url) ? new URL(url).href : url;
}

/**
 * Returns method, URL and some headers of a request, one per line. No header contains a line break
 * or a NUL; a NUL represents an absent header.
 *
 * @param {Request} request
 * @param {string[]} names
 * @returns {string}
 */
export function readRequest(request, names) {
  const { headers } = request;
  const lines = [request.method, resolved(request.url)];
  for (const name of names) lines.push(headers.get(name) ?? "\0");
  return lines.join("\n");
}

/**
 * Returns the headers of a request whose names have this prefix: a line for each name, in lower
 * case, and one for its value.
 *
 * @param {Request} request
 * @param {string} prefix
 * @returns {string}
 */
export function headersWith(request, prefix) {
  const lines = [];
  for (const [name, value] of request.headers) if (name.startsWith(prefix)) lines.push(name, value);
  return lines.join("\n");
}

/**
 * Returns the whole body.
 *
 * @param {Request} request
 * @returns {Promise<Uint8Array>}
 */
export async function readAll(request) {
  return new Uint8Array(await request.arrayBuffer());
}

/**
 * Makes a response with a whole body. It forbids guessing the type, because a caller's data, opened
 * in a browser, must not be taken for a page.
 *
 * @param {Uint8Array} body a view of the memory of WebAssembly
 * @param {number} status
 * @param {string} contentType
 * @returns {Response}
 */
export function respond(body, status, contentType) {
  const headers = {
    "x-content-type-options": "nosniff",
    "content-type": contentType,
    // The platform sets it itself, except in a response to HEAD.
    "content-length": String(body.length),
  };
  return new Response(body.slice(), { status, headers });
}

/**
 * Sends an object a request.
 *
 * @param {Fetcher} stub
 * @param {string} method
 * @param {string} url
 * @param {string} headers a line for each name and one for its value
 * @param {BodyInit | undefined} body
 * @returns {Promise<Response>}
 */
export function sendTo(stub, method, url, headers, body) {
  const lines = headers.split("\n");
  /** @type {Record<string, string>} */
  const fields = {};
  for (let at = 0; at + 1 < lines.length; at += 2) fields[lines[at]] = lines[at + 1];
  return stub.fetch(url, { method, headers: fields, body });
}
