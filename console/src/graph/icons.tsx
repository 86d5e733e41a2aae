// Icons of the graph page; see ../shared/icons.tsx.

import type { ComponentChildren } from "preact";

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      {children}
    </svg>
  );
}

export const UndoIcon = () => <Icon><path d="M5.500 3L2.500 6l3 3M2.500 6H9a4 4 0 0 1 0 8H6.500" /></Icon>;
export const RedoIcon = () => <Icon><path d="M10.500 3l3 3-3 3M13.500 6H7a4 4 0 0 0 0 8h2.500" /></Icon>;
export const NodeIcon = () => <Icon><circle cx="7" cy="9" r="4.500" /><path d="M12.500 2v5M10 4.500h5" /></Icon>;
export const ConnectIcon = () => <Icon><circle cx="3.500" cy="12.500" r="2" /><circle cx="12.500" cy="3.500" r="2" /><path d="M5 11l6-6" /></Icon>;
export const LayoutIcon = () => <Icon><rect x="6" y="2" width="4" height="3.500" rx=".8" /><rect x="1.500" y="10.500" width="4" height="3.500" rx=".8" /><rect x="10.500" y="10.500" width="4" height="3.500" rx=".8" /><path d="M8 5.500V8M3.500 10.500V8h9v2.500" /></Icon>;
export const GraphIcon = () => <Icon><circle cx="3.500" cy="5" r="1.750" /><circle cx="12.500" cy="4" r="1.750" /><circle cx="8.500" cy="12.500" r="1.750" /><path d="M5.200 4.800l5.500-.6M4.400 6.600l3.200 4.400M11.700 5.700L9.300 10.900" /></Icon>;
export const ListIcon = () => <Icon><path d="M5.500 4h8M5.500 8h8M5.500 12h8M2.500 4h.01M2.500 8h.01M2.500 12h.01" /></Icon>;
export const FitIcon = () => <Icon><path d="M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10" /></Icon>;
export const MinusIcon = () => <Icon><path d="M3 8h10" /></Icon>;
export const SearchIcon = () => <Icon><circle cx="7" cy="7" r="4.250" /><path d="M10.200 10.200L13.500 13.500" /></Icon>;
export const HistoryIcon = () => <Icon><path d="M3 8a5 5 0 1 0 1.600-3.700L3 5.800M3 2.500v3.300h3.300M8 5.500V8l2 1.500" /></Icon>;
export const ChartIcon = () => <Icon><path d="M2.500 13.500h11M4.500 11V8M8 11V3.500M11.500 11V6" /></Icon>;
export const FilterIcon = () => <Icon><path d="M2.500 3.500h11L9.500 8.500V13l-3-1.500V8.500z" /></Icon>;
export const LinkIcon = () => <Icon><path d="M6.500 9.500l3-3M7 5l1.500-1.500a2.800 2.800 0 0 1 4 4L11 9M9 11l-1.500 1.500a2.800 2.800 0 0 1-4-4L5 7" /></Icon>;
export const EditIcon = () => <Icon><path d="M3 13l.7-2.800L10.800 3l2.200 2.200-7.100 7.100zM9.500 4.300l2.200 2.200" /></Icon>;
export const PinIcon = () => <Icon><path d="M8 9.500V14M4.500 9.500h7c0-1.800-1.500-2.500-1.500-3.500V2.500H6V6c0 1-1.500 1.700-1.500 3.500z" /></Icon>;
export const EyeOffIcon = () => <Icon><path d="M2 8s2.200-4 6-4 6 4 6 4-2.200 4-6 4-6-4-6-4zM2.500 13.500l11-11" /></Icon>;
export const KeysIcon = () => <Icon><rect x="1.500" y="4" width="13" height="8.500" rx="1.200" /><path d="M4.500 7h.01M7 7h.01M9.500 7h.01M12 7h.01M5 10h6" /></Icon>;
