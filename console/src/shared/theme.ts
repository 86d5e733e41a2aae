// The theme in force: the choice of the person, or the system's. What draws by itself, such as a canvas, listens to `darkness`.

import { applyTheme, storedTheme, storeTheme, type Theme } from "./theme-choice";
import { createStore } from "./store";

const system = matchMedia("(prefers-color-scheme: dark)");

/** What the person chose. */
export const theme = createStore<Theme>(storedTheme());

/** Whether the page is dark. */
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
