"""What schemathesis has to know to send every body that the description lists. Named in SCHEMATHESIS_HOOKS by tests/worker/openapi.test.mjs."""

import schemathesis

# Media types that schemathesis cannot write itself; their bodies are text.
for media_type in ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "text/csv"):
    schemathesis.serializer.alias(media_type, "text/plain")
