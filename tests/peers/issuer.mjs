// An OAuth issuer on 127.0.0.1. It is oidc-provider, which issues access tokens as JWTs to clients
// with the secret, for the requested resource. Its keys are public to the tests, so that a test can
// also sign tokens that no issuer would.

import { createServer } from "node:http";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

/** The secret of every client. */
const SECRET = "secret-of-each-client-0123456789";

/** Makes a key pair of RS256 with an id. */
export async function keyPair(kid) {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { kid, publicKey, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" } };
}

export class Issuer {
  /**
   * @param {object} [options]
   * @param {string[]} [options.clients] their ids, which are the `sub` of their tokens
   * @param {string} [options.scope] the scopes that a token may have
   * @param {(token: {clientId: string}) => object} [options.claims] further claims of a client's
   * tokens
   */
  static async start({ clients = ["acme", "zeta"], scope = "db:read db:write", claims = () => ({}) } = {}) {
    const issuer = new Issuer();
    Object.assign(issuer, { clients, scope, claims, requests: [] });
    issuer.server = createServer((request, response) => {
      issuer.requests.push(request.url);
      issuer.handle(request, response);
    });
    await new Promise((resolve) => issuer.server.listen(0, "127.0.0.1", resolve));
    issuer.url = `http://127.0.0.1:${issuer.server.address().port}`;
    await issuer.useKey(await keyPair("first"));
    return issuer;
  }

  /** Replaces all keys by this one. */
  async useKey(key) {
    this.key = key;
    const { scope, claims } = this;
    const provider = new Provider(this.url, {
      clients: this.clients.map((id) => ({
        client_id: id, client_secret: SECRET, grant_types: ["client_credentials"], redirect_uris: [], response_types: [],
      })),
      jwks: { keys: [key.jwk] },
      scopes: scope.split(" "),
      extraTokenClaims: (_context, token) => claims(token),
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, resource) => ({
            scope, audience: resource, accessTokenFormat: "jwt", accessTokenTTL: 600, jwt: { sign: { alg: "RS256", kid: key.kid } },
          }),
        },
      },
    });
    this.handle = provider.callback();
  }

  /** Requests an access token for a client. */
  async token(client, resource, scope) {
    const response = await fetch(`${this.url}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${client}:${SECRET}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource, ...(scope ? { scope } : {}) }),
    });
    const body = await response.json();
    if (!body.access_token) throw new Error(`no token: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  /** Signs a token with these claims and this header; the defaults are those of the issuer. */
  async sign(claims, { key = this.key, header = {} } = {}) {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.url, sub: "acme", iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "at+jwt", ...header })
      .sign(key.privateKey);
  }

  /** Returns the number of requests whose path has this prefix. */
  count(path) {
    return this.requests.filter((url) => url.startsWith(path)).length;
  }

  secret() {
    return SECRET;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

/** Starts a server that responds with `handle` instead of as an issuer. */
export async function brokenIssuer(handle) {
  const server = createServer(handle);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
