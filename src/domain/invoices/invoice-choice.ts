/**
 * The customer's choice of asset: when it is allowed, and its effect. An earlier choice keeps its
 * price.
 */
import { accepts, receivedUnits } from './invoice.ts';
import type { Invoice, InvoiceChoice } from './invoice-record.ts';

/** Whether the customer may choose now, by the invoice alone: it is unpaid, and has not ended. */
export function mayChoose(invoice: Invoice, at: Date): boolean {
  return (invoice.customerChooses || invoice.price === null) && isUnpaid(invoice, at);
}

/** No payment arrived, and the invoice has not ended. */
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

/** The invoice with another address for its choices of the assets that `here` selects. */
export function atAddress(invoice: Invoice, addressTo: string, here: (asset: string) => boolean): Invoice {
  const { price, earlierChoices } = invoice;
  return {
    ...invoice,
    addressTo: price !== null && here(price.asset) ? addressTo : invoice.addressTo,
    earlierChoices: earlierChoices.map((one) => (here(one.price.asset) ? { ...one, addressTo } : one)),
  };
}

/** The invoice with `choice` as its present one; earlier ones are kept. It must be unpaid. */
export function withChoice(invoice: Invoice, choice: InvoiceChoice): Invoice {
  const { asset } = choice.price;
  return {
    ...invoice,
    ...choice,
    initialAsset: invoice.initialAsset ?? asset,
    // they belong to payments that disappeared, in another asset
    acceptedUnits: null,
    txid: null,
    addressFrom: null,
    earlierChoices: choicesOf(invoice).filter(({ price }) => price.asset !== asset),
  };
}
