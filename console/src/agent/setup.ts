// The person who asks, and the tables. Both are kept in the tab only, like the token; the address
// may name the session after the #.

import { deploymentSettings } from "../home/requests";
import { createStore } from "../shared/store";
import type { State, Target } from "./model";

export interface Setup {
  /** The tables; null until they are chosen. */
  target: Target | null;
  /** The thread for which the tables were chosen. */
  thread: string;
  businessId: string;
  userId: string;
  /** True if the person left the business to the access token. */
  isBusinessOfToken: boolean;
}

const KEY = "codemode-agent";
/** The name of a person who has not given one. An access token's subject replaces it. */
export const NOBODY = "guest";
const EMPTY: Setup = { target: null, thread: "", businessId: "", userId: NOBODY, isBusinessOfToken: false };

function stored(): Setup {
  let kept: Partial<Setup> = {};
  try {
    kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Setup>;
  } catch {
    // Denied, or written by another program: the form begins empty.
  }
  return { ...EMPTY, ...kept };
}

/** The settings of the deployment for new threads; a field that could not be read is undefined. */
export interface Deployment {
  /** The language model that writes statements; null if the planner does. */
  model?: string | null;
  /** True if a question has to name a business. */
  businessRequired?: boolean;
}

/** Null until they were read. */
export const deployment = createStore<Deployment | null>(null);

/**
 * Reads the settings of the deployment. If it cannot, the page requires nothing, and the server
 * reports missing fields.
 */
export async function loadDeployment(): Promise<void> {
  deployment.set(await deploymentSettings().catch(() => ({})));
}

export const setup = createStore<Setup>(stored());

export function keepSetup(chosen: Setup): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(chosen));
  } catch {
    // As above: it lasts as long as the page.
  }
  setup.set(chosen);
}

/** Returns the session in the address. */
export function linkedSession(): Target | null {
  const session = new URLSearchParams(location.hash.slice(1)).get("session");
  return session === null ? null : { session };
}

/**
 * Returns the setup that is sent with a question. A thread has the business of its first question,
 * and its tables unless a person chose others for it.
 */
export function effective(chosen: Setup, thread: string, state: State | null): Setup {
  const own = chosen.thread === thread ? chosen.target : null;
  if (state === null) return { ...chosen, thread, target: own ?? linkedSession() ?? chosen.target };
  return { ...chosen, thread, target: own ?? linkedSession() ?? state.values.target, businessId: state.values.businessId ?? "" };
}

/**
 * Returns true if a question can be sent: its tables are chosen, and its business if that is
 * required.
 */
export function isReady({ target, businessId, isBusinessOfToken }: Setup, state: State | null, { businessRequired }: Deployment): boolean {
  return target !== null && (state !== null || businessRequired !== true || businessId !== "" || isBusinessOfToken);
}
