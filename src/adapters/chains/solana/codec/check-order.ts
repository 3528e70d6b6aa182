/** Holds a payload against its order: it says what the order says, and nothing else, to the last byte. */
import type { SigningTerms } from '../../../../ports/sending/family-signing.ts';
import type { SigningOrder } from '../../../../ports/sending/signer.ts';
import { paysTo, readUnsigned, tagOf, type UnsignedSolanaTransaction } from './transaction.ts';

const UNITS_MAX = 2n ** 64n;
/**
 * Most lamports that making a token account can take: no transaction says it, the network's rent does. Today's 2,039,280 for the
 * usual account, and room for the extensions of Token-2022.
 */
const RENT_MOST = 4_000_000n;

/** Answers the most lamports it can cost, or what is wrong with it in words that do not repeat the payload. */
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

function faultOf(read: UnsignedSolanaTransaction, order: SigningOrder, terms: SigningTerms): string | null {
  const [payment, ...others] = order.payments;
  if (payment === undefined || others.length > 0 || order.inputs.length > 0)
    return 'a transaction of Solana makes one payment';
  if (order.voids) return 'no transaction of Solana moves nothing';
  if (order.validUntil === null) return 'the order does not say until when it is valid';
  if (payment.units <= 0n || payment.units >= UNITS_MAX)
    return 'the order names an amount that there cannot be';
  if (read.tag !== tagOf(order.nonce)) return 'the payload is of another nonce than the order';
  if (read.feePayer !== (order.feePayer ?? order.wallet))
    return 'somebody else than the order says pays the fee';
  if (read.wallet !== order.wallet) return "the payload does not spend the order's wallet";
  if ((read.token?.mint ?? null) !== terms.contract) return "the payload does not move the order's asset";
  if (read.token !== null && read.token.decimals !== terms.decimals)
    return 'the payload moves a token of other decimals';
  if (!paysTo(read, payment.to)) return "the payload does not pay the order's recipient";
  if (read.units !== payment.units) return 'the payload moves another amount';
  // Only a sweep ends the account that it empties: the hot wallet's own account stays.
  if (read.closes && order.feePayer === null) return 'the payload ends a token account of the hot wallet';
  return null;
}
