// The theme in force: the person's choice, or the system's. Components that draw themselves, such
// as a canvas, listen to `darkness`.

import { applyTheme, storedTheme, storeTheme, type Theme } from "./theme-choice";
import { createStore } from "./store";

const system = matchMedia("(prefers-color-scheme: dark)");

/** The person's choice. */
export const theme = createStore<Theme>(storedTheme());

/** True if the page is dark. */
export const darkness = createStore<boolean>(isDark());

function isDark(): boolean {
  const chosen = theme.get();
  return chosen === "system" ? system.matches : chosen === "dark";
}

system.addEventListener("change", () => darkness.set(isDark()));

/** Chooses a theme, for this and later visits. */
export function chooseTheme(chosen: Theme): void {
  storeTheme(chosen);
  applyTheme(chosen);
  theme.set(chosen);
  darkness.set(isDark());
}
