// Verifies access tokens of the OAuth issuer: signature, issuer, audience and times. The cryptography is the platform's (WebCrypto), and what
// is made of it is the library jose.

import { createLocalJWKSet, decodeJwt, errors, jwtVerify } from "jose";

/** @typedef {import("jose").JWTVerifyOptions} Options */

/** What WebAssembly knows a failure by; everything else is a token that cannot be read. */
const PROBLEMS = new Map([
  [errors.JWTExpired.code, "expired"],
  [errors.JWKSNoMatchingKey.code, "key"],
  [errors.JWSSignatureVerificationFailed.code, "signature"],
  [errors.JOSEAlgNotAllowed.code, "algorithm"],
  [errors.JWKSInvalid.code, "unusable"],
]);

/** The same, for a claim that is missing or not what it must be. */
const CLAIMS = new Map([
  ["iss", "issuer"],
  ["aud", "audience"],
  ["exp", "expiry"],
  ["nbf", "early"],
]);

/**
 * A token that names no key may be signed with any of its kind.
 *
 * @param {string} token
 * @param {ReturnType<typeof createLocalJWKSet>} keys
 * @param {Options} options
 */
async function withEachKey(token, keys, options) {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        // A key that cannot be used is none of the token's faults.
        if (failure instanceof errors.JOSEError && !(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** @param {unknown} error */
function problemOf(error) {
  if (error instanceof errors.JWTClaimValidationFailed) return CLAIMS.get(error.claim);
  // What is no error of jose is one of importing a key.
  return error instanceof errors.JOSEError ? PROBLEMS.get(error.code) : "unusable";
}

/**
 * The outcome as JSON: `{"claims","type"}` of a token that is verified, or `{"problem"}`.
 *
 * The keys are imported for each token: what jose remembers of an import is a promise, which belongs to the request that made it.
 *
 * @param {string} keys a key set as JSON
 * @param {string} token
 * @param {string} rules the options of jose as JSON
 * @returns {Promise<string>}
 */
export async function verifyToken(keys, token, rules) {
  try {
    /** @type {Options & {issuer: string}} */
    const options = { ...JSON.parse(rules), requiredClaims: ["exp"] };
    // Before its key is looked for: a token of another issuer is no reason to ask ours for a new one.
    if (decodeJwt(token).iss !== options.issuer) return JSON.stringify({ problem: "issuer" });
    const { payload, protectedHeader } = await withEachKey(token, createLocalJWKSet(JSON.parse(keys)), options);
    return JSON.stringify({ claims: payload, type: protectedHeader.typ });
  } catch (error) {
    return JSON.stringify({ problem: problemOf(error) ?? "malformed" });
  }
}
