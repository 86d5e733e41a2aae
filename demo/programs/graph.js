async ({ session, conversation }) => {
  const [papers, studies] = await Promise.all([helpers.pubs.list({ limit: 5000 }), helpers.trials.list({ limit: 5000 })]);
  const [paper, study] = [papers.tables[0].name, studies.tables[0].name];
  await helpers.db.exec(`CREATE INDEX IF NOT EXISTS ${paper}_by_pmid ON ${paper}(pmid)`);
  return await helpers.graph(conversation).importFromQuery({
    session,
    sql: `SELECT t.nct_id, t.title, t.conditions->>0 AS condition, p.pmid, p.title AS paper, p.year
          FROM ${study} AS t CROSS JOIN json_each(t.related_pmids) AS link CROSS JOIN ${paper} AS p ON p.pmid = link.value
          WHERE t.status = 'COMPLETED' AND t.phase = 'PHASE3'`,
    nodes: [
      { id: "nct_id", label: "title", type: { value: "trial" } },
      { id: "pmid", label: "paper", type: { value: "publication" }, data: ["year"] },
      { id: "condition", label: "condition", type: { value: "disease" } },
    ],
    edges: [
      { source: "nct_id", target: "pmid", label: { value: "cites" } },
      { source: "nct_id", target: "condition", label: { value: "studies" } },
    ],
  });
};
