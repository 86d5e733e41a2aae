// Verifies access tokens of the OAuth issuer: signature, issuer, audience and times. The platform
// provides the cryptography (WebCrypto), and the library jose uses it.

import { createLocalJWKSet, decodeJwt, errors, jwtVerify } from "jose";

/** @typedef {import("jose").JWTVerifyOptions} Options */

/** The names of failures for WebAssembly; every other failure is a token that cannot be read. */
const PROBLEMS = new Map([
  [errors.JWTExpired.code, "expired"],
  [errors.JWKSNoMatchingKey.code, "key"],
  [errors.JWSSignatureVerificationFailed.code, "signature"],
  [errors.JOSEAlgNotAllowed.code, "algorithm"],
  [errors.JWKSInvalid.code, "unusable"],
]);

/** The names of failures for a claim that is missing or wrong. */
const CLAIMS = new Map([
  ["iss", "issuer"],
  ["aud", "audience"],
  ["exp", "expiry"],
  ["nbf", "early"],
]);

/**
 * Verifies a token without a key id: tries each key of the right type until one fits.
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
        // A key that cannot be used is not the token's fault.
        if (failure instanceof errors.JOSEError && !(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** @param {unknown} error */
function problemOf(error) {
  if (error instanceof errors.JWTClaimValidationFailed) return CLAIMS.get(error.claim);
  // An exception that does not come from jose was thrown while a key was imported.
  return error instanceof errors.JOSEError ? PROBLEMS.get(error.code) : "unusable";
}

/**
 * Verifies a token and returns the outcome as JSON: `{"claims","type"}`, or `{"problem"}`.
 *
 * The keys are imported for each token, because jose caches an import as a promise, which belongs
 * to the request that made it.
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
    // Checked before the key is looked up, because a token of another issuer is no reason to
    // request a new key from ours.
    if (decodeJwt(token).iss !== options.issuer) return JSON.stringify({ problem: "issuer" });
    const { payload, protectedHeader } = await withEachKey(token, createLocalJWKSet(JSON.parse(keys)), options);
    return JSON.stringify({ claims: payload, type: protectedHeader.typ });
  } catch (error) {
    return JSON.stringify({ problem: problemOf(error) ?? "malformed" });
  }
}
