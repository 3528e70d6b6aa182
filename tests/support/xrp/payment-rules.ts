/**
 * What a Payment does on the test network: XRP directly, an issued currency directly, or XRP bought
 * with one from offers.
 */
import { larger, smaller } from '../../../src/domain/money/larger.ts';
import { type Amount, currencyOf, issuedAmount, millionths } from './issued.ts';
import type { SubmittedTransaction } from './transaction.ts';
import { type Account, BASE_RESERVE, DEPOSIT_AUTH, type Draft, REQUIRE_DEST, reserveOf } from './world.ts';

/**
 * A result code of tes or tec; `delivered` is what arrived where that is not simply the Amount
 * (partial payments).
 */
export interface Applied {
  readonly code: string;
  readonly delivered?: Amount;
}

export const SUCCESS: Applied = { code: 'tesSUCCESS' };
const PARTIAL_PAYMENT = 0x0002_0000;

/** The same for all that has a destination. */
export function whyNotReceived(
  destination: Account | undefined,
  { DestinationTag }: SubmittedTransaction,
): string | null {
  if (destination === undefined) return 'tecNO_DST';
  const wantsTag = (destination.flags & REQUIRE_DEST) !== 0;
  return wantsTag && DestinationTag === undefined ? 'tecDST_TAG_NEEDED' : null;
}

/** `before`: the sender before its fee was taken. */
export function applyPayment(
  draft: Draft,
  tx: SubmittedTransaction,
  { before, index }: { before: Account; index: number },
): Applied {
  const { Account: from, Destination: to = '', Amount: amount = '0', SendMax, Fee, Flags = 0 } = tx;
  const destination = draft.accounts.get(to);
  if (destination === undefined) {
    if (typeof amount !== 'string') return { code: 'tecNO_DST' };
    if (BigInt(amount) < BASE_RESERVE) return { code: 'tecNO_DST_INSUF_XRP' };
  } else {
    const refusal = whyNotReceived(destination, tx);
    if (refusal !== null) return { code: refusal };
    if (!takesFromAnybody(destination, amount)) return { code: 'tecNO_PERMISSION' };
  }
  const partial = (Flags & PARTIAL_PAYMENT) !== 0;
  if (typeof amount !== 'string') return applyIssued(draft, tx, amount, partial);
  if (SendMax !== undefined && typeof SendMax !== 'string')
    return applyBought(draft, tx, { wanted: BigInt(amount), most: SendMax, partial, index });
  const kept = larger(reserveOf(before), BigInt(Fee));
  if (before.balance - kept < BigInt(amount)) return { code: 'tecUNFUNDED_PAYMENT' };
  draft.pay(from, -BigInt(amount), index);
  draft.pay(to, BigInt(amount), index);
  return SUCCESS;
}

/** Deposit authorization lets through what helps an account that is at its reserve. */
function takesFromAnybody(destination: Account, amount: Amount): boolean {
  if ((destination.flags & DEPOSIT_AUTH) === 0) return true;
  const small = typeof amount === 'string' && BigInt(amount) <= BASE_RESERVE;
  return small && destination.balance <= BASE_RESERVE;
}

function applyIssued(
  draft: Draft,
  { Account: from, Destination: to = '' }: SubmittedTransaction,
  amount: Exclude<Amount, string>,
  partial: boolean,
): Applied {
  const of = currencyOf(amount);
  const wanted = millionths(amount);
  const held = from === amount.issuer ? wanted : (draft.lines.get(`${from} ${of}`) ?? 0n);
  const received = draft.lines.get(`${to} ${of}`);
  if ((received === undefined && to !== amount.issuer) || held === 0n) return { code: 'tecPATH_DRY' };
  const moved = smaller(held, wanted);
  if (moved < wanted && !partial) return { code: 'tecPATH_PARTIAL' };
  if (from !== amount.issuer) draft.lines.set(`${from} ${of}`, held - moved);
  if (received !== undefined) draft.lines.set(`${to} ${of}`, received + moved);
  return partial ? { ...SUCCESS, delivered: issuedAmount(of, moved) } : SUCCESS;
}

/**
 * XRP for the sender's issued currency, from the offers that sell it, as far as they and SendMax
 * go.
 */
function applyBought(
  draft: Draft,
  { Account: from, Destination: to = '', DeliverMin }: SubmittedTransaction,
  order: { wanted: bigint; most: Exclude<Amount, string>; partial: boolean; index: number },
): Applied {
  const of = currencyOf(order.most);
  const line = `${from} ${of}`;
  let left = smaller(draft.lines.get(line) ?? 0n, millionths(order.most));
  let delivered = 0n;
  for (const [id, offer] of draft.objects) {
    if (offer.kind !== 'Offer' || offer.price?.of !== of) continue;
    const missing = order.wanted - delivered;
    const affordable = (left * offer.drops) / offer.price.units;
    const taken = smaller(smaller(missing, affordable), offer.drops);
    if (taken === 0n) continue;
    const cost = (taken * offer.price.units + offer.drops - 1n) / offer.drops;
    left -= cost;
    delivered += taken;
    draft.lines.set(line, (draft.lines.get(line) ?? 0n) - cost);
    draft.pay(offer.owner, -taken, order.index);
    const rest = { of, units: offer.price.units - cost };
    if (taken === offer.drops) draft.objects.delete(id);
    else draft.objects.set(id, { ...offer, drops: offer.drops - taken, price: rest });
  }
  if (delivered === 0n) return { code: 'tecPATH_DRY' };
  const least = typeof DeliverMin === 'string' ? BigInt(DeliverMin) : 0n;
  if (delivered < order.wanted && (!order.partial || delivered < least)) return { code: 'tecPATH_PARTIAL' };
  draft.pay(to, delivered, order.index);
  return order.partial ? { ...SUCCESS, delivered: delivered.toString() } : SUCCESS;
}
