-- The hash over the bytes of a file that a proposal was applied to: an edit is found again at its approval, so it need not be `file_hash`. Whoever
-- writes the edit elsewhere checks it there. Proposals that were applied before have none.
ALTER TABLE code_proposal_files ADD COLUMN applied_to_hash TEXT;
