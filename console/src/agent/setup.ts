// Who asks, and about which tables. It is kept in the tab only, as the token is; the session may come with the address, behind the #.

import { deploymentSettings } from "../home/requests";
import { createStore } from "../shared/store";
import type { State, Target } from "./model";

export interface Setup {
  /** Null until somebody chose. */
  target: Target | null;
  /** The thread for which the tables were chosen. */
  thread: string;
  businessId: string;
  userId: string;
  /** Whether the person left the business to the access token. */
  isBusinessOfToken: boolean;
}

const KEY = "codemode-agent";
/** The name of a person who has not said one. An access token's subject takes its place. */
export const NOBODY = "guest";
const EMPTY: Setup = { target: null, thread: "", businessId: "", userId: NOBODY, isBusinessOfToken: false };

function stored(): Setup {
  let kept: Partial<Setup> = {};
  try {
    kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Setup>;
  } catch {
    // Denied, or not ours: the form begins empty.
  }
  return { ...EMPTY, ...kept };
}

/** The settings of the deployment for new threads; a field that could not be read is undefined. */
export interface Deployment {
  /** The language model that writes statements; null where the planner does. */
  model?: string | null;
  /** Whether a question has to name a business. */
  businessRequired?: boolean;
}

/** Null until they came, or could not be read. */
export const deployment = createStore<Deployment | null>(null);

/** Asks the deployment. Where it does not say them, the page asks for nothing, and the server says what is missing. */
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

/** The session that the address names. */
export function linkedSession(): Target | null {
  const session = new URLSearchParams(location.hash.slice(1)).get("session");
  return session === null ? null : { session };
}

/** The setup that a question goes out with. A thread has the business of its first question, and its tables unless somebody chose others for it. */
export function effective(chosen: Setup, thread: string, state: State | null): Setup {
  const own = chosen.thread === thread ? chosen.target : null;
  if (state === null) return { ...chosen, thread, target: own ?? linkedSession() ?? chosen.target };
  return { ...chosen, thread, target: own ?? linkedSession() ?? state.values.target, businessId: state.values.businessId ?? "" };
}

/** Whether a question can go out: its tables are chosen, and its business where it has to name one. */
export function isReady({ target, businessId, isBusinessOfToken }: Setup, state: State | null, { businessRequired }: Deployment): boolean {
  return target !== null && (state !== null || businessRequired !== true || businessId !== "" || isBusinessOfToken);
}
