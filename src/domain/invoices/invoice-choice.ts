/** The customer's choice of asset: when it may be made or changed, and what it changes. An earlier choice keeps its price. Pure. */
import { accepts, receivedUnits } from './invoice.ts';
import type { Invoice, InvoiceChoice } from './invoice-record.ts';

/** Whether the customer may choose at `at`, as far as the invoice itself knows: nothing was paid, and there is time to pay. */
export function mayChoose(invoice: Invoice, at: Date): boolean {
  return (invoice.customerChooses || invoice.price === null) && isUnpaid(invoice, at);
}

/** Nothing was paid, and there is time to pay. */
export function isUnpaid(invoice: Invoice, at: Date): boolean {
  return invoice.status === 'created' && receivedUnits(invoice.funds) === 0n && accepts(invoice, at);
}

/** The earlier choice of an asset, by its key. */
export function chosenBefore(invoice: Invoice, asset: string): InvoiceChoice | null {
  return invoice.earlierChoices.find(({ price }) => price.asset === asset) ?? null;
}

/** The present choice, then the earlier ones. */
export function choicesOf(invoice: Invoice): readonly InvoiceChoice[] {
  const { price, addressTo, permanentAddressId } = invoice;
  if (price === null) return invoice.earlierChoices;
  if (addressTo === null) throw new Error(`invoice ${invoice.id} has an asset and no address`);
  return [{ price, addressTo, permanentAddressId }, ...invoice.earlierChoices];
}

/** The invoice with all of its choices of the assets `here` at another address. */
export function atAddress(invoice: Invoice, addressTo: string, here: (asset: string) => boolean): Invoice {
  const { price, earlierChoices } = invoice;
  return {
    ...invoice,
    addressTo: price !== null && here(price.asset) ? addressTo : invoice.addressTo,
    earlierChoices: earlierChoices.map((one) => (here(one.price.asset) ? { ...one, addressTo } : one)),
  };
}

/** The invoice with `choice` as its present one; what was chosen before it is kept. Nothing must have been paid. */
export function withChoice(invoice: Invoice, choice: InvoiceChoice): Invoice {
  const { asset } = choice.price;
  return {
    ...invoice,
    ...choice,
    initialAsset: invoice.initialAsset ?? asset,
    // Of a payment that disappeared: it was in another asset.
    txid: null,
    addressFrom: null,
    earlierChoices: choicesOf(invoice).filter(({ price }) => price.asset !== asset),
  };
}
