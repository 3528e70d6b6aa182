/** Heleket: Cryptomus' scheme (cryptomus.ts) with its own chain names and one more status. */
import { type InvoiceState, isFinal } from '../../../domain/invoices/invoice.ts';
import { cryptomusNetworks, cryptomusStatus } from './cryptomus.ts';
import { type NetworkNames, networkNames } from './networks.ts';

export function heleketStatus(invoice: Pick<InvoiceState, 'status' | 'billingType'>): string {
  const awaitsMore = invoice.status === 'partially_paid' && !isFinal(invoice);
  return awaitsMore ? 'wrong_amount_waiting' : cryptomusStatus(invoice.status);
}

/**
 * From its SDK's reference; the names of arbitrum, base, optimism, avalanche and solana are
 * guesses.
 */
const names = networkNames({
  bitcoincash: 'bch',
  xrp: 'ripple',
});

/** Shops that moved from Cryptomus still send its names. */
export const heleketNetworks: NetworkNames = {
  nameOf: names.nameOf,
  chainOf: (name) => names.chainOf(name) ?? cryptomusNetworks.chainOf(name),
};
