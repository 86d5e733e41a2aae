-- What is known of a program that ran, as JSON: executionId, durationMs, calls, outcome. NULL for entries about something else.
ALTER TABLE execution_logs ADD COLUMN execution TEXT;
