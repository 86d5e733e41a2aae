// The theme that a person chose, and its display. The browser stores this choice, and nothing else.

/** `system` follows `prefers-color-scheme`. */
export type Theme = "system" | "light" | "dark";

const KEY = "codemode-theme";

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    // A browser may deny storage altogether.
    return "system";
  }
}

export function storeTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** Applies a theme; `theme.css` has the colours of both. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
