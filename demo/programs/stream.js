// Row by row: no limit on their number, and never all of them in memory.
async ({ minutes, expected }) => {
  let rows = 0;
  let miles = 0;
  for await (const { distance } of helpers.db.stream("SELECT distance FROM delays WHERE delay > ?", [minutes])) {
    miles += distance;
    rows += 1;
    if (rows % 10_000 === 0) progress(`${rows} flights`, rows / expected);
  }
  console.log(`${rows} flights were late`);
  return { rows, miles };
}
