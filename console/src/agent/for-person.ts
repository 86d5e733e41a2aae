// Errors for a person on this page. Hints that name requests are for programs, so they are left
// out.

import { ApiError } from "../shared/api";

export function forPerson(error: ApiError): ApiError {
  const isForPrograms = error.hint !== undefined && /\b(?:GET|POST) /.test(error.hint);
  if (!isForPrograms) return error;
  const hint = error.status === 409 ? "the page shows its present state" : undefined;
  return new ApiError(error.status, error.code, error.message, hint, error.details);
}
