async () => helpers.db.query("PRAGMA table_info(cars)")
