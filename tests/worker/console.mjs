// A reader of the console blocks of a page: `$ ` lines followed by their output. Commands are read
// like in a shell, as far as the pages need it: quotes, lines that a quote joins, variables. A curl
// command becomes a request, so that no test needs curl.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The content type that `curl -d` sends. */
const FORM = "application/x-www-form-urlencoded";
const VARIABLE = /\$(\w+)/g;
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;
const PART = /'([^']*)'|"([^"]*)"|([^'"]+)/g;

/** Returns true if all quotes are closed. */
function isWhole(command) {
  return command.replace(/'[^']*'|"[^"]*"/g, "").match(/['"]/) === null;
}

function words(command, variables) {
  const expand = (text) => text.replace(VARIABLE, (whole, name) => variables.get(name) ?? whole);
  const word = (text) => text.replace(PART, (_, literal, quoted, plain) => literal ?? expand(quoted ?? plain));
  return (command.match(WORD) ?? []).map(word);
}

/**
 * Returns the commands of a block, each with its words, its output and its line. Assignments are
 * stored in `variables`.
 */
export function commands(block, variables) {
  const found = [];
  const lines = block.text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at].startsWith("$ ")) {
      found.at(-1)?.output.push(lines[at]);
      continue;
    }
    const line = block.line + 1 + at;
    let command = lines[at].slice(2);
    while (!isWhole(command) && at + 1 < lines.length) command += `\n${lines[++at]}`;
    const [, name, value] = /^(\w+)=(\S*)$/.exec(command) ?? [];
    if (name) variables.set(name, value);
    else found.push({ words: words(command, variables), output: [], line });
  }
  return found.map((command) => ({ ...command, output: command.output.join("\n").trim() }));
}

/**
 * Returns the request of a curl command, and `silent` if curl does not print its response: path,
 * init, silent. Files are those of a folder.
 */
export async function curl([, ...rest], folder) {
  const headers = {};
  let method, body, address, silent = false;
  const take = {
    "-s": () => {},
    "-X": () => (method = rest.shift()),
    "-H": () => {
      const [, name, value] = /^(\S+): (.*)$/.exec(rest.shift());
      headers[name.toLowerCase()] = value;
    },
    "-d": () => {
      body = rest.shift();
      headers["content-type"] ??= FORM;
    },
    "--data-binary": async () => (body = await readFile(join(folder, rest.shift().replace(/^@/, "")))),
    "-o": () => (silent = Boolean(rest.shift())),
  };
  while (rest.length > 0) {
    const word = rest.shift();
    if (word.startsWith("-")) {
      if (!take[word]) throw new Error(`curl ${word} is no option that the tests of the pages know`);
      await take[word]();
    } else address = new URL(word);
  }
  return { path: address.pathname + address.search, init: { method: method ?? (body ? "POST" : "GET"), headers, body }, silent };
}
