/** The icons of the page. All are decoration beside words. */
import { Markup } from './html.ts';

const drawn = (paths: string): Markup =>
  new Markup(
    `<svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${paths}</svg>`,
  );

export const ICONS = {
  good: drawn('<path d="M5 12.5l4.5 4.5L19 7.5"/>'),
  warn: drawn('<path d="M12 7v6"/><path d="M12 17h.01"/>'),
  bad: drawn('<path d="M7 7l10 10M17 7L7 17"/>'),
  waiting: drawn('<circle cx="12" cy="12" r="8"/><path d="M12 8v4.5l3 1.5"/>'),
  copy: drawn(
    '<rect x="9" y="9" width="11" height="11" rx="2.5"/><path d="M5 15V6.5A2.5 2.5 0 0 1 7.5 4H15"/>',
  ),
  globe: drawn(
    '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c2.5 2.6 3.8 5.6 3.8 9s-1.3 6.4-3.8 9c-2.5-2.6-3.8-5.6-3.8-9S9.5 5.6 12 3z"/>',
  ),
  out: drawn('<path d="M8 16L18 6M10 6h8v8"/>'),
  swap: drawn('<path d="M7 4L3.5 7.5 7 11M3.5 7.500H20M17 20l3.5-3.500L17 13M20.5 16.500H4"/>'),
  wallet: drawn('<rect x="3" y="6" width="18" height="14" rx="3"/><path d="M3 10h18M16 15h.01"/>'),
  qr: drawn('<path d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2"/>'),
  mail: drawn('<rect x="3" y="5" width="18" height="14" rx="3"/><path d="M4 7.500l8 6 8-6"/>'),
  receipt: drawn('<path d="M6 3.500h12V21l-3-2-3 2-3-2-3 2zM9.500 8.500h5M9.500 12.500h5"/>'),
  network: drawn('<path d="M12 4l9 15.500H3z"/><path d="M12 10v4M12 16.800h.01"/>'),
} as const;

/** The icon of the browser's tab. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#2456d6"/><path d="M9 16.500l5 5 9-10.5" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
