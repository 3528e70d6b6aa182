/**
 * Orders of one payment, which most tests are about: built from flat fields, read and changed as if
 * they were flat.
 */
import type { SendingOrder } from '../../../src/ports/sending/chain-sender.ts';
import type { SigningOrder } from '../../../src/ports/sending/signer.ts';

interface Paying {
  readonly payments: readonly object[];
}

/** The fields of an order and of its only payment, side by side. */
export type Flat<Order extends Paying> = Omit<Order, 'payments'> & Order['payments'][number];
/** What an order says otherwise; a whole order is none, so that nothing of it is meant twice. */
export type Change<Order extends Paying> = Partial<Flat<Order>> & { readonly payments?: Order['payments'] };

const OF_PAYMENT: ReadonlySet<string> = new Set([
  ...['transferId', 'referenceId', 'to', 'toKey', 'units', 'extraGas'],
]);

type Usual = 'inputs' | 'feePayer' | 'validUntil' | 'replaces';

export function sendingOrder(given: Omit<Flat<SendingOrder>, Usual> & Partial<SendingOrder>): SendingOrder {
  return lone<SendingOrder>({ inputs: [], feePayer: null, ...given });
}

export function signingOrder(given: Omit<Flat<SigningOrder>, Usual> & Partial<SigningOrder>): SigningOrder {
  return lone<SigningOrder>({ inputs: [], feePayer: null, validUntil: null, replaces: null, ...given });
}

export function lone<Order extends Paying>(given: Flat<Order>): Order {
  return changed({ payments: [{}] } as unknown as Order, given as Change<Order>);
}

/** `order` with something else in it, or in its payment. */
export function changed<Order extends Paying>(order: Order, change: Change<Order>): Order {
  const fields = Object.entries(change);
  const ofPayment = fields.filter(([name]) => OF_PAYMENT.has(name));
  const merged = { ...order, ...Object.fromEntries(fields.filter(([name]) => !OF_PAYMENT.has(name))) };
  if (ofPayment.length === 0) return merged;
  return { ...merged, payments: [{ ...paymentOf(merged), ...Object.fromEntries(ofPayment) }] };
}

/** The only payment of an order. */
export function paymentOf<Order extends Paying>({ payments }: Order): Order['payments'][number] {
  const [payment] = payments;
  if (!payment || payments.length > 1) throw new Error(`the order has ${payments.length} payments, not one`);
  return payment;
}

/** What the price of an order is asked for. */
export function priced(order: SendingOrder): { asset: string; to: string } {
  return { asset: order.asset, to: paymentOf(order).to };
}
