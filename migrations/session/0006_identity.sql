-- Which database this is: a session that was deleted and made again has the same name, and another number.
INSERT INTO _codemode_meta (key, value) VALUES ('identity', random());
