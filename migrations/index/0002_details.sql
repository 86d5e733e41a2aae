-- What a list shows of an object beside its size and last use: a JSON object, or NULL.
ALTER TABLE objects ADD COLUMN details TEXT;
