// An OAuth issuer on 127.0.0.1: oidc-provider, which issues access tokens as JWTs to clients that show their secret, for the resource that they
// ask for. Its keys are at hand, so that a test can also sign what no issuer would.

import { createServer } from "node:http";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

/** The secret of every client. */
const SECRET = "secret-of-each-client-0123456789";

/** A key pair of RS256 with an id. */
export async function keyPair(kid) {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { kid, publicKey, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" } };
}

export class Issuer {
  /**
   * @param {object} [options]
   * @param {string[]} [options.clients] their ids, which are the `sub` of their tokens
   * @param {string} [options.scope] what a token may be asked for
   * @param {(token: {clientId: string}) => object} [options.claims] further claims of a client's tokens
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

  /** From now on it has this key alone. */
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

  /** An access token of a client. */
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

  /** A token with these claims and this header, by default such as the issuer itself would sign. */
  async sign(claims, { key = this.key, header = {} } = {}) {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.url, sub: "acme", iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "at+jwt", ...header })
      .sign(key.privateKey);
  }

  /** Requests for what a path begins with. */
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

/** A server that does what `handle` says instead of what an issuer does. */
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
