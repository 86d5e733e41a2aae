async ({ table }) => helpers.db.query(`SELECT origin, count(*) AS flights, max(kilometres) AS longest FROM ${table} GROUP BY origin ORDER BY flights DESC, origin LIMIT 3`)
