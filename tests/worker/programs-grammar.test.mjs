// Endless work in each production of the grammar, and calls of the language on much.

import { after, before, test } from "node:test";
import { Hostile, programs } from "./hostile-programs.mjs";

let hostile;
before(async () => (hostile = await Hostile.start()));
after(() => hostile.stop());

for (const program of await programs("grammar")) {
  test(`${program.name} ends in time, and the next program runs`, () => hostile.ends(program));
}
