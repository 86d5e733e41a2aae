// A button that opens a list of buttons. It closes on Escape, on a choice, and when the focus or
// the pointer leaves it.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

interface MenuProps {
  label: string;
  icon: ComponentChildren;
  /** The side of the button at which the list begins. */
  align?: "left" | "right";
  disabled?: boolean;
  items: readonly { text: string; note?: string; disabled?: boolean; act(): void }[];
}

export function Menu({ label, icon, align = "left", disabled = false, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useId();
  useEffect(() => {
    if (!isOpen) return;
    const outside = (event: Event) => {
      if (event.target instanceof Node && element.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      class="menu"
      ref={element}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <button ref={button} type="button" class="tool" title={label} aria-expanded={isOpen} aria-controls={list} disabled={disabled} onClick={() => setOpen(!isOpen)}>
        {icon}
        <span class="tool-text">{label}</span>
      </button>
      {isOpen && (
        <ul id={list} class={`menu-list menu-${align}`}>
          {items.map(({ text, note, disabled: isDisabled = false, act }) => (
            <li key={text}>
              <button
                type="button"
                class="quiet"
                disabled={isDisabled}
                onClick={() => {
                  close();
                  act();
                }}
              >
                <span>{text}</span>
                {note !== undefined && <span class="note">{note}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
