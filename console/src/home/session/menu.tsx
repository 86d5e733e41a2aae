// A small menu: a button that opens a list of actions. Arrows move in it, Escape closes it.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { DownloadIcon } from "../../shared/icons";

export interface MenuItem {
  text: string;
  run(): void;
}

interface MenuProps {
  /** The purpose of the menu. */
  label: string;
  items: readonly MenuItem[];
  children: ComponentChildren;
}

export function Menu({ label, items, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = () => [...(box.current?.querySelectorAll<HTMLButtonElement>("[role=menuitem]") ?? [])];
  // Before the next painting, because a key may be pressed right after it.
  useLayoutEffect(() => {
    if (!open) return undefined;
    list()[0]?.focus();
    const onPointer = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target) === false) setOpen(false);
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    const all = list();
    const at = all.findIndex((item) => item === document.activeElement);
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all.at(Math.max(at, 0) - 1)?.focus();
    else if (event.key === "Tab") return setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div class="menu" ref={box} onKeyDown={onKeyDown}>
      <button ref={button} type="button" class="quiet small" aria-label={label} title={label} aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)}>{children}</button>
      {open && (
        <div class="menu-list" role="menu" aria-label={label}>
          {items.map(({ text, run }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                run();
              }}
            >
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** A menu of exports. */
export function ExportMenu(props: { label: string; items: readonly MenuItem[] }) {
  return <Menu {...props}><DownloadIcon /></Menu>;
}
