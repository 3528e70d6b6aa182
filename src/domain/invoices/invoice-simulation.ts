/**
 * The sandbox simulator: the state of an invoice after the history that leads to a target status
 * (decision 0010). It does not use `decide`, which need not be loosened for it, and must not be
 * called for a live invoice.
 */
import { accepts, type InvoicePrice, type InvoiceState, isFinal, receivedUnits } from './invoice.ts';

/** The targets, in the specification's order. */
export const SIMULATED_STATUSES = [
  'success',
  'partially_paid',
  'paid_over',
  'expired',
  'cancelled',
  'failed',
  'refunded',
] as const;
export type SimulatedStatus = (typeof SIMULATED_STATUSES)[number];

/** What a tester can simulate on a test invoice's checkout. */
export const CHECKOUT_OUTCOMES = ['paid', 'partial', 'over'] as const;
export type CheckoutOutcome = (typeof CHECKOUT_OUTCOMES)[number];

/** Why no payment can lead to the outcome any more; null if one can. */
export function outcomeRefusal(state: InvoiceState, outcome: CheckoutOutcome, at: Date): string | null {
  if (!accepts(state, at)) return 'This invoice does not take payments any more.';
  if (outcome === 'partial' && receivedUnits(state.funds) > 0n)
    return 'A part is paid already: pay the rest.';
  if (outcome === 'over' && state.billingType === 'VARY') return 'A VARY invoice is never paid over.';
  return null;
}

export interface Simulation {
  readonly status: SimulatedStatus;
  /** The payment in base units; null: the target's default. */
  readonly paidUnits: bigint | null;
  readonly txid: string;
  readonly from: string;
  readonly at: Date;
  /** New time to pay if the invoice has expired, so that the simulated status lasts. */
  readonly ttlSeconds: number;
}

/**
 * The state after the history; `funds.creditedUnits` is the credited amount, gross, in base units.
 */
export function simulated(
  state: InvoiceState & { readonly price: InvoicePrice },
  simulation: Simulation,
): InvoiceState {
  const paid = isPaid(simulation.status)
    ? (simulation.paidUnits ?? defaultPaid(state.price, simulation.status))
    : 0n;
  const lapsed = state.expiresAt.getTime() <= simulation.at.getTime();
  const ends = simulation.status === 'expired' || simulation.status === 'cancelled';
  const next: InvoiceState = {
    ...state,
    status: simulation.status,
    version: state.version + 1,
    acceptedUnits: null,
    funds: { pendingUnits: 0n, creditedUnits: paid, heldUnits: 0n },
    expiresAt:
      lapsed && !ends ? new Date(simulation.at.getTime() + simulation.ttlSeconds * 1000) : state.expiresAt,
    txid: paid > 0n ? simulation.txid : null,
    addressFrom: paid > 0n ? simulation.from : null,
    processedAt: null,
  };
  return { ...next, processedAt: isFinal(next) ? simulation.at : null };
}

/** Whether the target's history has a credited payment. */
function isPaid(status: Simulation['status']): boolean {
  return status !== 'expired' && status !== 'failed';
}

/**
 * Full amount for success, half for partially_paid (and what leads through it), 125 % for paid_over
 * (specification, "simulate").
 */
function defaultPaid(price: InvoicePrice, status: Simulation['status']): bigint {
  switch (status) {
    case 'partially_paid':
    case 'cancelled':
      return atLeastOne(price.dueUnits / 2n);
    case 'paid_over':
      return (price.dueUnits * 5n + 3n) / 4n;
    default:
      return price.dueUnits;
  }
}

function atLeastOne(units: bigint): bigint {
  return units > 0n ? units : 1n;
}
