/**
 * What the script needs to let a wallet of the browser pay. It fills the empty element with a
 * button for each wallet; without a wallet, or a script, nothing shows.
 */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { FAMILY_ROWS } from '../../../../domain/catalog/family.ts';
import { networkName } from '../display-names.ts';
import type { TextKey } from '../messages/message-keys.ts';
import type { CheckoutView } from '../view.ts';
import { html, type Markup } from './html.ts';

/** By the name of its data attribute. The script puts the wallet's name into `{wallet}`. */
const TEXTS = {
  pay: 'walletPay',
  ask: 'walletAsk',
  sent: 'walletSent',
  again: 'walletAgain',
  rejected: 'walletRejected',
  failed: 'walletFailed',
} as const satisfies Record<string, TextKey>;

/** Null where no wallet of a browser can pay. */
export function walletsOf(
  view: CheckoutView,
  asset: Asset,
  payment: { readonly address: string; readonly units: bigint },
): Markup | null {
  const { home, invoice, tongue, walletNetwork, assets } = view;
  const kind = FAMILY_ROWS[asset.family].browserWallets;
  if (walletNetwork === null || kind === null) return null;
  const texts = Object.entries(TEXTS).map(
    ([name, key]) => html` data-text-${name}="${tongue.say(key, { wallet: '{wallet}' })}"`,
  );
  return html`<div class="wallets" id="wallets" data-kind="${kind}" data-script="${assets.wallets}" data-network="${walletNetwork}" data-to="${payment.address}" data-units="${String(payment.units)}" data-contract="${asset.contract ?? ''}" data-transaction="${home}/${invoice.externalId}/wallet-transaction"${texts} data-text-network="${tongue.say('walletNetwork', { network: networkName(asset) })}" hidden></div>`;
}
