/**
 * The world of the model of batches (tests/domain/sending/batch-model.test.ts): two payouts on a
 * UTXO chain, what is signed for them, what the signer remembers of it, and every step that can
 * happen to them.
 */

import type { PayoutEvent } from '../../../src/domain/payouts/payout.ts';
import {
  decideOutgoing,
  type OutgoingEvent,
  type OutgoingState,
} from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import {
  AT,
  isActive,
  mayBePaid,
  NEW_PAYOUT,
  NEW_TRANSFER,
  type PayoutWorld,
  type Step,
  tell,
} from './payout-world.ts';

interface Member {
  /** Which payout it pays. */
  readonly pays: number;
  readonly state: OutgoingState;
}

interface Sent {
  readonly members: readonly Member[];
  /** Whether its coins are its own: nobody else spends them. */
  readonly claimed: boolean;
  readonly signed: boolean;
  /**
   * Which payouts the signer signed for under its nonce, though the answer may have been lost; null
   * before.
   */
  readonly remembered: readonly number[] | null;
  /** What spent its coins on the chain, finally; `foreign` is signed by nobody here. */
  readonly mined: 'pay' | 'foreign' | null;
  /** Of the block that has it, or that had it last. */
  readonly height: number;
}

export interface BatchWorld {
  readonly payouts: readonly PayoutWorld[];
  readonly batches: readonly Sent[];
}

export const START: BatchWorld = { payouts: [NEW_PAYOUT, NEW_PAYOUT], batches: [] };
/** MODEL_BUNDLES=3 takes fifteen times as long. */
export const BUNDLES_MAX = Number(process.env.MODEL_BUNDLES ?? 2);
/** Why a transfer came to nothing makes no difference here. */
const WHY = failureOf('operator');
const GROUPS = [[0], [1], [0, 1]] as const;

const replaced = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((each, index) => (index === at ? value : each));

function put(world: BatchWorld, at: number, change: Partial<Sent>): BatchWorld {
  const batch = world.batches[at];
  return batch ? { ...world, batches: replaced(world.batches, at, { ...batch, ...change }) } : world;
}

/** Null when the event cannot happen to the member. */
function move(world: BatchWorld, at: number, place: number, event: OutgoingEvent): BatchWorld | null {
  const members = world.batches[at]?.members ?? [];
  const member = members[place];
  const state = member ? decideOutgoing(member.state, event) : null;
  if (!member || !state) return null;
  return put(world, at, { members: replaced(members, place, { ...member, state }) });
}

/** The world as it is when the payout cannot take the event. */
function told(world: BatchWorld, pays: number, event: PayoutEvent): BatchWorld {
  const payout = world.payouts[pays];
  const next = payout ? tell(payout, event) : null;
  return next ? { ...world, payouts: replaced(world.payouts, pays, next) } : world;
}

/** What its transactions pay. */
export const within = ({ members }: Sent): readonly Member[] =>
  members.filter(({ state }) => !state.takenOut);
export const placesOf = (batch: Sent): readonly number[] =>
  within(batch).map((member) => batch.members.indexOf(member));

export const transfersOf = ({ batches }: BatchWorld, pays: number): OutgoingState[] =>
  batches.flatMap(({ members }) =>
    members.filter((member) => member.pays === pays).map(({ state }) => state),
  );

/** app/sending/signing/split-batch.ts. */
function unmade(
  world: BatchWorld,
  at: number,
  type: 'dissolved' | 'taken_out',
  places: readonly number[],
): BatchWorld {
  const apart = places.reduce<BatchWorld>(
    (last, place) => move(last, at, place, { type, reason: WHY }) ?? last,
    world,
  );
  const claimed = apart.batches[at]?.members.some(({ state }) => state.status !== 'failed') ?? false;
  return put(apart, at, { claimed });
}

/**
 * adapters/signer/signing-history.ts: fewer of those that it signed for under a nonce, and none of
 * another's.
 */
function signs(world: BatchWorld, at: number, pays: number): boolean {
  return world.batches.every(({ remembered }, index) => {
    if (remembered === null) return true;
    return (index === at) === remembered.includes(pays);
  });
}

/** app/sending/operate-payouts.ts, giveUpTransfer. */
function givenUp(world: BatchWorld, pays: number): BatchWorld {
  for (const [at, { members }] of world.batches.entries()) {
    const place = members.findIndex((member) => member.pays === pays && isActive(member.state));
    if (place !== -1) return move(world, at, place, { type: 'voided', reason: WHY }) ?? world;
  }
  return world;
}

function* operatorSteps(world: BatchWorld): Generator<Step<BatchWorld>> {
  for (const [pays, payout] of world.payouts.entries()) {
    const change = (changed: PayoutWorld): BatchWorld => ({
      ...givenUp(world, pays),
      payouts: replaced(world.payouts, pays, changed),
    });
    if (payout.payout.status === 'pending') {
      yield { name: `hold ${pays}`, to: change({ ...payout, held: true }) };
      yield { name: `cancel ${pays}`, to: told(givenUp(world, pays), pays, { type: 'cancelled', at: AT }) };
    }
    if (payout.held) yield { name: `release ${pays}`, to: change({ ...payout, held: false }) };
  }
}

/** app/sending/utxos/allocate-utxos.ts: any of those that are ready, as far as the coins go. */
function* allocations(world: BatchWorld): Generator<Step<BatchWorld>> {
  if (world.batches.length === BUNDLES_MAX) return;
  for (const group of GROUPS) {
    const ready = group.every((pays) => {
      const payout = world.payouts[pays];
      return payout?.payout.status === 'pending' && !payout.held && !transfersOf(world, pays).some(isActive);
    });
    if (!ready) continue;
    const members = group.map((pays) => ({ pays, state: NEW_TRANSFER }));
    const made: Sent = { members, claimed: true, signed: false, remembered: null, mined: null, height: 1 };
    yield { name: `allocate ${group.join(' and ')}`, to: { ...world, batches: [...world.batches, made] } };
  }
}

/**
 * app/sending/advance-batch.ts, app/sending/signing/sign-batch.ts and
 * app/sending/signing/apply-refusal.ts, while nothing is signed.
 */
function* unsignedSteps(world: BatchWorld, at: number, batch: Sent): Generator<Step<BatchWorld>> {
  const places = placesOf(batch);
  const givenUp = places.filter((place) => batch.members[place]?.state.voided);
  if (!batch.claimed) return;
  if (givenUp.length > 0) yield { name: `take out of ${at}`, to: unmade(world, at, 'taken_out', givenUp) };
  else if (
    within(batch).every(({ pays }) => signs(world, at, pays) && mayBePaid(world.payouts[pays] ?? NEW_PAYOUT))
  ) {
    const paid = within(batch).map(({ pays }) => pays);
    const remembered = batch.remembered ?? paid;
    const signed = places.reduce<BatchWorld | null>(
      (last, place) => last && move(last, at, place, { type: 'signed' }),
      put(world, at, { signed: true, remembered }),
    );
    const event = { type: 'signed', txid: `pay${at}`, at: AT } as const;
    if (signed)
      yield { name: `sign ${at}`, to: paid.reduce((last, pays) => told(last, pays, event), signed) };
    // Of the first batch alone: with every other it would be the same.
    if (at === 0) yield { name: `lose the signature of ${at}`, to: put(world, at, { remembered }) };
  }
  // A coin is gone, or was chosen at another price. What the signer remembers would be held for an
  // operator.
  if (batch.remembered === null) yield { name: `dissolve ${at}`, to: unmade(world, at, 'dissolved', places) };
  for (const place of places) {
    const { pays, state } = batch.members[place]!;
    if (state.voided) continue;
    const apart = unmade(world, at, 'taken_out', [place]);
    const payout = world.payouts[pays]!;
    // An operator finds out what became of the other signature, and lists the payout in the
    // signer's policy.
    if (!signs(world, at, pays) && payout.payout.status === 'pending')
      yield {
        name: `take ${pays} out of ${at} for the signer`,
        to: { ...apart, payouts: replaced(apart.payouts, pays, { ...payout, held: true }) },
      };
    const failed = { type: 'failed', reason: 'refused', at: AT } as const;
    yield { name: `refuse ${pays} of ${at}`, to: told(apart, pays, failed) };
    if (batch.remembered === null) yield { name: `refuse ${pays} of ${at} for now`, to: apart };
  }
}

/** app/sending/settle-transfer.ts: each member in a transaction of its own. */
export function settled(world: BatchWorld, at: number, place: number): BatchWorld | null {
  const batch = world.batches[at];
  const member = batch?.members[place];
  if (!batch || !member || batch.mined === null) return null;
  if (batch.mined === 'foreign') {
    const next = move(world, at, place, { type: 'superseded', reason: WHY });
    return next && told(next, member.pays, { type: 'failed', reason: 'foreign', at: AT });
  }
  const txid = `pay${at}`;
  const block = { height: batch.height, hash: `b${batch.height}` };
  const feeUnits = place === 0 ? 1n : 0n;
  const next = move(world, at, place, { type: 'confirmed', txid, block, feeUnits });
  return next && told(next, member.pays, { type: 'confirmed', txid, at: AT });
}

/** The block that settled the member is gone: app/sending/send-transfers.ts, recheckSettled. */
export function undone(world: BatchWorld, at: number, place: number): BatchWorld | null {
  const batch = world.batches[at];
  const member = batch?.members[place];
  const block = member?.state.block ?? null;
  if (!batch || !member || block === null) return null;
  if (batch.mined === 'pay' && block.height === batch.height) return null;
  const next = move(world, at, place, { type: 'reorganised' });
  return next && told(next, member.pays, { type: 'reorganised', at: AT });
}

function* signedSteps(world: BatchWorld, at: number, batch: Sent): Generator<Step<BatchWorld>> {
  const { mined, height } = batch;
  if (mined === null) {
    yield { name: `mine ${at}`, to: put(world, at, { mined: 'pay' }) };
    yield { name: `supersede ${at}`, to: put(world, at, { mined: 'foreign' }) };
  }
  if (mined === 'pay' && height === 1)
    yield { name: `reorg ${at}`, to: put(world, at, { mined: null, height: 2 }) };
  for (const place of placesOf(batch)) {
    const ended = settled(world, at, place);
    if (ended) yield { name: `settle ${place} of ${at}`, to: ended };
    const back = undone(world, at, place);
    if (back) yield { name: `undo ${place} of ${at}`, to: back };
  }
}

export function* steps(world: BatchWorld): Generator<Step<BatchWorld>> {
  yield* operatorSteps(world);
  yield* allocations(world);
  for (const [at, batch] of world.batches.entries())
    yield* batch.signed ? signedSteps(world, at, batch) : unsignedSteps(world, at, batch);
}
