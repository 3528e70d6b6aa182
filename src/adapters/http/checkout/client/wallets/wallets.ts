/**
 * Buttons for the wallets of the browser. The page believes no wallet: it shows what the server
 * sees on the chain. After a wallet has sent, the buttons are gone until something else is due or
 * the customer wants to pay again, so that nobody pays twice by accident.
 */
import type { ScriptParts } from '../parts.ts';
import { announcedWallets } from './eip6963.ts';
import { type Order, Unpaid, type Wallet } from './order.ts';
import { standardWallets } from './standard.ts';
import { tronLinkWallets } from './tronlink.ts';

interface Parts extends Omit<ScriptParts, 'refresh'> {
  readonly area: HTMLElement;
}

const FINDERS: Readonly<Record<string, (add: (wallet: Wallet) => void, ended: AbortSignal) => void>> = {
  eip6963: announcedWallets,
  tronlink: tronLinkWallets,
  wallet_standard: standardWallets,
};
/** In the session's storage: what was due when a wallet sent. */
const SENT = 'wallet-sent';

/** It outlives the content of the page, which is replaced while a wallet asks its owner. */
type Standing =
  | { readonly kind: 'ready'; readonly text: string }
  | { readonly kind: 'asking'; readonly wallet: string }
  | { readonly kind: 'sent'; readonly due: string };

let standing: Standing = remembered();
let draw: () => void = () => undefined;

export function offerWallets({ main, area, announce, ended }: Parts): void {
  const text = (name: string, wallet = ''): string =>
    (area.dataset[`text${name}`] ?? '').replace('{wallet}', wallet);
  // Not the page's state: that changes for other reasons, too, as when the network is read late.
  const { contract, to, units } = area.dataset;
  const due = [main.dataset.live, contract, to, units].join(' ');
  if (standing.kind === 'sent' && standing.due !== due) standing = { kind: 'ready', text: '' };

  const payers: HTMLButtonElement[] = [];
  const said = document.createElement('p');
  said.className = 'note';
  const again = button(text('Again'), 'button quiet');
  again.addEventListener('click', () => become({ kind: 'ready', text: '' }));
  area.append(said, again);

  draw = (): void => {
    for (const payer of payers) {
      payer.hidden = standing.kind === 'sent';
      payer.disabled = standing.kind === 'asking';
    }
    again.hidden = standing.kind !== 'sent';
    const words = wordsOf(standing, text);
    if (words !== said.textContent && words !== '') announce(words);
    said.textContent = words;
  };

  async function pay(wallet: Wallet): Promise<void> {
    become({ kind: 'asking', wallet: wallet.name });
    try {
      await wallet.pay(orderOf(area));
      become({ kind: 'sent', due });
    } catch (error) {
      become({ kind: 'ready', text: error instanceof Unpaid ? error.why : 'failed' });
    }
  }

  function add(wallet: Wallet): void {
    const payer = button(text('Pay', wallet.name), 'button main');
    payer.addEventListener('click', () => void pay(wallet));
    payers.push(payer);
    said.before(payer);
    area.hidden = false;
    draw();
  }

  FINDERS[area.dataset.kind ?? '']?.(add, ended);
}

function wordsOf(at: Standing, text: (name: string, wallet?: string) => string): string {
  switch (at.kind) {
    case 'asking':
      return text('Ask', at.wallet);
    case 'sent':
      return text('Sent');
    default:
      return at.text === '' ? '' : text(at.text.charAt(0).toUpperCase() + at.text.slice(1));
  }
}

/** A browser without storage forgets at a reload what was sent. */
function become(next: Standing): void {
  standing = next;
  try {
    if (next.kind === 'sent') sessionStorage.setItem(SENT, next.due);
    else sessionStorage.removeItem(SENT);
  } catch {}
  draw();
}

function remembered(): Standing {
  try {
    const due = sessionStorage.getItem(SENT);
    if (due !== null) return { kind: 'sent', due };
  } catch {}
  return { kind: 'ready', text: '' };
}

function button(words: string, className: string): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = className;
  made.textContent = words;
  return made;
}

/** As the page shows it now: after a part was paid it asks for the rest. */
function orderOf({ dataset }: HTMLElement): Order {
  return {
    network: dataset.network ?? '',
    to: dataset.to ?? '',
    units: BigInt(dataset.units ?? '0'),
    contract: dataset.contract ?? '',
    async unsigned(from) {
      const answer = await fetch(`${dataset.transaction ?? ''}?from=${encodeURIComponent(from)}`, {
        cache: 'no-store',
      });
      if (!answer.ok) throw new Error(String(answer.status));
      const { transaction } = (await answer.json()) as { transaction: string };
      return Uint8Array.from(atob(transaction), (character) => character.charCodeAt(0));
    },
  };
}
