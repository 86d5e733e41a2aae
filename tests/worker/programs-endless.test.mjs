// Programs without an end, in every form that loops, recursion and promises have.

import { after, before, test } from "node:test";
import { Hostile, programs } from "./hostile-programs.mjs";

let hostile;
before(async () => (hostile = await Hostile.start()));
after(() => hostile.stop());

for (const program of await programs("endless")) {
  test(`${program.name} ends in time, and the next program runs`, () => hostile.ends(program));
}
