// A dot in the colour of a type or a community in the canvas. The name beside it tells which.

export function TypeMark({ colour }: { colour: string }) {
  return (
    <svg class="type-mark" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <circle cx="6" cy="6" r="5" fill={colour} stroke="currentColor" stroke-opacity="0.35" />
    </svg>
  );
}
