// Tests of endless programs, in every form of loops, recursion, promises and iterators, and of
// language functions on texts of 30 million characters.

import { after, before, test } from "node:test";
import { Hostile, programs } from "./hostile-programs.mjs";

let hostile;
before(async () => (hostile = await Hostile.start()));
after(() => hostile.stop());

for (const program of [...(await programs("endless")), ...(await programs("iterators")), ...(await programs("long"))]) {
  test(`${program.name} ends in time, and the next program runs`, () => hostile.ends(program));
}
