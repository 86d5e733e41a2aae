// A failure in place of the content that failed: code, message and hint.

import type { ComponentChildren } from "preact";
import type { ApiError } from "./api";

interface FailureProps {
  error: ApiError;
  children?: ComponentChildren;
}

/** Screen readers announce it when it appears. Backticks of hints become code. */
export function Failure({ error, children }: FailureProps) {
  return (
    <div class="failure" role="alert">
      <p>
        <code class="error-code">{error.code}</code> <Marked text={error.message} />
      </p>
      {error.hint !== undefined && <p class="hint"><Marked text={error.hint} /></p>}
      {children}
    </div>
  );
}

/** Renders a text whose `parts in backticks` are code. */
export function Marked({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
