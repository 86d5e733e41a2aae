// The binding of Workers AI for a Worker outside Cloudflare: the same call over the REST API.

import { WorkerEntrypoint } from "cloudflare:workers";

export default class extends WorkerEntrypoint {
  async run(model, input) {
    const { ACCOUNT, API, TOKEN } = this.env;
    if (ACCOUNT === "" || TOKEN === "") throw new Error("Workers AI needs CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID in the environment of the local server");
    const response = await fetch(`${API}/accounts/${encodeURIComponent(ACCOUNT)}/ai/run/${model}`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    if (!response.ok) throw new Error(`Workers AI returned ${response.status}: ${(await response.text()).slice(0, 1_000)}`);
    return input.stream ? response.body : (await response.json()).result;
  }
}
