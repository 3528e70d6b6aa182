/**
 * What the models of sending share: a payout with its money, the rules of whole rows, and a walk
 * through every reachable state.
 */

import { decidePayout, type PayoutEvent, type PayoutState } from '../../../src/domain/payouts/payout.ts';
import type { OutgoingState } from '../../../src/domain/sending/outgoing.ts';

export const AT = new Date(0);

export const NEW_TRANSFER: OutgoingState = {
  status: 'allocated',
  txid: null,
  block: null,
  feeUnits: null,
  hotFeeUnits: 0n,
  failure: null,
  voided: false,
  takenOut: false,
};

export interface PayoutWorld {
  readonly payout: PayoutState;
  readonly held: boolean;
  /** Where the balance is, by the entries that were posted. */
  readonly money: 'reserved' | 'paid' | 'back' | 'posted twice';
}

export const NEW_PAYOUT: PayoutWorld = {
  payout: { status: 'pending', txid: null, txHashes: [], failure: null, processedAt: null },
  held: false,
  money: 'reserved',
};

const POSTED = {
  settle: ['reserved', 'paid'],
  release: ['reserved', 'back'],
  retake: ['back', 'paid'],
  unsettle: ['paid', 'reserved'],
} as const;

/** app/payouts/apply-payout-event.ts, applyPayoutEvent; null when the event cannot happen. */
export function tell<World extends PayoutWorld>(world: World, event: PayoutEvent): World | null {
  const decision = decidePayout(world.payout, event);
  if (!decision) return null;
  const told = { ...world, payout: decision.next, held: false };
  if (decision.reserve === 'keep') return told;
  const [from, to] = POSTED[decision.reserve];
  return { ...told, money: world.money === from ? to : 'posted twice' };
}

export const isActive = ({ status, voided }: OutgoingState): boolean => status !== 'failed' && !voided;

/** app/sending/signing/apply-refusal.ts. */
export const mayBePaid = ({ payout, held }: PayoutWorld): boolean =>
  (payout.status === 'pending' && !held) || payout.status === 'processing';

/**
 * A payout is what its money and its transfers say; the same is asked of the rows by CHECK
 * constraints and by reconcile.
 */
export function payoutRules(
  { payout, held, money }: PayoutWorld,
  transfers: readonly OutgoingState[],
): Record<string, boolean> {
  const ended = payout.status === 'failed' || payout.status === 'cancelled';
  const confirmed = transfers.some(({ status }) => status === 'confirmed');
  return {
    'paid when success': (money === 'paid') === (payout.status === 'success'),
    'back when ended': (money === 'back') === ended,
    'reserved when open': (money === 'reserved') === ['pending', 'processing'].includes(payout.status),
    'held while pending': !held || payout.status === 'pending',
    'success is confirmed': (payout.status === 'success') === confirmed,
    'one transfer at a time': transfers.filter(isActive).length <= 1,
    'no sequence is left behind': !transfers.some(
      (state) => state.status === 'allocated' && !state.voided && (held || ended),
    ),
    'failed says why': (payout.failure !== null) === (payout.status === 'failed'),
    'processed when ended':
      (payout.processedAt === null) === ['pending', 'processing'].includes(payout.status),
    'transfers are whole': transfers.every(
      ({ status, txid, block, feeUnits, failure, voided }) =>
        (txid === null) === (block === null) &&
        (txid === null) === (feeUnits === null) &&
        (status !== 'confirmed' || txid !== null) &&
        (txid === null || status === 'confirmed' || status === 'failed') &&
        (failure !== null) === (status === 'failed' || (voided && status !== 'confirmed')),
    ),
  };
}

/** The first rule that does not hold. */
export function broken(rules: Record<string, boolean>): string | null {
  return Object.entries(rules).find(([, holds]) => !holds)?.[0] ?? null;
}

export interface Step<World> {
  readonly name: string;
  readonly to: World;
}

/**
 * Every world that steps lead to from `start`. `look` answers what is wrong with a world or with a
 * step out of it; the walk ends with the fifth fault, each with the steps that lead to it.
 */
export function explore<World>(
  start: World,
  steps: (world: World) => Iterable<Step<World>>,
  look: (world: World, ways: readonly Step<World>[]) => Iterable<string>,
): { readonly worlds: readonly World[]; readonly faults: readonly string[] } {
  const keyOf = (world: World): string =>
    JSON.stringify(world, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  const paths = new Map<string, string>([[keyOf(start), 'start']]);
  const worlds = [start];
  const faults = new Set<string>();
  for (let at = 0; at < worlds.length && faults.size < 5; at += 1) {
    const world = worlds[at] as World;
    const path = paths.get(keyOf(world)) ?? '';
    const ways = [...steps(world)];
    for (const fault of look(world, ways)) faults.add(`${fault}: ${path}`);
    for (const { name, to } of ways) {
      const key = keyOf(to);
      if (paths.has(key)) continue;
      paths.set(key, `${path}, ${name}`);
      worlds.push(to);
    }
  }
  return { worlds, faults: [...faults] };
}
