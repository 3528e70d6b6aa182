/** Loads the code for wallets of the browser once one of them shows itself. */
import type { ScriptParts } from '../parts.ts';

/** The event that asks wallets to show themselves, and the one by which they do. */
const EVENTS: Readonly<Record<string, readonly [asks: string, shows: string]>> = {
  eip6963: ['eip6963:requestProvider', 'eip6963:announceProvider'],
  wallet_standard: ['wallet-standard:app-ready', 'wallet-standard:register-wallet'],
  tronlink: ['', 'tronLink#initialized'],
};

export function findWallets({ main, announce, ended }: ScriptParts): void {
  const area = main.querySelector<HTMLElement>('#wallets');
  const events = EVENTS[area?.dataset.kind ?? ''];
  if (!area || !events) return;
  let loads = false;
  const load = (): void => {
    if (loads) return;
    loads = true;
    import(area.dataset.script ?? '').then(
      ({ offerWallets }) => ended.aborted || offerWallets({ main, area, announce, ended }),
      () => undefined,
    );
  };
  const [asks, shows] = events;
  addEventListener(shows, load, { signal: ended });
  if (asks !== '') dispatchEvent(new CustomEvent(asks, { detail: { register: load } }));
  if ('tronLink' in window) load();
}
