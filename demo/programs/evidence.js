// Two servers, thousands of records from each. They go into tables, and what comes back is the result.
async ({ since, most }) => {
  const [papers, studies] = await Promise.all([helpers.pubs.list({ limit: 5000 }), helpers.trials.list({ limit: 5000 })]);
  const [paper, study] = [papers.tables[0].name, studies.tables[0].name];
  // What the server calls the date of publication, nobody has said.
  const published = await dbSchema.findColumn(paper, "publication_date");
  await helpers.db.exec(`CREATE INDEX IF NOT EXISTS papers_by_pmid ON ${paper}(pmid)`);
  const rows = await helpers.db.query(
    `SELECT t.conditions->>0 AS condition, count(DISTINCT t.nct_id) AS trials, count(DISTINCT p.pmid) AS papers, max(p.citation_count) AS most_cited
     FROM ${study} AS t, json_each(t.related_pmids) AS link JOIN ${paper} AS p ON p.pmid = link.value
     WHERE t.status = 'COMPLETED' AND t.phase = 'PHASE3' AND p.${published} >= ?
     GROUP BY condition ORDER BY papers DESC, condition LIMIT ?`,
    [since, most],
  );
  return { fetched: { papers: papers.tables[0].rows, studies: studies.tables[0].rows }, published, rows };
}
