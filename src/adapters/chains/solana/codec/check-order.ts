/** Checks that a payload says what its order says and nothing else, to the last byte. */
import type { SigningTerms } from '../../../../ports/sending/family-signing.ts';
import type { SigningOrder, SigningPayment } from '../../../../ports/sending/signer.ts';
import { type FaultChecks, firstFault } from '../../shared/send/first-fault.ts';
import { paysTo, readUnsigned, tagOf, type UnsignedSolanaTransaction } from './transaction.ts';

const UNITS_MAX = 2n ** 64n;
/**
 * The most lamports that a new token account can take. The network's rent sets them, and no
 * transaction names them. The usual account takes 2,039,280 today; the rest is room for the
 * extensions of Token-2022.
 */
const RENT_MOST = 4_000_000n;

/**
 * The most lamports that the payload can cost, or its fault. The fault does not repeat the payload.
 */
export function checkOrder(
  order: SigningOrder,
  terms: SigningTerms,
): { readonly maxFeeUnits: bigint } | { readonly fault: string } {
  const read = readUnsigned(order.payload);
  if (read === null) return { fault: 'the payload is no unsigned transaction of a kind that is signed' };
  const fault = faultOf(read, order, terms);
  if (fault !== null) return { fault };
  return { maxFeeUnits: read.feeUnits + (read.creates ? RENT_MOST : 0n) };
}

interface CheckedSolanaOrder {
  readonly read: UnsignedSolanaTransaction;
  readonly order: SigningOrder;
  /** The only payment of `order`. */
  readonly payment: SigningPayment;
  readonly terms: SigningTerms;
}

const FAULTS: FaultChecks<CheckedSolanaOrder> = {
  'no transaction of Solana moves nothing': ({ order }) => order.voids,
  'the order does not say until when it is valid': ({ order }) => order.validUntil === null,
  'the order names an amount that there cannot be': ({ payment: { units } }) =>
    units <= 0n || units >= UNITS_MAX,
  'the payload is of another nonce than the order': ({ read, order }) => read.tag !== tagOf(order.nonce),
  'somebody else than the order says pays the fee': ({ read, order }) =>
    read.feePayer !== (order.feePayer ?? order.wallet),
  "the payload does not spend the order's wallet": ({ read, order }) => read.wallet !== order.wallet,
  "the payload does not move the order's asset": ({ read, terms }) =>
    (read.token?.mint ?? null) !== terms.contract,
  'the payload moves a token of other decimals': ({ read, terms }) =>
    read.token !== null && read.token.decimals !== terms.decimals,
  "the payload does not pay the order's recipient": ({ read, payment }) => !paysTo(read, payment.to),
  'the payload moves another amount': ({ read, payment }) => read.units !== payment.units,
  // A sweep closes the account that it empties. The hot wallet's own account stays.
  'the payload ends a token account of the hot wallet': ({ read, order }) =>
    read.closes && order.feePayer === null,
};

/**
 * The first difference between transaction and order, as text; null when they agree in everything.
 */
function faultOf(read: UnsignedSolanaTransaction, order: SigningOrder, terms: SigningTerms): string | null {
  const [payment, ...others] = order.payments;
  if (payment === undefined || others.length > 0 || order.inputs.length > 0)
    return 'a transaction of Solana makes one payment';
  return firstFault(FAULTS, { read, order, payment, terms });
}
