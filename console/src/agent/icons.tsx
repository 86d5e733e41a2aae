// Icons of this page, as those of shared/icons.tsx.

import { Icon } from "../shared/icons";

export const SendIcon = () => <Icon><path d="M8 13V3M3.500 7.500L8 3l4.500 4.500" /></Icon>;
export const CheckIcon = () => <Icon><path d="M3 8.500l3.500 3.500L13 4.500" /></Icon>;
export const PencilIcon = () => <Icon><path d="M3 13l.8-3.200L11 2.600l2.400 2.400-7.200 7.200z" /></Icon>;
export const UndoIcon = () => <Icon><path d="M3 6.500h6.500a3.500 3.500 0 0 1 0 7H6M5.500 4L3 6.500L5.500 9" /></Icon>;
export const HistoryIcon = () => <Icon><circle cx="8" cy="8" r="5.500" /><path d="M8 5v3l2 1.500" /></Icon>;
export const ShieldIcon = () => <Icon><path d="M8 2l5 2v3.500c0 3-2 5.200-5 6.500-3-1.300-5-3.500-5-6.500V4z" /></Icon>;
export const MemoryIcon = () => <Icon><path d="M4 2.500h8v11L8 10.500l-4 3z" /></Icon>;
