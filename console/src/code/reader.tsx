// A read-only text, with numbered lines and coloured words.

import { useEffect, useRef } from "preact/hooks";
import { makeReader } from "./reader-setup";

interface ReaderProps {
  text: string;
  path: string;
  label: string;
  firstLine?: number;
  line?: number | null;
}

export function Reader({ text, path, label, firstLine = 1, line = null }: ReaderProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const parent = root.appendChild(document.createElement("div"));
    // The style sheet of the page does not apply in the shadow root.
    parent.style.height = "100%";
    const view = makeReader({ parent, root, text, path, label, firstLine, line });
    return () => {
      view.destroy();
      parent.remove();
    };
  }, [text, path, label, firstLine, line]);
  return <div ref={host} class="reader" />;
}
