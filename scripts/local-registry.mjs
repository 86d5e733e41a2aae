// An npm registry on this machine that has one more package, codemode-database from its tarball,
// and redirects requests for all others to the registry that npm is configured with.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** Starts the registry; resolves with its address and the function that stops it. */
export async function serveTarball(tarball) {
  const content = readFileSync(tarball);
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" }));
  const others = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim().replace(/\/?$/, "/");
  const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
  const requested = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    requested.push(path);
    const origin = `http://${request.headers.host}`;
    const file = `/${manifest.name}/-/${manifest.name}-${manifest.version}.tgz`;
    if (path === file) return response.end(content);
    if (path !== `/${manifest.name}`) return response.writeHead(307, { location: new URL(request.url.slice(1), others).href }).end();
    const dist = { tarball: origin + file, integrity };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name: manifest.name, "dist-tags": { latest: manifest.version }, versions: { [manifest.version]: { ...manifest, dist } } }));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${server.address().port}/`,
    requested,
    stop: () => new Promise((stopped) => {
      server.close(stopped);
      server.closeAllConnections();
    }),
  };
}
