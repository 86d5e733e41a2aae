// The guard that most hand-written services have: a list of words. It refuses honest statements
// that contain such a word in a text, and it can be evaded; it is here because without it the peer
// would be cheaper than deployed services.

const ALLOWED_START = /^\s*(?:select|with|values|insert|replace|update|delete|create|alter|drop)\b/i;
const BLOCKED_WORD = /\b(?:attach|detach|pragma|vacuum|reindex|analyze|begin|commit|rollback|savepoint|release|trigger|load_extension)\b/i;

export function checkStatement(sql) {
  if (typeof sql !== "string" || !ALLOWED_START.test(sql) || BLOCKED_WORD.test(sql)) {
    throw new RequestError("SQL_BLOCKED", "this statement is not allowed");
  }
}

export class RequestError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
