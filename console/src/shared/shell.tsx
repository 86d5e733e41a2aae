// The frame of all pages: the header with the way home, the theme and the token, and the places of
// dialogs and messages.

import "./visible-texts";
import { render, type ComponentChild, type ComponentChildren } from "preact";
import { Confirmations } from "./dialog";
import { MoonIcon, SunIcon, SystemIcon } from "./icons";
import { useStore } from "./store";
import { chooseTheme, theme } from "./theme";
import type { Theme } from "./theme-choice";
import { Toasts } from "./toast";
import { setToken, token } from "./token";
import { TokenQuestion } from "./token-dialog";

/** One step of the way from home to the shown page; the last has no link. */
export interface Crumb {
  text: string;
  href?: string;
}

interface ShellProps {
  crumbs: readonly Crumb[];
  /** Buttons of the page, in the header. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The frame of a page. */
export function Shell({ crumbs, actions, children }: ShellProps) {
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>Skip to the content</a>
      <header class="top">
        <nav aria-label="Where you are">
          <ol class="crumbs">
            <li><a class="brand" href="/">Code Mode Database</a></li>
            {crumbs.map(({ text, href }) => (
              <li key={text}>{href === undefined ? <span aria-current="page">{text}</span> : <a href={href}>{text}</a>}</li>
            ))}
          </ol>
        </nav>
        <div class="top-actions">
          {actions}
          <TokenState />
          <ThemeSwitch />
        </div>
      </header>
      <main id="content" tabIndex={-1}>{children}</main>
      <Confirmations />
      <TokenQuestion />
      <Toasts />
    </>
  );
}

/**
 * Moves the focus to the content. The part of the address after the # may have another meaning on
 * this page, so the link is not followed.
 */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function TokenState() {
  if (useStore(token) === null) return null;
  return <button type="button" class="quiet" title="Remove the token from this tab" onClick={() => setToken(null)}>Remove token</button>;
}

const THEMES: readonly { value: Theme; label: string; icon: () => ComponentChild }[] = [
  { value: "system", label: "System theme", icon: SystemIcon },
  { value: "light", label: "Light theme", icon: SunIcon },
  { value: "dark", label: "Dark theme", icon: MoonIcon },
];

function ThemeSwitch() {
  const chosen = useStore(theme);
  return (
    <div class="switch" role="group" aria-label="Theme">
      {THEMES.map(({ value, label, icon: Icon }) => (
        <button key={value} type="button" class="quiet icon-only" aria-label={label} title={label} aria-pressed={chosen === value} onClick={() => chooseTheme(value)}>
          <Icon />
        </button>
      ))}
    </div>
  );
}

/** Renders a page into its document. */
export function mount(page: ComponentChild): void {
  const place = document.getElementById("app");
  if (place === null) throw new Error("the document has no element #app");
  render(page, place);
}
