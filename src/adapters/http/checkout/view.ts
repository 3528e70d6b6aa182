/** Everything that a page about an invoice is made of, read once before it is rendered. */
import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { AddressParts } from '../../../ports/chains/address-deriver.ts';
import type { Brand, CheckoutPayment } from '../../../ports/checkout/checkout-queries.ts';
import type { Translator } from './messages/i18n.ts';
import type { Language } from './messages/languages.ts';
import type { Markup } from './page/html.ts';
import type { Stage } from './status-view.ts';

/** What every page of the checkout needs, also one without an invoice. */
export interface PageFrame {
  /** Path of the checkout's own addresses, as the customer's browser sees it. */
  readonly home: string;
  readonly tongue: Translator;
  /** The language of `?lang=`, which links and forms carry on; null when the browser's preference decided. */
  readonly switched: Language | null;
  /** Addresses of stylesheet, script and icon. */
  readonly assets: { readonly style: string; readonly script: string; readonly icon: string };
}

export interface CheckoutView extends PageFrame {
  readonly invoice: Invoice;
  readonly stage: Stage;
  /** The live state that was read before the invoice. */
  readonly state: string;
  readonly catalog: AssetCatalog;
  /** Of the invoice's address, where it has some (XRP). */
  readonly parts: AddressParts | null;
  /** Of the network that is paid on (EIP-155); null: the main one, or outside evm, or where nothing is chosen. */
  readonly chainId: number | null;
  readonly choices: readonly Choice[];
  readonly payments: readonly ShownPayment[];
  /** The asset whose payments are seen late at present, where that matters to this invoice. */
  readonly seenLate: Asset | null;
  readonly brand: Brand | null;
  readonly now: Date;
  /** Why the last request was refused. */
  readonly problem: Markup | null;
}

export interface Choice {
  readonly asset: Asset;
  readonly feeMicroUsd: bigint | null;
}

export interface ShownPayment extends CheckoutPayment {
  readonly confirmationsNeeded: number | null;
  readonly explorer: string | null;
}

/** Path of the invoice's page, with the language that was switched to. */
export function pagePath(home: string, externalId: string, switched: Language | null): string {
  return `${home}/${externalId}${switched === null ? '' : `?lang=${switched}`}`;
}
