/** The data of an invoice's page, read once before it is rendered. */
import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { AddressParts } from '../../../ports/chains/address-deriver.ts';
import type { Brand, CheckoutPayment } from '../../../ports/checkout/checkout-queries.ts';
import type { AssetName } from './assets.ts';
import type { TillOfBrowser } from './links/till-cookie.ts';
import type { Language } from './messages/languages.ts';
import type { Translator } from './messages/translator.ts';
import type { Markup } from './page/html.ts';
import type { Stage } from './status-view.ts';

/** What every page of the checkout needs, with or without an invoice. */
export interface PageFrame {
  /** Path of the checkout, as the customer's browser sees it. */
  readonly home: string;
  readonly tongue: Translator;
  /** The same page in the merchant's language, if neither switch nor browser names one of ours. */
  readonly spokenBy: (merchant: Pick<Brand, 'language'> | null) => PageFrame;
  /**
   * The language of `?lang=`, which links and forms keep. Null: the browser's preference decides.
   */
  readonly switched: Language | null;
  /** Paths of the page's files. */
  readonly assets: Readonly<Record<AssetName, string>>;
  readonly till: TillOfBrowser;
}

export interface CheckoutView extends PageFrame {
  readonly invoice: Invoice;
  readonly stage: Stage;
  /** The live state that was read before the invoice. */
  readonly state: string;
  readonly catalog: AssetCatalog;
  /** Account and tag of the invoice's address (XRP). Null elsewhere. */
  readonly parts: AddressParts | null;
  /**
   * Chain id (EIP-155) of the chosen network. Null on a mainnet, outside EVM, and before the
   * choice.
   */
  readonly chainId: number | null;
  /** What wallets call the chosen network. Null where none in a browser can pay. */
  readonly walletNetwork: string | null;
  readonly choices: readonly AssetChoice[];
  readonly payments: readonly ShownPayment[];
  /** The invoice's asset, while its payments are seen late. Null otherwise. */
  readonly seenLate: Asset | null;
  readonly brand: Brand | null;
  /** The page leads to a refund. */
  readonly refund: boolean;
  readonly now: Date;
  /** Why the last form was refused. */
  readonly problem: Markup | null;
}

export interface AssetChoice {
  readonly asset: Asset;
  /** What a transfer costs its sender, in micros of the invoice's currency. Null while unknown. */
  readonly feeMicros: bigint | null;
}

export interface ShownPayment extends CheckoutPayment {
  readonly confirmationsNeeded: number | null;
  readonly explorer: string | null;
}

/** Path of the invoice's page, with the language that was switched to. */
export function pagePath(home: string, externalId: string, switched: Language | null): string {
  return `${home}/${externalId}${switched === null ? '' : `?lang=${switched}`}`;
}
