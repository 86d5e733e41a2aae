// Icons, drawn in the colour of the text. They repeat the text or label beside them, so screen
// readers skip them.

import type { ComponentChildren } from "preact";

export function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      {children}
    </svg>
  );
}

export const CloseIcon = () => <Icon><path d="M4 4l8 8M12 4l-8 8" /></Icon>;
export const PlayIcon = () => <Icon><path d="M5 3.5v9l7-4.5z" fill="currentColor" /></Icon>;
export const StopIcon = () => <Icon><rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" /></Icon>;
export const PlusIcon = () => <Icon><path d="M8 3v10M3 8h10" /></Icon>;
export const TrashIcon = () => <Icon><path d="M3 4.5h10M6.500 4.500v-1.500h3v1.500M4.500 4.500l.5 8.500h6l.5-8.500" /></Icon>;
export const DownloadIcon = () => <Icon><path d="M8 2.500v7.500M5 7l3 3 3-3M3 13h10" /></Icon>;
export const UploadIcon = () => <Icon><path d="M8 10.500v-7.500M5 6l3-3 3 3M3 13h10" /></Icon>;
export const CopyIcon = () => <Icon><rect x="5.500" y="5.500" width="7.500" height="7.500" rx="1" /><path d="M10.500 5.500v-2.500h-7.500v7.500h2.500" /></Icon>;
export const SunIcon = () => <Icon><circle cx="8" cy="8" r="2.750" /><path d="M8 1.500v1.500M8 13v1.500M1.500 8h1.500M13 8h1.500M3.400 3.400l1.100 1.100M11.500 11.500l1.100 1.100M3.400 12.600l1.100-1.100M11.500 4.500l1.100-1.100" /></Icon>;
export const MoonIcon = () => <Icon><path d="M13 9.500a5.500 5.500 0 0 1-6.500-6.500 5.500 5.500 0 1 0 6.500 6.500z" /></Icon>;
export const SystemIcon = () => <Icon><rect x="2" y="3" width="12" height="8" rx="1" /><path d="M6 14h4M8 11v3" /></Icon>;
export const ChevronIcon = () => <Icon><path d="M6 4l4 4-4 4" /></Icon>;
export const RefreshIcon = () => <Icon><path d="M13 8a5 5 0 1 1-1.500-3.600M13 2.500v3h-3" /></Icon>;
