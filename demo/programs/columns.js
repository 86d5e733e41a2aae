// Which column is meant? Where two fit equally well the result is null: guessing would be wrong.
async ({ meanings }) => {
  const found = [];
  for (const [table, meaning] of meanings) {
    found.push({ table, meaning, column: await dbSchema.findColumn(table, meaning) });
  }
  return found;
}
