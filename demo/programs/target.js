async ({ symbol }) => {
  const query = `query Find($symbol: String!) { target(symbol: $symbol) { symbl level ligands(approved: true) { name } } }`;
  return await helpers.targets.graphql_query({ query, variables: { symbol } });
}
