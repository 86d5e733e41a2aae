async () => helpers.db.query("SELECT name, type FROM pragma_table_info('cars')")
