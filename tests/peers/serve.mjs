// Starts every server of the tests and of the demo, prints their URLs as JSON, and serves until it
// is ended.
//
//   node tests/peers/serve.mjs

import { startPublications } from "../../demo/servers/publications.mjs";
import { startTargets } from "../../demo/servers/targets.mjs";
import { startTrials } from "../../demo/servers/trials.mjs";
import { WAYS, startBroken } from "./broken.mjs";
import { KINDS, startPeer } from "./peer.mjs";

const started = async (entries) => Object.fromEntries(await Promise.all(entries.map(async ([name, start]) => [name, (await start()).url])));

const urls = {
  peers: await started([
    ...Object.entries(KINDS).map(([name, options]) => [name, () => startPeer(options)]),
    ["250 tools, 40 on a page, legacy", () => startPeer({ era: "legacy", many: 250, pageSize: 40 })],
    ["250 tools, 40 on a page, modern", () => startPeer({ many: 250, pageSize: 40 })],
  ]),
  demo: await started([
    ["publications", startPublications],
    ["trials", startTrials],
    ["targets, modern", startTargets],
    ["targets, legacy", () => startTargets({ era: "legacy" })],
  ]),
  broken: await started(WAYS.map((way) => [way, () => startBroken(way)])),
};
console.log(JSON.stringify(urls, null, 2));
// The servers do not keep the process alive, so this timer does.
setInterval(() => {}, 2 ** 30);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(0));
