-- Approved statements that ran, each once, and undos of them: what was answered, and where the images of the changed rows lie.
-- undo is NULL where nothing can be undone, and then undo_reason says why. Times are milliseconds since 1970.
CREATE TABLE _codemode_approved (
  approval_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  ran_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  undo TEXT,
  undo_bytes INTEGER NOT NULL DEFAULT 0,
  undo_reason TEXT
) WITHOUT ROWID;

-- The changes of rows that triggers have recorded, in their order. bytes is the size of the images so far.
CREATE TABLE _codemode_changes (
  id INTEGER PRIMARY KEY,
  relation INTEGER NOT NULL,
  operation TEXT NOT NULL,
  bytes INTEGER NOT NULL
);

-- Rows before (side 0) and after (side 1) a change, value by value as they were stored: a column without a type converts nothing.
CREATE TABLE _codemode_images (
  relation INTEGER NOT NULL,
  change_id INTEGER NOT NULL,
  side INTEGER NOT NULL,
  part INTEGER NOT NULL,
  v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16,
  v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31, v32,
  v33, v34, v35, v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47, v48,
  v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59, v60, v61, v62, v63, v64,
  PRIMARY KEY (relation, change_id, side, part)
) WITHOUT ROWID;
