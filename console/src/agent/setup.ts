// Who asks, and about which tables. It is kept in the tab only, as the token is; the session may come with the address, behind the #.

import { listThreads } from "../home/requests";
import { createStore } from "../shared/store";
import type { State, Target } from "./model";

export interface Setup {
  /** Null until somebody chose. */
  target: Target | null;
  /** The thread for which the tables were chosen. */
  thread: string;
  businessId: string;
  userId: string;
}

const KEY = "codemode-agent";
/** The name of a person who has not said one. An access token's subject takes its place. */
const NOBODY = "guest";
const EMPTY: Setup = { target: null, thread: "", businessId: "", userId: NOBODY };

function stored(): Setup {
  let kept: Partial<Setup> = {};
  try {
    kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Setup>;
  } catch {
    // Denied, or not ours: the form begins empty.
  }
  return { ...EMPTY, ...kept };
}

/** What the deployment says of new threads; undefined as long as it has not. */
export interface Deployment {
  /** The language model that writes statements; null where the planner does. */
  model?: string | null;
  /** Whether a question has to name a business. */
  businessRequired?: boolean;
}

export const deployment = createStore<Deployment>({});

/** Asks the deployment. A page that cannot know shows the field for a business only where one is chosen. */
export async function loadDeployment(): Promise<void> {
  const { model, businessRequired } = await listThreads(null);
  deployment.set({ model, businessRequired });
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

/** What a question goes out with. A thread has the business of its first question, and its tables unless somebody chose others for it. */
export function effective(chosen: Setup, thread: string, state: State | null): Setup {
  const own = chosen.thread === thread ? chosen.target : null;
  if (state === null) return { ...chosen, thread, target: own ?? linkedSession() ?? chosen.target };
  return { ...chosen, thread, target: own ?? linkedSession() ?? state.values.target, businessId: state.values.businessId ?? "" };
}
