/**
 * Every state that an invoice with a few small payments can reach, whatever chain, risk check, time
 * and operator do: none says more than the money does, none is stuck, and what is final moves only
 * by an operator or a reorganisation.
 */
import { describe, expect, test } from 'bun:test';
import type { DepositStatus } from '../../../src/domain/deposits/deposit.ts';
import {
  accepts,
  type BillingType,
  decide,
  type InvoiceState,
  isAcceptable,
  isDeferred,
  isFinal,
  isLeftBehind,
  isRefundable,
} from '../../../src/domain/invoices/invoice.ts';
import type { InvoiceEvent } from '../../../src/domain/invoices/invoice-event.ts';

const EXPIRES_AT = new Date('2026-01-01T01:00:00Z');
const IN_TIME = new Date('2026-01-01T00:00:00Z');
const LATE = new Date('2026-01-01T02:00:00Z');
const DUE = 10n;
const DEFERRAL = 2n;

interface Paid {
  readonly units: bigint;
  /** `outside`: recorded as a stray that the invoice never took. */
  readonly status: DepositStatus | 'unseen' | 'outside';
}

interface World {
  readonly invoice: InvoiceState;
  readonly payments: readonly Paid[];
  readonly late: boolean;
}

/**
 * What can happen next, by name. `internal` happens by itself sooner or later; the rest are
 * reorganisations and operators.
 */
interface Step {
  readonly name: string;
  readonly internal: boolean;
  readonly to: World;
}

function apply(world: World, event: InvoiceEvent): World {
  return { ...world, invoice: decide(world.invoice, event).next };
}
function set(world: World, index: number, status: Paid['status']): World {
  return {
    ...world,
    payments: world.payments.map((paid, position) => (position === index ? { ...paid, status } : paid)),
  };
}
const ended = ({ invoice }: World) => isFinal(invoice) && invoice.status !== 'high_risk';

function moveAll(world: World, from: Paid['status'], to: Paid['status']): World {
  return {
    ...world,
    payments: world.payments.map((paid) => (paid.status === from ? { ...paid, status: to } : paid)),
  };
}
const strand = (world: World) => moveAll(world, 'arrived', 'stray');

/**
 * app/deposits/deposit-lifecycle.ts, tellAndReopen: an invoice that is open again takes its strays
 * back.
 */
function reopened(before: World, after: World): World {
  const reopens = isFinal(before.invoice) && !ended(after) && after.invoice.status !== before.invoice.status;
  return reopens ? moveAll(after, 'stray', 'arrived') : after;
}

/** app/deposits/screen-deposits.ts: everything that arrived, with a hit on `hit`. */
function screened(world: World, hit: number | null): World | null {
  if (!world.payments.some(({ status }) => status === 'arrived')) return null;
  const held = world.payments.some(({ status }) => status === 'held');
  if (ended(world) || isLeftBehind(world.invoice, { held })) return strand(world);
  if (isDeferred(world.invoice)) return null;
  const at = world.late ? LATE : IN_TIME;
  let next = world;
  for (const [index, { status, units }] of world.payments.entries()) {
    if (status !== 'arrived') continue;
    next =
      index === hit
        ? apply(set(next, index, 'held'), { type: 'payment_held', units, at })
        : apply(set(next, index, 'credited'), { type: 'payment_credited', units, at });
  }
  return ended(next) ? strand(next) : next;
}

/** app/deposits/deposit-lifecycle.ts, markGone. */
function gone(world: World, index: number): World | null {
  const paid = world.payments[index];
  const at = world.late ? LATE : IN_TIME;
  switch (paid?.status) {
    case 'confirming':
      return apply(set(world, index, 'dropped'), { type: 'payment_dropped', units: paid.units, at });
    case 'arrived':
    case 'stray':
      return apply(set(world, index, 'reversed'), { type: 'payment_dropped', units: paid.units, at });
    case 'credited':
      return apply(set(world, index, 'reversed'), { type: 'payment_reversed', units: paid.units, at });
    case 'held':
    case 'rejected':
      return apply(set(world, index, 'reversed'), { type: 'hold_reversed', units: paid.units, at });
    default:
      return null;
  }
}

function* steps(world: World): Generator<Step> {
  const at = world.late ? LATE : IN_TIME;
  if (!world.late) yield { name: 'time', internal: true, to: { ...world, late: true } };
  const open = world.invoice.status === 'created' || world.invoice.status === 'partially_paid';
  if (world.late && open) {
    const to = apply(world, { type: 'ttl_passed', at });
    if (to.invoice.status !== world.invoice.status) yield { name: 'expire', internal: true, to: strand(to) };
  }
  // app/invoices/cancel-invoice.ts: nothing was seen that did not disappear.
  const untouched = world.payments.every(({ status }) => ['unseen', 'dropped', 'reversed'].includes(status));
  if (untouched && world.invoice.status === 'created')
    yield { name: 'withdraw', internal: false, to: apply(world, { type: 'withdrawn', at }) };
  const passed = screened(world, null);
  if (passed) yield { name: 'screen', internal: true, to: passed };
  // app/console/accept-invoice.ts
  if (isAcceptable(world.invoice))
    yield { name: 'accept', internal: false, to: apply(world, { type: 'accepted', at }) };
  if (isRefundable(world.invoice))
    yield { name: 'refund', internal: false, to: apply(world, { type: 'refunded', at }) };
  if (world.invoice.status === 'refunded') {
    const to = apply(world, { type: 'refund_failed', at });
    yield { name: 'refund failed', internal: false, to: reopened(world, to) };
  }
  for (const [index, { status, units }] of world.payments.entries()) {
    const seen: InvoiceEvent = { type: 'payment_seen', units, txid: 't', from: null, at };
    if (status === 'unseen') {
      const to = accepts(world.invoice, IN_TIME)
        ? apply(set(world, index, 'confirming'), seen)
        : set(world, index, 'outside');
      yield { name: `see ${index}`, internal: false, to };
    }
    if (status === 'confirming')
      yield {
        name: `final ${index}`,
        internal: true,
        to: set(world, index, ended(world) ? 'stray' : 'arrived'),
      };
    if (status === 'arrived') {
      const to = screened(world, index);
      if (to) yield { name: `hit ${index}`, internal: false, to };
    }
    if (status === 'held') {
      const to = apply(set(world, index, 'credited'), { type: 'hold_released', units, at });
      yield { name: `release ${index}`, internal: false, to };
      yield { name: `reject ${index}`, internal: false, to: set(world, index, 'rejected') };
    }
    if (status === 'stray') {
      const to = apply(set(world, index, 'credited'), { type: 'payment_credited', units, at });
      yield { name: `credit stray ${index}`, internal: false, to };
    }
    if (status === 'dropped' || status === 'reversed') {
      const counts = world.invoice.status === 'failed' || accepts(world.invoice, IN_TIME);
      const to = counts
        ? reopened(world, apply(set(world, index, 'confirming'), seen))
        : set(world, index, 'outside');
      yield { name: `back ${index}`, internal: false, to };
    }
    const to = gone(world, index);
    if (to) yield { name: `gone ${index}`, internal: false, to: reopened(world, to) };
  }
}

const keyOf = ({ invoice: { status, funds, acceptedUnits }, payments, late }: World) =>
  [
    status,
    late,
    funds.pendingUnits,
    funds.creditedUnits,
    funds.heldUnits,
    acceptedUnits,
    ...payments.map((paid) => paid.status),
  ].join(' ');

function sum(world: World, ...statuses: Paid['status'][]): bigint {
  return world.payments
    .filter(({ status }) => statuses.includes(status))
    .reduce((total, { units }) => total + units, 0n);
}

/**
 * What is wrong with a reachable state, or null. The same is asked of every row by the database and
 * by reconcile.
 */
function faultOf(world: World): string | null {
  const { status, funds, tolerancePpm, billingType, processedAt, acceptedUnits } = world.invoice;
  const covered =
    funds.creditedUnits * 1_000_000n >= DUE * (1_000_000n - tolerancePpm) ||
    (acceptedUnits !== null && funds.creditedUnits >= acceptedUnits);
  const rules: Record<string, boolean> = {
    'pending is what waits': funds.pendingUnits === sum(world, 'confirming', 'arrived', 'stray'),
    'credited is what was credited': funds.creditedUnits === sum(world, 'credited'),
    'held is what is held': funds.heldUnits === sum(world, 'held', 'rejected'),
    'paid only when covered': (status !== 'success' && status !== 'paid_over') || covered,
    'over only when over': status !== 'paid_over' || (funds.creditedUnits > DUE && billingType === 'STATIC'),
    'success is not over': status !== 'success' || billingType === 'VARY' || funds.creditedUnits <= DUE,
    'part paid is part': status !== 'partially_paid' || (funds.creditedUnits > 0n && !covered),
    'created has nothing': status !== 'created' || (funds.creditedUnits === 0n && funds.heldUnits === 0n),
    'failed has nothing': status !== 'failed' || (funds.creditedUnits === 0n && funds.heldUnits === 0n),
    'confirming has something to wait for':
      status !== 'confirming' || sum(world, 'confirming', 'arrived') > 0n,
    'held money shows':
      funds.heldUnits === 0n || ['high_risk', 'refunded', 'cancelled', 'expired'].includes(status),
    'processed when final': (processedAt !== null) === isFinal(world.invoice),
  };
  return Object.entries(rules).find(([, holds]) => !holds)?.[0] ?? null;
}

/** Everything that happens by itself, until nothing does. */
function atRest(world: World): World {
  let current = world;
  for (let step = 0; step < 50; step += 1) {
    const next = [...steps(current)].find(({ internal, to }) => internal && keyOf(to) !== keyOf(current));
    if (!next) return current;
    current = next.to;
  }
  throw new Error(`never comes to rest: ${keyOf(world)}`);
}

function explore(billingType: BillingType, tolerancePpm: bigint, units: readonly bigint[]) {
  const start: World = {
    invoice: {
      status: 'created',
      version: 0,
      billingType,
      tolerancePpm,
      acceptedUnits: null,
      price: { asset: 'a', dueUnits: DUE, baseUnits: DUE, originalUnits: null, deferralUnits: DEFERRAL },
      funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
      expiresAt: EXPIRES_AT,
      processedAt: null,
      txid: null,
      addressFrom: null,
    },
    payments: units.map((paid) => ({ units: paid, status: 'unseen' })),
    late: false,
  };
  const known = new Map<string, string>([[keyOf(start), 'start']]);
  const queue = [start];
  const faults = new Set<string>();
  for (let world = queue.shift(); world; world = queue.shift()) {
    const path = known.get(keyOf(world)) ?? '';
    const fault = faultOf(world);
    if (fault) faults.add(`${fault}: ${path} => ${keyOf(world)}`);
    const rest = atRest(world);
    const stuck = rest.payments.some(({ status }) => status === 'confirming' || status === 'arrived');
    const waitsForOperator = rest.payments.some(({ status }) => status === 'held');
    if (!isFinal(rest.invoice) || (stuck && !waitsForOperator))
      faults.add(`stuck: ${path} => ${keyOf(rest)}`);
    for (const { name, internal, to } of steps(world)) {
      const byItself = internal || name.startsWith('see');
      if (byItself && ended(world) && to.invoice.status !== world.invoice.status)
        faults.add(`final moved: ${path}, ${name} => ${keyOf(to)}`);
      const refundFails = name === 'refund failed';
      if (world.invoice.status === 'refunded' && (to.invoice.status === 'refunded') === refundFails)
        faults.add(`refunded moved: ${path}, ${name} => ${keyOf(to)}`);
      if (known.has(keyOf(to))) continue;
      known.set(keyOf(to), `${path}, ${name}`);
      queue.push(to);
    }
  }
  return { states: known.size, faults: [...faults] };
}

const SETS = [
  [10n, 1n],
  [6n, 4n, 1n],
  [6n, 5n, 1n],
  [12n, 6n, 1n],
  [1n, 1n, 9n],
] as const;

describe.each(['STATIC', 'VARY'] as const)('every reachable state of a %s invoice', (billingType) => {
  test.each(SETS.map((units) => [units]))('that is paid %p of 10 tells the truth and moves on', (units) => {
    for (const tolerancePpm of [0n, 100_000n]) {
      const { states, faults } = explore(billingType, tolerancePpm, units);
      expect(faults.slice(0, 5)).toEqual([]);
      expect(states).toBeGreaterThan(20);
    }
  });
});
